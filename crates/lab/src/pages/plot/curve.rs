//! A filled outline over even steps: the shape of a histogram.

use super::escape;
use std::fmt::Write;

/// A filled outline.
///
/// ```
/// let outline = warpwise_lab::pages::plot::Outline { id: "o".into(), title: "levels".into(), values: vec![1.0, 3.0] };
/// assert!(outline.to_svg().contains("<title id=\"o-title\">levels</title>"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    /// Unique in the page.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// Heights, from left to right.
    pub values: Vec<f64>,
}

const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 110.0;

impl Outline {
    /// The outline as an SVG element.
    pub fn to_svg(&self) -> String {
        let most = self.values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let step = WIDTH / self.values.len().max(1) as f64;
        let mut path = format!("M0 {HEIGHT}");
        for (i, value) in self.values.iter().enumerate() {
            let _ = write!(path, "V{:.1}H{:.1}", HEIGHT * (1.0 - value / most), step * (i + 1) as f64);
        }
        let (id, title) = (escape(&self.id), escape(&self.title));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {}\" role=\"img\" \
             aria-labelledby=\"{id}-title\" font-family=\"system-ui, sans-serif\" font-size=\"13\" \
             fill=\"currentColor\">\n<title id=\"{id}-title\">{title}</title>\n\
             <path class=\"mark\" d=\"{path}V{HEIGHT}Z\" style=\"fill:var(--c1,#0072b2)\"/>\n\
             <text x=\"0\" y=\"{1}\">black</text><text x=\"{WIDTH}\" y=\"{1}\" text-anchor=\"end\">white</text>\n</svg>\n",
            HEIGHT + 22.0,
            HEIGHT + 17.0
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_reaches_the_top() {
        let svg = Outline { id: "o".into(), title: "<t>".into(), values: vec![1.0, 2.0] }.to_svg();
        assert!(svg.contains("M0 110V55.0H220.0V0.0H440.0V110Z"), "{svg}");
        assert!(svg.contains("&lt;t&gt;") && !Outline::default().to_svg().contains("NaN"));
    }
}
