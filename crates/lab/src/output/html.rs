//! Pages for a browser: one self-contained file, for light or dark backgrounds, paper and phones.

use super::{Align, Exporter, Form, Table};
use crate::pages::plot::escape;
use std::fmt::Write;

pub(super) const EXPORTER: Exporter = Exporter {
    name: "html",
    about: "A page for a browser",
    forms: &[
        Form::Page(std::convert::identity),
        Form::Tables(tables),
        Form::Records(|table| tables(std::slice::from_ref(table))),
    ],
};

/// A page with a title and a body.
pub(crate) fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escape(title)
    )
}

/// A table, which may be wider than the page.
pub(crate) fn table(out: &mut String, table: &Table) {
    let class = |align| if align == Align::Right { " class=\"right\"" } else { "" };
    out.push_str("<div class=\"wide\"><table>\n<thead><tr>");
    for (name, align) in &table.columns {
        let _ = write!(out, "<th scope=\"col\"{}>{}</th>", class(*align), escape(name));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for (cell, (_, align)) in row.iter().zip(&table.columns) {
            let _ = write!(out, "<td{}>{}</td>", class(*align), escape(cell));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
}

/// Tables under their titles.
fn tables(all: &[Table]) -> String {
    let title = format!("warpwise {}", all.first().map_or("", |first| first.title.as_str()));
    let mut body = format!("<h1>{}</h1>\n", escape(&title));
    for (i, part) in all.iter().enumerate() {
        if i > 0 {
            let _ = writeln!(body, "<h2>{}</h2>", escape(&part.title));
        }
        table(&mut body, part);
    }
    page(&title, &body)
}

const STYLE: &str = "
:root { color-scheme: light dark; --ground: #fff; --text: #1b1f24; --line: #d0d7de; }
@media (prefers-color-scheme: dark) { :root { --ground: #0d1117; --text: #e6edf3; --line: #30363d; } }
body { font: 15px/1.5 system-ui, sans-serif; background: var(--ground); color: var(--text);
  max-width: 70rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; }
.right { text-align: right; }
figure { margin: 1rem 0; } svg { width: 100%; max-width: 48rem; height: auto; }
@media print { :root { --ground: #fff; --text: #000; } body { max-width: none; } figure { break-inside: avoid; } }
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_has_its_title_and_markup_is_text() {
        let facts = |title: &str| Table::facts(title, [("<b>", "1 & 2".to_owned())]);
        let page = tables(&[facts("list"), facts("more")]);
        assert!(page.contains("<title>warpwise list</title>") && page.contains("<h2>more</h2>"), "{page}");
        assert!(page.contains("<td>&lt;b&gt;</td><td>1 &amp; 2</td>") && !page.contains("<b>"), "{page}");
    }
}
