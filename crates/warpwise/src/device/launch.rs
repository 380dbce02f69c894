//! What a launch is made of, and launches.

use warpwise_gpu::{DeviceError, DevicePtr, FaultKind, Launch, Report};

use super::session::Session;
use super::trace::{LaunchRecord, Stage};
use crate::Error;
use crate::kernels::KernelModule;

/// The geometry of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub(crate) shared: u32,
}

impl Shape {
    /// A one-dimensional launch.
    pub(crate) fn line(grid: u32, block: u32, shared: u32) -> Self {
        Self { grid: [grid, 1, 1], block: [block, 1, 1], shared }
    }

    /// A one-dimensional launch of as many blocks as it takes for so many elements; more than there can be are left to
    /// the device to refuse.
    pub(crate) fn cover(elements: u64, per_block: u64, block: u32, shared: u32) -> Self {
        let blocks = elements.div_ceil(per_block.max(1));
        Self::line(u32::try_from(blocks).unwrap_or(u32::MAX), block, shared)
    }

    /// A block of about that many threads for a plane of rows and columns: a warp wide where the plane is, and high
    /// enough that the plane does not take more blocks in y than there can be, as long as 1024 threads allow it.
    pub(crate) fn plane_block(columns: u64, rows: u64, threads: u32) -> [u32; 2] {
        const MOST_BLOCKS: u64 = 65535;
        let mut x = (columns.clamp(1, 32) as u32).next_power_of_two().min(threads.max(1));
        let mut y = (threads / x).max(1);
        while rows.div_ceil(u64::from(y)) > MOST_BLOCKS && x * y < 1024 {
            y *= 2;
        }
        while rows.div_ceil(u64::from(y)) > MOST_BLOCKS && x > 1 {
            (x, y) = (x / 2, y * 2);
        }
        [x, y]
    }

    /// A two-dimensional launch with a thread for each cell of a plane.
    pub(crate) fn plane(columns: u64, rows: u64, block: [u32; 2], shared: u32) -> Self {
        let blocks =
            |cells: u64, block: u32| u32::try_from(cells.div_ceil(u64::from(block.max(1)))).unwrap_or(u32::MAX);
        Self { grid: [blocks(columns, block[0]), blocks(rows, block[1]), 1], block: [block[0], block[1], 1], shared }
    }
}

/// An argument of a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Argument {
    Pointer(DevicePtr),
    U32(u32),
    U64(u64),
    F32(f32),
    F64(f64),
}

impl Argument {
    /// A null pointer.
    pub(crate) const NULL: Self = Self::U64(0);

    /// A float of any type.
    pub(crate) fn float<T: crate::Float>(value: T) -> Self {
        if size_of::<T>() == 4 { Self::F32(value.to_f64() as f32) } else { Self::F64(value.to_f64()) }
    }

    /// A pointer that many bytes further.
    pub(crate) fn plus(self, bytes: u64) -> Self {
        match self {
            Self::Pointer(DevicePtr(at)) => Self::Pointer(DevicePtr(at + bytes)),
            other => other,
        }
    }

    fn bytes(self) -> ([u8; 8], usize) {
        let mut bytes = [0; 8];
        let size = match self {
            Self::Pointer(DevicePtr(v)) | Self::U64(v) => {
                bytes = v.to_le_bytes();
                8
            }
            Self::F64(v) => {
                bytes = v.to_le_bytes();
                8
            }
            Self::U32(v) => {
                bytes[..4].copy_from_slice(&v.to_le_bytes());
                4
            }
            Self::F32(v) => {
                bytes[..4].copy_from_slice(&v.to_le_bytes());
                4
            }
        };
        (bytes, size)
    }

    /// The parameter block of a kernel: every argument at a multiple of its size.
    fn pack(arguments: &[Self]) -> Vec<u8> {
        let mut block = Vec::new();
        for argument in arguments {
            let (bytes, size) = argument.bytes();
            block.resize(block.len().next_multiple_of(size), 0);
            block.extend_from_slice(&bytes[..size]);
        }
        block
    }
}

impl Session {
    /// Launches a kernel of a module; returns what it printed.
    pub(crate) fn launch(
        &self,
        module: &'static KernelModule,
        kernel: &str,
        shape: Shape,
        arguments: &[Argument],
    ) -> Result<String, Error> {
        self.launch_in(module, None, kernel, shape, Argument::pack(arguments), false)
    }

    /// As [`launch`](Session::launch), with an array as the last parameter, which begins at a multiple of 16 bytes and
    /// ends at one. It costs no copy, as a constant does; there can be 4 KiB of parameters.
    pub(crate) fn launch_with_array<T: bytemuck::Pod>(
        &self,
        module: &'static KernelModule,
        kernel: &str,
        shape: Shape,
        arguments: &[Argument],
        array: &[T],
    ) -> Result<String, Error> {
        let mut parameters = Argument::pack(arguments);
        parameters.resize(parameters.len().next_multiple_of(16), 0);
        parameters.extend_from_slice(bytemuck::cast_slice(array));
        parameters.resize(parameters.len().next_multiple_of(16), 0);
        self.launch_in(module, None, kernel, shape, parameters, false)
    }

    /// As [`launch`](Session::launch), with blocks that wait for each other: all of them run at once, or the launch is
    /// refused.
    pub(crate) fn launch_together(
        &self,
        module: &'static KernelModule,
        kernel: &str,
        shape: Shape,
        arguments: &[Argument],
    ) -> Result<String, Error> {
        self.launch_in(module, None, kernel, shape, Argument::pack(arguments), true)
    }

    /// As [`launch`](Session::launch), with a variable in constant memory that begins with these values.
    pub(crate) fn launch_with_constant<T: bytemuck::Pod>(
        &self,
        module: &'static KernelModule,
        constant: (&str, &[T]),
        kernel: &str,
        shape: Shape,
        arguments: &[Argument],
    ) -> Result<String, Error> {
        let constant = (constant.0, bytemuck::cast_slice(constant.1));
        self.launch_in(module, Some(constant), kernel, shape, Argument::pack(arguments), false)
    }

    // One lock for both, or another thread could set the constant in between.
    fn launch_in(
        &self,
        module: &'static KernelModule,
        constant: Option<(&str, &[u8])>,
        kernel: &str,
        shape: Shape,
        parameters: Vec<u8>,
        cooperative: bool,
    ) -> Result<String, Error> {
        let mut state = self.lock();
        let loaded = state.module(module, kernel)?;
        if let Some((name, bytes)) = constant {
            state.enter(Stage::Upload)?;
            state.set_variable(loaded, name, bytes)?;
        }
        let mut launch = Launch::new(shape.grid, shape.block, parameters);
        launch.shared_bytes = shape.shared;
        launch.cooperative = cooperative;
        launch.watch = state.watch;
        if !state.gpu.is_ready(loaded, kernel) {
            // Compiling belongs to no stage: it happens once.
            state.leave()?;
            state.gpu.prepare(loaded, kernel)?;
        }
        let outcome = state.launch(loaded, kernel, &launch);
        if outcome.is_err() {
            // Nobody knows how far it came.
            state.workspaces.clear();
        }
        if let Some(recorder) = &mut state.recorder {
            let record = LaunchRecord {
                module: module.name(),
                kernel: kernel.to_owned(),
                grid: shape.grid,
                block: shape.block,
                shared_bytes: shape.shared,
                profile: None,
                findings: Vec::new(),
                fault: None,
            };
            match &outcome {
                Ok(Report { profile, findings, .. }) => {
                    recorder.launched(LaunchRecord { profile: profile.clone(), findings: findings.clone(), ..record });
                }
                Err(DeviceError::Fault(fault)) if fault.kind != FaultKind::LaunchLimit => {
                    let findings = fault.findings.clone();
                    recorder.launched(LaunchRecord { findings, fault: Some(fault.clone()), ..record });
                }
                // Nothing ran.
                Err(_) => {}
            }
        }
        Ok(outcome?.printed)
    }
}

#[cfg(test)]
mod tests {
    use warpwise_gpu::Watch;
    use warpwise_gpu::emulated::EmulatedDevice;

    use super::*;

    static TRAPS: KernelModule = KernelModule::plain(
        "traps",
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry traps()\n{\ntrap;\nret;\n}\n",
    );

    #[test]
    fn a_trace_holds_the_launch_that_stopped() {
        let gpu = warpwise_gpu::Gpu::named("h200").expect("in the table");
        let session = Session::new(Box::new(EmulatedDevice::new(gpu)), Watch::ALL);
        session.start_trace();
        let error = session.launch(&TRAPS, "traps", Shape::line(1, 32, 0), &[]).expect_err("it traps");
        assert!(matches!(error, Error::Kernel(_)), "{error}");
        assert!(session.launch(&TRAPS, "traps", Shape::line(1, 5000, 0), &[]).is_err(), "refused");
        let trace = session.take_trace().expect("the emulator goes on");
        assert_eq!(trace.launches.len(), 1, "what is refused is no launch");
        let fault = trace.launches[0].fault.as_ref().expect("why it stopped");
        assert_eq!((fault.kind, trace.launches[0].findings.len()), (FaultKind::Trap, 1));
    }
}
