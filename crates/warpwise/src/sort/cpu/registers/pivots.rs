//! Words around which others are split.

use super::network;
use super::vector::Vector;

/// The median of a few words, in all lanes.
#[inline(always)]
pub(super) unsafe fn median<V: Vector>(from: &[V::Word]) -> V {
    let step = from.len() / V::LANES;
    // SAFETY: guaranteed by the caller; there are more words than lanes.
    unsafe {
        let some = network::sorted(V::load_every(step, from.as_ptr().add(step / 2)));
        if V::LANES == 8 { some.all::<4>() } else { some.all::<8>() }
    }
}

/// Words that split others into four parts of about the same length, each in all lanes: quarters of a few of them.
#[inline(always)]
pub(super) unsafe fn quarters<V: Vector>(from: &[V::Word]) -> [V; 3] {
    const REGISTERS: usize = 4;
    let (step, quarter) = (from.len() / (REGISTERS * V::LANES), from.len() / REGISTERS);
    let mut some = [V::Word::default(); 16 * REGISTERS];
    // SAFETY: guaranteed by the caller; there are more words than registers have.
    unsafe {
        let mut i = 0;
        while i < REGISTERS {
            let part = V::load_every(step, from.as_ptr().add(step / 2 + i * quarter));
            part.store(some.as_mut_ptr().add(i * V::LANES));
            i += 1;
        }
        network::sort::<V>(some.as_ptr(), REGISTERS * V::LANES, some.as_mut_ptr());
        let all = |i: usize| V::load_every(0, some.as_ptr().add(i * V::LANES));
        [all(1), all(2), all(3)]
    }
}
