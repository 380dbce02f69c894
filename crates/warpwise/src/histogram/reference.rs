//! The truth that other variants are verified against.

use super::Binning;
use crate::{Element, Error};

/// The counts of all bins, one element after the other, each by the definition of its binning.
///
/// # Errors
///
/// As for [`Binning::check`].
///
/// ```
/// use warpwise::histogram::{Binning, reference};
///
/// assert_eq!(reference::histogram(Binning::Letter, b"Warp-wise")?, [1, 1, 1, 1, 2, 1, 0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn histogram<T: Element>(binning: Binning, xs: &[T]) -> Result<Vec<u64>, Error> {
    binning.check::<T>()?;
    let mut counts = vec![0; binning.bins()];
    for &x in xs {
        let bin = match binning {
            Binning::Modulo { bins } => Some(x.modulo(bins as u64) as usize),
            Binning::Value => Some(x.low_bits() as usize),
            Binning::Letter => ["abcd", "efgh", "ijkl", "mnop", "qrst", "uvwx", "yz"]
                .iter()
                .position(|group| group.contains(x.low_bits() as u8 as char)),
            Binning::Even { bins, lo, hi } => {
                let x = x.to_f64();
                (lo <= x && x < hi).then(|| (((x - lo) * (bins as f64 / (hi - lo))) as usize).min(bins - 1))
            }
        };
        if let Some(bin) = bin {
            counts[bin] += 1;
        }
    }
    Ok(counts)
}
