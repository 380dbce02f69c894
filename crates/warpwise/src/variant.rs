//! Variants: the rungs of a primitive's ladder.

/// Where a variant runs.
///
/// ```
/// use warpwise::{RunsOn, scan};
///
/// let rungs = scan::VARIANTS.iter().filter(|variant| variant.runs_on == RunsOn::Gpu);
/// assert_eq!(rungs.count(), 8);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunsOn {
    /// The cores of this machine.
    Cpu,
    /// A GPU, real or emulated.
    Gpu,
}

impl RunsOn {
    /// `cpu` or `gpu`.
    ///
    /// ```
    /// assert_eq!(warpwise::RunsOn::Gpu.name(), "gpu");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
        }
    }
}

/// One way to compute a primitive: a rung of its ladder, and the one idea it changes.
///
/// ```
/// let rung = &warpwise::reduce::VARIANTS[2];
/// assert_eq!(rung.name, "gpu-1-interleaved");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// The name that the command line uses.
    pub name: &'static str,
    /// Where it runs.
    pub runs_on: RunsOn,
    /// Its one idea.
    pub idea: &'static str,
}

impl Variant {
    /// A variant for the CPU.
    pub(crate) const fn cpu(name: &'static str, idea: &'static str) -> Self {
        Self { name, runs_on: RunsOn::Cpu, idea }
    }

    /// A variant for a GPU.
    pub(crate) const fn gpu(name: &'static str, idea: &'static str) -> Self {
        Self { name, runs_on: RunsOn::Gpu, idea }
    }
}

/// The variant of that name, or the device's best where none is named; an error lists what there is.
pub(crate) fn choose(
    primitive: &'static str,
    variants: &'static [Variant],
    device: &crate::Device,
    name: Option<&str>,
    best_on_gpu: &str,
) -> Result<&'static Variant, crate::Error> {
    let runs_on = if device.is_cpu() { RunsOn::Cpu } else { RunsOn::Gpu };
    let wanted = name.unwrap_or(if device.is_cpu() { "cpu-par" } else { best_on_gpu });
    let here = || variants.iter().filter(|v| v.runs_on == runs_on);
    here().find(|v| v.name == wanted).ok_or_else(|| crate::Error::UnknownVariant {
        primitive,
        name: wanted.to_owned(),
        device: device.name(),
        known: here().map(|v| v.name).collect::<Vec<_>>().join(", "),
    })
}
