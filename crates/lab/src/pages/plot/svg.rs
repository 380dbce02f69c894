//! Drawing a chart.

use super::axis::Axis;
use super::bars::Fill;
use super::{Series, escape};
use crate::output::number::raised;
use std::fmt::Write;

/// The labels of the powers of ten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ticks {
    /// The number.
    #[default]
    Numbers,
    /// A time, given in milliseconds.
    Times,
}

/// A chart of lines over logarithmic axes; x in powers of two, y in powers of ten.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// What x is.
    pub x: String,
    /// What y is, with its unit.
    pub y: String,
    /// The labels of the y axis.
    pub ticks: Ticks,
    /// How points are filled.
    pub fill: Fill,
    /// The lines.
    pub series: Vec<Series>,
}

const LEFT: f64 = 70.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;

/// The available space, and where the legend goes.
#[derive(Clone, Copy)]
struct Layout {
    width: f64,
    height: f64,
    /// Width to the right of the plot.
    right: f64,
    /// Whether the legend is below the plot, not beside it.
    below: bool,
}

/// For a page or a file of its own.
const WIDE: Layout = Layout { width: 720.0, height: 420.0, right: 200.0, below: false };
/// For a narrow column, and so for phones.
const NARROW: Layout = Layout { width: 440.0, height: 290.0, right: 14.0, below: true };

/// Colours that people with any kind of colour vision can distinguish (Okabe and Ito).
/// A page may use others on a dark background.
const COLOURS: [&str; 8] = [
    "var(--c1,#0072b2)",
    "var(--c2,#d55e00)",
    "var(--c3,#009e73)",
    "var(--c4,#cc79a7)",
    "var(--c5,#56b4e9)",
    "var(--c6,#e69f00)",
    "var(--c7,#8c6d31)",
    "var(--c8,#7f7f7f)",
];
/// Dashes, for those who see no colours.
const DASHES: [&str; 4] = ["", "6 3", "2 3", "8 3 2 3"];

impl Chart {
    /// The chart as an SVG element, for a page or a file.
    ///
    /// ```
    /// use warpwise_lab::pages::plot::{Chart, Series};
    ///
    /// let line = Series { name: "cpu-par".into(), points: vec![(1024.0, 0.1), (2048.0, 0.2)] };
    /// let chart = Chart { title: "reduce".into(), x: "n".into(), y: "ms".into(), series: vec![line], ..Chart::default() };
    /// assert!(chart.to_svg().contains("<title>reduce</title>"));
    /// ```
    pub fn to_svg(&self) -> String {
        self.draw(WIDE)
    }

    /// The chart for a narrow column, with its legend below.
    pub fn to_narrow_svg(&self) -> String {
        self.draw(NARROW)
    }

    fn draw(&self, layout: Layout) -> String {
        // Two names per line of the legend, if they are short enough.
        let per_line = if self.series.iter().any(|s| s.name.chars().count() > 21) { 1 } else { 2 };
        let legend_height = if layout.below { 22.0 * self.series.len().div_ceil(per_line) as f64 } else { 0.0 };
        let (width, height) = (layout.width, layout.height);
        let total = height + legend_height;
        let title_x = if layout.below { 0.0 } else { LEFT };
        let points = || self.series.iter().flat_map(|s| &s.points).filter(|(x, y)| *x > 0.0 && *y > 0.0);
        let x = Axis::new(2.0, points().map(|p| p.0));
        let y = Axis::new(10.0, points().map(|p| p.1));
        let (right, bottom) = (width - layout.right, height - BOTTOM);
        let at_x = |value: f64| LEFT + x.place(value) * (right - LEFT);
        let at_y = |value: f64| bottom - y.place(value) * (bottom - TOP);
        let mut out = String::new();
        // For scripts of a page that redraw it: the area of the plot, and the unit of values.
        let unit = if self.ticks == Ticks::Times { " data-unit=\"ms\"" } else { "" };
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {total}\" role=\"img\" \
             data-area=\"{LEFT} {TOP} {right} {bottom}\"{unit} \
             font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"currentColor\">\n\
             <title>{}</title>\n<desc>{}</desc>\n\
             <text x=\"{title_x}\" y=\"22\" font-size=\"15\" font-weight=\"600\">{}</text>\n",
            escape(&self.title),
            escape(&self.description()),
            escape(&self.title),
        );
        let mut rules = String::new();
        let [mut below, mut beside] = [String::new(), String::new()];
        for tick in x.ticks() {
            let at = at_x(tick);
            let _ = write!(rules, "M{} {TOP}V{bottom}", place(at));
            let _ = writeln!(below, "<text x=\"{}\" y=\"{}\">{}</text>", place(at), bottom + 18.0, power_of_two(tick));
        }
        for tick in y.ticks() {
            let at = at_y(tick);
            let _ = write!(rules, "M{LEFT} {}H{right}", place(at));
            let _ = writeln!(beside, "<text x=\"{}\" y=\"{}\">{}</text>", LEFT - 8.0, place(at + 4.0), self.tick(tick));
        }
        let _ = writeln!(
            out,
            "<g class=\"ticks\">\n<path d=\"{rules}\" stroke=\"currentColor\" stroke-opacity=\".15\"/>\n\
             <g text-anchor=\"middle\">\n{below}</g>\n<g text-anchor=\"end\">\n{beside}</g>\n</g>"
        );
        let middle = (LEFT + right) / 2.0;
        let _ = writeln!(
            out,
            "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            height - 12.0,
            escape(&self.x)
        );
        // Ticks with units already show that they are times.
        if self.ticks == Ticks::Numbers {
            let _ = writeln!(
                out,
                "<text x=\"16\" y=\"{0}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {0})\">{1}</text>",
                (TOP + bottom) / 2.0,
                escape(&self.y)
            );
        }
        for (i, series) in self.series.iter().enumerate() {
            let (colour, dash) = (COLOURS[i % COLOURS.len()], DASHES[(i / COLOURS.len()) % DASHES.len()]);
            let drawn = series.points.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0);
            let places: Vec<(f64, f64)> = drawn.map(|&(x, y)| (at_x(x), at_y(y))).collect();
            line(&mut out, (i, series), &places, colour, (dash, self.fill, self.ticks));
            let place = if layout.below {
                (LEFT + (right - LEFT) / 2.0 * (i % per_line) as f64, height + 6.0 + 22.0 * (i / per_line) as f64)
            } else {
                (right + 16.0, TOP + 8.0 + 20.0 * i as f64)
            };
            legend(&mut out, &series.name, place, colour, dash);
        }
        out + "</svg>\n"
    }

    fn tick(&self, value: f64) -> String {
        match self.ticks {
            Ticks::Numbers => power_of_ten(value),
            Ticks::Times => {
                let power = value.log10().round() as i32;
                let (unit, zero) = match power {
                    3.. => ("s", 3),
                    0..3 => ("ms", 0),
                    -3..0 => ("µs", -3),
                    _ => ("ns", -6),
                };
                format!("{} {unit}", power_of_ten(10_f64.powi(power - zero)))
            }
        }
    }

    /// What the chart shows, in words.
    fn description(&self) -> String {
        let mut text = format!("{} against {}, both axes logarithmic.", self.y, self.x);
        for series in &self.series {
            if let (Some(first), Some(last)) = (series.points.first(), series.points.last()) {
                let _ = write!(
                    text,
                    " {}: {} at {} to {} at {}.",
                    series.name,
                    short(first.1),
                    first.0,
                    short(last.1),
                    last.0
                );
            }
        }
        text
    }
}

fn line(
    out: &mut String,
    (number, series): (usize, &Series),
    places: &[(f64, f64)],
    colour: &str,
    (dash, fill, ticks): (&str, Fill, Ticks),
) {
    let path: Vec<String> = places.iter().map(|(x, y)| format!("{} {}", place(*x), place(*y))).collect();
    if path.len() > 1 {
        let dashes = if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
        let _ = writeln!(
            out,
            "<path data-line=\"{number}\" d=\"M{}\" fill=\"none\" style=\"stroke:{colour}\" stroke-width=\"2\"{dashes}/>",
            path.join("L")
        );
    }
    let name = escape(&series.name);
    let paint = match fill {
        Fill::Solid | Fill::Hatched => format!("fill:{colour}"),
        Fill::Hollow => format!("fill:var(--ground,#fff);stroke:{colour}"),
    };
    let _ = writeln!(out, "<g data-of=\"{number}\" style=\"{paint}\">");
    for ((x, y), (n, value)) in places.iter().zip(series.points.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0)) {
        let _ = writeln!(
            out,
            "<circle cx=\"{}\" cy=\"{}\" r=\"3\" data-y=\"{}\"><title>{name}: {} at {n}</title></circle>",
            place(*x),
            place(*y),
            short(*value),
            shown(*value, ticks)
        );
    }
    out.push_str("</g>\n");
}

/// A value beside its point: a time in its unit, or the number.
fn shown(value: f64, ticks: Ticks) -> String {
    match ticks {
        Ticks::Times => crate::output::number::duration(value / 1e3),
        Ticks::Numbers => short(value),
    }
}

/// A number to four significant digits.
fn short(value: f64) -> String {
    format!("{value:.3e}").parse::<f64>().unwrap_or(value).to_string()
}

/// A coordinate to a tenth of a pixel.
fn place(value: f64) -> String {
    ((value * 10.0).round() / 10.0).to_string()
}

fn legend(out: &mut String, name: &str, (x, y): (f64, f64), colour: &str, dash: &str) {
    let dashes = if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
    let _ = writeln!(
        out,
        "<path d=\"M{x} {y}h22\" style=\"stroke:{colour}\" stroke-width=\"2\"{dashes}/>\
         <text x=\"{}\" y=\"{}\">{}</text>",
        x + 28.0,
        y + 4.0,
        escape(name)
    );
}

/// `1024` as `2^10`, with a raised exponent.
fn power_of_two(value: f64) -> String {
    if value < 1024.0 { format!("{value}") } else { raised(&format!("2^{}", value.log2().round() as i32)) }
}

/// Small powers as they are, others with a raised exponent.
pub(super) fn power_of_ten(value: f64) -> String {
    let power = value.log10().round() as i32;
    if (-3..=4).contains(&power) { format!("{}", (value * 1e6).round() / 1e6) } else { raised(&format!("10^{power}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(name: &str) -> Chart {
        let series = |name: &str, times: [f64; 3]| Series {
            name: name.into(),
            points: [1024.0, 2048.0, 4096.0].into_iter().zip(times).collect(),
        };
        Chart {
            title: "reduce f32".into(),
            x: "n".into(),
            y: "time in ms".into(),
            series: vec![series("cpu-seq", [0.1, 0.2, 0.4]), series(name, [0.05, 0.06, 0.0])],
            ..Chart::default()
        }
    }

    #[test]
    fn lines_points_and_words() {
        let svg = chart("cpu-par").to_svg();
        assert_eq!(svg.matches("<circle").count(), 5, "what is not positive has no place");
        assert_eq!(svg.matches("stroke-width=\"2\"").count(), 4, "two lines and their legend");
        for part in ["<title>reduce f32</title>", "time in ms against n", "cpu-seq: 0.1 at 1024 to 0.4 at 4096"] {
            assert!(svg.contains(part), "`{part}` in:\n{svg}");
        }
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn numbers_are_short() {
        let of = [0.0, 1.186_559, 4_194_304.0, 0.000_123_456, 10.0].map(short);
        assert_eq!(of, ["0", "1.187", "4194000", "0.0001235", "10"]);
        assert_eq!([70.0, 120.857].map(place), ["70", "120.9"]);
    }

    #[test]
    fn times_have_their_units() {
        let svg = Chart { ticks: Ticks::Times, ..chart("cpu-par") }.to_svg();
        for tick in [">10 µs<", ">100 µs<", ">1 ms<"] {
            assert!(svg.contains(tick), "{tick}: {svg}");
        }
        let times: Vec<String> = [1e-6, 1e-3, 1.0, 1e3, 1e5]
            .iter()
            .map(|&ms| Chart { ticks: Ticks::Times, ..Chart::default() }.tick(ms))
            .collect();
        assert_eq!(times, ["1 ns", "1 µs", "1 ms", "1 s", "100 s"]);
    }

    #[test]
    fn names_are_no_markup() {
        let svg = chart("</svg><script>alert(1)</script>").to_svg();
        assert!(!svg.contains("<script"), "{svg}");
        assert_eq!(svg.matches("</svg>").count(), 1);
    }

    #[test]
    fn an_empty_chart_is_a_chart() {
        let svg = Chart { series: Vec::new(), ..chart("x") }.to_svg();
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"));
    }
}
