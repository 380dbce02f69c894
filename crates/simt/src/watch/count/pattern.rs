//! Patterns: what an instruction's accesses have in common.
//!
//! Sectors, wavefronts and contention depend on where the lanes' addresses lie relative to each other, and on where the
//! first one lies in a row of banks. Most instructions repeat themselves, from block to block and from iteration to
//! iteration of a loop. So the counters remember an instruction's last few patterns, and an access that fits one is
//! counted by comparing 32 differences and adding one. The cost of a pattern is computed once, when it is forgotten or
//! the launch ends.

use std::ops::{BitAnd, BitXor};

/// Bytes after which banks and sectors repeat.
const ROW: usize = 128;
/// Patterns of one instruction that are remembered at once.
const WAYS: usize = 8;
/// No pattern.
pub(super) const NO_PATTERN: u32 = u32::MAX;

/// A number that addresses are computed in.
pub(super) trait Word:
    Copy + Default + PartialEq + BitXor<Output = Self> + BitAnd<Output = Self> + 'static
{
    /// All bits.
    const ONES: Self;
    /// Difference that wraps.
    fn minus(self, other: Self) -> Self;
    /// The difference, in the form used to compute an address: it wraps as the address does.
    fn wide(self) -> u64;
}

impl Word for u32 {
    const ONES: Self = Self::MAX;

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    #[inline(always)]
    fn wide(self) -> u64 {
        self as i32 as i64 as u64
    }
}

impl Word for u64 {
    const ONES: Self = Self::MAX;

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    #[inline(always)]
    fn wide(self) -> u64 {
        self
    }
}

/// The relative addresses of an access's lanes, and how often they were seen.
pub(super) struct Pattern<W> {
    /// Lanes that take part.
    mask: u32,
    /// What the access is besides its lanes.
    tag: u32,
    /// Where in a row the first address was when the pattern was learnt, and how often it was there.
    place: usize,
    times: u64,
    /// Addresses minus that of the first lane that takes part.
    relative: [W; 32],
    /// All ones for the lanes that take part.
    lanes: [W; 32],
    /// How often the first address was elsewhere in its row, by place.
    elsewhere: Option<Box<[u64; ROW]>>,
}

impl<W: Word> Pattern<W> {
    /// Every place in a row that was seen, how often, and the pattern's addresses as if the row were the first.
    fn drain(&mut self, mut f: impl FnMut(&Self, [u64; 32], u64)) {
        // Far enough from zero for lanes before the first one.
        let at = |this: &Self, place: usize| this.relative.map(|r| r.wide().wrapping_add(1 << 62 | place as u64));
        f(self, at(self, self.place), self.times);
        if let Some(elsewhere) = self.elsewhere.take() {
            for (place, &times) in elsewhere.iter().enumerate().filter(|&(_, &times)| times > 0) {
                f(self, at(self, place), times);
            }
        }
    }

    /// Whether an access has this pattern.
    #[inline(always)]
    fn fits(&self, mask: u32, addresses: &[W; 32]) -> bool {
        let first = addresses[mask.trailing_zeros() as usize & 31];
        let both = addresses.iter().zip(&self.relative);
        // Every lane is looked at, because that becomes vector code.
        if mask == u32::MAX {
            both.fold(true, |fits, (address, relative)| fits & (address.minus(first) == *relative))
        } else {
            let apart = both.map(|(address, relative)| address.minus(first) ^ *relative);
            apart.zip(&self.lanes).fold(true, |fits, (apart, lane)| fits & (apart & *lane == W::default()))
        }
    }

    #[inline(always)]
    fn see(&mut self, place: usize) {
        if place == self.place {
            self.times += 1;
        } else {
            self.elsewhere.get_or_insert_with(|| Box::new([0; ROW]))[place % ROW] += 1;
        }
    }
}

/// The patterns of all instructions.
pub(super) struct Patterns<W> {
    patterns: Vec<Pattern<W>>,
    /// The pattern of each instruction in each way.
    ways: Vec<[u32; WAYS]>,
}

/// Takes a pattern that is forgotten: its site, its tag, its lanes, their addresses, and how often it was seen.
pub(super) type Forget<'a> = &'a mut dyn FnMut(u32, u32, u32, &[u64; 32], u64);

impl<W: Word> Patterns<W> {
    pub(super) fn new(sites: usize) -> Self {
        Self { patterns: Vec::new(), ways: vec![[NO_PATTERN; WAYS]; sites] }
    }

    /// Records an access if it fits the pattern of the last one. The tag must be the same.
    #[inline(always)]
    pub(super) fn again(&mut self, last: u32, mask: u32, addresses: &[W; 32], address: usize) -> bool {
        let Some(pattern) = self.patterns.get_mut(last as usize) else { return false };
        if pattern.mask != mask || !pattern.fits(mask, addresses) {
            return false;
        }
        pattern.see(address % ROW);
        true
    }

    /// Records an access of a site and returns the number of its pattern. `address` is that of the first lane that
    /// takes part; the others may be given from another origin. A pattern may have to be forgotten for it.
    pub(super) fn note(
        &mut self,
        site: u32,
        tag: u32,
        mask: u32,
        addresses: &[W; 32],
        address: usize,
        forget: Forget<'_>,
    ) -> u32 {
        let place = address % ROW;
        let at = &mut self.ways[site as usize][way(mask)];
        let first = addresses[mask.trailing_zeros() as usize & 31];
        let relative = || addresses.map(|a| a.minus(first));
        let lanes = || std::array::from_fn(|lane| if mask >> lane & 1 == 1 { W::ONES } else { W::default() });
        match self.patterns.get_mut(*at as usize) {
            Some(known) => {
                if (known.mask, known.tag) == (mask, tag) && known.fits(mask, addresses) {
                    known.see(place);
                    return *at;
                }
                known.drain(|p, addresses, times| forget(site, p.tag, p.mask, &addresses, times));
                if known.mask != mask {
                    known.lanes = lanes();
                }
                known.relative = relative();
                (known.mask, known.tag, known.place, known.times) = (mask, tag, place, 1);
            }
            None => {
                *at = self.patterns.len() as u32;
                let (relative, lanes) = (relative(), lanes());
                self.patterns.push(Pattern { mask, tag, place, times: 1, relative, lanes, elsewhere: None });
            }
        }
        *at
    }

    /// Forgets everything.
    pub(super) fn forget_all(&mut self, forget: Forget<'_>) {
        for (site, ways) in self.ways.iter_mut().enumerate() {
            for at in ways.iter_mut().filter(|at| **at != NO_PATTERN) {
                let pattern = &mut self.patterns[std::mem::replace(at, NO_PATTERN) as usize];
                pattern.drain(|p, addresses, times| forget(site as u32, p.tag, p.mask, &addresses, times));
            }
        }
        self.patterns.clear();
    }
}

/// Where a pattern with that mask is kept. The halves, quarters and eighths of a warp, which occur in loops that halve
/// their threads, have separate places.
#[inline(always)]
fn way(mask: u32) -> usize {
    (mask.wrapping_mul(0x1db2_4381) >> 29) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::lanes::{Sectors, Wavefronts, contention, sectors, wavefronts};
    use super::*;

    /// The sum of a number of accesses.
    type Sum = [u64; 6];

    fn sum(total: &mut Sum, bytes: u32, mask: u32, addresses: &[u64; 32], times: u64) {
        let address = |lane: usize| addresses[lane];
        let Sectors { sectors, bytes: used } = sectors(mask, bytes, address);
        let Wavefronts { wavefronts, conflicts } = wavefronts(mask, bytes, address);
        let contention = contention(mask, address);
        let each = [sectors, used, wavefronts, conflicts, contention.meeting, contention.largest];
        for (total, each) in total.iter_mut().zip(each) {
            *total += times * u64::from(each);
        }
    }

    fn through_patterns<W: Word>(accesses: &[(u32, u32, u32, [W; 32])]) -> Sum {
        let mut patterns = Patterns::<W>::new(3);
        let mut total = Sum::default();
        let mut last = [NO_PATTERN; 3];
        let mut forget = |_: u32, tag: u32, mask: u32, addresses: &[u64; 32], times: u64| {
            sum(&mut total, tag, mask, addresses, times);
        };
        for (site, tag, mask, addresses) in accesses {
            let address = addresses[mask.trailing_zeros() as usize].wide() as usize;
            // A site has one width here, as an instruction does.
            if !patterns.again(last[*site as usize], *mask, addresses, address) {
                last[*site as usize] = patterns.note(*site, *tag, *mask, addresses, address, &mut forget);
            }
        }
        patterns.forget_all(&mut forget);
        total
    }

    fn accesses() -> impl Strategy<Value = Vec<(u32, u32, [u64; 32])>> {
        let masks = prop_oneof![Just(u32::MAX), Just(0xffff), Just(0x1111_1111), 1u32..];
        let strides = prop_oneof![Just(0u64), Just(1), Just(1), Just(33), 0u64..40];
        let access = (0u32..3, masks, 0u64..64, strides, 0u64..4).prop_map(|(site, mask, base, stride, odd)| {
            let unit = |lane: usize| 4096 + base + stride * lane as u64 + if lane == 7 { odd } else { 0 };
            (site, mask, std::array::from_fn(|lane| unit(lane) << (site + 1)))
        });
        prop::collection::vec(access, 1..60)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn patterns_add_up_to_the_accesses(list in accesses()) {
            let mut expected = Sum::default();
            for (site, mask, addresses) in &list {
                sum(&mut expected, 2 << site, *mask, addresses, 1);
            }
            let wide: Vec<_> = list.iter().map(|(site, mask, a)| (*site, 2 << site, *mask, *a)).collect();
            prop_assert_eq!(through_patterns(&wide), expected);
            let narrow: Vec<_> = wide.iter().map(|&(site, tag, mask, a)| (site, tag, mask, a.map(|a| a as u32))).collect();
            prop_assert_eq!(through_patterns(&narrow), expected);
        }
    }

    #[test]
    fn halved_warps_have_ways_of_their_own() {
        let prefixes = [1, 3, 0xf, 0xff, 0xffff, u32::MAX].map(way);
        let strided = [1, 0x1_0001, 0x0101_0101, 0x1111_1111, 0x5555_5555, u32::MAX].map(way);
        for list in [prefixes, strided] {
            let mut all = list.to_vec();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), list.len(), "{list:?}");
        }
    }
}
