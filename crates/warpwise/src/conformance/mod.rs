//! The conformance suite: written once, run on every device.
//!
//! A [`Check`] is one variant of one primitive on one input. It computes on a device, computes the reference, and
//! compares: integers must be equal; the error of a float is `|x - reference| / max(|reference|, 1)` and must stay
//! within the tolerance; elements picked by min and max must be equal, down to the sign of a zero. Inputs are random,
//! from a seed that is part of the check, so a failure can be repeated. What many checks share is compiled once for each
//! type (`#[inline(never)]`): they are a good part of the program.
//!
//! ```
//! use warpwise::Device;
//! use warpwise::conformance::{Plan, checks};
//!
//! let device = Device::cpu();
//! let plan = Plan { primitives: vec!["reduce".into()], ..Plan::default() };
//! let first = &checks(&device, &plan)?[0];
//! assert!(first.run(&device).passed());
//! # Ok::<(), warpwise::Error>(())
//! ```

mod compare;
#[cfg(feature = "gpu")]
mod device;
pub(crate) mod large;
mod functions;
mod placed;

#[cfg(test)]
pub(crate) use compare::tolerance;
pub use compare::{Mismatch, Verdict, equal, picked, within};
pub(crate) use compare::{combined, first_failed};
pub(crate) use placed::Placed;

use crate::random::Random;
use crate::{Device, Error, PRIMITIVES, RunsOn, Variant};

/// Sizes of the short grid: nothing, one, and the edges of warps and blocks.
pub(crate) const SIZES: [usize; 13] = [0, 1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 65537];

/// What to check.
///
/// ```
/// use warpwise::conformance::Plan;
///
/// let plan = Plan { full: true, ..Plan::default() };
/// assert!(plan.primitives.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Primitives by name, or `by_key`, `segmented`, `unique` and `top_k`, which have no ladder; all if empty.
    pub primitives: Vec<String>,
    /// The long grid: every type with every operator at every size.
    pub full: bool,
    /// Instead of the grid, more elements than 31 bits can count, for primitives that take them: up to 20 GiB of host
    /// and device memory.
    pub large: bool,
    /// Changes the random inputs.
    pub seed: u64,
}

/// One variant of one primitive on one input.
///
/// ```
/// use warpwise::Device;
/// use warpwise::conformance::{Plan, checks};
///
/// let plan = Plan { primitives: vec!["vecadd".into()], ..Plan::default() };
/// let all = checks(&Device::cpu(), &plan)?;
/// assert_eq!(all[0].primitive, "vecadd");
/// # Ok::<(), warpwise::Error>(())
/// ```
pub struct Check {
    /// The primitive.
    pub primitive: &'static str,
    /// The variant.
    pub variant: &'static str,
    /// Type, operator and size: `sum f32, n = 257`.
    pub what: String,
    seed: u64,
    run: Box<Run>,
}

/// What a check does, with random numbers of its own.
type Run = dyn Fn(&Device, &mut Random) -> Result<Verdict, Error> + Send + Sync;

impl Check {
    /// Computes and compares. An error of the primitive is a failure.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::conformance::{Plan, checks};
    ///
    /// let plan = Plan { primitives: vec!["vecadd".into()], ..Plan::default() };
    /// let all = checks(&Device::cpu(), &plan)?;
    /// assert!(all[0].run(&Device::cpu()).passed());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run(&self, device: &Device) -> Verdict {
        (self.run)(device, &mut Random::new(self.seed)).unwrap_or_else(|error| Verdict::Error(error.to_string()))
    }
}

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Check({} {}: {})", self.primitive, self.variant, self.what)
    }
}

/// Collects a primitive's checks.
pub(crate) struct Collector<'a> {
    primitive: &'static str,
    variant: &'static Variant,
    device: &'a Device,
    pub(crate) full: bool,
    seed: u64,
    checks: &'a mut Vec<Check>,
}

impl Collector<'_> {
    /// The variant that checks are made for.
    pub(crate) fn variant(&self) -> &'static Variant {
        self.variant
    }

    /// The same, as a rung of its primitive.
    pub(crate) fn rung<R: std::str::FromStr>(&self) -> Option<R> {
        self.variant.name.parse().ok()
    }

    /// The device that the checks are for.
    pub(crate) fn device(&self) -> &Device {
        self.device
    }

    /// Whether the short grid takes the n-th of several combinations: each variant takes a different third of them.
    pub(crate) fn takes(&self, n: usize) -> bool {
        let own = self.variant.name.bytes().map(usize::from).sum::<usize>();
        self.full || (n + own).is_multiple_of(3)
    }

    /// Adds a check; its random numbers depend on what it is.
    pub(crate) fn add(
        &mut self,
        what: String,
        run: impl Fn(&Device, &mut Random) -> Result<Verdict, Error> + Send + Sync + 'static,
    ) {
        self.push(what, Box::new(run));
    }

    /// The same for all of them, compiled once.
    #[inline(never)]
    fn push(&mut self, what: String, run: Box<Run>) {
        let (primitive, variant) = (self.primitive, self.variant.name);
        let seed = Random::seed_of(&[primitive, &what], self.seed);
        self.checks.push(Check { primitive, variant, what, seed, run });
    }
}

/// The checks of a plan for a device: all variants that run there.
///
/// ```
/// use warpwise::Device;
/// use warpwise::conformance::{Plan, checks};
///
/// let plan = Plan { primitives: vec!["vecadd".into()], ..Plan::default() };
/// let all = checks(&Device::cpu(), &plan)?;
/// assert!(!all.is_empty());
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn checks(device: &Device, plan: &Plan) -> Result<Vec<Check>, Error> {
    plan.primitives.iter().try_for_each(|name| functions::check_name(name))?;
    let wanted = |name: &str| plan.primitives.is_empty() || plan.primitives.iter().any(|wanted| wanted == name);
    let runs_on = if device.is_cpu() { RunsOn::Cpu } else { RunsOn::Gpu };
    let mut all = Vec::new();
    let mut collect = |primitive: &'static str, variant: &'static Variant, add: fn(&mut Collector<'_>)| {
        let (full, seed) = (plan.full, plan.seed);
        add(&mut Collector { primitive, variant, device, full, seed, checks: &mut all });
    };
    for primitive in PRIMITIVES.iter().filter(|primitive| wanted(primitive.name)) {
        for variant in primitive.variants.iter().filter(|v| v.runs_on == runs_on) {
            collect(primitive.name, variant, if plan.large { primitive.large } else { primitive.checks });
        }
    }
    for (name, checks) in functions::ALL.iter().filter(|(name, _)| wanted(name) && !plan.large) {
        collect(name, functions::variant(runs_on), *checks);
    }
    #[cfg(feature = "gpu")]
    if runs_on == RunsOn::Gpu && plan.primitives.is_empty() && !plan.large {
        all.extend(device::checks());
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_is_checked() {
        for device in [Device::cpu(), Device::emulator()] {
            let all = checks(&device, &Plan::default()).unwrap();
            let here = if device.is_cpu() { RunsOn::Cpu } else { RunsOn::Gpu };
            for primitive in PRIMITIVES {
                for variant in primitive.variants.iter().filter(|v| v.runs_on == here) {
                    let checked = all.iter().any(|c| (c.primitive, c.variant) == (primitive.name, variant.name));
                    assert!(checked, "{} {}", primitive.name, variant.name);
                }
            }
            for (name, _) in functions::ALL {
                assert!(all.iter().any(|check| check.primitive == name), "{name}");
            }
        }
    }
}
