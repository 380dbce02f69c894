//! Variants: the rungs of a primitive's ladder.

use super::{PRIMITIVES, Takes};

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
/// assert_eq!((rung.name, rung.number), ("gpu-1-interleaved", 1));
/// assert_eq!(rung.teaches, "warp divergence");
/// assert!(rung.takes.block && !rung.takes.items);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// The name that the command line uses.
    pub name: &'static str,
    /// Its place on the ladder, from its name: 7 in `gpu-7-multi-add`; 0 if the name has no number.
    pub number: u32,
    /// Where it runs.
    pub runs_on: RunsOn,
    /// Its one idea.
    pub idea: &'static str,
    /// What it teaches, in the words of the field.
    pub teaches: &'static str,
    /// The launch geometry that it accepts.
    pub takes: Takes,
    /// The most elements that it takes, if one block does all the work.
    pub one_block: Option<usize>,
    /// Shown line by line in a tour: the size in a quick one, and in a full one.
    pub shown: Option<(u64, u64)>,
    /// Why some of its kernels may give other bits on another device or in another run.
    pub free: Option<Free>,
}

impl Variant {
    /// A variant for the CPU.
    pub(crate) const fn cpu(name: &'static str, idea: &'static str) -> Self {
        Self::new(name, RunsOn::Cpu, idea)
    }

    /// A variant for a GPU.
    pub(crate) const fn gpu(name: &'static str, idea: &'static str) -> Self {
        Self::new(name, RunsOn::Gpu, idea)
    }

    const fn new(name: &'static str, runs_on: RunsOn, idea: &'static str) -> Self {
        let takes = Takes::NOTHING;
        Self { name, number: number(name), runs_on, idea, teaches: "", takes, one_block: None, shown: None, free: None }
    }

    /// Sets what it teaches.
    pub(crate) const fn teaches(self, teaches: &'static str) -> Self {
        Self { teaches, ..self }
    }

    /// Sets the launch geometry that it accepts.
    pub(crate) const fn takes(self, takes: Takes) -> Self {
        Self { takes, ..self }
    }

    /// One block does all the work, on at most that many elements.
    pub(crate) const fn one_block(self, most: usize) -> Self {
        Self { one_block: Some(most), ..self }
    }

    /// A tour shows it line by line, at these sizes.
    pub(crate) const fn shown(self, quick: u64, full: u64) -> Self {
        Self { shown: Some((quick, full)), ..self }
    }

    /// Its kernels may give other bits on another device or in another run.
    pub(crate) const fn free(self, free: Free) -> Self {
        Self { free: Some(free), ..self }
    }

    /// Its part in the names of its kernels: `7_multi_add`.
    ///
    /// ```
    /// assert_eq!(warpwise::reduce::VARIANTS[2].stem(), "1_interleaved");
    /// ```
    pub fn stem(&self) -> String {
        self.name.trim_start_matches("gpu-").replace('-', "_")
    }
}

/// Why kernels may give other bits on another device or in another run, and which ones.
///
/// ```
/// use warpwise::primitive::why_free;
///
/// assert!(why_free("scan_7_look_back_inclusive_sum_f32").is_some());
/// assert!(why_free("scan_7_look_back_inclusive_sum_i32").is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Free {
    /// The reason.
    pub why: &'static str,
    /// Kernels with one of these in their names; all of the variant's where there are none.
    pub kernels: &'static [&'static str],
    /// Except kernels with one of these in their names.
    pub except: &'static [&'static str],
}

/// Why a kernel of the library may give other bits on another device or in another run; `None` where it may not.
///
/// ```
/// assert_eq!(warpwise::primitive::why_free("vecadd_grid_f32"), None);
/// ```
pub fn why_free(kernel: &str) -> Option<&'static str> {
    let has = |parts: &[&str]| parts.iter().any(|part| kernel.contains(part));
    let mut rungs = PRIMITIVES.iter().flat_map(|primitive| primitive.variants.iter().map(move |v| (primitive.name, v)));
    rungs.find_map(|(primitive, variant)| {
        let free = variant.free?;
        let own = kernel.starts_with(&format!("{primitive}_{}", variant.stem()));
        (own && (free.kernels.is_empty() || has(free.kernels)) && !has(free.except)).then_some(free.why)
    })
}

/// The number after the first dash of a name.
const fn number(name: &str) -> u32 {
    let bytes = name.as_bytes();
    let mut at = 0;
    while at < bytes.len() && bytes[at] != b'-' {
        at += 1;
    }
    let mut number = 0;
    at += 1;
    while at < bytes.len() && bytes[at].is_ascii_digit() {
        number = number * 10 + (bytes[at] - b'0') as u32;
        at += 1;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PRIMITIVES;

    #[test]
    fn numbers_are_read_from_names() {
        for (name, expected) in
            [("gpu-1-naive", 1), ("gpu-11-fixed-tree", 11), ("gpu-vec4", 0), ("cpu-seq", 0), ("x", 0)]
        {
            assert_eq!(number(name), expected, "{name}");
        }
    }

    #[test]
    fn every_rung_teaches_something() {
        for primitive in PRIMITIVES {
            for variant in primitive.variants.iter().filter(|v| v.runs_on == RunsOn::Gpu) {
                assert!(!variant.teaches.is_empty(), "{} {}", primitive.name, variant.name);
            }
        }
    }
}
