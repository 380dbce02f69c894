//! Runs every micro-PTX file under `tests/micro` on the emulator and compares with what the file states.
//!
//! The format is described in [`support::case`]. `WARPWISE_MICRO=float32/ cargo test --test micro` runs only the
//! files whose path contains that text.

mod support;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use support::argument::Argument;
use support::case::{Case, Expectation};
use support::values::{Type, Value};
use warpwise_simt::{DevicePtr, Gpu, Kernel, Launch, Machine, Program};

/// Far more than any of these kernels needs, and over in a moment.
const BUDGET: u64 = 4_000_000;
/// Mismatches shown of one entry.
const SHOWN: usize = 6;

#[test]
fn every_file_states_an_outcome() {
    let mut complaints = Vec::new();
    for (name, text) in files() {
        match Case::all(&text) {
            Err(error) => complaints.push(format!("{name}: {error}")),
            Ok(cases) if cases.is_empty() => complaints.push(format!("{name}: no entry")),
            Ok(cases) => {
                let idle = cases.iter().filter(|case| case.expectations.is_empty() && case.fault.is_none());
                complaints.extend(idle.map(|case| format!("{name} {}: no expect, no fault", case.entry)));
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn every_entry_gives_the_stated_values() {
    let filter = std::env::var("WARPWISE_MICRO").unwrap_or_default();
    let mut entries = 0;
    let mut failed = 0;
    let mut complaints = Vec::new();
    for (name, text) in files().into_iter().filter(|(name, _)| name.contains(&filter)) {
        let Ok(cases) = Case::all(&text) else { continue };
        let program = match guarded(|| Program::load(&text).map_err(|error| error.to_string())) {
            Ok(program) => Arc::new(program),
            Err(error) => {
                failed += cases.len();
                entries += cases.len();
                complaints.push(format!("{name}: does not load: {error}"));
                continue;
            }
        };
        for case in &cases {
            entries += 1;
            if let Err(lines) = guarded(|| run(&program, case)) {
                failed += 1;
                complaints.extend(lines.lines().map(|line| format!("{name} {}: {line}", case.entry)));
            }
        }
    }
    println!("{entries} entries, {failed} failed");
    assert!(complaints.is_empty(), "{failed} of {entries} entries failed\n{}", complaints.join("\n"));
}

/// Runs one case on a machine of its own; the error has a line for every mismatch.
fn run(program: &Arc<Program>, case: &Case) -> Result<(), String> {
    let gpu = Gpu::named("h200").ok_or("there is no GPU of that name")?;
    let mut machine = Machine::new(gpu);
    let module = machine.load(Arc::clone(program)).map_err(|error| error.to_string())?;
    let kernel = program.kernel(&case.entry).ok_or("the module has no such entry")?;
    let mut buffers = Vec::new();
    let mut values = Vec::new();
    for argument in &case.arguments {
        let (buffer, bytes) = match argument {
            Argument::Scalar(bytes) => (None, bytes.clone()),
            Argument::Buffer(bytes) => {
                let pointer = machine.alloc(bytes.len() as u64).map_err(|error| error.to_string())?;
                machine.write(pointer, bytes).map_err(|error| error.to_string())?;
                (Some(pointer), pointer.0.to_le_bytes().to_vec())
            }
        };
        buffers.push(buffer);
        values.push(bytes);
    }
    let mut launch = Launch::new(case.grid, case.block, parameter_block(kernel, &values)?);
    launch.shared_bytes = case.shared;
    launch.max_instructions = BUDGET;
    let outcome = machine.launch(module, &case.entry, &launch).map(drop);
    match (outcome, &case.fault) {
        (Ok(()), None) => {}
        (Ok(()), Some(kind)) => return Err(format!("ended well, expected the fault {kind}")),
        (Err(fault), Some(kind)) if fault.kind.name() == kind => {}
        (Err(fault), _) => {
            let line = fault.place.map_or(0, |place| place.ptx_line);
            return Err(format!("fault {} in line {line}: {}", fault.kind.name(), fault.message));
        }
    }
    let mut lines = Vec::new();
    for stated in &case.expectations {
        let pointer = buffers.get(stated.argument).copied().flatten().ok_or("expect names no buffer")?;
        lines.extend(compare(&machine, pointer, stated, case)?);
    }
    let hidden = lines.len().saturating_sub(SHOWN);
    lines.truncate(SHOWN);
    if hidden > 0 {
        lines.push(format!("and {hidden} more"));
    }
    if lines.is_empty() { Ok(()) } else { Err(lines.join("\n")) }
}

fn compare(machine: &Machine, pointer: DevicePtr, stated: &Expectation, case: &Case) -> Result<Vec<String>, String> {
    let Expectation { argument, ty, values, tolerance } = stated;
    let Some(Argument::Buffer(before)) = case.arguments.get(*argument) else {
        return Err("expect names no buffer".to_owned());
    };
    let mut after = vec![0; before.len()];
    machine.read(pointer, &mut after).map_err(|error| error.to_string())?;
    if values.len() * ty.size() != after.len() {
        return Err(format!("expect {argument} has {} values for {} bytes", values.len(), after.len()));
    }
    let wrong = after.chunks(ty.size()).zip(values).enumerate().filter_map(|(index, (bytes, &value))| {
        let got = element(bytes);
        (!ty.accepts(value, got, *tolerance)).then(|| {
            let inputs = inputs_at(case, *argument, index, values.len());
            format!(
                "argument {argument}[{index}]: expected {}, got {}{inputs}",
                ty.show(value),
                ty.show(Value::Bits(got))
            )
        })
    });
    Ok(wrong.collect())
}

/// The elements at `index` of the buffers that have as many elements as the one that was compared.
fn inputs_at(case: &Case, compared: usize, index: usize, length: usize) -> String {
    let outputs: Vec<_> = case.expectations.iter().map(|stated| stated.argument).collect();
    let mut text = String::new();
    for (number, argument) in case.arguments.iter().enumerate() {
        let Argument::Buffer(bytes) = argument else { continue };
        if number == compared || outputs.contains(&number) || !bytes.len().is_multiple_of(length) {
            continue;
        }
        let size = bytes.len() / length;
        if [1, 2, 4, 8].contains(&size) {
            let bits = element(&bytes[index * size..][..size]);
            text += &format!(", argument {number} is {bits:#0width$x}", width = 2 + 2 * size);
        }
    }
    text
}

fn element(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
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

/// Turns a panic into an error, so that one bad case does not hide the others.
fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(format!("panicked: {}", panic_text(&*panic))))
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

/// Every `.ptx` file, by its path inside `tests/micro`.
fn files() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/micro");
    let mut found = Vec::new();
    collect(&root, &mut found);
    found.sort();
    let named = found.into_iter().map(|path| {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let name = path.strip_prefix(&root).expect("found under the root").to_string_lossy().replace('\\', "/");
        (name, text)
    });
    named.collect()
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.unwrap_or_else(|error| panic!("{}: {error}", folder.display())).path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            found.push(path);
        }
    }
}

#[test]
fn the_format_tells_right_from_wrong() {
    let float = Type::parse("f32").expect("f32 is a type");
    let one = Value::Bits(0x3f80_0000);
    let exact = support::values::Tolerance::Exact;
    let near = support::values::Tolerance::Ulp(1);
    assert!(!float.accepts(one, 0x3f80_0001, exact));
    assert!(float.accepts(one, 0x3f80_0001, near));
    assert!(!float.accepts(one, 0x3f80_0002, near));
    assert!(!float.accepts(one, 0x7fff_ffff, near));
    assert!(float.accepts(Value::Nan, 0xffc0_0000, exact));
    assert!(float.accepts(Value::Bits(0), 0x8000_0001, near), "the line of values passes through zero");
}
