//! Repeating the experiment of a figure.

use super::cpu;
use super::estimate::{Effort, Estimated, Estimator};
use super::scaled::{Wanted, wanted};
use super::words::{Compared, sentences};
use super::{Entry, Figure};
use crate::Place;
use crate::measure::bench::{self, BenchError, Configuration, DeviceFacts, HostFacts, Request, Row, Selection};
use crate::measure::stats::{Allowance, Clock, Monotonic, Rule};
use serde::Serialize;
use serde_json::{Map, Value};
use warpwise::RunsOn;
use warpwise::primitive::{Extents, Setting};

/// Which figure, and which parts of it.
#[derive(Clone, Debug)]
pub struct Wish {
    /// The figure's name.
    pub figure: String,
    /// Only these variants.
    pub variants: Selection,
    /// Only these lengths or sides; all if there are none. If none of them was published, the experiment is scaled.
    pub lengths: Vec<usize>,
    /// Only these rows and columns; the same.
    pub planes: Vec<(usize, usize)>,
    /// Where.
    pub places: Vec<Place>,
    /// When there are enough samples.
    pub rule: Rule,
    /// How long everything may take; experiments that do not fit are skipped.
    pub allowance: Allowance,
    /// How closely each row is looked at to estimate it; `None` for measurements only.
    pub effort: Option<Effort>,
}

/// The report: its fields are the JSON, in order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LikeReport {
    /// Version of this format.
    pub schema: u32,
    /// The figure.
    pub figure: &'static str,
    /// What was published, and on which hardware it was measured.
    pub source: &'static str,
    /// The machine of this run.
    pub host: HostFacts,
    /// The devices of this run.
    pub devices: Vec<DeviceFacts>,
    /// Published, estimated and measured, side by side.
    pub results: Vec<LikeRow>,
    /// Published rows that were not run, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_run: Vec<String>,
    /// Whether the user interrupted the run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// What the comparison says, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub says: Vec<String>,
}

/// A published row and our results for it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LikeRow {
    /// What was measured or counted here.
    #[serde(flatten)]
    pub row: Row,
    /// The authors' name for it.
    pub published_as: &'static str,
    /// The time as published.
    pub published_ms: f64,
    /// Everything else that was published of it.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub published: Map<String, Value>,
    /// The size that was published, if this is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_size: Option<String>,
    /// The estimate for the GPU that the table names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated: Option<Estimated>,
    /// Why it does not run, there and here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fails: Option<String>,
}

impl LikeReport {
    /// Whether everything computed is right.
    pub fn ok(&self) -> bool {
        self.results.iter().all(|result| result.row.ok)
    }
}

impl LikeRow {
    fn new(wanted: &Wanted, row: Row) -> Self {
        let entry = &wanted.entry;
        Self {
            row,
            published_as: entry.called,
            published_ms: entry.ms,
            published: entry.published(),
            published_size: wanted.published_size.clone(),
            estimated: None,
            fails: None,
        }
    }

    /// For words: the row beside others of its table.
    pub(crate) fn compared(&self, sweep: bool) -> Compared {
        let c = &self.row.configuration;
        let geometry = c.grid.zip(c.block).filter(|_| sweep);
        let gpu = self.estimated.as_ref().filter(|estimated| estimated.device != cpu::HERE);
        Compared {
            name: geometry.map_or(self.published_as.to_owned(), |(grid, block)| format!("{grid} blocks of {block}")),
            problem: [c.size(), c.ty.clone(), c.input.clone()].join(" "),
            published_ms: self.published_ms,
            estimated_ms: gpu.map(|estimated| estimated.ms),
            measured_ms: self.row.median_ms.filter(|_| !self.row.emulated),
            fails: self.fails.is_some(),
        }
    }
}

/// Elements that the emulator compares with the reference; of more, only so many.
const COMPARED: usize = 1 << 14;

/// Why something is not run when time is short.
pub(crate) const NO_TIME: &str = "there was no time";

/// Repeats a figure's experiment. `progress` and `interrupted` are as for [`bench::run`].
pub fn run(
    wish: &Wish,
    progress: &dyn Fn(usize, usize),
    interrupted: &dyn Fn() -> bool,
) -> Result<LikeReport, BenchError> {
    let figures = super::all();
    let Some(figure) = figures.into_iter().find(|figure| figure.name == wish.figure) else {
        let known: Vec<_> = super::all().iter().map(|figure| figure.name).collect();
        let problem = format!("there is no figure {}: use one of {}, or list", wish.figure, known.join(", "));
        return Err(BenchError::flag("--like", problem));
    };
    let wanted = wanted(&figure, wish);
    if wanted.is_empty() {
        return Err(BenchError::flag("--like", format!("{} has nothing of these variants and sizes", figure.name)));
    }
    let mut report = LikeReport {
        schema: 1,
        figure: figure.name,
        source: figure.source,
        host: HostFacts::here(),
        devices: Vec::new(),
        results: Vec::new(),
        not_run: Vec::new(),
        interrupted: false,
        says: Vec::new(),
    };
    let mut repeat = Repeat {
        wish,
        figure: &figure,
        estimator: wish.effort.map(Estimator::new),
        clock: Monotonic::default(),
        report: &mut report,
        interrupted,
    };
    let mut done = 0;
    while done < wanted.len() && !repeat.report.interrupted {
        let alike = |w: &&Wanted| w.entry.same_problem(&wanted[done].entry);
        let group: Vec<&Wanted> = wanted[done..].iter().take_while(alike).collect();
        let rest = wanted.len() - done;
        repeat.group(&group, rest)?;
        done += group.len();
        progress(done, wanted.len());
        repeat.report.interrupted |= interrupted();
    }
    let compared: Vec<Compared> = report.results.iter().map(|row| row.compared(figure.is_sweep())).collect();
    if wish.effort.is_some() {
        report.says = sentences(&compared, figure.chosen);
    }
    Ok(report)
}

/// An experiment that is repeated.
struct Repeat<'a> {
    wish: &'a Wish,
    figure: &'a Figure,
    estimator: Option<Estimator>,
    clock: Monotonic,
    report: &'a mut LikeReport,
    interrupted: &'a dyn Fn() -> bool,
}

impl Repeat<'_> {
    /// Rows that differ only in the variant; `rest` rows are still to come, these included.
    fn group(&mut self, group: &[&Wanted], rest: usize) -> Result<(), BenchError> {
        let within = Allowance { end: self.wish.allowance.share.min(self.wish.allowance.end), ..self.wish.allowance };
        let allowance = within.part(self.clock.seconds(), group.len() as f64, rest as f64);
        let mut rows: Vec<Option<Vec<LikeRow>>> = vec![None; group.len()];
        let mut timed = Vec::new();
        for (at, wanted) in group.iter().enumerate() {
            let entry = &wanted.entry;
            let gpu = entry.variant.starts_with("gpu-");
            let fits = |place: &Place| place.runs(if gpu { RunsOn::Gpu } else { RunsOn::Cpu });
            let here: Vec<Place> = self.wish.places.iter().copied().filter(fits).collect();
            if here.is_empty() {
                self.not_run(entry, "it does not run on this --device");
                rows[at] = Some(Vec::new());
            } else if entry.fails {
                rows[at] = Some(self.failing(wanted, here[0]));
            } else if gpu && here.iter().any(|place| place.emulates()) && self.estimator.is_some() {
                rows[at] = Some(self.emulated(wanted, here[0], allowance)?);
            } else if !gpu && entry.ms > cpu::LONG && self.estimator.is_some() {
                rows[at] = Some(vec![LikeRow::new(wanted, cpu::unmeasured(entry))]);
            } else {
                timed.push(at);
            }
        }
        self.measure(group, &timed, allowance, &mut rows)?;
        for (wanted, rows) in group.iter().zip(rows) {
            for mut row in rows.unwrap_or_default() {
                row.estimated = row.estimated.or_else(|| self.estimate(&wanted.entry));
                self.report.results.push(row);
            }
        }
        Ok(())
    }

    fn not_run(&mut self, entry: &Entry, why: &str) {
        let size = entry.size.map_or_else(|| format!("n = {}", entry.n.unwrap_or(0)), |(r, c)| format!("{r}x{c}"));
        self.report.not_run.push(format!("{} {} {size}: {why}", entry.variant, entry.ty));
    }

    /// The estimate for a row: for the GPU of the table, or for this CPU.
    fn estimate(&mut self, entry: &Entry) -> Option<Estimated> {
        let estimator = self.estimator.as_ref().filter(|_| !entry.fails)?;
        estimator.of(self.figure, entry, self.interrupted).map_err(|why| self.not_run(entry, &why)).ok()
    }

    /// A launch that fails: the reason is the result.
    fn failing(&mut self, wanted: &Wanted, place: Place) -> Vec<LikeRow> {
        let entry = &wanted.entry;
        let estimator = Estimator::new(Effort::GLANCE);
        let reason = estimator.estimate(self.figure, entry).err();
        let reason = reason.unwrap_or_else(|| "the launch failed where it was published".to_owned());
        let device = if place == Place::Cuda { "cuda" } else { "emulator" };
        let row = Row {
            configuration: configuration(entry, device),
            ok: true,
            emulated: device == "emulator",
            compared: Some("nothing: its launch fails".into()),
            ..Row::default()
        };
        vec![LikeRow { fails: Some(reason), ..LikeRow::new(wanted, row) }]
    }

    /// A rung on the emulator: counted for the published size, and compared with the reference where that is quick.
    fn emulated(&mut self, wanted: &Wanted, place: Place, allowance: Allowance) -> Result<Vec<LikeRow>, BenchError> {
        let entry = &wanted.entry;
        if !allowance.allows(self.clock.seconds(), true) {
            self.not_run(entry, NO_TIME);
            return Ok(Vec::new());
        }
        let small = entry.within(COMPARED);
        let shorter = small != *entry;
        let request = Request { allowance, ..request(&small, vec![place], self.wish.rule, &[small.variant]) };
        let mut row = match bench::run(&request, &|_, _| (), self.interrupted) {
            Ok(mut measured) => {
                self.devices(&measured);
                self.report.interrupted |= measured.interrupted;
                let Some(row) = measured.results.pop() else {
                    self.not_run(entry, NO_TIME);
                    return Ok(Vec::new());
                };
                row
            }
            Err(BenchError::Flag { problem, .. } | BenchError::Nothing(problem)) => {
                self.not_run(entry, &problem);
                return Ok(Vec::new());
            }
            Err(other) => return Err(other),
        };
        let size = row.configuration.size();
        let published = configuration(entry, &row.configuration.device);
        let Configuration { n, rows, cols, iterations, .. } = published;
        row.configuration = Configuration { n, rows, cols, iterations, ..row.configuration };
        if shorter {
            row.compared = Some(format!("the same with {size} elements"));
        }
        let estimated = self.estimate(entry);
        if let Some(estimated) = &estimated {
            row.counters.clone_from(&estimated.counters);
        }
        // The emulator's own time says nothing, and is that of another size.
        row.median_ms = None;
        row.stages_ms = Map::new();
        Ok(vec![LikeRow { estimated, ..LikeRow::new(wanted, row) }])
    }

    /// Measures the rows of these numbers together.
    fn measure(
        &mut self,
        group: &[&Wanted],
        timed: &[usize],
        allowance: Allowance,
        rows: &mut [Option<Vec<LikeRow>>],
    ) -> Result<(), BenchError> {
        let Some(&first) = timed.first() else { return Ok(()) };
        let names: Vec<&str> = timed.iter().map(|&at| group[at].entry.variant).collect();
        let entry = &group[first].entry;
        let longest = timed.iter().map(|&at| group[at].entry.ms).fold(0.0, f64::max);
        // Ten samples of a second each tell no more than three.
        let rule = match self.estimator {
            Some(_) if longest > 100.0 => Rule { warm_up: 0.0, least_samples: 3, ..self.wish.rule },
            _ => self.wish.rule,
        };
        let request = Request { allowance, ..request(entry, self.wish.places.clone(), rule, &names) };
        let measured = match bench::run(&request, &|_, _| (), self.interrupted) {
            Ok(measured) => measured,
            // One size that does not fit does not end the others.
            Err(BenchError::Flag { problem, .. } | BenchError::Nothing(problem)) => {
                timed.iter().for_each(|&at| self.not_run(&group[at].entry, &problem));
                return Ok(());
            }
            Err(other) => return Err(other),
        };
        for refusal in &measured.refused {
            let of = group.iter().find(|wanted| wanted.entry.variant == refusal.configuration.variant);
            self.not_run(&of.unwrap_or(&group[first]).entry, &refusal.reason);
        }
        if measured.left_out > 0 {
            self.not_run(entry, NO_TIME);
        }
        self.report.interrupted |= measured.interrupted;
        self.devices(&measured);
        for &at in timed {
            let of = measured.results.iter().filter(|row| row.configuration.variant == group[at].entry.variant);
            rows[at] = Some(of.map(|row| LikeRow::new(group[at], row.clone())).collect());
        }
        Ok(())
    }

    fn devices(&mut self, measured: &bench::Report) {
        let devices =
            if measured.devices.is_empty() { std::slice::from_ref(&measured.device) } else { &measured.devices[..] };
        for device in devices {
            if !self.report.devices.iter().any(|known| known.name == device.name) {
                self.report.devices.push(device.clone());
            }
        }
    }
}

/// The request for some variants of an entry.
pub(super) fn request(entry: &Entry, places: Vec<Place>, rule: Rule, variants: &[&str]) -> Request {
    Request {
        variants: Selection::Named(variants.iter().map(|name| (*name).to_owned()).collect()),
        lengths: entry.n.into_iter().collect(),
        planes: entry.size.into_iter().collect(),
        types: vec![entry.ty.to_owned()],
        places,
        input: Some(entry.input.to_owned()),
        settings: entry.settings.clone(),
        geometry: entry.geometry,
        baseline: None,
        rule,
        ..Request::new(entry.primitive.name)
    }
}

/// What identifies an entry on a device.
pub(super) fn configuration(entry: &Entry, device: &str) -> Configuration {
    let number = |name: &str| match entry.settings.get(name) {
        Some(Setting::Number(number)) => Some(number),
        _ => None,
    };
    let word = |name: &str| entry.settings.get(name).map(|setting| setting.to_string());
    let gpu = entry.variant.starts_with("gpu-");
    Configuration {
        primitive: entry.primitive.name.into(),
        variant: entry.variant.into(),
        device: device.into(),
        ty: entry.ty.into(),
        n: entry.n.map(|n| n as u64),
        rows: entry.size.map(|(rows, _)| rows as u64),
        cols: entry.size.map(|(_, cols)| cols as u64),
        iterations: number("iterations"),
        input: entry.input.into(),
        op: word("op"),
        finish: word("finish"),
        bins: number("bins"),
        block: entry.geometry.block.filter(|_| gpu),
        grid: entry.geometry.grid.filter(|_| gpu),
        ..Configuration::default()
    }
}

impl Entry {
    /// The same experiment with at most so many elements and a few steps.
    pub(super) fn within(&self, most: usize) -> Self {
        let mut small = self.clone();
        if self.elements() > most {
            match (self.size, self.n) {
                (Some((_, cols)), _) if self.primitive.extents == Extents::Plane => {
                    let cols = cols.min(most);
                    small.size = Some(((most / cols).max(1), cols));
                }
                (_, Some(_)) if self.primitive.extents == Extents::Square => small.n = Some(most.isqrt().min(64)),
                _ => (small.n, small.size) = (Some(most), None),
            }
        }
        if let Some(Setting::Number(steps)) = self.settings.get("iterations") {
            small.settings = small.settings.with("iterations", Setting::Number(steps.min(3)));
        }
        small
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::output::Report;

    pub(in super::super) fn wish(figure: &str, lengths: &[usize]) -> Wish {
        let rule = Rule { warm_up: 0.0, least_samples: 2, noise: 1e9, time_limit: 0.0, shortest_sample: 1e-6 };
        Wish {
            figure: figure.into(),
            variants: Selection::Best,
            lengths: lengths.to_vec(),
            planes: Vec::new(),
            places: vec![Place::Emulator],
            rule,
            allowance: Allowance::default(),
            effort: Some(Effort::GLANCE),
        }
    }

    #[test]
    fn an_experiment_is_run_again() {
        let report = run(&wish("reduce-surrey", &[64, 4096]), &|_, _| (), &|| false).unwrap();
        assert_eq!(report.results.len(), 4, "two sizes, two ways to finish");
        assert!(report.ok());
        let cpu = &report.results[0];
        assert_eq!((cpu.published_as, cpu.published_ms), ("CPU finishes", 0.042192));
        assert_eq!(cpu.row.configuration.finish.as_deref(), Some("cpu"));
        assert!(report.results.iter().all(|result| result.row.configuration.block == Some(32)));
        assert!(report.to_json().contains(r#""published_as":"GPU finishes","published_ms":0.007168"#));
    }

    #[test]
    fn every_row_has_counters_and_an_estimate() {
        let report = run(&wish("reduce-ladder", &[]), &|_, _| (), &|| false).unwrap();
        assert_eq!((report.results.len(), &report.not_run), (7, &Vec::new()));
        for result in &report.results {
            let estimated = result.estimated.as_ref().unwrap();
            assert!(estimated.device == "rtx-2080-ti" && estimated.ms > 0.0, "{result:?}");
            assert_eq!(result.row.configuration.n, Some(1 << 24));
            assert_eq!(result.row.counters, estimated.counters, "for the published size");
            assert!(result.published["instructions"].as_f64() > Some(4e6), "{result:?}");
            assert!(result.row.ok && result.row.compared.as_deref() == Some("the same with 2^14 elements"));
        }
        assert_eq!(report.says[0], "The fastest as published, kernel 7, is the fastest as estimated too.");
        let cpu = Wish { places: vec![Place::Cpu], ..wish("reduce-ladder", &[]) };
        let report = run(&cpu, &|_, _| (), &|| false).unwrap();
        assert!(report.not_run[0].contains("does not run on this --device"));
    }

    #[test]
    fn another_size_scales_the_experiment() {
        let report = run(&wish("reduce-ladder", &[5000]), &|_, _| (), &|| false).unwrap();
        assert_eq!(report.results.len(), 7);
        assert!(report.results.iter().all(|r| r.row.configuration.n == Some(5000) && r.row.compared.is_none()));
        assert_eq!(report.results[0].published_size.as_deref(), Some("2^24"));
    }

    #[test]
    fn a_failed_launch_is_a_row_with_its_reason() {
        let report = run(&wish("vecadd", &[]), &|_, _| (), &|| false).unwrap();
        let failing = report.results.iter().find(|r| r.row.configuration.variant == "gpu-one-block").unwrap();
        assert!(failing.fails.as_ref().unwrap().contains("1024") && failing.estimated.is_none(), "{failing:?}");
        assert!(report.says.iter().any(|line| line.contains("not a time of the work")), "{:?}", report.says);
    }

    #[test]
    fn a_cpu_is_measured_in_part() {
        let wish = Wish {
            places: vec![Place::Cpu],
            variants: Selection::Named(vec!["cpu-seq".into()]),
            ..wish("radiator", &[])
        };
        let report = run(&wish, &|_, _| (), &|| false).unwrap();
        assert_eq!(report.results.len(), 2);
        for result in &report.results {
            let estimated = result.estimated.as_ref().unwrap();
            assert!(estimated.device == "cpu" && estimated.counted.ends_with("and continued"), "{estimated:?}");
            assert_eq!(result.row.median_ms, None, "ten minutes are not waited for");
        }
    }

    #[test]
    fn what_there_is_no_time_for_is_said() {
        let allowance = Allowance { share: 0.0, end: 0.0 };
        let report = run(&Wish { allowance, ..wish("reduce-surrey", &[64, 4096]) }, &|_, _| (), &|| false).unwrap();
        assert!(report.results.is_empty());
        assert!(report.not_run.iter().any(|line| line.ends_with("there was no time")), "{:?}", report.not_run);
    }

    #[test]
    fn mistakes() {
        let error = |wish: &Wish| run(wish, &|_, _| (), &|| false).unwrap_err().to_string();
        assert!(error(&wish("ladder", &[])).starts_with("--like: there is no figure ladder: use one of reduce-ladder"));
        let unknown = Wish { variants: Selection::Named(vec!["gpu-99".into()]), ..wish("vecadd", &[]) };
        assert!(error(&unknown).contains("nothing of these variants and sizes"));
        let planes = Wish { planes: vec![(3, 4)], ..wish("vecadd", &[]) };
        assert!(error(&planes).contains("nothing of these variants and sizes"));
    }
}
