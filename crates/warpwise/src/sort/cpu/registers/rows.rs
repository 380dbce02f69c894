//! Words sorted in columns of registers, written row by row.

use super::vector::Vector;

/// How many of the registers are full, where words fit that many and not the next smaller number.
pub(super) const fn full(registers: usize) -> usize {
    if registers == 12 { 8 } else { registers / 2 }
}

/// How many of so many words are in a register.
#[inline(always)]
pub(super) fn held<V: Vector>(words: usize, register: usize) -> usize {
    words.saturating_sub(register * V::LANES).min(V::LANES)
}

/// Writes the first words of columns, one column after the other.
#[inline(always)]
pub(super) unsafe fn store<V: Vector, const N: usize>(v: [V; N], to: *mut V::Word, n: usize) {
    // SAFETY: guaranteed by the caller; there is room for that many words.
    unsafe {
        if N != 12 {
            return write(in_rows(v), to, n);
        }
        // Columns of 16, each put over what is behind the end of the one before.
        let (mut columns, mut i) = ([V::highest(); 16], 0);
        while i < N {
            columns[i] = v[i];
            i += 1;
        }
        let (rows, each) = (in_rows(columns), 16 / V::LANES);
        let mut lines = [V::highest(); 13];
        let words = lines.as_mut_ptr().cast::<V::Word>();
        i = 0;
        while i < 16 {
            rows[i].store(words.add(i / each * N + i % each * V::LANES));
            i += 1;
        }
        let mut first = v;
        i = 0;
        while i < N {
            first[i] = lines[i];
            i += 1;
        }
        write(first, to, n);
    }
}

/// The first words of registers to where they go.
#[inline(always)]
unsafe fn write<V: Vector, const N: usize>(v: [V; N], to: *mut V::Word, n: usize) {
    // SAFETY: guaranteed by the caller; there is room for that many words.
    unsafe {
        let mut i = 0;
        while i < N {
            let to = to.wrapping_add(i * V::LANES);
            if i < const { full(N) } {
                v[i].store(to);
            } else {
                v[i].store_first(to, held::<V>(n, i));
            }
            i += 1;
        }
    }
}

/// From the order of columns to the order of rows: with each step, the uppermost bit of the number of a column becomes one
/// of the number of a row.
#[inline(always)]
unsafe fn in_rows<V: Vector, const N: usize>(mut v: [V; N]) -> [V; N] {
    // SAFETY: as above.
    unsafe {
        if N >= 16 {
            v = turned::<V, N, 8>(v);
        }
        if N >= 8 {
            v = turned::<V, N, 4>(v);
        }
        if N >= 4 {
            v = turned::<V, N, 2>(v);
        }
        if N >= 2 {
            v = turned::<V, N, 1>(v);
        }
        v
    }
}

#[inline(always)]
unsafe fn turned<V: Vector, const N: usize, const D: usize>(mut v: [V; N]) -> [V; N] {
    // SAFETY: as above.
    unsafe {
        let mut i = 0;
        while i < N {
            if i & D == 0 {
                (v[i], v[i + D]) = v[i].in_turns(v[i + D]);
            }
            i += 1;
        }
        v
    }
}
