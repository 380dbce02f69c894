//! Compact: a share of the elements is kept.

use std::hint::black_box;

use super::{self as compact, Compactable, Condition, Rung, cpu, reference};
use crate::conformance::{Verdict, equal};
use crate::primitive::{Case, Data, Expected, Job, Loops, Problem, Runner, Step, Timed};
use crate::sort::reference::ascending;
use crate::{Buffer, Error};

/// The elements that are kept.
enum Which<T> {
    Where(Condition<T>),
    Mask(Vec<u8>),
}

struct Compact<T> {
    xs: Vec<T>,
    which: Which<T>,
    expected: Expected<Vec<T>>,
}

pub(super) fn case<T: Compactable>(problem: &Problem) -> Result<Box<dyn Case>, Error> {
    let n = problem.elements();
    let xs = problem.data().elements::<T>(0, n);
    let kept = problem.number("kept");
    let which = match problem.word("condition") {
        "mask" => {
            let bytes = Data::Random.elements::<u32>(1, n);
            Which::Mask(bytes.iter().map(|byte| u8::from(byte % 100 < kept as u32)).collect())
        }
        "equal" => Which::Where(Condition::Equal(xs.first().copied().unwrap_or(T::ZERO))),
        "not-equal" => Which::Where(Condition::NotEqual(xs.first().copied().unwrap_or(T::ZERO))),
        "greater" => Which::Where(Condition::Greater(limit(&xs, 100 - kept))),
        _ => Which::Where(Condition::Less(limit(&xs, kept))),
    };
    Ok(Box::new(Compact { xs, which, expected: Expected::later() }))
}

/// A value with about so many of 100 elements below it: that of a sample of them.
fn limit<T: Compactable>(xs: &[T], below: usize) -> T {
    let step = (xs.len() / 10_000).max(1);
    let sample = ascending(&xs.iter().step_by(step).copied().collect::<Vec<T>>());
    sample.get(below * sample.len() / 100).or(sample.last()).copied().unwrap_or(T::ZERO)
}

impl<T: Compactable> Case for Compact<T> {
    fn job(&self, runner: &Runner) -> Job<'_> {
        let (device, own) = (runner.device.clone(), runner.clone());
        let ordered = runner.variant.is_none_or(|variant| variant.name != "gpu-2-warp-atomic");
        let compute = move || match &self.which {
            Which::Where(condition) => chosen(&own, compact::Compact::new(*condition)).run(&device, &self.xs),
            Which::Mask(mask) => chosen(&own, compact::Compact::by_mask(mask)).run(&device, &self.xs),
        };
        let compare = move |found: Vec<T>| Ok(compare(&found, self.expected()?, ordered));
        Job::new(compute, compare, self.timed(runner))
    }
}

impl<T: Compactable> Compact<T> {
    fn expected(&self) -> Result<&Vec<T>, Error> {
        self.expected.get(|| match &self.which {
            Which::Where(condition) => Ok(reference::compact(&self.xs, *condition)),
            Which::Mask(mask) => reference::by_mask(&self.xs, mask),
        })
    }
}

/// With the runner's choices.
fn chosen<'a, T: Compactable>(runner: &Runner, how: compact::Compact<'a, T>) -> compact::Compact<'a, T> {
    how.variant(runner.rung::<Rung>()).geometry(runner.geometry)
}

/// Equal where the order is kept; else the same elements in any.
fn compare<T: Compactable>(found: &[T], expected: &[T], ordered: bool) -> Verdict {
    match ordered {
        true => equal(found, expected),
        false => equal(&ascending(found), &ascending(expected)),
    }
}

impl<T: Compactable> Compact<T> {
    fn timed(&self, runner: &Runner) -> Timed<'_> {
        if let Some(loops) = runner.loops() {
            let mut out = Vec::new();
            return Box::new(move |step| {
                out.resize(self.xs.len(), T::ZERO);
                let xs = black_box(&self.xs);
                let count = match (step, loops, &self.which) {
                    (Step::Prepare, ..) => Ok(0),
                    (Step::Call, Loops::Sequential, Which::Where(condition)) => cpu::seq(xs, *condition, &mut out),
                    (Step::Call, Loops::Sequential, Which::Mask(mask)) => cpu::seq_by_mask(xs, mask, &mut out),
                    (Step::Call, Loops::Parallel, Which::Where(condition)) => cpu::par(xs, *condition, &mut out),
                    (Step::Call, Loops::Parallel, Which::Mask(mask)) => cpu::par_by_mask(xs, mask, &mut out),
                };
                count.map(|count| {
                    black_box(count);
                })
            });
        }
        let (runner, device, mut kept) = (runner.clone(), runner.device.clone(), None);
        Box::new(move |step| {
            if kept.is_none() {
                let mask = match &self.which {
                    Which::Where(_) => &[][..],
                    Which::Mask(mask) => mask,
                };
                kept = Some((Buffer::from_slice(&device, &self.xs)?, Buffer::from_slice(&device, mask)?));
            }
            match (step, &kept, &self.which) {
                (Step::Call, Some((xs, _)), Which::Where(condition)) => {
                    chosen(&runner, compact::Compact::new(*condition)).run_buffer(&device, xs).map(drop)
                }
                (Step::Call, Some((xs, mask)), Which::Mask(_)) => {
                    chosen(&runner, compact::Compact::by_mask(mask)).run_buffer(&device, xs).map(drop)
                }
                _ => Ok(()),
            }
        })
    }
}
