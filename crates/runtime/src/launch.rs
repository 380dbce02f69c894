//! Launches, and the calls that the host code of `<<<>>>` makes.

use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;

use crate::context::ready;
use crate::driver;
use crate::exports;
use crate::registry;
use crate::status::{Code, INVALID_VALUE, MISSING_CONFIGURATION, Status};
use crate::types::{Dim3, DriverLaunchConfig, Handle, LaunchConfig};
use crate::unasked;

/// What `<<<>>>` says.
#[derive(Clone, Copy)]
struct Configuration {
    grid: Dim3,
    block: Dim3,
    shared: usize,
    stream: usize,
}

type Stack = ManuallyDrop<Vec<Configuration>>;

thread_local! {
    // A stack: the arguments of a launch may launch something themselves. It is never dropped, so that exit handlers
    // can launch.
    static CONFIGURATIONS: RefCell<Stack> = const { RefCell::new(ManuallyDrop::new(Vec::new())) };
}

/// Refuses grids and blocks that no GPU of any generation takes, with the code that the runtime of CUDA 13 gives.
pub(crate) fn check_geometry(grid: Dim3, block: Dim3) -> Status {
    let threads = u64::from(block.x) * u64::from(block.y) * u64::from(block.z);
    let blocks = [grid.x, grid.y, grid.z];
    let fits = (1..=1024).contains(&threads)
        && block.z <= 64
        && blocks.iter().all(|count| *count >= 1)
        && grid.x <= i32::MAX as u32
        && grid.y <= 65535
        && grid.z <= 65535;
    if fits { Ok(()) } else { Err(INVALID_VALUE) }
}

fn shared_bytes(bytes: usize) -> Result<u32, Code> {
    u32::try_from(bytes).map_err(|_| INVALID_VALUE)
}

/// # Safety
/// `arguments` are those of the function; the name of the call ends in zero.
unsafe fn launch(
    call: &'static str,
    function: *const c_void,
    grid: Dim3,
    block: Dim3,
    arguments: *mut *mut c_void,
    shared: usize,
    stream: Handle,
) -> Status {
    let kernel = ready().and_then(|()| registry::kernel(function));
    let run = |kernel| {
        check_geometry(grid, block)?;
        let shared = shared_bytes(shared)?;
        let extra = std::ptr::null_mut();
        // SAFETY: the caller's promise.
        unsafe {
            driver::cuLaunchKernel(
                kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, stream, arguments, extra,
            )
        }
    };
    unasked::launched(call, kernel, kernel.and_then(run))
}

/// The driver's form of a launch configuration.
pub(crate) fn driver_config(config: &LaunchConfig) -> Result<DriverLaunchConfig, Code> {
    Ok(DriverLaunchConfig {
        grid: [config.grid.x, config.grid.y, config.grid.z],
        block: [config.block.x, config.block.y, config.block.z],
        shared: shared_bytes(config.shared)?,
        stream: config.stream,
        attributes: config.attributes,
        attribute_count: config.attribute_count,
    })
}

exports! {
    ptsz(stream) cudaLaunchKernel_ptsz
    fn cudaLaunchKernel(
        function: *const c_void, grid: Dim3, block: Dim3, arguments: *mut *mut c_void, shared: usize, stream: Handle,
    ) {
        launch("cudaLaunchKernel\0", function, grid, block, arguments, shared, stream)
    }
    ptsz(stream) __cudaLaunchKernel_ptsz
    fn __cudaLaunchKernel(
        kernel: *const c_void, grid: Dim3, block: Dim3, arguments: *mut *mut c_void, shared: usize, stream: Handle,
    ) {
        launch("cudaLaunchKernel\0", kernel, grid, block, arguments, shared, stream)
    }
    ptsz(stream) cudaLaunchCooperativeKernel_ptsz
    fn cudaLaunchCooperativeKernel(
        function: *const c_void, grid: Dim3, block: Dim3, arguments: *mut *mut c_void, shared: usize, stream: Handle,
    ) {
        ready()?;
        let kernel = registry::kernel(function)?;
        check_geometry(grid, block)?;
        let shared = shared_bytes(shared)?;
        driver::cuLaunchCooperativeKernel(
            kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, stream, arguments,
        )
    }
    fn cudaLaunchKernelExC(config: *const LaunchConfig, function: *const c_void, arguments: *mut *mut c_void) {
        ready()?;
        let config = config.as_ref().ok_or(INVALID_VALUE)?;
        let kernel = registry::kernel(function)?;
        check_geometry(config.grid, config.block)?;
        let config = driver_config(config)?;
        driver::cuLaunchKernelEx(&config, kernel, arguments, std::ptr::null_mut())
    }
    fn cudaLaunchKernelExC_ptsz(config: *const LaunchConfig, function: *const c_void, arguments: *mut *mut c_void) {
        let mut config = *config.as_ref().ok_or(INVALID_VALUE)?;
        config.stream = crate::stream::per_thread(config.stream);
        crate::status::check(cudaLaunchKernelExC(&config, function, arguments))
    }
    fn __cudaPopCallConfiguration(grid: *mut Dim3, block: *mut Dim3, shared: *mut usize, stream: *mut Handle) {
        let top = CONFIGURATIONS.with_borrow_mut(|stack| stack.pop()).ok_or(MISSING_CONFIGURATION)?;
        *grid = top.grid;
        *block = top.block;
        *shared = top.shared;
        *stream = top.stream as Handle;
        unasked::expect();
        Ok(())
    }
    fn __cudaGetKernel(kernel: *mut *const c_void, function: *const c_void) {
        // Host code keeps the answer. Where the kernel cannot be had, that is the function itself, so that every launch
        // says why.
        *kernel = function;
        *kernel = registry::kernel(function)?;
        Ok(())
    }
}

/// `__cudaPushCallConfiguration`: what stands between `<<<` and `>>>`.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaPushCallConfiguration(grid: Dim3, block: Dim3, shared: usize, stream: Handle) -> c_int {
    let configuration = Configuration { grid, block, shared, stream: stream as usize };
    CONFIGURATIONS.with_borrow_mut(|stack| stack.push(configuration));
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dim(x: u32, y: u32, z: u32) -> Dim3 {
        Dim3 { x, y, z }
    }

    #[test]
    fn grids_and_blocks_have_limits() {
        assert_eq!(check_geometry(dim(1, 1, 1), dim(1024, 1, 1)), Ok(()));
        assert_eq!(check_geometry(dim(i32::MAX as u32, 65535, 65535), dim(4, 4, 64)), Ok(()));
        for (grid, block) in [
            (dim(0, 1, 1), dim(1, 1, 1)),
            (dim(1, 1, 1), dim(1, 0, 1)),
            (dim(1, 1, 1), dim(1025, 1, 1)),
            (dim(1, 1, 1), dim(32, 33, 1)),
            (dim(1, 1, 1), dim(1, 1, 65)),
            (dim(1, 65536, 1), dim(1, 1, 1)),
            (dim(u32::MAX, 1, 1), dim(1, 1, 1)),
        ] {
            assert_eq!(check_geometry(grid, block), Err(INVALID_VALUE), "{grid:?} {block:?}");
        }
    }

    #[test]
    fn configurations_nest() {
        __cudaPushCallConfiguration(dim(1, 1, 1), dim(32, 1, 1), 0, std::ptr::null_mut());
        __cudaPushCallConfiguration(dim(2, 1, 1), dim(64, 1, 1), 16, std::ptr::null_mut());
        let (mut grid, mut block, mut shared, mut stream) = (dim(0, 0, 0), dim(0, 0, 0), 0, std::ptr::null_mut());
        let mut pop = || {
            // SAFETY: all four places are there to be written.
            let code = unsafe { __cudaPopCallConfiguration(&mut grid, &mut block, &mut shared, &mut stream) };
            (code, grid.x, block.x, shared)
        };
        assert_eq!(pop(), (0, 2, 64, 16));
        assert_eq!(pop(), (0, 1, 32, 0));
        assert_eq!(pop().0, MISSING_CONFIGURATION.0);
    }
}
