//! A program's run as text, as a page, and as cases.

use super::report::{CopyRow, KernelRow, ProgramReport};
use crate::kernels::finding::{Finding, describe, tally};
use crate::machine::memory::size;
use crate::output::number::duration;
use crate::output::{Align, Case, Findings, Problem, Report, Style, Suite, Table, View, clean, html};
use crate::pages::plot::escape;
use std::fmt::Write;

impl Report for ProgramReport {
    const VIEWS: &'static [View<Self>] = &[
        View::Records(|report| Table::records("exec", &report.kernels)),
        View::Tables(tables),
        View::Page(page),
        View::Findings(|report| vec![findings(report)]),
        View::Cases(|report| vec![suite(report)]),
    ];

    fn text(&self, style: Style) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "{}", style.paint("1", &title(self)));
        for table in tables(self) {
            let _ = write!(out, "\n{}", table.text());
        }
        for explanation in &self.explanations {
            let _ = write!(out, "\n{}", explanation.text(style));
        }
        for finding in &self.findings {
            out.push('\n');
            describe(&mut out, finding, style);
        }
        let _ = writeln!(out, "\n{}", verdict(self, style));
        out
    }
}

impl ProgramReport {
    /// Only the findings and the verdict, for those who want no tables.
    pub fn brief(&self, style: Style) -> String {
        let mut out = String::new();
        for finding in &self.findings {
            describe(&mut out, finding, style);
            out.push('\n');
        }
        if !self.findings.is_empty() {
            let _ = writeln!(out, "{}", verdict(self, style));
        }
        out
    }
}

/// What ran, and where.
fn title(report: &ProgramReport) -> String {
    let place = report.gpu.as_ref().map_or("a GPU".to_owned(), |gpu| format!("an emulated {gpu}"));
    format!("{} on {place}: {}", clean(&report.program), duration(report.seconds))
}

/// How it ended and what was found, in a line.
fn verdict(report: &ProgramReport, style: Style) -> String {
    let counting = report.findings.iter().any(Finding::counts);
    let found = match (tally(&report.findings), counting) {
        (found, _) if found.is_empty() => style.paint("32", "no findings"),
        (found, false) => style.paint("32", &found),
        (found, true) => style.paint(if report.ok { "33;1" } else { "31;1" }, &found),
    };
    let mut looked: Vec<&str> = report.checks.clone();
    looked.extend(report.host_checks.then_some("mistakes of the host"));
    let looked = if looked.is_empty() { String::new() } else { format!("; checked for {}", looked.join(", ")) };
    // Who reads that nothing was found should know what nobody looked for.
    let unchecked = report.checks.is_empty() && !report.kernels.is_empty();
    let looked = if unchecked { looked + "; kernels were not checked (--check all)" } else { looked };
    let ended = report.ended.words().map_or(String::new(), |words| format!("; {words}"));
    format!("{found}{looked}{ended}")
}

/// Its kernels and copies.
fn tables(report: &ProgramReport) -> Vec<Table> {
    let mut all = Vec::new();
    if !report.kernels.is_empty() {
        all.push(kernels(&report.kernels));
    }
    if !report.copies.is_empty() {
        all.push(copies(&report.copies));
    }
    all
}

fn kernels(rows: &[KernelRow]) -> Table {
    let estimated = rows.iter().any(|row| row.estimated_us.is_some());
    let mut headings = vec![
        ("kernel", Align::Left),
        ("launches", Align::Right),
        ("threads", Align::Right),
        ("warp instructions", Align::Right),
    ];
    headings.extend(estimated.then_some(("estimated", Align::Right)));
    headings.push(("share", Align::Right));
    let row = |row: &KernelRow| {
        let mut cells = vec![
            clean(&row.kernel),
            row.launches.to_string(),
            row.threads.to_string(),
            row.warp_instructions.to_string(),
        ];
        if estimated {
            cells.push(row.estimated_us.map_or(String::new(), |us| duration(us * 1e-6)));
        }
        cells.push(format!("{:.1} %", row.percent));
        cells
    };
    Table::new("exec", &headings, rows.iter().map(row))
}

fn copies(rows: &[CopyRow]) -> Table {
    let headings = [("copies", Align::Left), ("count", Align::Right), ("size", Align::Right)];
    let row = |row: &CopyRow| vec![row.direction.to_owned(), row.count.to_string(), size(u128::from(row.bytes))];
    Table::new("copies", &headings, rows.iter().map(row))
}

fn findings(report: &ProgramReport) -> Findings<'_> {
    Findings { all: &report.findings, file: report.program.clone(), kernel: None, refused: false }
}

/// A page: tables, explanations, findings.
fn page(report: &ProgramReport) -> String {
    let title = format!("warpwise exec {}", report.program);
    let plain = Style::default();
    let mut body = format!("<h1>{}</h1>\n<p>{}</p>\n", escape(&title), escape(&verdict(report, plain)));
    for (heading, table) in [("Kernels", kernels(&report.kernels)), ("Copies", copies(&report.copies))] {
        if !table.rows.is_empty() {
            let _ = writeln!(body, "<h2>{heading}</h2>");
            html::table(&mut body, &table);
        }
    }
    if !report.findings.is_empty() {
        body.push_str("<h2>Findings</h2>\n");
        for finding in &report.findings {
            let mut text = String::new();
            describe(&mut text, finding, plain);
            let _ = writeln!(body, "<pre class=\"wide\">{}</pre>", escape(&text));
        }
    }
    for explanation in &report.explanations {
        let _ = writeln!(body, "<h2>{}</h2>", escape(&explanation.target.name()));
        let _ = writeln!(body, "<pre class=\"wide\">{}</pre>", escape(&explanation.text(plain)));
    }
    for note in &report.notes {
        let _ = writeln!(body, "<p>{}</p>", escape(note));
    }
    html::page(&title, &body)
}

/// A case for each kernel and one for the host.
fn suite(report: &ProgramReport) -> Suite {
    let case = |name: String, kernel: Option<&str>| {
        let own = report.findings.iter().filter(|f| f.counts() && f.kernel.as_deref() == kernel);
        let own: Vec<Finding> = own.cloned().collect();
        let mut text = String::new();
        own.iter().for_each(|finding| describe(&mut text, finding, Style::default()));
        let problem = own.first().filter(|_| report.fail_on.fails(&own)).map(|first| Problem {
            is_error: false,
            kind: first.kind,
            message: first.message.clone(),
            text: text.clone(),
        });
        Case { name, group: report.program.clone(), place: None, seconds: None, problem }
    };
    let mut cases: Vec<Case> = report.kernels.iter().map(|row| case(row.kernel.clone(), Some(&row.kernel))).collect();
    // What is wrong with a kernel that was never launched is the host's as well.
    cases.push(case("host".to_owned(), None));
    if let (Some(words), Some(host)) = (report.ended.words(), cases.last_mut()) {
        let problem = Problem { is_error: true, kind: "ended", message: words.clone(), text: words };
        host.problem = Some(host.problem.take().unwrap_or(problem));
    }
    Suite { name: report.program.clone(), cases }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FailOn;
    use crate::output::Exporter;
    use crate::programs::Ending;

    fn report() -> ProgramReport {
        let row = |kernel: &str, percent| KernelRow {
            kernel: kernel.to_owned(),
            symbol: kernel.to_owned(),
            launches: 20,
            threads: 20480,
            warp_instructions: 6400,
            host_seconds: 0.1,
            estimated_us: None,
            percent,
            counters: None,
        };
        let race = Finding {
            kernel: Some("sum".to_owned()),
            launch: Some(1),
            ..Finding::new("race", "error", "two writes".to_owned(), 3)
        };
        ProgramReport {
            schema: 1,
            program: "p.cu".to_owned(),
            arguments: vec!["-n".to_owned()],
            device: "emulator",
            gpu: Some("h200".to_owned()),
            ended: Ending::Exit(0),
            seconds: 0.5,
            ok: false,
            checks: vec!["races"],
            host_checks: true,
            kernels: vec![row("sum", 75.0), row("fill<int>", 25.0)],
            copies: vec![CopyRow { direction: "host to device", count: 2, bytes: 8192 }],
            findings: vec![race],
            explanations: Vec::new(),
            notes: Vec::new(),
            comparison: None,
            fail_on: FailOn::Error,
        }
    }

    #[test]
    fn the_text_has_kernels_copies_findings_and_a_verdict() {
        let expected = "\
p.cu on an emulated h200: 500.00 ms

kernel     launches  threads  warp instructions   share
sum              20    20480               6400  75.0 %
fill<int>        20    20480               6400  25.0 %

copies          count     size
host to device      2  8.0 KiB

error: race (3 times): two writes

1 error; checked for races, mistakes of the host
";
        assert_eq!(report().text(Style::default()), expected);
        let brief = report().brief(Style::default());
        assert!(brief.starts_with("error: race") && brief.ends_with("of the host\n"), "{brief}");
        let quiet = ProgramReport { findings: Vec::new(), ..report() };
        assert_eq!(quiet.brief(Style::default()), "");
    }

    #[test]
    fn kernels_that_nobody_checked_are_said_to_be_so() {
        let mut report = ProgramReport { findings: Vec::new(), checks: Vec::new(), ..report() };
        let last = |report: &ProgramReport| report.text(Style::default()).lines().last().unwrap_or_default().to_owned();
        let words = "no findings; checked for mistakes of the host; kernels were not checked (--check all)";
        assert_eq!(last(&report), words);
        report.kernels.clear();
        assert_eq!(last(&report), "no findings; checked for mistakes of the host");
    }

    #[test]
    fn estimates_have_a_column_of_their_own() {
        let mut report = report();
        report.kernels[0].estimated_us = Some(12.0);
        let text = report.text(Style::default());
        assert!(text.contains("estimated") && text.contains("12.00 us"), "{text}");
    }

    #[test]
    fn formats_have_what_is_wrong() {
        let export = |name: &str| {
            Exporter::named(name).expect("there is one").export(&report(), Style::default()).expect("offered")
        };
        let html = export("html");
        assert!(html.contains("<h2>Kernels</h2>") && html.contains("fill&lt;int&gt;"), "{html}");
        assert!(html.contains("error: race (3 times): two writes"), "{html}");
        assert!(export("sarif").contains("\"ruleId\": \"race\""));
        let junit = export("junit");
        assert!(junit.contains("tests=\"3\" failures=\"1\"") && junit.contains("name=\"host\""), "{junit}");
        let json: serde_json::Value = serde_json::from_str(&export("json")).expect("JSON");
        assert_eq!(json["ended"]["exit"], 0);
        assert_eq!(json["kernels"][0]["launches"], 20);
        assert_eq!(json["findings"][0]["launch"], 1);
    }

    #[test]
    fn the_status_is_the_programs_unless_a_finding_is_a_failure() {
        let mut report = report();
        assert_eq!(report.status(), 1);
        report.fail_on = FailOn::Nothing;
        assert_eq!(report.status(), 0);
        report.ended = Ending::Signal(11);
        assert_eq!(report.status(), 139);
        assert!(report.text(Style::default()).contains("; the program was ended by signal 11"));
        let junit = Exporter::named("junit").expect("there is one").export(&report, Style::default()).expect("offered");
        assert!(junit.contains("errors=\"1\""), "{junit}");
    }
}
