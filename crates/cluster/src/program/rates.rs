//! How fast ranks compute on this machine: one alone, and as many as have room for their threads.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use warpwise::heat::cpu::Slab;
use warpwise::matmul::{Matrix, multiply};
use warpwise::{Device, Element, Operator, random};

use crate::Error;
use crate::plan::{Problem, Rates};
use crate::redistribute::zeros;

/// How long calls are measured, in seconds, after one that counts for nothing; and the least and the most of them.
const MEASURED: f64 = 0.6;
const LEAST_CALLS: usize = 7;
const MOST_CALLS: usize = 100;

/// Random numbers, in memory like that of a run.
fn numbers<T: Element>(length: usize) -> Vec<T> {
    let mut numbers = zeros::<T>(length);
    numbers.iter_mut().zip(0..).for_each(|(x, i)| *x = random::element(random::at(1, i)));
    numbers
}

/// One call of what is measured.
type Call = Box<dyn FnMut() -> Result<(), warpwise::Error>>;

/// Ranks that compute at the same time.
#[derive(Clone, Copy)]
pub(super) struct Crew {
    pub(super) ranks: usize,
    pub(super) threads: usize,
}

impl Crew {
    /// The rates of one of these ranks: of all primitives, or of the one that is planned.
    pub(super) fn rates(self, problem: &Problem, all: bool) -> Result<Rates, Error> {
        let nothing = f64::INFINITY;
        let mut rates = Rates { heat: nothing, reduce: nothing, sort: nothing, partition: nothing, matmul: nothing };
        if all || matches!(problem, Problem::Heat { .. }) {
            rates.heat = self.heat(problem)?;
        }
        if all || matches!(problem, Problem::Reduce { .. }) {
            // More than the caches hold.
            let length = ((1 << 26) / self.ranks).clamp(1 << 21, 1 << 25);
            rates.reduce = self.rate(4.0 * length as f64, &|| {
                let xs: Vec<f32> = numbers(length);
                Box::new(move || warpwise::reduce::cpu::par(Operator::Sum, &xs).map(drop))
            })?;
        }
        if all || matches!(problem, Problem::Sort { .. }) {
            let length = ((1 << 26) / self.ranks).clamp(1 << 21, 1 << 24);
            rates.sort = self.rate(length as f64, &|| {
                let xs: Vec<u32> = numbers(length);
                Box::new(move || warpwise::sort::sort(&Device::cpu(), &xs).map(drop))
            })?;
            rates.partition = self.rate(length as f64, &|| {
                let mut xs: Vec<u32> = numbers(length);
                Box::new(move || {
                    std::hint::black_box(crate::sort::partition_for_two(&mut xs, u32::MAX / 2));
                    Ok(())
                })
            })?;
        }
        if all || matches!(problem, Problem::Matmul { .. }) {
            let side = 1536;
            rates.matmul = self.rate(2.0 * (side * side * side) as f64, &|| {
                let a = vec![1.0_f32; side * side];
                Box::new(move || {
                    let a = Matrix::new(&a, side, side)?;
                    multiply(&Device::cpu(), &a, &a).map(drop)
                })
            })?;
        }
        Ok(rates)
    }

    /// Cells and steps of heat in a second, on rows as long as those that are planned.
    fn heat(self, problem: &Problem) -> Result<f64, Error> {
        let (columns, most) = match *problem {
            Problem::Heat { rows, columns, .. } => (columns.max(1), rows),
            _ => (4096, 4096),
        };
        let rows = ((1 << 22) / columns).clamp(64, 4096).min(most.max(1));
        let steps = Slab::<f64>::depth(rows, columns);
        let passes = 48 / steps + 1;
        self.rate((rows * columns * steps * passes) as f64, &|| {
            let (fixed, cells, w) = (vec![1.0; 2 * columns], vec![1.0; rows * columns], vec![0.5; rows * columns]);
            let alone = |rows: Vec<f64>| [Vec::new(), rows, Vec::new()];
            let mut slab = Slab::new(columns, fixed, alone(cells), alone(w)).expect("lengths fit");
            Box::new(move || {
                for _ in 0..passes {
                    slab.advance(steps, 0..rows);
                    slab.swap();
                }
                Ok(())
            })
        })
    }

    /// Work in a second of one of the ranks: the median of some calls, which all of them make at the same time.
    fn rate(self, work: f64, make: &(dyn Fn() -> Call + Sync)) -> Result<f64, Error> {
        let pool = |_| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build();
            pool.map_err(|error| Error::flag("--threads", format!("no such threads: {error}")))
        };
        let pools: Vec<_> = (0..self.ranks).map(pool).collect::<Result<_, _>>()?;
        let together = Barrier::new(self.ranks);
        let agreed = AtomicUsize::new(LEAST_CALLS);
        let calls = || {
            let (mut call, mut times) = (make(), Vec::new());
            let begin = Instant::now();
            let mut result = call();
            let enough = (MEASURED / begin.elapsed().as_secs_f64()) as usize;
            agreed.fetch_max(enough.min(MOST_CALLS), Ordering::Relaxed);
            together.wait();
            for _ in 0..agreed.load(Ordering::Relaxed) {
                together.wait();
                let begin = Instant::now();
                // Who fails still takes part: the others wait for all.
                result = result.and(call());
                times.push(begin.elapsed().as_secs_f64());
            }
            result.map(|()| times)
        };
        let results: Vec<_> = std::thread::scope(|scope| {
            let ranks: Vec<_> = pools.iter().map(|pool| scope.spawn(|| pool.install(calls))).collect();
            ranks.into_iter().map(|rank| rank.join().expect("a measurement does not panic")).collect()
        });
        let mut times = Vec::new();
        for result in results {
            times.extend(result?);
        }
        times.sort_by(f64::total_cmp);
        Ok(work / times[times.len() / 2])
    }
}
