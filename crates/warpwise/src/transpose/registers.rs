//! Squares of elements turned in vector registers.
//!
//! Elements are moved as they are, so that only their width matters.

use std::arch::x86_64::*;

use crate::simd::Level;

/// Turns `rows` x `columns` elements from one place to another; distances from row to row are in bytes.
#[derive(Clone, Copy)]
pub(super) struct Square {
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// # Safety
    ///
    /// The host must have the instructions of the level, and both places so many rows and columns.
    pub(super) turn: unsafe fn(*const u8, usize, *mut u8, usize),
}

/// The largest square for elements of so many bytes, if the level has registers for it.
pub(super) fn square(level: Level, bytes: usize) -> Option<Square> {
    let square = |rows, columns, turn| Some(Square { rows, columns, turn });
    match (level, bytes) {
        (Level::Base, 1) => square(16, 16, bytes_16),
        (Level::Avx2(_), 1) => square(16, 32, bytes_32),
        (Level::Avx512(_), 1) => square(16, 64, bytes_64),
        (Level::Avx2(_), 4) => square(8, 8, words_8),
        (Level::Avx512(_), 4) => square(16, 16, words_16),
        (Level::Avx2(_), 8) => square(4, 4, doubles_4),
        (Level::Avx512(_), 8) => square(8, 8, doubles_8),
        _ => None,
    }
}

/// A stage of turning: the lower and the upper halves of neighbours, interleaved.
macro_rules! interleave {
    ($rows:ident, $distance:literal, $low:ident, $high:ident) => {
        for i in 0..$rows.len() {
            if i & $distance == 0 {
                let (a, b) = ($rows[i], $rows[i + $distance]);
                ($rows[i], $rows[i + $distance]) = ($low(a, b), $high(a, b));
            }
        }
    };
}

/// Sixteen rows of bytes, in every 16 bytes of a register: after four stages row `i` is column `reversed(i)`.
macro_rules! bytes {
    ($name:ident, $features:literal, $v:ty, $lanes:literal, $load:ident, $low_8:ident $high_8:ident $low_16:ident
     $high_16:ident $low_32:ident $high_32:ident $low_64:ident $high_64:ident, |$x:ident, $lane:ident| $part:expr) => {
        /// # Safety
        ///
        /// As for [`Square::turn`].
        #[target_feature(enable = $features)]
        unsafe fn $name(from: *const u8, stride: usize, to: *mut u8, to_stride: usize) {
            // SAFETY: there are 16 rows of a register.
            let mut rows: [$v; 16] = std::array::from_fn(|i| unsafe { $load(from.add(i * stride).cast()) });
            interleave!(rows, 1, $low_8, $high_8);
            interleave!(rows, 2, $low_16, $high_16);
            interleave!(rows, 4, $low_32, $high_32);
            interleave!(rows, 8, $low_64, $high_64);
            for (i, $x) in rows.into_iter().enumerate() {
                let column = usize::from((i as u8).reverse_bits() >> 4);
                for $lane in 0..$lanes {
                    // SAFETY: there are as many columns of 16 bytes as a register has bytes.
                    unsafe { _mm_storeu_si128(to.add(($lane * 16 + column) * to_stride).cast(), $part) };
                }
            }
        }
    };
}

bytes!(
    bytes_16, "sse2", __m128i, 1, _mm_loadu_si128,
    _mm_unpacklo_epi8 _mm_unpackhi_epi8 _mm_unpacklo_epi16 _mm_unpackhi_epi16
    _mm_unpacklo_epi32 _mm_unpackhi_epi32 _mm_unpacklo_epi64 _mm_unpackhi_epi64, |x, _lane| x
);
bytes!(
    bytes_32, "avx2", __m256i, 2, _mm256_loadu_si256,
    _mm256_unpacklo_epi8 _mm256_unpackhi_epi8 _mm256_unpacklo_epi16 _mm256_unpackhi_epi16
    _mm256_unpacklo_epi32 _mm256_unpackhi_epi32 _mm256_unpacklo_epi64 _mm256_unpackhi_epi64,
    |x, lane| if lane == 0 { _mm256_castsi256_si128(x) } else { _mm256_extracti128_si256::<1>(x) }
);
bytes!(
    bytes_64, "avx512f,avx512bw", __m512i, 4, _mm512_loadu_si512,
    _mm512_unpacklo_epi8 _mm512_unpackhi_epi8 _mm512_unpacklo_epi16 _mm512_unpackhi_epi16
    _mm512_unpacklo_epi32 _mm512_unpackhi_epi32 _mm512_unpacklo_epi64 _mm512_unpackhi_epi64,
    |x, lane| match lane {
        0 => _mm512_castsi512_si128(x),
        1 => _mm512_extracti32x4_epi32::<1>(x),
        2 => _mm512_extracti32x4_epi32::<2>(x),
        _ => _mm512_extracti32x4_epi32::<3>(x),
    }
);

/// Four registers of four parts of 16 bytes: part `i` of register `j` becomes part `j` of register `i`.
#[inline]
#[target_feature(enable = "avx512f")]
fn turn_parts_4([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let (even_ab, odd_ab) = (_mm512_shuffle_i32x4::<0x88>(a, b), _mm512_shuffle_i32x4::<0xdd>(a, b));
    let (even_cd, odd_cd) = (_mm512_shuffle_i32x4::<0x88>(c, d), _mm512_shuffle_i32x4::<0xdd>(c, d));
    [
        _mm512_shuffle_i32x4::<0x88>(even_ab, even_cd),
        _mm512_shuffle_i32x4::<0x88>(odd_ab, odd_cd),
        _mm512_shuffle_i32x4::<0xdd>(even_ab, even_cd),
        _mm512_shuffle_i32x4::<0xdd>(odd_ab, odd_cd),
    ]
}

/// The same of two registers of two parts.
#[inline]
#[target_feature(enable = "avx2")]
fn turn_parts_2([a, b]: [__m256i; 2]) -> [__m256i; 2] {
    [_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x31>(a, b)]
}

/// Rows of elements that are wider than a byte: turned within 16 bytes first, which are `$within` elements, then these
/// parts of registers as a whole.
macro_rules! elements {
    ($name:ident, $features:literal, $v:ty, $rows:literal, $parts:literal, $within:literal, $load:ident, $store:ident,
     $turn_parts:ident, $(($distance:literal $low:ident $high:ident))*, |$i:ident| $column:expr) => {
        /// # Safety
        ///
        /// As for [`Square::turn`].
        #[target_feature(enable = $features)]
        unsafe fn $name(from: *const u8, stride: usize, to: *mut u8, to_stride: usize) {
            // SAFETY: there are so many rows of a register.
            let mut rows: [$v; $rows] = std::array::from_fn(|i| unsafe { $load(from.add(i * stride).cast()) });
            $(interleave!(rows, $distance, $low, $high);)*
            for $i in 0..$within {
                let parts: [$v; $parts] = std::array::from_fn(|part| rows[part * $within + $i]);
                for (part, column) in $turn_parts(parts).into_iter().enumerate() {
                    // SAFETY: there are so many columns of a register.
                    unsafe { $store(to.add((part * $within + $column) * to_stride).cast(), column) };
                }
            }
        }
    };
}

elements!(
    words_8, "avx2", __m256i, 8, 2, 4, _mm256_loadu_si256, _mm256_storeu_si256, turn_parts_2,
    (1 _mm256_unpacklo_epi32 _mm256_unpackhi_epi32) (2 _mm256_unpacklo_epi64 _mm256_unpackhi_epi64),
    |i| [0, 2, 1, 3][i]
);
elements!(
    words_16, "avx512f", __m512i, 16, 4, 4, _mm512_loadu_si512, _mm512_storeu_si512, turn_parts_4,
    (1 _mm512_unpacklo_epi32 _mm512_unpackhi_epi32) (2 _mm512_unpacklo_epi64 _mm512_unpackhi_epi64),
    |i| [0, 2, 1, 3][i]
);
elements!(
    doubles_4, "avx2", __m256i, 4, 2, 2, _mm256_loadu_si256, _mm256_storeu_si256, turn_parts_2,
    (1 _mm256_unpacklo_epi64 _mm256_unpackhi_epi64), |i| i
);
elements!(
    doubles_8, "avx512f", __m512i, 8, 4, 2, _mm512_loadu_si512, _mm512_storeu_si512, turn_parts_4,
    (1 _mm512_unpacklo_epi64 _mm512_unpackhi_epi64), |i| i
);
