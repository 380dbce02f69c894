//! Launches a case and gives what was found a plain form.

use std::sync::Arc;

use warpwise_simt::{Checks, DevicePtr, Finding, Gpu, Kernel, Launch, Machine, Place, Program};

use crate::case::{Case, Expectation, Input};
use crate::values::Value;

/// Warp instructions after which a launch ends: far more than any case needs.
const BUDGET: u64 = 2_000_000;
/// Mismatches shown of one result.
const SHOWN: usize = 4;

/// A finding, in the words that the cases use.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) kind: String,
    pub(crate) severity: String,
    /// Source line of the access at fault.
    pub(crate) line: Option<u32>,
    /// Source line of the other access of a race.
    pub(crate) other: Option<u32>,
    pub(crate) space: Option<String>,
    pub(crate) object: Option<String>,
    pub(crate) message: String,
    pub(crate) advice: String,
}

/// What a launch led to.
pub(crate) struct Launched {
    pub(crate) findings: Vec<Seen>,
    /// All of it, to the last detail.
    pub(crate) whole: String,
    /// What is wrong with the results that the case states.
    pub(crate) mismatches: Vec<String>,
}

/// Runs a case on a machine of its own.
pub(crate) fn launch(program: &Arc<Program>, case: &Case, checks: Checks, workers: usize) -> Result<Launched, String> {
    let mut machine = Machine::new(Gpu::named("h200").ok_or("there is no GPU of that name")?);
    let module = machine.load(Arc::clone(program)).map_err(|error| error.to_string())?;
    let kernel = program.kernel(&case.entry).ok_or("the module has no such entry")?;
    let mut buffers = Vec::new();
    let mut values = Vec::new();
    for input in &case.inputs {
        let (buffer, bytes) = match input {
            Input::Scalar(bytes) => (None, bytes.clone()),
            Input::Buffer(bytes) => {
                let pointer = machine.alloc(bytes.len() as u64).map_err(|error| error.to_string())?;
                machine.write(pointer, bytes).map_err(|error| error.to_string())?;
                (Some(pointer), pointer.0.to_le_bytes().to_vec())
            }
            Input::Uninit(bytes) => {
                let pointer = machine.alloc(*bytes as u64).map_err(|error| error.to_string())?;
                (Some(pointer), pointer.0.to_le_bytes().to_vec())
            }
        };
        buffers.push(buffer);
        values.push(bytes);
    }
    let mut launch = Launch::new(case.grid, case.block, parameter_block(kernel, &values)?);
    launch.shared_bytes = case.shared;
    launch.max_instructions = BUDGET;
    launch.workers = workers;
    launch.watch.checks = checks;
    let outcome = machine.launch(module, &case.entry, &launch);
    // How often a block that waits has looked depends on the host.
    let whole = match &outcome {
        Ok(report) => format!("{:#?}", (&report.findings, &report.notes, &report.printed)),
        Err(fault) => format!("{fault:#?}"),
    };
    let findings = match outcome {
        Ok(report) => report.findings,
        Err(fault) => fault.findings,
    };
    let mismatches = mismatches(&machine, &buffers, case)?;
    Ok(Launched { findings: findings.iter().map(|finding| seen(finding, program)).collect(), whole, mismatches })
}

fn seen(finding: &Finding, program: &Program) -> Seen {
    let word = |value: &dyn std::fmt::Debug| format!("{value:?}").to_lowercase();
    let line = |place: &Option<Box<Place>>| {
        let source = place.as_ref()?.source.as_ref()?;
        program.file(source.file).filter(|file| file.ends_with(".cu")).map(|_| source.line)
    };
    Seen {
        kind: finding.kind.name().to_owned(),
        severity: word(&finding.severity),
        line: line(&finding.place),
        other: line(&finding.other),
        space: finding.space.as_ref().map(|space| word(space)),
        object: finding.object.as_ref().map(ToString::to_string),
        message: finding.message.clone(),
        advice: finding.advice.clone(),
    }
}

impl Seen {
    /// Whether this matches the expectation.
    pub(crate) fn is(&self, stated: &Expectation) -> bool {
        let among = |lines: &[u32], line: Option<u32>| lines.is_empty() || line.is_some_and(|l| lines.contains(&l));
        let both = |at, with| among(&stated.at, at) && among(&stated.with, with);
        stated.kinds.contains(&self.kind)
            && stated.severities.contains(&self.severity)
            && (both(self.line, self.other) || self.kind == "race" && both(self.other, self.line))
            && stated.space.as_ref().is_none_or(|space| self.space.as_ref() == Some(space))
            && (stated.objects.is_empty()
                || self.object.as_ref().is_some_and(|object| stated.objects.iter().any(|name| object.contains(name))))
    }
}

impl std::fmt::Display for Seen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { kind, severity, line, other, space, object, message, advice } = self;
        write!(f, "{kind} {severity}")?;
        for (word, line) in [("at", line), ("with", other)] {
            if let Some(line) = line {
                write!(f, " {word} line {line}")?;
            }
        }
        if let Some(space) = space {
            write!(f, " in {space} {}", object.as_deref().unwrap_or_default())?;
        }
        write!(f, ": {message} {advice}")
    }
}

/// Compares the results that the case states.
fn mismatches(machine: &Machine, buffers: &[Option<DevicePtr>], case: &Case) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for stated in &case.results {
        let argument = stated.argument;
        let pointer = buffers.get(argument).copied().flatten().ok_or("`result` names no buffer")?;
        let length = match &case.inputs[argument] {
            Input::Buffer(bytes) => bytes.len(),
            Input::Uninit(bytes) => *bytes,
            Input::Scalar(_) => return Err("`result` names no buffer".to_owned()),
        };
        if stated.values.len() * stated.ty.size() != length {
            return Err(format!("result {argument} has {} values for {length} bytes", stated.values.len()));
        }
        let mut bytes = vec![0; length];
        machine.read(pointer, &mut bytes).map_err(|error| error.to_string())?;
        let elements = bytes.chunks(stated.ty.size()).map(|element| {
            let mut wide = [0; 8];
            wide[..element.len()].copy_from_slice(element);
            u64::from_le_bytes(wide)
        });
        let wrong = elements.zip(&stated.values).enumerate().filter(|(_, (got, value))| match value {
            Value::Bits(bits) => got != bits,
            Value::Any => false,
            Value::Nan => true,
        });
        found.extend(wrong.take(SHOWN).map(|(index, (got, value))| {
            let show = |value| stated.ty.show(value);
            format!("argument {argument}[{index}]: expected {}, got {}", show(*value), show(Value::Bits(got)))
        }));
    }
    Ok(found)
}

fn parameter_block(kernel: &Kernel, values: &[Vec<u8>]) -> Result<Vec<u8>, String> {
    if kernel.params.len() != values.len() {
        return Err(format!("{} arguments for {} parameters", values.len(), kernel.params.len()));
    }
    let mut block = vec![0; kernel.param_bytes as usize];
    for (parameter, bytes) in kernel.params.iter().zip(values) {
        if parameter.size as usize != bytes.len() {
            return Err(format!("parameter {} has {} bytes, not {}", parameter.name, parameter.size, bytes.len()));
        }
        block[parameter.offset as usize..][..bytes.len()].copy_from_slice(bytes);
    }
    Ok(block)
}
