//! One launch of one entry of a micro-PTX file, with its stated outcome.
//!
//! Every comment line that starts with `//:` belongs to the `.entry` that follows it:
//!
//! ```text
//! //: grid 2 block 8,4        blocks, then threads (1 each where not given)
//! //: shared 1024             bytes of dynamic shared memory
//! //: sm 80                   the oldest GPU that can run it; above `.version`, for the whole file
//! //: arg u32[8]:iota         arguments in kernel order; also `u32=5`, `list:1,2,0xff`, `zeros`, `ones`, `uninit`
//! //: expect 1 u32 3,5*7      argument 1 read back as u32: a 3 and seven 5s; `nan` is any NaN, `_` anything
//! //:   6,7                   two spaces or more: the line before goes on
//! //: ulp 1 2                 argument 1 may be two steps off; also `abs 1 1e-6`, `rel 1 1e-6`
//! //: fault trap              the launch ends in this fault
//! ```
//!
//! Floats may be given as bits (`0x3f800000`). `uninit` buffers hold [`POISON`](super::argument::POISON) in every byte.

use super::argument::{Argument, argument, dimensions, number};
use super::values::{Tolerance, Type, Value};

/// What a buffer must hold afterwards.
#[derive(Clone, Debug)]
pub(crate) struct Expectation {
    pub(crate) argument: usize,
    pub(crate) ty: Type,
    pub(crate) values: Vec<Value>,
    pub(crate) tolerance: Tolerance,
}

/// A launch and its outcome.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) entry: String,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) expectations: Vec<Expectation>,
    pub(crate) fault: Option<String>,
}

impl Case {
    fn new() -> Self {
        Self {
            entry: String::new(),
            grid: [1; 3],
            block: [1; 3],
            shared: 0,
            arguments: Vec::new(),
            expectations: Vec::new(),
            fault: None,
        }
    }

    /// All cases of a file.
    pub(crate) fn all(text: &str) -> Result<Vec<Self>, String> {
        let mut cases = Vec::new();
        let mut case = Self::new();
        let mut directive = String::new();
        for line in text.lines() {
            let note = line.strip_prefix("//:");
            if let Some(more) = note.filter(|note| note.starts_with("  ")) {
                directive.push_str(more.trim());
                continue;
            }
            case.take(&directive).map_err(|error| format!("`//: {directive}`: {error}"))?;
            directive = note.unwrap_or_default().trim().to_owned();
            if let Some(name) = line.split_whitespace().skip_while(|word| *word != ".entry").nth(1) {
                case.entry = name.split('(').next().unwrap_or(name).to_owned();
                cases.push(std::mem::replace(&mut case, Self::new()));
            }
        }
        Ok(cases)
    }

    fn take(&mut self, directive: &str) -> Result<(), String> {
        let (word, rest) = directive.split_once(' ').unwrap_or((directive, ""));
        let rest = rest.trim();
        match word {
            "" | "sm" => {}
            "grid" | "block" => {
                let words: Vec<_> = directive.split_whitespace().collect();
                for pair in words.chunks(2) {
                    match pair {
                        ["grid", sizes] => self.grid = dimensions(sizes)?,
                        ["block", sizes] => self.block = dimensions(sizes)?,
                        _ => return Err("expected `grid X,Y,Z` and `block X,Y,Z`".to_owned()),
                    }
                }
            }
            "shared" => self.shared = number(rest)?,
            "arg" => self.arguments.push(argument(rest)?),
            "fault" => self.fault = Some(rest.to_owned()),
            "expect" => {
                let mut words = rest.splitn(3, ' ');
                let (Some(index), Some(ty), Some(values)) = (words.next(), words.next(), words.next()) else {
                    return Err("expected an argument number, a type and values".to_owned());
                };
                let ty = Type::parse(ty)?;
                let argument = number(index)?;
                let values = match (values, self.arguments.get(argument)) {
                    ("iota", Some(Argument::Buffer(bytes))) => {
                        (0..(bytes.len() / ty.size()) as u64).map(Value::Bits).collect()
                    }
                    _ => ty.list(values)?,
                };
                self.expectations.push(Expectation { argument, ty, values, tolerance: Tolerance::Exact });
            }
            "ulp" | "abs" | "rel" => {
                let (index, bound) = rest.split_once(' ').ok_or("expected an argument number and a bound")?;
                let index: usize = number(index)?;
                let stated = self.expectations.iter_mut().find(|stated| stated.argument == index);
                stated.ok_or("no `expect` for that argument above")?.tolerance = match word {
                    "ulp" => Tolerance::Ulp(number(bound)?),
                    "abs" => Tolerance::Absolute(number(bound)?),
                    _ => Tolerance::Relative(number(bound)?),
                };
            }
            _ => return Err(format!("unknown word `{word}`")),
        }
        Ok(())
    }
}
