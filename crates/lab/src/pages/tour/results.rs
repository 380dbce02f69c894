//! The results of a tour, in the format that pages are made from and that other programs read.
//!
//! Everything that has a number has an `id` that is unique in the whole file: a page names it with every number it
//! shows.

use crate::measure::bench::{DeviceFacts, HostFacts, Refusal, Row};
use crate::measure::figures::Estimated;
use crate::output::{Report, Style, Table, View};
use crate::pages::report;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version of the format.
pub const SCHEMA: u32 = 1;
/// The kind of the results, so that others are not mistaken for them.
pub const KIND: &str = "tour";

/// All results of a tour.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Results {
    /// Version of this format.
    pub schema: u32,
    /// `tour`.
    pub kind: String,
    /// Whether it was the quick tour.
    pub quick: bool,
    /// Whether the user interrupted it.
    pub interrupted: bool,
    /// How long it took.
    pub seconds: f64,
    /// When it began: `2026-11-16 13:05 UTC`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub date: String,
    /// The command that made it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// The machine.
    pub host: HostFacts,
    /// The devices.
    pub devices: Vec<DeviceFacts>,
    /// The primitives with their variants, in order.
    pub ladders: Vec<Ladder>,
    /// What was measured and counted.
    pub rows: Vec<TourRow>,
    /// What variants or devices did not accept.
    pub refused: Vec<Refusal>,
    /// Kernels line by line.
    pub kernels: Vec<KernelMap>,
    /// Heat on a cylinder, as pictures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heat: Option<HeatRun>,
    /// A picture that was smoothed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smoothing: Option<Smoothing>,
    /// What others have published.
    pub figures: Vec<FigureTable>,
    /// What could not be done, and why.
    pub notes: Vec<String>,
}

/// A primitive and its variants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ladder {
    /// The primitive.
    pub primitive: String,
    /// Its variants, in order.
    pub rungs: Vec<Rung>,
}

/// A variant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rung {
    /// Its name.
    pub name: String,
    /// Its one idea.
    pub idea: String,
}

/// A row of a measurement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TourRow {
    /// Its id in the page.
    pub id: String,
    /// Whether it repeats a published figure, and is not part of a ladder.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub figure: bool,
    /// The result.
    #[serde(flatten)]
    pub row: Row,
}

/// A kernel's source with what each line did, counted on the emulator.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KernelMap {
    /// Its id in the page.
    pub id: String,
    /// The primitive.
    pub primitive: String,
    /// The rung.
    pub variant: String,
    /// Element type.
    #[serde(rename = "type")]
    pub ty: String,
    /// `n = 65536`.
    pub size: String,
    /// The rung's idea.
    pub idea: String,
    /// The kernel.
    pub kernel: String,
    /// The GPU on whose properties the estimates are based.
    pub gpu: String,
    /// Counters beside the ideal.
    pub measures: Vec<IdealMeasure>,
    /// The source, line by line; lines that did nothing are included as context.
    pub lines: Vec<SourceLine>,
    /// What costs most, in words.
    pub causes: Vec<Cause>,
}

/// A number beside its ideal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IdealMeasure {
    /// Its id in the page.
    pub id: String,
    /// Its name.
    pub name: String,
    /// As counted.
    pub value: f64,
    /// The ideal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ideal: Option<f64>,
    /// `%`, or nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
}

/// A line of a source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SourceLine {
    /// Its id in the page.
    pub id: String,
    /// The line.
    pub line: u32,
    /// Its text.
    pub text: String,
    /// What it did; omitted if it did nothing.
    #[serde(flatten)]
    pub work: Option<LineWork>,
}

/// What a line did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LineWork {
    /// Its share of all warp instructions.
    pub instructions_percent: f64,
    /// Lanes that were active on average.
    pub lanes: f64,
    /// Sectors of global memory.
    pub sectors: u64,
    /// Bank conflicts.
    pub conflicts: u64,
    /// Divergent branches.
    pub divergent_branches: u64,
}

/// Something that costs time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    /// What happens.
    pub sentence: String,
    /// What usually helps.
    pub remedy: String,
}

/// Heat on a cylinder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeatRun {
    /// Where it was computed.
    pub device: String,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// The cylinder over time.
    pub frames: Vec<Frame>,
}

/// The cylinder at a moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Its id in the page.
    pub id: String,
    /// Steps so far.
    pub iterations: usize,
    /// The lowest temperature.
    pub lowest: f64,
    /// The highest temperature.
    pub highest: f64,
    /// The largest change of a cell in the last step; omitted before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_difference: Option<f64>,
    /// The picture: a PNG file in base64.
    pub png: String,
}

/// A picture before and after smoothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Smoothing {
    /// Where it was computed.
    pub device: String,
    /// Whether it agrees with the reference.
    pub ok: bool,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Before.
    pub before: Shot,
    /// After.
    pub after: Shot,
}

/// A picture with its grey levels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shot {
    /// Its id in the page.
    pub id: String,
    /// How many of the 256 levels occur.
    pub levels: u64,
    /// Pixels of the most common level.
    pub commonest: u64,
    /// Pixels of each level.
    pub counts: Vec<u64>,
    /// The picture: a PNG file in base64.
    pub png: String,
}

/// A published table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FigureTable {
    /// Its name for `bench --like`.
    pub name: String,
    /// What was measured, and on which hardware.
    pub source: String,
    /// Its rows.
    pub entries: Vec<Published>,
    /// The GPU that times are estimated for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub gpu: String,
    /// Whether that GPU is assumed, because the table names none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assumed: bool,
    /// What the comparison says, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub says: Vec<String>,
}

/// A published time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// Its id in the page.
    pub id: String,
    /// The primitive.
    pub primitive: String,
    /// Our variant that does the same work.
    pub variant: String,
    /// Element type.
    #[serde(rename = "type")]
    pub ty: String,
    /// `2^20`, `1000x1000`.
    pub size: String,
    /// Elements, or the side of square matrices.
    pub elements: u64,
    /// The authors' name for it.
    pub published_as: String,
    /// The time as published.
    pub published_ms: f64,
    /// The row that was measured here for the same experiment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<String>,
    /// Everything else that was published of it, by name.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub published: Map<String, Value>,
    /// What was counted, and the time that is estimated from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated: Option<Estimated>,
    /// Why it does not run, there and here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fails: Option<String>,
}

impl Results {
    /// Whether everything computed is right.
    pub fn ok(&self) -> bool {
        self.rows.iter().all(|row| row.row.ok) && self.smoothing.as_ref().is_none_or(|s| s.ok)
    }

    /// The results without their pictures, for a page, which shows them.
    pub(crate) fn without_pictures(&self) -> Self {
        let mut results = self.clone();
        results.pictures_mut().into_iter().for_each(|(_, png)| png.clear());
        results
    }

    /// Every picture with its id.
    pub(super) fn pictures_mut(&mut self) -> Vec<(&str, &mut String)> {
        let frames = self.heat.iter_mut().flat_map(|heat| &mut heat.frames).map(|frame| (&*frame.id, &mut frame.png));
        let shots = self.smoothing.iter_mut().flat_map(|s| [&mut s.before, &mut s.after]);
        frames.chain(shots.map(|shot| (&*shot.id, &mut shot.png))).collect()
    }

    /// A device, by its name.
    pub fn device(&self, name: &str) -> Option<&DeviceFacts> {
        self.devices.iter().find(|device| device.name == name)
    }
}

impl Report for Results {
    const VIEWS: &'static [View<Self>] =
        &[View::Records(|results| Table::records("tour", &results.rows)), View::Page(report::to_html)];

    /// How much ran, and whether it is right.
    fn text(&self, _: Style) -> String {
        let wrong = self.rows.iter().filter(|row| !row.row.ok).count();
        let verdict = if self.ok() { "all agree with the reference".into() } else { format!("{wrong} are wrong") };
        let what = if self.rows.len() == 1 { "configuration" } else { "configurations" };
        format!("{} {what} in {:.0} s, {verdict}\n", self.rows.len(), self.seconds)
    }
}
