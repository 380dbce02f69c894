//! One kernel or rung on several GPUs, side by side.

use super::render::{number, title_of};
use super::report::Explanation;
use crate::output::{Align, Report, Style, Table, View};
use serde::Serialize;
use std::fmt::Write;

/// Explanations of the same work on several GPUs.
#[derive(Clone, Debug, Serialize)]
pub struct OnGpus {
    /// Version of this format.
    pub schema: u32,
    /// One for each GPU, as they were asked for.
    pub gpus: Vec<Explanation>,
}

/// Puts explanations of the same work side by side.
pub fn on_gpus(gpus: Vec<Explanation>) -> OnGpus {
    OnGpus { schema: 1, gpus }
}

/// A GPU's line.
#[derive(Serialize)]
struct Line<'a> {
    gpu: &'a str,
    estimated_us: f64,
    bound: &'static str,
    compute_percent: f64,
    memory_percent: f64,
    occupancy_percent: f64,
    times_the_first: f64,
}

fn lines(report: &OnGpus) -> Vec<Line<'_>> {
    let first = report.gpus.first().map_or(1.0, |e| e.estimated_us);
    report.gpus.iter().map(|explanation| line(explanation, first)).collect()
}

/// The line of an explanation, beside one that takes `first` microseconds.
fn line(explanation: &Explanation, first: f64) -> Line<'_> {
    let costliest = explanation.kernels.iter().max_by(|a, b| a.estimated.us.total_cmp(&b.estimated.us));
    let figures = costliest.and_then(|kernel| kernel.figures.as_ref());
    let percent = |value: Option<f64>| value.unwrap_or(0.0).round();
    Line {
        gpu: &explanation.gpu,
        estimated_us: explanation.estimated_us,
        bound: explanation.bound.map_or("", warpwise_model::Bound::name),
        compute_percent: percent(figures.map(|f| f.compute_percent)),
        memory_percent: percent(figures.map(|f| f.memory_percent)),
        occupancy_percent: percent(figures.map(|f| f.occupancy_percent)),
        times_the_first: super::kernel::round(explanation.estimated_us / first),
    }
}

fn table(report: &OnGpus) -> Table {
    let headings = [
        ("GPU", Align::Left),
        ("estimated us", Align::Right),
        ("times the first", Align::Right),
        ("held by", Align::Left),
        ("compute %", Align::Right),
        ("memory %", Align::Right),
        ("occupancy %", Align::Right),
    ];
    let row = |line: &Line<'_>| {
        vec![
            line.gpu.to_owned(),
            number(line.estimated_us),
            number(line.times_the_first),
            line.bound.to_owned(),
            number(line.compute_percent),
            number(line.memory_percent),
            number(line.occupancy_percent),
        ]
    };
    Table::new("explain --gpu", &headings, lines(report).iter().map(row))
}

impl Report for OnGpus {
    const VIEWS: &'static [View<Self>] = &[
        View::Records(|report| Table::records("explain --gpu", lines(report))),
        View::Tables(|report| vec![table(report)]),
    ];

    fn text(&self, style: Style) -> String {
        let mut out = String::new();
        if let Some(first) = self.gpus.first() {
            title_of(&mut out, &first.target, style);
        }
        let _ = writeln!(out, "estimates");
        out.push_str(&table(self).text());
        out
    }
}
