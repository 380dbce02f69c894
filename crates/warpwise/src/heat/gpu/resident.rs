//! The GPU rung for grids that fit on chip: all steps in one launch. See `resident.cu` for how blocks exchange halos.

use super::tiling::{Room, Tiling};
use crate::device::{Allocation, Argument, Session, Shape};
use crate::heat::{Cylinder, Limits, Outcome};
use crate::kernels::{self, KernelModule};
use crate::{Error, Float, Geometry};

const KERNELS: &KernelModule = &kernels::HEAT_RESIDENT;

/// The rung.
pub(in crate::heat) const NAME: &str = "gpu-6-resident";
/// Steps of a launch if only the last difference is needed.
const MOST_STEPS: usize = 4096;
/// Steps of the first launch if any difference may be the last, and the most of later ones: work beyond the end is
/// wasted.
const ASKED: (usize, usize) = (16, 256);

/// A cylinder on a GPU, between launches.
#[derive(Debug)]
pub(in crate::heat) struct Resident {
    session: Session,
    type_name: &'static str,
    rows: usize,
    columns: usize,
    /// Bytes of an element.
    size: usize,
    tiling: Tiling,
    shape: Shape,
    conductivity: Allocation,
    /// The rows above the first and below the last.
    fixed: Allocation,
    /// The temperatures.
    old: Allocation,
    /// Where the next launch writes them.
    new: Allocation,
    /// What blocks exchange: two grids, of which only the edges of tiles are used.
    faces: Allocation,
    /// How often blocks have exchanged.
    flags: Allocation,
    epoch: u32,
    /// The bits of the largest difference of every step of a launch.
    words: Allocation,
}

/// The tiles of a cylinder that fits on chip, on a GPU whose blocks can wait for each other; an error for a geometry
/// that the rung does not support.
pub(in crate::heat) fn tiling<T: Float>(
    session: &Session,
    cylinder: &Cylinder<'_, T>,
    geometry: Geometry,
) -> Result<Option<Tiling>, Error> {
    let room = Room::new::<T>(session, NAME, geometry)?;
    Ok(Tiling::new::<T>(cylinder.rows, cylinder.columns, room).filter(|_| session.cooperates()))
}

/// Whether this rung is the fastest for a cylinder.
pub(in crate::heat) fn is_best<T: Float>(session: &Session, cylinder: &Cylinder<'_, T>) -> Result<bool, Error> {
    Ok(tiling::<T>(session, cylinder, Geometry::default())?.is_some())
}

impl Resident {
    /// Copies a cylinder with at least one cell to the GPU.
    pub(in crate::heat) fn new<T: Float>(
        session: &Session,
        cylinder: Cylinder<'_, T>,
        tiling: Tiling,
    ) -> Result<Self, Error> {
        let Cylinder { rows, columns, temperature, conductivity } = cylinder;
        let size = size_of::<T>();
        let pitch = columns.next_multiple_of(tiling.kind.span as usize);
        let fixed = [&temperature[..columns], &temperature[(rows - 1) * columns..]].concat();
        let tiles = tiling.across as usize * tiling.down as usize;
        Ok(Self {
            session: session.clone(),
            type_name: T::NAME,
            rows,
            columns,
            size,
            tiling,
            shape: Shape {
                grid: [tiling.across, tiling.down, 1],
                block: [32 * tiling.warps, 1, 1],
                shared: tiling.shared::<T>(),
            },
            conductivity: session.allocate_copy(conductivity)?,
            fixed: session.allocate_copy(&fixed)?,
            old: session.allocate_copy(temperature)?,
            new: session.allocate(size_of_val(temperature) as u64)?,
            faces: session.allocate((2 * rows * pitch * size) as u64)?,
            flags: session.allocate_zeroed::<u32>(8 * tiles)?,
            epoch: 0,
            words: session.allocate((ASKED.1 * size) as u64)?,
        })
    }

    /// Takes that many steps from the old temperatures; the differences from step `measured` on are kept, the first of
    /// them in the first word.
    fn advance(&mut self, steps: usize, measured: usize) -> Result<(), Error> {
        let Tiling { kind, width, height, depth, .. } = self.tiling;
        let pitch = self.columns.next_multiple_of(kind.span as usize);
        let allocations =
            [&self.old, &self.new, &self.conductivity, &self.fixed, &self.faces, &self.flags, &self.words];
        let mut arguments = allocations.map(Allocation::argument).to_vec();
        let sizes = [self.rows as u32, self.columns as u32, pitch as u32, width, height, depth];
        arguments.extend(sizes.map(Argument::U32));
        arguments.extend([steps as u32, measured as u32, self.epoch].map(Argument::U32));
        let kernel = format!("heat_6_resident_{}_{}_{}", kind.span, kind.lines, self.type_name);
        self.session.launch_together(KERNELS, &kernel, self.shape, &arguments)?;
        self.epoch = self.epoch.wrapping_add((steps as u32).div_ceil(depth) - 1);
        Ok(())
    }

    /// Takes steps until a limit is reached.
    ///
    /// The largest difference of a step is known only after its launch. If that step was the last one, the launch went
    /// too far: it is repeated with fewer steps from its start, which is still there.
    pub(in crate::heat) fn run<T: Float>(&mut self, limits: Limits) -> Result<Outcome, Error> {
        let mut outcome = Outcome { iterations: 0, max_difference: f64::INFINITY };
        // No difference is below zero: if none can be the last, only that of the last step is needed.
        let asked = limits.threshold > 0.0;
        let mut most = if asked { ASKED.0 } else { MOST_STEPS };
        while outcome.iterations < limits.iterations {
            let steps = most.min(limits.iterations - outcome.iterations);
            let measured = if asked { 0 } else { steps - 1 };
            self.session.upload(self.words.ptr(), &vec![T::ZERO; steps - measured])?;
            self.advance(steps, measured)?;
            // The bits are those of values of the type.
            let differences = self.session.download_vec::<T>(self.words.ptr(), steps - measured)?;
            let last = differences.iter().position(|difference| difference.to_f64() < limits.threshold);
            let taken = last.map_or(steps, |last| measured + last + 1);
            if taken < steps {
                self.advance(taken, taken)?;
            }
            std::mem::swap(&mut self.old, &mut self.new);
            let max_difference = differences[taken - 1 - measured].to_f64();
            outcome = Outcome { iterations: outcome.iterations + taken, max_difference };
            if last.is_some() {
                break;
            }
            most = if asked { (2 * most).min(ASKED.1) } else { most };
        }
        Ok(outcome)
    }

    /// The temperatures, row after row.
    pub(in crate::heat) fn temperatures(&self) -> Result<Allocation, Error> {
        let cells = self.session.allocate((self.rows * self.columns * self.size) as u64)?;
        let (rows, columns) = (self.rows as u64, self.columns as u64);
        let shape = Shape::plane(columns, rows, Shape::plane_block(columns, rows, 256), 0);
        let numbers = [self.rows, self.columns, self.columns, 0].map(|number| Argument::U32(number as u32));
        let arguments = [&[self.old.argument(), cells.argument()][..], &numbers].concat();
        self.session.launch(super::KERNELS, &format!("heat_5_passes_lay_{}", self.type_name), shape, &arguments)?;
        Ok(cells)
    }
}
