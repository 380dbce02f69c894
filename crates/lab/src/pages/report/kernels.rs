//! Kernels line by line: a heat map over the source.

use super::Section;
use super::cell::{Origin, count, from, traced};
use super::glossary::heading;
use crate::output::number::article;
use crate::output::number::significant;
use crate::pages::plot::escape;
use crate::pages::tour::{IdealMeasure, KernelMap, Results, SourceLine};
use std::fmt::Write;

/// The section; none if no kernel was examined.
pub(super) fn section(results: &Results) -> Option<Section> {
    if results.kernels.is_empty() {
        return None;
    }
    let mut html = String::from(
        "<p>The emulator knows which line of the source each instruction belongs to. The bar beside a line is its \
         share of all instructions that warps executed; lanes are how many of 32 were active on average; sectors, \
         conflicts and divergent branches are where memory and control flow cost extra. <code>warpwise explain</code> \
         does this for any kernel, including yours.</p>\n",
    );
    for kernel in &results.kernels {
        one(&mut html, kernel);
    }
    Some(Section { id: "lines".into(), title: "Kernels, line by line".into(), html })
}

fn one(html: &mut String, kernel: &KernelMap) {
    let name = format!("{} {}", kernel.primitive, kernel.variant);
    let _ = writeln!(
        html,
        "<h3>{}</h3>\n<p>{}. Kernel <code>{}</code>, {}, {}.</p>",
        escape(&name),
        escape(&capital(&kernel.idea)),
        escape(&kernel.kernel),
        escape(&kernel.ty),
        escape(&kernel.size)
    );
    heat(html, kernel, &name);
    if !kernel.causes.is_empty() {
        html.push_str("<h4>What costs most</h4>\n<ol class=\"causes\">\n");
        for cause in &kernel.causes {
            let (what, rest) = cause.sentence.split_once(": ").unwrap_or(("", &cause.sentence));
            let _ = writeln!(
                html,
                "<li>{}{} <em>Try:</em> {}</li>",
                if what.is_empty() { String::new() } else { format!("<strong>{}.</strong> ", escape(what)) },
                escape(&capital(rest)),
                escape(&cause.remedy)
            );
        }
        let _ = writeln!(
            html,
            "</ol>\n<p class=\"aside\">Shares of the time are estimates from a model of {} {} and the \
             counters; causes overlap, so they do not add up.</p>",
            article(&kernel.gpu),
            escape(&kernel.gpu.to_uppercase())
        );
    }
    ideals(html, &kernel.measures);
}

/// The source with what each line did.
fn heat(html: &mut String, kernel: &KernelMap, name: &str) {
    let caption = format!("{name}: what each line did");
    let [instructions, lanes, sectors, conflicts, divergent] =
        ["instructions", "lanes", "sectors", "conflicts", "divergent"].map(heading);
    let _ = write!(
        html,
        "<div class=\"wide\" role=\"region\" aria-label=\"{0}\" tabindex=\"0\"><table class=\"heat emulated\">\n\
         <caption>{0} {1}</caption>\n<thead><tr>\
         <th scope=\"col\" class=\"number\">{instructions}</th><th scope=\"col\" class=\"number\">{lanes}</th>\
         <th scope=\"col\" class=\"number\">{sectors}</th><th scope=\"col\" class=\"number\">{conflicts}</th>\
         <th scope=\"col\" class=\"number\">{divergent}</th><th scope=\"col\" class=\"number\">line</th>\
         <th scope=\"col\">source</th></tr></thead>\n<tbody>\n",
        escape(&caption),
        Origin::Emulated.badge()
    );
    let mut last = None;
    for line in &kernel.lines {
        if last.is_some_and(|last: u32| line.line > last + 1) {
            html.push_str("<tr class=\"gap\"><td colspan=\"7\">⋯</td></tr>\n");
        }
        last = Some(line.line);
        row(html, line);
    }
    html.push_str("</tbody></table></div>\n");
}

fn row(html: &mut String, line: &SourceLine) {
    let id = escape(&line.id);
    match &line.work {
        None => {
            let _ = write!(html, "<tr id=\"{id}\" class=\"idle\"><td colspan=\"5\"></td>");
        }
        Some(work) => {
            let percent = work.instructions_percent.clamp(0.0, 100.0);
            let level = if percent >= 25.0 {
                3
            } else if percent >= 10.0 {
                2
            } else {
                u8::from(percent >= 3.0)
            };
            let labelled = |cell: String, label: &str| cell.replacen("<td", &format!("<td data-label=\"{label}\""), 1);
            let amount = |n: u64, field: &str, label: &str| match n {
                0 => "<td class=\"number\"></td>".to_owned(),
                n => labelled(traced("td", &line.id, field, &count(n)), label),
            };
            let _ = write!(
                html,
                "<tr id=\"{id}\" class=\"level{level}\"><td class=\"number bar\"{}><span class=\"fill\" \
                 style=\"width:{percent:.1}%\"></span><span class=\"value\">{percent:.1}%</span></td>{}{}{}{}",
                from(&line.id, "instructions_percent"),
                labelled(traced("td", &line.id, "lanes", &format!("{:.1}", work.lanes)), "lanes"),
                amount(work.sectors, "sectors", "sectors"),
                amount(work.conflicts, "conflicts", "conflicts"),
                amount(work.divergent_branches, "divergent_branches", "divergent"),
            );
        }
    }
    let _ = writeln!(
        html,
        "<td class=\"number line\">{}</td><td class=\"code\"><code>{}</code></td></tr>",
        line.line,
        escape(&line.text)
    );
}

/// Counters beside the ideal.
fn ideals(html: &mut String, measures: &[IdealMeasure]) {
    if measures.is_empty() {
        return;
    }
    let _ = write!(
        html,
        "<details><summary>Counters beside the ideal</summary>\n<div class=\"wide\"><table class=\"emulated\">\n\
         <caption>{}</caption>\n<thead><tr><th scope=\"col\">counter</th><th scope=\"col\" class=\"number\">counted</th>\
         <th scope=\"col\" class=\"number\">ideal</th></tr></thead>\n<tbody>\n",
        Origin::Emulated.badge()
    );
    let shown = |x: f64| if x >= 1000.0 && x.fract() == 0.0 { count(x as u64) } else { plain(x) };
    for m in measures {
        let unit = escape(&m.unit);
        let value = traced("td", &m.id, "value", &format!("{}{unit}", shown(m.value)));
        let ideal =
            m.ideal.map_or_else(super::cell::nothing, |x| traced("td", &m.id, "ideal", &format!("{}{unit}", shown(x))));
        let _ = writeln!(
            html,
            "<tr id=\"{}\"><th scope=\"row\">{}</th>{value}{ideal}</tr>",
            escape(&m.id),
            escape(&m.name)
        );
    }
    html.push_str("</tbody></table></div></details>\n");
}

fn plain(x: f64) -> String {
    if x.fract() == 0.0 { format!("{x:.0}") } else { significant(x) }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
