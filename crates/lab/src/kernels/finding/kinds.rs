//! The kinds of findings.

use warpwise_gpu::FaultKind;
use warpwise_simt::CHECKS;
use warpwise_trace::{HOST_KINDS, HostKind};

/// Every kind of finding, as reports name it: those of all checks, then what else can stop a kernel, then the mistakes
/// of hosts.
pub(crate) fn kinds() -> Vec<&'static str> {
    let checks = CHECKS.iter().flat_map(|check| check.kinds).map(|kind| kind.name());
    let mut all: Vec<&'static str> = Vec::new();
    for name in checks.chain(FaultKind::ALL.map(FaultKind::name)).chain(HOST_KINDS.map(HostKind::name)) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_and_faults_are_listed_once() {
        let all = kinds();
        for name in ["race", "out_of_bounds", "uninitialized", "barrier_divergence", "idle_barrier", "timeout"] {
            assert_eq!(all.iter().filter(|kind| **kind == name).count(), 1, "{name} in {all:?}");
        }
    }
}
