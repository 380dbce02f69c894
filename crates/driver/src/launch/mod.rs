//! Launches.

mod estimate;
mod kernel;
mod legacy;
mod occupancy;
mod parameters;
mod whose;

use crate::edge::{api, get, list};
use crate::error::{Error, Outcome};
use crate::queue;
use crate::state::lock;
use crate::work::Work;
use std::ffi::c_void;

pub(crate) use estimate::{Estimates, LaunchTime};
pub(crate) use kernel::Kernel;
pub(crate) use legacy::Legacy;
pub(crate) use parameters::pack;

/// The functions of the API.
pub(crate) mod api {
    pub use super::legacy::*;
    pub use super::occupancy::*;
    pub use super::{
        LaunchAttribute, LaunchConfig, cuLaunchCooperativeKernel, cuLaunchCooperativeKernelMultiDevice, cuLaunchKernel,
        cuLaunchKernelEx,
    };
}

/// `CUlaunchConfig`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchConfig {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared_bytes: u32,
    pub(crate) stream: u64,
    pub(crate) attributes: *const LaunchAttribute,
    pub(crate) count: u32,
}

/// `CUlaunchAttribute`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchAttribute {
    pub(crate) id: u32,
    padding: u32,
    pub(crate) value: [u64; 8],
}

/// What the attributes of a launch ask for.
#[derive(Clone, Copy, Default)]
pub(crate) struct Asked {
    pub(crate) cooperative: bool,
    pub(crate) cluster: Option<[u32; 3]>,
    /// An event that happens when all blocks have run.
    event: u64,
}

/// Reads the attributes of a launch; those that only advise are ignored.
pub(crate) fn asked(config: &LaunchConfig) -> Outcome<Asked> {
    let mut asked = Asked::default();
    for attribute in list(config.attributes, config.count as usize)? {
        let [first, second, ..] = attribute.value;
        match attribute.id {
            2 => asked.cooperative = first as u32 != 0,
            4 => {
                let cluster = [first as u32, (first >> 32) as u32, second as u32];
                asked.cluster = (cluster != [0; 3]).then_some(cluster);
            }
            7 | 12 => asked.event = first,
            0..=16 => {}
            _ => return Err(Error::INVALID_VALUE),
        }
    }
    Ok(asked)
}

/// Launches in the order of a stream.
fn launch(
    function: u64,
    shape: ([u32; 3], [u32; 3], u32),
    stream: u64,
    parameters: *const *const c_void,
    extra: *const *const c_void,
    asked: Asked,
) -> Outcome {
    let mut state = lock()?;
    state.context()?;
    let stream = state.stream_or_own(stream)?;
    let (grid, block, shared_bytes) = shape;
    let found = state.functions.get(function)?;
    let packed = pack(&found.parameters, found.parameter_bytes, parameters, extra);
    if let Some(given) = parameters::given(extra) {
        let wanted = found.parameter_bytes;
        state.check_arguments(given, wanted);
    }
    let packed = packed?;
    let kernel = Kernel {
        function,
        grid,
        block,
        shared_bytes,
        cooperative: asked.cooperative,
        cluster: asked.cluster,
        parameters: packed,
        stream,
    };
    kernel.check(&state)?;
    queue::submit(state, stream, Work::Launch(kernel))?;
    if asked.event == 0 { Ok(()) } else { crate::event::record(lock()?, asked.event, stream) }
}

api! {
    fn cuLaunchKernel(
        function: u64,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared_bytes: u32,
        stream: u64,
        parameters: *const *const c_void,
        extra: *const *const c_void,
    ) {
        let shape = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z], shared_bytes);
        launch(function, shape, stream, parameters, extra, Asked::default())
    }

    fn cuLaunchKernelEx(
        config: *const LaunchConfig,
        function: u64,
        parameters: *const *const c_void,
        extra: *const *const c_void,
    ) {
        let config = get(config)?;
        let shape = (config.grid, config.block, config.shared_bytes);
        launch(function, shape, config.stream, parameters, extra, asked(&config)?)
    }

    fn cuLaunchCooperativeKernel(
        function: u64,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared_bytes: u32,
        stream: u64,
        parameters: *const *const c_void,
    ) {
        let shape = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z], shared_bytes);
        let asked = Asked { cooperative: true, ..Asked::default() };
        launch(function, shape, stream, parameters, std::ptr::null(), asked)
    }

    fn cuLaunchCooperativeKernelMultiDevice(_launches: *const c_void, _devices: u32, _flags: u32) {
        Err(Error::NOT_SUPPORTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_have_the_sizes_of_the_header() {
        assert_eq!((size_of::<LaunchConfig>(), size_of::<LaunchAttribute>()), (56, 72));
    }
}
