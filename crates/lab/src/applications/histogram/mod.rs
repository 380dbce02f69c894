//! `histogram`: the grey levels of a picture, the letters of a text, or the numbers of an array.

mod numbers;
mod render;

pub use numbers::{Bins, parse_range};

use super::formula::Formula;
use super::{AppError, Reading, Setup, StageTimes, Verified, milliseconds, stages};
use crate::files::{self, FileError, Grey, looks_like_picture};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;
use warpwise::Input;
use warpwise::histogram::{self, Binning, Histogram};

/// How a file is interpreted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Content {
    /// By its name and its first bytes.
    #[default]
    Guess,
    /// A picture: 256 grey levels.
    Picture,
    /// A text: lower-case letters in groups of four.
    Text,
    /// An array: equal parts of a range, or the values of bytes.
    Numbers,
}

/// What to count.
#[derive(Clone, Debug)]
pub struct Request {
    /// A picture, a text or an array.
    pub file: PathBuf,
    /// Which of them.
    pub content: Content,
    /// What is made of every grey level, byte or number first.
    pub map: Option<Formula>,
    /// Where and how.
    pub setup: Setup,
    /// The bins of an array's numbers.
    pub bins: Bins,
    /// How an array is read.
    pub input: Reading,
}

impl Request {
    /// Whether the file is an array, by what was said of it or by its name.
    fn is_array(&self) -> bool {
        let said = self.input.raw.is_some() || self.bins != Bins::default();
        match self.content {
            Content::Numbers => true,
            Content::Guess => said || files::extension(&self.file) == "npy",
            Content::Picture | Content::Text => false,
        }
    }
}

/// The counts: its fields are the JSON, in order.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Version of this format.
    pub schema: u32,
    /// The file.
    pub file: PathBuf,
    /// `value` (grey levels or bytes), `letter` or `even` (parts of a range).
    pub binning: &'static str,
    /// Where it was computed.
    pub device: String,
    /// The rung, if one was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Pixels, bytes or numbers.
    pub elements: usize,
    /// Elements that belong to a bin.
    pub counted: u64,
    /// Time of the call.
    pub time_ms: f64,
    /// Where the time went (GPU only).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stages_ms: Option<StageTimes>,
    /// The letters of each bin; omitted for grey levels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<&'static str>,
    /// The count of each bin.
    pub counts: Vec<u64>,
    /// What was made of every grey level or byte first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<String>,
    /// Where each part of a range begins, and where the last one ends; omitted for other bins.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<f64>,
    /// In how many windows the file was read, if it is larger than memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub windows: Option<usize>,
    /// The comparison with plain sequential code; omitted if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<Verified>,
    /// What was counted, in words.
    #[serde(skip)]
    pub what: &'static str,
}

impl Report {
    /// Whether nothing is known to be wrong.
    pub fn ok(&self) -> bool {
        self.verified.as_ref().is_none_or(|verified| verified.ok)
    }
}

/// The letters of each bin.
const LETTERS: [&str; 7] = ["a-d", "e-h", "i-l", "m-p", "q-t", "u-x", "y-z"];

/// Counts the contents of a file.
pub fn run(request: &Request) -> Result<Report, AppError> {
    request.setup.check("histogram", histogram::VARIANTS)?;
    if request.is_array() {
        return numbers::run(request);
    }
    let bytes = files::read(&request.file)?;
    let bad = |problem: String| FileError::Content { path: request.file.clone(), problem };
    if bytes.is_empty() {
        return Err(bad("the file is empty".into()).into());
    }
    let picture = match request.content {
        Content::Picture => true,
        Content::Text | Content::Numbers => false,
        Content::Guess => looks_like_picture(&request.file, &bytes),
    };
    let (values, binning) = match picture {
        true => (Grey::parse(&bytes).map_err(bad)?.to_bytes(), Binning::Value),
        false => (bytes, Binning::Letter),
    };
    let how = Histogram::new(binning).variant(request.setup.rung::<histogram::Rung>()?);
    let map = request.map.as_ref().map(|formula| formula.parse("--map")).transpose()?;
    let map = map.map(|expression| expression.of::<u8, u8, _>(&values)).transpose();
    let map = map.map_err(|error| AppError::flag("--map", error))?;
    let input: &dyn Input<u8> = map.as_ref().map_or(&values, |mapped| mapped);
    let device = request.setup.open()?;
    device.start_trace();
    let started = Instant::now();
    let counts = how.run(&device, input)?;
    let time_ms = milliseconds(started);
    let stages_ms = stages::take(&device)?;
    let verified = match request.setup.verify.wants(values.len() as u128) {
        true => {
            let plain = Histogram::new(binning).variant(Some("cpu-seq".parse::<histogram::Rung>()?));
            let truth = plain.run(&warpwise::Device::cpu(), input)?;
            Some(Verified::of_counts(&counts, &truth))
        }
        false => None,
    };
    Ok(Report {
        schema: 1,
        file: request.file.clone(),
        binning: binning.name(),
        device: device.name(),
        variant: request.setup.variant.clone(),
        elements: values.len(),
        counted: counts.iter().sum(),
        time_ms,
        stages_ms,
        labels: if picture { Vec::new() } else { LETTERS.to_vec() },
        counts,
        map: request.map.as_ref().map(|formula| formula.text.clone()),
        edges: Vec::new(),
        windows: None,
        verified,
        what: if picture { "pixels" } else { "bytes are lower-case letters" },
    })
}
