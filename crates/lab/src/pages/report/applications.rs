//! The applications as pictures.

use super::Section;
use super::cell::{Origin, count, traced};
use super::figure::figure;
use crate::output::number::significant;
use crate::pages::plot::{Outline, escape};
use crate::pages::tour::{HeatRun, Results, Shot, Smoothing};
use std::fmt::Write;

/// The section; none if there are no pictures.
pub(super) fn section(results: &Results) -> Option<Section> {
    let mut html = String::new();
    if let Some(run) = results.heat.as_ref().filter(|run| !run.frames.is_empty()) {
        heat(&mut html, run);
    }
    if let Some(smoothing) = &results.smoothing {
        smooth(&mut html, smoothing);
    }
    (!html.is_empty()).then(|| Section {
        id: "applications".into(),
        title: "Two applications, in pictures".into(),
        html,
    })
}

fn heat(html: &mut String, run: &HeatRun) {
    let _ = write!(
        html,
        "<h3>Heat on a cylinder</h3>\n<p>A ring and two discs at 100 degrees on a cold background, {} rows of {} \
         cells, computed on {}. The left and right edges are joined: heat that leaves on one side comes back on the \
         other. The wall in the middle hardly changes. <code>warpwise heat</code> does this with your own \
         pictures.</p>\n<div class=\"frames\">\n",
        run.rows,
        run.columns,
        escape(&run.device)
    );
    for frame in &run.frames {
        let alt = format!(
            "Temperatures after {} steps: from {:.1} to {:.1} degrees, dark is cold and light is hot.",
            frame.iterations, frame.lowest, frame.highest
        );
        let _ = writeln!(
            html,
            "<figure id=\"{}\"><img src=\"data:image/png;base64,{}\" width=\"{}\" height=\"{}\" alt=\"{}\">\
             <figcaption>{} steps: {} to {} degrees</figcaption></figure>",
            escape(&frame.id),
            escape(&frame.png),
            2 * run.columns,
            2 * run.rows,
            escape(&alt),
            traced("span", &frame.id, "iterations", &frame.iterations.to_string()),
            traced("span", &frame.id, "lowest", &format!("{:.1}", frame.lowest)),
            traced("span", &frame.id, "highest", &format!("{:.1}", frame.highest)),
        );
    }
    html.push_str("</div>\n");
}

fn smooth(html: &mut String, s: &Smoothing) {
    let verdict = if s.ok { "agrees with the reference" } else { "does <strong>not</strong> agree with the reference" };
    let _ = write!(
        html,
        "<h3>A picture, smoothed</h3>\n<p>A drawn landscape with the grain of a poor camera, {} x {} pixels, through \
         the 5 x 5 filter, computed on {}: the result {verdict}. Below each picture, how many pixels have each grey \
         level: the grain spreads the few tones of the drawing, and smoothing brings them together again. \
         <code>warpwise smooth</code> and <code>warpwise histogram</code> do this with your own pictures.</p>\n<div \
         class=\"side\">\n",
        s.columns,
        s.rows,
        escape(&s.device)
    );
    for (shot, when) in [(&s.before, "before"), (&s.after, "after")] {
        picture(html, s, shot, when);
    }
    html.push_str("</div>\n");
}

fn picture(html: &mut String, s: &Smoothing, shot: &Shot, when: &str) {
    let _ = write!(
        html,
        "<div id=\"{}\">\n<figure><img src=\"data:image/png;base64,{}\" width=\"{}\" height=\"{}\" \
         alt=\"A drawn landscape with hills and a sun, {when} smoothing.\"><figcaption>{when} smoothing</figcaption></figure>\n",
        escape(&shot.id),
        escape(&shot.png),
        2 * s.columns,
        2 * s.rows
    );
    #[allow(clippy::cast_precision_loss, reason = "heights in a picture")]
    let values: Vec<f64> = shot.counts.iter().map(|&n| n as f64).collect();
    let share =
        if values.is_empty() { 0.0 } else { 100.0 * shot.commonest as f64 / values.iter().sum::<f64>().max(1.0) };
    let outline = Outline { id: format!("{}-levels", shot.id), title: format!("Grey levels {when} smoothing"), values };
    let caption = format!(
        "{} grey levels {when} smoothing; the most common one has {} pixels, {} % of all.",
        traced("span", &shot.id, "levels", &count(shot.levels)),
        traced("span", &shot.id, "commonest", &count(shot.commonest)),
        significant(share)
    );
    html.push_str(&figure(&[&shot.id], &outline.to_svg(), &caption, Origin::Measured));
    html.push_str("</div>\n");
}
