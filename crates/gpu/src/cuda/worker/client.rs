//! This side of a worker: a device whose calls go through pipes.

use super::wire::{Call, Message, Parcel, policy_words};
use super::{PROGRAM, ROLE};
use crate::cuda::MemoryPolicy;
use crate::{Device, DeviceError, DevicePtr, Gpu, Launch, Mark, Module, ModuleSource, Report};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;

/// A GPU in another process.
#[derive(Debug)]
pub(in crate::cuda) struct RemoteDevice {
    process: Child,
    to: ChildStdin,
    from: ChildStdout,
    gpu: Gpu,
}

impl RemoteDevice {
    /// Starts a worker and opens the GPU there; `None` if the program has not allowed it to be started again.
    pub(in crate::cuda) fn open(ordinal: u32, policy: MemoryPolicy, gpu: Gpu) -> Option<Result<Self, DeviceError>> {
        Some(Self::start(PROGRAM.get()?, ordinal, policy, gpu))
    }

    fn start(program: &std::path::Path, ordinal: u32, policy: MemoryPolicy, gpu: Gpu) -> Result<Self, DeviceError> {
        let failed = |problem: std::io::Error| DeviceError::Worker(format!("it could not be started: {problem}"));
        let mut process = Command::new(program)
            .env(ROLE, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (to, from) = (process.stdin.take(), process.stdout.take());
        let (Some(to), Some(from)) = (to, from) else { return Err(DeviceError::Worker("it has no pipes".into())) };
        let mut device = Self { process, to, from, gpu };
        let [poison, no_reuse] = policy_words(policy);
        device.ask(&Message::call(Call::Open).word(ordinal.into()).word(poison).word(no_reuse))?;
        Ok(device)
    }

    fn ask(&mut self, message: &Message) -> Result<Parcel, DeviceError> {
        let gone = || DeviceError::Worker("it has exited".into());
        message.send(&mut self.to).map_err(|_| gone())?;
        Parcel::receive(&mut self.from).ok_or_else(gone)?.answer()
    }

    fn tell(&mut self, message: &Message) -> Result<(), DeviceError> {
        self.ask(message).map(drop)
    }

    fn ask_word(&mut self, message: &Message) -> Result<u64, DeviceError> {
        self.ask(message)?.word().ok_or_else(|| DeviceError::Worker("it answers nonsense".into()))
    }
}

impl Drop for RemoteDevice {
    fn drop(&mut self) {
        // Whatever it is doing, nobody waits for it any more.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Device for RemoteDevice {
    fn name(&self) -> String {
        "cuda".into()
    }

    fn allocate(&mut self, bytes: u64) -> Result<DevicePtr, DeviceError> {
        Ok(DevicePtr(self.ask_word(&Message::call(Call::Allocate).word(bytes))?))
    }

    fn free(&mut self, buffer: DevicePtr) -> Result<(), DeviceError> {
        self.tell(&Message::call(Call::Free).word(buffer.0))
    }

    fn upload(&mut self, to: DevicePtr, bytes: &[u8]) -> Result<(), DeviceError> {
        self.tell(&Message::call(Call::Upload).word(to.0).bytes(bytes))
    }

    fn download(&mut self, from: DevicePtr, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let mut answer = self.ask(&Message::call(Call::Download).word(from.0).word(bytes.len() as u64))?;
        match answer.bytes() {
            Some(arrived) if arrived.len() == bytes.len() => bytes.copy_from_slice(arrived),
            _ => return Err(DeviceError::Worker("it answers nonsense".into())),
        }
        Ok(())
    }

    fn fill(&mut self, to: DevicePtr, byte: u8, bytes: u64) -> Result<(), DeviceError> {
        self.tell(&Message::call(Call::Fill).word(to.0).word(byte.into()).word(bytes))
    }

    fn copy(&mut self, from: DevicePtr, to: DevicePtr, bytes: u64) -> Result<(), DeviceError> {
        self.tell(&Message::call(Call::Copy).word(from.0).word(to.0).word(bytes))
    }

    fn load(&mut self, source: Arc<dyn ModuleSource>) -> Result<Module, DeviceError> {
        let module = self.ask_word(&Message::call(Call::Load).bytes(source.whole().as_bytes()))?;
        Ok(Module(module as u32))
    }

    fn is_ready(&self, _: Module, _: &str) -> bool {
        true
    }

    fn prepare(&mut self, module: Module, kernel: &str) -> Result<(), DeviceError> {
        self.tell(&Message::call(Call::Prepare).word(module.0.into()).bytes(kernel.as_bytes()))
    }

    fn launch(&mut self, module: Module, kernel: &str, launch: &Launch) -> Result<Report, DeviceError> {
        let mut message = Message::call(Call::Launch).word(module.0.into()).bytes(kernel.as_bytes());
        for dimension in launch.grid.into_iter().chain(launch.block) {
            message = message.word(dimension.into());
        }
        let message = message.word(launch.shared_bytes.into()).word(launch.cooperative.into());
        // No cluster has no blocks: zeros say that there is none.
        let cluster = launch.cluster.unwrap_or_default();
        let message = cluster.into_iter().fold(message, |message, blocks| message.word(blocks.into()));
        let message = message.bytes(&launch.params);
        let printed = self.ask(&message)?.text().unwrap_or_default();
        Ok(Report { printed, ..Report::default() })
    }

    fn variable(&mut self, module: Module, name: &str) -> Option<(DevicePtr, u64)> {
        let message = Message::call(Call::Variable).word(module.0.into()).bytes(name.as_bytes());
        let mut answer = self.ask(&message).ok()?;
        let (at, bytes) = (answer.word()?, answer.word()?);
        (at != 0).then_some((DevicePtr(at), bytes))
    }

    fn synchronize(&mut self) -> Result<(), DeviceError> {
        self.tell(&Message::call(Call::Synchronize))
    }

    fn mark(&mut self) -> Result<Mark, DeviceError> {
        Ok(Mark(self.ask_word(&Message::call(Call::Mark))? as u32))
    }

    fn elapsed_ms(&mut self, from: Mark, to: Mark) -> Result<f64, DeviceError> {
        let message = Message::call(Call::Elapsed).word(from.0.into()).word(to.0.into());
        self.ask_word(&message).map(f64::from_bits)
    }

    fn clear_marks(&mut self) {
        let _ = self.tell(&Message::call(Call::ClearMarks));
    }

    fn memory_held(&mut self) -> u64 {
        self.ask_word(&Message::call(Call::Held)).unwrap_or(0)
    }

    fn generation(&self) -> u32 {
        0
    }

    fn gpu(&self) -> &Gpu {
        &self.gpu
    }
}
