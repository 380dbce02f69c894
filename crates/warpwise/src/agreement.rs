//! Shared by the tests of all primitives: sizes, data, and what it means to agree.

use std::sync::OnceLock;

use crate::Element;
pub(crate) use crate::conformance::tolerance;
pub(crate) use crate::random::Random;

/// Sizes around those of warps, blocks and vectors.
pub(crate) const SIZES: [usize; 14] = [0, 1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 4099, (1 << 16) + 1];

/// An element that tests can make.
pub(crate) trait Sample: Element {
    /// The nearest value.
    fn of(value: f64) -> Self;
    /// All bits, so that the signs of zeros and NaNs can be compared.
    fn all_bits(self) -> u64;
}

macro_rules! sample {
    ($($t:ty: $bits:expr;)*) => {$(
        impl Sample for $t {
            fn of(value: f64) -> Self {
                value as $t
            }
            fn all_bits(self) -> u64 {
                $bits(self)
            }
        }
    )*};
}

sample! {
    u8: u64::from;
    i32: |x| x as u64;
    u32: u64::from;
    i64: |x| x as u64;
    u64: u64::from;
    f32: |x: f32| u64::from(x.to_bits());
    f64: f64::to_bits;
}

pub(crate) fn bits<T: Sample>(xs: &[T]) -> Vec<u64> {
    xs.iter().map(|x| x.all_bits()).collect()
}

/// Panics unless every value is as close to its reference as the specification requires.
#[track_caller]
pub(crate) fn assert_agree<T: Element>(what: &str, found: &[T], reference: &[T::Exact], terms: usize) {
    assert_eq!(found.len(), reference.len(), "{what}: length");
    for (i, (&x, &truth)) in found.iter().zip(reference).enumerate() {
        // Large integers lose bits in `f64`, so they are compared in their own type.
        if !T::IS_FLOAT {
            assert!(x.exact() == truth, "{what}: element {i} is {x}, not {truth}");
            continue;
        }
        let (value, truth) = (x.to_f64(), truth.to_f64());
        let same = value == truth || (value.is_nan() && truth.is_nan());
        let error = (value - truth).abs() / truth.abs().max(1.0);
        let limit = tolerance::<T>(terms);
        assert!(same || error <= limit, "{what}: element {i} is {value}, not {truth} (off by {error:e} > {limit:e})");
    }
}

/// The result, which must be the same on 1, 2, 3 and 8 threads.
#[track_caller]
pub(crate) fn on_any_threads<R: PartialEq + std::fmt::Debug + Send>(work: impl Fn() -> R + Sync) -> R {
    static POOLS: OnceLock<[rayon::ThreadPool; 4]> = OnceLock::new();
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    let [one, others @ ..] = POOLS.get_or_init(|| [1, 2, 3, 8].map(pool));
    let one = one.install(&work);
    for pool in others {
        assert!(one == pool.install(&work), "{} threads give something else than 1", pool.current_num_threads());
    }
    one
}
