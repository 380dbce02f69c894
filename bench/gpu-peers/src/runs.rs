//! Runs of equal keys, and segments.

use warpwise::by_key::ByKey;
use warpwise::{Buffer, Operator, segmented};

use crate::{Work, buffered, device, new, slice};

/// Sums of values with equal keys that follow each other; the result is the sums.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sums_by_key_f32(keys: *const u32, values: *const f32, n: usize) -> *mut Work {
    // SAFETY: the caller's promises.
    let (keys, values) = unsafe { (slice(keys, n), slice(values, n)) };
    new((|| {
        let device = device()?;
        let (keys, values) = (Buffer::from_slice(&device, keys)?, Buffer::from_slice(&device, values)?);
        Ok(buffered(move || Ok(ByKey::new().reduce_buffer(&device, &keys, &values)?.1)))
    })())
}

macro_rules! segmented_sums {
    ($name:ident, $element:ty) => {
        /// Sums of segments that begin at offsets, one more than there are segments.
        ///
        /// # Safety
        ///
        /// As for all functions.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            xs: *const $element,
            n: usize,
            offsets: *const u64,
            segments: usize,
        ) -> *mut Work {
            // SAFETY: the caller's promises.
            let (xs, offsets) = unsafe { (slice(xs, n), slice(offsets, segments + 1)) };
            new((|| {
                let device = device()?;
                let (xs, offsets) = (Buffer::from_slice(&device, xs)?, Buffer::from_slice(&device, offsets)?);
                Ok(buffered(move || segmented::reduce_buffer(&device, Operator::Sum, &xs, &offsets)))
            })())
        }
    };
}

segmented_sums!(segmented_sums_u32, u32);
segmented_sums!(segmented_sums_f32, f32);
