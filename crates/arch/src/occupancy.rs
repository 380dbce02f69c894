//! Theoretical occupancy: how many warps of a kernel a multiprocessor holds at once.
//!
//! The limits are in the table of GPUs. The allocation units follow from the compute capability, as in NVIDIA's
//! occupancy calculator and the header `cuda_occupancy.h` of the CUDA toolkit: registers are allocated to a warp in
//! units of 256 (64 before 3.0), and each of the multiprocessor's four parts (two before 3.0) has its own; shared
//! memory is allocated to a block in units of 256 bytes (128 before 3.0 and from 8.0), and from 8.0 on the system takes
//! 1 KiB a block.

use crate::Gpu;

/// What keeps more blocks from being resident.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OccupancyLimit {
    /// The warps that a multiprocessor can hold.
    Warps,
    /// Its registers.
    Registers,
    /// Its shared memory.
    SharedMemory,
    /// The blocks that it can hold.
    Blocks,
}

impl OccupancyLimit {
    /// The name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Warps => "warps",
            Self::Registers => "registers",
            Self::SharedMemory => "shared_memory",
            Self::Blocks => "blocks",
        }
    }
}

/// How full a multiprocessor can get.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Occupancy {
    /// Blocks on a multiprocessor at once; 0 if not even one fits.
    pub blocks_per_sm: u32,
    /// Their warps.
    pub warps_per_sm: u32,
    /// Those warps as a percentage of the warps that it could hold.
    pub percent: f64,
    /// The limit that allows the fewest blocks; on a tie, the first in the order of [`OccupancyLimit`].
    pub limited_by: OccupancyLimit,
}

impl Gpu {
    /// The theoretical occupancy of blocks with that many threads, registers per thread (ignored if unknown) and bytes
    /// of shared memory, static and dynamic together.
    ///
    /// ```
    /// let gpu = warpwise_arch::Gpu::named("h200").expect("a known GPU");
    /// let occupancy = gpu.occupancy(256, Some(64), 0);
    /// assert_eq!((occupancy.blocks_per_sm, occupancy.percent), (4, 50.0));
    /// assert_eq!(occupancy.limited_by.name(), "registers");
    /// ```
    pub fn occupancy(&self, threads: u32, registers: Option<u32>, shared_bytes: u32) -> Occupancy {
        let warps = threads.div_ceil(32).max(1);
        let most_warps = self.threads_sm / 32;
        let limits = [
            (OccupancyLimit::Warps, most_warps / warps),
            (OccupancyLimit::Registers, registers.map_or(u32::MAX, |each| self.blocks_by_registers(warps, each))),
            (OccupancyLimit::SharedMemory, self.blocks_by_shared_memory(shared_bytes)),
            (OccupancyLimit::Blocks, self.blocks_sm),
        ];
        let mut least = limits[0];
        for limit in limits {
            if limit.1 < least.1 {
                least = limit;
            }
        }
        let (limited_by, blocks_per_sm) = least;
        let warps_per_sm = blocks_per_sm * warps;
        let percent = 100.0 * f64::from(warps_per_sm) / f64::from(most_warps.max(1));
        Occupancy { blocks_per_sm, warps_per_sm, percent, limited_by }
    }

    fn blocks_by_registers(&self, warps: u32, registers: u32) -> u32 {
        if registers > self.max_registers_per_thread() {
            return 0;
        }
        let (unit, parts) = if self.cc.0 < 3 { (64, 2) } else { (256, 4) };
        match (registers * 32).next_multiple_of(unit) {
            0 => u32::MAX,
            each => self.regs_sm / parts / each * parts / warps,
        }
    }

    fn blocks_by_shared_memory(&self, bytes: u32) -> u32 {
        let (unit, reserved) = match self.cc.0 {
            0..3 => (128, 0),
            3..8 => (256, 0),
            _ => (128, 1024),
        };
        let all = u64::from(self.smem_sm_kb) * 1024;
        if bytes > self.smem_block_kb * 1024 {
            return 0;
        }
        match (u64::from(bytes) + reserved).next_multiple_of(unit) {
            0 => u32::MAX,
            each => (all / each) as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(gpu: &str, threads: u32, registers: u32, shared: u32) -> (u32, u32, OccupancyLimit) {
        let o = Gpu::named(gpu).expect("a known GPU").occupancy(threads, Some(registers), shared);
        (o.blocks_per_sm, o.percent.round() as u32, o.limited_by)
    }

    /// Values from NVIDIA's occupancy calculator.
    #[test]
    fn the_calculators_values() {
        assert_eq!(on("h200", 256, 32, 0), (8, 100, OccupancyLimit::Warps));
        assert_eq!(on("h200", 1024, 16, 4096), (2, 100, OccupancyLimit::Warps));
        assert_eq!(on("h200", 256, 64, 0), (4, 50, OccupancyLimit::Registers));
        // 40 registers per thread are 1280 per warp: 12 warps in each of four parts, one block of 32.
        assert_eq!(on("h200", 1024, 40, 0), (1, 50, OccupancyLimit::Registers));
        // 33 registers round up to 40.
        assert_eq!(on("h200", 128, 33, 0), (12, 75, OccupancyLimit::Registers));
        assert_eq!(on("h200", 256, 255, 0), (1, 13, OccupancyLimit::Registers));
        assert_eq!(on("h200", 32, 16, 0), (32, 50, OccupancyLimit::Blocks));
        // 228 KiB hold four blocks of 48 KiB plus 1 KiB for each, not six of 38.
        assert_eq!(on("h200", 256, 32, 48 << 10), (4, 50, OccupancyLimit::SharedMemory));
        assert_eq!(on("h200", 256, 32, 38 << 10), (5, 63, OccupancyLimit::SharedMemory));
        assert_eq!(on("h200", 256, 32, 37 << 10), (6, 75, OccupancyLimit::SharedMemory));
        assert_eq!(on("rtx-2080-ti", 256, 64, 0), (4, 100, OccupancyLimit::Warps));
        assert_eq!(on("rtx-2080-ti", 256, 32, 32 << 10), (2, 50, OccupancyLimit::SharedMemory));
        assert_eq!(on("gtx-970", 256, 32, 12 << 10), (8, 100, OccupancyLimit::Warps));
    }

    #[test]
    fn what_does_not_fit_has_no_blocks() {
        assert_eq!(on("h200", 1024, 128, 0), (0, 0, OccupancyLimit::Registers));
        assert_eq!(on("h200", 32, 256, 0).0, 0);
        let gpu = Gpu::named("h200").expect("a known GPU");
        assert_eq!(gpu.occupancy(32, None, u32::MAX).blocks_per_sm, 0);
        assert_eq!(gpu.occupancy(0, None, 0).blocks_per_sm, 32);
    }
}
