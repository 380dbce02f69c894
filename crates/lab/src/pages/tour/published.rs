//! Published figures beside our measurements.

use super::{FigureTable, Published, Request, plan};
use crate::Place;
use crate::machine::cores;
use crate::measure::bench::Selection;
use crate::measure::figures::{self, Compared, Effort, Entry, Estimated, Estimator, Figure, LikeReport, LikeRow, Wish};
use crate::measure::stats::{Allowance, Clock, Monotonic};
use std::collections::HashMap;
use warpwise::primitive::Extents;

/// A published table, as in results; ids continue from the previous tables.
pub(super) fn table(figure: &Figure, first: usize) -> FigureTable {
    let entry = |(i, e): (usize, &Entry)| Published {
        id: format!("p{}", first + i + 1),
        primitive: e.primitive.name.into(),
        variant: e.variant.into(),
        ty: e.ty.into(),
        size: e.extent(),
        elements: e.n.map_or_else(|| e.elements() as u64, |n| n as u64),
        published_as: called(figure, e),
        published_ms: e.ms,
        row: None,
        published: e.published(),
        estimated: None,
        fails: None,
    };
    let entries = figure.entries.iter().enumerate().map(entry).collect();
    FigureTable {
        name: figure.name.into(),
        source: figure.source.into(),
        entries,
        gpu: figure.gpu.into(),
        assumed: figure.assumed,
        says: Vec::new(),
    }
}

/// Estimates of published rows, by table and row.
#[derive(Default)]
pub(super) struct Estimates(HashMap<(&'static str, usize), Result<Estimated, String>>);

impl Estimates {
    /// Counts and estimates every row of every table, until the time is up.
    pub(super) fn make(&mut self, seconds: f64, step: &dyn Fn(usize, usize), interrupted: &dyn Fn() -> bool) {
        self.of(&figures::all(), seconds, step, interrupted);
    }

    /// The same for some of them: what is emulated on all cores, and then what is measured on the CPU.
    fn of(&mut self, figures: &[Figure], seconds: f64, step: &dyn Fn(usize, usize), interrupted: &dyn Fn() -> bool) {
        let rows = figures.iter().flat_map(|figure| (0..figure.entries.len()).map(move |row| (figure, row)));
        let missing = rows.filter(|(figure, row)| !self.0.contains_key(&(figure.name, *row)));
        let (emulated, measured): (Vec<_>, Vec<_>) =
            missing.partition(|(figure, row)| figure.entries[*row].variant.starts_with("gpu-"));
        let (clock, all) = (Monotonic::default(), emulated.len() + measured.len());
        let over = || interrupted() || clock.seconds() >= seconds;
        let estimator = Estimator::new(Effort::GLANCE);
        let estimate = |_, (figure, row): &(&Figure, usize)| estimator.estimate(figure, &figure.entries[*row]);
        let made = cores::side_by_side(&emulated, cores::count(), estimate, &|done| step(done, all), &over);
        for ((figure, row), made) in emulated.iter().zip(made) {
            self.0.extend(made.map(|made| ((figure.name, *row), made)));
        }
        for (at, (figure, row)) in measured.into_iter().enumerate() {
            if over() {
                break;
            }
            self.0.insert((figure.name, row), estimator.of(figure, &figure.entries[row], interrupted));
            step(emulated.len() + at + 1, all);
        }
    }

    /// Puts what there is beside the rows of a table, after making what is missing as far as time allows; returns the
    /// number of rows without an estimate.
    pub(super) fn fill(
        &mut self,
        figure: &Figure,
        table: &mut FigureTable,
        seconds: f64,
        interrupted: &dyn Fn() -> bool,
    ) -> usize {
        self.of(std::slice::from_ref(figure), seconds, &|_, _| (), interrupted);
        let mut missed = 0;
        for (at, (entry, row)) in figure.entries.iter().zip(&mut table.entries).enumerate() {
            match self.0.get(&(figure.name, at)) {
                Some(Ok(estimated)) => row.estimated = Some(estimated.clone()),
                Some(Err(reason)) if entry.fails => row.fails = Some(reason.clone()),
                _ => missed += 1,
            }
        }
        missed
    }
}

/// What the table says in words, once its rows have their estimates and measurements.
pub(super) fn says(figure: &Figure, table: &FigureTable, measured: impl Fn(&str) -> Option<f64>) -> Vec<String> {
    let compared = |(entry, row): (&Entry, &Published)| Compared {
        name: row.published_as.clone(),
        problem: [row.size.as_str(), entry.ty, entry.input].join(" "),
        published_ms: row.published_ms,
        estimated_ms: row.estimated.as_ref().filter(|e| e.device != figures::HERE).map(|e| e.ms),
        measured_ms: row.row.as_deref().and_then(&measured),
        fails: row.fails.is_some(),
    };
    let rows: Vec<Compared> = figure.entries.iter().zip(&table.entries).map(compared).collect();
    figures::sentences(&rows, figure.chosen)
}

/// The authors' name for it, with details that the name lacks.
fn called(figure: &Figure, entry: &Entry) -> String {
    let mut name = entry.called.to_owned();
    if let (Some(block), Some(grid)) = (entry.geometry.block, entry.geometry.grid)
        && figure.is_sweep()
    {
        name = format!("{grid} blocks of {block}");
    }
    let picture = entry.primitive.extents == Extents::Picture && entry.size.is_some();
    if picture && entry.input != entry.primitive.inputs[0] {
        name += &format!(", {} image", entry.input);
    }
    name
}

/// Repeats experiments that are small enough: on the CPU, and on a GPU if there is one. The emulator has no times to
/// put beside published ones.
pub(super) fn again(
    figure: &Figure,
    request: Request,
    allowance: Allowance,
    cuda: bool,
    interrupted: &dyn Fn() -> bool,
) -> Result<Vec<LikeReport>, String> {
    let clock = Monotonic::default();
    let mut reports = Vec::new();
    let all = wanted(figure, request, cuda);
    let mut rest: usize = all.iter().map(|(_, entries)| entries.len()).sum();
    for (place, wanted) in all {
        if wanted.is_empty() || interrupted() {
            continue;
        }
        let within = Allowance { end: allowance.share.min(allowance.end), ..allowance };
        let allowance = within.part(clock.seconds(), wanted.len() as f64, rest as f64);
        rest -= wanted.len();
        let mut names: Vec<String> = wanted.iter().map(|e| e.variant.to_owned()).collect();
        names.dedup();
        let wish = Wish {
            figure: figure.name.into(),
            variants: Selection::Named(names),
            lengths: wanted.iter().filter_map(|e| e.n).collect(),
            planes: wanted.iter().filter_map(|e| e.size).collect(),
            places: vec![place],
            rule: plan::rule(request),
            allowance,
            effort: None,
        };
        reports.push(figures::run(&wish, &|_, _| (), interrupted).map_err(|error| error.to_string())?);
    }
    Ok(reports)
}

/// The experiments that are small enough to repeat, by place.
fn wanted(figure: &Figure, request: Request, cuda: bool) -> Vec<(Place, Vec<&Entry>)> {
    let most = if request.quick { 1 << 21 } else { 1 << 24 };
    let places = [(Place::Cpu, "cpu-", most), (Place::Cuda, "gpu-", 1 << 24)];
    let here = |place: &Place| *place != Place::Cuda || cuda;
    places
        .into_iter()
        .filter(|(place, ..)| here(place))
        .map(|(place, prefix, most)| {
            let fits = |e: &&Entry| {
                e.variant.starts_with(prefix) && e.elements() <= most && !(request.quick && e.n.is_some_and(skipped))
            };
            (place, figure.entries.iter().filter(fits).collect())
        })
        .collect()
}

/// Number of experiments of a figure that are repeated.
pub(super) fn runs(figure: &Figure, request: Request, cuda: bool) -> usize {
    wanted(figure, request, cuda).iter().map(|(_, entries)| entries.len()).sum()
}

/// Long tables are thinned out if time is short: only every fourth power of two stays.
fn skipped(n: usize) -> bool {
    n > 64 && !n.ilog2().is_multiple_of(4)
}

/// Whether a row is the experiment of a published time.
pub(super) fn same(entry: &Published, like: &LikeRow) -> bool {
    let c = &like.row.configuration;
    // Within a table, variant, size and time identify a row.
    entry.variant == c.variant && entry.ty == c.ty && entry.size == c.size() && entry.published_ms == like.published_ms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_go_on_and_the_same_experiment_is_run() {
        let figure = figures::all().into_iter().find(|f| f.name == "vecadd").unwrap();
        let table = table(&figure, 7);
        assert_eq!((table.entries[0].id.as_str(), table.entries[0].size.as_str()), ("p8", "2^20"));
        let quick = Request { quick: true, budget: None };
        let reports = again(&figure, quick, Allowance::default(), false, &|| false).unwrap();
        let like = &reports[0].results[0];
        assert!(like.row.ok && same(&table.entries[0], like) && !same(&table.entries[1], like));
        assert!(again(&figure, quick, Allowance::default(), false, &|| true).unwrap().is_empty());
    }

    #[test]
    fn every_published_row_is_counted_and_estimated() {
        let figure = figures::all().into_iter().find(|f| f.name == "vecadd").unwrap();
        let mut table = table(&figure, 0);
        let mut estimates = Estimates::default();
        assert_eq!(estimates.fill(&figure, &mut table, f64::INFINITY, &|| false), 0);
        for row in &table.entries {
            assert!(row.estimated.is_some() != row.fails.is_some(), "{row:?}");
        }
        let words = says(&figure, &table, |_| None).join(" ");
        assert!(words.contains("the fastest as estimated") && words.contains("not a time of the work"), "{words}");
        assert_eq!(Estimates::default().fill(&figure, &mut table, 0.0, &|| false), 4, "there is no time");
        assert_eq!(estimates.fill(&figure, &mut table, 0.0, &|| false), 0, "they are made once");
    }
}
