//! The histogram of the numbers of a file: equal parts of a range, as in NumPy, or the 256 values of bytes.

use super::{Report, Request};
use crate::applications::formula::wide;
use crate::applications::reading::Opened;
use crate::applications::reduce::values;
use crate::applications::{AppError, Verified, milliseconds, stages};
use crate::files::{Number, Numbers, Source, none};
use std::time::Instant;
use warpwise::expression::{Expression, x};
use warpwise::histogram::{Binning, Countable, Histogram, Rung};
use warpwise::primitive::Type;
use warpwise::reduce::{self, Reducible};
use warpwise::{Device, Error};

/// How the numbers of a file are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bins {
    /// How many equal parts; NumPy's ten if `None`.
    pub count: Option<usize>,
    /// From where to where, both included; from the least number to the greatest if `None`.
    pub range: Option<(f64, f64)>,
}

/// Equal parts where nobody says how many.
const PARTS: usize = 10;

/// `LO,HI` of `--range`.
///
/// ```
/// use warpwise_lab::applications::histogram::parse_range;
///
/// assert_eq!(parse_range("-1,2.5"), Ok((-1.0, 2.5)));
/// assert!(parse_range("3,3").unwrap_err().contains("the first less than the second"));
/// ```
pub fn parse_range(text: &str) -> Result<(f64, f64), String> {
    let ends = text.split_once(',').map(|(lo, hi)| (lo.trim().parse::<f64>(), hi.trim().parse::<f64>()));
    match ends {
        Some((Ok(lo), Ok(hi))) if lo < hi && (hi - lo).is_finite() => Ok((lo, hi)),
        _ => Err(format!("{text} is not a range: give two numbers, the first less than the second, such as 0,1")),
    }
}

/// What is counted: the numbers of a file, or what an expression gives for them, in a type that the library counts.
struct What {
    expression: Option<Expression>,
    ty: Type,
}

impl What {
    fn of(request: &Request, ty: Type) -> Result<Self, AppError> {
        let (expression, wide) = match &request.map {
            Some(formula) => wide(formula, &none(ty)).map(|(expression, ty)| (Some(expression), ty))?,
            None => (None, ty),
        };
        let counted = match wide {
            // Bytes fit, and so do larger numbers, as nearly as parts of a range need them.
            Type::U8 => Type::I32,
            Type::U32 | Type::I64 | Type::U64 => Type::F64,
            other => other,
        };
        let cast = |expression: Expression| expression.cast(counted);
        let expression = if counted == wide { expression } else { Some(cast(expression.unwrap_or_else(x))) };
        Ok(Self { expression, ty: counted })
    }
}

/// Evaluates an expression for a type that the library counts.
macro_rules! with_counted_type {
    ($ty:expr, $t:ident => $body:expr) => {
        match $ty {
            Type::I32 => {
                type $t = i32;
                $body
            }
            Type::F32 => {
                type $t = f32;
                $body
            }
            _ => {
                type $t = f64;
                $body
            }
        }
    };
}

/// Counts the numbers of a file.
pub(super) fn run(request: &Request) -> Result<Report, AppError> {
    let by_value = request.map.is_none() && request.bins == Bins::default();
    match request.input.open(&request.file, &request.setup)? {
        Opened::Array(array) => {
            let mut given = Given { request, windows: None };
            match array.numbers {
                Numbers::U8(bytes) if by_value => given.by_value(&bytes),
                numbers => {
                    let ty = Type::parse(numbers.type_name()).expect("numbers have a type");
                    let what = What::of(request, ty)?;
                    with_counted_type!(what.ty, T => given.parts::<T>(&values(what.expression.as_ref(), &numbers)?))
                }
            }
        }
        Opened::Windows(source, window) => {
            let mut given = Given { request, windows: Some(0) };
            if by_value && source.ty == Type::U8 {
                return given.by_value_in_windows(source, window);
            }
            let what = What::of(request, source.ty)?;
            with_counted_type!(what.ty, T => given.parts_in_windows::<T>(source, window, &what))
        }
    }
}

/// What was asked for, and how many windows were read.
struct Given<'a> {
    request: &'a Request,
    windows: Option<usize>,
}

impl Given<'_> {
    fn by_value(&mut self, bytes: &[u8]) -> Result<Report, AppError> {
        self.at_once(Binning::Value, bytes)
    }

    fn by_value_in_windows(&mut self, mut source: Source, window: usize) -> Result<Report, AppError> {
        let (started, how) = (Instant::now(), Histogram::new(Binning::Value));
        let (mut counts, mut elements) = (vec![0; Binning::Value.bins()], 0);
        source.each(window, |numbers| {
            let Numbers::U8(bytes) = numbers else { unreachable!("the file holds bytes") };
            elements += bytes.len();
            self.windows = self.windows.map(|windows| windows + 1);
            add(&mut counts, &how.run(&Device::cpu(), bytes)?);
            Ok::<(), AppError>(())
        })?;
        Ok(self.report(Binning::Value, &Device::cpu(), elements, counts, milliseconds(started)))
    }

    fn parts<T: Number + Countable + Reducible>(&mut self, xs: &[T]) -> Result<Report, AppError> {
        let mut ends = Ends::default();
        if self.request.bins.range.is_none() {
            ends.take(xs);
        }
        self.at_once(self.binning(ends)?, xs)
    }

    fn parts_in_windows<T: Number + Countable + Reducible>(
        &mut self,
        mut source: Source,
        window: usize,
        what: &What,
    ) -> Result<Report, AppError> {
        let (started, mut ends) = (Instant::now(), Ends::default());
        if self.request.bins.range.is_none() {
            source.each(window, |numbers| {
                ends.take::<T>(&values(what.expression.as_ref(), numbers)?);
                Ok::<(), AppError>(())
            })?;
        }
        let binning = self.binning(ends)?;
        let (how, mut counts, mut elements) = (Histogram::new(binning), vec![0; binning.bins()], 0);
        source.each(window, |numbers| {
            let xs = values::<T>(what.expression.as_ref(), numbers)?;
            elements += xs.len();
            self.windows = self.windows.map(|windows| windows + 1);
            add(&mut counts, &how.run(&Device::cpu(), &*xs)?);
            at_the_end(binning, &xs, &mut counts)?;
            Ok::<(), AppError>(())
        })?;
        Ok(self.report(binning, &Device::cpu(), elements, counts, milliseconds(started)))
    }

    /// The parts that were asked for, of a range that was asked for or found.
    fn binning(&self, ends: Ends) -> Result<Binning, AppError> {
        let Bins { count, range } = self.request.bins;
        let (lo, hi) = match range {
            Some(range) => range,
            None => ends.range().ok_or_else(|| {
                AppError::flag("--range", "these numbers have no finite least and greatest: give a range, such as 0,1")
            })?,
        };
        Ok(Binning::Even { bins: count.unwrap_or(PARTS), lo, hi })
    }

    fn at_once<T: Number + Countable>(&mut self, binning: Binning, xs: &[T]) -> Result<Report, AppError> {
        let setup = &self.request.setup;
        let how = Histogram::new(binning).variant(setup.rung::<Rung>()?);
        let device = setup.open()?;
        device.start_trace();
        let started = Instant::now();
        let mut counts = how.run(&device, xs)?;
        let time_ms = milliseconds(started);
        let stages_ms = stages::take(&device)?;
        let verified = match setup.verify.wants(xs.len() as u128) {
            true => {
                let plain = Histogram::new(binning).variant(Some("cpu-seq".parse::<Rung>()?));
                Some(Verified::of_counts(&counts, &plain.run(&Device::cpu(), xs)?))
            }
            false => None,
        };
        at_the_end(binning, xs, &mut counts)?;
        Ok(Report { stages_ms, verified, ..self.report(binning, &device, xs.len(), counts, time_ms) })
    }

    fn report(&self, binning: Binning, device: &Device, elements: usize, counts: Vec<u64>, time_ms: f64) -> Report {
        let edges = match binning {
            Binning::Even { bins, lo, hi } => (0..=bins).map(|i| edge(lo, hi, i, bins)).collect(),
            _ => Vec::new(),
        };
        Report {
            schema: 1,
            file: self.request.file.clone(),
            binning: binning.name(),
            device: device.name(),
            variant: self.request.setup.variant.clone(),
            elements,
            counted: counts.iter().sum(),
            time_ms,
            stages_ms: None,
            labels: Vec::new(),
            counts,
            map: self.request.map.as_ref().map(|formula| formula.text.clone()),
            edges,
            windows: self.windows,
            verified: None,
            what: if binning == Binning::Value { "bytes" } else { "numbers are in the range" },
        }
    }
}

/// Where the i-th part begins; the last one ends exactly where the range does.
fn edge(lo: f64, hi: f64, i: usize, bins: usize) -> f64 {
    if i == bins { hi } else { lo + (hi - lo) * (i as f64 / bins as f64) }
}

fn add(counts: &mut [u64], more: &[u64]) {
    counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
}

/// Numbers at the very end of the range belong to the last part, as in NumPy.
fn at_the_end<T: Number>(binning: Binning, xs: &[T], counts: &mut [u64]) -> Result<(), Error> {
    if let (Binning::Even { hi, .. }, Some(last)) = (binning, counts.last_mut()) {
        *last += reduce::sum::<u8>(&Device::cpu(), &x().cast(Type::F64).eq(hi).of(xs)?)?;
    }
    Ok(())
}

/// The least and the greatest number so far.
#[derive(Clone, Copy, Debug, Default)]
struct Ends(Option<(f64, f64)>);

impl Ends {
    fn take<T: Number + Reducible>(&mut self, xs: &[T]) {
        let cpu = Device::cpu();
        let (Ok(lo), Ok(hi)) = (reduce::min(&cpu, xs), reduce::max(&cpu, xs)) else { return };
        let (lo, hi) = (lo.to_f64(), hi.to_f64());
        // NaN stays, whichever comes first.
        let least = |a: f64, b: f64| if a <= b || a.is_nan() { a } else { b };
        let (before_lo, before_hi) = self.0.unwrap_or((lo, hi));
        self.0 = Some((least(before_lo, lo), -least(-before_hi, -hi)));
    }

    /// The range, which is one wide around a single value; `None` if it has no finite width.
    fn range(self) -> Option<(f64, f64)> {
        match self.0 {
            None => Some((0.0, 1.0)),
            Some((lo, hi)) if lo == hi && lo.is_finite() => Some((lo - 0.5, hi + 0.5)),
            Some((lo, hi)) if (hi - lo).is_finite() => Some((lo, hi)),
            Some(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;
    use crate::applications::histogram::{Content, run as count};
    use crate::applications::{Formula, Reading, Setup};
    use crate::files::{Array, testing::folder, write_array};

    fn request(name: &str, numbers: Numbers) -> Request {
        let file = folder(name).join("in.npy");
        write_array(&file, &Array { shape: vec![numbers.len()], numbers }).unwrap();
        Request {
            file,
            content: Content::Guess,
            map: None,
            setup: Setup::default(),
            bins: Bins::default(),
            input: Reading::default(),
        }
    }

    #[test]
    fn parts_are_those_of_numpy() {
        // numpy.histogram([1, 2, 2.5, 4], 3)
        let mut request = request("histogram-parts", Numbers::F32(vec![1.0, 2.0, 2.5, 4.0]));
        request.bins.count = Some(3);
        for place in [Place::Cpu, Place::Emulator] {
            request.setup.place = place;
            let report = count(&request).unwrap();
            assert!(report.ok() && report.verified.is_some());
            assert_eq!((&*report.counts, &*report.edges), (&[1, 2, 1][..], &[1.0, 2.0, 3.0, 4.0][..]));
        }
        request.bins.range = Some((2.0, 2.5));
        assert_eq!(count(&request).unwrap().counts, [1, 0, 1]);
        request.map = Some(Formula { text: "x - 1".into(), values: vec![] });
        assert_eq!(count(&request).unwrap().counts, [0, 0, 0]);
    }

    #[test]
    fn every_type_is_counted() {
        for numbers in [
            Numbers::U8(vec![0, 5, 10, 255]),
            Numbers::I32(vec![0, 5, 10, 255]),
            Numbers::U32(vec![0, 5, 10, 255]),
            Numbers::I64(vec![0, 5, 10, 255]),
            Numbers::U64(vec![0, 5, 10, 255]),
            Numbers::F64(vec![0.0, 5.0, 10.0, 255.0]),
        ] {
            let mut request = request("histogram-types", numbers);
            request.bins.count = Some(5);
            assert_eq!(count(&request).unwrap().counts, [3, 0, 0, 0, 1]);
        }
        let bytes = request("histogram-bytes", Numbers::U8(vec![7, 7, 255]));
        let report = count(&bytes).unwrap();
        assert_eq!((report.counts.len(), report.counts[7], report.counts[255]), (256, 2, 1));
        assert_eq!(report.binning, "value");
    }

    #[test]
    fn windows_count_what_the_whole_counts() {
        let numbers = (0..1_000_000_u64).map(|i| ((i * 7919) % 10_007) as f32 - 5000.0).collect();
        let bytes = (0..4_000_000_u64).map(|i| (i * i % 251) as u8).collect();
        for numbers in [Numbers::F32(numbers), Numbers::U8(bytes)] {
            for bins in [Bins::default(), Bins { count: Some(100), range: Some((-20.0, 77.0)) }] {
                let mut request = request("histogram-windows", numbers.clone());
                (request.setup.place, request.bins) = (Place::Cpu, bins);
                let whole = count(&request).unwrap();
                request.input.memory = Some(6 * 8 * 65_536);
                let cut = count(&request).unwrap();
                assert_eq!((whole.windows, cut.windows), (None, Some(numbers.len().div_ceil(65_536))));
                assert_eq!((whole.counts, whole.edges), (cut.counts, cut.edges));
            }
        }
    }

    #[test]
    fn ranges_that_are_none_are_named() {
        let nan = request("histogram-nan", Numbers::F64(vec![1.0, f64::NAN]));
        assert!(count(&nan).unwrap_err().to_string().contains("--range"));
        let one = request("histogram-one", Numbers::F64(vec![3.0, 3.0]));
        let report = count(&one).unwrap();
        assert_eq!((report.edges[0], report.edges[10], report.counts[5]), (2.5, 3.5, 2));
        let empty = request("histogram-none", Numbers::F32(vec![]));
        assert_eq!(count(&empty).unwrap().counts, [0; 10]);
    }
}
