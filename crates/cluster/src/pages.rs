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
