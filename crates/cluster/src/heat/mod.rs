//! Heat on a cylinder: every rank has some of the rows, and copies of rows of its neighbours.
//!
//! With K rows of copies on a side, K steps can be taken before they have to be renewed: the rows near the cut are
//! computed by both sides, from the same values, to the same bits. Rows that neighbours need are computed first, and are
//! on their way while the others are computed. The largest change of every step is agreed on by all ranks; if a step
//! turns out to be the last, the pass is repeated with fewer steps from its start, as on one machine.
//!
//! Rows are in host memory, or on a GPU: an engine computes them.

mod engine;
mod gpu;
mod halo;
mod host;

use std::borrow::Cow;

use warpwise::heat::cpu::{DEPTH, Slab};
use warpwise::heat::{GpuSlab, Limits, Outcome, Temperature};

use self::engine::Engine;
use self::gpu::Gpu;
use self::halo::Halo;
use self::host::Host;
use crate::communicator::{Communicator, broadcast};
use crate::parts::Parts;
use crate::redistribute::zeros;
use crate::{Error, Place, agree};

/// The most steps of a first pass, if it may turn out to be the last one.
const SOON: usize = 16;

/// A cylinder, of which this rank has some rows.
///
/// ```
/// use warpwise::Device;
/// use warpwise::heat::{Cylinder, Limits, cpu};
/// use warpwise_cluster::{Communicator, Parts, Place, Threads, heat::Simulation};
///
/// let start: Vec<f64> = (0..60).map(f64::from).collect();
/// let conductivity = vec![0.5; 60];
/// let limits = Limits { iterations: 100, threshold: 0.05 };
/// let parts = Threads::run(3, |ranks| {
///     let rows = Parts::new(10, 3).of(ranks.rank());
///     let cells = rows.start * 6..rows.end * 6;
///     let (start, conductivity) = (start[cells.clone()].to_vec(), conductivity[cells].to_vec());
///     let place = Place::on(Device::cpu());
///     let mut simulation = Simulation::new(ranks, &place, (10, 6), None, start, conductivity).unwrap();
///     let outcome = simulation.run(ranks, limits).unwrap();
///     (simulation.temperatures().unwrap().to_vec(), outcome)
/// });
/// let (alone, outcome) = cpu::par(Cylinder::new(10, 6, &start, &conductivity)?, limits);
/// assert!(parts.iter().all(|part| part.1 == outcome));
/// assert_eq!(parts.into_iter().flat_map(|part| part.0).collect::<Vec<_>>(), alone);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub struct Simulation<T: Clone> {
    /// Rows of copies on a side, and the most steps of a pass.
    halo: usize,
    engine: Box<dyn Engine<T>>,
    fixed: Vec<T>,
    outcome: Outcome,
}

/// What a simulation has come to: enough to go on from.
///
/// ```
/// use warpwise::heat::Outcome;
/// use warpwise_cluster::heat::State;
///
/// let begin = State { fixed: vec![0.0; 4], outcome: Outcome { iterations: 0, max_difference: f64::INFINITY } };
/// assert_eq!(begin.outcome.iterations, 0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct State<T> {
    /// The fixed rows above the first and below the last.
    pub fixed: Vec<T>,
    /// The steps taken, and the largest change of the last one.
    pub outcome: Outcome,
}

impl<T: Temperature> Simulation<T> {
    /// A cylinder of rows and columns before its first step, from the temperatures and conductivities of this rank's
    /// rows. `halo` is the number of steps between two exchanges; what suits the size if there is none.
    ///
    /// # Errors
    ///
    /// Where the lengths do not fit the size.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise_cluster::{Place, Threads, heat::Simulation};
    ///
    /// let sizes = Threads::run(1, |ranks| {
    ///     let place = Place::on(Device::cpu());
    ///     let simulation = Simulation::new(ranks, &place, (1, 2), Some(3), vec![1.0, 2.0], vec![0.5; 2]).unwrap();
    ///     simulation.temperatures().unwrap().len()
    /// });
    /// assert_eq!(sizes, [2]);
    /// ```
    pub fn new(
        ranks: &dyn Communicator,
        place: &Place,
        size: (usize, usize),
        halo: Option<usize>,
        temperature: Vec<T>,
        conductivity: Vec<T>,
    ) -> Result<Self, Error> {
        let (rows, columns) = size;
        let parts = Parts::new(rows, ranks.size());
        // The first and the last row, from those who have them.
        let mut fixed = zeros::<T>(2 * columns);
        let mine = parts.of(ranks.rank());
        let last = parts.all().iter().position(|part| part.contains(&rows.wrapping_sub(1)));
        agree(ranks, check(temperature.len(), conductivity.len(), mine.len() * columns))?;
        if let (Some(last), 1..) = (last, columns) {
            for (rank, at) in [(0, 0), (last, columns)] {
                let row = if at == 0 { 0 } else { mine.len().saturating_sub(1) };
                if ranks.rank() == rank {
                    fixed[at..at + columns].copy_from_slice(&temperature[row * columns..][..columns]);
                }
                broadcast(ranks, rank, &mut fixed[at..at + columns]);
            }
        }
        let outcome = Outcome { iterations: 0, max_difference: f64::INFINITY };
        Self::resume(ranks, place, size, halo, temperature, conductivity, State { fixed, outcome })
    }

    /// Like [`new`](Self::new), but from temperatures after some steps.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::heat::{Limits, Outcome};
    /// use warpwise_cluster::heat::{Simulation, State};
    /// use warpwise_cluster::{Place, Threads};
    ///
    /// let steps = Threads::run(1, |ranks| {
    ///     let (place, w) = (Place::on(Device::emulator()), vec![0.5; 2]);
    ///     let mut simulation = Simulation::new(ranks, &place, (1, 2), None, vec![1.0, 2.0], w.clone()).unwrap();
    ///     simulation.run(ranks, Limits { iterations: 3, threshold: 0.0 }).unwrap();
    ///     let (state, cells) = (simulation.state(), simulation.temperatures().unwrap().to_vec());
    ///     let mut again = Simulation::resume(ranks, &place, (1, 2), None, cells, w, state).unwrap();
    ///     again.run(ranks, Limits { iterations: 5, threshold: 0.0 }).unwrap().iterations
    /// });
    /// assert_eq!(steps, [5]);
    /// ```
    pub fn resume(
        ranks: &dyn Communicator,
        place: &Place,
        size: (usize, usize),
        halo: Option<usize>,
        temperature: Vec<T>,
        conductivity: Vec<T>,
        state: State<T>,
    ) -> Result<Self, Error> {
        let ((rows, columns), parts) = (size, Parts::new(size.0, ranks.size()));
        let mine = parts.of(ranks.rank());
        agree(ranks, check(temperature.len(), conductivity.len(), mine.len() * columns))?;
        let deepest = if place.device().is_cpu() { DEPTH } else { GpuSlab::<T>::depth() };
        let most = match halo {
            Some(halo) => halo.clamp(1, deepest),
            None if place.device().is_cpu() => {
                Slab::<T>::depth(rows / ranks.size() / rayon::current_num_threads().max(1), columns)
            }
            None => deepest,
        };
        // The same in all ranks: the least.
        let mut least = [u64::MAX - most as u64];
        ranks.max_all(&mut least);
        let halo = (u64::MAX - least[0]) as usize;
        // Whoever has all rows needs no copies.
        let alone = ranks.size() == 1;
        let rims = Halo::new(&parts, ranks.rank(), if alone { 0 } else { halo });
        let with_copies = |mut own: Vec<T>| {
            let (mut above, mut below) =
                (zeros(rims.own.start * columns), zeros((rims.here.len() - rims.own.end) * columns));
            rims.renew(ranks, columns, [&mut above, &mut own, &mut below]);
            [above, own, below]
        };
        let (temperature, conductivity) = (with_copies(temperature), with_copies(conductivity));
        let edges = (!alone && rows / ranks.size() >= 4 * halo).then_some(halo);
        let fixed = state.fixed;
        let engine: Box<dyn Engine<T>> = if place.device().is_cpu() {
            let slab = Slab::new(columns, fixed.clone(), temperature, conductivity)?;
            Box::new(Host::new(columns, rims, edges, slab))
        } else {
            let (temperature, conductivity) = (temperature.concat(), conductivity.concat());
            let slab = GpuSlab::new(place.device(), columns, &fixed, &temperature, &conductivity, rims.own.clone());
            Box::new(Gpu::new(place, rims, edges, agree(ranks, slab.map_err(Error::from))?))
        };
        Ok(Self { halo, engine, fixed, outcome: state.outcome })
    }

    /// Takes steps until a limit is reached. Steps that were taken before count.
    ///
    /// # Errors
    ///
    /// What a device says; all ranks get the same.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::heat::Limits;
    /// use warpwise_cluster::{Place, Threads, heat::Simulation};
    ///
    /// let steps = Threads::run(2, |ranks| {
    ///     let mine = vec![f64::from(ranks.rank() as u32); 3];
    ///     let place = Place::on(Device::cpu());
    ///     let mut simulation = Simulation::new(ranks, &place, (2, 3), None, mine, vec![0.5; 3]).unwrap();
    ///     simulation.run(ranks, Limits { iterations: 4, threshold: 0.0 }).unwrap().iterations
    /// });
    /// # use warpwise_cluster::Communicator;
    /// assert_eq!(steps, [4, 4]);
    /// ```
    pub fn run(&mut self, ranks: &dyn Communicator, limits: Limits) -> Result<Outcome, Error> {
        let ended = |outcome: &Outcome| outcome.max_difference < limits.threshold;
        while self.outcome.iterations < limits.iterations && !ended(&self.outcome) {
            let done = self.outcome.iterations;
            let left = limits.iterations - done;
            // No change is below zero. If one can be below the threshold, that may happen soon.
            let most = if limits.threshold > 0.0 { done.max(SOON).min(self.halo) } else { self.halo };
            // Passes of about the same length.
            let steps = left.div_ceil(left.div_ceil(most));
            self.engine.pass(ranks, steps)?;
            let (mut taken, mut max_difference) = (steps, f64::INFINITY);
            // Without a threshold only the last change is of interest.
            if limits.threshold > 0.0 || steps == left {
                let changes = self.changes(ranks, steps)?;
                let last = changes.iter().position(|&change| change < limits.threshold);
                taken = last.map_or(steps, |last| last + 1);
                max_difference = changes[taken - 1];
            }
            if taken < steps {
                self.engine.pass(ranks, taken)?;
            }
            self.engine.swap();
            self.outcome = Outcome { iterations: done + taken, max_difference };
        }
        Ok(self.outcome)
    }

    /// The largest changes of the steps of a pass, over all ranks.
    fn changes(&mut self, ranks: &dyn Communicator, steps: usize) -> Result<Vec<f64>, Error> {
        let changes = self.engine.changes(steps);
        // Changes are not negative, so that their bits are ordered as they are, and NaN is above all; so is what a rank
        // says that has none.
        let mut bits = changes.as_ref().map_or(vec![u64::MAX; steps], |of| of.iter().map(|x| x.to_bits()).collect());
        ranks.max_all(&mut bits);
        if bits.contains(&u64::MAX) {
            return agree(ranks, changes);
        }
        Ok(bits.into_iter().map(f64::from_bits).collect())
    }

    /// The temperatures of this rank's rows.
    ///
    /// # Errors
    ///
    /// What the device says.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise_cluster::{Place, Threads, heat::Simulation};
    ///
    /// let cells = Threads::run(1, |ranks| {
    ///     let place = Place::on(Device::cpu());
    ///     let simulation = Simulation::new(ranks, &place, (1, 1), None, vec![3.5_f32], vec![0.5]).unwrap();
    ///     simulation.temperatures().unwrap().to_vec()
    /// });
    /// assert_eq!(cells, [[3.5]]);
    /// ```
    pub fn temperatures(&self) -> Result<Cow<'_, [T]>, Error> {
        self.engine.temperatures()
    }

    /// What it has come to.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise_cluster::{Place, Threads, heat::Simulation};
    ///
    /// let states = Threads::run(1, |ranks| {
    ///     let place = Place::on(Device::cpu());
    ///     let simulation = Simulation::new(ranks, &place, (1, 1), None, vec![3.5_f32], vec![0.5]).unwrap();
    ///     simulation.state()
    /// });
    /// assert_eq!(states[0].fixed, [3.5, 3.5]);
    /// ```
    pub fn state(&self) -> State<T> {
        State { fixed: self.fixed.clone(), outcome: self.outcome }
    }

    /// The steps taken, and the largest change of the last one.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise_cluster::{Place, Threads, heat::Simulation};
    ///
    /// let steps = Threads::run(1, |ranks| {
    ///     let place = Place::on(Device::cpu());
    ///     let simulation = Simulation::new(ranks, &place, (1, 1), None, vec![3.5_f32], vec![0.5]).unwrap();
    ///     simulation.outcome().iterations
    /// });
    /// assert_eq!(steps, [0]);
    /// ```
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Rows of copies on a side, and the most steps between two exchanges.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise_cluster::{Place, Threads, heat::Simulation};
    ///
    /// let halos = Threads::run(1, |ranks| {
    ///     let place = Place::on(Device::cpu());
    ///     let simulation = Simulation::new(ranks, &place, (1, 1), Some(4), vec![3.5_f32], vec![0.5]).unwrap();
    ///     simulation.halo()
    /// });
    /// assert_eq!(halos, [4]);
    /// ```
    pub fn halo(&self) -> usize {
        self.halo
    }
}

fn check(temperature: usize, conductivity: usize, cells: usize) -> Result<(), Error> {
    for (what, length) in [("the temperature", temperature), ("the conductivity", conductivity)] {
        if length != cells {
            return Err(Error::Ranks(format!("{what} has {length} cells of this rank's rows, not {cells}")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Threads;
    use warpwise::Device;
    use warpwise::heat::{Cylinder, cpu};
    use warpwise::random::Random;

    fn same<T: Temperature>(size: (usize, usize), halo: Option<usize>, limits: Limits, nan: bool) {
        same_on::<T>(&Device::cpu, &[1, 2, 3, 4, 7, 8], size, halo, limits, nan);
    }

    fn same_on<T: Temperature>(
        device: &(dyn Fn() -> Device + Sync),
        numbers: &[usize],
        size: (usize, usize),
        halo: Option<usize>,
        limits: Limits,
        nan: bool,
    ) {
        let (rows, columns) = size;
        let mut random = Random::new(rows as u64);
        let mut start: Vec<T> = random.elements(rows * columns);
        if nan {
            start[rows * columns / 2] = T::from_f64(f64::NAN);
        }
        let conductivity: Vec<T> = (0..rows * columns).map(|_| T::from_f64(random.unit())).collect();
        let (alone, outcome) = cpu::seq(Cylinder::new(rows, columns, &start, &conductivity).unwrap(), limits);
        for &ranks in numbers {
            let parts = Threads::run(ranks, |comm| {
                let mine = Parts::new(rows, ranks).of(comm.rank());
                let cells = mine.start * columns..mine.end * columns;
                let (start, conductivity) = (start[cells.clone()].to_vec(), conductivity[cells].to_vec());
                let place = Place::on(device());
                let mut simulation = Simulation::new(comm, &place, size, halo, start, conductivity).unwrap();
                // In two pieces, as between checkpoints.
                simulation.run(comm, Limits { iterations: limits.iterations / 2, ..limits }).unwrap();
                let outcome = simulation.run(comm, limits).unwrap();
                (simulation.temperatures().unwrap().to_vec(), outcome)
            });
            for part in &parts {
                assert_eq!(part.1.iterations, outcome.iterations, "{size:?} on {ranks}");
                let (found, expected) = (part.1.max_difference, outcome.max_difference);
                assert!(found == expected || found.is_nan() && expected.is_nan(), "{found} {expected}");
            }
            let found: Vec<T> = parts.into_iter().flat_map(|part| part.0).collect();
            let bits = |xs: &[T]| {
                xs.iter().map(|x| if x.is_nan() { None } else { Some(x.to_f64().to_bits()) }).collect::<Vec<_>>()
            };
            assert!(bits(&found) == bits(&alone), "{} {size:?} {halo:?} on {ranks}", T::NAME);
        }
    }

    #[test]
    fn cells_and_ends_are_those_of_one_machine() {
        let limits = Limits { iterations: 23, threshold: 0.0 };
        for size in [(1, 1), (2, 3), (5, 2), (7, 9), (30, 17), (61, 40)] {
            for halo in [None, Some(1), Some(2), Some(5)] {
                same::<f64>(size, halo, limits, false);
            }
            same::<f32>(size, Some(3), limits, false);
            same::<f64>(size, None, Limits { iterations: 500, threshold: 0.02 }, false);
            same::<f64>(size, Some(4), Limits { iterations: 500, threshold: 0.02 }, false);
        }
        same::<f64>((4, 4), None, Limits { iterations: 0, threshold: 0.0 }, false);
    }

    #[test]
    fn wide_grids_take_passes_with_edges_first() {
        for threshold in [0.0, 0.05] {
            same::<f64>((300, 400), None, Limits { iterations: 37, threshold }, false);
            same::<f32>((320, 200), Some(6), Limits { iterations: 37, threshold }, false);
        }
        same::<f64>((300, 400), None, Limits { iterations: 20, threshold: 0.5 }, true);
    }

    #[test]
    fn empty_cylinders_end_at_once() {
        let ends = Threads::run(2, |comm| {
            [Device::cpu(), Device::emulator()].map(|device| {
                let place = Place::on(device);
                let empty = Simulation::<f64>::new(comm, &place, (0, 5), None, Vec::new(), Vec::new());
                empty.unwrap().run(comm, Limits { iterations: 3, threshold: 0.1 }).unwrap()
            })
        });
        assert!(ends[0].iter().all(|end| end.iterations == 1), "nothing changes");
    }

    #[test]
    fn gpus_give_the_same_cells_and_ends() {
        let ranks = [1, 2, 3, 7];
        for (size, halo) in [((1, 1), None), ((5, 3), None), ((20, 9), Some(2)), ((61, 40), None), ((99, 61), Some(4))]
        {
            for threshold in [0.0, 0.02] {
                let limits = Limits { iterations: 23, threshold };
                same_on::<f64>(&Device::emulator, &ranks, size, halo, limits, false);
                same_on::<f32>(&Device::emulator, &ranks, size, halo, limits, false);
            }
        }
        let limits = Limits { iterations: 11, threshold: 0.5 };
        same_on::<f64>(&Device::emulator, &ranks, (61, 40), None, limits, true);
    }
}
