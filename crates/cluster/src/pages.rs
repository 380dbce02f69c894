//! Pages for a browser: the timeline of a run, and how runs scale.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Map, Value};

use crate::Error;

/// The stages, and their colours.
const COLOURS: [(&str, &str); 5] =
    [("compute", "#2f7ed8"), ("exchange", "#e08214"), ("wait", "#b2b2b2"), ("read", "#5aae61"), ("write", "#9970ab")];

/// Writes a page beside its place and renames it.
///
/// # Errors
///
/// Where it cannot be written.
///
/// ```
/// assert!(warpwise_cluster::pages::write("no/such/folder/page.html".as_ref(), "").is_err());
/// ```
pub fn write(path: &Path, page: &str) -> Result<(), Error> {
    let beside = path.with_extension("html.part");
    let written = std::fs::write(&beside, page).and_then(|()| std::fs::rename(&beside, path));
    written.map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        Error::file(path, format!("cannot be written: {error}"))
    })
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A page with a title and a body.
fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<style>\n\
         :root {{ color-scheme: light dark }}\n\
         body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }}\n\
         table {{ border-collapse: collapse }} td, th {{ padding: .2rem .8rem; text-align: right }}\n\
         svg {{ width: 100%; height: auto }} svg text {{ font: 12px system-ui, sans-serif; fill: currentColor }}\n\
         </style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escape(title)
    )
}

/// A key of colours.
fn key() -> String {
    let each = COLOURS.map(|(name, colour)| format!("<span style=\"color:{colour}\">&#9632;</span> {name}"));
    format!("<p>{}</p>\n", each.join(" &nbsp; "))
}

/// The page of a run: what every rank did when, and its times by stage.
///
/// ```
/// use serde_json::{Map, json};
///
/// let rank = json!({"rank": 0, "host": "a", "seconds": 2.0, "stages": {"compute_s": 1.5, "wait_s": 0.5},
///     "spans": [["wait", 0.5, 1.0]]});
/// let page = warpwise_cluster::pages::timeline(&Map::new(), &[rank]);
/// assert!(page.contains("<svg") && page.contains("wait"));
/// ```
pub fn timeline(fields: &Map<String, Value>, ranks: &[Value]) -> String {
    let name = fields.get("primitive").and_then(Value::as_str).unwrap_or("run");
    let title = format!("warpwise-cluster {name} on {} ranks", ranks.len());
    let seconds = ranks.iter().filter_map(|rank| rank["seconds"].as_f64()).fold(1e-9, f64::max);
    let (left, width, line) = (60.0, 900.0, 22.0);
    let height = line * ranks.len() as f64 + 40.0;
    let mut svg = format!(
        "<svg viewBox=\"0 0 {} {height}\" role=\"img\" aria-label=\"what every rank did when\">\n",
        left + width + 20.0
    );
    for (i, rank) in ranks.iter().enumerate() {
        let y = line * i as f64 + 4.0;
        let end = rank["seconds"].as_f64().unwrap_or(0.0) / seconds * width;
        let _ = writeln!(svg, "<text x=\"0\" y=\"{}\">rank {}</text>", y + 13.0, rank["rank"]);
        let _ =
            writeln!(svg, "<rect x=\"{left}\" y=\"{y}\" width=\"{end:.2}\" height=\"16\" fill=\"{}\"/>", COLOURS[0].1);
        for span in rank["spans"].as_array().into_iter().flatten() {
            let (stage, begin, end) = (&span[0], span[1].as_f64().unwrap_or(0.0), span[2].as_f64().unwrap_or(0.0));
            let colour = COLOURS.iter().find(|(name, _)| stage == name).map_or("#000", |(_, colour)| colour);
            let (x, wide) = (left + begin.max(0.0) / seconds * width, (end - begin.max(0.0)) / seconds * width);
            // What is too short to be seen would only make the page long.
            if wide >= 0.05 {
                let _ = writeln!(
                    svg,
                    "<rect x=\"{x:.2}\" y=\"{y}\" width=\"{wide:.2}\" height=\"16\" fill=\"{colour}\">\
                     <title>{}: {:.3} ms</title></rect>",
                    stage.as_str().unwrap_or(""),
                    (end - begin) * 1e3
                );
            }
        }
    }
    for tick in 0..=5 {
        let (at, x) = (seconds * f64::from(tick) / 5.0, left + width * f64::from(tick) / 5.0);
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{at:.3} s</text>", height - 8.0);
    }
    svg.push_str("</svg>\n");
    let mut table = String::from("<table>\n<tr><th>rank</th><th>host</th><th>seconds</th>");
    for (name, _) in COLOURS {
        let _ = write!(table, "<th>{name}</th>");
    }
    table.push_str("</tr>\n");
    for rank in ranks {
        let host = escape(rank["host"].as_str().unwrap_or(""));
        let _ = write!(table, "<tr><td>{}</td><td>{host}</td>", rank["rank"]);
        let _ = write!(table, "<td>{:.3}</td>", rank["seconds"].as_f64().unwrap_or(0.0));
        for (name, _) in COLOURS {
            let _ = write!(table, "<td>{:.3}</td>", rank["stages"][format!("{name}_s")].as_f64().unwrap_or(0.0));
        }
        table.push_str("</tr>\n");
    }
    table.push_str("</table>\n");
    page(&title, &format!("<h1>{}</h1>\n{}{svg}{table}", escape(&title), key()))
}

/// A run in a plot of how runs scale.
///
/// ```
/// use serde_json::json;
/// use warpwise_cluster::pages::Point;
///
/// let run = json!({"schema": 1, "primitive": "sort", "ranks": [{"seconds": 2.0, "stages": {"compute_s": 1.5}}]});
/// let point = Point::of(&run).unwrap();
/// assert_eq!((point.name.as_str(), point.ranks, point.seconds), ("sort", 1, 2.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// What was computed.
    pub name: String,
    /// On how many ranks.
    pub ranks: usize,
    /// The time of the slowest rank.
    pub seconds: f64,
    /// The mean share of the time that ranks computed.
    pub busy: f64,
}

impl Point {
    /// A point from the JSON of a run, if it is one.
    ///
    /// ```
    /// assert!(warpwise_cluster::pages::Point::of(&serde_json::json!({"schema": 1})).is_none());
    /// ```
    pub fn of(run: &Value) -> Option<Self> {
        let ranks = run["ranks"].as_array().filter(|ranks| !ranks.is_empty())?;
        let seconds: Vec<f64> = ranks.iter().filter_map(|rank| rank["seconds"].as_f64()).collect();
        let compute: f64 = ranks.iter().filter_map(|rank| rank["stages"]["compute_s"].as_f64()).sum();
        let busy = compute / seconds.iter().sum::<f64>().max(1e-12);
        let longest = seconds.iter().copied().fold(0.0, f64::max);
        Some(Self { name: run["primitive"].as_str()?.to_owned(), ranks: ranks.len(), seconds: longest, busy })
    }
}

/// The page of several runs: how much faster more ranks are, beside what would be perfect, and a table.
///
/// ```
/// use warpwise_cluster::pages::{Point, scaling};
///
/// let point = |ranks, seconds| Point { name: "heat".to_owned(), ranks, seconds, busy: 0.9 };
/// let page = scaling(&[point(1, 8.0), point(2, 4.0), point(4, 2.5)]);
/// assert!(page.contains("3.20") && page.contains("80 %"));
/// ```
pub fn scaling(points: &[Point]) -> String {
    let mut names: Vec<&str> = points.iter().map(|point| point.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let most = points.iter().map(|point| point.ranks).max().unwrap_or(1).max(2) as f64;
    let (left, side) = (40.0, 400.0);
    let place = |ranks: f64, faster: f64| {
        (left + ranks.log2() / most.log2() * side, side - faster.max(0.5).log2() / most.log2() * side + 10.0)
    };
    let mut svg =
        format!("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"speedup\">\n", side + 160.0, side + 50.0);
    let ((x0, y0), (x1, y1)) = (place(1.0, 1.0), place(most, most));
    let _ = writeln!(
        svg,
        "<line x1=\"{x0}\" y1=\"{y0}\" x2=\"{x1}\" y2=\"{y1}\" stroke=\"#b2b2b2\" stroke-dasharray=\"4\"/>"
    );
    let mut ranks = 1.0;
    while ranks <= most {
        let ((x, _), (_, y)) = (place(ranks, 1.0), place(1.0, ranks));
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{ranks}</text>", side + 30.0);
        let _ = writeln!(svg, "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{ranks}</text>", left - 8.0, y + 4.0);
        ranks *= 2.0;
    }
    let mut table = String::from(
        "<table>\n<tr><th>primitive</th><th>ranks</th><th>seconds</th><th>faster</th><th>efficiency</th><th>computing</th></tr>\n",
    );
    for (name, (_, colour)) in names.iter().zip(COLOURS.iter().cycle()) {
        let mut runs: Vec<&Point> = points.iter().filter(|point| point.name == *name).collect();
        runs.sort_by_key(|point| point.ranks);
        // Against the run on the fewest ranks, as if up to there all were well.
        let base = runs[0].seconds * runs[0].ranks as f64;
        let mut line = String::new();
        for run in &runs {
            let faster = base / run.seconds;
            let (x, y) = place(run.ranks as f64, faster);
            let _ = write!(line, "{x:.1},{y:.1} ");
            let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>");
            let _ = writeln!(
                table,
                "<tr><td>{}</td><td>{}</td><td>{:.3}</td><td>{faster:.2}</td><td>{:.0} %</td><td>{:.0} %</td></tr>",
                escape(name),
                run.ranks,
                run.seconds,
                100.0 * faster / run.ranks as f64,
                100.0 * run.busy
            );
        }
        let _ = writeln!(svg, "<polyline points=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>");
        if let Some(last) = runs.last() {
            let (x, y) = place(last.ranks as f64, base / last.seconds);
            let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>", x + 8.0, y + 4.0, escape(name));
        }
    }
    svg.push_str("</svg>\n");
    table.push_str("</table>\n");
    let words = "<p>How many times faster than one rank, on a logarithmic scale; the broken line is as many times as \
                 there are ranks.</p>\n";
    page("warpwise-cluster scaling", &format!("<h1>warpwise-cluster scaling</h1>\n{words}{svg}{table}"))
}
