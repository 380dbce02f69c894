//! What a buffer should hold after a launch.

use super::document::{Document, Entry, Keys, number};
use super::error::LaunchFileError;
use crate::files::{self, Number, with_numbers};
use crate::kernels::run::{Argument, Contents, ElementType, Value};
use std::path::Path;

/// The expected contents of a buffer, or of a part of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Expected {
    /// Its line in the launch file.
    pub(super) line: u32,
    /// The buffer's index among the arguments.
    pub(super) arg: usize,
    /// The first element.
    from: u64,
    /// Whether the buffer holds nothing else.
    whole: bool,
    values: Vec<Value>,
    tolerance: f64,
}

const KEYS: [&str; 5] = ["arg", "from", "values", "file", "tolerance"];

impl Expected {
    /// What a launch expects of its buffers.
    pub(super) fn read_all(launch: &Keys<'_>, arguments: &[Argument]) -> Result<Vec<Self>, LaunchFileError> {
        let Some(entry) = launch.get("expect") else { return Ok(Vec::new()) };
        let what = "a list of tables such as { arg = 2, values = [1, 2] }";
        let items = launch.document.array(entry, "expect", what)?;
        items.iter().map(|item| Self::read(launch.document, item, arguments)).collect()
    }

    fn read<'a>(document: Document<'a>, entry: Entry<'a>, arguments: &[Argument]) -> Result<Self, LaunchFileError> {
        let keys = document.table(entry, "expect", "a table such as { arg = 2, values = [1, 2] }", &KEYS)?;
        let place = keys.needed("arg")?;
        let arg = document.small_of(place, "arg")? as usize;
        let Some(Argument::Buffer { ty, .. }) = arguments.get(arg) else {
            let problem = match arguments.get(arg) {
                Some(_) => format!("argument {arg} is not a buffer"),
                None => {
                    format!("there is no argument {arg}: they are counted from 0, and there are {}", arguments.len())
                }
            };
            return Err(document.error(place.span(), problem));
        };
        let tolerance = match keys.get("tolerance") {
            None => 0.0,
            Some(entry) => {
                let value = number(entry).and_then(|text| text.parse::<f64>().ok()).filter(|value| *value >= 0.0);
                let problem = "`tolerance` is a number from 0 on, such as 1e-6";
                value.ok_or_else(|| document.error(entry.span(), problem))?
            }
        };
        let from = keys.get("from").map_or(Ok(0), |entry| document.count_of(entry, "from"))?;
        let (values, whole) = match (keys.get("values"), keys.get("file")) {
            (Some(list), None) => (listed(document, list, *ty)?, false),
            (None, Some(file)) if from == 0 => (from_file(document, file, *ty)?, true),
            (None, Some(file)) => {
                return Err(document.error(file.span(), "a `file` holds the whole buffer, without `from`"));
            }
            _ => return Err(document.error(entry.span(), "`expect` needs either `values` or `file`")),
        };
        Ok(Self { line: document.line(place.span()), arg, from, whole, values, tolerance })
    }

    /// What is wrong with the buffers, if they are not as expected.
    pub(super) fn broken(&self, buffers: &[Contents]) -> Option<String> {
        let arg = self.arg;
        let Some(buffer) = buffers.iter().find(|buffer| buffer.arg == arg) else {
            return Some(format!("argument {arg} could not be compared, because the launch did not begin"));
        };
        let all = buffer.ty.decode(&buffer.bytes);
        let first = usize::try_from(self.from).unwrap_or(usize::MAX).min(all.len());
        let found = &all[first..];
        if self.values.len() > found.len() || (self.whole && self.values.len() != found.len()) {
            let (wanted, length) = (self.values.len(), all.len());
            return Some(format!("argument {arg} has {length} elements, but {wanted} are expected from {first} on"));
        }
        let pairs = found.iter().zip(&self.values).enumerate();
        let wrong: Vec<_> = pairs.filter(|(_, (found, wanted))| !near(**found, **wanted, self.tolerance)).collect();
        let (at, (found, wanted)) = wrong.first()?;
        let within = if self.tolerance > 0.0 { format!(" within {}", self.tolerance) } else { String::new() };
        Some(format!(
            "argument {arg}: {} of {} elements differ; element {} is {found}, but should be {wanted}{within}",
            wrong.len(),
            self.values.len(),
            first + at
        ))
    }
}

/// The numbers of a list, as the buffer's type holds them.
fn listed<'a>(document: Document<'a>, entry: Entry<'a>, ty: ElementType) -> Result<Vec<Value>, LaunchFileError> {
    let mut bytes = Vec::new();
    for item in document.array(entry, "values", "a list of numbers")?.iter() {
        let text = number(item).ok_or_else(|| document.error(item.span(), "`values` is a list of numbers"))?;
        ty.encode_text(&text, &mut bytes).map_err(|problem| document.error(item.span(), problem))?;
    }
    Ok(ty.decode(&bytes))
}

/// The numbers of a file beside the launch file: `.npy` and `.csv` as arrays, anything else as raw little-endian data.
fn from_file<'a>(document: Document<'a>, entry: Entry<'a>, ty: ElementType) -> Result<Vec<Value>, LaunchFileError> {
    let path = beside(document.path, document.text_of(entry, "file")?);
    let wrong = |problem: String| document.error(entry.span(), problem);
    if matches!(files::extension(&path).as_str(), "npy" | "csv") {
        let array = files::read_array(&path).map_err(|error| wrong(error.to_string()))?;
        let values = with_numbers!(&array.numbers, xs => xs.iter().map(|x| x.value()).collect::<Vec<Value>>());
        let mut bytes = Vec::new();
        for value in values {
            let misfit = |problem| wrong(format!("{}: {problem}", path.display()));
            ty.encode_text(&value.to_string(), &mut bytes).map_err(misfit)?;
        }
        return Ok(ty.decode(&bytes));
    }
    let bytes = files::read(&path).map_err(|error| wrong(error.to_string()))?;
    if !(bytes.len() as u64).is_multiple_of(ty.bytes()) {
        let (path, size, name) = (path.display(), bytes.len(), ty.name());
        return Err(wrong(format!("{path} has {size} bytes, which is not a whole number of {name} values")));
    }
    Ok(ty.decode(&bytes))
}

/// A path that is relative to a launch file.
pub(super) fn beside(launch_file: &Path, path: &str) -> std::path::PathBuf {
    launch_file.parent().unwrap_or(Path::new("")).join(path)
}

/// Whether a value is as expected: equal, or no further away than the tolerance, which is relative for values beyond 1.
fn near(found: Value, wanted: Value, tolerance: f64) -> bool {
    let (a, b) = (wide(found), wide(wanted));
    let equal = match (found, wanted) {
        (Value::Integer(a), Value::Integer(b)) => a == b,
        _ => a == b || (a.is_nan() && b.is_nan()),
    };
    equal || (tolerance > 0.0 && (a - b).abs() <= tolerance * b.abs().max(1.0))
}

#[allow(clippy::cast_precision_loss, reason = "only differences within a tolerance are computed with it")]
fn wide(value: Value) -> f64 {
    match value {
        Value::Integer(value) => value as f64,
        Value::Single(value) => value.into(),
        Value::Double(value) => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(values: &[f32], from: u64, whole: bool, tolerance: f64) -> Expected {
        let values = values.iter().map(|value| Value::Single(*value)).collect();
        Expected { line: 1, arg: 2, from, whole, values, tolerance }
    }

    fn broken(expected: &Expected, held: &[f32]) -> Option<String> {
        let bytes = held.iter().flat_map(|value| value.to_le_bytes()).collect();
        expected.broken(&[Contents { arg: 2, ty: ElementType::F32, bytes }])
    }

    #[test]
    fn elements_are_compared() {
        assert_eq!(broken(&expected(&[1.0, 2.0], 0, false, 0.0), &[1.0, 2.0, 3.0]), None);
        assert_eq!(broken(&expected(&[3.0], 2, false, 0.0), &[1.0, 2.0, 3.0]), None);
        let told = broken(&expected(&[1.0, 2.5, f32::NAN], 0, true, 0.0), &[1.0, 2.0, f32::NAN]).unwrap();
        assert_eq!(told, "argument 2: 1 of 3 elements differ; element 1 is 2, but should be 2.5");
        let told = broken(&expected(&[1.0], 0, true, 0.0), &[1.0, 2.0]).unwrap();
        assert_eq!(told, "argument 2 has 2 elements, but 1 are expected from 0 on");
        assert!(broken(&expected(&[1.0, 2.0], 1, false, 0.0), &[1.0, 1.0]).is_some(), "too few");
        assert!(expected(&[], 0, false, 0.0).broken(&[]).unwrap().contains("did not begin"));
    }

    #[test]
    fn the_tolerance_is_relative_beyond_one() {
        assert_eq!(broken(&expected(&[1000.0, 0.0], 0, false, 0.01), &[1009.0, 0.009]), None);
        let told = broken(&expected(&[1000.0, 0.0], 0, false, 0.01), &[1011.0, 0.011]).unwrap();
        assert!(told.contains("2 of 2 elements differ") && told.ends_with("should be 1000 within 0.01"), "{told}");
        assert!(near(Value::Integer(5), Value::Integer(4), 0.5) && !near(Value::Integer(5), Value::Integer(4), 0.0));
        let large = i128::from(u64::MAX);
        assert!(!near(Value::Integer(large), Value::Integer(large - 1), 0.0), "integers are compared exactly");
    }
}
