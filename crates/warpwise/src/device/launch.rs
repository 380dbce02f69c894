//! Launches, and how their arguments are packed.

use warpwise_gpu::{DeviceError, DevicePtr, FaultKind, Launch, Report};

use super::session::Session;
use super::trace::{LaunchRecord, Stage};
use super::{Argument, Shape};
use crate::Error;
use crate::kernels::KernelModule;

impl Argument {
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

/// Arguments and an array after them.
fn pack_with_array<T: bytemuck::Pod>(arguments: &[Argument], array: &[T]) -> Vec<u8> {
    let mut parameters = Argument::pack(arguments);
    parameters.resize(parameters.len().next_multiple_of(16), 0);
    parameters.extend_from_slice(bytemuck::cast_slice(array));
    parameters.resize(parameters.len().next_multiple_of(16), 0);
    parameters
}

/// Where a kernel comes from.
#[derive(Clone, Copy)]
enum Code<'a> {
    Library(&'static KernelModule),
    /// Written for an expression.
    Text(&'a str),
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
        self.launch_in(Code::Library(module), None, kernel, shape, Argument::pack(arguments), false)
    }

    /// Like [`launch`](Session::launch), but with an array as the last parameter. It begins and ends at a multiple of
    /// 16 bytes. It needs no copy, unlike a constant; all parameters together take at most 4 KiB.
    pub(crate) fn launch_with_array<T: bytemuck::Pod>(
        &self,
        module: &'static KernelModule,
        kernel: &str,
        shape: Shape,
        arguments: &[Argument],
        array: &[T],
    ) -> Result<String, Error> {
        self.launch_in(Code::Library(module), None, kernel, shape, pack_with_array(arguments, array), false)
    }

    /// Launches the kernel of that name in a text, with constants as the last parameter.
    pub(crate) fn launch_text(
        &self,
        kernel: &str,
        text: &str,
        shape: Shape,
        arguments: &[Argument],
        constants: &[u64],
    ) -> Result<String, Error> {
        self.launch_in(Code::Text(text), None, kernel, shape, pack_with_array(arguments, constants), false)
    }

    /// Like [`launch`](Session::launch), but with blocks that wait for each other: all of them run at once, or the
    /// launch is refused.
    pub(crate) fn launch_together(
        &self,
        module: &'static KernelModule,
        kernel: &str,
        shape: Shape,
        arguments: &[Argument],
    ) -> Result<String, Error> {
        self.launch_in(Code::Library(module), None, kernel, shape, Argument::pack(arguments), true)
    }

    /// Like [`launch`](Session::launch), but with a variable in constant memory that starts with these values.
    pub(crate) fn launch_with_constant<T: bytemuck::Pod>(
        &self,
        module: &'static KernelModule,
        constant: (&str, &[T]),
        kernel: &str,
        shape: Shape,
        arguments: &[Argument],
    ) -> Result<String, Error> {
        let constant = (constant.0, bytemuck::cast_slice(constant.1));
        self.launch_in(Code::Library(module), Some(constant), kernel, shape, Argument::pack(arguments), false)
    }

    // One lock for both, or another thread could set the constant in between.
    fn launch_in(
        &self,
        code: Code<'_>,
        constant: Option<(&str, &[u8])>,
        kernel: &str,
        shape: Shape,
        parameters: Vec<u8>,
        cooperative: bool,
    ) -> Result<String, Error> {
        let mut state = self.lock();
        let (name, loaded) = match code {
            Code::Library(module) => (module.name(), state.module(module)?),
            Code::Text(text) => ("expression", state.module_of(text)?),
        };
        if let Some((variable, bytes)) = constant {
            state.enter(Stage::Upload)?;
            state.set_variable(loaded, variable, bytes)?;
        }
        let mut launch = Launch::new(shape.grid, shape.block, parameters);
        launch.shared_bytes = shape.shared;
        launch.cooperative = cooperative;
        if !state.gpu.is_ready(loaded, kernel) {
            // Compilation belongs to no stage: it happens once.
            state.leave()?;
            state.gpu.prepare(loaded, kernel)?;
        }
        let outcome = state.launch(loaded, kernel, &launch);
        if outcome.is_err() {
            // There is no telling how far it got.
            state.workspaces.clear();
        }
        if let Some(recorder) = &mut state.recorder {
            let record = LaunchRecord {
                module: name,
                kernel: kernel.to_owned(),
                grid: shape.grid,
                block: shape.block,
                shared_bytes: shape.shared,
                profile: None,
                findings: Vec::new(),
                fault: None,
            };
            match &outcome {
                Ok(Report { watched, .. }) => {
                    let (profile, findings) =
                        watched.as_ref().map(|seen| (seen.profile.clone(), seen.findings.clone())).unwrap_or_default();
                    recorder.launched(LaunchRecord { profile, findings, ..record });
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
    use warpwise_gpu::emulated::{EmulatedDevice, Watch};

    use super::*;

    static TRAPS: KernelModule = KernelModule::plain(
        "traps",
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry traps()\n{\ntrap;\nret;\n}\n",
    );

    #[test]
    fn a_trace_holds_the_launch_that_stopped() {
        let gpu = warpwise_gpu::Gpu::named("h200").expect("in the table");
        let session = Session::new(Box::new(EmulatedDevice::new(gpu).watching(Watch::ALL)));
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
