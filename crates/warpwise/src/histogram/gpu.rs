//! The GPU rungs: how many launches, how large, with which buffers. See `kernels.cu` for what each rung does.

use super::{Binning, Options};
use crate::device::{Allocation, Argument, KernelModule, Session, Shape};
use crate::{Element, Error};

pub(crate) const KERNELS: KernelModule = KernelModule { name: "histogram", ptx: include_str!("kernels.ptx") };

/// Threads of a block where the caller does not say.
const BLOCK: u32 = 256;
/// Blocks a multiprocessor.
const BLOCKS_PER_SM: u32 = 4;
/// Bytes of bins in shared memory that leave room for several blocks on a multiprocessor, and that every GPU has.
const SHARED: u32 = 48 * 1024;
/// Bytes of the copies of bins, where the caller does not say how many.
const COPIES: u32 = 32 * 1024;
/// Bytes of the histograms of all blocks.
const TREE: u64 = 64 << 20;

/// The best rung for that many bins: copies while they fit, then bins in shared memory, then in global memory.
pub(super) fn best(session: &Session, bins: usize) -> &'static str {
    match 4 * bins {
        bytes if bytes <= SHARED as usize => "gpu-5-replicated",
        bytes if bytes <= session.shared_limit() as usize => "gpu-3-shared",
        _ => "gpu-2-interleaved",
    }
}

/// The counts of `n` elements at `input`; `n` is not 0, and the binning works on the type.
pub(super) fn count<T: Element>(
    session: &Session,
    name: &'static str,
    binning: Binning,
    input: Argument,
    n: usize,
    options: &Options,
) -> Result<Allocation, Error> {
    let bins = binning.bins() as u32;
    let geometry = options.geometry.or_tuned(session, "histogram", name, T::NAME);
    let block = geometry.block.unwrap_or(BLOCK);
    let needed = (n as u64).div_ceil(u64::from(block.max(1)));
    let most = geometry.grid.unwrap_or(BLOCKS_PER_SM * session.multiprocessors());
    let grid = needed.min(most.into()) as u32;
    let launch = |kernel: &str, grid: u32, shared: u32, counts: &Allocation, more: &[u32]| {
        let mut arguments = vec![input, Argument::U64(n as u64), counts.argument()];
        arguments.extend(rule(binning));
        arguments.extend(more.iter().map(|&x| Argument::U32(x)));
        let kernel = format!("histogram_{kernel}_{}", T::NAME);
        session.launch(KERNELS, &kernel, Shape::line(grid, block, shared), &arguments).map(drop)
    };
    match name {
        "gpu-1-partitioned" | "gpu-2-interleaved" => {
            let counts = session.allocate_zeroed::<u64>(bins as usize)?;
            let kernel = if name == "gpu-1-partitioned" { "1_partitioned" } else { "2_interleaved" };
            launch(kernel, grid, 0, &counts, &[])?;
            Ok(counts)
        }
        "gpu-4-tree" => {
            // Every block stores a histogram, so that there can be fewer blocks the more bins there are.
            let grid = grid.min((TREE / (8 * u64::from(bins))) as u32).max(1);
            let counts = session.allocate(u64::from(grid) * u64::from(bins) * 8)?;
            for (first, size) in parts(session, bins, 1) {
                launch("4_tree_count", grid, 4 * size, &counts, &[first, size])?;
            }
            halve(session, &counts, bins, grid)?;
            Ok(counts)
        }
        _ => {
            let counts = session.allocate_zeroed::<u64>(bins as usize)?;
            let copies = if name == "gpu-5-replicated" { copies(name, bins, options.copies)? } else { 1 };
            for (first, size) in parts(session, bins, copies) {
                match name {
                    "gpu-5-replicated" => {
                        launch("5_replicated", grid, 4 * size * copies, &counts, &[first, size, copies])?;
                    }
                    _ => launch("3_shared", grid, 4 * size, &counts, &[first, size])?,
                }
            }
            Ok(counts)
        }
    }
}

/// What every counting kernel is told about the bins: their number, how they are found, the range and the scale.
fn rule(binning: Binning) -> [Argument; 5] {
    let (kind, lo, hi, scale) = match binning {
        Binning::Modulo { .. } => (0, 0.0, 0.0, 0.0),
        Binning::Value => (1, 0.0, 0.0, 0.0),
        Binning::Letter => (2, 0.0, 0.0, 0.0),
        Binning::Even { bins, lo, hi } => (3, lo, hi, bins as f64 / (hi - lo)),
    };
    let [lo, hi, scale] = [lo, hi, scale].map(Argument::F64);
    [Argument::U32(binning.bins() as u32), Argument::U32(kind), lo, hi, scale]
}

/// Copies of every bin: as asked for, or as many as fit.
fn copies(variant: &'static str, bins: u32, wanted: Option<u32>) -> Result<u32, Error> {
    match wanted {
        Some(copies) if !copies.is_power_of_two() || copies > 32 => {
            let needs = "a power of two up to 32";
            Err(Error::Choice { variant, what: "a number of copies of", value: copies as usize, needs })
        }
        Some(copies) => Ok(copies),
        None => Ok(1 << (COPIES / 4 / bins).clamp(1, 32).ilog2()),
    }
}

/// First bin and number of bins of every launch: as few launches as shared memory allows.
fn parts(session: &Session, bins: u32, copies: u32) -> impl Iterator<Item = (u32, u32)> {
    let bytes = if u64::from(bins) * u64::from(copies) * 4 <= SHARED.into() { SHARED } else { session.shared_limit() };
    let size = (bytes / 4 / copies).clamp(1, bins);
    (0..bins).step_by(size as usize).map(move |first| (first, size.min(bins - first)))
}

/// Adds the upper half of the histograms to the lower half, until one is left.
fn halve(session: &Session, counts: &Allocation, bins: u32, histograms: u32) -> Result<(), Error> {
    let mut live = histograms;
    while live > 1 {
        let sums = u64::from(live / 2) * u64::from(bins);
        let shape = Shape::cover(sums, BLOCK.into(), BLOCK, 0);
        let arguments = [counts.argument(), Argument::U32(bins), Argument::U32(live)];
        session.launch(KERNELS, "histogram_4_tree_halve", shape, &arguments)?;
        live = live.div_ceil(2);
    }
    Ok(())
}
