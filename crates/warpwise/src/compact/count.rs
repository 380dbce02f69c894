//! How many elements are kept.

use super::Condition;
use super::sift::Keep;
use crate::Element;
use crate::simd::ahead::Ahead;
use crate::simd::{Body, Level};

/// Elements, or bytes of a mask, that are looked at together.
const STEP: usize = 64;

/// Steps after which numbers of 8 bits are added up.
const MOST: usize = 255;

/// How many of these elements are kept.
pub(super) fn count<T: Element>(level: Level, xs: &[T], keep: Keep<'_, T>) -> usize {
    match keep {
        Keep::Where(Condition::Equal(value)) => level.run(Count { values: xs, keeps: |x: T| x == value }),
        Keep::Where(Condition::NotEqual(value)) => level.run(Count { values: xs, keeps: |x: T| x != value }),
        Keep::Where(Condition::Less(value)) => level.run(Count { values: xs, keeps: |x: T| x < value }),
        Keep::Where(Condition::Greater(value)) => level.run(Count { values: xs, keeps: |x: T| x > value }),
        Keep::Mask(mask) => level.run(Count { values: mask, keeps: |byte: u8| byte != 0 }),
    }
}

struct Count<'a, T, F> {
    values: &'a [T],
    keeps: F,
}

impl<T: Element, F: Fn(T) -> bool> Body for Count<'_, T, F> {
    type Output = usize;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> usize {
        let ahead = Ahead::within(self.values);
        let mut total = 0;
        for some in self.values.chunks(MOST * STEP) {
            let (steps, rest) = some.as_chunks::<STEP>();
            if size_of::<T>() == 1 {
                total += lanes::<u8, _, _>(steps, ahead, &self.keeps, |count, kept| count + u8::from(kept));
            } else {
                total += lanes::<u32, _, _>(steps, ahead, &self.keeps, |count, kept| count + u32::from(kept));
            }
            total += rest.iter().filter(|&&x| (self.keeps)(x)).count();
        }
        total
    }
}

/// A number for each lane of a step, of a type that suits the elements.
#[inline(always)]
fn lanes<N: Copy + Default + Into<u32>, T: Element, F: Fn(T) -> bool>(
    steps: &[[T; STEP]],
    ahead: Ahead,
    keeps: &F,
    plus: impl Fn(N, bool) -> N,
) -> usize {
    let mut counts = [N::default(); STEP];
    for step in steps {
        ahead.of(step);
        for (count, &x) in counts.iter_mut().zip(step) {
            *count = plus(*count, keeps(x));
        }
    }
    counts.into_iter().map(|count| count.into() as usize).sum()
}
