//! The GPU rungs: how many launches, how large, with which buffers. See `kernels.cu` and `posted.cu` for what each rung
//! does.

use super::fixed::finish;
use super::{Extreme, Finish, PRIMITIVE, Reduce};
use crate::device::{Allocation, Argument, Session, Shape};
use crate::kernels::{self, KernelModule};
use crate::operator::with_operator;
use crate::{Element, Error, Operator, Variant, tuning};

/// Rungs 1 to 9.
const KERNELS: &KernelModule = &kernels::REDUCE;
/// Rungs 10 and 11.
const POSTED: &KernelModule = &kernels::REDUCE_POSTED;

/// The default number of threads in a block.
const BLOCK: u32 = 256;
/// The most blocks of rung 10.
const MOST_POSTING: u64 = 65_535;
/// Threads of a block and bytes of a tile of the fixed tree.
const TREE_BLOCK: u32 = 256;
const TILE: u64 = 32 * 1024;

/// A rung with its geometry.
struct Rung {
    variant: &'static Variant,
    number: u32,
    block: u32,
    /// Most blocks of a launch.
    most: u32,
    tuning: &'static tuning::Reduce,
}

impl Rung {
    fn new<T: Element>(session: &Session, variant: &'static Variant, how: &Reduce) -> Self {
        let number = variant.number;
        let geometry = PRIMITIVE.geometry(session, how.geometry, variant.name, T::NAME);
        let block = geometry.block.unwrap_or(BLOCK);
        let tuning = &session.tuning().reduce;
        let per_sm = if number >= 10 { tuning.posting_blocks_per_sm } else { tuning.blocks_per_sm };
        let most = geometry.grid.unwrap_or(per_sm * session.multiprocessors()).max(1);
        Self { variant, number, block, most, tuning }
    }

    /// Checks the rung's requirements on a block.
    fn check(&self) -> Result<(), Error> {
        let block = self.block;
        let (fits, needs) = match self.number {
            5 | 7 => (block.is_power_of_two() && block >= 64, "a power of two from 64"),
            6 => (block.is_power_of_two() && (64..=1024).contains(&block), "64, 128, 256, 512 or 1024"),
            8 | 9 => (block.is_multiple_of(32) && block > 0, "a multiple of 32"),
            10 => (block.is_multiple_of(32) && (32..=256).contains(&block), "a multiple of 32 up to 256"),
            11 => (block == TREE_BLOCK, "256"),
            4 => (block > 0, "at least 1"),
            // One element per block would leave as many partials as there were elements.
            _ => (block > 1, "at least 2"),
        };
        if fits { Ok(()) } else { Err(Error::Block { variant: self.variant.name.to_owned(), block, needs }) }
    }

    /// Blocks for that many elements. From rung 4 on a thread takes two, and from rung 7 on the grid can be any size.
    fn grid(&self, n: u64) -> u32 {
        let per_block = u64::from(self.block) * if self.number >= 4 { 2 } else { 1 };
        // If a grid cannot have that many blocks, the device refuses it.
        let needed = u32::try_from(n.div_ceil(per_block)).unwrap_or(u32::MAX);
        if self.number >= 7 { needed.min(self.most) } else { needed }.max(1)
    }

    /// Blocks of rung 10: threads take several vectors before another block is added.
    fn posting_grid<T: Element>(&self, n: u64) -> u64 {
        let bytes = n * size_of::<T>() as u64;
        let blocks = |per_thread: u64| bytes.div_ceil(u64::from(self.block) * per_thread);
        let most = u64::from(self.most);
        let alone = most / u64::from(self.tuning.posting_blocks_per_sm);
        let enough = [alone / 2, alone].into_iter().find(|&few| blocks(self.tuning.alone) <= few).unwrap_or(most);
        blocks(self.tuning.in_flight).min(enough).clamp(1, MOST_POSTING)
    }

    /// Warps of that many blocks.
    fn warps(&self, grid: u64) -> u64 {
        grid * u64::from(self.block / 32)
    }

    fn kernel<T: Element>(&self, operation: &str) -> String {
        // The block size of the unrolled rung is part of its kernels' names.
        let block = if self.number == 6 { format!("_{}", self.block) } else { String::new() };
        format!("reduce_{}{block}_{operation}_{}", self.variant.stem(), T::NAME)
    }

    /// A launch over `n` elements, with that many bytes of shared memory per thread.
    fn shape(&self, grid: u32, bytes: usize) -> Shape {
        Shape::line(grid, self.block, if self.number >= 8 { 0 } else { self.block.saturating_mul(bytes as u32) })
    }
}

/// Combines `n` elements at `input`; `n` is not 0.
pub(super) fn values<T: Element>(
    session: &Session,
    variant: &'static Variant,
    input: Argument,
    n: usize,
    how: &Reduce,
) -> Result<T, Error> {
    let operator = how.operator;
    let rung = Rung::new::<T>(session, variant, how);
    rung.check()?;
    let kernel = rung.kernel::<T>(operator.name());
    let size = size_of::<T>() as u64;
    let mut left = n as u64;
    if rung.number == 9 {
        let grid = rung.grid(left);
        let partials = session.allocate(u64::from(grid) * size)?;
        let out = session.allocate(size)?;
        let ticket = session.allocate_copy(&[0u32])?;
        let arguments = [input, partials.argument(), out.argument(), ticket.argument(), Argument::U64(left)];
        session.launch(KERNELS, &kernel, rung.shape(grid, 0), &arguments)?;
        return Ok(session.download_vec(out.ptr(), 1)?[0]);
    }
    if rung.number >= 10 {
        return posted(session, &rung, operator, input, left);
    }
    if how.finish == Finish::Recursive {
        return recursive(session, &rung, &kernel, operator, input, left);
    }
    let mut from = input;
    // Partials are read by the next launch, so they live as long as the loop.
    let mut kept = Vec::new();
    loop {
        let grid = rung.grid(left);
        let out = session.allocate(u64::from(grid) * size)?;
        let arguments = [from, out.argument(), Argument::U64(left)];
        session.launch(KERNELS, &kernel, rung.shape(grid, size_of::<T>()), &arguments)?;
        (from, left) = (out.argument(), grid.into());
        if left == 1 || how.finish == Finish::Cpu {
            let partials: Vec<T> = session.download_vec(out.ptr(), left as usize)?;
            return super::cpu::seq(operator, &partials);
        }
        kept.push(out);
    }
}

/// Rungs 10 and 11: one launch, in which the last block waits for the others to post their partials.
fn posted<T: Element>(session: &Session, rung: &Rung, operator: Operator, input: Argument, n: u64) -> Result<T, Error> {
    let out = session.allocate_result(size_of::<T>() as u64)?;
    post_to::<T>(session, rung, operator, [input, out.argument()], n)?;
    let found = session.download_vec(out.ptr(), 1)?[0];
    Ok(if rung.number == 11 { with_operator!(operator, finish::<T>(found)) } else { found })
}

/// Rung 10 into existing memory; `n` is not 0.
pub(super) fn post<T: Element>(
    session: &Session,
    variant: &'static Variant,
    input: Argument,
    out: Argument,
    n: usize,
    how: &Reduce,
) -> Result<(), Error> {
    let rung = Rung::new::<T>(session, variant, how);
    rung.check()?;
    post_to::<T>(session, &rung, how.operator, [input, out], n as u64)
}

/// The sum of `n` elements, each widened as it is loaded: the two halves of 128 bits, or one number of 64 bits.
pub(super) fn wide_sum<T: Element>(
    session: &Session,
    variant: &'static Variant,
    input: Argument,
    n: usize,
    long: bool,
) -> Result<[u64; 2], Error> {
    let rung = Rung::new::<T>(session, variant, &Reduce::new());
    let (grid, words) = (rung.posting_grid::<T>(n as u64), if long { 2 } else { 1 });
    let out = session.allocate_result(8 * words)?;
    let (state, number) = session.numbered_workspace("reduce", 8 * rung.warps(grid) * 2 * words)?;
    let arguments = [input, state, out.argument(), Argument::U64(n as u64), number];
    let kernel = format!("reduce_10_posted_wide_sum_{}", T::NAME);
    session.launch(POSTED, &kernel, rung.shape(grid as u32, 0), &arguments)?;
    let mut sum = [0; 2];
    session.download(out.ptr(), &mut sum[..words as usize])?;
    Ok(sum)
}

fn post_to<T: Element>(
    session: &Session,
    rung: &Rung,
    operator: Operator,
    [input, out]: [Argument; 2],
    n: u64,
) -> Result<(), Error> {
    let size = size_of::<T>() as u64;
    let (kernel, grid, posts) = if rung.number == 11 && operator.order_shows::<T>() {
        // A value for every tile, for every tile of these, and so on.
        let rounds = std::iter::successors(Some(n.div_ceil(TILE / size)), |&tiles| Some(tiles.div_ceil(TILE / size)));
        let mut posts: u64 = rounds.take_while(|&tiles| tiles > 1).sum();
        posts += 1;
        (rung.kernel::<T>(operator.name()), n.div_ceil(TILE / size).min(rung.most.into()), posts)
    } else {
        let grid = rung.posting_grid::<T>(n);
        (format!("reduce_10_posted_{}_{}", operator.name(), T::NAME), grid, rung.warps(grid))
    };
    let (state, number) = session.numbered_workspace("reduce", 8 * posts * (size / 4))?;
    let arguments = [input, state, out, Argument::U64(n), number];
    session.launch(POSTED, &kernel, rung.shape(grid as u32, 0), &arguments)?;
    Ok(())
}

/// One launch, then the same for its partials.
fn recursive<T: Element>(
    session: &Session,
    rung: &Rung,
    kernel: &str,
    operator: Operator,
    input: Argument,
    n: u64,
) -> Result<T, Error> {
    let grid = rung.grid(n);
    let out = session.allocate(u64::from(grid) * size_of::<T>() as u64)?;
    let arguments = [input, out.argument(), Argument::U64(n)];
    session.launch(KERNELS, kernel, rung.shape(grid, size_of::<T>()), &arguments)?;
    if grid > 1 {
        return recursive(session, rung, kernel, operator, out.argument(), grid.into());
    }
    super::cpu::seq(operator, &session.download_vec::<T>(out.ptr(), 1)?)
}

/// The place of the extreme of `n` elements at `input`; `n` is not 0.
pub(super) fn place<T: Element>(
    session: &Session,
    variant: &'static Variant,
    extreme: Extreme,
    input: Argument,
    n: usize,
    how: &Reduce,
) -> Result<usize, Error> {
    let rung = Rung::new::<T>(session, variant, how);
    rung.check()?;
    let kernel = rung.kernel::<T>(extreme.name());
    let (size, index) = (size_of::<T>() as u64, size_of::<u64>() as u64);
    let mut left = n as u64;
    if rung.number == 9 {
        let grid = u64::from(rung.grid(left));
        let partials = [session.allocate(grid * size)?, session.allocate(grid * index)?];
        let out = [session.allocate(size)?, session.allocate(index)?];
        let ticket = session.allocate_copy(&[0u32])?;
        let [p, i, o, oi] = [&partials[0], &partials[1], &out[0], &out[1]].map(Allocation::argument);
        let arguments = [input, p, i, o, oi, ticket.argument(), Argument::U64(left)];
        session.launch(KERNELS, &kernel, rung.shape(grid as u32, 0), &arguments)?;
        return Ok(session.download_vec::<u64>(out[1].ptr(), 1)?[0] as usize);
    }
    if rung.number >= 10 {
        let grid = rung.posting_grid::<T>(left);
        let kernel = format!("reduce_10_posted_{}_{}", extreme.name(), T::NAME);
        let (state, number) = session.numbered_workspace("reduce", 8 * rung.warps(grid) * (2 + size / 4))?;
        let out = [session.allocate_result(size)?, session.allocate_result(index)?];
        let [value, place] = [&out[0], &out[1]].map(Allocation::argument);
        let arguments = [input, state, value, place, Argument::U64(left), number];
        session.launch(POSTED, &kernel, rung.shape(grid as u32, 0), &arguments)?;
        return Ok(session.download_vec::<u64>(out[1].ptr(), 1)?[0] as usize);
    }
    if how.finish == Finish::Recursive {
        return recursive_place::<T>(session, &rung, &kernel, (input, Argument::NULL), left);
    }
    let (mut from, mut indices) = (input, Argument::NULL);
    let mut kept = Vec::new();
    loop {
        let grid = rung.grid(left);
        let out = session.allocate(u64::from(grid) * size)?;
        let out_indices = session.allocate(u64::from(grid) * index)?;
        let arguments = [from, indices, out.argument(), out_indices.argument(), Argument::U64(left)];
        session.launch(KERNELS, &kernel, rung.shape(grid, size_of::<T>() + 8), &arguments)?;
        (from, indices, left) = (out.argument(), out_indices.argument(), grid.into());
        if left == 1 || how.finish == Finish::Cpu {
            let values: Vec<T> = session.download_vec(out.ptr(), left as usize)?;
            let places: Vec<u64> = session.download_vec(out_indices.ptr(), left as usize)?;
            // Partials are in order of position, so the first extreme among them is the first of all.
            let best = best_partial(extreme, &values, &places);
            return Ok(best as usize);
        }
        kept.push((out, out_indices));
    }
}

/// Like [`recursive`], but for values and their positions.
fn recursive_place<T: Element>(
    session: &Session,
    rung: &Rung,
    kernel: &str,
    (values, places): (Argument, Argument),
    n: u64,
) -> Result<usize, Error> {
    let grid = rung.grid(n);
    let out = session.allocate(u64::from(grid) * size_of::<T>() as u64)?;
    let out_places = session.allocate(u64::from(grid) * size_of::<u64>() as u64)?;
    let arguments = [values, places, out.argument(), out_places.argument(), Argument::U64(n)];
    session.launch(KERNELS, kernel, rung.shape(grid, size_of::<T>() + 8), &arguments)?;
    if grid > 1 {
        return recursive_place::<T>(session, rung, kernel, (out.argument(), out_places.argument()), grid.into());
    }
    Ok(session.download_vec::<u64>(out_places.ptr(), 1)?[0] as usize)
}

/// The position of the best partial; ties go to the smallest position.
fn best_partial<T: Element>(extreme: Extreme, values: &[T], places: &[u64]) -> u64 {
    let mut best = 0;
    for at in 1..values.len() {
        let (a, b) = (values[at], values[best]);
        let ties = !extreme.beats(a, b) && !extreme.beats(b, a);
        if extreme.beats(a, b) || ties && places[at] < places[best] {
            best = at;
        }
    }
    places[best]
}
