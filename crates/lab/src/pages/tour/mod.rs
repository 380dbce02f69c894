//! The tour: every primitive, verified, measured on the CPU and on a GPU if there is one, and counted on the
//! emulator; kernels line by line, applications in pictures, published figures beside ours. It returns [`Results`],
//! from which one page is made.

mod date;
mod kernels;
mod load;
mod pictures;
mod plan;
mod published;
mod results;
mod scene;

pub(crate) use date::now;
pub(super) use load::MOST_BYTES;
pub use load::{LoadError, load, parse};
pub use results::{
    Cause, FigureTable, Frame, HeatRun, IdealMeasure, KIND, KernelMap, Ladder, LineWork, Published, Results, Rung,
    SCHEMA, Shot, Smoothing, SourceLine, TourRow,
};

use crate::measure::bench::{self, HostFacts, Report, Row};
use crate::measure::stats::{Allowance, Clock, Monotonic};
use plan::Part;
use warpwise::{Device, PRIMITIVES, hello};

/// Which tour.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Request {
    /// Fewer sizes, fewer samples.
    pub quick: bool,
    /// Seconds that everything may take; by default a minute for the quick tour and ten for the other.
    pub budget: Option<f64>,
}

impl Request {
    /// Seconds that everything may take.
    ///
    /// ```
    /// use warpwise_lab::pages::tour::Request;
    ///
    /// assert_eq!(Request { quick: true, ..Request::default() }.seconds(), 60.0);
    /// ```
    pub fn seconds(&self) -> f64 {
        self.budget.unwrap_or(if self.quick { 60.0 } else { 600.0 })
    }

    /// Nothing new begins in the last twentieth of the time: it is for ending what runs and for writing the page.
    fn allowance(&self) -> Allowance {
        let end = 0.95 * self.seconds();
        Allowance { share: end, end }
    }
}

/// The progress of a tour.
#[derive(Clone, Debug)]
pub struct Progress {
    /// The current part.
    pub now: String,
    /// Expected seconds of the finished parts.
    pub done: f64,
    /// Expected seconds of everything.
    pub all: f64,
    /// Seconds after which the tour ends in any case.
    pub end: f64,
}

/// Takes the tour. When `interrupted` returns true, it returns the results so far.
pub fn run(request: Request, progress: &dyn Fn(&Progress), interrupted: &dyn Fn() -> bool) -> Results {
    let clock = Monotonic::default();
    let allowance = request.allowance();
    let mut tour = Tour::new(request);
    let parts = plan::parts(request, Device::cuda().is_ok());
    let all: f64 = parts.iter().map(|(_, seconds)| seconds).sum();
    let end = allowance.end;
    let mut done = 0.0;
    for (part, expected) in parts {
        if interrupted() {
            tour.results.interrupted = true;
            break;
        }
        let name = part.name();
        progress(&Progress { now: name.clone(), done, all, end });
        let step = |of: usize, count: usize| {
            let part = expected * of as f64 / count.max(1) as f64;
            progress(&Progress { now: name.clone(), done: done + part, all, end });
        };
        let rest = all - done;
        let mut share = allowance.part(clock.seconds(), expected, rest).stretched(expected, rest);
        // However short the time is, something runs first.
        if done == 0.0 {
            share.share = share.share.max(0.4 * end);
        }
        // Published figures take no time to show.
        if share.allows(0.0, true) || matches!(part, Part::Figure(_)) {
            tour.take(request, share, part, &step, interrupted);
        } else {
            tour.left_out.push(name.clone());
        }
        done += expected;
    }
    if !tour.left_out.is_empty() {
        let list = tour.left_out.join(", ");
        let note = format!("skipped, because the tour ends within {} s: {list}", request.seconds());
        tour.results.notes.push(note);
    }
    tour.results.seconds = (clock.seconds() * 10.0).round() / 10.0;
    tour.results
}

/// The results so far.
struct Tour {
    results: Results,
    /// What was skipped for lack of time.
    left_out: Vec<String>,
    estimates: published::Estimates,
}

impl Tour {
    fn new(request: Request) -> Self {
        let ladders = PRIMITIVES.iter().map(|p| Ladder {
            primitive: p.name.into(),
            rungs: p.variants.iter().map(|v| Rung { name: v.name.into(), idea: v.idea.into() }).collect(),
        });
        let results = Results {
            schema: SCHEMA,
            kind: KIND.into(),
            quick: request.quick,
            host: HostFacts::here(),
            date: now(),
            ladders: ladders.collect(),
            ..Results::default()
        };
        Self { results, left_out: Vec::new(), estimates: published::Estimates::default() }
    }

    fn take(
        &mut self,
        request: Request,
        allowance: Allowance,
        part: Part,
        step: &dyn Fn(usize, usize),
        interrupted: &dyn Fn() -> bool,
    ) {
        let name = part.name();
        let outcome = match part {
            Part::Ladder(ladder) => bench::run(&bench::Request { allowance, ..*ladder }, step, interrupted)
                .map(|report| self.add(report, &name))
                .map_err(|error| error.to_string()),
            Part::Estimates => {
                // Every row has an estimate, as long as half of the time is left for the rest.
                self.estimates.make(0.5 * allowance.end, step, interrupted);
                Ok(())
            }
            Part::Hello => self.hello(),
            Part::Kernel { primitive, variant, n } => {
                let id = format!("k{}", self.results.kernels.len() + 1);
                kernels::look(primitive, variant, n, &id).map(|map| self.results.kernels.push(map))
            }
            Part::Heat => pictures::heat(interrupted).map(|run| self.results.heat = Some(run)),
            Part::Smoothing => pictures::smoothing().map(|shots| self.results.smoothing = Some(shots)),
            Part::Figure(name) => self.figure(request, allowance, name, interrupted),
        };
        if let Err(problem) = outcome {
            self.results.notes.push(format!("{name}: {problem}"));
        }
    }

    /// Adds the results of a measurement.
    fn add(&mut self, report: Report, name: &str) {
        if report.left_out > 0 {
            let all = report.left_out + report.results.len() + report.refused.len();
            self.left_out.push(format!("{} of {all} configurations of {name}", report.left_out));
        }
        let devices = if report.devices.is_empty() { vec![report.device] } else { report.devices };
        for device in devices {
            match self.results.devices.iter_mut().find(|known| known.name == device.name) {
                // Of several measurements of a copy, the fastest is closest to what the device can do.
                Some(known) if known.copy_gb_per_s < device.copy_gb_per_s => *known = device,
                Some(_) => {}
                None => self.results.devices.push(device),
            }
        }
        for row in report.results {
            self.row(row, false);
        }
        self.results.refused.extend(report.refused);
        self.results.interrupted |= report.interrupted;
    }

    /// Adds a row and returns its id.
    fn row(&mut self, row: Row, figure: bool) -> String {
        let id = format!("r{}", self.results.rows.len() + 1);
        self.results.rows.push(TourRow { id: id.clone(), figure, row });
        id
    }

    /// Every thread says hello: correct if each of them did so once.
    fn hello(&mut self) -> Result<(), String> {
        let (blocks, threads) = (4, 32);
        let device = Device::best_gpu();
        let text = hello::greet(&device, blocks, threads).map_err(|error| error.to_string())?;
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        lines.dedup();
        let ok = lines.len() == (blocks * threads) as usize;
        let configuration = bench::Configuration {
            primitive: hello::PRIMITIVE.name.into(),
            variant: hello::VARIANTS[0].name.into(),
            device: device.name(),
            n: Some(u64::from(blocks * threads)),
            ..bench::Configuration::default()
        };
        let emulated = device.name() == "emulator";
        self.row(Row { configuration, ok, emulated, samples: 1, ..Row::default() }, false);
        Ok(())
    }

    /// A published figure, with the same experiment here if it is small enough.
    fn figure(
        &mut self,
        request: Request,
        allowance: Allowance,
        name: &str,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<(), String> {
        let figure =
            crate::measure::figures::all().into_iter().find(|f| f.name == name).ok_or("there is no such figure")?;
        let first = self.results.figures.iter().map(|table| table.entries.len()).sum();
        let mut table = published::table(&figure, first);
        let cuda = self.results.device("cuda").is_some();
        for reports in published::again(&figure, request, allowance, cuda, interrupted)? {
            let missed = reports.not_run.iter().filter(|line| line.ends_with(crate::measure::figures::NO_TIME)).count();
            if missed > 0 {
                let experiments = if missed == 1 { "experiment" } else { "experiments" };
                self.left_out.push(format!("{missed} {experiments} of {name}"));
            }
            for like in reports.results {
                // Two rows of a table may have the same time: each gets its own.
                let free = |entry: &&mut Published| entry.row.is_none() && published::same(entry, &like);
                if let Some(entry) = table.entries.iter_mut().find(free) {
                    entry.row = Some(self.row(like.row, true));
                }
            }
        }
        let missed = self.estimates.fill(&figure, &mut table, allowance.end, interrupted);
        if missed > 0 {
            self.left_out.push(format!("estimates for {missed} rows of {name}"));
        }
        let rows = &self.results.rows;
        let measured = |id: &str| rows.iter().find(|row| row.id == id).and_then(|row| row.row.median_ms);
        table.says = published::says(&figure, &table, measured);
        self.results.figures.push(table);
        Ok(())
    }
}
