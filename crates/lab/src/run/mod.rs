//! Runs a kernel of the user's own.
//!
//! [`run`] reads the file (`program`), finds the kernel (`entry`), fits the arguments to it (`argument`, `bind`),
//! fills the buffers (`fill`), launches, and reports (`report`, `render`). What is wrong with the request is a
//! [`RunError`]; what is wrong with the kernel is a [`Finding`] in the [`RunReport`].

mod argument;
mod bind;
mod dump;
mod element;
mod entry;
mod error;
mod fill;
mod findings;
mod number;
mod program;
mod render;
mod report;
mod signature;

pub use argument::{Argument, ArgumentError};
pub use element::{ElementType, Value};
pub use error::RunError;
pub use fill::Fill;
pub use number::parse_count;
pub use render::{Style, render};
pub use report::{BufferReport, Finding, RunReport};

use program::KernelFile;
use std::path::PathBuf;
use std::time::Instant;
use warpwise_gpu::emulated::EmulatedDevice;
use warpwise_gpu::{Device, DeviceError};
use warpwise_simt::{DevicePtr, FaultKind, Gpu, Launch};

/// Warp instructions after which a launch ends, where nothing else is said: minutes of emulation. A naive product of
/// two 4096 x 4096 matrices needs about as much.
pub const DEFAULT_MAX_INSTRUCTIONS: u64 = 10_000_000_000;

/// Values of a buffer that a report shows from its start.
const HEAD: u64 = 16;

/// Where to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// The best there is.
    #[default]
    Auto,
    /// The emulator.
    Emulator,
    /// A GPU.
    Cuda,
}

/// What to run.
#[derive(Clone, Debug)]
pub struct Request {
    /// A `.ptx` or `.cu` file.
    pub file: PathBuf,
    /// The kernel; may be left out where there is only one.
    pub entry: Option<String>,
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub shared_bytes: u32,
    /// Arguments in kernel order, as written.
    pub arguments: Vec<String>,
    /// Where to run.
    pub device: DeviceChoice,
    /// The GPU whose limits apply.
    pub gpu: String,
    /// Warp instructions after which the launch ends.
    pub max_instructions: u64,
    /// A folder for the buffers afterwards.
    pub dump: Option<PathBuf>,
    /// Macros for the compiler.
    pub defines: Vec<String>,
    /// Folders with headers for the compiler.
    pub includes: Vec<PathBuf>,
}

/// Runs a kernel and reports.
pub fn run(request: &Request) -> Result<RunReport, RunError> {
    if request.device == DeviceChoice::Cuda {
        return Err(RunError::NoCuda);
    }
    let gpu = Gpu::named(&request.gpu)
        .ok_or_else(|| RunError::Gpu { name: request.gpu.clone(), known: Gpu::names().join(", ") })?;
    let parse = |(index, text): (usize, &String)| Argument::parse(index, text);
    let arguments: Vec<Argument> = request.arguments.iter().enumerate().map(parse).collect::<Result<_, _>>()?;
    let file = program::load(&request.file, request.entry.as_deref(), &gpu, &request.defines, &request.includes)?;
    let signature = entry::find(&file, request.entry.as_deref())?;
    bind::check(&signature, &arguments)?;
    if let Some(folder) = &request.dump {
        // Before the work, so that a wrong folder does not cost it.
        let failed = |problem| RunError::File { path: folder.clone(), problem };
        std::fs::create_dir_all(folder).map_err(failed)?;
    }

    let gpu_name = gpu.name.clone();
    let mut device = EmulatedDevice::new(gpu);
    let module_error = |e: DeviceError| RunError::Module { path: request.file.clone(), problem: e.to_string() };
    let module = device.load(&file.program).map_err(module_error)?;
    let bytes = file.program.kernel(&signature.symbol).map_or(0, |k| k.param_bytes as usize);
    let mut params = vec![0; bytes];
    let mut buffers = Vec::new();
    for (index, (argument, parameter)) in arguments.iter().zip(&signature.parameters).enumerate() {
        match argument {
            Argument::Scalar { bytes, .. } | Argument::Bytes(bytes) => bind::place(&mut params, parameter, bytes),
            Argument::Buffer { ty, len, fill } => {
                let buffer =
                    Buffer { index, ty: *ty, len: *len, at: make_buffer(&mut device, index, *ty, *len, fill)? };
                bind::place(&mut params, parameter, &buffer.at.0.to_le_bytes());
                buffers.push(buffer);
            }
        }
    }

    let mut launch = Launch::new(request.grid, request.block, params);
    launch.shared_bytes = request.shared_bytes;
    launch.max_instructions = request.max_instructions;
    let started = Instant::now();
    let outcome = device.launch(module, &signature.symbol, &launch);
    let time_ms = (started.elapsed().as_secs_f64() * 1e9).round() / 1e6;

    let mut report = RunReport {
        schema: 1,
        kernel: signature.name.clone(),
        device: device.name(),
        grid: request.grid,
        block: request.block,
        ok: true,
        time_ms: Some(time_ms),
        printed: String::new(),
        findings: Vec::new(),
        buffers: None,
        gpu: gpu_name,
        warp_instructions: None,
        notes: file.notes.clone(),
    };
    match outcome {
        Ok(done) => {
            report.printed = done.printed;
            report.warp_instructions = Some(done.warp_instructions);
        }
        Err(DeviceError::Fault(fault)) => {
            report.ok = false;
            let mut finding = findings::from_fault(&fault, &file, &request.file);
            if let Some(buffer) = fault.address.and_then(|address| Buffer::nearest(&buffers, address)) {
                let what = format!("argument {} is {}[{}]", buffer.index, buffer.ty.name(), buffer.len);
                finding.message = format!("{}; {what}", finding.message);
            }
            if fault.kind == FaultKind::Timeout {
                let budget = request.max_instructions;
                finding.message = format!("{}; the budget (--max-instructions) is {budget}", finding.message);
            }
            report.findings.push(finding);
            report.printed = fault.printed;
            if fault.kind == FaultKind::LaunchLimit {
                report.time_ms = None;
                return Ok(report);
            }
        }
        Err(other) => return Err(other.into()),
    }
    report.buffers = Some(buffers.iter().map(|b| b.report(&mut device)).collect::<Result<_, _>>()?);
    if let Some(folder) = &request.dump {
        for buffer in &buffers {
            dump::write(folder, &format!("arg{}.bin", buffer.index), |out| buffer.copy_to(&mut device, out))?;
        }
    }
    Ok(report)
}

/// A buffer on the device.
struct Buffer {
    index: usize,
    ty: ElementType,
    len: u64,
    at: DevicePtr,
}

impl Buffer {
    /// The buffer that a bad address most likely was meant for: the nearest, if it is not far.
    fn nearest(buffers: &[Self], address: u64) -> Option<&Self> {
        const FAR: u64 = 32 * 1024;
        let distance = |b: &Self| {
            let (start, end) = (b.at.0, b.at.0 + b.len * b.ty.bytes());
            start.saturating_sub(address).max(address.saturating_sub(end))
        };
        buffers.iter().min_by_key(|b| distance(b)).filter(|b| distance(b) < FAR)
    }
}

/// Errors while a buffer is filled: of the device, or of the file it comes from.
enum FillError {
    Device(DeviceError),
    Input(std::io::Error),
}

impl From<std::io::Error> for FillError {
    fn from(error: std::io::Error) -> Self {
        Self::Input(error)
    }
}

fn make_buffer(
    device: &mut EmulatedDevice,
    index: usize,
    ty: ElementType,
    len: u64,
    fill: &Fill,
) -> Result<DevicePtr, RunError> {
    let at = device.allocate(len * ty.bytes()).map_err(|error| match error {
        DeviceError::OutOfMemory { wanted, free } => RunError::Memory { index, wanted, free },
        other => other.into(),
    })?;
    let upload = |offset: u64, bytes: &[u8]| device.upload(DevicePtr(at.0 + offset), bytes).map_err(FillError::Device);
    fill.write(ty, len, index as u64, upload).map_err(|error| match (error, fill) {
        (FillError::Device(error), _) => error.into(),
        (FillError::Input(problem), Fill::File(path)) => RunError::File { path: path.clone(), problem },
        (FillError::Input(problem), _) => RunError::File { path: PathBuf::new(), problem },
    })?;
    Ok(at)
}

impl Buffer {
    fn values(&self, device: &mut EmulatedDevice, first: u64, count: u64) -> Result<Vec<Value>, RunError> {
        let mut bytes = vec![0; (count * self.ty.bytes()) as usize];
        if !bytes.is_empty() {
            device.download(DevicePtr(self.at.0 + first * self.ty.bytes()), &mut bytes)?;
        }
        Ok(self.ty.decode(&bytes))
    }

    fn report(&self, device: &mut EmulatedDevice) -> Result<BufferReport, RunError> {
        let head = self.values(device, 0, self.len.min(HEAD))?;
        let last = match self.len {
            0 => None,
            len => self.values(device, len - 1, 1)?.pop(),
        };
        Ok(BufferReport { arg: self.index, ty: self.ty.name(), len: self.len, head, last })
    }

    /// Writes the contents, little-endian, piece by piece.
    fn copy_to(&self, device: &mut EmulatedDevice, out: &mut dyn std::io::Write) -> Result<(), RunError> {
        const PIECE: u64 = 1 << 20;
        let total = self.len * self.ty.bytes();
        let mut offset = 0;
        while offset < total {
            let mut bytes = vec![0; (total - offset).min(PIECE) as usize];
            device.download(DevicePtr(self.at.0 + offset), &mut bytes)?;
            out.write_all(&bytes)
                .map_err(|problem| RunError::File { path: format!("arg{}.bin", self.index).into(), problem })?;
            offset += bytes.len() as u64;
        }
        Ok(())
    }
}
