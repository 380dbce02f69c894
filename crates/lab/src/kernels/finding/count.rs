//! How many findings there are.

use super::Finding;

/// How many there are of each sort: `1 error, 2 known`; empty if there is none.
pub(crate) fn tally(findings: &[Finding]) -> String {
    let sort = |finding: &Finding| finding.state().unwrap_or(finding.severity);
    let count = |name: &str| findings.iter().filter(|finding| sort(finding) == name).count();
    let some = |name: &str, many: &str| match count(name) {
        0 => None,
        1 => Some(format!("1 {name}")),
        n => Some(format!("{n} {many}")),
    };
    let sorts = [
        some("error", "errors"),
        some("warning", "warnings"),
        some("expected", "expected"),
        some("known", "known"),
        some("suppressed", "suppressed"),
    ];
    sorts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::finding::{SuppressedBy, Suppression};

    #[test]
    fn what_does_not_count_is_counted_apart() {
        let error = Finding::new("race", "error", String::new(), 1);
        let known = Finding { known: Some(true), ..error.clone() };
        let suppressed = Some(Suppression { by: SuppressedBy::Comment, line: 6, reason: None });
        let suppressed = Finding { suppressed, ..error.clone() };
        let all = [error.clone(), error.clone(), Finding { severity: "warning", ..error }, known, suppressed];
        assert_eq!(tally(&all), "2 errors, 1 warning, 1 known, 1 suppressed");
        assert_eq!(tally(&all[..0]), "");
    }
}
