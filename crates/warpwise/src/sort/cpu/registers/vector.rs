//! Vector registers of unsigned integers.

use std::arch::x86_64::*;

/// The lanes of a register, one bit each, from the lowest.
pub(super) type Bits = u16;

/// A register of unsigned integers. All functions need AVX-512 (F, DQ, BW, VL).
pub(super) trait Vector: Copy {
    type Word: Copy + Default + Ord;
    /// Words in a register.
    const LANES: usize;
    /// A register whose words are above all others.
    unsafe fn highest() -> Self;
    unsafe fn load(from: *const Self::Word) -> Self;
    /// Loads the first lanes; the others stay.
    unsafe fn load_first(self, from: *const Self::Word, lanes: usize) -> Self;
    /// Loads words that are that far from each other.
    unsafe fn load_every(step: usize, from: *const Self::Word) -> Self;
    unsafe fn store(self, to: *mut Self::Word);
    /// Stores the first lanes.
    unsafe fn store_first(self, to: *mut Self::Word, lanes: usize);
    unsafe fn smaller(self, other: Self) -> Self;
    unsafe fn larger(self, other: Self) -> Self;
    /// The word of a lane in all lanes.
    unsafe fn all<const LANE: usize>(self) -> Self;
    /// Each lane from the one whose number differs in the bits of `X`.
    unsafe fn partners<const X: usize>(self) -> Self;
    /// Lanes of two registers in turns: of their first halves, and of their second halves.
    unsafe fn in_turns(self, other: Self) -> (Self, Self);
    /// The lanes with a bit from the second, the others from the first.
    unsafe fn blend(bits: Bits, first: Self, second: Self) -> Self;
    /// A bit for each lane that is below another's.
    unsafe fn below(self, other: Self) -> Bits;
    /// The lanes with a bit, side by side.
    unsafe fn compress(self, bits: Bits) -> Self;
}

macro_rules! vector {
    (
        $(#[$doc:meta])* $name:ident $word:ident $index:ident $lanes:literal $mask:ident
        $set:ident $load_first:ident $gather:ident $store_first:ident $min:ident $max:ident
        $permute:ident $permute_2:ident $blend:ident $below:ident $compress:ident
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $name(__m512i);

        impl $name {
            /// A permutation of lanes, from where each of them comes.
            #[inline(always)]
            unsafe fn from(places: [$word; $lanes]) -> __m512i {
                // SAFETY: guaranteed by the caller, as in all of these functions; there are as many places as lanes.
                unsafe { _mm512_loadu_si512(places.as_ptr().cast()) }
            }
        }

        impl Vector for $name {
            type Word = $word;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn highest() -> Self {
                // SAFETY: as above.
                Self(unsafe { $set(-1) })
            }
            #[inline(always)]
            unsafe fn load(from: *const $word) -> Self {
                // SAFETY: as above.
                Self(unsafe { _mm512_loadu_si512(from.cast()) })
            }
            #[inline(always)]
            unsafe fn load_first(self, from: *const $word, lanes: usize) -> Self {
                // SAFETY: as above.
                Self(unsafe { $load_first(self.0, ((1_u32 << lanes) - 1) as $mask, from.cast()) })
            }
            #[inline(always)]
            unsafe fn load_every(step: usize, from: *const $word) -> Self {
                const LANES: [$word; $lanes] = {
                    let (mut lanes, mut lane) = ([0; $lanes], 0);
                    while lane < $lanes {
                        lanes[lane] = lane as $word;
                        lane += 1;
                    }
                    lanes
                };
                // SAFETY: as above.
                Self(unsafe { $gather(Self::from(LANES), step, from) })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $word) {
                // SAFETY: as above.
                unsafe { _mm512_storeu_si512(to.cast(), self.0) }
            }
            #[inline(always)]
            unsafe fn store_first(self, to: *mut $word, lanes: usize) {
                // SAFETY: as above.
                unsafe { $store_first(to.cast(), ((1_u32 << lanes) - 1) as $mask, self.0) }
            }
            #[inline(always)]
            unsafe fn smaller(self, other: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { $min(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn larger(self, other: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { $max(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn all<const LANE: usize>(self) -> Self {
                // SAFETY: as above.
                Self(unsafe { $permute($set(LANE as $index), self.0) })
            }
            #[inline(always)]
            unsafe fn partners<const X: usize>(self) -> Self {
                const fn places<const X: usize>() -> [$word; $lanes] {
                    let (mut places, mut lane) = ([0; $lanes], 0);
                    while lane < $lanes {
                        places[lane] = (lane ^ X) as $word;
                        lane += 1;
                    }
                    places
                }
                // SAFETY: as above.
                Self(unsafe { $permute(Self::from(const { places::<X>() }), self.0) })
            }
            #[inline(always)]
            unsafe fn in_turns(self, other: Self) -> (Self, Self) {
                const fn places(first: usize) -> [$word; $lanes] {
                    let (mut places, mut lane) = ([0; $lanes], 0);
                    while lane < $lanes {
                        places[lane] = (first + lane / 2 + lane % 2 * $lanes) as $word;
                        lane += 1;
                    }
                    places
                }
                // SAFETY: as above.
                unsafe {
                    let [first, second] =
                        [Self::from(const { places(0) }), Self::from(const { places($lanes / 2) })];
                    (Self($permute_2(self.0, first, other.0)), Self($permute_2(self.0, second, other.0)))
                }
            }
            #[inline(always)]
            unsafe fn blend(bits: Bits, first: Self, second: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { $blend(bits as $mask, first.0, second.0) })
            }
            #[inline(always)]
            unsafe fn below(self, other: Self) -> Bits {
                // SAFETY: as above.
                Bits::from(unsafe { $below(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn compress(self, bits: Bits) -> Self {
                // SAFETY: as above.
                Self(unsafe { $compress(bits as $mask, self.0) })
            }
        }
    };
}

vector! {
    /// Words of 32 bits.
    Words u32 i32 16 u16
    _mm512_set1_epi32 _mm512_mask_loadu_epi32 every_word _mm512_mask_storeu_epi32 _mm512_min_epu32 _mm512_max_epu32
    _mm512_permutexvar_epi32 _mm512_permutex2var_epi32 _mm512_mask_blend_epi32 _mm512_cmplt_epu32_mask
    _mm512_maskz_compress_epi32
}
vector! {
    /// Words of 64 bits.
    Longs u64 i64 8 u8
    _mm512_set1_epi64 _mm512_mask_loadu_epi64 every_long _mm512_mask_storeu_epi64 _mm512_min_epu64 _mm512_max_epu64
    _mm512_permutexvar_epi64 _mm512_permutex2var_epi64 _mm512_mask_blend_epi64 _mm512_cmplt_epu64_mask
    _mm512_maskz_compress_epi64
}

/// Words that are that far from each other; they must be within 2^31 of the first.
#[inline(always)]
unsafe fn every_word(lanes: __m512i, step: usize, from: *const u32) -> __m512i {
    // SAFETY: guaranteed by the caller.
    unsafe { _mm512_i32gather_epi32::<4>(_mm512_mullo_epi32(lanes, _mm512_set1_epi32(step as i32)), from.cast()) }
}

#[inline(always)]
unsafe fn every_long(lanes: __m512i, step: usize, from: *const u64) -> __m512i {
    // SAFETY: guaranteed by the caller.
    unsafe { _mm512_i64gather_epi64::<8>(_mm512_mullo_epi64(lanes, _mm512_set1_epi64(step as i64)), from.cast()) }
}
