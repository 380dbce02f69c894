//! SIMD levels: the same loops, compiled for the instructions of the host.
//!
//! A hot loop is the `run` of a [`Body`]: plain Rust over slices and small arrays, `#[inline(always)]`, which the
//! compiler turns into vector code. [`Level::run`] has one copy of it for every level and calls the requested one.

pub(crate) mod ahead;
mod float;
mod folds;
pub(crate) mod root;
pub(crate) mod stream;
mod vector;

use std::sync::OnceLock;

use warpwise_arch::SimdLevel;

pub(crate) use float::{FloatKernel, FloatLanes, FloatVector};
pub(crate) use vector::{Lanes, Vector};

/// A set of vector instructions of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// What every host of this architecture has.
    Base,
    /// AVX2 with FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2(Detected),
    /// AVX-512 (F, BW, DQ, VL, CD).
    #[cfg(target_arch = "x86_64")]
    Avx512(Detected),
}

/// Proves that the host was checked for the instructions and has them: only this file can make one.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Detected(());

/// A loop to be compiled once for every level.
pub(crate) trait Body {
    /// The result.
    type Output;
    /// Runs the loop; must be `#[inline(always)]`, and so must everything hot that it calls. `FUSED` says that
    /// multiply-add is one instruction.
    fn run<const FUSED: bool>(self) -> Self::Output;
}

/// A loop over explicit registers, to be compiled once for every level.
pub(crate) trait Kernel {
    /// The element type of the registers.
    type Element: Lanes;
    /// The result.
    type Output;
    /// Runs the loop; must be `#[inline(always)]`, and so must everything hot that it calls. A tile of `ROWS` times
    /// `VECTORS` sums leaves enough registers for its operands.
    ///
    /// # Safety
    ///
    /// The host must have the instructions of `V`.
    unsafe fn run<V: Vector<Element = Self::Element>, const ROWS: usize, const VECTORS: usize>(self) -> Self::Output;
}

impl Level {
    /// The level to use: the best of this host, unless `WARPWISE_SIMD=base|avx2|avx512` asks for a lower one.
    pub(crate) fn current() -> Self {
        static CURRENT: OnceLock<Level> = OnceLock::new();
        *CURRENT.get_or_init(|| Self::of(SimdLevel::chosen()))
    }

    /// The levels of this host, lowest first.
    #[cfg(test)]
    pub(crate) fn available() -> Vec<Self> {
        SimdLevel::available().into_iter().map(Self::of).collect()
    }

    /// The level's name.
    #[cfg(test)]
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => "avx512",
        }
    }

    /// The level, which was detected on this host.
    fn of(level: SimdLevel) -> Self {
        match level {
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2 => Self::Avx2(Detected(())),
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 => Self::Avx512(Detected(())),
            _ => Self::Base,
        }
    }

    /// Runs the copy of the loop that is compiled for this level.
    #[inline]
    pub(crate) fn run<B: Body>(self, body: B) -> B::Output {
        match self {
            Self::Base => base(body),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a `Detected` is only made after checking that the host has the instructions.
            Self::Avx2(_) => unsafe { avx2(body) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Self::Avx512(_) => unsafe { avx512(body) },
        }
    }

    /// The same for a body that has another way with AVX-512, or that gains nothing from it.
    #[inline]
    pub(crate) fn run_up_to_avx2<B: Body>(self, body: B) -> B::Output {
        match self {
            Self::Base => base(body),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as in `run`; hosts with AVX-512 have AVX2.
            Self::Avx2(_) | Self::Avx512(_) => unsafe { avx2(body) },
        }
    }

    /// Runs the copy of the loop that is compiled for this level.
    #[inline]
    pub(crate) fn run_kernel<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            Self::Base => kernel_base(kernel),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as in `run`.
            Self::Avx2(_) => unsafe { kernel_avx2(kernel) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as in `run`.
            Self::Avx512(_) => unsafe { kernel_avx512(kernel) },
        }
    }
}

/// Prefetches a line of memory for immediate use into the first-level cache; the address need not be valid. Does
/// nothing on hosts without the instruction.
#[inline(always)]
pub(crate) fn prefetch_line<T>(at: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every host has the instruction, and it reads nothing: the address does not matter.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// Like [`prefetch_line`], but for a line that is needed later: into the second-level cache.
#[inline(always)]
pub(crate) fn prefetch_later<T>(at: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: as for `prefetch_line`.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(at.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

// Never inlined, so that there is one copy of each body rather than one for each caller.
#[inline(never)]
fn base<B: Body>(body: B) -> B::Output {
    // Other supported architectures have the fused instruction in their base set.
    body.run::<{ cfg!(target_arch = "aarch64") }>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn avx2<B: Body>(body: B) -> B::Output {
    body.run::<true>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn avx512<B: Body>(body: B) -> B::Output {
    body.run::<true>()
}

#[inline(never)]
fn kernel_base<K: Kernel>(kernel: K) -> K::Output {
    // SAFETY: every host has the instructions of the base level.
    unsafe { kernel.run::<<K::Element as Lanes>::Base, 4, 2>() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn kernel_avx2<K: Kernel>(kernel: K) -> K::Output {
    // SAFETY: this function has the instructions.
    unsafe { kernel.run::<<K::Element as Lanes>::Avx2, 4, 3>() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn kernel_avx512<K: Kernel>(kernel: K) -> K::Output {
    // SAFETY: this function has the instructions.
    unsafe { kernel.run::<<K::Element as Lanes>::Avx512, 12, 2>() }
}
