//! A problem with its operands, and the work of any variant on any device.

use std::hint::black_box;

use super::{Geometry, Variant};
use crate::conformance::Verdict;
use crate::{Buffer, Device, Element, Error};

/// Who computes: which variant, where, and with which launches.
///
/// ```
/// use warpwise::{Device, Geometry};
/// use warpwise::primitive::Runner;
///
/// let best = Runner { device: Device::cpu(), variant: None, geometry: Geometry::default() };
/// assert!(best.device.is_cpu());
/// ```
#[derive(Clone, Debug)]
pub struct Runner {
    /// The device.
    pub device: Device,
    /// The variant; by default, the device's best.
    pub variant: Option<&'static Variant>,
    /// Launch geometry of a GPU rung.
    pub geometry: Geometry,
}

impl Runner {
    /// The variant as a rung of its primitive.
    pub(crate) fn rung<R: std::str::FromStr>(&self) -> Option<R> {
        self.variant.and_then(|variant| variant.name.parse().ok())
    }

    /// How a CPU variant is called with memory provided by the caller; other variants go through the device.
    pub(crate) fn loops(&self) -> Option<Loops> {
        match self.variant.map(|variant| variant.name) {
            _ if !self.device.is_cpu() => None,
            Some("cpu-seq") => Some(Loops::Sequential),
            None | Some("cpu-par") => Some(Loops::Parallel),
            Some(_) => None,
        }
    }
}

/// The two ways to compute on the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loops {
    Sequential,
    Parallel,
}

/// What a job is asked to do.
///
/// ```
/// assert_ne!(warpwise::primitive::Step::Prepare, warpwise::primitive::Step::Call);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Get everything ready: operands on the device, memory for the result, simulations at their start.
    Prepare,
    /// Compute once, from operands that are ready, into reused memory.
    Call,
}

/// A closure that computes repeatedly.
pub(crate) type Timed<'a> = Box<dyn FnMut(Step) -> Result<(), Error> + 'a>;

/// Calls that turn a vector into a small result: on the CPU one of two loops, else `on_device` with a buffer made once.
pub(crate) fn of_vector<'a, T: Element, R>(
    runner: &Runner,
    xs: &'a [T],
    [sequential, parallel]: [impl Fn(&[T]) -> Result<R, Error> + 'a; 2],
    on_device: impl Fn(&Device, &Buffer<T>) -> Result<(), Error> + 'a,
) -> Timed<'a> {
    if let Some(loops) = runner.loops() {
        return Box::new(move |step| {
            match (step, loops) {
                (Step::Prepare, _) => {}
                (Step::Call, Loops::Sequential) => drop(black_box(sequential(black_box(xs))?)),
                (Step::Call, Loops::Parallel) => drop(black_box(parallel(black_box(xs))?)),
            }
            Ok(())
        });
    }
    let (device, mut kept) = (runner.device.clone(), None);
    Box::new(move |step| {
        if kept.is_none() {
            kept = Some(Buffer::from_slice(&device, xs)?);
        }
        match (step, &kept) {
            (Step::Call, Some(xs)) => on_device(&device, xs),
            _ => Ok(()),
        }
    })
}

/// A problem with its operands, which are made once, and the reference's result, once something is compared with it.
pub trait Case {
    /// The work of a variant.
    fn job(&self, runner: &Runner) -> Job<'_>;

    /// What is compared, if not everything.
    fn compared(&self) -> Option<String> {
        None
    }
}

/// The work of a variant on a device.
///
/// ```
/// use warpwise::{Device, Geometry};
/// use warpwise::primitive::{Extent, Problem, Runner, Step, find};
///
/// let reduce = find("reduce")?;
/// let problem = Problem { extent: Extent::Length(1000), ..Problem::usual(reduce) };
/// let case = (reduce.case)(&problem)?;
/// let variant = reduce.variant("gpu-8-shuffle");
/// let mut job = case.job(&Runner { device: Device::emulator(), variant, geometry: Geometry::default() });
/// assert!(job.verify()?.passed());
/// job.step(Step::Prepare)?;
/// job.step(Step::Call)?;
/// # Ok::<(), warpwise::Error>(())
/// ```
pub struct Job<'a> {
    verify: Box<dyn Fn() -> Result<Verdict, Error> + 'a>,
    whole: Box<dyn Fn() -> Result<(), Error> + 'a>,
    timed: Timed<'a>,
}

impl<'a> Job<'a> {
    /// A job: how it computes from host memory to host memory, how the result is compared, and how it is called
    /// repeatedly.
    pub(crate) fn new<R>(
        compute: impl Fn() -> Result<R, Error> + Clone + 'a,
        compare: impl Fn(R) -> Result<Verdict, Error> + 'a,
        timed: Timed<'a>,
    ) -> Self {
        let again = compute.clone();
        Self { verify: Box::new(move || compare(compute()?)), whole: Box::new(move || again().map(drop)), timed }
    }

    /// The same, with all stages of a call that does more than the one whose result is compared.
    pub(crate) fn with_whole(self, whole: impl Fn() -> Result<(), Error> + 'a) -> Self {
        Self { whole: Box::new(whole), ..self }
    }

    /// Computes from host memory to host memory, and compares with the reference.
    ///
    /// See [`Job`] for an example.
    pub fn verify(&self) -> Result<Verdict, Error> {
        (self.verify)()
    }

    /// Computes from host memory to host memory: every stage, once.
    ///
    /// See [`Job`] for an example.
    pub fn whole(&self) -> Result<(), Error> {
        (self.whole)()
    }

    /// Prepares or computes.
    ///
    /// See [`Job`] for an example.
    pub fn step(&mut self, step: Step) -> Result<(), Error> {
        (self.timed)(step)
    }
}

impl std::fmt::Debug for Job<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitive::{Problem, Setting, Settings};
    use crate::{PRIMITIVES, RunsOn};

    /// Every primitive, type and variant computes what the reference does, from the host and from the device.
    #[test]
    fn every_job_is_right_and_can_be_called_again() {
        for primitive in PRIMITIVES.iter().filter(|p| p.computes()) {
            for &ty in primitive.types {
                let settings = Settings::default().with("iterations", Setting::Number(3));
                let extent = primitive.extents.of(37);
                let problem = Problem { ty, extent, settings, ..Problem::usual(primitive) };
                let case = (primitive.case)(&problem).unwrap();
                for variant in primitive.variants {
                    let device = if variant.runs_on == RunsOn::Cpu { Device::cpu() } else { Device::emulator() };
                    let runner = Runner { device, variant: Some(variant), geometry: Geometry::default() };
                    let mut job = case.job(&runner);
                    // Every tensor-core rung is for one type.
                    let verdict = match job.verify() {
                        Err(Error::Needs { variant, .. }) if variant.ends_with("f64") != (ty.name() == "f64") => {
                            continue;
                        }
                        verdict => verdict.unwrap(),
                    };
                    assert!(verdict.passed(), "{} {ty} {}: {verdict}", primitive.name, variant.name);
                    for step in [Step::Prepare, Step::Call, Step::Call, Step::Prepare, Step::Call] {
                        job.step(step).unwrap();
                    }
                    job.whole().unwrap();
                }
            }
        }
    }

    #[test]
    fn every_kind_of_data_is_computed_right() {
        for primitive in PRIMITIVES.iter().filter(|p| p.computes()) {
            for input in primitive.inputs {
                let problem = Problem { extent: primitive.extents.of(50), input, ..Problem::usual(primitive) };
                let runner = Runner { device: Device::cpu(), variant: None, geometry: Geometry::default() };
                let verdict = (primitive.case)(&problem).unwrap().job(&runner).verify().unwrap();
                assert!(verdict.passed(), "{} {input}: {verdict}", primitive.name);
            }
        }
    }
}
