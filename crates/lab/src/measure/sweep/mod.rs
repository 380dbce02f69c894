//! Sweeping launch geometry: block x grid x items of one rung, each configuration verified before it is timed.
//!
//! On a GPU, configurations are ranked by time, without one by the time that is estimated for a GPU. Each measurement is appended to a
//! file of results immediately, with the hash of the kernels, the device and its driver: an interrupted sweep continues
//! where it stopped.

mod budget;
mod journal;
mod render;
mod tuned;

pub use budget::{Budget, parse_budget};
pub use tuned::{check_save, save};

use crate::Place;
use crate::measure::bench::{BenchError, DeviceFacts, HostFacts, Refusal, Row, trial};
use crate::measure::stats::{Clock, Monotonic, Rule};
use journal::{Journal, Key};
use serde::Serialize;
use std::path::PathBuf;
use warpwise::Geometry;
use warpwise::primitive::Settings;

/// What to sweep.
#[derive(Clone, Debug)]
pub struct Request {
    /// The primitive.
    pub primitive: String,
    /// The rung.
    pub variant: String,
    /// Threads per block; the rung's own if there are none, and common ones if no other list has numbers either.
    pub blocks: Vec<u32>,
    /// Blocks of the grid; the rung's own if there are none.
    pub grids: Vec<u32>,
    /// Elements per thread; the rung's own if there are none.
    pub items: Vec<u32>,
    /// The length or side, `-n`.
    pub length: Option<usize>,
    /// Rows and columns, `--size`.
    pub plane: Option<(usize, usize)>,
    /// The element type; the first of the primitive if it is omitted.
    pub ty: Option<String>,
    /// Where.
    pub place: Place,
    /// The GPU to estimate times for, where kernels are emulated.
    pub gpu: String,
    /// What operands are filled with; the primitive's usual data if it is omitted.
    pub input: Option<String>,
    /// Choices of some primitives.
    pub settings: Settings,
    /// When samples are enough.
    pub rule: Rule,
    /// How much to measure; everything if it is omitted.
    pub budget: Option<Budget>,
    /// A file that results are appended to, and read from first.
    pub results: Option<PathBuf>,
}

/// The result of one configuration.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Point {
    /// Threads per block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<u32>,
    /// Blocks of the grid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grid: Option<u32>,
    /// Elements per thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<u32>,
    /// Whether it agrees with the reference.
    pub ok: bool,
    /// What it is ranked by: milliseconds, measured or estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Noise of the time, in per cent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise_pct: Option<f64>,
    /// Why there is no score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether it was read from the file of results.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reused: bool,
}

/// The report: its fields are the JSON, in order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Version of this format.
    pub schema: u32,
    /// The machine.
    pub host: HostFacts,
    /// The device.
    pub device: DeviceFacts,
    /// The primitive.
    pub primitive: &'static str,
    /// The rung.
    pub variant: &'static str,
    /// The element type.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// `2^24`, `1000x2000`.
    pub size: String,
    /// The hash of the kernels' text.
    pub kernels: String,
    /// `time_ms`, or `estimated_ms`: estimated for the GPU that was named.
    pub ranked_by: &'static str,
    /// The GPU of the estimates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_gpu: Option<String>,
    /// All configurations that were measured or refused, in the order of the request.
    pub results: Vec<Point>,
    /// The one that ranks first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<Point>,
    /// Number of configurations that score as well as the best; omitted if nothing was scored.
    #[serde(skip_serializing_if = "is_zero")]
    pub equal: usize,
    /// Number of configurations skipped because of the budget.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// Whether the user interrupted the sweep.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Report {
    /// Whether everything computed is right.
    pub fn ok(&self) -> bool {
        self.results.iter().all(|point| point.ok || point.score.is_none() && point.reason.is_some())
            && !self.results.iter().any(Point::wrong)
    }
}

impl Point {
    /// Whether it ran and disagreed with the reference.
    fn wrong(&self) -> bool {
        self.reason.as_ref().is_some_and(|reason| reason.starts_with(WRONG))
    }
}

const WRONG: &str = "wrong: ";

/// Block sizes beside the rung's own, for a request that gives no lists.
const BLOCKS: [u32; 5] = [64, 128, 256, 512, 1024];

/// All combinations, blocks slowest.
fn combinations(request: &Request) -> Vec<Geometry> {
    let own = Geometry::default();
    if request.blocks.is_empty() && request.grids.is_empty() && request.items.is_empty() {
        let named = BLOCKS.map(|block| Geometry { block: Some(block), ..own });
        return [own].into_iter().chain(named).collect();
    }
    let choices = |list: &[u32]| if list.is_empty() { vec![None] } else { list.iter().copied().map(Some).collect() };
    let mut all = Vec::new();
    for block in choices(&request.blocks) {
        for grid in choices(&request.grids) {
            for items in choices(&request.items) {
                let geometry = Geometry { block, grid, items };
                if !all.contains(&geometry) {
                    all.push(geometry);
                }
            }
        }
    }
    all
}

/// Sweeps. `progress` is called after every configuration; when `interrupted` returns true, the report has the results
/// so far.
pub fn run(
    request: &Request,
    progress: &dyn Fn(usize, usize),
    interrupted: &dyn Fn() -> bool,
) -> Result<Report, BenchError> {
    let mut trials = trial::Trials::new(request)?;
    let key = Key::new(&trials);
    let mut journal = Journal::open(request.results.as_deref(), &key)?;
    let all = combinations(request);
    let order = budget::order(all.len(), request.budget);
    let clock = Monotonic::default();
    let mut points: Vec<Option<Point>> = vec![None; all.len()];
    let mut report = Report::new(&trials, &key);
    for (done, &at) in order.iter().enumerate() {
        if interrupted() {
            report.interrupted = true;
            break;
        }
        if request.budget.is_some_and(|budget| budget.is_over(clock.seconds(), done)) {
            break;
        }
        let geometry = all[at];
        points[at] = match journal.find(&trials.configuration(geometry)) {
            Some(outcome) => Some(Point { reused: true, ..point(geometry, &outcome) }),
            None => match trials.run(geometry, &request.rule, interrupted)? {
                None => None,
                Some(outcome) => {
                    journal.append(&outcome)?;
                    Some(point(geometry, &outcome))
                }
            },
        };
        progress(done + 1, order.len());
    }
    report.left_out = points.iter().filter(|point| point.is_none()).count();
    report.results = points.into_iter().flatten().collect();
    let scored = report.results.iter().filter(|point| point.ok && point.score.is_some());
    report.best = scored.min_by(|a, b| a.score.unwrap_or(0.0).total_cmp(&b.score.unwrap_or(0.0))).cloned();
    let winning = report.best.as_ref().and_then(|best| best.score);
    report.equal =
        report.results.iter().filter(|point| winning.is_some() && point.ok && point.score == winning).count();
    let refused = |point: &Point| point.score.is_none() && !point.wrong();
    match report.results.first().and_then(|point| point.reason.clone()) {
        Some(reason) if report.left_out == 0 && report.results.iter().all(refused) => Err(BenchError::Nothing(reason)),
        _ => Ok(report),
    }
}

impl Report {
    fn new(trials: &trial::Trials, key: &Key) -> Self {
        Self {
            schema: 1,
            host: HostFacts::here(),
            device: trials.facts().clone(),
            primitive: trials.problem().primitive.name,
            variant: trials.variant().name,
            ty: trials.problem().ty.name(),
            size: trials.problem().extent.to_string(),
            kernels: key.kernels.clone(),
            ranked_by: if trials.estimated_gpu().is_some() { "estimated_ms" } else { "time_ms" },
            estimated_gpu: trials.estimated_gpu().map(str::to_owned),
            results: Vec::new(),
            best: None,
            equal: 0,
            left_out: 0,
            interrupted: false,
        }
    }
}

/// A configuration that ran, or was refused.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    Ran(Box<Row>),
    Refused(Box<Refusal>),
}

fn point(geometry: Geometry, outcome: &Outcome) -> Point {
    let Geometry { block, grid, items } = geometry;
    let point = Point { block, grid, items, ..Point::default() };
    match outcome {
        Outcome::Refused(refusal) => Point { reason: Some(refusal.reason.clone()), ..point },
        Outcome::Ran(row) if !row.ok => {
            let why = row.error.as_deref().unwrap_or("something differs from the reference");
            Point { reason: Some(format!("{WRONG}{why}")), ..point }
        }
        Outcome::Ran(row) => {
            let score = score(row);
            let reason = score.is_none().then(|| "nothing was launched, so there is no time to estimate".to_owned());
            Point { ok: true, score, noise_pct: row.noise_pct, reason, ..point }
        }
    }
}

/// Milliseconds, measured or estimated.
fn score(row: &Row) -> Option<f64> {
    if row.emulated { row.estimated_us.map(|us| us / 1e3) } else { row.median_ms }
}

/// The extent of a request.
pub(crate) fn extent(request: &Request) -> (Vec<usize>, Vec<(usize, usize)>) {
    (request.length.into_iter().collect(), request.plane.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(variant: &str, blocks: &[u32], grids: &[u32]) -> Request {
        Request {
            primitive: "reduce".into(),
            variant: variant.into(),
            blocks: blocks.to_vec(),
            grids: grids.to_vec(),
            items: Vec::new(),
            length: Some(5000),
            plane: None,
            ty: None,
            place: Place::Emulator,
            gpu: "h200".into(),
            input: None,
            settings: Settings::default(),
            rule: Rule::default(),
            budget: None,
            results: None,
        }
    }

    fn sweep(request: &Request) -> Report {
        run(request, &|_, _| (), &|| false).unwrap()
    }

    #[test]
    fn every_combination_is_measured_or_says_why_not() {
        let report = sweep(&request("gpu-7-multi-add", &[48, 64, 128], &[2, 4]));
        assert_eq!(report.results.len(), 6);
        assert_eq!((report.ranked_by, report.estimated_gpu.as_deref()), ("estimated_ms", Some("h200")));
        assert_eq!(report.left_out, 0);
        for point in &report.results[..2] {
            assert!(point.reason.as_ref().unwrap().contains("a power of two from 64"), "{point:?}");
        }
        assert!(report.results[2..].iter().all(|point| point.ok && point.reason.is_none()), "{report:?}");
        let best = report.best.clone().unwrap();
        assert!(report.results.iter().filter_map(|p| p.score).all(|score| score >= best.score.unwrap()));
        assert!(report.ok(), "what is refused is not wrong");
    }

    #[test]
    fn without_numbers_usual_blocks_are_tried() {
        let report = sweep(&request("gpu-7-multi-add", &[], &[]));
        let blocks: Vec<_> = report.results.iter().map(|point| point.block).collect();
        assert_eq!(blocks, [None, Some(64), Some(128), Some(256), Some(512), Some(1024)]);
        assert!(report.results.iter().all(|point| point.ok), "{report:?}");
    }

    #[test]
    fn a_sweep_goes_on_where_it_was() {
        let file = crate::files::testing::folder("sweep").join("results.jsonl");
        let first = Request { results: Some(file.clone()), ..request("gpu-8-shuffle", &[32, 64], &[2]) };
        let report = sweep(&first);
        assert!(report.results.iter().all(|point| !point.reused));
        // A line that was cut off when the program ended does not count.
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(text.lines().count(), 2);
        std::fs::write(&file, format!("{text}{{\"key\":")).unwrap();
        let more = Request { blocks: vec![32, 64, 128], ..first.clone() };
        let again = sweep(&more);
        assert_eq!(again.results.iter().map(|p| p.reused).collect::<Vec<_>>(), [true, true, false]);
        assert_eq!(again.results[0].score, report.results[0].score);
        assert!(sweep(&more).results.iter().all(|point| point.reused));
        let other = sweep(&Request { ty: Some("f32".into()), ..more });
        assert!(other.results.iter().all(|point| !point.reused), "another type is another problem");
    }

    #[test]
    fn a_budget_leaves_some_out() {
        let all = request("gpu-8-shuffle", &[32, 64, 96, 128, 160, 192], &[1, 2]);
        let report = sweep(&Request { budget: Some(Budget::Configurations(3)), ..all.clone() });
        assert_eq!((report.results.len(), report.left_out), (3, 9));
        let blocks: Vec<_> = report.results.iter().filter_map(|p| p.block).collect();
        assert!(blocks.iter().any(|&b| b != blocks[0]), "they are spread out: {blocks:?}");
        let none = run(&all, &|_, _| (), &|| true).unwrap();
        assert!(none.interrupted && none.results.is_empty());
    }

    #[test]
    fn mistakes() {
        let error = |request: &Request| run(request, &|_, _| (), &|| false).unwrap_err().to_string();
        assert!(error(&request("cpu-par", &[], &[])).contains("cpu-par has no launches to sweep"));
        assert!(error(&request("gpu-99", &[], &[])).contains("use one of gpu-1-interleaved"));
        let typed = Request { ty: Some("u8".into()), ..request("gpu-8-shuffle", &[], &[]) };
        assert!(error(&typed).starts_with("--type: "));
    }
}
