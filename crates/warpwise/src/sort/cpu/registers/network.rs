//! A few words, sorted in registers.
//!
//! Registers are rows, and a word's place is counted down the columns. First each column is sorted, by comparing whole
//! registers. Then runs of 1, 2, 4 columns, and so on, are merged two by two: the second run is taken backwards, so that
//! the smaller words of all pairs belong to the first run, and both are bitonic; what is left to compare is again in whole
//! registers, but for the columns of a run. At last, [rows and columns change places](rows).

use super::rows;
use super::vector::{Bits, Vector};

/// Functions that sort words that fit so many registers, but not the next smaller number: the registers, and the
/// comparisons that sort a column.
macro_rules! few {
    ($($name:ident $n:literal $($first:literal $second:literal),*;)*) => {$(
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
        unsafe fn $name<V: Vector>(from: *const V::Word, n: usize, to: *mut V::Word) {
            // SAFETY: guaranteed by the caller; the words are all read before any is written.
            unsafe {
                #[allow(unused_mut)]
                let mut v = load::<V, $n>(from, n);
                $((v[$first], v[$second]) = (v[$first].smaller(v[$second]), v[$first].larger(v[$second]));)*
                rows::store(merged(v), to, n);
            }
        }
    )*};
}
few! {
    one 1;
    two 2 0 1;
    four 4 0 1, 2 3, 0 2, 1 3, 1 2;
    eight 8
        0 1, 2 3, 4 5, 6 7, 0 2, 1 3, 4 6, 5 7, 1 2, 5 6, 0 4, 1 5, 2 6, 3 7, 2 4, 3 5, 1 2, 3 4, 5 6;
    twelve 12
        0 8, 1 7, 2 6, 3 11, 4 10, 5 9, 0 1, 2 5, 3 4, 6 9, 7 8, 10 11, 0 2, 1 6, 5 10, 9 11, 0 3, 1 2, 4 6, 5 7,
        8 11, 9 10, 1 4, 3 5, 6 8, 7 10, 1 3, 2 5, 6 9, 8 10, 2 3, 4 5, 6 7, 8 9, 4 6, 5 7, 3 4, 5 6, 7 8;
    sixteen 16
        0 1, 2 3, 4 5, 6 7, 8 9, 10 11, 12 13, 14 15, 0 2, 1 3, 4 6, 5 7, 8 10, 9 11, 12 14, 13 15,
        0 4, 1 5, 2 6, 3 7, 8 12, 9 13, 10 14, 11 15, 0 8, 1 9, 2 10, 3 11, 4 12, 5 13, 6 14, 7 15,
        5 10, 6 9, 3 12, 13 14, 4 8, 7 11, 1 2, 1 4, 7 13, 2 8, 11 14, 2 4, 5 6, 9 10, 11 13, 3 8, 7 12,
        6 8, 10 12, 3 5, 7 9, 3 4, 5 6, 7 8, 9 10, 11 12, 6 7, 8 9;
}

/// The registers of the most words that are sorted here.
pub(super) const MOST: usize = 16;

/// Sorts words that fit the registers, from one place to another, or to the same one.
///
/// # Safety
///
/// The host must have AVX-512 (F, DQ, BW, VL), and there must be that many words, and room for them.
#[inline(always)]
pub(super) unsafe fn sort<V: Vector>(from: *const V::Word, n: usize, to: *mut V::Word) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match n.div_ceil(V::LANES) {
            0 => {}
            1 => one::<V>(from, n, to),
            2 => two::<V>(from, n, to),
            3..=4 => four::<V>(from, n, to),
            5..=8 => eight::<V>(from, n, to),
            9..=12 => twelve::<V>(from, n, to),
            _ => sixteen::<V>(from, n, to),
        }
    }
}

/// A register in order.
#[inline(always)]
pub(super) unsafe fn sorted<V: Vector>(v: V) -> V {
    // SAFETY: guaranteed by the caller.
    unsafe { merged([v])[0] }
}

/// Words in registers, of which the first ones are full; what is left of the last ones is above all.
#[inline(always)]
unsafe fn load<V: Vector, const N: usize>(from: *const V::Word, n: usize) -> [V; N] {
    // SAFETY: guaranteed by the caller; there are that many words.
    unsafe {
        let mut v = [V::highest(); N];
        let mut i = 0;
        // No iterators: their closures would be compiled without the instructions.
        while i < N {
            let from = from.wrapping_add(i * V::LANES);
            v[i] =
                if i < const { rows::full(N) } { V::load(from) } else { v[i].load_first(from, rows::held::<V>(n, i)) };
            i += 1;
        }
        v
    }
}

/// Sorted columns, merged to one run.
#[inline(always)]
unsafe fn merged<V: Vector, const N: usize>(v: [V; N]) -> [V; N] {
    // SAFETY: guaranteed by the caller, as in all of these functions.
    unsafe {
        let v = settled(backwards::<V, N, 1>(v));
        let v = settled(across::<V, N, 1>(backwards::<V, N, 3>(v)));
        let v = settled(across::<V, N, 1>(across::<V, N, 2>(backwards::<V, N, 7>(v))));
        if V::LANES == 8 {
            return v;
        }
        settled(across::<V, N, 1>(across::<V, N, 2>(across::<V, N, 4>(backwards::<V, N, 15>(v)))))
    }
}

/// The lanes whose numbers have the highest bit of `x`.
const fn upper(x: usize) -> Bits {
    let (top, mut bits, mut lane) = (1 << x.ilog2(), 0, 0);
    while lane < 16 {
        if lane & top != 0 {
            bits |= 1 << lane;
        }
        lane += 1;
    }
    bits
}

/// Words put in order with those of columns whose numbers differ in all bits of `X`, from the last register to the first.
#[inline(always)]
unsafe fn backwards<V: Vector, const N: usize, const X: usize>(v: [V; N]) -> [V; N] {
    // SAFETY: as above.
    unsafe {
        let (mut result, mut i) = (v, 0);
        while i < N {
            let other = v[N - 1 - i].partners::<X>();
            result[i] = V::blend(const { upper(X) }, v[i].smaller(other), v[i].larger(other));
            i += 1;
        }
        result
    }
}

/// Words put in order with those of columns whose numbers differ in the bit of `X`, in the same register.
#[inline(always)]
unsafe fn across<V: Vector, const N: usize, const X: usize>(mut v: [V; N]) -> [V; N] {
    // SAFETY: as above.
    unsafe {
        let mut i = 0;
        while i < N {
            let other = v[i].partners::<X>();
            v[i] = V::blend(const { upper(X) }, v[i].smaller(other), v[i].larger(other));
            i += 1;
        }
        v
    }
}

/// Bitonic columns in order.
#[inline(always)]
unsafe fn settled<V: Vector, const N: usize>(mut v: [V; N]) -> [V; N] {
    // SAFETY: as above.
    unsafe {
        if N == 12 {
            return thirds(halves::<V, N, 3>(halves::<V, N, 6>(v)));
        }
        if N >= 16 {
            v = halves::<V, N, 8>(v);
        }
        if N >= 8 {
            v = halves::<V, N, 4>(v);
        }
        if N >= 4 {
            v = halves::<V, N, 2>(v);
        }
        if N >= 2 {
            v = halves::<V, N, 1>(v);
        }
        v
    }
}

/// Registers put in order with those that are `D` behind them.
#[inline(always)]
unsafe fn halves<V: Vector, const N: usize, const D: usize>(mut v: [V; N]) -> [V; N] {
    // SAFETY: as above.
    unsafe {
        let mut i = 0;
        while i < N {
            if (i / D).is_multiple_of(2) {
                (v[i], v[i + D]) = (v[i].smaller(v[i + D]), v[i].larger(v[i + D]));
            }
            i += 1;
        }
        v
    }
}

/// Three registers after the other put in order.
#[inline(always)]
unsafe fn thirds<V: Vector, const N: usize>(mut v: [V; N]) -> [V; N] {
    // SAFETY: as above.
    unsafe {
        let mut i = 0;
        while i < N {
            (v[i], v[i + 2]) = (v[i].smaller(v[i + 2]), v[i].larger(v[i + 2]));
            (v[i], v[i + 1]) = (v[i].smaller(v[i + 1]), v[i].larger(v[i + 1]));
            (v[i + 1], v[i + 2]) = (v[i + 1].smaller(v[i + 2]), v[i + 1].larger(v[i + 2]));
            i += 3;
        }
        v
    }
}
