//! What an explanation says: its fields are the JSON, in order.

use super::subject::Subject;
use crate::kernels::counters::CounterTable;
use serde::Serialize;
use warpwise_gpu::Gpu;
use warpwise_model::{Bound, Estimate, Machine, Moved};

/// Why a kernel takes its time.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// Version of this format.
    pub schema: u32,
    /// What was explained.
    #[serde(flatten)]
    pub target: Target,
    /// The GPU on whose properties the estimate is based.
    pub gpu: String,
    /// Total number of launches.
    pub launches: usize,
    /// Estimated microseconds of all launches on that GPU, with launch overhead.
    pub estimated_us: f64,
    /// What costs most, in the order of the report.
    pub diagnoses: Vec<Diagnosis>,
    /// Everything that was found to cost time, with its estimated share, in the same order.
    pub causes: Vec<CauseReport>,
    /// Every kernel that was launched.
    pub kernels: Vec<KernelReport>,
    /// What holds the costliest kernel; omitted if it was not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// What it takes to bring managed memory to the GPU, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub managed: Option<Managed>,
    /// The data of the kernel, if it is known.
    #[serde(skip)]
    pub data: Option<Moved>,
    /// Elements of a rung's data; unknown for the user's own kernel.
    #[serde(skip)]
    pub elements: Option<u64>,
    /// Remarks for the user.
    #[serde(skip)]
    pub notes: Vec<String>,
    /// Whether text shows every line that was executed, not only the hot ones.
    #[serde(skip)]
    pub all_lines: bool,
}

/// Managed memory that the host has filled, on its way to the GPU. The time of the kernel comes after it, or is in it
/// where threads fault on pages.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Managed {
    /// Bytes of all arrays.
    pub bytes: u64,
    /// Arrays.
    pub arrays: u64,
    /// Whether pages come when threads fault on them; else arrays come whole, before the kernel.
    pub faults: bool,
    /// Estimated microseconds.
    pub estimated_us: f64,
}

impl Explanation {
    /// With what it takes to bring the data to the GPU if it lies in managed memory; nothing is added if the data or the
    /// GPU is not known.
    ///
    /// ```
    /// use warpwise_lab::RungRequest;
    /// use warpwise_lab::kernels::explain::{Request, explain};
    ///
    /// let request = RungRequest {
    ///     primitive: "vecadd".into(),
    ///     variant: "gpu-grid".into(),
    ///     n: Some(1000),
    ///     size: None,
    ///     element: None,
    ///     gpu: "gtx-970".into(),
    ///     geometry: Default::default(),
    ///     input: None,
    ///     settings: Default::default(),
    /// };
    /// let explanation = explain(&Request::Rung(Box::new(request)))?.with_managed_memory();
    /// let managed = explanation.managed.unwrap();
    /// assert_eq!((managed.bytes, managed.arrays, managed.faults), (12_000, 3, false));
    /// # Ok::<(), warpwise_lab::kernels::explain::ExplainError>(())
    /// ```
    pub fn with_managed_memory(self) -> Self {
        let managed = self.data.zip(Gpu::named(&self.gpu)).map(|(data, gpu)| {
            let machine = Machine::of(&gpu);
            Managed {
                bytes: data.bytes as u64,
                arrays: data.arrays as u64,
                faults: machine.faults,
                estimated_us: super::kernel::round(1e6 * machine.managed(data)),
            }
        });
        Self { managed, ..self }
    }
}

/// What was explained: a rung, or the user's own kernel.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Target {
    /// A rung.
    Rung {
        /// The primitive.
        primitive: &'static str,
        /// The rung.
        variant: &'static str,
        /// Element type.
        #[serde(rename = "type")]
        element: &'static str,
        /// `n = 1048576`, `512 x 512`.
        size: String,
        /// The rung's idea.
        idea: &'static str,
    },
    /// A kernel of a file.
    File {
        /// The file, as given.
        file: String,
        /// The kernel.
        kernel: String,
    },
}

impl Target {
    /// In short: `reduce gpu-2-strided`, or `sum` of a file.
    pub fn name(&self) -> String {
        match self {
            Self::Rung { primitive, variant, .. } => format!("{primitive} {variant}"),
            Self::File { kernel, .. } => kernel.clone(),
        }
    }
}

/// Something that costs time, in words.
#[derive(Clone, Debug, Serialize)]
pub struct Diagnosis {
    /// Its subject.
    pub subject: Subject,
    /// The kernel.
    pub kernel: String,
    /// Its estimated share of the time of all kernels; for a limit, the share that it takes.
    pub estimated_percent: f64,
    /// What happens, with the number that shows it.
    pub sentence: String,
    /// What usually helps.
    pub remedy: String,
    /// Where it happens, the costliest line first.
    pub places: Vec<Place>,
}

/// Something that costs time, in short.
#[derive(Clone, Debug, Serialize)]
pub struct CauseReport {
    /// Its subject.
    pub subject: Subject,
    /// The kernel.
    pub kernel: String,
    /// Its estimated share of the time. Causes overlap, so these do not add up.
    pub estimated_percent: f64,
}

/// A line of the source.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
}

/// A kernel.
#[derive(Clone, Debug, Serialize)]
pub struct KernelReport {
    /// Its name.
    pub kernel: String,
    /// How often it was launched.
    pub launches: usize,
    /// Blocks of its largest launch.
    pub grid: [u32; 3],
    /// Threads per block.
    pub block: [u32; 3],
    /// Shared memory of a block.
    pub shared_bytes: u32,
    /// What was counted in all launches.
    pub counters: CounterTable,
    /// The counters that matter, beside the ideal.
    pub measures: Vec<Measure>,
    /// The estimate.
    pub estimated: EstimateReport,
    /// What each line did.
    pub lines: Vec<LineReport>,
    /// The estimate of the largest launch, with the figures that head a profiler's report; omitted if it was not
    /// recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub figures: Option<Estimate>,
}

/// A number beside its ideal.
#[derive(Clone, Debug, Serialize)]
pub struct Measure {
    /// Its name.
    pub name: &'static str,
    /// As counted.
    pub value: f64,
    /// The ideal value; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ideal: Option<f64>,
    /// `%`, or nothing.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub unit: &'static str,
}

/// Estimated microseconds by what they go to; parts overlap, so they do not add up.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct EstimateReport {
    /// All launches of the kernel, without launch overhead.
    pub us: f64,
    /// The largest launch; the parts are those of this launch.
    pub largest_launch_us: f64,
    /// Issuing instructions, or the units that execute them.
    pub issue_us: f64,
    /// Passes through shared memory.
    pub shared_us: f64,
    /// Passes added by bank conflicts.
    pub conflicts_us: f64,
    /// Lanes that wait for each other in atomics.
    pub atomics_us: f64,
    /// Moving bytes.
    pub memory_us: f64,
    /// Waiting for results, when no other warp fills the time.
    pub latency_us: f64,
}

/// What a line of the source did.
#[derive(Clone, Debug, Serialize)]
pub struct LineReport {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// Its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
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
