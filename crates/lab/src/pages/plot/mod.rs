//! Plots as SVG: lines over logarithmic axes, bars, rooflines, drawn without a library and readable without colours.
//!
//! A plot is part of a page or a file of its own. Text and axes take the colour of the text around them, so that it
//! suits light and dark backgrounds; titles and descriptions are for those who cannot see it.

mod axis;
mod bars;
mod curve;
mod roofline;
mod svg;

pub use bars::{Bar, BarChart, Fill};
pub use curve::Outline;
pub use roofline::{Point, Roofline};
pub use svg::{Chart, Ticks};

/// A line of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Points in order of x; both positive.
    pub points: Vec<(f64, f64)>,
}

/// Text escaped for SVG and HTML: no part of it is markup.
///
/// ```
/// assert_eq!(warpwise_lab::pages::plot::escape("<b>&\"'"), "&lt;b&gt;&amp;&quot;&#39;");
/// ```
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Control characters are not allowed in SVG at all.
            c if c.is_control() && c != '\n' && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
