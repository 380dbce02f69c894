//! Where the lanes of one access go: passes through the banks, sectors, addresses that lanes share.
//!
//! Written apart from the emulator's counters, which are the test of it: the sums over the steps of a record must be
//! what they say.

use std::collections::{BTreeMap, BTreeSet};

/// Bytes that the banks pass at once.
const ROW: u32 = 128;
/// Bytes of a sector.
pub(super) const SECTOR: u64 = 32;

/// The lanes of a mask, lowest first.
pub(super) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 == 1)
}

/// How an access to shared memory goes through the banks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Passes {
    /// Passes that it takes.
    pub(super) passes: u32,
    /// Those beyond what its width needs.
    pub(super) conflicts: u32,
    /// The fullest bank, and a lane for each of the words that are wanted from it.
    pub(super) worst: Option<(u32, Vec<usize>)>,
}

/// Passes through the 32 banks. Lanes go 32 at a time, 16 with 8 bytes each, 8 with 16 bytes; a pass serves one word of
/// each bank, to all lanes that want it.
pub(super) fn passes(mask: u32, bytes: u32, addresses: &[u64; 32]) -> Passes {
    let unit = u64::from(bytes.clamp(4, ROW));
    let together = (u64::from(ROW) / unit) as usize;
    let mut found = Passes::default();
    for first in (0..32).step_by(together) {
        // The words wanted from each group of banks, each with its first lane.
        let mut banks: BTreeMap<u64, BTreeMap<u64, usize>> = BTreeMap::new();
        for lane in lanes(mask).filter(|lane| (first..first + together).contains(lane)) {
            let word = addresses[lane] / unit;
            banks.entry(word % together as u64).or_default().entry(word).or_insert(lane);
        }
        let Some((bank, words)) = banks.iter().max_by_key(|(bank, words)| (words.len(), u64::MAX - **bank)) else {
            continue;
        };
        found.passes += words.len() as u32;
        found.conflicts += words.len() as u32 - 1;
        if words.len() > found.worst.as_ref().map_or(1, |(_, lanes)| lanes.len()) {
            found.worst = Some(((bank * unit / 4) as u32, words.values().copied().collect()));
        }
    }
    found
}

/// Sectors that an access to global memory touches, and the bytes that it asks for.
pub(super) fn sectors(mask: u32, bytes: u32, addresses: &[u64; 32]) -> (u32, u32) {
    let different = |size: u64| lanes(mask).map(|lane| addresses[lane] / size).collect::<BTreeSet<_>>().len() as u32;
    (different(SECTOR), different(u64::from(bytes.max(1))) * bytes)
}

/// Sectors of an access to local memory, where words of the same number lie side by side for the lanes of a warp.
pub(super) fn local_sectors(mask: u32, bytes: u32, offsets: &[u64; 32]) -> u32 {
    let words = u64::from(bytes.div_ceil(4));
    let all = lanes(mask).flat_map(|lane| (0..words).map(move |k| (offsets[lane] / 4 + k, lane / 8)));
    all.collect::<BTreeSet<_>>().len() as u32
}

/// Lanes of an atomic that meet at an address: how many are not alone, and how many the fullest address has.
pub(super) fn collisions(mask: u32, addresses: &[u64; 32]) -> (u32, u32) {
    let mut at: BTreeMap<u64, u32> = BTreeMap::new();
    lanes(mask).for_each(|lane| *at.entry(addresses[lane]).or_default() += 1);
    (at.values().filter(|&&lanes| lanes > 1).sum(), at.values().copied().max().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every(step: u64) -> [u64; 32] {
        std::array::from_fn(|lane| lane as u64 * step)
    }

    #[test]
    fn passes_by_hand() {
        assert_eq!(passes(u32::MAX, 4, &every(4)), Passes { passes: 1, conflicts: 0, worst: None });
        assert_eq!(passes(u32::MAX, 4, &[64; 32]).passes, 1);
        let two = passes(u32::MAX, 4, &every(8));
        assert_eq!((two.passes, two.conflicts, two.worst), (2, 1, Some((0, vec![0, 16]))));
        assert_eq!(passes(u32::MAX, 4, &every(128)).passes, 32);
        assert_eq!(passes(u32::MAX, 8, &every(8)), Passes { passes: 2, conflicts: 0, worst: None });
        assert_eq!(passes(u32::MAX, 16, &every(16)).passes, 4);
        assert_eq!(passes(0b11, 4, &every(128)).worst, Some((0, vec![0, 1])));
    }

    #[test]
    fn sectors_and_collisions_by_hand() {
        assert_eq!(sectors(u32::MAX, 4, &every(4)), (4, 128));
        assert_eq!(sectors(u32::MAX, 4, &every(32)), (32, 128));
        assert_eq!(sectors(u32::MAX, 4, &[4; 32]), (1, 4));
        assert_eq!(local_sectors(u32::MAX, 4, &[16; 32]), 4);
        assert_eq!(collisions(u32::MAX, &every(4)), (0, 1));
        assert_eq!(collisions(u32::MAX, &every(0)), (32, 32));
        assert_eq!(
            collisions(0b111, &[0, 0, 4].into_iter().chain([0; 29]).collect::<Vec<_>>().try_into().unwrap()),
            (2, 2)
        );
    }
}
