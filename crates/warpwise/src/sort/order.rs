//! How keys of every type are ordered: as unsigned integers that stand for them.

use super::cpu::{self, Along, How, record::Joins};
use crate::Element;

mod sealed {
    pub trait Sealed {}
}

/// A type whose elements can be sorted: `u8`, `u16`, `u32`, `i32`, `u64`, `i64`, `f32` or `f64`.
///
/// ```
/// use warpwise::sort::{Key, sort};
///
/// fn median<K: Key>(xs: &[K]) -> Result<K, warpwise::Error> {
///     Ok(sort(&warpwise::Device::cpu(), xs)?[xs.len() / 2])
/// }
/// assert_eq!(median(&[0.5, -1.0, 8.0]), Ok(0.5));
/// ```
pub trait Key: Element + sealed::Sealed {
    /// The unsigned integer that holds what stands for a key: `u32`, or `u64` for types of eight bytes.
    #[doc(hidden)]
    type Word: Word;
    /// What stands for a key: other keys have others, in the order of the keys.
    #[doc(hidden)]
    fn ordered(self) -> Self::Word;
    /// The key that a word stands for.
    #[doc(hidden)]
    fn restored(word: Self::Word) -> Self;
    /// Bits of a word that are used.
    #[doc(hidden)]
    const BITS: u32 = 8 * size_of::<Self>() as u32;
    /// What kernels call the order.
    #[doc(hidden)]
    const KIND: u32;
    // A method of the type, so that it is compiled here, once, and not again in every program that calls it.
    #[doc(hidden)]
    fn sort_on_host(how: How, keys: &[Self], out: Option<&mut [Self]>, along: Along<'_>);
}

/// A type whose elements can go along with keys: `i32`, `u32`, `i64`, `u64`, `f32` or `f64`.
///
/// ```
/// use warpwise::sort::{Value, pairs};
///
/// fn by_age<V: Value>(ages: &[u8], values: &[V]) -> Result<Vec<V>, warpwise::Error> {
///     Ok(pairs(&warpwise::Device::cpu(), ages, values)?.1)
/// }
/// assert_eq!(by_age(&[40, 7], &[1.5, 2.5]), Ok(vec![2.5, 1.5]));
/// ```
pub trait Value: Element {}

impl Value for i32 {}
impl Value for u32 {}
impl Value for i64 {}
impl Value for u64 {}
impl Value for f32 {}
impl Value for f64 {}

/// An unsigned integer that stands for keys.
pub trait Word: Copy + Ord + Into<u64> + std::ops::BitXor<Output = Self> + Send + Sync + 'static {
    /// What is sorted where nothing goes along with keys, and where 32 or 64 bits do.
    type Alone: Joins<Self, ()>;
    type With32: Joins<Self, u32>;
    type With64: Joins<Self, u64>;
    /// As many bits, all set.
    fn ones(bits: u32) -> Self;
}

macro_rules! word {
    ($($t:ident $with32:ident $with64:ident),*) => {$(
        impl Word for $t {
            type Alone = $t;
            type With32 = $with32;
            type With64 = $with64;

            fn ones(bits: u32) -> Self {
                if bits == 0 { 0 } else { $t::MAX >> ($t::BITS - bits) }
            }
        }
    )*};
}
word!(u32 u64 u128, u64 u128 u128);

/// The kinds of order, as kernels number them; see `order.cuh`.
const UNSIGNED: u32 = 0;
const SIGNED: u32 = 1;
const FLOAT: u32 = 2;
/// Added to a kind: from the highest key to the lowest.
pub(super) const DESCENDING: u32 = 4;

macro_rules! unsigned {
    ($($t:ident $word:ident),*) => {$(
        impl sealed::Sealed for $t {}
        impl Key for $t {
            type Word = $word;
            const KIND: u32 = UNSIGNED;

            #[inline(always)]
            fn ordered(self) -> $word {
                $word::from(self)
            }
            #[inline(always)]
            fn restored(word: $word) -> Self {
                word as $t
            }

            fn sort_on_host(how: How, keys: &[$t], out: Option<&mut [$t]>, along: Along<'_>) {
                cpu::run(how, keys, out, along);
            }
        }
    )*};
}
unsigned!(u8 u32, u16 u32, u32 u32, u64 u64);

macro_rules! signed {
    ($($t:ident $word:ident),*) => {$(
        impl sealed::Sealed for $t {}
        impl Key for $t {
            type Word = $word;
            const KIND: u32 = SIGNED;

            #[inline(always)]
            fn ordered(self) -> $word {
                (self ^ $t::MIN) as $word
            }
            #[inline(always)]
            fn restored(word: $word) -> Self {
                word as $t ^ $t::MIN
            }

            fn sort_on_host(how: How, keys: &[$t], out: Option<&mut [$t]>, along: Along<'_>) {
                cpu::run(how, keys, out, along);
            }
        }
    )*};
}
signed!(i32 u32, i64 u64);

macro_rules! float {
    ($($t:ident $word:ident $signed:ident),*) => {$(
        impl sealed::Sealed for $t {}
        impl Key for $t {
            type Word = $word;
            const KIND: u32 = FLOAT;

            // The bits of a positive float are in its order, those of a negative one in the opposite order. NaNs with a
            // sign would come before minus infinity: what stands for that one is subtracted, and they wrap around.
            #[inline(always)]
            fn ordered(self) -> $word {
                let bits = self.to_bits();
                let flip = ((bits as $signed) >> ($word::BITS - 1)) as $word | (1 << ($word::BITS - 1));
                (bits ^ flip).wrapping_sub(!$t::NEG_INFINITY.to_bits())
            }
            #[inline(always)]
            fn restored(word: $word) -> Self {
                let bits = word.wrapping_add(!$t::NEG_INFINITY.to_bits());
                let flip = !((bits as $signed) >> ($word::BITS - 1)) as $word | (1 << ($word::BITS - 1));
                Self::from_bits(bits ^ flip)
            }

            fn sort_on_host(how: How, keys: &[$t], out: Option<&mut [$t]>, along: Along<'_>) {
                cpu::run(how, keys, out, along);
            }
        }
    )*};
}
float!(f32 u32 i32, f64 u64 i64);

/// Sorts elements of any type on the CPU, all of which are keys.
pub(crate) fn in_place<T: Element>(elements: &mut [T], descending: bool) {
    by_name(T::NAME, bytemuck::cast_slice_mut(elements), descending);
}

fn by_name(name: &str, elements: &mut [u8], descending: bool) {
    fn keys<K: Key>(elements: &mut [u8], descending: bool) {
        let sorted: &mut [K] = bytemuck::cast_slice_mut(elements);
        let keys = sorted.to_vec();
        K::sort_on_host(How { descending, in_parallel: true }, &keys, Some(sorted), Along::Nothing);
    }
    match name {
        u8::NAME => keys::<u8>(elements, descending),
        u16::NAME => keys::<u16>(elements, descending),
        u32::NAME => keys::<u32>(elements, descending),
        i32::NAME => keys::<i32>(elements, descending),
        u64::NAME => keys::<u64>(elements, descending),
        i64::NAME => keys::<i64>(elements, descending),
        f32::NAME => keys::<f32>(elements, descending),
        _ => keys::<f64>(elements, descending),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_order<K: Key>(keys: &[K]) {
        assert!(keys.windows(2).all(|two| two[0].ordered() < two[1].ordered()), "{keys:?}");
        for &key in keys {
            let back = K::restored(key.ordered());
            assert_eq!(bytemuck::bytes_of(&back), bytemuck::bytes_of(&key), "{key}");
        }
    }

    #[test]
    fn words_are_in_the_order_of_keys_and_keys_come_back() {
        in_order::<u8>(&[0, 1, 127, 128, 255]);
        in_order::<u16>(&[0, 1, 0x7fff, 0x8000, 0xffff]);
        in_order::<u32>(&[0, 1, u32::MAX / 2, u32::MAX]);
        in_order::<u64>(&[0, 1, u64::MAX]);
        in_order::<i32>(&[i32::MIN, -1, 0, 1, i32::MAX]);
        in_order::<i64>(&[i64::MIN, -1, 0, 1, i64::MAX]);
        let nan = f32::from_bits(0xffc0_0000);
        in_order(&[f32::NEG_INFINITY, f32::MIN, -1e-40, -0.0, 0.0, 1e-40, f32::MAX, f32::INFINITY, f32::NAN, nan]);
        let nan = f64::from_bits(0xfff8 << 48);
        in_order(&[f64::NEG_INFINITY, f64::MIN, -1.0, -0.0, 0.0, 1.0, f64::MAX, f64::INFINITY, f64::NAN, nan]);
    }
}
