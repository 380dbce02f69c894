//! Keys told apart by a bound: some stay, the others leave.

use std::ops::Range;

use crate::simd::{Body, Level};
use crate::sort::order::Key;

/// Keys that are looked at together, in the first cache.
const BLOCK: usize = 1024;
/// What may be written behind the last key that leaves.
const BEYOND: usize = 16;

/// Which keys leave.
///
/// ```
/// use warpwise::sort::cpu::{Leaves, split};
///
/// let mut keys = [3, 7, 5, 9];
/// let mut leaving = Vec::new();
/// let below_five = Leaves { bound: 5, equal_is_above: true, above: false };
/// assert_eq!(split(&mut keys, 0..4, 0, below_five, &mut leaving), 3);
/// assert_eq!((&keys[..3], &leaving[..]), (&[7, 5, 9][..], &[3][..]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leaves<K> {
    /// The bound.
    pub bound: K,
    /// Whether keys that equal the bound count as above it.
    pub equal_is_above: bool,
    /// Whether keys above the bound leave, or those below it.
    pub above: bool,
}

impl<K: Key> Leaves<K> {
    #[inline(always)]
    fn key(self, key: K) -> bool {
        let (word, bound) = (key.ordered(), self.bound.ordered());
        (word > bound || (self.equal_is_above && word == bound)) == self.above
    }
}

/// Moves the keys of a range that stay to the places from `to` on, and appends the others to those that leave, both in
/// their order; returns how many stay. Places between the two are anything afterwards.
///
/// # Panics
///
/// When the range is not within the keys, or begins before `to`.
///
/// ```
/// use warpwise::sort::cpu::{Leaves, split};
///
/// let mut keys = [0.5, f32::NAN, -0.0, 0.0];
/// let mut leaving = vec![9.0];
/// let leaves = Leaves { bound: 0.0, equal_is_above: false, above: true };
/// assert_eq!(split(&mut keys, 0..4, 0, leaves, &mut leaving), 2);
/// assert_eq!((&keys[..2], leaving.len()), (&[-0.0, 0.0][..], 3));
/// ```
pub fn split<K: Key>(keys: &mut [K], range: Range<usize>, to: usize, leaves: Leaves<K>, leaving: &mut Vec<K>) -> usize {
    assert!(to <= range.start && range.start <= range.end && range.end <= keys.len(), "{to} {range:?} {}", keys.len());
    let (level, mut next) = (Level::current(), to);
    for first in range.clone().step_by(BLOCK) {
        let block = first..range.end.min(first + BLOCK);
        leaving.reserve(block.len() + BEYOND);
        next += level.run(Block { level, keys, block, to: next, leaves, leaving });
    }
    next - to
}

/// Up to [`BLOCK`] keys, with room for all of them and [`BEYOND`] more among those that leave.
struct Block<'a, K> {
    level: Level,
    keys: &'a mut [K],
    block: Range<usize>,
    to: usize,
    leaves: Leaves<K>,
    leaving: &'a mut Vec<K>,
}

impl<K: Key> Body for Block<'_, K> {
    type Output = usize;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> usize {
        let Self { level, keys, block, to, leaves, leaving } = self;
        let mut leave = [false; BLOCK];
        for (leave, &key) in leave.iter_mut().zip(&keys[block.clone()]) {
            *leave = leaves.key(key);
        }
        let keys = keys.as_mut_ptr();
        // SAFETY: `to` is not beyond the block, both are within the keys, and there is room for those that leave.
        unsafe {
            let (from, stay) = (keys.add(block.start), keys.add(to));
            let gone = leaving.as_mut_ptr().add(leaving.len());
            let stays = apart(level, from, &leave[..block.len()], stay, gone);
            leaving.set_len(leaving.len() + block.len() - stays);
            stays
        }
    }
}

/// Copies keys that stay and keys that leave, each behind one another; returns how many stay.
///
/// # Safety
///
/// The keys must be valid for reads, what is from `stay` on for writes of as many, with no distance or below the keys, and
/// what is from `gone` on for writes of as many and [`BEYOND`] more. The level is the host's.
#[inline(always)]
unsafe fn apart<K: Key>(level: Level, from: *const K, leave: &[bool], stay: *mut K, gone: *mut K) -> usize {
    let (mut at, mut stays) = (0, 0);
    #[cfg(target_arch = "x86_64")]
    if matches!(level, Level::Avx512(_)) && size_of::<K>() >= 4 {
        // SAFETY: guaranteed by the caller. Whole registers are loaded before anything is stored over them.
        (at, stays) = unsafe { registers(from, leave, stay, gone) };
    }
    let _ = level;
    while at < leave.len() {
        // To both, and one of them moves on: which one it is cannot be predicted, so nothing may jump.
        // SAFETY: guaranteed by the caller; what stays is written where keys have been read before, or to its own place.
        unsafe {
            let key = from.add(at).read();
            stay.add(stays).write(key);
            gone.add(at - stays).write(key);
        }
        stays += usize::from(!leave[at]);
        at += 1;
    }
    stays
}

/// The same for whole registers; returns how many keys were looked at, and how many of them stay.
///
/// # Safety
///
/// As for [`apart`], with keys of four or eight bytes, and AVX-512 (F, BW, VL).
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn registers<K: Key>(from: *const K, leave: &[bool], stay: *mut K, gone: *mut K) -> (usize, usize) {
    use std::arch::x86_64::*;
    let lanes = 64 / size_of::<K>();
    let (mut at, mut stays) = (0, 0);
    // SAFETY: guaranteed by the caller.
    unsafe {
        while at + lanes <= leave.len() {
            let x = _mm512_loadu_si512(from.add(at).cast());
            let flags = leave.as_ptr().add(at).cast();
            let (leaves, kept, left) = if const { size_of::<K>() == 4 } {
                let leaves = _mm_test_epi8_mask(_mm_loadu_si128(flags), _mm_set1_epi8(1));
                let kept = _mm512_maskz_compress_epi32(!leaves, x);
                (u32::from(leaves), kept, _mm512_maskz_compress_epi32(leaves, x))
            } else {
                let leaves = _mm_test_epi8_mask(_mm_loadl_epi64(flags.cast()), _mm_set1_epi8(1)) as u8;
                let kept = _mm512_maskz_compress_epi64(!leaves, x);
                (u32::from(leaves), kept, _mm512_maskz_compress_epi64(leaves, x))
            };
            _mm512_storeu_si512(stay.add(stays).cast(), kept);
            _mm512_storeu_si512(gone.add(at - stays).cast(), left);
            stays += lanes - leaves.count_ones() as usize;
            at += lanes;
        }
    }
    (at, stays)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn holds<K: Key>(n: usize) {
        let mut random = Random::new(n as u64);
        let keys: Vec<K> = random.elements(n);
        let bits = |keys: &[K]| bytemuck::cast_slice::<K, u8>(keys).to_vec();
        for bound in [K::ZERO, K::HIGHEST, keys.get(n / 2).copied().unwrap_or(K::ONE)] {
            for (equal_is_above, above) in [(false, false), (false, true), (true, false), (true, true)] {
                let leaves = Leaves { bound, equal_is_above, above };
                for (range, to) in [(0..n, 0), (n / 3..n, n / 3), (n / 3..n / 3 * 2, n / 7)] {
                    let (left, kept): (Vec<K>, Vec<K>) = keys[range.clone()].iter().partition(|key| leaves.key(**key));
                    let (mut found, mut leaving) = (keys.clone(), vec![K::ONE]);
                    let stays = split(&mut found, range.clone(), to, leaves, &mut leaving);
                    let case = format!("{} {n} {range:?} {to} {leaves:?}", K::NAME);
                    assert!(bits(&found[to..to + stays]) == bits(&kept), "{case}");
                    assert!(bits(&leaving[1..]) == bits(&left), "{case}");
                    assert!(bits(&found[..to]) == bits(&keys[..to]), "{case}");
                    assert!(bits(&found[range.end..]) == bits(&keys[range.end..]), "{case}");
                }
            }
        }
    }

    #[test]
    fn keys_of_all_types_are_told_apart_in_their_order() {
        for n in [0, 1, 15, 16, 17, 100, 1023, 1024, 1025, 5000] {
            holds::<u8>(n);
            holds::<u16>(n);
            holds::<u32>(n);
            holds::<i32>(n);
            holds::<u64>(n);
            holds::<i64>(n);
            holds::<f32>(n);
            holds::<f64>(n);
        }
    }
}
