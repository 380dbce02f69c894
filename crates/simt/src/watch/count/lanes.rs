//! Where the lanes of one access go: the rules behind sectors, wavefronts and contention.
//!
//! Accesses are aligned to their size, a power of two of at most 32 bytes: two of them touch either the same bytes or
//! none in common, and none crosses a sector.

use crate::lanes::lanes_of;

/// Bytes of a sector.
const SECTOR: u64 = 32;
/// Bytes that the banks of shared memory pass at once.
const ROW: u32 = 128;
/// Bytes of a bank's word.
const WORD: u32 = 4;
/// Buckets that keys are sorted into.
const BUCKETS: usize = 32;
/// The end of a bucket's chain.
const NONE: u8 = u8::MAX;

/// Equal keys of a set of lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Groups {
    /// Different keys.
    distinct: u32,
    /// Different keys in the fullest bucket.
    deepest: u32,
    /// Lanes with the most frequent key.
    largest: u32,
    /// Lanes whose key another lane has too.
    meeting: u32,
}

/// Groups the lanes of a mask by key; a key's bucket is its low bits.
fn group(mask: u32, key: impl Fn(usize) -> u64) -> Groups {
    let mut heads = [NONE; BUCKETS];
    let mut depths = [0u8; BUCKETS];
    let mut next = [NONE; 32];
    let mut sizes = [0u8; 32];
    let mut keys = [0u64; 32];
    let mut groups = Groups::default();
    for lane in lanes_of(mask) {
        let wanted = key(lane);
        let bucket = wanted as usize % BUCKETS;
        let mut at = heads[bucket];
        while at != NONE && keys[usize::from(at)] != wanted {
            at = next[usize::from(at)];
        }
        if at == NONE {
            keys[lane] = wanted;
            next[lane] = heads[bucket];
            heads[bucket] = lane as u8;
            depths[bucket] += 1;
            sizes[lane] = 1;
            groups.distinct += 1;
            groups.deepest = groups.deepest.max(depths[bucket].into());
            groups.largest = groups.largest.max(1);
        } else {
            let size = &mut sizes[usize::from(at)];
            groups.meeting += if *size == 1 { 2 } else { 1 };
            *size += 1;
            groups.largest = groups.largest.max((*size).into());
        }
    }
    groups
}

/// Sectors and bytes of a global or local access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::watch) struct Sectors {
    /// Different sectors.
    pub(in crate::watch) sectors: u32,
    /// Different bytes.
    pub(in crate::watch) bytes: u32,
}

/// What the lanes of a mask touch, each `bytes` bytes at its address.
pub(in crate::watch) fn sectors(mask: u32, bytes: u32, address: impl Fn(usize) -> u64) -> Sectors {
    let size = u64::from(bytes.max(1));
    Sectors {
        sectors: group(mask, |lane| address(lane) / SECTOR).distinct,
        bytes: group(mask, |lane| address(lane) / size).distinct * bytes,
    }
}

/// Passes through the banks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::watch) struct Wavefronts {
    /// All of them.
    pub(in crate::watch) wavefronts: u32,
    /// Those beyond one for each group of lanes that the width requires to go one after the other.
    pub(in crate::watch) conflicts: u32,
}

/// The wavefronts of an access to shared memory: lanes go 32 at a time, 16 with 8 bytes each, 8 with 16 bytes each.
/// One pass serves a word of each bank; the words of a wide access lie in neighbouring banks, which fill alike.
pub(in crate::watch) fn wavefronts(mask: u32, bytes: u32, address: impl Fn(usize) -> u64) -> Wavefronts {
    let unit = bytes.clamp(WORD, ROW);
    let lanes = ROW / unit;
    let banks = u64::from(lanes);
    let spread = (BUCKETS as u64).div_ceil(banks);
    let mut result = Wavefronts::default();
    for first in (0..32).step_by(lanes as usize) {
        let phase = mask & (u32::MAX >> (32 - lanes) << first);
        if phase == 0 {
            continue;
        }
        // One bucket for each bank: units of one group of banks must not spread over several.
        let key = |lane: usize| {
            let unit = address(lane) / u64::from(unit);
            unit / banks * banks * spread + unit % banks
        };
        let deepest = group(phase, key).deepest;
        result.wavefronts += deepest;
        result.conflicts += deepest - 1;
    }
    result
}

/// Lanes of an atomic that collide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::watch) struct Contention {
    /// Most lanes at one address.
    pub(in crate::watch) largest: u32,
    /// Lanes that are not alone at their address.
    pub(in crate::watch) meeting: u32,
}

/// How the lanes of an atomic collide.
pub(in crate::watch) fn contention(mask: u32, address: impl Fn(usize) -> u64) -> Contention {
    // Addresses are aligned: their low bits carry no information.
    let shift = lanes_of(mask).fold(0, |bits, lane| bits | address(lane)).trailing_zeros().min(5);
    let groups = group(mask, |lane| address(lane) >> shift);
    Contention { largest: groups.largest, meeting: groups.meeting }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use proptest::prelude::*;

    use super::*;

    const FULL: u32 = u32::MAX;

    #[test]
    fn coalesced_accesses_touch_4_8_and_16_sectors() {
        for (bytes, expected) in [(1, 1), (2, 2), (4, 4), (8, 8), (16, 16)] {
            let found = sectors(FULL, bytes, |lane| 0x7f00_0000_0000 + lane as u64 * u64::from(bytes));
            assert_eq!(found, Sectors { sectors: expected, bytes: 32 * bytes });
        }
    }

    #[test]
    fn sectors_by_hand() {
        // A warp that starts in the middle of a sector needs one more.
        assert_eq!(sectors(FULL, 4, |lane| 16 + 4 * lane as u64), Sectors { sectors: 5, bytes: 128 });
        // Every second word: twice the sectors for the same bytes; every eighth: a sector for each lane.
        assert_eq!(sectors(FULL, 4, |lane| 8 * lane as u64), Sectors { sectors: 8, bytes: 128 });
        assert_eq!(sectors(FULL, 4, |lane| 32 * lane as u64), Sectors { sectors: 32, bytes: 128 });
        // All lanes at one word; the last lane backwards; one lane.
        assert_eq!(sectors(FULL, 4, |_| 64), Sectors { sectors: 1, bytes: 4 });
        assert_eq!(sectors(FULL, 4, |lane| 4 * (31 - lane as u64)), Sectors { sectors: 4, bytes: 128 });
        assert_eq!(sectors(0x8000_0000, 16, |lane| 16 * lane as u64), Sectors { sectors: 1, bytes: 16 });
        // Two rows of 16 words, far apart.
        let rows = |lane: usize| (lane as u64 / 16) * 4096 + (lane as u64 % 16) * 4;
        assert_eq!(sectors(FULL, 4, rows), Sectors { sectors: 4, bytes: 128 });
    }

    #[test]
    fn wavefronts_by_hand() {
        let of = |bytes: u32, address: &dyn Fn(u64) -> u64| wavefronts(FULL, bytes, |lane| address(lane as u64));
        // 32-bit: rows, columns of an unpadded and of a padded 32 x 32 tile, every second word, one word for all.
        assert_eq!(of(4, &|l| 4 * l), Wavefronts { wavefronts: 1, conflicts: 0 });
        assert_eq!(of(4, &|l| 4 * 32 * l), Wavefronts { wavefronts: 32, conflicts: 31 });
        assert_eq!(of(4, &|l| 4 * 33 * l), Wavefronts { wavefronts: 1, conflicts: 0 });
        assert_eq!(of(4, &|l| 8 * l), Wavefronts { wavefronts: 2, conflicts: 1 });
        assert_eq!(of(4, &|_| 4), Wavefronts { wavefronts: 1, conflicts: 0 });
        // Two words of one bank, each for half of the lanes.
        assert_eq!(of(4, &|l| 128 * (l % 2)), Wavefronts { wavefronts: 2, conflicts: 1 });
        // Bytes and half-words of one word are one word.
        assert_eq!(of(1, &|l| l), Wavefronts { wavefronts: 1, conflicts: 0 });
        assert_eq!(of(2, &|l| 2 * l), Wavefronts { wavefronts: 1, conflicts: 0 });
        assert_eq!(of(1, &|l| 128 * l), Wavefronts { wavefronts: 32, conflicts: 31 });
        // 64-bit in two halves: rows, every second, a column of 16 doubles a row.
        assert_eq!(of(8, &|l| 8 * l), Wavefronts { wavefronts: 2, conflicts: 0 });
        assert_eq!(of(8, &|l| 16 * l), Wavefronts { wavefronts: 4, conflicts: 2 });
        assert_eq!(of(8, &|l| 128 * l), Wavefronts { wavefronts: 32, conflicts: 30 });
        // 128-bit in four quarters: rows, every second, a column of 8 a row.
        assert_eq!(of(16, &|l| 16 * l), Wavefronts { wavefronts: 4, conflicts: 0 });
        assert_eq!(of(16, &|l| 32 * l), Wavefronts { wavefronts: 8, conflicts: 4 });
        assert_eq!(of(16, &|l| 128 * l), Wavefronts { wavefronts: 32, conflicts: 28 });
        // Lanes that take no part do not count, and neither do quarters without any.
        assert_eq!(wavefronts(0x0000_0001, 16, |_| 0), Wavefronts { wavefronts: 1, conflicts: 0 });
        assert_eq!(wavefronts(0x8000_0003, 4, |lane| 128 * lane as u64), Wavefronts { wavefronts: 3, conflicts: 2 });
    }

    #[test]
    fn contention_by_hand() {
        assert_eq!(contention(FULL, |_| 64), Contention { largest: 32, meeting: 32 });
        assert_eq!(contention(FULL, |lane| 4 * lane as u64), Contention { largest: 1, meeting: 0 });
        assert_eq!(contention(0xff, |lane| 4 * (lane as u64).min(5)), Contention { largest: 3, meeting: 3 });
        assert_eq!(contention(FULL, |lane| 8 * (lane as u64 / 2)), Contention { largest: 2, meeting: 32 });
    }

    /// The rules again, slow and obvious: every byte of every lane.
    fn slow_sectors(mask: u32, bytes: u32, addresses: &[u64; 32]) -> Sectors {
        let touched: HashSet<u64> =
            lanes_of(mask).flat_map(|lane| (0..u64::from(bytes)).map(move |k| addresses[lane] + k)).collect();
        let sectors: HashSet<u64> = touched.iter().map(|byte| byte / 32).collect();
        Sectors { sectors: sectors.len() as u32, bytes: touched.len() as u32 }
    }

    fn slow_wavefronts(mask: u32, bytes: u32, addresses: &[u64; 32]) -> Wavefronts {
        let phases: Vec<Vec<usize>> = match bytes {
            16 => (0..4).map(|p| (8 * p..8 * p + 8).collect()).collect(),
            8 => (0..2).map(|p| (16 * p..16 * p + 16).collect()).collect(),
            _ => vec![(0..32).collect()],
        };
        let mut result = Wavefronts::default();
        for phase in phases {
            let mut banks: HashMap<u64, HashSet<u64>> = HashMap::new();
            for lane in phase.into_iter().filter(|lane| mask >> lane & 1 == 1) {
                for byte in addresses[lane]..addresses[lane] + u64::from(bytes) {
                    banks.entry(byte / 4 % 32).or_default().insert(byte / 4);
                }
            }
            if let Some(most) = banks.values().map(HashSet::len).max() {
                result.wavefronts += most as u32;
                result.conflicts += most as u32 - 1;
            }
        }
        result
    }

    fn slow_contention(mask: u32, addresses: &[u64; 32]) -> Contention {
        let mut lanes: HashMap<u64, u32> = HashMap::new();
        for lane in lanes_of(mask) {
            *lanes.entry(addresses[lane]).or_default() += 1;
        }
        let meeting = lanes.values().filter(|&&n| n > 1).sum();
        Contention { largest: lanes.into_values().max().unwrap_or(0), meeting }
    }

    /// Addresses of a width: scattered over a range, or a stride from a base with some lanes off it.
    fn accesses() -> impl Strategy<Value = (u32, u32, [u64; 32])> {
        let scattered = prop::array::uniform32(0u64..600);
        let strided = (0u64..64, -40i64..40, prop::array::uniform32(prop::option::weighted(0.1, 0u64..64)));
        let strided = strided.prop_map(|(base, stride, odd)| {
            std::array::from_fn(|lane| {
                odd[lane].unwrap_or_else(|| (2000 + base).wrapping_add_signed(stride * lane as i64))
            })
        });
        let units = prop_oneof![scattered, strided];
        let mask = prop_oneof![Just(FULL), 1u32.., (1u32..32).prop_map(|n| FULL >> n)];
        (0u32..5, mask, units).prop_map(|(log, mask, units)| (1 << log, mask, units.map(|unit| unit << log)))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn the_same_as_byte_by_byte((bytes, mask, addresses) in accesses()) {
            let address = |lane: usize| addresses[lane];
            prop_assert_eq!(sectors(mask, bytes, address), slow_sectors(mask, bytes, &addresses));
            prop_assert_eq!(wavefronts(mask, bytes, address), slow_wavefronts(mask, bytes, &addresses));
            prop_assert_eq!(contention(mask, address), slow_contention(mask, &addresses));
        }
    }
}
