//! SIMD levels: sets of vector instructions that lane loops are compiled for.

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
        let wish = std::env::var("WARPWISE_SIMD").unwrap_or_default();
        if wish == "base" {
            return Self::Base;
        }
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt")
                && is_x86_feature_detected!("f16c");
            let avx512 = avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512cd");
            if avx512 && wish != "avx2" {
                return Self::Avx512;
            }
            if avx2 {
                return Self::Avx2;
            }
        }
        Self::Base
    }

    /// The level's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => "avx512",
        }
    }
}
