//! The description of a primitive.

use super::{Case, Extent, Extents, Geometry, Parameter, Problem, RunsOn, Setting, Type, Variant, Work};
use crate::conformance::Collector;
use crate::device::Session;
use crate::{Device, Error};

/// A primitive, with everything that tools need to know about it.
///
/// ```
/// let reduce = warpwise::primitive::find("reduce")?;
/// assert_eq!(reduce.variants[0].name, "cpu-seq");
/// assert!(reduce.types.contains(&warpwise::primitive::Type::F32));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub struct Primitive {
    /// The name that the command line uses.
    pub name: &'static str,
    /// What it computes, in one sentence.
    pub about: &'static str,
    /// What its ladder teaches.
    pub lesson: &'static str,
    /// Element types; empty if it computes nothing.
    pub types: &'static [Type],
    /// The ladder: CPU variants, then GPU rungs in order.
    pub variants: &'static [Variant],
    /// The shape of its data.
    pub extents: Extents,
    /// A size at which a watched emulator shows what a rung does within about a second.
    pub watched: Extent,
    /// Choices that it offers.
    pub parameters: &'static [Parameter],
    /// Kinds of test data by name, the usual one first: those of [`Data`](super::Data), or its own.
    pub inputs: &'static [&'static str],
    /// What any implementation must move and compute.
    pub work: Work,
    /// How much longer than other primitives its variants take to verify and measure.
    pub slowness: f64,
    /// Makes test data and the reference's result; does nothing for a primitive without types.
    pub case: fn(&Problem) -> Result<Box<dyn Case>, Error>,
    /// Collects the checks of a variant for the conformance suite.
    pub(crate) checks: fn(&mut Collector<'_>),
    /// The same with more elements than 31 bits can count, if it takes them.
    pub(crate) large: fn(&mut Collector<'_>),
}

impl Primitive {
    /// The variant of that name that runs there; an error lists the valid names. `device` is what the message calls it.
    fn variant_on(&self, runs_on: RunsOn, name: &str, device: impl Fn() -> String) -> Result<&'static Variant, Error> {
        let here = || self.variants.iter().filter(|v| v.runs_on == runs_on);
        here().find(|v| v.name == name).ok_or_else(|| Error::UnknownVariant {
            primitive: self.name,
            name: name.to_owned(),
            device: device(),
            known: here().map(|v| v.name).collect::<Vec<_>>().join(", "),
        })
    }

    /// The variant of that name, wherever it runs.
    ///
    /// ```
    /// let reduce = warpwise::primitive::find("reduce")?;
    /// assert!(reduce.variant("gpu-8-shuffle").is_some());
    /// assert!(reduce.variant("gpu-99").is_none());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn variant(&self, name: &str) -> Option<&'static Variant> {
        self.variants.iter().find(|v| v.name == name)
    }

    /// The GPU rung of that name.
    ///
    /// ```
    /// let scan = warpwise::primitive::find("scan")?;
    /// assert!(scan.rung("cpu-seq").is_err());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn rung(&self, name: &str) -> Result<&'static Variant, Error> {
        self.variant_on(RunsOn::Gpu, name, || "emulator".to_owned())
    }

    /// The names of its GPU rungs, separated by commas.
    ///
    /// ```
    /// assert_eq!(warpwise::primitive::find("hello")?.rungs(), "gpu-hello");
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn rungs(&self) -> String {
        let rungs = self.variants.iter().filter(|v| v.runs_on == RunsOn::Gpu);
        rungs.map(|v| v.name).collect::<Vec<_>>().join(", ")
    }

    /// The parameter of that name.
    ///
    /// ```
    /// assert!(warpwise::primitive::find("vecadd")?.parameter("bins").is_none());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// The names of its types.
    ///
    /// ```
    /// assert_eq!(warpwise::primitive::find("matmul")?.type_names(), ["f32", "f64"]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn type_names(&self) -> Vec<&'static str> {
        self.types.iter().map(|ty| ty.name()).collect()
    }

    /// Whether it has a number of steps.
    ///
    /// ```
    /// assert!(warpwise::primitive::find("heat")?.repeats());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn repeats(&self) -> bool {
        self.parameter("iterations").is_some()
    }

    /// Whether it computes something that can be verified and timed.
    ///
    /// ```
    /// assert!(!warpwise::primitive::find("hello")?.computes());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn computes(&self) -> bool {
        !self.types.is_empty()
    }

    /// The variant of that name, or the device's best if none is named.
    pub(crate) fn choose(
        &self,
        device: &Device,
        name: Option<&str>,
        best_on_gpu: &str,
    ) -> Result<&'static Variant, Error> {
        let (runs_on, best) = if device.is_cpu() { (RunsOn::Cpu, "cpu-par") } else { (RunsOn::Gpu, best_on_gpu) };
        self.variant_on(runs_on, name.unwrap_or(best), || device.name())
    }

    /// The launch geometry of a variant: what the caller chose, or what measurements on this GPU found. A caller who
    /// chooses anything chooses everything, because tuned values belong together.
    pub(crate) fn geometry(&self, session: &Session, chosen: Geometry, variant: &str, ty: &str) -> Geometry {
        if chosen != Geometry::default() {
            return chosen;
        }
        crate::tuning::find(|| session.gpu_name(), self.name, variant, ty).unwrap_or(chosen)
    }

    /// The value of a parameter: what was chosen, or its default.
    pub(super) fn setting(&self, problem: &Problem, name: &str) -> Setting {
        let parameter = self.parameter(name).expect("a primitive asks for its own parameters");
        problem.settings.get(name).unwrap_or(parameter.default)
    }
}

impl std::fmt::Debug for Primitive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Primitive").field(&self.name).finish()
    }
}

/// Names are unique.
impl PartialEq for Primitive {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Primitive {}
