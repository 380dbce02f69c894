//! Which warps are recorded, and how much of them.

use crate::kernels::finding::Finding;

/// Warps that a record may have.
pub const MOST_WARPS: usize = 64;
/// Steps of a record that are shared among its warps, unless said otherwise.
const STEPS: usize = 6000;
/// Steps that each warp gets in any case.
const FEWEST_STEPS: usize = 200;
/// Steps that a record may have.
pub const MOST_STEPS: usize = 100_000;

/// Which warps to record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Blocks, `blockIdx`; if there are none, those of the first finding, or the first block.
    pub blocks: Vec<[u32; 3]>,
    /// The first and the last warp of each block.
    pub warps: (u32, u32),
    /// Steps of each warp; if it is not said, as many as keep the page small.
    pub steps: Option<usize>,
    /// Which launch, from 1.
    pub launch: usize,
}

impl Choice {
    /// The choice. What is not asked for: the first 64 warps of a block, the first launch.
    ///
    /// ```
    /// use warpwise_lab::kernels::watch::Choice;
    ///
    /// let choice = Choice::new(vec![[2, 0, 0]], None, None, None);
    /// assert_eq!((choice.blocks, choice.warps, choice.launch), (vec![[2, 0, 0]], (0, 63), 1));
    /// ```
    pub fn new(blocks: Vec<[u32; 3]>, warps: Option<(u32, u32)>, steps: Option<usize>, launch: Option<usize>) -> Self {
        Self { blocks, warps: warps.unwrap_or((0, MOST_WARPS as u32 - 1)), steps, launch: launch.unwrap_or(1) }
    }

    /// The same with blocks: those that were asked for, or where the first finding is, or the first one.
    pub(super) fn settled(&self, findings: &[Finding]) -> Self {
        let mut blocks = self.blocks.clone();
        if blocks.is_empty() {
            let first = findings.iter().find(|finding| finding.block.is_some());
            blocks.extend(first.into_iter().flat_map(|finding| [finding.block, finding.other_block]).flatten());
            blocks.sort_by_key(|&[x, y, z]| [z, y, x]);
            blocks.dedup();
        }
        if blocks.is_empty() {
            blocks.push([0; 3]);
        }
        Self { blocks, ..*self }
    }

    /// Steps of each warp, in blocks of that many threads.
    pub(super) fn limit(&self, threads: u32) -> usize {
        let there = threads.div_ceil(32).saturating_sub(self.warps.0).min(self.warps.1 - self.warps.0 + 1);
        let warps = (self.blocks.len() * there as usize).clamp(1, MOST_WARPS);
        self.steps.unwrap_or_else(|| (STEPS / warps).max(FEWEST_STEPS)).min(MOST_STEPS / warps)
    }

    pub(super) fn has_block(&self, index: [u32; 3]) -> bool {
        self.blocks.contains(&index)
    }

    pub(super) fn has_warp(&self, warp: u32) -> bool {
        (self.warps.0..=self.warps.1).contains(&warp)
    }
}

/// Reads `FIRST-LAST` or a single number.
///
/// ```
/// use warpwise_lab::kernels::watch::parse_warps;
///
/// assert_eq!(parse_warps("0-3"), Ok((0, 3)));
/// assert_eq!(parse_warps("5"), Ok((5, 5)));
/// assert!(parse_warps("3-0").is_err());
/// ```
pub fn parse_warps(text: &str) -> Result<(u32, u32), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|&warp| warp < 1024);
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok((first, last)),
        _ => Err(format!("`{text}` names no warps: write 0-3 for the first four, or 5 for one")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_shared_among_the_warps_that_there_are() {
        let choice = |warps, steps| Choice::new(vec![[0; 3]], warps, steps, None);
        assert_eq!(choice(None, None).limit(256), 750);
        assert_eq!(choice(Some((0, 3)), None).limit(256), 1500);
        assert_eq!(choice(Some((4, 63)), None).limit(256), 1500);
        assert_eq!(choice(None, Some(10)).limit(1024), 10);
        assert_eq!(choice(None, Some(usize::MAX)).limit(1024), MOST_STEPS / 32);
        let blocks = (0..64).map(|x| [x, 0, 0]).collect();
        assert_eq!(Choice::new(blocks, None, None, None).limit(1024), FEWEST_STEPS);
    }

    #[test]
    fn blocks_are_those_that_are_asked_for_or_where_something_was_found() {
        let mut race = Finding::new("race", "error", String::new(), 1);
        let settled =
            |blocks: Vec<[u32; 3]>, found: &[Finding]| Choice::new(blocks, None, None, None).settled(found).blocks;
        assert_eq!(settled(Vec::new(), &[]), [[0; 3]]);
        assert_eq!(settled(Vec::new(), &[race.clone()]), [[0; 3]]);
        (race.block, race.other_block) = (Some([3, 0, 0]), Some([1, 0, 0]));
        assert_eq!(settled(Vec::new(), &[race.clone()]), [[1, 0, 0], [3, 0, 0]]);
        race.other_block = race.block;
        assert_eq!(settled(Vec::new(), &[race.clone()]), [[3, 0, 0]]);
        assert_eq!(settled(vec![[2, 0, 0]], &[race]), [[2, 0, 0]]);
    }
}
