//! Repeating the experiment of a figure.

use super::{Entry, Figure};
use crate::Place;
use crate::measure::bench::{self, BenchError, DeviceFacts, HostFacts, Request, Row, Selection};
use crate::measure::stats::{Allowance, Clock, Monotonic, Rule};
use serde::Serialize;
use warpwise::RunsOn;

/// Which figure, and which parts of it.
#[derive(Clone, Debug)]
pub struct Wish {
    /// The figure's name.
    pub figure: String,
    /// Only these variants.
    pub variants: Selection,
    /// Only these lengths or sides; all if there are none.
    pub lengths: Vec<usize>,
    /// Only these rows and columns; all if there are none.
    pub planes: Vec<(usize, usize)>,
    /// Where.
    pub places: Vec<Place>,
    /// When there are enough samples.
    pub rule: Rule,
    /// How long everything may take; experiments that do not fit are skipped.
    pub allowance: Allowance,
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
    /// Published and measured, side by side.
    pub results: Vec<LikeRow>,
    /// Published rows that were not run, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_run: Vec<String>,
    /// Whether the user interrupted the run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
}

/// A published row and our result for it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LikeRow {
    /// What was measured here.
    #[serde(flatten)]
    pub row: Row,
    /// The authors' name for it.
    pub published_as: &'static str,
    /// The time as published.
    pub published_ms: f64,
}

impl LikeReport {
    /// Whether everything computed is right.
    pub fn ok(&self) -> bool {
        self.results.iter().all(|result| result.row.ok)
    }
}

/// Maximum number of elements on the emulator, which executes every instruction of every warp.
const MOST_EMULATED: usize = 1 << 18;

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
    let Figure { name, source, entries } = figure;
    let wanted: Vec<Entry> = entries.into_iter().filter(|entry| wish.takes(entry)).collect();
    if wanted.is_empty() {
        return Err(BenchError::flag("--like", format!("{name} has nothing of these variants and sizes")));
    }
    let mut report = LikeReport {
        schema: 1,
        figure: name,
        source,
        host: HostFacts::here(),
        devices: Vec::new(),
        results: Vec::new(),
        not_run: Vec::new(),
        interrupted: false,
    };
    let clock = Monotonic::default();
    let mut done = 0;
    while done < wanted.len() && !report.interrupted {
        let group: Vec<&Entry> = wanted[done..].iter().take_while(|e| e.same_problem(&wanted[done])).collect();
        let (count, rest) = (group.len() as f64, (wanted.len() - done) as f64);
        let within = Allowance { end: wish.allowance.share.min(wish.allowance.end), ..wish.allowance };
        measure(wish, within.part(clock.seconds(), count, rest), &group, &mut report, interrupted)?;
        done += group.len();
        progress(done, wanted.len());
    }
    Ok(report)
}

impl Wish {
    fn takes(&self, entry: &Entry) -> bool {
        let variant = match &self.variants {
            Selection::Named(names) => names.iter().any(|name| name == entry.variant),
            _ => true,
        };
        let sizes = self.lengths.is_empty() && self.planes.is_empty();
        let length = entry.n.is_some_and(|n| self.lengths.contains(&n));
        let plane = entry.size.is_some_and(|size| self.planes.contains(&size));
        variant && (sizes || length || plane)
    }
}

/// Measures entries that differ only in the variant.
fn measure(
    wish: &Wish,
    allowance: Allowance,
    group: &[&Entry],
    report: &mut LikeReport,
    interrupted: &dyn Fn() -> bool,
) -> Result<(), BenchError> {
    let first = group[0];
    let size = first.size.map_or_else(|| format!("n = {}", first.n.unwrap_or(0)), |(r, c)| format!("{r}x{c}"));
    let mut not_run = |name: &str, why: &str| report.not_run.push(format!("{name} {} {size}: {why}", first.ty));
    let mut names = Vec::new();
    for entry in group {
        let gpu = entry.variant.starts_with("gpu-");
        let fits = |place: &Place| place.runs(if gpu { RunsOn::Gpu } else { RunsOn::Cpu });
        let emulated = gpu && wish.places.iter().filter(|p| fits(p)).any(|p| p.emulates());
        if !wish.places.iter().any(fits) {
            not_run(entry.variant, "it does not run on this --device");
        } else if emulated && first.elements() > MOST_EMULATED {
            not_run(entry.variant, "too large for the emulator: give a smaller size or use a GPU");
        } else {
            names.push(entry.variant.to_owned());
        }
    }
    if names.is_empty() {
        return Ok(());
    }
    let request = Request {
        variants: Selection::Named(names),
        lengths: first.n.into_iter().collect(),
        planes: first.size.into_iter().collect(),
        types: vec![first.ty.to_owned()],
        places: wish.places.clone(),
        input: Some(first.input.to_owned()),
        settings: first.settings.clone(),
        geometry: first.geometry,
        baseline: None,
        rule: wish.rule,
        allowance,
        ..Request::new(first.primitive.name)
    };
    let measured = match bench::run(&request, &|_, _| (), interrupted) {
        Ok(measured) => measured,
        // One size that does not fit does not end the others.
        Err(BenchError::Flag { problem, .. } | BenchError::Nothing(problem)) => {
            group.iter().for_each(|entry| not_run(entry.variant, &problem));
            return Ok(());
        }
        Err(other) => return Err(other),
    };
    for refusal in &measured.refused {
        not_run(&refusal.configuration.variant, &refusal.reason);
    }
    if measured.left_out > 0 {
        not_run(first.variant, NO_TIME);
    }
    report.interrupted = measured.interrupted;
    let devices = if measured.devices.is_empty() { vec![measured.device] } else { measured.devices };
    for device in devices {
        if !report.devices.iter().any(|known| known.name == device.name) {
            report.devices.push(device);
        }
    }
    for entry in group {
        for row in measured.results.iter().filter(|row| row.configuration.variant == entry.variant) {
            let (published_as, published_ms) = (entry.called, entry.ms);
            report.results.push(LikeRow { row: row.clone(), published_as, published_ms });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Report;

    fn wish(figure: &str, lengths: &[usize]) -> Wish {
        let rule = Rule { warm_up: 0.0, least_samples: 2, noise: 1e9, time_limit: 0.0, shortest_sample: 1e-6 };
        Wish {
            figure: figure.into(),
            variants: Selection::Best,
            lengths: lengths.to_vec(),
            planes: Vec::new(),
            places: vec![Place::Emulator],
            rule,
            allowance: Allowance::default(),
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
    fn what_is_too_large_or_not_here_is_said() {
        let report = run(&wish("reduce-ladder", &[]), &|_, _| (), &|| false).unwrap();
        assert_eq!((report.results.len(), report.not_run.len()), (0, 7));
        assert!(report.not_run[0].starts_with("gpu-1-interleaved i32 n = 16777216: too large for the emulator"));
        let cpu = Wish { places: vec![Place::Cpu], ..wish("reduce-ladder", &[]) };
        let report = run(&cpu, &|_, _| (), &|| false).unwrap();
        assert!(report.not_run[0].contains("does not run on this --device"));
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
        assert!(error(&wish("vecadd", &[7])).contains("nothing of these variants and sizes"));
    }
}
