//! Vectors of floats, for loops that subtract and look for the largest magnitude.
//!
//! Products and sums here are rounded separately, like those of [`Float`]: nothing is fused.

use super::{Lanes, Level, Vector};
use crate::Float;

/// A register full of floats.
///
/// # Safety of the methods
///
/// As for [`Vector`]: only a [`FloatKernel`] run by [`Level`] may call them.
pub(crate) trait FloatVector: Vector {
    unsafe fn minus(self, other: Self) -> Self;
    /// The larger of the two magnitudes in every lane. The treatment of NaN is unspecified: it may be lost.
    unsafe fn larger_magnitude(self, other: Self) -> Self;
    /// Like [`larger_magnitude`](FloatVector::larger_magnitude), but a NaN is larger than any number.
    unsafe fn larger_magnitude_or_nan(self, other: Self) -> Self;
}

/// A float type with registers at every level.
#[cfg(target_arch = "x86_64")]
pub(crate) trait FloatLanes: Lanes<Base: FloatVector, Avx2: FloatVector, Avx512: FloatVector> {}

/// A float type with registers at every level.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) trait FloatLanes: Lanes<Base: FloatVector> {}

impl FloatLanes for f32 {}
impl FloatLanes for f64 {}

/// A loop over registers of floats, to be compiled once for every level.
pub(crate) trait FloatKernel {
    /// The element type of the registers.
    type Element: Float;
    /// The result.
    type Output;
    /// Runs the loop; must be `#[inline(always)]`, and so must everything hot that it calls.
    ///
    /// # Safety
    ///
    /// The host must have the instructions of `V`.
    unsafe fn run<V: FloatVector<Element = Self::Element>>(self) -> Self::Output;
}

impl Level {
    /// Runs the copy of the loop that is compiled for this level.
    #[inline]
    pub(crate) fn run_floats<K: FloatKernel>(self, kernel: K) -> K::Output {
        match self {
            Self::Base => base(kernel),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a level above the base is only made after checking that the host has the instructions.
            Self::Avx2(_) => unsafe { avx2(kernel) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Self::Avx512(_) => unsafe { avx512(kernel) },
        }
    }
}

// Never inlined, so that there is one copy of each kernel rather than one for each caller.
#[inline(never)]
fn base<K: FloatKernel>(kernel: K) -> K::Output {
    // SAFETY: every host has the instructions of the base level.
    unsafe { kernel.run::<<K::Element as Lanes>::Base>() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn avx2<K: FloatKernel>(kernel: K) -> K::Output {
    // SAFETY: this function has the instructions.
    unsafe { kernel.run::<<K::Element as Lanes>::Avx2>() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn avx512<K: FloatKernel>(kernel: K) -> K::Output {
    // SAFETY: this function has the instructions.
    unsafe { kernel.run::<<K::Element as Lanes>::Avx512>() }
}

impl<T: Float, const N: usize> FloatVector for [T; N] {
    #[inline(always)]
    unsafe fn minus(mut self, other: Self) -> Self {
        for i in 0..N {
            self[i] = self[i].minus(other[i]);
        }
        self
    }
    #[inline(always)]
    unsafe fn larger_magnitude(mut self, other: Self) -> Self {
        for i in 0..N {
            let [a, b] = [self[i], other[i]].map(|x| T::from_magnitude_bits(x.magnitude_bits()));
            self[i] = if a > b { a } else { b };
        }
        self
    }
    #[inline(always)]
    unsafe fn larger_magnitude_or_nan(mut self, other: Self) -> Self {
        for i in 0..N {
            self[i] = T::from_magnitude_bits(self[i].magnitude_bits().max(other[i].magnitude_bits()));
        }
        self
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::FloatVector;

    macro_rules! float_vector {
        ($v:ty, $minus:ident, |$a:ident, $b:ident| $larger:expr, $larger_or_nan:expr) => {
            impl FloatVector for $v {
                #[inline(always)]
                unsafe fn minus(self, other: Self) -> Self {
                    // SAFETY: the caller has checked for the instruction.
                    unsafe { $minus(self, other) }
                }
                #[inline(always)]
                unsafe fn larger_magnitude(self, other: Self) -> Self {
                    let ($a, $b) = (self, other);
                    // SAFETY: as above.
                    unsafe { $larger }
                }
                #[inline(always)]
                unsafe fn larger_magnitude_or_nan(self, other: Self) -> Self {
                    let ($a, $b) = (self, other);
                    // SAFETY: as above.
                    unsafe { $larger_or_nan }
                }
            }
        };
    }

    // The bits of magnitudes are in the order of the values, with NaN above all. AVX-512 finds the larger magnitude in
    // one instruction, which prefers numbers to NaN.
    float_vector!(
        __m512d,
        _mm512_sub_pd,
        |a, b| _mm512_range_pd::<0b1011>(a, b),
        _mm512_castsi512_pd(_mm512_max_epi64(
            _mm512_castpd_si512(_mm512_abs_pd(a)),
            _mm512_castpd_si512(_mm512_abs_pd(b))
        ))
    );
    float_vector!(
        __m512,
        _mm512_sub_ps,
        |a, b| _mm512_range_ps::<0b1011>(a, b),
        _mm512_castsi512_ps(_mm512_max_epi32(
            _mm512_castps_si512(_mm512_abs_ps(a)),
            _mm512_castps_si512(_mm512_abs_ps(b))
        ))
    );
    float_vector!(__m256d, _mm256_sub_pd, |a, b| _mm256_max_pd(magnitudes(b), magnitudes(a)), {
        let (a, b) = (magnitudes(a), magnitudes(b));
        let above = _mm256_cmpgt_epi64(_mm256_castpd_si256(b), _mm256_castpd_si256(a));
        _mm256_blendv_pd(a, b, _mm256_castsi256_pd(above))
    });
    float_vector!(
        __m256,
        _mm256_sub_ps,
        |a, b| _mm256_max_ps(magnitudes_f32(b), magnitudes_f32(a)),
        _mm256_castsi256_ps(_mm256_max_epi32(
            _mm256_castps_si256(magnitudes_f32(a)),
            _mm256_castps_si256(magnitudes_f32(b))
        ))
    );

    #[inline]
    #[target_feature(enable = "avx2")]
    fn magnitudes(x: __m256d) -> __m256d {
        _mm256_andnot_pd(_mm256_set1_pd(-0.0), x)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn magnitudes_f32(x: __m256) -> __m256 {
        _mm256_andnot_ps(_mm256_set1_ps(-0.0), x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results of every operation on some values.
    struct All<T>([T; 6]);

    impl<T: Float> FloatKernel for All<T> {
        type Element = T;
        /// Subtract, multiply, larger magnitude, and larger magnitude or NaN.
        type Output = [Vec<T>; 4];

        #[inline(always)]
        unsafe fn run<V: FloatVector<Element = T>>(self) -> [Vec<T>; 4] {
            let mut found = [const { Vec::new() }; 4];
            for a in self.0 {
                for b in self.0 {
                    // SAFETY: guaranteed by the caller; the lines are as long as the longest register.
                    unsafe {
                        let (x, y) = (V::splat(a), V::splat(b));
                        let all = [x.minus(y), x.times(y), x.larger_magnitude(y), x.larger_magnitude_or_nan(y)];
                        for (found, result) in found.iter_mut().zip(all) {
                            let mut line = [T::ZERO; 16];
                            result.store(line.as_mut_ptr());
                            assert!(line[..V::LANES].iter().all(|x| x.magnitude_bits() == line[0].magnitude_bits()));
                            found.push(line[V::LANES - 1]);
                        }
                    }
                }
            }
            found
        }
    }

    fn agrees<T: Float>() {
        let values = [0.0, -1.5, 3.25, -7.0, f64::INFINITY, f64::NAN].map(T::from_f64);
        let same = |a: T, b: T| a == b || (a.is_nan() && b.is_nan());
        for level in Level::available() {
            let [minus, times, larger, larger_or_nan] = level.run_floats(All(values));
            for (i, (a, b)) in values.iter().flat_map(|&a| values.map(|b| (a, b))).enumerate() {
                let what = format!("{a} and {b} at {}", level.name());
                assert!(same(minus[i], a.minus(b)), "{what}");
                assert!(same(times[i], a.times(b)), "{what}");
                let largest = T::from_magnitude_bits(a.magnitude_bits().max(b.magnitude_bits()));
                assert!(same(larger_or_nan[i], largest), "{what}");
                assert!(same(larger[i], largest) || a.is_nan() || b.is_nan(), "{what}");
            }
        }
    }

    #[test]
    fn every_level_computes_the_same() {
        agrees::<f32>();
        agrees::<f64>();
    }
}
