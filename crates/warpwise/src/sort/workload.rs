//! Sort: keys, with what goes along with them.

use std::hint::black_box;

use super::{Key, Rung, Sort, cpu, reference};
use crate::conformance::{Verdict, equal};
use crate::primitive::{Case, Expected, Job, Loops, Problem, Runner, Step, Timed};
use crate::{Buffer, Error};

/// What goes along with keys.
enum Along {
    Nothing,
    Words(Vec<u32>),
    Longs(Vec<u64>),
    Numbers,
}

struct Keys<K> {
    keys: Vec<K>,
    along: Along,
    /// Where sorted keys are in the input.
    places: Expected<Vec<usize>>,
}

pub(super) fn case<K: Key>(problem: &Problem) -> Result<Box<dyn Case>, Error> {
    let n = problem.elements();
    let keys = problem.data().elements::<K>(0, n);
    let along = match problem.word("along") {
        "b32" => Along::Words((0..n as u32).map(|i| i.wrapping_mul(3)).collect()),
        "b64" => Along::Longs((0..n as u64).map(|i| i.wrapping_mul(5)).collect()),
        "numbers" => Along::Numbers,
        _ => Along::Nothing,
    };
    Ok(Box::new(Keys { keys, along, places: Expected::later() }))
}

/// What was computed: keys and values as bits.
type Found = (Option<Vec<u64>>, Option<Vec<u64>>);

impl<K: Key> Case for Keys<K> {
    fn job(&self, runner: &Runner) -> Job<'_> {
        let sort = Sort::new().variant(runner.rung::<Rung>()).geometry(runner.geometry);
        let (device, again) = (runner.device.clone(), sort.clone());
        let compute = move || -> Result<Found, Error> {
            Ok(match &self.along {
                Along::Nothing => (Some(bits(&again.run(&device, &self.keys)?)), None),
                Along::Words(values) => {
                    let (keys, values) = again.run_pairs(&device, &self.keys, values)?;
                    (Some(bits(&keys)), Some(bits(&values)))
                }
                Along::Longs(values) => {
                    let (keys, values) = again.run_pairs(&device, &self.keys, values)?;
                    (Some(bits(&keys)), Some(bits(&values)))
                }
                Along::Numbers => (None, Some(bits(&again.argsort(&device, &self.keys)?))),
            })
        };
        Job::new(compute, |found| self.compare(found), self.timed(runner, sort))
    }
}

impl<K: Key> Keys<K> {
    fn compare(&self, (keys, values): Found) -> Result<Verdict, Error> {
        let places = self.places.get(|| Ok(reference::places(&self.keys, false)))?;
        let expected = bits(&places.iter().map(|&place| self.keys[place]).collect::<Vec<_>>());
        let verdict = keys.map(|keys| equal(&keys, &expected)).filter(|verdict| !verdict.passed());
        let along = |place: usize| match &self.along {
            Along::Words(values) => values[place].into(),
            Along::Longs(values) => values[place],
            _ => place as u64,
        };
        let expected: Vec<u64> = places.iter().map(|&place| along(place)).collect();
        let of_values = values.map(|values| equal(&values, &expected));
        Ok(verdict.or(of_values).unwrap_or(Verdict::Passed { max_error: 0.0 }))
    }

    fn timed(&self, runner: &Runner, sort: Sort) -> Timed<'_> {
        if let (Some(loops), Along::Nothing) = (runner.loops(), &self.along) {
            let mut out = Vec::new();
            return Box::new(move |step| match (step, loops) {
                (Step::Prepare, _) => {
                    out.resize(self.keys.len(), K::ZERO);
                    Ok(())
                }
                (Step::Call, Loops::Sequential) => cpu::seq(black_box(&self.keys), false, &mut out),
                (Step::Call, Loops::Parallel) => cpu::par(black_box(&self.keys), false, &mut out),
            });
        }
        let device = runner.device.clone();
        let (mut keys, mut words, mut longs) = (None, None, None);
        Box::new(move |step| {
            if keys.is_none() {
                keys = Some(Buffer::from_slice(&device, &self.keys)?);
                match &self.along {
                    Along::Words(values) => words = Some(Buffer::from_slice(&device, values)?),
                    Along::Longs(values) => longs = Some(Buffer::from_slice(&device, values)?),
                    _ => {}
                }
            }
            match (step, &keys, &words, &longs) {
                (Step::Call, Some(keys), Some(values), _) => sort.run_pairs_buffer(&device, keys, values).map(drop),
                (Step::Call, Some(keys), _, Some(values)) => sort.run_pairs_buffer(&device, keys, values).map(drop),
                (Step::Call, Some(keys), ..) if matches!(self.along, Along::Numbers) => {
                    sort.argsort_buffer(&device, keys).map(drop)
                }
                (Step::Call, Some(keys), ..) => sort.run_buffer(&device, keys).map(drop),
                _ => Ok(()),
            }
        })
    }
}

/// The bits of elements of up to eight bytes.
#[inline(never)]
pub(crate) fn bits<T: bytemuck::Pod>(xs: &[T]) -> Vec<u64> {
    let of = |x: &T| bytemuck::bytes_of(x).iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
    xs.iter().map(of).collect()
}
