//! What was measured, in the format that other programs read.

use super::{DeviceFacts, HostFacts};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version of the format.
pub const SCHEMA: u32 = 1;

/// The report: its fields are the JSON, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Version of this format.
    pub schema: u32,
    /// The machine.
    #[serde(default)]
    pub host: HostFacts,
    /// The device, or the first of them.
    #[serde(default)]
    pub device: DeviceFacts,
    /// Every device, if there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceFacts>,
    /// Whether the user interrupted the run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// What was measured.
    pub results: Vec<Row>,
    /// What could not be measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<Refusal>,
    /// Number of configurations that were skipped for lack of time.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// What identifies a configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Configuration {
    /// The primitive.
    pub primitive: String,
    /// The variant.
    pub variant: String,
    /// The device.
    pub device: String,
    /// Element type.
    #[serde(rename = "type")]
    pub ty: String,
    /// The length, or the side of square matrices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<u64>,
    /// Rows of an image or a grid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// Columns of an image or a grid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cols: Option<u64>,
    /// Steps of a simulation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u64>,
    /// The test data.
    #[serde(default)]
    pub input: String,
    /// The operator of reduce and scan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub op: Option<String>,
    /// What finishes a reduction, if it is not the GPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<String>,
    /// Bins of histogram.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bins: Option<u64>,
    /// Threads per block, if chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<u32>,
    /// Blocks, if chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<u32>,
    /// Elements per thread, if chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<u32>,
    /// Other parameters of the primitive.
    #[serde(flatten)]
    pub settings: Map<String, Value>,
}

/// The result of a configuration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Which one it is.
    #[serde(flatten)]
    pub configuration: Configuration,
    /// Whether it agrees with the reference.
    pub ok: bool,
    /// The largest error seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_error: Option<f64>,
    /// What was compared, if it was not everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared: Option<String>,
    /// What is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether it ran on the emulator: then counters are meaningful, and times are not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub emulated: bool,
    /// How many samples were taken.
    #[serde(default)]
    pub samples: u64,
    /// Calls per sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls_per_sample: Option<u32>,
    /// Samples that were far slower than most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slow_outliers: Option<u64>,
    /// What ended the sampling: `noise`, `time limit`, `interrupted`, `emulated`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<String>,
    /// The median of the samples: kernels on a GPU, the call on the CPU, the emulator's own time if emulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median_ms: Option<f64>,
    /// The spread of the samples, in per cent of the median.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise_pct: Option<f64>,
    /// Time by stage of a call from host memory to host memory.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub stages_ms: Map<String, Value>,
    /// Bytes that must be moved, divided by the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gb_per_s: Option<f64>,
    /// Operations that must be done, divided by the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gflop_per_s: Option<f64>,
    /// Elements divided by the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elements_per_s: Option<f64>,
    /// Percentage of the bandwidth of a copy on the same device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent_of_copy: Option<f64>,
    /// The baseline's time divided by this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speedup: Option<f64>,
    /// Estimated microseconds of the kernels and their launches on a GPU that was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_us: Option<f64>,
    /// The GPU of the estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_gpu: Option<String>,
    /// What the emulator counted.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub counters: Map<String, Value>,
}

/// A configuration that a variant or a device does not accept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    /// Which one it is.
    #[serde(flatten)]
    pub configuration: Configuration,
    /// Why.
    pub reason: String,
}

impl Configuration {
    /// `2^24`, `1000x2000`.
    pub fn size(&self) -> String {
        match (self.n, self.rows, self.cols) {
            (Some(n), ..) => warpwise::primitive::count(n.try_into().unwrap_or(usize::MAX)),
            (None, Some(rows), Some(cols)) => format!("{rows}x{cols}"),
            _ => String::new(),
        }
    }

    /// The value on the axis of a plot over its size.
    pub(crate) fn axis(&self) -> &'static str {
        axis(&self.primitive)
    }

    /// Number of elements.
    pub fn elements(&self) -> u64 {
        self.n.unwrap_or_else(|| self.rows.unwrap_or(1).saturating_mul(self.cols.unwrap_or(1)))
    }

    /// Whether two differ only in the variant, the device and how kernels are launched.
    pub fn same_problem(&self, other: &Self) -> bool {
        let bare = |c: &Self| Self {
            variant: String::new(),
            device: String::new(),
            block: None,
            grid: None,
            items: None,
            finish: None,
            ..c.clone()
        };
        bare(self) == bare(other)
    }
}

impl Row {
    /// Its value of a counter.
    pub fn counter(&self, name: &str) -> Option<u64> {
        self.counters.get(name).and_then(Value::as_u64)
    }
}

impl Report {
    /// Whether everything computed is right.
    pub fn ok(&self) -> bool {
        self.results.iter().all(|row| row.ok)
    }

    /// Adds the results of another measurement on the same devices.
    pub fn append(&mut self, other: Self) {
        self.interrupted |= other.interrupted;
        self.results.extend(other.results);
        self.refused.extend(other.refused);
        self.left_out += other.left_out;
    }

    /// Compares every measured row with the baseline's of the same problem.
    pub(crate) fn add_speedups(&mut self, baseline: &str) {
        let times: Vec<(Configuration, f64)> = self
            .results
            .iter()
            .filter(|row| row.configuration.variant == baseline && !row.emulated)
            .filter_map(|row| row.median_ms.map(|ms| (row.configuration.clone(), ms)))
            .collect();
        for row in self.results.iter_mut().filter(|row| !row.emulated) {
            let same = times.iter().find(|(c, _)| c.same_problem(&row.configuration));
            row.speedup = same.zip(row.median_ms).map(|((_, base), ms)| tidy(base / ms));
        }
    }
}

/// The label of the size axis of a plot.
pub(crate) fn axis(primitive: &str) -> &'static str {
    warpwise::primitive::find(primitive).map_or("elements", |primitive| primitive.extents.axis())
}

/// Seven digits: more than any measurement has.
pub(crate) fn tidy(value: f64) -> f64 {
    format!("{value:.6e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Report as _;

    fn row(variant: &str, n: u64, ms: f64) -> Row {
        let configuration = Configuration {
            primitive: "reduce".into(),
            variant: variant.into(),
            device: "cpu".into(),
            ty: "f32".into(),
            n: Some(n),
            input: "random".into(),
            ..Configuration::default()
        };
        Row { configuration, ok: true, median_ms: Some(ms), ..Row::default() }
    }

    #[test]
    fn speedups_are_by_problem() {
        let results =
            vec![row("cpu-seq", 8, 6.0), row("cpu-par", 8, 2.0), row("cpu-par", 16, 2.0), row("cpu-seq", 16, 1.0)];
        let mut report = Report { results, ..empty() };
        report.add_speedups("cpu-seq");
        let found: Vec<_> = report.results.iter().map(|row| row.speedup).collect();
        assert_eq!(found, [Some(1.0), Some(3.0), Some(0.5), Some(1.0)]);
    }

    #[test]
    fn emulated_rows_have_no_speedup() {
        let mut emulated = row("gpu-1", 8, 1.0);
        emulated.emulated = true;
        let mut report = Report { results: vec![row("cpu-seq", 8, 2.0), emulated], ..empty() };
        report.add_speedups("cpu-seq");
        assert_eq!(report.results[1].speedup, None);
        report.add_speedups("gpu-1");
        assert_eq!(report.results[0].speedup, None);
    }

    #[test]
    fn the_form_goes_there_and_back() {
        let report = Report { results: vec![row("cpu-seq", 8, 6.0)], ..empty() };
        let text = report.to_json();
        let start = r#""results":[{"primitive":"reduce","variant":"cpu-seq","device":"cpu","type":"f32","n":8,"#;
        assert!(text.contains(start), "{text}");
        assert!(!text.contains("null"), "{text}");
        assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
    }

    fn empty() -> Report {
        Report {
            schema: SCHEMA,
            host: HostFacts::default(),
            device: DeviceFacts::default(),
            devices: Vec::new(),
            interrupted: false,
            results: Vec::new(),
            refused: Vec::new(),
            left_out: 0,
        }
    }
}
