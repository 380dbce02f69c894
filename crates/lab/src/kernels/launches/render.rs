//! The report on launch files as text, and its views.

use super::judge;
use super::report::{LaunchReport, LaunchesReport, Verdict};
use crate::kernels::finding::{Finding, describe, tally};
use crate::output::number::duration;
use crate::output::{Align, Case, Findings, Problem, Report, Style, Suite, Table, View, clean};
use serde_json::json;
use std::fmt::Write;

impl Report for LaunchesReport {
    const VIEWS: &'static [View<Self>] =
        &[View::Records(records), View::Tables(tables), View::Findings(findings), View::Cases(suites)];

    fn text(&self, style: Style) -> String {
        render(self, style)
    }
}

/// What the kernels have, and what launch files expect in vain.
fn findings(report: &LaunchesReport) -> Vec<Findings<'_>> {
    let both = |launch| [judge::findings(launch), expectations(launch)];
    report.launches.iter().flat_map(both).collect()
}

fn expectations(launch: &LaunchReport) -> Findings<'_> {
    let refused = launch.result == Verdict::Error;
    Findings { all: &launch.broken, file: launch.launch_file.clone(), kernel: Some(&launch.name), refused }
}

/// A row of plain values for each launch.
fn records(report: &LaunchesReport) -> Table {
    let row = |launch: &LaunchReport| {
        json!({
            "launch_file": launch.launch_file,
            "line": launch.line,
            "name": launch.name,
            "file": launch.file,
            "kernel": launch.kernel,
            "result": launch.result,
            "findings": launch.findings.iter().filter(|finding| finding.counts()).count(),
            "broken": launch.broken.len(),
            "warp_instructions": launch.counters.map(|counters| counters.0.warp_instructions),
            "time_ms": launch.time_ms,
        })
    };
    Table::records("launches", report.launches.iter().map(row))
}

/// All launches, and what is wrong with them.
fn tables(report: &LaunchesReport) -> Vec<Table> {
    let headings = [("launch", Align::Left), ("problem", Align::Left), ("at", Align::Left), ("what", Align::Left)];
    let problem = |launch: &LaunchReport, finding: &Finding| {
        let place = match (&finding.file, finding.line) {
            (Some(file), Some(line)) => format!("{}:{line}", clean(file)),
            _ => String::new(),
        };
        vec![clean(&launch.name), finding.kind.to_owned(), place, clean(&finding.message)]
    };
    let of = |launch| wrong(launch).into_iter().map(move |finding| problem(launch, finding));
    let problems: Vec<Vec<String>> = report.launches.iter().flat_map(of).collect();
    let problems = (!problems.is_empty()).then(|| Table::new("problems", &headings, problems));
    [table(report)].into_iter().chain(problems).collect()
}

/// A row for each launch, for people.
fn table(report: &LaunchesReport) -> Table {
    let headings = [
        ("launch", Align::Left),
        ("kernel", Align::Left),
        ("result", Align::Left),
        ("findings", Align::Left),
        ("instructions", Align::Right),
        ("time", Align::Right),
    ];
    Table::new("launches", &headings, report.launches.iter().map(row))
}

fn row(launch: &LaunchReport) -> Vec<String> {
    let found = tally(&launch.findings);
    vec![
        clean(&launch.name),
        clean(launch.kernel.as_deref().unwrap_or("")),
        launch.result.name().to_owned(),
        if found.is_empty() && launch.time_ms.is_some() { "none".to_owned() } else { found },
        launch.counters.map_or(String::new(), |counters| counters.0.warp_instructions.to_string()),
        launch.time_ms.map_or(String::new(), |ms| duration(ms / 1e3)),
    ]
}

/// What is wrong, launch by launch; then all launches in a table, and the verdict.
fn render(report: &LaunchesReport, style: Style) -> String {
    let mut out = String::new();
    for launch in &report.launches {
        let shown = wrong(launch);
        if !shown.is_empty() {
            let _ = writeln!(out, "{}", style.paint("1", &format!("{}:", clean(&launch.name))));
            shown.iter().for_each(|finding| describe(&mut out, finding, style));
            out.push('\n');
        }
    }
    out.push_str(&table(report).text());
    let verdict = style.paint(if report.ok { "32" } else { "31;1" }, &verdict(report));
    let _ = writeln!(out, "\n{verdict}");
    out
}

/// What counts: unexpected findings, then expectations that did not come true.
fn wrong(launch: &LaunchReport) -> Vec<&Finding> {
    launch.findings.iter().filter(|finding| finding.counts()).chain(&launch.broken).collect()
}

/// `3 launches: 2 good, 1 broken`.
fn verdict(report: &LaunchesReport) -> String {
    let some = |count: usize, name: &str| (count > 0).then(|| format!("{count} {name}"));
    let parts = [some(report.good, "good"), some(report.broken, "broken"), some(report.errors, "cannot run")];
    let launches = if report.launches.len() == 1 { "launch" } else { "launches" };
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!("{} {launches}: {}", report.launches.len(), parts.join(", "))
}

/// A suite for each launch file, with a case for each launch.
fn suites(report: &LaunchesReport) -> Vec<Suite> {
    let mut suites: Vec<Suite> = Vec::new();
    for launch in &report.launches {
        match suites.iter_mut().find(|suite| suite.name == launch.launch_file) {
            Some(suite) => suite.cases.push(case(launch)),
            None => suites.push(Suite { name: launch.launch_file.clone(), cases: vec![case(launch)] }),
        }
    }
    suites
}

fn case(launch: &LaunchReport) -> Case {
    let mut text = String::new();
    let wrong = wrong(launch);
    wrong.iter().for_each(|finding| describe(&mut text, finding, Style::default()));
    let problem = (launch.result != Verdict::Good).then(|| Problem {
        is_error: launch.result == Verdict::Error,
        kind: wrong.first().map_or("", |finding| finding.kind),
        message: wrong.first().map_or(String::new(), |finding| finding.message.clone()),
        text,
    });
    Case {
        name: launch.name.clone(),
        group: launch.file.clone(),
        place: Some((launch.launch_file.clone(), launch.line)),
        seconds: launch.time_ms.map(|ms| ms / 1e3),
        problem,
    }
}
