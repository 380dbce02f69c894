//! Pages for a browser: one self-contained file, for light or dark backgrounds, paper and phones.

use super::{Align, Exporter, Form, Report, Style, Table, View};
use crate::pages::plot::escape;
use crate::pages::report::{SCRIPT, TOOLS, head};
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

/// A page with a title and a body, which begins with its heading: in the style of the tour's page, and with its tools.
pub(crate) fn page(title: &str, body: &str) -> String {
    let (heading, rest) = body.split_once("</h1>\n").unwrap_or(("<h1>", body));
    format!(
        "{}<header>\n{heading}</h1>\n</header>\n{TOOLS}<main data-whole=\"yes\">\n<section id=\"page\">\n{rest}</section>\n\
         </main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        head(title)
    )
}

/// A page of any report: its own, or its tables and its text, with the date and the command that made it.
///
/// ```
/// use warpwise_lab::output::page_of;
///
/// let page = page_of(&warpwise_lab::measure::figures::index(), "warpwise bench --like list");
/// assert!(page.contains("reduce-ladder") && page.contains("warpwise bench --like list"));
/// ```
pub fn page_of<R: Report>(report: &R, command: &str) -> String {
    let own = R::VIEWS.iter().find_map(|view| if let View::Page(of) = view { Some(of(report)) } else { None });
    let tables = R::VIEWS.iter().find_map(|view| match view {
        View::Tables(of) => Some(of(report)),
        _ => None,
    });
    let records =
        || R::VIEWS.iter().find_map(|view| if let View::Records(of) = view { Some(of(report)) } else { None });
    let tables = tables.unwrap_or_else(|| records().into_iter().collect());
    own.unwrap_or_else(|| words(&tables, &report.text(Style::default()), command))
}

/// Tables, and what the report says in words.
fn words(all: &[Table], text: &str, command: &str) -> String {
    let title = format!("warpwise {}", all.first().map_or("", |first| first.title.as_str()));
    let mut body = format!(
        "<h1>{}</h1>\n<p><code>{}</code>, {}</p>\n<h2>In words</h2>\n<div class=\"wide\" role=\"region\" \
         aria-label=\"In words\" tabindex=\"0\"><pre>{}</pre></div>\n<h2>Numbers</h2>\n",
        escape(&title),
        escape(command),
        crate::pages::tour::now(),
        escape(text)
    );
    for part in all {
        let _ = writeln!(body, "<h3>{}</h3>", escape(&part.title));
        table(&mut body, part);
    }
    page(&title, &body)
}

/// A table, which may be wider than the page.
pub(crate) fn table(out: &mut String, table: &Table) {
    let class = |align| if align == Align::Right { " class=\"number\"" } else { "" };
    let label = escape(&table.title);
    let _ =
        write!(out, "<div class=\"wide\" role=\"region\" aria-label=\"{label}\" tabindex=\"0\"><table>\n<thead><tr>");
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

    #[test]
    fn a_page_has_the_words_the_numbers_and_the_command() {
        let page = words(&[Table::facts("run", [("a", "1".to_owned())])], "a < b\n", "warpwise run x.cu");
        for part in ["<pre>a &lt; b\n</pre>", "<code>warpwise run x.cu</code>", "<h3>run</h3>", "id=\"tools\""] {
            assert!(page.contains(part), "`{part}` in {page}");
        }
        assert_eq!((page.matches("<h1>").count(), page.matches("<script>").count()), (1, 1));
    }
}
