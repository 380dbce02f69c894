//! Which findings make a verb fail.

use crate::kernels::finding::Finding;

/// The findings that decide the exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOn {
    /// Errors.
    Error,
    /// Errors and warnings.
    Warning,
    /// None: findings are only reported.
    Nothing,
}

impl FailOn {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Nothing];

    /// Its name for `--fail-on`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Nothing => "none",
        }
    }

    /// What it means.
    pub fn words(self) -> &'static str {
        match self {
            Self::Error => "Errors, not warnings",
            Self::Warning => "Errors and warnings",
            Self::Nothing => "No finding: they are only reported",
        }
    }

    /// The one of that name.
    ///
    /// ```
    /// use warpwise_lab::FailOn;
    ///
    /// assert_eq!(FailOn::named("none"), Some(FailOn::Nothing));
    /// assert_eq!(FailOn::named("always"), None);
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }

    /// Whether one of these findings is a failure. Those that are suppressed, or known to a baseline, never are.
    pub fn fails(self, findings: &[Finding]) -> bool {
        findings.iter().filter(|finding| finding.counts()).any(|finding| match self {
            Self::Error => finding.is_error(),
            Self::Warning => true,
            Self::Nothing => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_decides() {
        let finding = |severity| Finding::new("race", severity, String::new(), 1);
        let (error, warning) = (finding("error"), finding("warning"));
        let known = Finding { known: Some(true), ..error.clone() };
        let new = Finding { known: Some(false), ..error.clone() };
        for (findings, expected) in [
            (vec![], [false, false, false]),
            (vec![warning.clone()], [false, true, false]),
            (vec![warning, error], [true, true, false]),
            (vec![known.clone()], [false, false, false]),
            (vec![known, new], [true, true, false]),
        ] {
            assert_eq!(FailOn::ALL.map(|one| one.fails(&findings)), expected, "{findings:?}");
        }
    }
}
