//! Scan: every prefix of the elements combined into one.
//!
//! - **Operators.** Those of [`Operator`](crate::Operator).
//! - **Integers** wrap.
//! - **Floats.** NaN wins: from the first NaN on, all results are NaN. As for reduce, -0 is smaller than +0, and sums
//!   start from +0.
//! - **Accuracy.** `seq` adds from left to right. `par` adds in fixed blocks, so its bits do not depend on the number
//!   of threads; within a block, the order with AVX-512 differs from the order without it.

mod builder;
mod chains;
mod conformance;
pub mod cpu;
mod description;
#[cfg(test)]
mod device_tests;
pub(crate) mod gpu;
pub mod reference;
#[cfg(target_arch = "x86_64")]
mod registers;
mod run;
#[cfg(test)]
mod tests;
mod totals;
mod windows;
mod workload;

pub use builder::Scan;
pub use description::{PRIMITIVE, Rung, VARIANTS};
pub use run::{Scannable, exclusive, exclusive_buffer, exclusive_into, inclusive, inclusive_buffer, inclusive_into};
pub use windows::Windows;

/// Whether an element is part of its own prefix.
///
/// ```
/// use warpwise::Device;
/// use warpwise::scan::{Kind, Scan};
///
/// let scan = |kind| Scan::new().kind(kind).run(&Device::best(), &[1, 2, 3]);
/// assert_eq!(scan(Kind::Inclusive)?, [1, 3, 6]);
/// assert_eq!(scan(Kind::Exclusive)?, [0, 1, 3]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `out[i]` combines elements `0..=i`.
    Inclusive,
    /// `out[i]` combines elements `0..i`; `out[0]` is the operator's identity.
    Exclusive,
}

impl Kind {
    /// Both kinds.
    ///
    /// ```
    /// use warpwise::scan::Kind;
    ///
    /// assert_eq!(Kind::ALL.map(Kind::name), ["inclusive", "exclusive"]);
    /// ```
    pub const ALL: [Self; 2] = [Self::Inclusive, Self::Exclusive];

    /// The kind's name, as the command line spells it.
    ///
    /// ```
    /// assert_eq!(warpwise::scan::Kind::Exclusive.name(), "exclusive");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Inclusive => "inclusive",
            Self::Exclusive => "exclusive",
        }
    }
}
