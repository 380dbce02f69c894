//! What a CUDA programmer looks up: the GPUs of this machine, and those that the emulator models.

mod render;

use serde::Serialize;
use warpwise::Device;
use warpwise_gpu::Gpu;
use warpwise_gpu::cuda::{self, Facts};

/// Bytes of a measured copy.
const COPIED: u64 = 256 << 20;

/// The devices: its fields are the JSON, in order.
#[derive(Clone, Debug, Serialize)]
pub struct DevicesReport {
    /// Version of this format.
    pub schema: u32,
    /// The CUDA version that the driver supports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver_cuda: Option<String>,
    /// Why there is no GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The GPUs of this machine.
    pub devices: Vec<GpuEntry>,
    /// The GPUs that the emulator models.
    pub emulated: Vec<EmulatedEntry>,
    /// The names of those that text describes in full.
    #[serde(skip)]
    pub described: Vec<String>,
}

/// A GPU of this machine. Sizes are in bytes.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "each is what its name says")]
pub struct GpuEntry {
    pub ordinal: u32,
    pub name: String,
    pub compute_capability: String,
    pub memory: u64,
    pub multiprocessors: u32,
    pub clock_mhz: u32,
    pub memory_clock_mhz: u32,
    pub memory_bus_bits: u32,
    pub bandwidth_gb_per_s: f64,
    pub l2: u64,
    pub constant_memory: u64,
    pub shared_per_block: u64,
    pub shared_per_block_optin: u64,
    pub shared_per_multiprocessor: u64,
    pub registers_per_block: u32,
    pub registers_per_multiprocessor: u32,
    pub warp_size: u32,
    pub threads_per_multiprocessor: u32,
    pub blocks_per_multiprocessor: u32,
    pub threads_per_block: u32,
    pub max_block: [u32; 3],
    pub max_grid: [u32; 3],
    pub copy_engines: u32,
    pub ecc: bool,
    pub pci_bus: u32,
    pub pci_device: u32,
    /// Measured rates of copies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<MeasuredCopies>,
}

/// Rates of copies, in GB/s.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MeasuredCopies {
    /// Bytes of each copy.
    pub bytes: u64,
    /// From ordinary host memory to the device.
    pub upload_gb_per_s: f64,
    /// From the device to ordinary host memory.
    pub download_gb_per_s: f64,
    /// Inside the device, bytes read plus bytes written.
    pub device_gb_per_s: f64,
}

/// A GPU whose limits the emulator knows.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "each is what its name says")]
pub struct EmulatedEntry {
    pub name: String,
    pub compute_capability: String,
    pub multiprocessors: u32,
    pub clock_mhz: u32,
    pub bandwidth_gb_per_s: u32,
    pub l2: u64,
    pub shared_per_block_optin: u64,
    pub shared_per_multiprocessor: u64,
    pub registers_per_multiprocessor: u32,
    pub threads_per_multiprocessor: u32,
    pub blocks_per_multiprocessor: u32,
    pub cuda_cores: u32,
    pub schedulers_per_multiprocessor: u32,
    pub fp64_lanes_per_multiprocessor: u32,
    pub constant_memory: u64,
    pub shared_per_block: u64,
    pub registers_per_block: u32,
    pub warp_size: u32,
    pub threads_per_block: u32,
    pub max_block: [u32; 3],
    pub max_grid: [u32; 3],
}

/// Bytes of constant memory, and of shared memory that a block has without opt-in, on every GPU.
const FIXED: (u64, u64) = (64 << 10, 48 << 10);

/// Describes the GPUs; `measure` also times copies on the first of them.
pub fn devices(measure: bool) -> Result<DevicesReport, warpwise::Error> {
    let (version, found) = (cuda::version().ok(), cuda::gpus());
    let problem = found.as_ref().err().map(ToString::to_string);
    let mut devices: Vec<GpuEntry> = found.unwrap_or_default().into_iter().map(GpuEntry::from).collect();
    if measure && let Some(first) = devices.first_mut() {
        first.measured = Device::cuda()?.copy_rates(COPIED)?.map(|rates| MeasuredCopies {
            bytes: rates.bytes,
            upload_gb_per_s: tenths(rates.upload),
            download_gb_per_s: tenths(rates.download),
            device_gb_per_s: tenths(rates.device),
        });
    }
    Ok(DevicesReport {
        schema: 1,
        driver_cuda: version.map(|(major, minor)| format!("{major}.{minor}")),
        problem,
        devices,
        emulated: Gpu::all().iter().map(EmulatedEntry::from).collect(),
        described: Vec::new(),
    })
}

fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

fn dotted((major, minor): (u32, u32)) -> String {
    format!("{major}.{minor}")
}

impl From<Facts> for GpuEntry {
    fn from(facts: Facts) -> Self {
        Self {
            ordinal: facts.ordinal,
            compute_capability: dotted(facts.compute_capability),
            memory: facts.memory,
            multiprocessors: facts.multiprocessors,
            clock_mhz: facts.clock_khz / 1000,
            memory_clock_mhz: facts.memory_clock_khz / 1000,
            memory_bus_bits: facts.memory_bus_bits,
            bandwidth_gb_per_s: tenths(facts.bandwidth_gb_per_s()),
            l2: facts.l2,
            constant_memory: facts.constant_memory,
            shared_per_block: facts.shared_per_block,
            shared_per_block_optin: facts.shared_per_block_optin,
            shared_per_multiprocessor: facts.shared_per_multiprocessor,
            registers_per_block: facts.registers_per_block,
            registers_per_multiprocessor: facts.registers_per_multiprocessor,
            warp_size: facts.warp_size,
            threads_per_multiprocessor: facts.threads_per_multiprocessor,
            blocks_per_multiprocessor: facts.blocks_per_multiprocessor,
            threads_per_block: facts.threads_per_block,
            max_block: facts.max_block,
            max_grid: facts.max_grid,
            copy_engines: facts.copy_engines,
            ecc: facts.ecc,
            pci_bus: facts.pci.0,
            pci_device: facts.pci.1,
            name: facts.name,
            measured: None,
        }
    }
}

impl From<&Gpu> for EmulatedEntry {
    fn from(gpu: &Gpu) -> Self {
        Self {
            name: gpu.name.clone(),
            compute_capability: dotted(gpu.cc),
            multiprocessors: gpu.sms,
            clock_mhz: gpu.clock_mhz,
            bandwidth_gb_per_s: gpu.bandwidth_gbs,
            l2: u64::from(gpu.l2_kb) << 10,
            shared_per_block_optin: u64::from(gpu.smem_block_kb) << 10,
            shared_per_multiprocessor: u64::from(gpu.smem_sm_kb) << 10,
            registers_per_multiprocessor: gpu.regs_sm,
            threads_per_multiprocessor: gpu.threads_sm,
            blocks_per_multiprocessor: gpu.blocks_sm,
            cuda_cores: gpu.sms * gpu.fp32,
            schedulers_per_multiprocessor: gpu.schedulers,
            fp64_lanes_per_multiprocessor: gpu.fp64,
            constant_memory: FIXED.0,
            shared_per_block: (u64::from(gpu.smem_block_kb) << 10).min(FIXED.1),
            registers_per_block: gpu.regs_sm,
            warp_size: 32,
            threads_per_block: gpu.max_threads_per_block(),
            max_block: gpu.max_block(),
            max_grid: gpu.max_grid(),
        }
    }
}
