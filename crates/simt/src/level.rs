//! SIMD levels: sets of vector instructions that lane loops are compiled for.

use warpwise_arch::SimdLevel;

/// A set of vector instructions of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// What every host of this architecture has.
    Base,
    /// AVX2 with FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512 (F, BW, DQ, VL, CD).
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Level {
    /// The best level of this host; `WARPWISE_SIMD=base|avx2|avx512` asks for a lower one.
    pub(crate) fn detect() -> Self {
        match SimdLevel::chosen() {
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2 => Self::Avx2,
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 => Self::Avx512,
            _ => Self::Base,
        }
    }
}
