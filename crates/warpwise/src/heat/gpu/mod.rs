//! The GPU rungs: launches of a step. See `kernels.cu` for what each rung does.

pub(super) mod passes;
pub(super) mod resident;
pub(super) mod slab;
mod tiling;

use super::Cylinder;
use crate::device::{Allocation, Argument, Session, Shape};
use crate::kernels::{self, KernelModule};
use crate::{Error, Float, Geometry};

const KERNELS: &KernelModule = &kernels::HEAT;

/// The default number of threads in a block.
const BLOCK: u32 = 256;

/// A cylinder on a GPU: two padded grids that are swapped.
#[derive(Debug)]
pub(in crate::heat) struct Grids {
    session: Session,
    name: &'static str,
    type_name: &'static str,
    rows: usize,
    columns: usize,
    block: [u32; 2],
    /// Bytes of an element.
    size: u32,
    conductivity: Allocation,
    /// The temperatures.
    old: Allocation,
    /// The next temperatures.
    new: Allocation,
    /// The bits of the largest difference of a step.
    word: Allocation,
}

impl Grids {
    /// Copies a cylinder with at least one cell to the GPU.
    pub(in crate::heat) fn new<T: Float>(
        session: &Session,
        name: &'static str,
        cylinder: Cylinder<'_, T>,
        geometry: Geometry,
    ) -> Result<Self, Error> {
        let Cylinder { rows, columns, temperature, conductivity } = cylinder;
        let threads = geometry.block.unwrap_or(BLOCK);
        if threads == 0 {
            return Err(Error::Block { variant: name.to_owned(), block: threads, needs: "at least 1" });
        }
        // Kernels count rows and columns with the border in 32 bits.
        let padded = |side: usize| u32::try_from(side + 2).map(u64::from);
        let (Ok(padded_rows), Ok(padded_columns)) = (padded(rows), padded(columns)) else {
            return Err(Error::TooLarge { rows, columns });
        };
        let size = size_of::<T>() as u32;
        let cells = padded_rows * padded_columns * u64::from(size);
        let grids = Self {
            session: session.clone(),
            name,
            type_name: T::NAME,
            rows,
            columns,
            block: Shape::plane_block(columns as u64, rows as u64, threads),
            size,
            conductivity: session.allocate_copy(conductivity)?,
            old: session.allocate(cells)?,
            new: session.allocate(cells)?,
            word: session.allocate(u64::from(size))?,
        };
        let initial = session.allocate_copy(temperature)?;
        let block = Shape::plane_block(padded_columns, padded_rows, threads);
        let shape = Shape::plane(padded_columns, padded_rows, block, 0);
        // Both, because steps write neither the fixed rows nor, in the first rungs, the mirror columns.
        for grid in [&grids.old, &grids.new] {
            grids.launch("pad", shape, &[initial.argument(), grid.argument()])?;
        }
        Ok(grids)
    }

    /// Launches a kernel whose last arguments are rows and columns.
    fn launch(&self, kernel: &str, shape: Shape, arguments: &[Argument]) -> Result<(), Error> {
        let sides = [self.rows, self.columns].map(|side| Argument::U32(side as u32));
        let arguments = [arguments, &sides].concat();
        self.session.launch(KERNELS, &format!("heat_{kernel}_{}", self.type_name), shape, &arguments).map(drop)
    }

    fn plane(&self, shared: u32) -> Shape {
        Shape::plane(self.columns as u64, self.rows as u64, self.block, shared)
    }

    /// Takes a step and returns the largest difference.
    pub(in crate::heat) fn step<T: Float>(&mut self) -> Result<T, Error> {
        self.session.upload(self.word.ptr(), &[T::ZERO])?;
        let [old, new, conductivity, word] =
            [&self.old, &self.new, &self.conductivity, &self.word].map(Allocation::argument);
        let update = [old, new, conductivity];
        let differences = [old, new, word];
        let shared = (self.block[0] * self.block[1]).saturating_mul(self.size);
        match self.name {
            "gpu-1-separate-mirror" => {
                self.launch("1_separate_mirror_update", self.plane(0), &update)?;
                let line = Shape::cover(self.rows as u64, BLOCK.into(), BLOCK, 0);
                self.launch("1_separate_mirror_mirror", line, &[new])?;
                self.launch("1_separate_mirror_maxdiff", self.plane(0), &differences)?;
            }
            "gpu-2-merged-mirror" => {
                self.launch("2_merged_mirror_update", self.plane(0), &update)?;
                self.launch("1_separate_mirror_maxdiff", self.plane(0), &differences)?;
            }
            "gpu-3-shared-maxdiff" => {
                self.launch("2_merged_mirror_update", self.plane(0), &update)?;
                self.launch("3_shared_maxdiff", self.plane(shared), &differences)?;
            }
            _ => self.launch("4_fused", self.plane(shared), &[old, new, conductivity, word])?,
        }
        std::mem::swap(&mut self.old, &mut self.new);
        // The bits are those of a value of the type.
        Ok(self.session.download_vec::<T>(self.word.ptr(), 1)?[0])
    }

    /// The temperatures, row after row.
    pub(in crate::heat) fn temperatures(&self) -> Result<Allocation, Error> {
        let cells = self.session.allocate(self.rows as u64 * self.columns as u64 * u64::from(self.size))?;
        self.launch("unpad", self.plane(0), &[self.old.argument(), cells.argument()])?;
        Ok(cells)
    }
}
