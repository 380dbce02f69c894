//! What a CUDA programmer looks up about a GPU.

use super::api::CUdevice;
use super::context;
use super::error::{DriverError, NoCuda, driver};
use std::ffi::CStr;
use warpwise_arch::Gpu;

/// A GPU of this machine, as its driver describes it. Sizes are in bytes, clocks in kHz.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is what its name says")]
pub struct Facts {
    pub ordinal: u32,
    pub name: String,
    pub compute_capability: (u32, u32),
    pub memory: u64,
    pub multiprocessors: u32,
    pub clock_khz: u32,
    pub memory_clock_khz: u32,
    pub memory_bus_bits: u32,
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
    pub unified_addressing: bool,
    pub pci: (u32, u32),
    pub pci_domain: u32,
}

/// What the driver is asked about a GPU: the attributes of `cuda.h`.
#[derive(Clone, Copy)]
enum Attribute {
    MaxThreadsPerBlock = 1,
    MaxBlockDimX = 2,
    MaxBlockDimY = 3,
    MaxBlockDimZ = 4,
    MaxGridDimX = 5,
    MaxGridDimY = 6,
    MaxGridDimZ = 7,
    MaxSharedMemoryPerBlock = 8,
    TotalConstantMemory = 9,
    WarpSize = 10,
    MaxRegistersPerBlock = 12,
    ClockRate = 13,
    MultiprocessorCount = 16,
    EccEnabled = 32,
    PciBusId = 33,
    PciDeviceId = 34,
    MemoryClockRate = 36,
    GlobalMemoryBusWidth = 37,
    L2CacheSize = 38,
    MaxThreadsPerMultiprocessor = 39,
    AsyncEngineCount = 40,
    UnifiedAddressing = 41,
    PciDomainId = 50,
    ComputeCapabilityMajor = 75,
    ComputeCapabilityMinor = 76,
    MaxSharedMemoryPerMultiprocessor = 81,
    MaxRegistersPerMultiprocessor = 82,
    MaxSharedMemoryPerBlockOptin = 97,
    MaxBlocksPerMultiprocessor = 106,
}

/// The GPUs that the driver lists. Loads the driver's library.
pub fn gpus() -> Result<Vec<Facts>, NoCuda> {
    context::start()?;
    (0..context::count()?).map(|ordinal| Ok(Facts::of(ordinal, context::device(ordinal)?)?)).collect()
}

impl Facts {
    pub(super) fn of(ordinal: u32, device: CUdevice) -> Result<Self, DriverError> {
        let get = |attribute: Attribute| {
            let mut value = 0;
            driver!(cuDeviceGetAttribute(&raw mut value, attribute as u32, device))?;
            Ok::<u32, DriverError>(value.unsigned_abs())
        };
        let mut text = [0; 256];
        driver!(cuDeviceGetName(text.as_mut_ptr(), 255, device))?;
        let mut memory = 0;
        driver!(cuDeviceTotalMem_v2(&raw mut memory, device))?;
        // SAFETY: the driver terminates the name with a zero, and the array has one more after the part it may write.
        let name = unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned();
        use Attribute as A;
        Ok(Self {
            ordinal,
            name,
            compute_capability: (get(A::ComputeCapabilityMajor)?, get(A::ComputeCapabilityMinor)?),
            memory: memory as u64,
            multiprocessors: get(A::MultiprocessorCount)?,
            clock_khz: get(A::ClockRate)?,
            memory_clock_khz: get(A::MemoryClockRate)?,
            memory_bus_bits: get(A::GlobalMemoryBusWidth)?,
            l2: get(A::L2CacheSize)?.into(),
            constant_memory: get(A::TotalConstantMemory)?.into(),
            shared_per_block: get(A::MaxSharedMemoryPerBlock)?.into(),
            shared_per_block_optin: get(A::MaxSharedMemoryPerBlockOptin)?.into(),
            shared_per_multiprocessor: get(A::MaxSharedMemoryPerMultiprocessor)?.into(),
            registers_per_block: get(A::MaxRegistersPerBlock)?,
            registers_per_multiprocessor: get(A::MaxRegistersPerMultiprocessor)?,
            warp_size: get(A::WarpSize)?,
            threads_per_multiprocessor: get(A::MaxThreadsPerMultiprocessor)?,
            blocks_per_multiprocessor: get(A::MaxBlocksPerMultiprocessor)?,
            threads_per_block: get(A::MaxThreadsPerBlock)?,
            max_block: [get(A::MaxBlockDimX)?, get(A::MaxBlockDimY)?, get(A::MaxBlockDimZ)?],
            max_grid: [get(A::MaxGridDimX)?, get(A::MaxGridDimY)?, get(A::MaxGridDimZ)?],
            copy_engines: get(A::AsyncEngineCount)?,
            ecc: get(A::EccEnabled)? != 0,
            unified_addressing: get(A::UnifiedAddressing)? != 0,
            pci: (get(A::PciBusId)?, get(A::PciDeviceId)?),
            pci_domain: get(A::PciDomainId)?,
        })
    }

    /// Memory bandwidth from clock and bus width, in GB/s: two transfers per clock. Zero if the driver reports neither.
    pub fn bandwidth_gb_per_s(&self) -> f64 {
        2.0 * f64::from(self.memory_clock_khz) * 1e3 * f64::from(self.memory_bus_bits / 8) / 1e9
    }

    /// The limits that launches are checked against, as for an emulated GPU. What the driver does not report (lanes of
    /// each kind) is taken from the known GPU with the nearest compute capability.
    pub(super) fn to_gpu(&self) -> Gpu {
        let known = Gpu::all().iter().min_by_key(|gpu| {
            let distance = |(major, minor): (u32, u32)| i64::from(major * 100 + minor);
            (distance(gpu.cc) - distance(self.compute_capability)).abs()
        });
        let mut gpu = known.cloned().expect("the table of GPUs is not empty");
        gpu.name = self.name.clone();
        gpu.cc = self.compute_capability;
        gpu.sms = self.multiprocessors;
        gpu.clock_mhz = self.clock_khz / 1000;
        gpu.bandwidth_gbs = self.bandwidth_gb_per_s() as u32;
        gpu.l2_kb = (self.l2 / 1024) as u32;
        gpu.smem_sm_kb = (self.shared_per_multiprocessor / 1024) as u32;
        gpu.smem_block_kb = (self.shared_per_block_optin.max(self.shared_per_block) / 1024) as u32;
        gpu.threads_sm = self.threads_per_multiprocessor;
        gpu.blocks_sm = self.blocks_per_multiprocessor;
        gpu.regs_sm = self.registers_per_multiprocessor;
        gpu
    }
}
