//! What is sorted: a key as an unsigned integer, in the upper bits, and what goes along with it, in the lower ones.

#[cfg(target_arch = "x86_64")]
use crate::simd::Level;
use crate::sort::order::Word;

/// A key and what goes along with it, as one unsigned integer.
pub trait Record: bytemuck::Pod + Default + Ord + Send + Sync {
    /// Bits of a record.
    const BITS: u32;
    /// As many of the bits from `shift` on as a mask has; those of what the record is above `base`.
    fn digit(self, base: Self, shift: u32, mask: usize) -> usize;
    /// The bits from `shift` on, and nothing below them.
    fn above(self, shift: u32) -> Self;
    /// The record with these upper bits.
    fn with_upper(bits: usize, shift: u32) -> Self;
    /// Sorts records by all their bits in vector registers, with [room](super::digits::ROOM) beside them; `false`, with
    /// nothing done, where the host or the type has no way to.
    fn sort_in_registers(records: &mut [Self], room: &mut [Self]) -> bool;
}

macro_rules! record {
    ($($t:ident $sort_in_registers:expr;)*) => {$(
        impl Record for $t {
            const BITS: u32 = $t::BITS;

            #[inline(always)]
            fn digit(self, base: Self, shift: u32, mask: usize) -> usize {
                (self.wrapping_sub(base) >> shift) as usize & mask
            }
            #[inline(always)]
            fn above(self, shift: u32) -> Self {
                self >> shift
            }
            #[inline(always)]
            fn with_upper(bits: usize, shift: u32) -> Self {
                (bits as $t) << shift
            }
            fn sort_in_registers(records: &mut [Self], room: &mut [Self]) -> bool {
                $sort_in_registers(records, room)
            }
        }
    )*};
}
record! {
    u32 words_in_registers;
    u64 longs_in_registers;
    u128 |_, _| false;
}

macro_rules! in_registers {
    ($($name:ident $t:ident $sort:ident;)*) => {$(
        fn $name(records: &mut [$t], room: &mut [$t]) -> bool {
            #[cfg(target_arch = "x86_64")]
            if matches!(Level::current(), Level::Avx512(_)) {
                // SAFETY: the level says that the host has the instructions.
                unsafe { super::registers::$sort(records, room) };
                return true;
            }
            let _ = (records, room);
            false
        }
    )*};
}
in_registers! {
    words_in_registers u32 words;
    longs_in_registers u64 longs;
}

/// How a key and what goes along with it become a record.
pub trait Joins<W: Word, P>: Record {
    /// The lowest bit of the key.
    const LOW: u32;
    fn join(word: W, payload: P) -> Self;
    fn split(self) -> (W, P);
}

impl Joins<u32, ()> for u32 {
    const LOW: u32 = 0;
    #[inline(always)]
    fn join(word: u32, (): ()) -> Self {
        word
    }
    #[inline(always)]
    fn split(self) -> (u32, ()) {
        (self, ())
    }
}

impl Joins<u64, ()> for u64 {
    const LOW: u32 = 0;
    #[inline(always)]
    fn join(word: u64, (): ()) -> Self {
        word
    }
    #[inline(always)]
    fn split(self) -> (u64, ()) {
        (self, ())
    }
}

macro_rules! joins {
    ($($record:ident = $word:ident $payload:ident, $low:literal;)*) => {$(
        impl Joins<$word, $payload> for $record {
            const LOW: u32 = $low;
            #[inline(always)]
            fn join(word: $word, payload: $payload) -> Self {
                $record::from(word) << $low | $record::from(payload)
            }
            #[inline(always)]
            fn split(self) -> ($word, $payload) {
                ((self >> $low) as $word, self as $payload)
            }
        }
    )*};
}
joins! {
    u64 = u32 u32, 32;
    u128 = u32 u64, 64;
    u128 = u64 u32, 64;
    u128 = u64 u64, 64;
}
