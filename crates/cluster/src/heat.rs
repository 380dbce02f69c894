//! Heat on a cylinder: every rank has some of the rows, and copies of rows of its neighbours.
//!
//! With K rows of copies on a side, K steps can be taken before they have to be renewed: the rows near the cut are
//! computed by both sides, from the same values, to the same bits. Rows that neighbours need are computed first, and are
//! on their way while the others are computed. The largest change of every step is agreed on by all ranks; if a step
//! turns out to be the last, the pass is repeated with fewer steps from its start, as on one machine.

use std::ops::Range;

use warpwise::heat::cpu::{DEPTH, Slab};
use warpwise::heat::{Limits, Outcome, Temperature};

use crate::communicator::{Communicator, broadcast, exchange, exchange_while};
use crate::parts::{Parts, common};
use crate::redistribute::zeros;
use crate::{Error, agree};

/// The most steps of a first pass, if it may turn out to be the last one.
const SOON: usize = 16;

/// A cylinder, of which this rank has some rows.
///
/// ```
/// use warpwise::heat::{Cylinder, Limits, cpu};
/// use warpwise_cluster::{Communicator, Parts, Threads, heat::Simulation};
///
/// let start: Vec<f64> = (0..60).map(f64::from).collect();
/// let conductivity = vec![0.5; 60];
/// let limits = Limits { iterations: 100, threshold: 0.05 };
/// let parts = Threads::run(3, |ranks| {
///     let rows = Parts::new(10, 3).of(ranks.rank());
///     let cells = rows.start * 6..rows.end * 6;
///     let (start, conductivity) = (start[cells.clone()].to_vec(), conductivity[cells].to_vec());
///     let mut simulation = Simulation::new(ranks, (10, 6), None, start, conductivity).unwrap();
///     let outcome = simulation.run(ranks, limits);
///     (simulation.temperatures().to_vec(), outcome)
/// });
/// let (alone, outcome) = cpu::par(Cylinder::new(10, 6, &start, &conductivity)?, limits);
/// assert!(parts.iter().all(|part| part.1 == outcome));
/// assert_eq!(parts.into_iter().flat_map(|part| part.0).collect::<Vec<_>>(), alone);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Debug)]
pub struct Simulation<T> {
    rows: usize,
    columns: usize,
    parts: Parts,
    /// Rows of copies on a side, and the most steps of a pass.
    halo: usize,
    slab: Slab<T>,
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
    /// use warpwise_cluster::{Threads, heat::Simulation};
    ///
    /// let sizes = Threads::run(1, |ranks| {
    ///     let simulation = Simulation::new(ranks, (1, 2), Some(3), vec![1.0, 2.0], vec![0.5; 2]).unwrap();
    ///     simulation.temperatures().len()
    /// });
    /// assert_eq!(sizes, [2]);
    /// ```
    pub fn new(
        ranks: &dyn Communicator,
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
        Self::resume(ranks, size, halo, temperature, conductivity, State { fixed, outcome })
    }

    /// Like [`new`](Self::new), but from temperatures after some steps.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    ///
    /// ```
    /// use warpwise::heat::{Limits, Outcome};
    /// use warpwise_cluster::heat::{Simulation, State};
    /// use warpwise_cluster::Threads;
    ///
    /// let steps = Threads::run(1, |ranks| {
    ///     let mut simulation = Simulation::new(ranks, (1, 2), None, vec![1.0, 2.0], vec![0.5; 2]).unwrap();
    ///     simulation.run(ranks, Limits { iterations: 3, threshold: 0.0 });
    ///     let (state, cells) = (simulation.state(), simulation.temperatures().to_vec());
    ///     let mut again = Simulation::resume(ranks, (1, 2), None, cells, vec![0.5; 2], state).unwrap();
    ///     again.run(ranks, Limits { iterations: 5, threshold: 0.0 }).iterations
    /// });
    /// assert_eq!(steps, [5]);
    /// ```
    pub fn resume(
        ranks: &dyn Communicator,
        size: (usize, usize),
        halo: Option<usize>,
        temperature: Vec<T>,
        conductivity: Vec<T>,
        state: State<T>,
    ) -> Result<Self, Error> {
        let ((rows, columns), parts) = (size, Parts::new(size.0, ranks.size()));
        let mine = parts.of(ranks.rank());
        agree(ranks, check(temperature.len(), conductivity.len(), mine.len() * columns))?;
        let most = halo.map_or_else(
            || Slab::<T>::depth(rows / ranks.size() / rayon::current_num_threads().max(1), columns),
            |halo| halo.clamp(1, DEPTH),
        );
        // The same in all ranks: the least.
        let mut least = [u64::MAX - most as u64];
        ranks.max_all(&mut least);
        let halo = (u64::MAX - least[0]) as usize;
        // Whoever has all rows needs no copies.
        let reach = if ranks.size() == 1 { 0 } else { halo };
        let here = around(rows, reach, mine.clone());
        let own = mine.start - here.start..mine.end - here.start;
        let spread = |part: Vec<T>| {
            if here == mine && ranks.size() == 1 {
                return part;
            }
            let mut cells = zeros(here.len() * columns);
            cells[own.start * columns..own.end * columns].copy_from_slice(&part);
            renew(ranks, columns, &parts, reach, own.clone(), &mut cells);
            cells
        };
        let (temperature, conductivity) = (spread(temperature), spread(conductivity));
        let slab = Slab::new(columns, state.fixed.clone(), temperature, conductivity, own)?;
        Ok(Self { rows, columns, parts, halo, slab, fixed: state.fixed, outcome: state.outcome })
    }

    /// Takes steps until a limit is reached. Steps that were taken before count.
    ///
    /// ```
    /// use warpwise::heat::Limits;
    /// use warpwise_cluster::{Threads, heat::Simulation};
    ///
    /// let steps = Threads::run(2, |ranks| {
    ///     let mine = vec![f64::from(ranks.rank() as u32); 3];
    ///     let mut simulation = Simulation::new(ranks, (2, 3), None, mine, vec![0.5; 3]).unwrap();
    ///     simulation.run(ranks, Limits { iterations: 4, threshold: 0.0 }).iterations
    /// });
    /// # use warpwise_cluster::Communicator;
    /// assert_eq!(steps, [4, 4]);
    /// ```
    pub fn run(&mut self, ranks: &dyn Communicator, limits: Limits) -> Outcome {
        let ended = |outcome: &Outcome| outcome.max_difference < limits.threshold;
        while self.outcome.iterations < limits.iterations && !ended(&self.outcome) {
            let done = self.outcome.iterations;
            let left = limits.iterations - done;
            // No change is below zero. If one can be below the threshold, that may happen soon.
            let most = if limits.threshold > 0.0 { done.max(SOON).min(self.halo) } else { self.halo };
            // Passes of about the same length.
            let steps = left.div_ceil(left.div_ceil(most));
            let mut changes = self.pass(ranks, steps);
            // Without a threshold only the last change is of interest.
            if limits.threshold > 0.0 || steps == left {
                self.agree_on(ranks, &mut changes[..steps]);
            }
            let last = changes[..steps].iter().position(|&change| change < limits.threshold);
            let taken = last.map_or(steps, |last| last + 1);
            if taken < steps {
                self.pass(ranks, taken);
            }
            self.slab.swap();
            self.outcome = Outcome { iterations: done + taken, max_difference: changes[taken - 1] };
        }
        self.outcome
    }

    /// The temperatures of this rank's rows.
    ///
    /// ```
    /// use warpwise_cluster::{Threads, heat::Simulation};
    ///
    /// let cells = Threads::run(1, |ranks| {
    ///     Simulation::new(ranks, (1, 1), None, vec![3.5_f32], vec![0.5]).unwrap().temperatures().to_vec()
    /// });
    /// assert_eq!(cells, [[3.5]]);
    /// ```
    pub fn temperatures(&self) -> &[T] {
        self.slab.rows(self.slab.own())
    }

    /// What it has come to.
    ///
    /// ```
    /// use warpwise_cluster::{Threads, heat::Simulation};
    ///
    /// let states = Threads::run(1, |ranks| {
    ///     Simulation::new(ranks, (1, 1), None, vec![3.5_f32], vec![0.5]).unwrap().state()
    /// });
    /// assert_eq!(states[0].fixed, [3.5, 3.5]);
    /// ```
    pub fn state(&self) -> State<T> {
        State { fixed: self.fixed.clone(), outcome: self.outcome }
    }

    /// The steps taken, and the largest change of the last one.
    ///
    /// ```
    /// use warpwise_cluster::{Threads, heat::Simulation};
    ///
    /// let steps = Threads::run(1, |ranks| {
    ///     Simulation::new(ranks, (1, 1), None, vec![3.5_f32], vec![0.5]).unwrap().outcome().iterations
    /// });
    /// assert_eq!(steps, [0]);
    /// ```
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Rows of copies on a side, and the most steps between two exchanges.
    ///
    /// ```
    /// use warpwise_cluster::{Threads, heat::Simulation};
    ///
    /// let halos = Threads::run(1, |ranks| {
    ///     Simulation::new(ranks, (1, 1), Some(4), vec![3.5_f32], vec![0.5]).unwrap().halo()
    /// });
    /// assert_eq!(halos, [4]);
    /// ```
    pub fn halo(&self) -> usize {
        self.halo
    }

    fn agree_on(&self, ranks: &dyn Communicator, changes: &mut [f64]) {
        // Changes are not negative, so that their bits are ordered as they are, and NaN is above all.
        let mut bits: Vec<u64> = changes.iter().map(|change| change.to_bits()).collect();
        ranks.max_all(&mut bits);
        changes.iter_mut().zip(bits).for_each(|(change, bits)| *change = f64::from_bits(bits));
    }

    /// Computes the temperatures that many steps later, beside the current ones, and renews the copies; returns the
    /// largest change of each step.
    fn pass(&mut self, ranks: &dyn Communicator, steps: usize) -> [f64; DEPTH] {
        let own = self.slab.own();
        let mut changes = if ranks.size() == 1 {
            self.slab.advance(steps, own.clone())
        } else if self.rows / ranks.size() >= 4 * self.halo {
            self.pass_with_edges_first(ranks, steps)
        } else {
            let changes = self.slab.advance(steps, own.clone());
            self.renew(ranks);
            changes
        };
        if changes[steps - 1].is_nan() && self.slab.expect_nan() {
            // Earlier steps may have had it too. The temperatures come out as they are.
            changes = self.slab.advance(steps, own);
        }
        changes
    }

    fn pass_with_edges_first(&mut self, ranks: &dyn Communicator, steps: usize) -> [f64; DEPTH] {
        let (own, halo, columns, me) = (self.slab.own(), self.halo, self.columns, ranks.rank());
        let (first, last) = (me == 0, me + 1 == ranks.size());
        let inner = own.start + if first { 0 } else { halo }..own.end - if last { 0 } else { halo };
        let above = self.slab.advance(steps, own.start..inner.start);
        let below = self.slab.advance(steps, inner.end..own.end);
        let (before, part, after) = self.slab.split(inner);
        let (copies_above, edge_above) = before.split_at_mut(own.start * columns);
        let (edge_below, copies_below) = after.split_at_mut(if last { 0 } else { halo * columns });
        let (mut sends, mut receives) = (Vec::new(), Vec::new());
        if !first {
            sends.push((me - 1, &*edge_above));
            receives.push((me - 1, copies_above));
        }
        if !last {
            sends.push((me + 1, &*edge_below));
            receives.push((me + 1, copies_below));
        }
        let mut part = Some(part);
        let mut between = [0.0; DEPTH];
        exchange_while(ranks, &sends, receives, &mut || {
            if let Some(part) = part.take() {
                between = part.advance(steps);
            }
        });
        let largest = |step: usize| [above[step], below[step], between[step]].into_iter().fold(0.0, larger);
        std::array::from_fn(largest)
    }

    /// New copies of the rows around, from whoever has them: with few rows, not only from the next rank.
    fn renew(&mut self, ranks: &dyn Communicator) {
        let own = self.slab.own();
        renew(ranks, self.columns, &self.parts, self.halo, own, self.slab.next_mut());
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

fn larger(a: f64, b: f64) -> f64 {
    f64::from_bits(a.to_bits().max(b.to_bits()))
}

/// The rows that a rank has: its own, and copies of as many around them.
fn around(rows: usize, reach: usize, part: Range<usize>) -> Range<usize> {
    if part.is_empty() { part } else { part.start.saturating_sub(reach)..rows.min(part.end + reach) }
}

/// Sends own rows to all that have copies of them, and receives the copies. `own` are the own rows among all that are
/// here.
fn renew<T: Temperature>(
    ranks: &dyn Communicator,
    columns: usize,
    parts: &Parts,
    reach: usize,
    own: Range<usize>,
    cells: &mut [T],
) {
    let (me, all) = (ranks.rank(), parts.all());
    let rows = all.last().map_or(0, |part| part.end);
    let (mine, here) = (&all[me], around(rows, reach, all[me].clone()));
    let (mut above, rest) = cells.split_at_mut(own.start * columns);
    let (kept, mut below) = rest.split_at_mut(own.len() * columns);
    let (mut sends, mut receives) = (Vec::new(), Vec::new());
    for (rank, theirs) in all.iter().enumerate().filter(|(rank, _)| *rank != me) {
        let given = common(&around(rows, reach, theirs.clone()), mine);
        if !given.is_empty() {
            sends.push((rank, &kept[(given.start - mine.start) * columns..(given.end - mine.start) * columns]));
        }
        let wanted = common(theirs, &here);
        if !wanted.is_empty() {
            let side = if wanted.start < mine.start { &mut above } else { &mut below };
            let (room, rest) = std::mem::take(side).split_at_mut(wanted.len() * columns);
            *side = rest;
            receives.push((rank, room));
        }
    }
    exchange(ranks, &sends, receives);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Threads;
    use warpwise::heat::{Cylinder, cpu};
    use warpwise::random::Random;

    fn same<T: Temperature>(size: (usize, usize), halo: Option<usize>, limits: Limits, nan: bool) {
        let (rows, columns) = size;
        let mut random = Random::new(rows as u64);
        let mut start: Vec<T> = random.elements(rows * columns);
        if nan {
            start[rows * columns / 2] = T::from_f64(f64::NAN);
        }
        let conductivity: Vec<T> = (0..rows * columns).map(|_| T::from_f64(random.unit())).collect();
        let (alone, outcome) = cpu::seq(Cylinder::new(rows, columns, &start, &conductivity).unwrap(), limits);
        for ranks in [1, 2, 3, 4, 7, 8] {
            let parts = Threads::run(ranks, |comm| {
                let mine = Parts::new(rows, ranks).of(comm.rank());
                let cells = mine.start * columns..mine.end * columns;
                let (start, conductivity) = (start[cells.clone()].to_vec(), conductivity[cells].to_vec());
                let mut simulation = Simulation::new(comm, size, halo, start, conductivity).unwrap();
                // In two pieces, as between checkpoints.
                simulation.run(comm, Limits { iterations: limits.iterations / 2, ..limits });
                let outcome = simulation.run(comm, limits);
                (simulation.temperatures().to_vec(), outcome)
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
            let mut simulation = Simulation::<f64>::new(comm, (0, 5), None, Vec::new(), Vec::new()).unwrap();
            simulation.run(comm, Limits { iterations: 3, threshold: 0.1 })
        });
        assert_eq!(ends[0].iterations, 1, "nothing changes");
    }
}
