//! The last GPU rung: several steps in a pass over the grid. See `kernels.cu` for what a pass does.

use super::KERNELS;
use crate::device::{Allocation, Argument, Session, Shape};
use crate::heat::{Cylinder, Limits, Outcome};
use crate::{Error, Float, Geometry};

/// The rung.
pub(in crate::heat) const NAME: &str = "gpu-5-passes";
/// The default number of threads in a block: warps are independent.
pub(super) const BLOCK: u32 = 32;
/// The most threads of a block.
const MOST_THREADS: u32 = 128;
/// Passes that are launched before the host looks at their results, so that launches do not wait.
const MOST_PASSES: usize = 64;

/// The parameters of the kernel for a type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Depth {
    /// Steps of a pass.
    pub(super) steps: usize,
    /// Columns of a strip.
    strip: u64,
    /// Warps that a multiprocessor has registers for.
    warps: u64,
}

impl Depth {
    pub(super) fn of<T: Float>() -> Self {
        if size_of::<T>() == 4 {
            Self { steps: 8, strip: 112, warps: 8 }
        } else {
            Self { steps: 6, strip: 52, warps: 12 }
        }
    }

    /// The rows of a band and the geometry of a pass over that many rows, with blocks of that many threads.
    pub(super) fn shape(self, session: &Session, rows: usize, columns: usize, block: u32) -> (u64, Shape) {
        let warps = u64::from(block / 32);
        let across = (columns as u64).div_ceil(self.strip).div_ceil(warps);
        let slots = u64::from(session.multiprocessors().max(1)) * (self.warps / warps);
        let height = self.height(rows as u64, across, slots);
        let grid = [across as u32, (rows as u64).div_ceil(height) as u32, 1];
        (height, Shape { grid, block: [block, 1, 1], shared: 0 })
    }

    /// Rows of a band, chosen so that all bands together take the least time on a GPU that runs that many blocks at
    /// once: few turns, and few rows that two bands compute.
    fn height(self, rows: u64, blocks_a_band: u64, slots: u64) -> u64 {
        let heights = (1..=4).map(|turns| {
            let bands = (turns * slots / blocks_a_band).clamp(1, rows);
            rows.div_ceil(bands)
        });
        let time = |height: u64| {
            let turns = (rows.div_ceil(height) * blocks_a_band).div_ceil(slots);
            turns * (height + 2 * self.steps as u64)
        };
        heights.min_by_key(|&height| time(height)).unwrap_or(rows)
    }
}

/// Whether 31 bits are enough for the rung to count rows and columns, with a margin.
pub(in crate::heat) fn fits(rows: usize, columns: usize) -> bool {
    rows.max(columns) < (1 << 31) - 1024
}

/// A cylinder on a GPU: two grids that are swapped.
#[derive(Debug)]
pub(in crate::heat) struct Passes {
    session: Session,
    type_name: &'static str,
    depth: Depth,
    rows: usize,
    columns: usize,
    /// Elements from row to row.
    pitch: usize,
    /// Bytes of an element.
    size: usize,
    /// Rows of a band.
    height: u64,
    /// The geometry of a pass.
    shape: Shape,
    conductivity: Allocation,
    /// The temperatures.
    old: Allocation,
    /// Where the next pass puts them.
    new: Allocation,
    /// The bits of the largest difference of every step in a series of passes.
    words: Allocation,
}

impl Passes {
    /// Copies a cylinder with at least one cell to the GPU.
    pub(in crate::heat) fn new<T: Float>(
        session: &Session,
        cylinder: Cylinder<'_, T>,
        geometry: Geometry,
    ) -> Result<Self, Error> {
        let Cylinder { rows, columns, temperature, conductivity } = cylinder;
        let block = geometry.block.unwrap_or(BLOCK);
        if block == 0 || !block.is_multiple_of(32) || block > MOST_THREADS {
            let needs = "a multiple of 32 up to 128";
            return Err(Error::Block { variant: NAME.to_owned(), block, needs });
        }
        if !fits(rows, columns) {
            return Err(Error::TooLarge { rows, columns });
        }
        let (depth, size) = (Depth::of::<T>(), size_of::<T>());
        let (height, shape) = depth.shape(session, rows, columns, block);
        let pitch = columns.next_multiple_of(16 / size);
        let laid = (pitch * size) as u64;
        let bytes = (rows as u64 + 2) * laid;
        let cells = session.allocate_copy(temperature)?;
        let mut passes = Self {
            session: session.clone(),
            type_name: T::NAME,
            depth,
            rows,
            columns,
            pitch,
            size,
            height,
            shape,
            conductivity: session.allocate_copy(conductivity)?,
            old: session.allocate(bytes)?,
            new: session.allocate(bytes)?,
            words: session.allocate((MOST_PASSES * depth.steps * size) as u64)?,
        };
        // Both, because passes do not write the fixed rows.
        passes.lay(&cells, &passes.old, 1)?;
        passes.lay(&cells, &passes.new, 1)?;
        if pitch != columns {
            let aligned = session.allocate(rows as u64 * laid)?;
            passes.lay(&passes.conductivity, &aligned, 0)?;
            passes.conductivity = aligned;
        }
        Ok(passes)
    }

    fn launch(&self, kernel: &str, shape: Shape, pointers: &[Argument], numbers: &[usize]) -> Result<(), Error> {
        let numbers = numbers.iter().map(|&number| Argument::U32(number as u32));
        let arguments: Vec<_> = pointers.iter().copied().chain(numbers).collect();
        self.session.launch(KERNELS, &format!("heat_5_passes{kernel}_{}", self.type_name), shape, &arguments).map(drop)
    }

    /// A launch with a thread for each cell of that many rows.
    fn plane(&self, rows: usize) -> Shape {
        let (columns, rows) = (self.columns as u64, rows as u64);
        Shape::plane(columns, rows, Shape::plane_block(columns, rows, 256), 0)
    }

    /// Rows at multiples of 16 bytes, with that many rows above and below.
    fn lay(&self, cells: &Allocation, laid: &Allocation, edge: usize) -> Result<(), Error> {
        let pointers = [cells, laid].map(Allocation::argument);
        self.launch("_lay", self.plane(self.rows + 2 * edge), &pointers, &[self.rows, self.columns, self.pitch, edge])
    }

    /// Pass number `pass` of a series that begins at the old temperatures; it does nothing if an earlier pass found the
    /// end.
    fn pass(&self, pass: usize, steps: usize, threshold: f64, after: bool) -> Result<(), Error> {
        let (from, to) = if pass.is_multiple_of(2) { (&self.old, &self.new) } else { (&self.new, &self.old) };
        let words = |pass: usize| self.words.argument().plus((pass * self.depth.steps * self.size) as u64);
        let mut arguments = [from, to, &self.conductivity].map(Allocation::argument).to_vec();
        let done = if after { self.depth.steps } else { 0 };
        arguments.extend([words(pass), words(pass.saturating_sub(1)), Argument::U32(done as u32)]);
        arguments.push(Argument::F64(threshold));
        self.launch("", self.shape, &arguments, &[self.rows, self.columns, self.pitch, self.height as usize, steps])
    }

    /// Takes steps until a limit is reached.
    ///
    /// The largest difference of a step is known only after its pass. If that step was the last one, the pass went too
    /// far: it is repeated with fewer steps from its start, which is still there.
    pub(in crate::heat) fn run<T: Float>(&mut self, limits: Limits) -> Result<Outcome, Error> {
        let depth = self.depth.steps;
        let mut outcome = Outcome { iterations: 0, max_difference: f64::INFINITY };
        // No difference is below zero. If one can be below the threshold, that may happen soon.
        let mut passes = if limits.threshold > 0.0 { 1 } else { MOST_PASSES };
        while outcome.iterations < limits.iterations {
            let steps = (passes * depth).min(limits.iterations - outcome.iterations);
            self.session.upload(self.words.ptr(), &vec![T::ZERO; steps])?;
            let of = |pass: usize| depth.min(steps - pass * depth);
            for pass in 0..steps.div_ceil(depth) {
                self.pass(pass, of(pass), limits.threshold, pass > 0)?;
            }
            // The bits are those of a value of the type.
            let differences = self.session.download_vec::<T>(self.words.ptr(), steps)?;
            let last = differences.iter().position(|difference| difference.to_f64() < limits.threshold);
            let taken = last.map_or(steps, |last| last + 1);
            let pass = (taken - 1) / depth;
            if taken - pass * depth < of(pass) {
                self.pass(pass, taken - pass * depth, limits.threshold, false)?;
            }
            if pass.is_multiple_of(2) {
                std::mem::swap(&mut self.old, &mut self.new);
            }
            let max_difference = differences[taken - 1].to_f64();
            outcome = Outcome { iterations: outcome.iterations + taken, max_difference };
            if last.is_some() {
                break;
            }
            passes = (2 * passes).min(MOST_PASSES);
        }
        Ok(outcome)
    }

    /// The temperatures, row after row.
    pub(in crate::heat) fn temperatures(&self) -> Result<Allocation, Error> {
        let cells = self.session.allocate(self.rows as u64 * (self.columns * self.size) as u64)?;
        let pointers = [&self.old, &cells].map(Allocation::argument);
        self.launch("_cells", self.plane(self.rows), &pointers, &[self.rows, self.columns, self.pitch])?;
        Ok(cells)
    }
}

#[cfg(test)]
mod tests {
    use super::Depth;

    #[test]
    fn bands_cover_all_rows_in_few_turns() {
        let depth = Depth::of::<f64>();
        for rows in (1..300).chain([4095, 4096, 4097, 1 << 20]) {
            for blocks in [1, 5, 79, 1583, 1584, 1585, 40_000] {
                let height = depth.height(rows, blocks, 1584);
                assert!((1..=rows).contains(&height), "{rows} rows: {height}");
                assert!(rows.div_ceil(height) <= (4 * 1584_u64).div_ceil(blocks), "{rows} rows, {blocks}: {height}");
            }
        }
        // The H200: 132 multiprocessors.
        assert_eq!(depth.height(4096, 79, 132 * 12), 205);
    }
}
