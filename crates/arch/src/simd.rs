//! The vector instructions of the host.

/// A set of vector instructions that loops are compiled for, lowest first.
///
/// ```
/// use warpwise_arch::SimdLevel;
///
/// assert_eq!(SimdLevel::available()[0], SimdLevel::Base);
/// assert!(SimdLevel::chosen() >= SimdLevel::Base);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SimdLevel {
    /// What every host of this architecture has.
    Base,
    /// AVX2 with FMA and F16C.
    Avx2,
    /// AVX-512 (F, BW, DQ, VL, CD).
    Avx512,
}

impl SimdLevel {
    /// The levels of this host, lowest first.
    pub fn available() -> Vec<Self> {
        #[allow(unused_mut, reason = "other architectures have one level")]
        let mut levels = vec![Self::Base];
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
            levels.extend(avx2.then_some(Self::Avx2));
            levels.extend(avx512.then_some(Self::Avx512));
        }
        levels
    }

    /// The best level of this host, unless `WARPWISE_SIMD=base|avx2|avx512` asks for a lower one.
    pub fn chosen() -> Self {
        Self::choose(&std::env::var("WARPWISE_SIMD").unwrap_or_default())
    }

    /// The level of that name, if the host has it; the host's best otherwise.
    fn choose(wish: &str) -> Self {
        let levels = Self::available();
        let wished = levels.iter().find(|level| level.name() == wish);
        *wished.unwrap_or(&levels[levels.len() - 1])
    }

    /// The level's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lower_level_can_be_asked_for() {
        let best = *SimdLevel::available().last().unwrap();
        for level in SimdLevel::available() {
            assert_eq!(SimdLevel::choose(level.name()), level);
        }
        for wish in ["", "something else"] {
            assert_eq!(SimdLevel::choose(wish), best, "{wish}");
        }
    }
}
