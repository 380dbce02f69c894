//! A roofline: how fast something computes, over how much it computes for each byte that it must move.
//!
//! Nothing can be faster than memory delivers its bytes (the slope), or than the machine computes (the flat part).

use super::axis::Axis;
use super::escape;
use super::svg::power_of_ten;
use crate::output::number::significant;
use std::fmt::Write;

/// Something under the roof.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// What it is.
    pub name: String,
    /// Operations per byte.
    pub intensity: f64,
    /// Billions of operations per second.
    pub rate: f64,
}

/// A roof with what is under it.
///
/// ```
/// use warpwise_lab::pages::plot::{Point, Roofline};
///
/// let points = vec![Point { name: "scan".into(), intensity: 0.125, rate: 1.0 }];
/// let plot = Roofline { id: "r".into(), title: "roofline".into(), bandwidth: 20.0, peak: 100.0, points };
/// assert!(plot.to_svg().contains("1 scan"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Roofline {
    /// Unique in the page.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// Gigabytes per second of a copy.
    pub bandwidth: f64,
    /// The height of the flat part, in billions of operations per second.
    pub peak: f64,
    /// What is under the roof.
    pub points: Vec<Point>,
}

const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 310.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;

impl Roofline {
    /// The plot as an SVG element.
    pub fn to_svg(&self) -> String {
        let drawn: Vec<&Point> = self.points.iter().filter(|p| p.intensity > 0.0 && p.rate > 0.0).collect();
        let ridge = self.peak / self.bandwidth;
        let has_roof = ridge.is_finite() && ridge > 0.0;
        let corner = has_roof.then_some((ridge, self.peak));
        let x = Axis::new(10.0, drawn.iter().map(|p| p.intensity).chain(corner.map(|c| c.0)));
        let y = Axis::new(10.0, drawn.iter().map(|p| p.rate).chain(corner.map(|c| c.1)));
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        let at_x = |value: f64| LEFT + x.place(value) * (right - LEFT);
        let at_y = |value: f64| bottom - y.place(value) * (bottom - TOP);
        let height = HEIGHT + 20.0 * drawn.len().div_ceil(3) as f64;
        let (id, title) = (escape(&self.id), escape(&self.title));
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
             aria-labelledby=\"{id}-title {id}-words\" font-family=\"system-ui, sans-serif\" font-size=\"13\" \
             fill=\"currentColor\">\n<title id=\"{id}-title\">{title}</title>\n<desc id=\"{id}-words\">{}</desc>\n\
             <text x=\"0\" y=\"18\" font-size=\"15\" font-weight=\"600\">{title}</text>\n",
            escape(&self.words())
        );
        let grid = "stroke=\"currentColor\" stroke-opacity=\".15\"";
        for tick in x.ticks() {
            let at = at_x(tick);
            let _ = writeln!(
                out,
                "<path d=\"M{at:.1} {TOP}V{bottom}\" {grid}/>\
                 <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                bottom + 18.0,
                power_of_ten(tick)
            );
        }
        for tick in y.ticks() {
            let at = at_y(tick);
            let _ = writeln!(
                out,
                "<path d=\"M{LEFT} {at:.1}H{right}\" {grid}/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 8.0,
                at + 4.0,
                power_of_ten(tick)
            );
        }
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">operations per byte</text>\
             <text x=\"14\" y=\"{2}\" text-anchor=\"middle\" transform=\"rotate(-90 14 {2})\">GFLOP/s</text>",
            (LEFT + right) / 2.0,
            HEIGHT - 12.0,
            (TOP + bottom) / 2.0
        );
        if has_roof {
            // The slope begins where the plot does: at its left or at its bottom.
            let low = x.low().max(y.low() / self.bandwidth);
            let _ = writeln!(
                out,
                "<path d=\"M{:.1} {:.1}L{:.1} {:.1}H{right}\" fill=\"none\" style=\"stroke:var(--c2,#d55e00)\" stroke-width=\"2\"/>",
                at_x(low),
                at_y(low * self.bandwidth),
                at_x(ridge),
                at_y(self.peak)
            );
        }
        for (i, point) in drawn.iter().enumerate() {
            let (px, py) = (at_x(point.intensity), at_y(point.rate));
            let name = escape(&point.name);
            let _ = writeln!(
                out,
                "<circle class=\"mark\" cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"9\" fill=\"#0072b2\">\
                 <title>{name}: {} GFLOP/s at {} operations per byte</title></circle>\
                 <text x=\"{px:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"12\" fill=\"#fff\" \
                 pointer-events=\"none\">{}</text>\
                 <text x=\"{:.1}\" y=\"{:.1}\">{} {name}</text>",
                significant(point.rate),
                significant(point.intensity),
                py + 4.5,
                i + 1,
                LEFT + (right - LEFT) / 3.0 * (i % 3) as f64,
                HEIGHT + 10.0 + 20.0 * (i / 3) as f64,
                i + 1
            );
        }
        out + "</svg>\n"
    }

    /// What the plot shows, in words.
    fn words(&self) -> String {
        let (bandwidth, peak) = (significant(self.bandwidth), significant(self.peak));
        let mut text = format!("A copy moves {bandwidth} GB/s; the flat part is at {peak} GFLOP/s.");
        for point in &self.points {
            let (rate, intensity) = (significant(point.rate), significant(point.intensity));
            let _ = write!(text, " {}: {rate} GFLOP/s at {intensity} operations per byte.", point.name);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_lie_under_the_roof() {
        let point = |name: &str, intensity, rate| Point { name: name.into(), intensity, rate };
        let points = vec![point("a", 0.1, 2.0), point("<b>", 10.0, 100.0), point("none", 0.0, 1.0)];
        let plot = Roofline { id: "r".into(), title: "t".into(), bandwidth: 20.0, peak: 100.0, points };
        let svg = plot.to_svg();
        assert_eq!(svg.matches("<circle").count(), 2, "points without a position are omitted");
        assert!(svg.contains("stroke:var(--c2,#d55e00)") && !svg.contains("NaN") && !svg.contains("<b>"), "{svg}");
        assert!(!Roofline::default().to_svg().contains("NaN"), "no copy, no roof");
    }
}
