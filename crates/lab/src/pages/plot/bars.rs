//! Bars, one below the other: of one part each, or of several.

use super::escape;
use std::fmt::Write;

/// How bars are filled, so that the kind of a number is visible without colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fill {
    /// Measured.
    #[default]
    Solid,
    /// Emulated.
    Hatched,
    /// Published.
    Hollow,
}

/// A bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Its name.
    pub name: String,
    /// The lengths of its parts.
    pub parts: Vec<f64>,
    /// The text at its end.
    pub label: String,
}

/// Bars over one scale that begins at 0.
///
/// ```
/// use warpwise_lab::pages::plot::{Bar, BarChart};
///
/// let bars = vec![Bar { name: "cpu-par".into(), parts: vec![2.0], label: "2.0x".into() }];
/// let chart = BarChart { id: "b1".into(), title: "speed-up".into(), bars, ..BarChart::default() };
/// assert!(chart.to_svg().contains("<title id=\"b1-title\">speed-up</title>"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarChart {
    /// Unique in the page.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// The names of the parts, if bars have several.
    pub parts: Vec<String>,
    /// The bars.
    pub bars: Vec<Bar>,
    /// How they are filled.
    pub fill: Fill,
}

const WIDTH: f64 = 440.0;
/// Minimum and maximum width of the names.
const NAMES: (f64, f64) = (84.0, 232.0);
/// Maximum width of a letter.
const LETTER: f64 = 7.4;
/// Width of the labels.
const RIGHT: f64 = 92.0;
const TOP: f64 = 34.0;
const STEP: f64 = 26.0;
const THICK: f64 = 16.0;
/// Colours of the parts of a bar, which people with any kind of colour vision can distinguish.
const COLOURS: [&str; 5] =
    ["var(--c8,#7f7f7f)", "var(--c5,#56b4e9)", "var(--c1,#0072b2)", "var(--c6,#e69f00)", "var(--c7,#8c6d31)"];

impl BarChart {
    /// The chart as an SVG element.
    pub fn to_svg(&self) -> String {
        let left = self.left();
        let most = self.bars.iter().map(Bar::total).filter(|x| x.is_finite()).fold(f64::MIN_POSITIVE, f64::max);
        let legend = if self.parts.is_empty() { 0.0 } else { 30.0 };
        let height = TOP + STEP * self.bars.len() as f64 + legend + 6.0;
        let mut out = String::new();
        let id = escape(&self.id);
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
             aria-labelledby=\"{id}-title {id}-words\" font-family=\"system-ui, sans-serif\" font-size=\"13\" \
             fill=\"currentColor\">\n<title id=\"{id}-title\">{}</title>\n<desc id=\"{id}-words\">{}</desc>\n\
             <text x=\"0\" y=\"18\" font-size=\"15\" font-weight=\"600\">{}</text>\n",
            escape(&self.title),
            escape(&self.words()),
            escape(&self.title),
        );
        if self.fill == Fill::Hatched {
            let _ = writeln!(
                out,
                "<defs><pattern id=\"{id}-hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" \
                 patternTransform=\"rotate(45)\"><path d=\"M0 0V6\" style=\"stroke:var(--c1,#0072b2)\" stroke-width=\"5\"/></pattern></defs>"
            );
        }
        // Bars of one part all look the same, which is said once.
        let same = self.parts.is_empty();
        let mut marks = String::new();
        for (i, bar) in self.bars.iter().enumerate() {
            let y = TOP + STEP * i as f64;
            let base = y + THICK - 3.5;
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{base:.1}\" text-anchor=\"end\">{}</text>",
                left - 8.0,
                escape(&short(&bar.name))
            );
            let mut x = left;
            for (k, part) in bar.parts.iter().enumerate() {
                let length = (part / most * (WIDTH - left - RIGHT)).max(0.0);
                let length = if length.is_finite() { length.max(1.0) } else { 1.0 };
                let paint = if same { String::new() } else { format!(" {}", self.paint(&id, k)) };
                let _ = writeln!(
                    marks,
                    "<rect class=\"mark\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{length:.1}\" height=\"{THICK}\"{paint}>\
                     <title>{}</title></rect>",
                    escape(&self.words_of(bar, k))
                );
                x += length;
            }
            let _ = writeln!(out, "<text x=\"{:.1}\" y=\"{base:.1}\">{}</text>", x + 6.0, escape(&bar.label));
        }
        match same {
            true => drop(writeln!(out, "<g {}>\n{marks}</g>", self.paint(&id, 0))),
            false => out += &marks,
        }
        let mut x = 0.0;
        for (k, name) in self.parts.iter().enumerate() {
            let y = height - 14.0;
            let paint = self.paint(&id, k);
            let _ = writeln!(
                out,
                "<rect x=\"{x:.1}\" y=\"{}\" width=\"12\" height=\"12\" {paint}/><text x=\"{:.1}\" y=\"{y}\">{}</text>",
                y - 10.0,
                x + 17.0,
                escape(name)
            );
            x += 17.0 + LETTER * name.chars().count() as f64 + 14.0;
        }
        out + "</svg>\n"
    }

    /// Width of the longest name.
    fn left(&self) -> f64 {
        let longest = self.bars.iter().map(|bar| bar.name.chars().count()).max().unwrap_or(0);
        (LETTER * longest as f64 + 12.0).clamp(NAMES.0, NAMES.1)
    }

    fn paint(&self, id: &str, part: usize) -> String {
        match self.fill {
            Fill::Solid if self.parts.is_empty() => "style=\"fill:var(--c1,#0072b2)\"".into(),
            Fill::Solid => format!("style=\"fill:{}\"", COLOURS[part % COLOURS.len()]),
            Fill::Hatched => format!("fill=\"url(#{id}-hatch)\" style=\"stroke:var(--c1,#0072b2)\""),
            Fill::Hollow => {
                "fill=\"none\" style=\"stroke:var(--c2,#d55e00)\" stroke-width=\"2\" stroke-dasharray=\"4 2\"".into()
            }
        }
    }

    fn words_of(&self, bar: &Bar, part: usize) -> String {
        match self.parts.get(part) {
            Some(name) => format!("{}, {name}: {}", bar.name, bar.parts[part]),
            None => format!("{}: {}", bar.name, bar.label),
        }
    }

    /// What the chart shows, in words.
    fn words(&self) -> String {
        let bars: Vec<String> = self.bars.iter().map(|bar| format!("{}: {}.", bar.name, bar.label)).collect();
        bars.join(" ")
    }
}

/// A name, shortened to fit; the bar's title has the full name.
fn short(name: &str) -> String {
    const MOST: usize = 33;
    if name.chars().count() <= MOST { name.to_owned() } else { name.chars().take(MOST - 1).chain(['…']).collect() }
}

impl Bar {
    fn total(&self) -> f64 {
        self.parts.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(fill: Fill, parts: &[&str]) -> BarChart {
        let bar = |name: &str, value: f64| Bar {
            name: name.into(),
            parts: vec![value; parts.len().max(1)],
            label: format!("{value}x"),
        };
        let bars = vec![bar("<b>", 1.0), bar("gpu", 4.0)];
        let parts = parts.iter().map(|&name| name.into()).collect();
        BarChart { id: "c".into(), title: "t".into(), parts, bars, fill }
    }

    #[test]
    fn bars_are_in_proportion() {
        let svg = chart(Fill::Solid, &[]).to_svg();
        assert_eq!(svg.matches("class=\"mark\"").count(), 2);
        assert!(svg.contains("width=\"66.0\"") && svg.contains("width=\"264.0\""), "{svg}");
        assert!(svg.contains("&lt;b&gt;: 1x. gpu: 4x.") && !svg.contains("<b>"));
        assert!(chart(Fill::Solid, &["up", "down"]).to_svg().contains("gpu, down: 4"));
    }

    #[test]
    fn what_is_not_measured_looks_different() {
        assert!(chart(Fill::Hatched, &[]).to_svg().contains("fill=\"url(#c-hatch)\""));
        assert!(chart(Fill::Hollow, &[]).to_svg().contains("fill=\"none\""));
        let odd = BarChart {
            bars: vec![Bar { name: "x".into(), parts: vec![f64::NAN], label: "?".into() }],
            ..chart(Fill::Solid, &[])
        };
        assert!(!odd.to_svg().contains("NaN") && !BarChart::default().to_svg().contains("NaN"));
    }
}
