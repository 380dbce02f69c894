//! Kernels of one's own: inspected, run, checked, explained and watched by the laboratory.

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use warpwise_lab::kernels::explain::explain;
use warpwise_lab::kernels::run::{Argument, DEFAULT_MAX_INSTRUCTIONS, ElementType, Fill, Request};
use warpwise_lab::kernels::watch::{Choice, WatchReport, watch};
use warpwise_lab::kernels::{check, explain as explaining, inspect, run};
use warpwise_lab::output::{Exporter, Report};
use warpwise_lab::{Place, Style, parse_checks};

/// How often Ctrl-C is looked for.
const PATIENCE: Duration = Duration::from_millis(40);

/// Does work on another thread while Python hears signals. If one ends the call, the work goes on to its time limit,
/// with data of its own, and what it finds is dropped.
fn patiently<R: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> R + Send + 'static) -> PyResult<R> {
    let (send, receive) = channel();
    std::thread::spawn(move || send.send(work()));
    let receive = Mutex::new(receive);
    loop {
        let wait = || receive.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(PATIENCE);
        match py.detach(wait) {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(PyRuntimeError::new_err("the laboratory failed")),
        }
    }
}

fn refused(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The formats of a report that the package shows.
const FORMATS: [&str; 4] = ["text", "json", "html", "sarif"];

/// A report in all formats that it has.
fn views<R: Report>(report: &R, with_page: bool) -> Vec<(&'static str, String)> {
    let wanted = FORMATS.into_iter().filter(|&format| with_page || format != "html");
    let all = wanted.filter_map(|format| {
        let exported = Exporter::named(format)?.export(report, Style::default()).ok()?;
        Some((format, exported))
    });
    all.collect()
}

fn shown<'py>(py: Python<'py>, views: Vec<(&'static str, String)>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (format, text) in views {
        dict.set_item(format, text)?;
    }
    Ok(dict)
}

/// What is in a file of kernels: the report, in its formats.
#[pyfunction]
pub(crate) fn inspect_file<'py>(
    py: Python<'py>,
    file: PathBuf,
    entry: Option<String>,
    gpu: String,
    defines: Vec<String>,
    includes: Vec<PathBuf>,
    debug: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let request = inspect::Request { file, entry, gpu, debug, defines, includes };
    let report = patiently(py, move || inspect::inspect(&request))?.map_err(refused)?;
    shown(py, views(&report, false))
}

/// A launch as the package describes it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Launch {
    file: PathBuf,
    entry: Option<String>,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    cooperative: bool,
    cluster: Option<[u32; 3]>,
    device: String,
    gpu: String,
    checks: String,
    time_limit: f64,
    max_instructions: Option<u64>,
    defines: Vec<String>,
    includes: Vec<PathBuf>,
    debug: bool,
    symbols: Vec<String>,
}

fn values(given: &Bound<'_, PyAny>) -> PyResult<Vec<Argument>> {
    let mut all = Vec::new();
    for (index, item) in given.try_iter()?.enumerate() {
        let item = item?;
        all.push(match item.cast::<pyo3::types::PyTuple>() {
            Ok(pair) => {
                let (ty, bytes): (String, Bound<'_, PyBytes>) = pair.extract()?;
                let ty = ElementType::parse(&ty).map_err(PyValueError::new_err)?;
                let bytes = bytes.as_bytes().to_vec();
                Argument::Buffer { ty, len: bytes.len() as u64 / ty.bytes(), fill: Fill::Numbers(bytes) }
            }
            Err(_) => Argument::parse(index, &item.extract::<String>()?).map_err(refused)?,
        });
    }
    Ok(all)
}

fn request(launch: Launch, values: Vec<Argument>) -> PyResult<Request> {
    let device = match launch.device.as_str() {
        "emulator" => Place::Emulator,
        "cuda" => Place::Cuda,
        "both" => Place::Both,
        other => {
            return Err(PyValueError::new_err(format!(
                "device: there is no device {other:?} for kernels: use \"emulator\", \"cuda\" or \"both\""
            )));
        }
    };
    let limit = Duration::try_from_secs_f64(launch.time_limit);
    Ok(Request {
        values,
        file: launch.file,
        entry: launch.entry,
        grid: launch.grid,
        block: launch.block,
        shared_bytes: launch.shared,
        cooperative: launch.cooperative,
        cluster: launch.cluster,
        arguments: Vec::new(),
        symbols: launch.symbols,
        device,
        gpu: launch.gpu,
        max_instructions: launch.max_instructions.unwrap_or(DEFAULT_MAX_INSTRUCTIONS),
        time_limit: Some(limit.map_err(|_| PyValueError::new_err("time_limit: give seconds, more than 0"))?),
        checks: parse_checks(&launch.checks).map_err(|error| PyValueError::new_err(format!("checks: {error}")))?,
        dump: None,
        defines: launch.defines,
        includes: launch.includes,
        debug: launch.debug,
        record: None,
    })
}

/// A report in its formats, and the bytes of buffers by the number of their argument.
type Ran<'py> = (Bound<'py, PyDict>, Vec<(usize, Bound<'py, PyBytes>)>);

/// Runs a kernel.
#[pyfunction]
pub(crate) fn run_kernel<'py>(py: Python<'py>, launch: Launch, given: &Bound<'py, PyAny>) -> PyResult<Ran<'py>> {
    let request = request(launch, values(given)?)?;
    let (report, contents) = patiently(py, move || run::run_with_contents(&request))?.map_err(refused)?;
    let contents = contents.into_iter().map(|(at, bytes)| (at, PyBytes::new(py, &bytes))).collect();
    Ok((shown(py, views(&report, false))?, contents))
}

/// Checks, explains or watches a launch.
#[pyfunction]
#[pyo3(signature = (what, launch, given, blocks=Vec::new(), warps=None, steps=None))]
pub(crate) fn study_kernel<'py>(
    py: Python<'py>,
    what: &str,
    launch: Launch,
    given: &Bound<'py, PyAny>,
    blocks: Vec<[u32; 3]>,
    warps: Option<(u32, u32)>,
    steps: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let request = Box::new(request(launch, values(given)?)?);
    let told = match what {
        "check" => patiently(py, move || match check::check(&check::Request::File(request)) {
            Ok(report) => Ok(views(&report, false)),
            Err(error) => Err(error.to_string()),
        }),
        "explain" => patiently(py, move || match explain(&explaining::Request::File(request)) {
            Ok(report) => Ok(views(&report, false)),
            Err(error) => Err(error.to_string()),
        }),
        _ => patiently(py, move || {
            match watch(&explaining::Request::File(request), &Choice::new(blocks, warps, steps, None)) {
                Ok(record) => Ok(views(&WatchReport::new(record, None), true)),
                Err(error) => Err(error.to_string()),
            }
        }),
    };
    shown(py, told?.map_err(PyValueError::new_err)?)
}

/// The names of the library's primitives.
#[pyfunction]
pub(crate) fn primitives() -> Vec<&'static str> {
    warpwise::PRIMITIVES.iter().map(|primitive| primitive.name).collect()
}

/// The ladder of a primitive: the name of every rung, what it runs on, its idea, and what it teaches.
#[pyfunction]
pub(crate) fn ladder_of(name: &str) -> PyResult<Vec<(&'static str, &'static str, &'static str, &'static str)>> {
    let primitive = warpwise::primitive::find(name).map_err(crate::error::exception)?;
    Ok(primitive.variants.iter().map(|rung| (rung.name, rung.runs_on.name(), rung.idea, rung.teaches)).collect())
}
