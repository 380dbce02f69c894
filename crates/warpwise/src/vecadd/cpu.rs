//! Vector add on the CPU.

use super::check;
use crate::simd::{Body, Level};
use crate::{Element, Error, threads};

/// Elements that one task adds.
const TASK: usize = 1 << 15;

/// The sum of two vectors.
///
/// # Errors
///
/// [`Error::Length`] when the lengths differ.
///
/// ```
/// let mut out = [0; 3];
/// warpwise::vecadd::cpu::seq(&[1, 2, 3], &[10, 20, 30], &mut out)?;
/// assert_eq!(out, [11, 22, 33]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn seq<T: Element>(a: &[T], b: &[T], out: &mut [T]) -> Result<(), Error> {
    check(a, b, out)?;
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = a.plus(*b);
    }
    Ok(())
}

/// The sum of two vectors, on all cores.
///
/// # Errors
///
/// As for [`seq`].
///
/// ```
/// let mut out = [0.0; 3];
/// warpwise::vecadd::cpu::par(&[1.0, 2.0, 3.0], &[0.5; 3], &mut out)?;
/// assert_eq!(out, [1.5, 2.5, 3.5]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn par<T: Element>(a: &[T], b: &[T], out: &mut [T]) -> Result<(), Error> {
    par_at(Level::current(), a, b, out)
}

pub(crate) fn par_at<T: Element>(level: Level, a: &[T], b: &[T], out: &mut [T]) -> Result<(), Error> {
    check(a, b, out)?;
    // One core moves some 36 bytes in a nanosecond.
    threads::for_each_chunk(out, TASK, size_of_val(a) / 12, |i, out| {
        let range = i * TASK..i * TASK + out.len();
        level.run(Add { a: &a[range.clone()], b: &b[range], out });
    });
    Ok(())
}

struct Add<'a, T> {
    a: &'a [T],
    b: &'a [T],
    out: &'a mut [T],
}

impl<T: Element> Body for Add<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        for ((out, a), b) in self.out.iter_mut().zip(self.a).zip(self.b) {
            *out = a.plus(*b);
        }
    }
}
