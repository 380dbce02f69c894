//! Sets of bytes.

/// Ranges of addresses, sorted, with gaps between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges {
    /// Starts and ends.
    all: Vec<(u64, u64)>,
}

impl Ranges {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Starts and ends, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.all.iter().copied()
    }

    /// Whether an address is in one of them.
    pub fn contains(&self, address: u64) -> bool {
        let after = self.all.partition_point(|&(start, _)| start <= address);
        after > 0 && address < self.all[after - 1].1
    }

    /// Adds those of another set.
    pub fn extend(&mut self, other: &Self) {
        self.all.extend(&other.all);
        self.settle();
    }

    /// Sorts and joins what touches.
    fn settle(&mut self) {
        self.all.retain(|(start, end)| start < end);
        self.all.sort_unstable();
        self.all.dedup_by(|next, last| {
            let joins = next.0 <= last.1;
            if joins {
                last.1 = last.1.max(next.1);
            }
            joins
        });
    }
}

impl FromIterator<(u64, u64)> for Ranges {
    /// From starts and lengths.
    fn from_iter<I: IntoIterator<Item = (u64, u64)>>(ranges: I) -> Self {
        let all = ranges.into_iter().map(|(start, bytes)| (start, start.saturating_add(bytes))).collect();
        let mut ranges = Self { all };
        ranges.settle();
        ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_touches_is_joined() {
        let ranges: Ranges = [(20, 4), (0, 8), (8, 4), (24, 0), (21, 1), (u64::MAX - 1, 9)].into_iter().collect();
        let expected = [(0, 12), (20, 24), (u64::MAX - 1, u64::MAX)];
        assert_eq!(ranges.iter().collect::<Vec<_>>(), expected);
        assert_eq!((ranges.len(), ranges.is_empty()), (3, false));
        let inside = [0, 11, 12, 19, 20, 23, 24].map(|address| ranges.contains(address));
        assert_eq!(inside, [true, true, false, false, true, true, false]);
    }

    #[test]
    fn sets_are_united() {
        let mut a: Ranges = [(0, 4)].into_iter().collect();
        a.extend(&[(4, 4), (100, 1)].into_iter().collect());
        assert_eq!(a, [(0, 8), (100, 1)].into_iter().collect());
    }
}
