//! `heat`: a simulation of heat on a cylinder, with reports as it goes.

mod grid;
mod render;
mod report;

pub use grid::{DEFAULT_COLUMNS, DEFAULT_ROWS};
pub use report::{HeatReport, Row};

use super::{AppError, Setup, VariantRow, Verified, difference, several, stages};
use crate::files::{self, Picture};
use grid::Start;
use std::path::{Path, PathBuf};
use std::time::Instant;
use warpwise::heat::{self, Cylinder, Heat, Limits, Outcome};

/// What to simulate.
#[derive(Clone, Debug)]
pub struct Request {
    /// Rows; if `None`, those of the pictures, or 150.
    pub rows: Option<usize>,
    /// Columns; if `None`, those of the pictures, or 100.
    pub columns: Option<usize>,
    /// The maximum number of steps.
    pub iterations: usize,
    /// Steps between reports.
    pub period: usize,
    /// The simulation ends when no cell changes by this much.
    pub threshold: f64,
    /// A picture of the conductivity: value / maximum.
    pub conductivity: Option<PathBuf>,
    /// A picture of the temperature: from `low`, black, to `high`, white.
    pub temperature: Option<PathBuf>,
    /// The temperature of black.
    pub low: f64,
    /// The temperature of white.
    pub high: f64,
    /// Report every `period` steps, not only at the end.
    pub report: bool,
    /// A folder for a picture at every report.
    pub out: Option<PathBuf>,
    /// A file for a picture that moves: the start and every report, as an animated PNG.
    pub animation: Option<PathBuf>,
    /// A file for the temperatures at the end: `.npy`, `.csv`, or a picture.
    pub save: Option<PathBuf>,
    /// A file for a picture of the differences from the reference at the end, amplified.
    pub difference: Option<PathBuf>,
    /// Where and how.
    pub setup: Setup,
}

/// Frames of a picture that moves, at most.
const MOST_FRAMES: usize = 1000;
/// How far temperatures may be from the reference's.
const TOLERANCE: f64 = 1e-9;
/// Steps between calls of `progress`.
const PIECE: usize = 64;

/// Simulates, with each of the variants that are named; the report is the first one's. `progress` is called with the
/// number of steps done and the maximum.
pub fn run(request: &Request, progress: &dyn Fn(usize, usize)) -> Result<HeatReport, AppError> {
    let setups = request.setup.each("heat", heat::VARIANTS)?;
    check(request)?;
    let count = setups.len();
    let mut all: Vec<(HeatReport, Vec<f64>)> = Vec::new();
    for (at, setup) in setups.into_iter().enumerate() {
        // What is written is written once.
        let one = match at {
            0 => Request { setup, ..request.clone() },
            _ => Request { setup, out: None, animation: None, save: None, difference: None, ..request.clone() },
        };
        let (mut report, cells) = simulate(&one, &|done, steps| progress(at * steps + done, count * steps))?;
        if let (None, Some((_, first))) = (&report.verified, all.first()) {
            let mut pairs = cells.iter().copied().zip(first.iter().copied());
            report.verified = Some(Verified::of("the first variant", TOLERANCE, &mut pairs));
        }
        all.push((report, cells));
    }
    let mut rows: Vec<VariantRow> = all.iter().map(|(report, _)| report.row()).collect();
    several::beside_the_first(&mut rows);
    let (mut report, _) = all.swap_remove(0);
    report.variants = (count > 1).then_some(rows);
    Ok(report)
}

/// Simulates with one variant; returns the temperatures at the end, too.
fn simulate(request: &Request, progress: &dyn Fn(usize, usize)) -> Result<(HeatReport, Vec<f64>), AppError> {
    let start = Start::new(request)?;
    if let Some(folder) = &request.out {
        // Before the simulation, so that a wrong folder does not waste it.
        let failed = |problem| files::FileError::Write { path: folder.clone(), problem };
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let array = request.save.as_deref().is_some_and(|path| files::check_array_name(path).is_ok());
    if let Some(path) = request.save.as_deref().filter(|_| !array) {
        Picture::check_name(path, false)?;
    }
    if let Some(path) = &request.difference {
        Picture::check_name(path, false)?;
    }
    if let Some(path) = &request.animation {
        if files::extension(path) != "png" {
            let expected = "a name that ends in .png for a picture that moves";
            return Err(files::FileError::Kind { path: path.clone(), expected }.into());
        }
        files::check_writable(path)?;
    }
    let how = Heat::new().variant(request.setup.rung::<heat::Rung>()?);
    let (rows, columns) = (start.rows, start.columns);
    let cylinder = Cylinder::new(rows, columns, &start.temperature, &start.conductivity)?;
    let device = request.setup.open()?;
    let mut report = HeatReport::new(request, device.name(), rows, columns);
    let mut frames = Vec::new();
    if request.animation.is_some() {
        frames.push(picture(request, rows, columns, &start.temperature).planes.remove(0));
    }
    device.start_trace();
    let mut seconds = 0.0;
    let mut measured = Instant::now();
    let mut simulation = how.start(&device, cylinder)?;
    let mut so_far = Outcome { iterations: 0, max_difference: f64::INFINITY };
    loop {
        let left = request.iterations - so_far.iterations;
        let steps = if request.report { left.min(request.period) } else { left };
        let mut outcome = Outcome { iterations: 0, ..so_far };
        loop {
            let iterations = (steps - outcome.iterations).min(PIECE);
            let piece = simulation.run(Limits { iterations, threshold: request.threshold })?;
            outcome = Outcome { iterations: outcome.iterations + piece.iterations, ..piece };
            progress(so_far.iterations + outcome.iterations, request.iterations);
            if outcome.iterations >= steps || outcome.max_difference < request.threshold {
                break;
            }
        }
        let cells = simulation.temperatures()?;
        // Reports are not part of the simulation, but getting the temperatures is.
        seconds += measured.elapsed().as_secs_f64();
        so_far = Outcome { iterations: so_far.iterations + outcome.iterations, ..outcome };
        report.rows_seen.push(Row::new(so_far, &cells, seconds));
        if let Some(folder) = &request.out {
            picture(request, rows, columns, &cells).write(&name(folder, so_far.iterations))?;
        }
        if request.animation.is_some() && frames.len() < MOST_FRAMES {
            frames.push(picture(request, rows, columns, &cells).planes.remove(0));
        }
        if so_far.iterations >= request.iterations || so_far.max_difference < request.threshold {
            if let Some(path) = &request.animation {
                let frames: Vec<&[u8]> = frames.iter().map(Vec::as_slice).collect();
                let bad = |problem| files::FileError::Content { path: path.clone(), problem };
                files::save(path, &files::write_moving((columns, rows), false, 100, &frames).map_err(bad)?)?;
            }
            match &request.save {
                Some(path) if array => {
                    let numbers = files::Numbers::F64(cells.clone());
                    files::write_array(path, &files::Array { shape: vec![rows, columns], numbers })?;
                }
                Some(path) => picture(request, rows, columns, &cells).write(path)?,
                None => {}
            }
            let operations = (rows * columns) as u128 * (so_far.iterations as u128 + 1);
            if request.setup.verify.wants(10 * operations) || request.difference.is_some() {
                let limits = Limits { iterations: request.iterations, threshold: request.threshold };
                let (truth, _) = heat::reference::simulate(cylinder, limits);
                if let Some(path) = &request.difference {
                    let all: Vec<f64> = cells.iter().zip(&truth).map(|(ours, theirs)| (ours - theirs).abs()).collect();
                    report.amplified = Some(difference::write(&all, (rows, columns), path)?);
                    report.difference = Some(path.clone());
                }
                let mut pairs = cells.iter().copied().zip(truth);
                report.verified = Some(Verified::of("the reference", TOLERANCE, &mut pairs));
            }
            // Freeing the memory is a stage, too.
            drop(simulation);
            report.stages_ms = stages::take(&device)?;
            return Ok((report, cells));
        }
        measured = Instant::now();
    }
}

fn check(request: &Request) -> Result<(), AppError> {
    for (flag, value) in [("-n", request.rows), ("-m", request.columns), ("-k", Some(request.period))] {
        if value == Some(0) {
            return Err(AppError::flag(flag, "0 is too few: use at least 1"));
        }
    }
    if !request.threshold.is_finite() {
        return Err(AppError::flag("-e", "the threshold is not a finite number: write it like 0.1 or 1e-6"));
    }
    let (low, high) = (request.low, request.high);
    if !(low.is_finite() && high.is_finite() && low <= high) {
        let problem = format!("{low} to {high} is not a range: use finite numbers, the lower one as -L");
        return Err(AppError::flag("-L and -H", problem));
    }
    Ok(())
}

fn name(folder: &Path, iterations: usize) -> PathBuf {
    folder.join(format!("heat-{iterations:08}.png"))
}

/// The temperatures as grey levels: `low` is black and `high` is white.
fn picture(request: &Request, rows: usize, columns: usize, cells: &[f64]) -> Picture {
    let range = (request.high - request.low).max(f64::MIN_POSITIVE);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
    let byte = |t: &f64| ((t - request.low) / range * 255.0).round().clamp(0.0, 255.0) as u8;
    Picture { rows, columns, planes: vec![cells.iter().map(byte).collect()] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Request {
        Request {
            rows: Some(12),
            columns: Some(9),
            iterations: 25,
            period: 7,
            threshold: 0.0,
            conductivity: None,
            temperature: None,
            low: -100.0,
            high: 100.0,
            report: true,
            out: None,
            animation: None,
            save: None,
            difference: None,
            setup: Setup::default(),
        }
    }

    fn simulate(request: &Request) -> HeatReport {
        run(request, &|_, _| ()).unwrap()
    }

    #[test]
    fn several_variants_are_one_table() {
        let setup = Setup { variant: Some("cpu-seq,cpu-par,gpu-4-fused".into()), ..Setup::default() };
        let seen = std::cell::RefCell::new(Vec::new());
        let report = run(&Request { setup, ..request() }, &|done, all| seen.borrow_mut().push((done, all))).unwrap();
        assert_eq!(seen.into_inner().last(), Some(&(75, 75)));
        assert_eq!(report.variant.as_deref(), Some("cpu-seq"));
        let rows = report.variants.as_ref().unwrap();
        assert_eq!(
            rows.iter().map(|row| row.variant.as_str()).collect::<Vec<_>>(),
            ["cpu-seq", "cpu-par", "gpu-4-fused"]
        );
        assert!(rows.iter().all(|row| row.verified.as_ref().is_some_and(|verified| verified.ok)) && report.ok());
        assert!(rows[0].speedup == 1.0 && rows[2].stages_ms.is_some());
        assert!(simulate(&request()).variants.is_none());
    }

    #[test]
    fn progress_is_told_and_changes_nothing() {
        let seen = std::cell::RefCell::new(Vec::new());
        let many = Request { iterations: 150, report: false, ..request() };
        let report = run(&many, &|done, all| seen.borrow_mut().push((done, all))).unwrap();
        assert_eq!(seen.into_inner(), [(64, 150), (128, 150), (150, 150)]);
        let start = Start::new(&many).unwrap();
        let cylinder = Cylinder::new(12, 9, &start.temperature, &start.conductivity).unwrap();
        let (end, _) = heat::reference::simulate(cylinder, Limits { iterations: 150, threshold: 0.0 });
        let average = end.iter().sum::<f64>() / 108.0;
        assert!((report.rows_seen[0].avg - average).abs() < 1e-9);
    }

    #[test]
    fn reports_do_not_change_the_simulation() {
        let pieces = simulate(&request());
        let whole = simulate(&Request { report: false, ..request() });
        let steps: Vec<_> = pieces.rows_seen.iter().map(|row| row.iterations).collect();
        assert_eq!(steps, [7, 14, 21, 25]);
        let (a, b) = (pieces.rows_seen.last().unwrap(), whole.rows_seen.last().unwrap());
        assert_eq!((a.iterations, a.min, a.max, a.diff, a.avg), (b.iterations, b.min, b.max, b.diff, b.avg));
        let start = Start::new(&request()).unwrap();
        let cylinder = Cylinder::new(12, 9, &start.temperature, &start.conductivity).unwrap();
        let (end, _) = heat::reference::simulate(cylinder, Limits { iterations: 25, threshold: 0.0 });
        let average = end.iter().sum::<f64>() / 108.0;
        assert!((a.avg - average).abs() < 1e-9, "{} {average}", a.avg);
    }

    #[test]
    fn grids_are_written_in_every_form_and_compared() {
        let here = files::testing::folder("heat-forms");
        let [npy, png, moving] = ["end.npy", "end.png", "moving.png"].map(|name| here.join(name));
        let first = Request { save: Some(npy.clone()), animation: Some(moving.clone()), ..request() };
        let report = simulate(&first);
        let verified = report.verified.clone().unwrap();
        assert!(verified.ok && verified.values == 108, "{verified:?}");
        simulate(&Request { save: Some(png.clone()), ..request() });
        let end = files::read_array(&npy).unwrap();
        assert_eq!(end.shape, [12, 9]);
        let picture = Picture::read(&png).unwrap();
        assert_eq!((picture.rows, picture.columns), (12, 9));
        let bytes = files::read(&moving).unwrap();
        let frames = bytes.windows(4).filter(|name| *name == b"fcTL").count();
        assert_eq!(frames, 1 + report.rows_seen.len(), "the start and every report");
        let wrong = Request { animation: Some(here.join("a.gif")), ..request() };
        assert!(run(&wrong, &|_, _| ()).unwrap_err().to_string().contains(".png for a picture that moves"));
    }

    #[test]
    fn it_ends_at_the_threshold() {
        let report = simulate(&Request { threshold: 1e9, ..request() });
        assert_eq!(report.rows_seen.len(), 1);
        assert_eq!(report.rows_seen[0].iterations, 1);
        let report = simulate(&Request { iterations: 0, ..request() });
        assert_eq!((report.rows_seen[0].iterations, report.rows_seen[0].max), (0, 100.0));
    }

    #[test]
    fn bad_flags_are_named() {
        let error = |request: Request| run(&request, &|_, _| ()).unwrap_err().to_string();
        assert!(error(Request { rows: Some(0), ..request() }).starts_with("-n: 0"));
        assert!(error(Request { period: 0, ..request() }).starts_with("-k: 0"));
        assert!(error(Request { low: 5.0, high: 1.0, ..request() }).starts_with("-L and -H: 5 to 1"));
        let huge = error(Request { rows: Some(1 << 40), columns: Some(1 << 40), ..request() });
        assert!(huge.contains("use a smaller size"), "{huge}");
    }
}
