//! Facts about GPUs: the limits that launches are checked against.
//!
//! The table is data (`gpus.toml`), taken from public specifications. Limits that follow from the compute capability
//! alone (block and grid dimensions, registers per thread) are computed here.

use std::sync::OnceLock;

use serde::Deserialize;

/// A GPU: its name, its shape and its limits.
#[derive(Clone, Debug, PartialEq)]
pub struct Gpu {
    /// The name that `--gpu` takes, such as `h200`.
    pub name: String,
    /// Compute capability.
    pub cc: (u32, u32),
    /// Multiprocessors.
    pub sms: u32,
    /// Boost clock.
    pub clock_mhz: u32,
    /// Memory bandwidth by the data sheet, in GB/s.
    pub bandwidth_gbs: u32,
    /// Second-level cache.
    pub l2_kb: u32,
    /// Shared memory of a multiprocessor.
    pub smem_sm_kb: u32,
    /// Largest shared memory of a block (opt-in).
    pub smem_block_kb: u32,
    /// Threads resident on a multiprocessor.
    pub threads_sm: u32,
    /// Blocks resident on a multiprocessor.
    pub blocks_sm: u32,
    /// 32-bit registers of a multiprocessor.
    pub regs_sm: u32,
    /// Warp schedulers of a multiprocessor.
    pub schedulers: u32,
    /// Single-precision lanes per multiprocessor and clock.
    pub fp32: u32,
    /// Integer lanes per multiprocessor and clock.
    pub int32: u32,
    /// Double-precision lanes per multiprocessor and clock.
    pub fp64: u32,
    /// Special-function lanes per multiprocessor and clock.
    pub sfu: u32,
}

/// A launch that asks for more than the GPU has: one sentence that names the limit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LaunchLimit(pub String);

#[derive(Deserialize)]
struct Row {
    cc: String,
    sms: u32,
    clock_mhz: u32,
    bandwidth: u32,
    l2_kb: u32,
    smem_sm: u32,
    smem_block: u32,
    threads_sm: u32,
    blocks_sm: u32,
    regs_sm: u32,
    schedulers: u32,
    fp32: u32,
    int32: u32,
    fp64: u32,
    sfu: u32,
}

fn table() -> &'static [Gpu] {
    static TABLE: OnceLock<Vec<Gpu>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let rows: std::collections::BTreeMap<String, Row> =
            toml::from_str(include_str!("gpus.toml")).expect("gpus.toml is part of this crate and well formed");
        rows.into_iter()
            .map(|(name, r)| {
                let (major, minor) = r.cc.split_once('.').expect("cc is written major.minor");
                Gpu {
                    name,
                    cc: (major.parse().expect("cc major"), minor.parse().expect("cc minor")),
                    sms: r.sms,
                    clock_mhz: r.clock_mhz,
                    bandwidth_gbs: r.bandwidth,
                    l2_kb: r.l2_kb,
                    smem_sm_kb: r.smem_sm,
                    smem_block_kb: r.smem_block,
                    threads_sm: r.threads_sm,
                    blocks_sm: r.blocks_sm,
                    regs_sm: r.regs_sm,
                    schedulers: r.schedulers,
                    fp32: r.fp32,
                    int32: r.int32,
                    fp64: r.fp64,
                    sfu: r.sfu,
                }
            })
            .collect()
    })
}

impl Gpu {
    /// The GPU of that name, ignoring case, with spaces or underscores in place of dashes.
    pub fn named(name: &str) -> Option<Self> {
        let wanted = name.to_ascii_lowercase().replace([' ', '_'], "-");
        table().iter().find(|g| g.name == wanted).cloned()
    }

    /// All known GPUs, by name.
    pub fn all() -> &'static [Self] {
        table()
    }

    /// The names of all known GPUs.
    pub fn names() -> Vec<String> {
        table().iter().map(|g| g.name.clone()).collect()
    }

    /// Largest number of threads in a block.
    pub fn max_threads_per_block(&self) -> u32 {
        1024
    }

    /// Largest block dimensions.
    pub fn max_block(&self) -> [u32; 3] {
        [1024, 1024, 64]
    }

    /// Largest grid dimensions.
    pub fn max_grid(&self) -> [u32; 3] {
        if self.cc.0 >= 3 { [0x7fff_ffff, 65535, 65535] } else { [65535, 65535, 65535] }
    }

    /// Largest number of registers a thread can have.
    pub fn max_registers_per_thread(&self) -> u32 {
        if self.cc < (3, 5) { 63 } else { 255 }
    }

    /// How many blocks of this shape fit on the GPU at once.
    pub fn resident_blocks(&self, threads: u32, shared_bytes: u32) -> u32 {
        let warps = threads.div_ceil(32).max(1);
        let by_threads = self.threads_sm / 32 / warps;
        let by_shared = (self.smem_sm_kb * 1024).checked_div(shared_bytes).unwrap_or(u32::MAX);
        by_threads.min(by_shared).min(self.blocks_sm).max(1) * self.sms
    }

    /// Largest number of blocks in a cluster, as any kernel may use it; 1 for a GPU without clusters.
    pub fn max_cluster(&self) -> u32 {
        if self.cc >= (9, 0) { 8 } else { 1 }
    }

    /// Checks the clusters of a launch against this GPU's limits.
    pub fn check_cluster(&self, grid: [u32; 3], cluster: [u32; 3]) -> Result<(), LaunchLimit> {
        let refuse = |message: String| Err(LaunchLimit(message));
        let blocks = cluster.iter().map(|&d| u64::from(d)).fold(1, u64::saturating_mul);
        if blocks == 0 {
            return refuse(format!("cluster {}: every dimension must be at least 1", shape(cluster)));
        }
        if blocks > 1 && self.max_cluster() == 1 {
            let (major, minor) = self.cc;
            return refuse(format!(
                "cluster {}: clusters need compute capability 9.0, {} has {major}.{minor}",
                shape(cluster),
                self.name
            ));
        }
        if blocks > u64::from(self.max_cluster()) {
            return refuse(format!(
                "cluster {} has {blocks} blocks: {} allows at most {} in a cluster",
                shape(cluster),
                self.name,
                self.max_cluster()
            ));
        }
        if grid.iter().zip(cluster).any(|(&blocks, cluster)| !blocks.is_multiple_of(cluster)) {
            return refuse(format!(
                "grid {} is not made of whole clusters of {}: make every dimension a multiple of the cluster's",
                shape(grid),
                shape(cluster)
            ));
        }
        Ok(())
    }

    /// Checks a launch against this GPU's limits.
    pub fn check_launch(&self, grid: [u32; 3], block: [u32; 3], shared_bytes: u64) -> Result<(), LaunchLimit> {
        let refuse = |message: String| Err(LaunchLimit(message));
        const AXES: [&str; 3] = ["x", "y", "z"];
        for axis in 0..3 {
            let (b, g) = (block[axis], grid[axis]);
            if b == 0 || g == 0 {
                return refuse(format!(
                    "the launch has no threads: grid {}, block {}; every dimension must be at least 1",
                    shape(grid),
                    shape(block)
                ));
            }
            if b > self.max_block()[axis] {
                return refuse(format!(
                    "block {}: {} allows at most {} threads in {}",
                    shape(block),
                    self.name,
                    self.max_block()[axis],
                    AXES[axis]
                ));
            }
            if g > self.max_grid()[axis] {
                return refuse(format!(
                    "grid {}: {} allows at most {} blocks in {}",
                    shape(grid),
                    self.name,
                    self.max_grid()[axis],
                    AXES[axis]
                ));
            }
        }
        let threads: u64 = block.iter().map(|&d| u64::from(d)).product();
        if threads > u64::from(self.max_threads_per_block()) {
            return refuse(format!(
                "block {} has {threads} threads: {} allows at most {} in a block",
                shape(block),
                self.name,
                self.max_threads_per_block()
            ));
        }
        let most = u64::from(self.smem_block_kb) * 1024;
        if shared_bytes > most {
            return refuse(format!(
                "the launch needs {shared_bytes} bytes of shared memory a block: {} allows at most {most}",
                self.name
            ));
        }
        Ok(())
    }
}

fn shape(d: [u32; 3]) -> String {
    format!("{}x{}x{}", d[0], d[1], d[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_reads_and_is_plausible() {
        assert!(Gpu::all().len() >= 8);
        for gpu in Gpu::all() {
            assert!(gpu.sms > 0 && gpu.threads_sm % 32 == 0, "{}", gpu.name);
            assert!(gpu.smem_block_kb <= gpu.smem_sm_kb, "{}", gpu.name);
        }
        assert_eq!(Gpu::named("RTX 2080 Ti").map(|g| g.cc), Some((7, 5)));
        assert!(Gpu::named("voodoo2").is_none());
    }

    #[test]
    fn limits_name_the_limit() {
        let gpu = Gpu::named("h200").expect("in the table");
        assert!(gpu.check_launch([1, 1, 1], [1024, 1, 1], 0).is_ok());
        let refused = gpu.check_launch([1, 1, 1], [1025, 1, 1], 0).expect_err("too many threads");
        assert!(refused.0.contains("1024"), "{}", refused.0);
        let refused = gpu.check_launch([1, 1, 1], [32, 32, 2], 0).expect_err("too many threads");
        assert!(refused.0.contains("2048 threads"), "{}", refused.0);
        let refused = gpu.check_launch([1, 1, 1], [32, 1, 1], 300_000).expect_err("too much shared memory");
        assert!(refused.0.contains("232448"), "{}", refused.0);
        assert!(gpu.check_launch([1, 70000, 1], [1, 1, 1], 0).is_err());
        assert!(gpu.check_launch([0, 1, 1], [1, 1, 1], 0).is_err());
    }
}
