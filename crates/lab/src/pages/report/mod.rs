//! The page of a tour: no network, everything readable without its script, on a phone, on paper, on light and dark
//! backgrounds.
//!
//! Every number on the page names its row of the results (`data-row`) and its field (`data-field`), and
//! the results are in the page, so that numbers can be traced and the page can be recreated. Measured, emulated,
//! estimated and published numbers have columns of their own, each under its badge.

mod applications;
mod cell;
mod changes;
mod figure;
mod glossary;
mod kernels;
mod ladder;
mod machine;
mod method;
mod overview;
mod published;
mod questions;
mod source;
mod summary;
mod tables;

use crate::output::Report;
use crate::pages::embedded;
use crate::pages::plot::escape;
use crate::pages::tour::Results;
use std::fmt::Write;

/// A section of the page.
struct Section {
    id: String,
    title: String,
    html: String,
}

/// The page.
pub(crate) fn to_html(results: &Results) -> String {
    let mut sections = vec![summary::section(results), overview::section(results)];
    sections.extend(results.ladders.iter().enumerate().filter_map(|(i, ladder)| ladder::section(results, ladder, i)));
    sections.extend(
        [
            kernels::section(results),
            applications::section(results),
            published::section(results),
            questions::section(results),
        ]
        .into_iter()
        .flatten(),
    );
    sections.extend([machine::section(results), method::section(results)]);
    let mut contents = String::new();
    let mut body = String::new();
    for section in &sections {
        let (id, title) = (escape(&section.id), escape(&section.title));
        let _ = writeln!(contents, "<li><a href=\"#{id}\">{title}</a></li>");
        let _ = writeln!(body, "<section id=\"{id}\">\n<h2>{title}</h2>\n{}</section>", section.html);
    }
    let page = format!(
        "{}<header>\n<h1>A tour of warpwise</h1>\n{}</header>\n{TOOLS}\
         <nav aria-labelledby=\"contents\">\n<h2 id=\"contents\">Contents</h2>\n<ol>\n{contents}</ol>\n</nav>\n\
         <main>\n{body}</main>\n",
        head("warpwise tour"),
        machine::lead(results),
    );
    let end = format!("<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    let data = embedded::element(&results.without_pictures().to_json(), page.len() + end.len());
    page + &data + &end
}

/// The beginning of a page, up to its body.
pub(crate) fn head(title: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        escape(title)
    )
}

const STYLE: &str = include_str!("style.css");
/// What the page can do beyond being read.
pub(crate) const SCRIPT: &str = include_str!("script.js");
/// Where the script puts its search and its buttons; not there without it.
pub(crate) const TOOLS: &str = "<div id=\"tools\" role=\"search\" aria-label=\"This page\" hidden></div>\n";

#[cfg(test)]
mod tests;
