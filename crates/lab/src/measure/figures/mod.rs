//! Published measurements, and the same experiments run again here.
//!
//! A figure is a table that others have published: its rows name our rung that does the same work, and the time
//! as printed by its authors. Nothing in them was measured by this project, so published and measured times have
//! columns of their own.

mod cpu;
mod estimate;
mod like;
mod render;
mod scaled;
mod table;
mod words;

pub(crate) use cpu::HERE;
pub use estimate::{Effort, Estimated, Estimator};
pub(crate) use like::NO_TIME;
pub use like::{LikeReport, LikeRow, Wish, run};
pub use table::{Entry, Figure};
pub(crate) use words::{Compared, sentences};

use crate::output::{Report, Style, Table, View};
use serde::Serialize;

/// Every figure: its name, and its table as comma-separated values under a line that names its source.
const TABLES: [(&str, &str); 11] = [
    ("reduce-ladder", include_str!("data/reduce-ladder.csv")),
    ("reduce-block-grid", include_str!("data/reduce-block-grid.csv")),
    ("reduce-surrey", include_str!("data/reduce-surrey.csv")),
    ("scan-surrey", include_str!("data/scan-surrey.csv")),
    ("histogram-surrey", include_str!("data/histogram-surrey.csv")),
    ("histogram-image", include_str!("data/histogram-image.csv")),
    ("matmul-surrey", include_str!("data/matmul-surrey.csv")),
    ("smoothing", include_str!("data/smoothing.csv")),
    ("vecadd", include_str!("data/vecadd.csv")),
    ("heat", include_str!("data/heat.csv")),
    ("radiator", include_str!("data/radiator.csv")),
];

/// Every figure.
///
/// ```
/// let figures = warpwise_lab::measure::figures::all();
/// assert!(figures.iter().any(|figure| figure.name == "reduce-ladder"));
/// ```
pub fn all() -> Vec<Figure> {
    TABLES.iter().map(|(name, text)| Figure::parse(name, text).expect("every table is read by a test")).collect()
}

/// The figures with what they show: its fields are the JSON, in order.
#[derive(Clone, Debug, Serialize)]
pub struct Index {
    /// Version of this format.
    pub schema: u32,
    /// Every figure.
    pub figures: Vec<Mention>,
}

/// A figure, in short.
#[derive(Clone, Debug, Serialize)]
pub struct Mention {
    /// Its name for `bench --like`.
    pub name: &'static str,
    /// What was published, and on which hardware it was measured.
    pub source: &'static str,
}

/// The list of figures.
pub fn index() -> Index {
    let mention = |figure: Figure| Mention { name: figure.name, source: figure.source };
    Index { schema: 1, figures: all().into_iter().map(mention).collect() }
}

impl Report for Index {
    const VIEWS: &'static [View<Self>] = &[View::Records(|index| Table::records("bench --like list", &index.figures))];

    /// One per line.
    fn text(&self, _: Style) -> String {
        let width = self.figures.iter().map(|figure| figure.name.len()).max().unwrap_or(0);
        self.figures.iter().map(|figure| format!("{:<width$}  {}\n", figure.name, figure.source)).collect()
    }
}
