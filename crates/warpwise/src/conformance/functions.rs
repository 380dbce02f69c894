//! Functions of the library without a ladder: there is one way to compute them on the CPU, and one on a GPU.

use super::Collector;
use crate::primitive::{self, RunsOn, Variant};
use crate::{Error, by_key, segmented, sort, unique};

/// What collects the checks of a function.
type Checks = fn(&mut Collector<'_>);

/// Their names, and what collects their checks.
pub(super) const ALL: [(&str, Checks); 4] = [
    ("by_key", by_key::conformance::checks),
    ("segmented", segmented::conformance::checks),
    ("unique", unique::conformance::checks),
    ("top_k", sort::top_conformance::checks),
];

static ON_CPU: Variant = Variant::cpu("cpu-par", "all cores");
static ON_GPU: Variant = Variant::gpu("gpu", "the kernels of the library");

/// What stands for a variant of them.
pub(super) fn variant(runs_on: RunsOn) -> &'static Variant {
    match runs_on {
        RunsOn::Cpu => &ON_CPU,
        RunsOn::Gpu => &ON_GPU,
    }
}

/// Refuses a name that is neither that of a primitive nor of one of these.
pub(super) fn check_name(name: &str) -> Result<(), Error> {
    if ALL.iter().any(|(known, _)| *known == name) {
        return Ok(());
    }
    primitive::find(name).map(drop).map_err(|error| match error {
        Error::UnknownPrimitive { name, known } => {
            let functions = ALL.map(|(name, _)| name).join(", ");
            Error::UnknownPrimitive { name, known: format!("{known}, {functions}") }
        }
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_functions_are_known_and_others_are_refused() {
        assert!(ALL.iter().all(|(name, _)| check_name(name).is_ok() && primitive::find(name).is_err()));
        assert!(check_name("scan").is_ok());
        let error = check_name("topk").unwrap_err().to_string();
        assert!(error.contains("use one of vecadd") && error.ends_with("segmented, unique, top_k"), "{error}");
    }
}
