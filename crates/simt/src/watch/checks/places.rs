//! Sets of places: how many words a mistake was seen at.

use std::collections::HashMap;

/// Places of a page.
const PAGE: u64 = 512;
/// The most pages of a set: exact for 2^25 neighbouring words.
const MOST: usize = 1 << 18;

/// Distinct places. Neighbours share a page, so that a mistake at every word of a large buffer takes little memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    pages: HashMap<u64, [u64; (PAGE / 64) as usize]>,
    count: u64,
    /// There were more than fit.
    overflowed: bool,
}

impl Places {
    /// Adds a place.
    pub(super) fn insert(&mut self, place: u64) {
        if let Some((page, word, bit)) = self.page(place) {
            let is_new = page[word] & bit == 0;
            page[word] |= bit;
            self.count += u64::from(is_new);
        }
    }

    /// Adds those of another set.
    pub(super) fn extend(&mut self, other: &Self) {
        self.overflowed |= other.overflowed;
        for (&number, theirs) in &other.pages {
            if let Some((page, ..)) = self.page(number * PAGE) {
                let before: u32 = page.iter().map(|word| word.count_ones()).sum();
                page.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine |= theirs);
                let after: u32 = page.iter().map(|word| word.count_ones()).sum();
                self.count += u64::from(after - before);
            }
        }
    }

    /// How many there are, or at least so many if the set is not [exact](Self::is_exact).
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Whether every place is in the set.
    pub(super) fn is_exact(&self) -> bool {
        !self.overflowed
    }

    /// The page of a place, the word there, and the bit.
    fn page(&mut self, place: u64) -> Option<(&mut [u64; (PAGE / 64) as usize], usize, u64)> {
        let number = place / PAGE;
        if self.pages.len() >= MOST && !self.pages.contains_key(&number) {
            self.overflowed = true;
            return None;
        }
        let page = self.pages.entry(number).or_default();
        Some((page, (place % PAGE / 64) as usize, 1 << (place % 64)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_counts_once() {
        let (mut even, mut all) = (Places::default(), Places::default());
        for place in 0..200_000 {
            even.insert(8 * place);
            all.insert(4 * place);
            all.insert(4 * place);
        }
        assert_eq!((even.count(), all.count()), (200_000, 200_000));
        even.extend(&all);
        assert_eq!((even.count(), even.is_exact()), (300_000, true));
        all.extend(&even.clone());
        assert_eq!(all.count(), 300_000);
    }

    #[test]
    fn beyond_its_room_a_set_says_that_there_are_more() {
        let mut places = Places::default();
        (0..MOST as u64 + 10).for_each(|n| places.insert(n * PAGE));
        assert_eq!((places.count(), places.is_exact()), (MOST as u64, false));
        places.insert(1);
        assert_eq!(places.count(), MOST as u64 + 1, "known pages have room");
        let mut other = Places::default();
        other.extend(&places);
        assert!(!other.is_exact());
    }
}
