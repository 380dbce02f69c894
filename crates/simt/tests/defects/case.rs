//! The cases of a source file: a kernel, a launch, and what must be found in it.
//!
//! `README.md` beside this file describes the format.

use std::ops::RangeInclusive;

use crate::argument::{Argument, argument, dimensions, number};
use crate::values::{Type, Value};

/// What a case is: a defect that must be found, or a look-alike about which nothing may be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Defect,
    Correct,
}

/// An argument of the kernel.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    Scalar(Vec<u8>),
    Buffer(Vec<u8>),
    /// An unwritten buffer of that many bytes.
    Uninit(usize),
}

/// A finding that is expected, or allowed. Every list holds alternatives.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expectation {
    /// As it stands in the file.
    pub(crate) text: String,
    pub(crate) kinds: Vec<String>,
    pub(crate) severities: Vec<String>,
    /// Lines of the access at fault; empty for any.
    pub(crate) at: Vec<u32>,
    /// Lines of the other access of a race; empty for any.
    pub(crate) with: Vec<u32>,
    pub(crate) space: Option<String>,
    /// Names of the variable concerned; empty for any.
    pub(crate) objects: Vec<String>,
}

impl Expectation {
    /// The lines that it names, for messages.
    pub(crate) fn lines(&self) -> (&[u32], &[u32]) {
        (&self.at, &self.with)
    }
}

/// What a buffer must hold after the launch.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) argument: usize,
    pub(crate) ty: Type,
    pub(crate) values: Vec<Value>,
}

/// One launch of one kernel.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) verdict: Verdict,
    /// Why the kernel is wrong, or right.
    pub(crate) title: String,
    pub(crate) entry: String,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
    pub(crate) inputs: Vec<Input>,
    pub(crate) expected: Vec<Expectation>,
    pub(crate) allowed: Vec<Expectation>,
    pub(crate) results: Vec<Outcome>,
}

/// All cases of a source file.
pub(crate) fn cases(text: &str) -> Result<Vec<Case>, String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    let mut header: Vec<String> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        match line.strip_prefix("//:") {
            Some(more) if more.starts_with("  ") => {
                header.last_mut().ok_or("a continued line continues nothing")?.push_str(more.trim());
            }
            Some(note) => header.push(note.trim().to_owned()),
            None => {}
        }
        if let Some((_, rest)) = line.split_once("__global__ void ") {
            let entry = rest.split('(').next().unwrap_or(rest);
            let labels = Labels { lines: &lines, kernel: index..=end_of(&lines, index) };
            let of_kernel = group(&std::mem::take(&mut header), entry, &labels);
            found.extend(of_kernel.map_err(|error| format!("{entry}: {error}"))?);
        }
    }
    Ok(found)
}

/// The cases that one header describes.
fn group(header: &[String], entry: &str, labels: &Labels) -> Result<Vec<Case>, String> {
    let mut cases: Vec<Case> = Vec::new();
    for directive in header {
        let (word, rest) = directive.split_once(' ').unwrap_or((directive, ""));
        let verdict = match word {
            "arch" if cases.is_empty() => continue,
            "defect" => Verdict::Defect,
            "correct" => Verdict::Correct,
            _ => {
                let case = cases.last_mut().ok_or("the header must start with `defect` or `correct`")?;
                case.take(word, rest, labels).map_err(|error| format!("`//: {directive}`: {error}"))?;
                continue;
            }
        };
        cases.push(Case {
            verdict,
            title: rest.to_owned(),
            entry: entry.to_owned(),
            grid: [1; 3],
            block: [1; 3],
            shared: 0,
            inputs: Vec::new(),
            expected: Vec::new(),
            allowed: Vec::new(),
            results: Vec::new(),
        });
    }
    if cases.is_empty() { Err("no case".to_owned()) } else { Ok(cases) }
}

impl Case {
    fn take(&mut self, word: &str, rest: &str, labels: &Labels) -> Result<(), String> {
        match word {
            "grid" => {
                let (grid, block) = rest.split_once(" block ").ok_or("expected `grid X,Y,Z block X,Y,Z`")?;
                self.grid = dimensions(grid)?;
                self.block = dimensions(block)?;
            }
            "shared" => self.shared = number(rest)?,
            "arg" => self.inputs.push(input(rest)?),
            "expect" => self.expected.push(expectation(rest, labels)?),
            "allow" => self.allowed.push(expectation(rest, labels)?),
            "result" => {
                let mut words = rest.splitn(3, ' ');
                let (Some(index), Some(ty), Some(values)) = (words.next(), words.next(), words.next()) else {
                    return Err("expected an argument number, a type and values".to_owned());
                };
                let ty = Type::parse(ty)?;
                self.results.push(Outcome { argument: number(index)?, ty, values: ty.list(&expanded(values)?)? });
            }
            _ => return Err(format!("unknown word `{word}`")),
        }
        Ok(())
    }

    /// Entry and launch, to tell cases apart in messages.
    pub(crate) fn name(&self) -> String {
        let shape = |sizes: [u32; 3]| sizes.map(|size| size.to_string()).join("x");
        format!("{} {} by {} ({})", self.entry, shape(self.grid), shape(self.block), self.title)
    }
}

fn input(text: &str) -> Result<Input, String> {
    Ok(match argument(text)? {
        Argument::Scalar(bytes) => Input::Scalar(bytes),
        Argument::Buffer(bytes) if text.ends_with(":uninit") => Input::Uninit(bytes.len()),
        Argument::Buffer(bytes) => Input::Buffer(bytes),
    })
}

/// `KIND SEVERITY [at LABEL] [with LABEL] [in SPACE [VARIABLE]]`, alternatives with `|`.
fn expectation(text: &str, labels: &Labels) -> Result<Expectation, String> {
    let alternatives = |word: &str| word.split('|').map(str::to_owned).collect::<Vec<_>>();
    let mut words = text.split_whitespace();
    let (Some(kinds), Some(severities)) = (words.next(), words.next()) else {
        return Err("expected a kind and a severity".to_owned());
    };
    let mut stated = Expectation {
        text: text.to_owned(),
        kinds: alternatives(kinds),
        severities: alternatives(severities),
        ..Expectation::default()
    };
    if let Some(unknown) = stated.severities.iter().find(|word| !["error", "warning"].contains(&word.as_str())) {
        return Err(format!("`{unknown}` is no severity"));
    }
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("nothing after `{word}`"))?;
        match word {
            "at" => stated.at = labels.find(value)?,
            "with" => stated.with = labels.find(value)?,
            "in" => {
                stated.space = Some(value.to_owned());
                stated.objects = words.next().map(alternatives).unwrap_or_default();
            }
            _ => return Err(format!("unknown word `{word}`")),
        }
    }
    Ok(stated)
}

/// Writes ranges out: `3..1` is `3,2,1`, `0..8/4` is `0,4,8`.
fn expanded(text: &str) -> Result<String, String> {
    let mut items = Vec::new();
    for item in text.split(',') {
        let Some((first, rest)) = item.split_once("..") else {
            items.push(item.to_owned());
            continue;
        };
        let (last, step) = rest.split_once('/').unwrap_or((rest, "1"));
        let (first, last, step) = (number::<u64>(first)?, number::<u64>(last)?, number::<usize>(step)?);
        let mut range: Vec<u64> = (first.min(last)..=first.max(last)).step_by(step.max(1)).collect();
        if first > last {
            range.reverse();
        }
        items.extend(range.iter().map(u64::to_string));
    }
    Ok(items.join(","))
}

/// The index of the line that closes the function which starts at `start`.
fn end_of(lines: &[&str], start: usize) -> usize {
    (start..lines.len()).find(|&index| lines[index] == "}").unwrap_or(lines.len())
}

/// The marks `//@ LABEL` of a file, as one kernel sees them.
struct Labels<'a> {
    lines: &'a [&'a str],
    /// Indices of the lines of the kernel.
    kernel: RangeInclusive<usize>,
}

impl Labels<'_> {
    /// The lines of labels: those in the kernel or, where it has none of that name, in functions outside of kernels.
    fn find(&self, names: &str) -> Result<Vec<u32>, String> {
        let mut found = Vec::new();
        for name in names.split('|') {
            let inside = self.marked(name, self.kernel.clone());
            let lines = if inside.is_empty() { self.marked(name, self.outside()) } else { inside };
            if lines.is_empty() {
                return Err(format!("no line is marked `//@ {name}`"));
            }
            found.extend(lines);
        }
        Ok(found)
    }

    fn marked(&self, name: &str, indices: impl IntoIterator<Item = usize>) -> Vec<u32> {
        let has = |index: &usize| {
            let mark = self.lines.get(*index).and_then(|line| line.split_once("//@ "));
            mark.is_some_and(|(_, labels)| labels.split_whitespace().any(|label| label == name))
        };
        indices.into_iter().filter(has).map(|index| index as u32 + 1).collect()
    }

    fn outside(&self) -> Vec<usize> {
        let mut outside = Vec::new();
        let mut index = 0;
        while index < self.lines.len() {
            if self.lines[index].contains("__global__ void ") {
                index = end_of(self.lines, index);
            } else {
                outside.push(index);
            }
            index += 1;
        }
        outside
    }
}
