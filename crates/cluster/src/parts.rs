//! How work is cut.

use std::ops::Range;

/// A length cut into as many parts as there are ranks, as even as can be: none has more than one element more than
/// another, and the longer ones come first.
///
/// ```
/// use warpwise_cluster::Parts;
///
/// let parts = Parts::new(10, 4);
/// assert_eq!(parts.all(), [0..3, 3..6, 6..8, 8..10]);
/// assert_eq!(Parts::new(1, 3).all(), [0..1, 1..1, 1..1]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    length: usize,
    parts: usize,
}

impl Parts {
    /// A length in that many parts, at least one.
    ///
    /// ```
    /// assert_eq!(warpwise_cluster::Parts::new(5, 2).of(1), 3..5);
    /// ```
    pub fn new(length: usize, parts: usize) -> Self {
        Self { length, parts: parts.max(1) }
    }

    /// The part of a rank.
    ///
    /// ```
    /// assert_eq!(warpwise_cluster::Parts::new(7, 3).of(0), 0..3);
    /// ```
    pub fn of(&self, rank: usize) -> Range<usize> {
        let (each, more) = (self.length / self.parts, self.length % self.parts);
        let begin = |rank: usize| rank * each + rank.min(more);
        begin(rank)..begin(rank + 1)
    }

    /// All parts, in order.
    ///
    /// ```
    /// assert_eq!(warpwise_cluster::Parts::new(0, 2).all(), [0..0, 0..0]);
    /// ```
    pub fn all(&self) -> Vec<Range<usize>> {
        (0..self.parts).map(|rank| self.of(rank)).collect()
    }
}

/// Parts of those lengths, one after the other.
pub(crate) fn of_lengths(lengths: &[usize]) -> Vec<Range<usize>> {
    let mut begin = 0;
    let part = |&length: &usize| {
        begin += length;
        begin - length..begin
    };
    lengths.iter().map(part).collect()
}

/// What two ranges have in common; empty where that is nothing.
pub(crate) fn common(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    let begin = a.start.max(b.start);
    begin..a.end.min(b.end).max(begin)
}

/// Parts whose cuts are moved up to multiples of `unit`, so that whole units are in one part.
pub(crate) fn whole_units(parts: &[Range<usize>], unit: usize) -> Vec<Range<usize>> {
    let length = parts.last().map_or(0, |part| part.end);
    let cut = |at: usize| at.next_multiple_of(unit).min(length);
    parts.iter().map(|part| cut(part.start)..cut(part.end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_everything_once_and_are_even() {
        for length in [0, 1, 2, 6, 7, 8, 9, 100, 1023] {
            for parts in [1, 2, 3, 4, 7, 8, 200] {
                let all = Parts::new(length, parts).all();
                assert_eq!(all.len(), parts);
                assert_eq!(of_lengths(&all.iter().map(ExactSizeIterator::len).collect::<Vec<_>>()), all);
                assert_eq!(all.last().map(|part| part.end), Some(length));
                let (least, most) =
                    (all.iter().map(ExactSizeIterator::len).min(), all.iter().map(ExactSizeIterator::len).max());
                assert!(most.unwrap() - least.unwrap() <= 1);
            }
        }
    }

    #[test]
    fn whole_units_stay_together() {
        let parts = Parts::new(100, 7).all();
        let whole = whole_units(&parts, 16);
        assert_eq!((whole[0].start, whole[6].end), (0, 100));
        for pair in whole.windows(2) {
            assert_eq!(pair[0].end, pair[1].start);
            assert!(pair[0].end.is_multiple_of(16) || pair[0].end == 100);
        }
    }
}
