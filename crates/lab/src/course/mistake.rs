//! Mistakes that people make: how they are recognized, and what is said about them.

use crate::kernels::launches::{LaunchReport, LaunchesReport, Missed, Verdict};
use serde::Deserialize;

/// A mistake.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Mistake {
    pub(super) name: String,
    pub(super) when: When,
    pub(super) says: String,
}

/// What an answer with the mistake does; all of it.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct When {
    /// A kind of finding that it has.
    finding: Option<String>,
    /// A counter that is not what it should be.
    counter: Option<String>,
    /// Whether values are wrong.
    value: bool,
    /// Whether the occupancy is not what it should be.
    occupancy: bool,
    /// A launch that is good.
    good: Option<String>,
    /// A launch that is broken.
    broken: Option<String>,
    /// A piece of its source, without white space.
    source: Option<String>,
    /// A piece that is missing there.
    without: Option<String>,
}

impl Mistake {
    /// Whether an answer has it; the source is what [`bare`] leaves of it.
    pub(super) fn is_in(&self, source: &str, report: &LaunchesReport) -> bool {
        let When { finding, counter, value, occupancy, good, broken, source: has, without } = &self.when;
        let missed = |it: &dyn Fn(&Missed) -> bool| report.launches.iter().any(|launch| launch.missed.iter().any(it));
        let found = |kind: &str| {
            let mut all = report.launches.iter().flat_map(|launch| &launch.findings);
            all.any(|finding| finding.kind == kind && finding.counts())
        };
        let ended = |name: &str, how: &dyn Fn(&LaunchReport) -> bool| {
            report.launches.iter().any(|launch| launch.name == name && how(launch))
        };
        finding.as_deref().is_none_or(found)
            && counter
                .as_deref()
                .is_none_or(|name| missed(&|it| matches!(it, Missed::Counter(known) if *known == name)))
            && (!value || missed(&|it| *it == Missed::Values))
            && (!occupancy || missed(&|it| *it == Missed::Occupancy))
            && good.as_deref().is_none_or(|name| ended(name, &|launch| launch.result == Verdict::Good))
            && broken.as_deref().is_none_or(|name| ended(name, &|launch| launch.result == Verdict::Broken))
            && has.as_deref().is_none_or(|piece| source.contains(piece))
            && without.as_deref().is_none_or(|piece| !source.contains(piece))
    }
}

/// A source without comments and white space.
pub(super) fn bare(source: &str) -> String {
    let (mut out, mut rest) = (String::new(), source);
    while let Some(at) = rest.find('/') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = if rest.starts_with("//") {
            rest.find('\n')
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|at| at + 2)
        } else {
            out.push('/');
            Some(1)
        };
        rest = end.map_or("", |end| &rest[end..]);
    }
    out.push_str(rest);
    out.retain(|c| !c.is_whitespace());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_white_space_do_not_matter() {
        assert_eq!(bare("a = b / c; // d\n/* e\n f */ g\t= 1;"), "a=b/c;g=1;");
        assert_eq!(bare("a /* never closed"), "a");
        assert_eq!(bare("a // é"), "a");
        assert_eq!(bare(""), "");
    }
}
