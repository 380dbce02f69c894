//! The work of every primitive: its operands, the reference's result, and a job for any variant on any device.

mod convolve1d;
mod convolve2d;
mod heat;
mod histogram;
mod matmul;
mod radiator;
mod reduce;
mod scan;
mod vecadd;

pub(crate) use convolve1d::MASK_WIDTH;

use super::Problem;
use std::hint::black_box;
use warpwise::conformance::Verdict;
use warpwise::{Buffer, Device, Element, Error, Geometry};

/// Which variant computes, where, and with which launches.
#[derive(Clone, Debug)]
pub(crate) struct Rung {
    pub(crate) device: Device,
    /// The device's best where it is left out.
    pub(crate) variant: Option<String>,
    pub(crate) geometry: Geometry,
}

impl Rung {
    /// How a CPU variant is called with memory that is there already; other variants go through the device.
    fn loops(&self) -> Option<Loops> {
        match self.variant.as_deref() {
            _ if !self.device.is_cpu() => None,
            Some("cpu-seq") => Some(Loops::Sequential),
            None | Some("cpu-par") => Some(Loops::Parallel),
            Some(_) => None,
        }
    }
}

/// The two ways to compute on the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loops {
    Sequential,
    Parallel,
}

/// What a job is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Get everything ready: operands on the device, memory for the result, simulations at their start.
    Prepare,
    /// Compute once, from operands that are there.
    Call,
}

/// A closure that computes again and again.
type Timed<'a> = Box<dyn FnMut(Step) -> Result<(), Error> + 'a>;

/// Calls that make little out of a vector: on the CPU one of two loops, else `on_device` with a buffer that is made once.
fn of_vector<'a, T: Element, R>(
    rung: &Rung,
    xs: &'a [T],
    [sequential, parallel]: [impl Fn(&[T]) -> Result<R, Error> + 'a; 2],
    on_device: impl Fn(&Device, &Buffer<T>) -> Result<(), Error> + 'a,
) -> Timed<'a> {
    if let Some(loops) = rung.loops() {
        return Box::new(move |step| {
            match (step, loops) {
                (Step::Prepare, _) => {}
                (Step::Call, Loops::Sequential) => drop(black_box(sequential(black_box(xs))?)),
                (Step::Call, Loops::Parallel) => drop(black_box(parallel(black_box(xs))?)),
            }
            Ok(())
        });
    }
    let (device, mut kept) = (rung.device.clone(), None);
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

/// A problem with its operands, which are made once, and the reference's result.
pub(crate) trait Case {
    /// The work of a variant.
    fn job(&self, rung: &Rung) -> Job<'_>;

    /// What was compared, where it was not everything.
    fn compared(&self) -> Option<String> {
        None
    }
}

/// The work of a variant on a device.
pub(crate) struct Job<'a> {
    verify: Box<dyn Fn() -> Result<Verdict, Error> + 'a>,
    whole: Box<dyn Fn() -> Result<(), Error> + 'a>,
    timed: Timed<'a>,
}

impl<'a> Job<'a> {
    /// A job: how it computes from host memory to host memory, how that is compared, and how it is called again and
    /// again.
    fn new<R>(
        compute: impl Fn() -> Result<R, Error> + Clone + 'a,
        compare: impl Fn(R) -> Verdict + 'a,
        timed: Timed<'a>,
    ) -> Self {
        let again = compute.clone();
        Self { verify: Box::new(move || Ok(compare(compute()?))), whole: Box::new(move || again().map(drop)), timed }
    }

    /// Computes from host memory to host memory, and compares with the reference.
    pub(crate) fn verify(&self) -> Result<Verdict, Error> {
        (self.verify)()
    }

    /// Computes from host memory to host memory: every stage, once.
    pub(crate) fn whole(&self) -> Result<(), Error> {
        (self.whole)()
    }

    /// Gets ready or computes.
    pub(crate) fn step(&mut self, step: Step) -> Result<(), Error> {
        (self.timed)(step)
    }
}

/// Calls a function with the type that a name says; the plan has checked the name.
macro_rules! typed {
    ($problem:expr, $module:ident, [$($t:ident),*]) => {
        match $problem.ty {
            $(stringify!($t) => $module::case::<$t>($problem),)*
            other => unreachable!("the plan checks types, {other} too"),
        }
    };
}

/// Makes operands and computes the reference's result.
pub(crate) fn case(problem: &Problem) -> Result<Box<dyn Case>, Error> {
    match problem.primitive.name {
        "vecadd" => typed!(problem, vecadd, [i32, f32, f64]),
        "reduce" => typed!(problem, reduce, [i32, u32, i64, u64, f32, f64]),
        "scan" => typed!(problem, scan, [i32, u32, i64, u64, f32, f64]),
        "histogram" => typed!(problem, histogram, [u8, u32, i32, f32, f64]),
        "matmul" => typed!(problem, matmul, [f32, f64]),
        "convolve1d" => typed!(problem, convolve1d, [i32, f32, f64]),
        "convolve2d" => typed!(problem, convolve2d, [u8, f32]),
        "heat" => typed!(problem, heat, [f64, f32]),
        "radiator" => typed!(problem, radiator, [f32, f64]),
        other => unreachable!("the plan refuses {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::problem::{Kind, benchable};
    use super::super::{Data, Settings};
    use super::*;
    use warpwise::RunsOn;

    /// Every primitive, type and variant computes what the reference does, from the host and from the device.
    #[test]
    fn every_job_is_right_and_can_be_called_again() {
        for primitive in benchable() {
            for &ty in primitive.types {
                let settings = Settings { iterations: 3, ..Settings::default() };
                let extent = Kind::of(primitive.name).extent(37);
                let problem = Problem { primitive, ty, extent, data: Data::Random, settings };
                let case = case(&problem).unwrap();
                for variant in primitive.variants {
                    let device = if variant.runs_on == RunsOn::Cpu { Device::cpu() } else { Device::emulator() };
                    let variant = Some(variant.name.to_owned());
                    let mut job = case.job(&Rung { device, variant: variant.clone(), geometry: Geometry::default() });
                    // Every rung on tensor cores is for one type.
                    let verdict = match job.verify() {
                        Err(Error::Needs { variant, .. }) if variant.ends_with("f64") != (ty == "f64") => continue,
                        verdict => verdict.unwrap(),
                    };
                    assert!(verdict.passed(), "{} {ty} {variant:?}: {verdict}", primitive.name);
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
        for primitive in benchable() {
            for data in Data::ALL {
                let extent = Kind::of(primitive.name).extent(50);
                let problem =
                    Problem { primitive, ty: primitive.types[0], extent, data, settings: Settings::default() };
                let rung = Rung { device: Device::cpu(), variant: None, geometry: Geometry::default() };
                let verdict = case(&problem).unwrap().job(&rung).verify().unwrap();
                assert!(verdict.passed(), "{} {}: {verdict}", primitive.name, data.name());
            }
        }
    }
}
