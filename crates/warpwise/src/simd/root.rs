//! Square roots.
//!
//! The instruction for them is slow on many hosts: a root every clock or less. AVX-512 has an estimate of 1/sqrt(x)
//! that is good to 14 bits, and one of Newton's steps with fused multiply-adds, then one more for the rest, makes the
//! correctly rounded root of it in less than half the time.

use super::Level;

/// The roots of all numbers, correctly rounded.
///
/// # Safety
///
/// The host must have the instructions of the level.
#[inline(always)]
pub(crate) unsafe fn square_roots<const N: usize>(level: Level, from: &[f32; N], to: &mut [f32; N]) {
    #[cfg(target_arch = "x86_64")]
    if let Level::Avx512(_) = level {
        const { assert!(N.is_multiple_of(x86::TOGETHER)) };
        for i in (0..N).step_by(x86::TOGETHER) {
            // SAFETY: guaranteed by the caller, and there are that many numbers.
            unsafe { x86::square_roots(from.as_ptr().add(i), to.as_mut_ptr().add(i)) };
        }
        return;
    }
    let _ = level;
    for (to, x) in to.iter_mut().zip(from) {
        *to = x.sqrt();
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    /// Numbers taken together.
    pub(super) const TOGETHER: usize = 4 * LANES;
    const LANES: usize = 16;

    /// Bits of numbers that are neither special nor so small that what is left of them after the first root would lose
    /// bits: from 2^-100 on, and finite.
    const FIRST: i32 = (127 - 100) << 23;
    const COUNT: i32 = 0x7f80_0000 - FIRST;

    /// # Safety
    ///
    /// Both must be valid for [`TOGETHER`] numbers.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn square_roots(from: *const f32, to: *mut f32) {
        let mut numbers = [_mm512_setzero_ps(); TOGETHER / LANES];
        let mut usual = !0;
        for (i, x) in numbers.iter_mut().enumerate() {
            // SAFETY: guaranteed by the caller.
            *x = unsafe { _mm512_loadu_ps(from.add(i * LANES)) };
            usual &= are_usual(*x);
        }
        for (i, &x) in numbers.iter().enumerate() {
            let roots = if usual == !0 { of_usual(x) } else { _mm512_sqrt_ps(x) };
            // SAFETY: guaranteed by the caller.
            unsafe { _mm512_storeu_ps(to.add(i * LANES), roots) };
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn are_usual(x: __m512) -> __mmask16 {
        let place = _mm512_sub_epi32(_mm512_castps_si512(x), _mm512_set1_epi32(FIRST));
        _mm512_cmplt_epu32_mask(place, _mm512_set1_epi32(COUNT))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn of_usual(x: __m512) -> __m512 {
        let estimate = _mm512_rsqrt14_ps(x);
        let half = _mm512_set1_ps(0.5);
        // The root, and half of one over it.
        let (root, inverse) = (_mm512_mul_ps(x, estimate), _mm512_mul_ps(estimate, half));
        let error = _mm512_fnmadd_ps(root, inverse, half);
        let (root, inverse) = (_mm512_fmadd_ps(root, error, root), _mm512_fmadd_ps(inverse, error, inverse));
        let rest = _mm512_fnmadd_ps(root, root, x);
        _mm512_fmadd_ps(rest, inverse, root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the numbers of these bits, which are a multiple of 64.
    fn check(level: Level, bits: impl Iterator<Item = u32>) {
        let numbers: Vec<f32> = bits.map(f32::from_bits).collect();
        for numbers in numbers.as_chunks::<64>().0 {
            let mut roots = [f32::NAN; 64];
            // SAFETY: the level is one of this host's.
            unsafe { square_roots(level, numbers, &mut roots) };
            for (x, root) in numbers.iter().zip(roots) {
                let expected = x.sqrt();
                let is_same = root.to_bits() == expected.to_bits() || root.is_nan() && expected.is_nan();
                assert!(is_same, "the root of {x:e} is {expected:e}, and not {root:e}, with {}", level.name());
            }
        }
    }

    #[test]
    fn roots_are_correctly_rounded() {
        for level in Level::available() {
            // Every mantissa, with an even and an odd exponent.
            check(level, 1.0_f32.to_bits()..4.0_f32.to_bits());
            // Numbers of all sizes, also special ones, alone and among others.
            check(level, (0..1 << 22).map(|i: u32| i.wrapping_mul(1021)));
            check(
                level,
                (0..1 << 16)
                    .map(|i: u32| if i.is_multiple_of(67) { i.wrapping_mul(0x0123_4567) } else { 0x4000_0000 + i }),
            );
        }
    }
}
