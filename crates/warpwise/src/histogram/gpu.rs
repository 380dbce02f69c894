//! The GPU rungs: how many launches, how large, with which buffers. See `kernels.cu` for what each rung does.

use super::{Binning, Histogram, PRIMITIVE};
use crate::device::{Allocation, Argument, Session, Shape};
use crate::kernels::{self, KernelModule};
use crate::{Element, Error, Geometry};

const KERNELS: &KernelModule = &kernels::HISTOGRAM;

/// The default number of threads in a block.
const BLOCK: u32 = 256;
/// Bytes of bins in shared memory that leave room for several blocks on a multiprocessor, and that every GPU has.
const SHARED: u32 = 48 * 1024;
/// Threads of a block of the rungs that have one on every multiprocessor.
const LARGE_BLOCK: u32 = 1024;
/// Bytes of elements that one thread of those rungs takes at once.
const IN_FLIGHT: u64 = 64;
/// Bytes of the counts of all values of a byte, one for each lane.
const BYTE_COUNTS: u32 = 4 * 256 * 32;
/// Two to this power is the most slots of the cache.
const SLOTS_LOG: u32 = 14;
/// The most bins that the last block writes; with more, every block adds its own.
const GATHERED: u32 = 4096;
/// Bytes of the histograms of all blocks.
const TREE: u64 = 64 << 20;

/// The best rung for that many bins: in shared memory, in a few parts if necessary, else in global memory.
pub(super) fn best(session: &Session, bins: usize) -> &'static str {
    match 4 * bins {
        bytes if bytes <= session.tuning().histogram.parts * usable(session) as usize => "gpu-6-pipelined",
        _ => "gpu-7-cached",
    }
}

/// Bytes of dynamic shared memory beside the little that kernels declare.
fn usable(session: &Session) -> u32 {
    session.shared_limit() - 1024
}

/// The launch parameters of `gpu-6-pipelined` and `gpu-7-cached`.
struct Pipelined<'a> {
    session: &'a Session,
    cached: bool,
    binning: Binning,
    input: Argument,
    n: u64,
    geometry: Geometry,
}

impl Pipelined<'_> {
    fn count<T: Element>(&self) -> Result<Allocation, Error> {
        let bins = self.binning.bins() as u32;
        let block = self.geometry.block.unwrap_or(LARGE_BLOCK);
        let tile = u64::from(block.max(1)) * IN_FLIGHT / size_of::<T>() as u64;
        let most = u64::from(self.geometry.grid.unwrap_or(self.session.multiprocessors()).max(1));
        // A block counts in 32 bits, and takes no more than they can hold.
        let grid = self.n.div_ceil(tile).min(most).max(self.n >> 31) as u32;
        let mut arguments = vec![self.input, Argument::U64(self.n)];
        let launch = |rung: &str, shared: u32, arguments: &[Argument]| {
            let kernel = format!("histogram_{rung}_{}", T::NAME);
            self.session.launch(KERNELS, &kernel, Shape::line(grid, block, shared), arguments).map(drop)
        };
        if size_of::<T>() == 1 {
            let counts = self.session.allocate(8 * u64::from(bins))?;
            let values = self.session.workspace("histogram of bytes", 8 * 256 + 8)?;
            arguments.push(counts.argument());
            arguments.extend(rule(self.binning));
            arguments.extend([values, values.plus(8 * 256)]);
            launch("6_pipelined", BYTE_COUNTS, &arguments)?;
            return Ok(counts);
        }
        let gathered = bins <= GATHERED && !self.cached;
        let counts = if gathered {
            self.session.allocate(8 * u64::from(bins))?
        } else {
            self.session.allocate_zeroed::<u64>(bins as usize)?
        };
        let [sums, ticket] = if gathered {
            let at = self.session.workspace("histogram", 8 + 8 * u64::from(GATHERED))?;
            [at.plus(8), at]
        } else {
            [Argument::NULL; 2]
        };
        arguments.push(counts.argument());
        arguments.extend(rule(self.binning));
        let usable = usable(self.session);
        if self.cached {
            let slots = (usable / 8).ilog2().min(SLOTS_LOG);
            arguments.push(Argument::U32(slots));
            launch("7_cached", 8 << slots, &arguments)?;
            return Ok(counts);
        }
        let most = (usable / 4).min(bins);
        for first in (0..bins).step_by(most as usize) {
            let size = most.min(bins - first);
            let part = [Argument::U32(first), Argument::U32(size), sums, ticket];
            launch("6_pipelined", 4 * size, &[&arguments[..], &part].concat())?;
        }
        Ok(counts)
    }
}

/// The counts of `n` elements at `input`; `n` is not 0, and the binning works on the type.
pub(super) fn count<T: Element>(
    session: &Session,
    name: &'static str,
    input: Argument,
    n: usize,
    how: &Histogram,
) -> Result<Allocation, Error> {
    let binning = how.binning;
    let bins = binning.bins() as u32;
    let geometry = PRIMITIVE.geometry(session, how.geometry, name, T::NAME);
    if matches!(name, "gpu-6-pipelined" | "gpu-7-cached") {
        let cached = name == "gpu-7-cached";
        return Pipelined { session, cached, binning, input, n: n as u64, geometry }.count::<T>();
    }
    let tuning = &session.tuning().histogram;
    let block = geometry.block.unwrap_or(BLOCK);
    let needed = (n as u64).div_ceil(u64::from(block.max(1)));
    let most = geometry.grid.unwrap_or(tuning.blocks_per_sm * session.multiprocessors());
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
            // Every block stores a histogram, so the more bins there are, the fewer blocks there can be.
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
            let copies = if name == "gpu-5-replicated" { copies(name, bins, how.copies, tuning.copies)? } else { 1 };
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

/// The bin parameters of every counting kernel: their number, how they are found, the range and the scale.
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

/// Copies of every bin: as requested, or as many as fit into that many bytes.
fn copies(variant: &'static str, bins: u32, wanted: Option<u32>, bytes: u32) -> Result<u32, Error> {
    match wanted {
        Some(copies) if !copies.is_power_of_two() || copies > 32 => {
            let needs = "a power of two up to 32";
            Err(Error::Choice { variant, what: "a number of copies of", value: copies as usize, needs })
        }
        Some(copies) => Ok(copies),
        None => Ok(1 << (bytes / 4 / bins).clamp(1, 32).ilog2()),
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
