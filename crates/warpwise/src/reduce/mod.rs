//! Reduce: all elements combined into one.
//!
//! - **Operators.** Sum, product, minimum, maximum ([`Operator`](crate::Operator)), and the place of the minimum or
//!   maximum ([`Extreme`]).
//! - **Nothing to reduce.** A sum is 0 and a product is 1; a minimum, a maximum or a place is an error.
//! - **Integers.** [`sum`] adds them in 64 bits, as NumPy does; [`checked_sum`] says when a sum does not fit its type.
//!   [`wrapping_sum`], products and every rung of the ladder wrap.
//! - **Floats.** NaN wins, as in NumPy: any NaN makes the result NaN, and the place is that of the first NaN. As
//!   values, -0 is smaller than +0; as places, they tie. A sum of nothing but -0 is +0.
//! - **Ties.** The smallest index.
//! - **Order.** Sums and products of floats are rounded, so that their last bits depend on the order. With
//!   [`Order::Reproducible`] the order is one tree that depends only on the number of elements: the same bits on the
//!   CPU with any number of threads, on the emulator and on every GPU. The CPU always takes it. With [`Order::Fast`],
//!   the default, a GPU takes the order that suits its number of multiprocessors.
//! - **Accuracy.** `seq` adds from left to right. `par` adds in the tree: at most 17 roundings for every 32 KiB of
//!   elements, and as many for every 32 KiB of these sums, so its error grows with the logarithm of the length.

mod builder;
mod conformance;
pub mod cpu;
mod description;
#[cfg(test)]
mod device_tests;
mod fixed;
mod fused;
pub(crate) mod gpu;
mod lanes;
mod moments;
mod options;
pub mod reference;
mod registers;
mod run;
#[cfg(test)]
mod tests;
mod wide;
mod windows;
mod workload;

pub use builder::Reduce;
pub use description::{PRIMITIVE, Rung, VARIANTS};
pub(crate) use lanes::block;
pub use moments::{Moments, moments};
pub use options::{Finish, Order};
pub(crate) use registers::block as block_in_registers;
pub use run::{Reducible, argmax, argmin, max, min, product};
pub use wide::{Summable, checked_sum, sum, wide_sum, wrapping_sum};
pub use windows::Windows;

/// Which extreme to look for.
///
/// ```
/// use warpwise::Device;
/// use warpwise::reduce::{Extreme, Reduce};
///
/// assert_eq!(Reduce::new().place(&Device::best(), Extreme::Min, &[3, 1, 2, 1])?, 1);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extreme {
    /// The first smallest element.
    Min,
    /// The first largest element.
    Max,
}

impl Extreme {
    /// Both ends.
    ///
    /// ```
    /// use warpwise::reduce::{Extreme, cpu};
    ///
    /// let places = Extreme::ALL.map(|extreme| cpu::par_place(extreme, &[2, 1, 3]).unwrap());
    /// assert_eq!(places, [1, 2]);
    /// ```
    pub const ALL: [Self; 2] = [Self::Min, Self::Max];

    /// The name of the reduction, as the command line spells it.
    ///
    /// ```
    /// assert_eq!(warpwise::reduce::Extreme::Min.name(), "argmin");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Min => "argmin",
            Self::Max => "argmax",
        }
    }

    /// Whether `a` is strictly more extreme than `b`; NaN is more extreme than any number.
    #[inline(always)]
    pub(crate) fn beats<T: crate::Element>(self, a: T, b: T) -> bool {
        let further = match self {
            Self::Min => a < b,
            Self::Max => a > b,
        };
        further || (a.is_nan() && !b.is_nan())
    }
}
