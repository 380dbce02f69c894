//! Words split around pivots.

use super::vector::{Bits, Vector};

/// A bit for each lane that is below the pivot, or not above it.
#[inline(always)]
unsafe fn bits_below<V: Vector, const EQUAL: bool>(x: V, pivot: V) -> Bits {
    // SAFETY: guaranteed by the caller.
    unsafe { if EQUAL { !pivot.below(x) & (Bits::MAX >> (16 - V::LANES)) } else { x.below(pivot) } }
}

/// Moves those below the pivot, or not above it, to the beginning of the slice where all are to be, which is `from` if they
/// stay, and the rest to the beginning of the other one; says how many were below.
#[inline(always)]
pub(super) unsafe fn in_two<V: Vector, const EQUAL: bool>(
    from: &mut [V::Word],
    other: &mut [V::Word],
    stays: bool,
    pivot: V,
) -> usize {
    let n = from.len();
    let (from, other) = (from.as_mut_ptr(), other.as_mut_ptr());
    let (lows, highs) = if stays { (from, other) } else { (other, from) };
    let (mut low_end, mut high_end, mut at) = (lows, highs, 0);
    // SAFETY: guaranteed by the caller. Neither side has more words than have been read, so that a whole vector fits, and
    // replaces none that has not been read yet; what is stored behind the last word of a side is replaced.
    unsafe {
        macro_rules! store {
            ($x:expr) => {
                let low = bits_below::<V, EQUAL>($x, pivot);
                let count = low.count_ones() as usize;
                $x.compress(low).store(low_end);
                $x.compress(!low).store(high_end);
                (low_end, high_end) = (low_end.add(count), high_end.add(V::LANES - count));
            };
        }
        while at + 4 * V::LANES <= n {
            let next = from.add(at);
            let a = V::load(next);
            let b = V::load(next.add(V::LANES));
            let c = V::load(next.add(2 * V::LANES));
            let d = V::load(next.add(3 * V::LANES));
            store!(a);
            store!(b);
            store!(c);
            store!(d);
            at += 4 * V::LANES;
        }
        while at + V::LANES <= n {
            let x = V::load(from.add(at));
            store!(x);
            at += V::LANES;
        }
        // Fewer words than lanes.
        if at < n {
            let all = (1 << (n - at)) - 1;
            let x = V::highest().load_first(from.add(at), n - at);
            let low = bits_below::<V, EQUAL>(x, pivot) & all;
            let count = low.count_ones() as usize;
            x.compress(low).store_first(low_end, count);
            x.compress(!low & all).store_first(high_end, n - at - count);
            low_end = low_end.add(count);
        }
        low_end.offset_from(lows) as usize
    }
}

/// Moves those below the first pivot to the beginning of the slice where all are to be, as in [`in_two`]; those between the
/// first and the second, between the second and the third, and the rest to the beginnings of the other slices. Says how many
/// each part has.
#[inline(always)]
pub(super) unsafe fn in_four<V: Vector>(
    from: &mut [V::Word],
    other: &mut [V::Word],
    [third, fourth]: [&mut [V::Word]; 2],
    stays: bool,
    pivots: [V; 3],
) -> [usize; 4] {
    let n = from.len();
    assert!(third.len() >= n && fourth.len() >= n);
    let (from, other) = (from.as_mut_ptr(), other.as_mut_ptr());
    let (first, second) = if stays { (from, other) } else { (other, from) };
    let begins = [first, second, third.as_mut_ptr(), fourth.as_mut_ptr()];
    let ([mut end_1, mut end_2, mut end_3, mut end_4], mut at) = (begins, 0);
    // SAFETY: as in `in_two`: no part has more words than have been read.
    unsafe {
        macro_rules! store {
            ($x:expr) => {
                let [a, b, c] = [$x.below(pivots[0]), $x.below(pivots[1]), $x.below(pivots[2])];
                $x.compress(a).store(end_1);
                $x.compress(b & !a).store(end_2);
                $x.compress(c & !b).store(end_3);
                $x.compress(!c).store(end_4);
                let [a, b, c] = [a.count_ones() as usize, b.count_ones() as usize, c.count_ones() as usize];
                (end_1, end_2) = (end_1.add(a), end_2.add(b - a));
                (end_3, end_4) = (end_3.add(c - b), end_4.add(V::LANES - c));
            };
        }
        while at + 2 * V::LANES <= n {
            let a = V::load(from.add(at));
            let b = V::load(from.add(at + V::LANES));
            store!(a);
            store!(b);
            at += 2 * V::LANES;
        }
        if at + V::LANES <= n {
            let x = V::load(from.add(at));
            store!(x);
            at += V::LANES;
        }
        // Fewer words than lanes.
        if at < n {
            let all = (1 << (n - at)) - 1;
            let x = V::highest().load_first(from.add(at), n - at);
            let [a, b, c] = [x.below(pivots[0]) & all, x.below(pivots[1]) & all, x.below(pivots[2]) & all];
            let parts = [(a, &mut end_1), (b & !a, &mut end_2), (c & !b, &mut end_3), (!c & all, &mut end_4)];
            let mut part = 0;
            // No iterators: their closures would be compiled without the instructions.
            while part < 4 {
                let (bits, count) = (parts[part].0, parts[part].0.count_ones() as usize);
                x.compress(bits).store_first(*parts[part].1, count);
                *parts[part].1 = parts[part].1.add(count);
                part += 1;
            }
        }
        let length = |end: *mut V::Word, part: usize| end.offset_from(begins[part]) as usize;
        [length(end_1, 0), length(end_2, 1), length(end_3, 2), length(end_4, 3)]
    }
}
