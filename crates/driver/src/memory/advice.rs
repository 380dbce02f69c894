//! What the host has said about managed memory: advice, and where it was last prefetched to.

use std::collections::BTreeMap;
use std::ops::Range;

use super::managed::MemoryLocation;

/// What was said about a byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Said {
    /// It is mostly read.
    pub(crate) read_mostly: bool,
    /// Where it should be.
    pub(crate) preferred: Option<MemoryLocation>,
    /// The device will use it; and the host.
    pub(crate) used_by_device: bool,
    pub(crate) used_by_host: bool,
    /// Where it was prefetched to.
    pub(crate) prefetched: Option<MemoryLocation>,
}

/// What was said about all memory: from each address to the next one here, the same.
#[derive(Debug)]
pub(crate) struct Advice(BTreeMap<u64, Said>);

impl Default for Advice {
    fn default() -> Self {
        Self(BTreeMap::from([(0, Said::default())]))
    }
}

impl Advice {
    fn at(&self, address: u64) -> Said {
        self.0.range(..=address).next_back().map_or_else(Said::default, |(_, said)| *said)
    }

    /// Says something about a range.
    pub(crate) fn say(&mut self, range: Range<u64>, change: impl Fn(&mut Said)) {
        for edge in [range.start, range.end] {
            let there = self.at(edge);
            self.0.entry(edge).or_insert(there);
        }
        self.0.range_mut(range).for_each(|(_, said)| change(said));
        let mut before = None;
        self.0.retain(|_, said| before.replace(*said) != Some(*said));
    }

    /// What all that was said about a range has in common, if it is in one thing the same everywhere.
    pub(crate) fn common<T: PartialEq>(&self, range: Range<u64>, of: impl Fn(&Said) -> T) -> Option<T> {
        let first = of(&self.at(range.start));
        self.0.range(range).all(|(_, said)| of(said) == first).then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_holds_for_its_range() {
        let mut advice = Advice::default();
        let read = |advice: &Advice, range| advice.common(range, |said| said.read_mostly);
        assert_eq!(read(&advice, 0..100), Some(false));
        advice.say(100..200, |said| said.read_mostly = true);
        assert_eq!(read(&advice, 100..200), Some(true));
        assert_eq!((read(&advice, 99..200), read(&advice, 150..201)), (None, None));
        advice.say(150..300, |said| said.preferred = Some(MemoryLocation { kind: 2, id: 0 }));
        assert_eq!(read(&advice, 120..180), Some(true), "other advice does not matter");
        assert_eq!(advice.common(150..300, |said| said.preferred.map(|place| place.kind)), Some(Some(2)));
        assert_eq!(advice.common(100..300, |said| said.preferred), None);
        advice.say(100..300, |said| *said = Said::default());
        assert_eq!(advice.0.len(), 1, "nothing is left: {advice:?}");
    }
}
