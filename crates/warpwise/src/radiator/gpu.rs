//! The GPU rungs: launches of the start, the steps and the averages. See `kernels.cu` for what each rung does.

use super::window::Window;
use super::{Preset, Radiator};
use crate::device::{Allocation, Argument, Session, Shape};
use crate::kernels::{self, KernelModule};
use crate::{Error, Float, Geometry};

const KERNELS: &KernelModule = &kernels::RADIATOR;

/// The default number of threads in a block.
const BLOCK: u32 = 256;
/// The default number of vectors per thread of the second rung.
const VECTORS: u32 = 4;
/// Columns that a thread of the third rung can have; 32 only for `f32`.
const ITEMS: [u32; 4] = [4, 8, 16, 32];

/// A radiator on a GPU.
#[derive(Debug)]
pub(super) struct Grids {
    session: Session,
    radiator: Radiator,
    name: &'static str,
    threads: u32,
    /// Vectors or columns of a thread.
    items: u32,
    /// The values.
    now: Allocation,
    /// What a block of the last rung holds.
    window: Option<Window>,
    /// Where a step writes the next values; `None` if rows stay on chip.
    next: Option<Allocation>,
}

/// The most columns that the third rung takes.
fn longest<T: Float>() -> usize {
    1024 * if size_of::<T>() == 4 { 32 } else { 16 }
}

/// Columns of a thread: as requested, or so few that a block has many threads, but not too many.
fn resident_items<T: Float>(name: &'static str, columns: usize, wanted: Option<u32>) -> Result<u32, Error> {
    let limit = longest::<T>();
    if columns > limit {
        let instead = "gpu-4-shuffled";
        return Err(Error::OneBlock { variant: name, elements: columns, limit, instead });
    }
    let offered = if size_of::<T>() == 4 { &ITEMS[..] } else { &ITEMS[..3] };
    let fits = |items: u32, threads: usize| columns.div_ceil(items as usize) <= threads;
    if let Some(items) = wanted {
        let needs =
            if size_of::<T>() == 4 { "4, 8, 16 or 32, and 1024 threads" } else { "4, 8 or 16, and 1024 threads" };
        if offered.contains(&items) && fits(items, 1024) {
            return Ok(items);
        }
        return Err(Error::Choice { variant: name, what: "items", value: items as usize, needs });
    }
    let choices = [256, 512, 1024].into_iter().flat_map(|threads| offered.iter().map(move |&items| (items, threads)));
    Ok(choices.into_iter().find(|&(items, threads)| fits(items, threads)).map_or(offered[offered.len() - 1], |c| c.0))
}

impl Grids {
    /// The start values of a radiator with at least one cell.
    pub(super) fn new<T: Float>(
        session: &Session,
        name: &'static str,
        radiator: Radiator,
        geometry: Geometry,
    ) -> Result<Self, Error> {
        let (rows, columns) = (radiator.rows(), radiator.columns());
        if u32::try_from(rows).is_err() || u32::try_from(columns).is_err() {
            return Err(Error::TooLarge { rows, columns });
        }
        let threads = geometry.block.unwrap_or(BLOCK);
        if threads == 0 {
            return Err(Error::Block { variant: name.to_owned(), block: threads, needs: "at least 1" });
        }
        let window = match name {
            "gpu-4-shuffled" => Some(Window::new::<T>(name, &radiator, session.shared_limit(), geometry.items)?),
            _ => None,
        };
        let items = match name {
            "gpu-3-resident" => resident_items::<T>(name, columns, geometry.items)?,
            _ => geometry.items.unwrap_or(VECTORS),
        };
        if items == 0 {
            return Err(Error::Choice { variant: name, what: "items", value: 0, needs: "at least 1" });
        }
        let bytes = rows as u64 * columns as u64 * size_of::<T>() as u64;
        let now = match name {
            "gpu-1-naive" => session.allocate_copy(&radiator.start::<T>())?,
            _ => session.allocate(bytes)?,
        };
        let resident = name == "gpu-3-resident" || window.is_some_and(Window::is_whole);
        let next = if resident { None } else { Some(session.allocate(bytes)?) };
        let grids = Self { session: session.clone(), radiator, name, threads, items, now, window, next };
        if name != "gpu-1-naive" {
            let preset = match radiator.preset() {
                Preset::Year2019 => 2019,
                Preset::Year2023 => 2023,
                Preset::Year2025 => 2025,
            };
            let arguments = [grids.now.argument(), grids.rows(), grids.columns(), Argument::U32(preset)];
            grids.launch::<T>("start", grids.plane(1), &arguments)?;
        }
        Ok(grids)
    }

    fn rows(&self) -> Argument {
        Argument::U32(self.radiator.rows() as u32)
    }

    fn columns(&self) -> Argument {
        Argument::U32(self.radiator.columns() as u32)
    }

    fn fixed(&self) -> Argument {
        Argument::U32(self.radiator.preset().fixed() as u32)
    }

    /// A launch with a thread for that many columns each.
    fn plane(&self, per_thread: u64) -> Shape {
        let (rows, columns) = (self.radiator.rows() as u64, (self.radiator.columns() as u64).div_ceil(per_thread));
        Shape::plane(columns, rows, Shape::plane_block(columns, rows, self.threads), 0)
    }

    fn launch<T: Float>(&self, kernel: &str, shape: Shape, arguments: &[Argument]) -> Result<(), Error> {
        self.session.launch(KERNELS, &format!("radiator_{kernel}_{}", T::NAME), shape, arguments).map(drop)
    }

    /// Takes that many steps.
    pub(super) fn run<T: Float>(&mut self, iterations: usize) -> Result<(), Error> {
        if let Some(window) = self.window {
            return self.shuffled::<T>(iterations, window);
        }
        let fixed = self.fixed();
        let weights = self.radiator.preset().weights().map(|weight| Argument::float(T::from_f64(weight)));
        if self.next.is_none() {
            return self.resident::<T>(iterations, fixed, weights);
        }
        for _ in 0..iterations {
            let next = self.next.as_ref().map_or(Argument::NULL, Allocation::argument);
            let mut arguments = vec![self.now.argument(), next, self.rows(), self.columns(), fixed];
            if self.name == "gpu-1-naive" {
                arguments.extend(weights);
                self.launch::<T>("1_naive", self.plane(1), &arguments)?;
            } else {
                arguments.push(Argument::U32(self.items));
                arguments.extend(weights);
                let vector = 16 / size_of::<T>() as u64;
                self.launch::<T>("2_registers", self.plane(vector * u64::from(self.items)), &arguments)?;
            }
            if let Some(next) = &mut self.next {
                std::mem::swap(&mut self.now, next);
            }
        }
        Ok(())
    }

    /// All steps in one launch, with a block for each row.
    fn resident<T: Float>(&self, iterations: usize, fixed: Argument, weights: [Argument; 5]) -> Result<(), Error> {
        let block = (self.radiator.columns() as u32).div_ceil(self.items).next_multiple_of(32);
        let shape = Shape::line(self.radiator.rows() as u32, block, 8 * block * size_of::<T>() as u32);
        let mut left = iterations;
        while left > 0 {
            let some = left.min(u32::MAX as usize);
            let mut arguments = vec![self.now.argument(), self.columns(), fixed, Argument::U32(some as u32)];
            arguments.extend(weights);
            self.launch::<T>(&format!("3_resident_{}", self.items), shape, &arguments)?;
            left -= some;
        }
        Ok(())
    }

    /// As many steps in a launch as the windows of rows allow.
    fn shuffled<T: Float>(&mut self, iterations: usize, window: Window) -> Result<(), Error> {
        let fifths = self.radiator.preset().weights().map(|weight| Argument::float(T::from_f64(weight / 5.0)));
        let blocks = (self.radiator.rows() as u64).div_ceil(window.rows.into()) * u64::from(window.count);
        let shape = Shape::cover(blocks, 1, window.block(), window.shared::<T>());
        let mut left = iterations;
        while left > 0 {
            let some = left.min(window.steps());
            let to = self.next.as_ref().unwrap_or(&self.now).argument();
            let mut arguments = vec![self.now.argument(), to, self.rows(), self.columns(), self.fixed()];
            let sizes = [some as u32, window.warps, window.length, window.halo];
            arguments.extend(sizes.map(Argument::U32));
            arguments.extend(fifths);
            self.launch::<T>(&format!("4_shuffled_{}", window.items), shape, &arguments)?;
            if let Some(next) = &mut self.next {
                std::mem::swap(&mut self.now, next);
            }
            left -= some;
        }
        Ok(())
    }

    /// The values on the host.
    pub(super) fn values<T: Float>(&self) -> Result<Vec<T>, Error> {
        self.session.download_vec(self.now.ptr(), self.radiator.rows() * self.radiator.columns())
    }

    /// Replaces the values.
    pub(super) fn set_values<T: Float>(&mut self, values: &[T]) -> Result<(), Error> {
        self.session.upload(self.now.ptr(), values)
    }

    /// The average of every row.
    pub(super) fn averages<T: Float>(&self) -> Result<Allocation, Error> {
        let rows = self.radiator.rows();
        let averages = self.session.allocate(rows as u64 * size_of::<T>() as u64)?;
        let arguments = [self.now.argument(), averages.argument(), self.columns()];
        self.launch::<T>("average", Shape::line(rows as u32, BLOCK, 0), &arguments)?;
        Ok(averages)
    }
}
