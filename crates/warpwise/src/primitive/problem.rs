//! What is computed, regardless of the variant.

use super::{Data, Extent, Primitive, Setting, Settings, Type, Variant};

/// A problem: everything but the variant and the device.
///
/// ```
/// use warpwise::primitive::{Extent, Problem, Settings, Type, find};
///
/// let reduce = find("reduce")?;
/// let extent = Extent::Length(1 << 20);
/// let problem = Problem { primitive: reduce, ty: Type::F32, extent, input: "random", settings: Settings::default() };
/// assert_eq!(problem.label(), "f32, n = 2^20");
/// assert_eq!(problem.word("op"), "sum");
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The primitive.
    pub primitive: &'static Primitive,
    /// Element type, one of the primitive's.
    pub ty: Type,
    /// How large it is.
    pub extent: Extent,
    /// What operands are filled with, one of the primitive's inputs.
    pub input: &'static str,
    /// Choices.
    pub settings: Settings,
}

impl Problem {
    /// Elements of one operand; 0 if the number overflows, which plans refuse.
    ///
    /// ```
    /// use warpwise::primitive::{Problem, find};
    ///
    /// assert_eq!(Problem::usual(find("matmul")?).elements(), 1024 * 1024);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn elements(&self) -> usize {
        self.extent.elements().unwrap_or(0)
    }

    /// The problem that is measured by default.
    ///
    /// ```
    /// use warpwise::primitive::{Problem, find};
    ///
    /// assert_eq!(Problem::usual(find("scan")?).label(), "i32, n = 2^24");
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn usual(primitive: &'static Primitive) -> Self {
        Self {
            primitive,
            ty: primitive.types.first().copied().unwrap_or(Type::U32),
            extent: primitive.extents.usual(false),
            input: primitive.inputs.first().copied().unwrap_or("none"),
            settings: Settings::default(),
        }
    }

    /// The problem that a variant is watched on by default.
    ///
    /// ```
    /// use warpwise::primitive::{Problem, find};
    ///
    /// let scan = find("scan")?;
    /// let one_block = scan.variant("gpu-3-blelloch").expect("it has one");
    /// assert_eq!(Problem::watched(scan, one_block).label(), "i32, n = 2^10");
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn watched(primitive: &'static Primitive, variant: &Variant) -> Self {
        let extent = variant.one_block.map_or(primitive.watched, |most| primitive.extents.of(most));
        let choices = primitive.parameters.iter().filter(|parameter| parameter.watched != parameter.default);
        let settings = choices.fold(Settings::default(), |all, parameter| all.with(parameter.name, parameter.watched));
        Self { extent, settings, ..Self::usual(primitive) }
    }

    /// The kind of data that its input names; random if it is not one of [`Data`].
    pub(crate) fn data(&self) -> Data {
        Data::parse(self.input).unwrap_or_default()
    }

    /// A parameter that is a number: what was chosen, or its default.
    ///
    /// ```
    /// use warpwise::primitive::{Problem, find};
    ///
    /// assert_eq!(Problem::usual(find("histogram")?).number("bins"), 256);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn number(&self, name: &str) -> usize {
        match self.primitive.setting(self, name) {
            Setting::Number(number) => usize::try_from(number).unwrap_or(usize::MAX),
            Setting::Word(word) => unreachable!("{name} is a word, {word}"),
        }
    }

    /// A parameter that is a word: what was chosen, or its default.
    ///
    /// ```
    /// use warpwise::primitive::{Problem, find};
    ///
    /// assert_eq!(Problem::usual(find("reduce")?).word("finish"), "gpu");
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn word(&self, name: &str) -> &'static str {
        match self.primitive.setting(self, name) {
            Setting::Word(word) => word,
            Setting::Number(number) => unreachable!("{name} is a number, {number}"),
        }
    }

    /// Steps of a simulation; 1 for anything else.
    ///
    /// ```
    /// use warpwise::primitive::{Problem, find};
    ///
    /// assert_eq!(Problem::usual(find("vecadd")?).steps(), 1);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn steps(&self) -> usize {
        if self.primitive.repeats() { self.number("iterations") } else { 1 }
    }

    /// `f32, n = 2^20`, `f64, 1000x1000`.
    ///
    /// ```
    /// use warpwise::primitive::{Problem, find};
    ///
    /// assert_eq!(Problem::usual(find("heat")?).label(), "f64, 2048x2048");
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn label(&self) -> String {
        let n = if matches!(self.extent, Extent::Plane { .. }) { "" } else { "n = " };
        format!("{}, {n}{}", self.ty, self.extent)
    }

    /// The iterations that a reference can compute in reasonable time, and what to say if these are not all.
    pub(crate) fn compared_steps(&self) -> (usize, Option<String>) {
        /// The most cell updates that a reference computes.
        const MOST_UPDATES: usize = 1 << 28;
        let steps = self.steps();
        let compared = (MOST_UPDATES / self.elements().max(1)).clamp(1, steps.max(1));
        (compared, (compared < steps).then(|| format!("{compared} of {steps} iterations")))
    }
}
