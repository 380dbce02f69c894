//! Histogram on a device.

use super::{Histogram, PRIMITIVE, cpu, gpu};
use crate::device::Staged;
use crate::{Buffer, Device, Element, Error, Input, expression};

/// A type that can be counted: `u8`, `u32`, `i32`, `f32` or `f64`.
///
/// ```
/// use warpwise::{Device, histogram};
///
/// fn halves<T: histogram::Countable>(xs: &[T]) -> Vec<u64> {
///     histogram::by_range(&Device::cpu(), xs, 2, 0.0, 1.0).unwrap()
/// }
/// assert_eq!(halves(&[0.1, 0.2, 0.7]), [2, 1]);
/// ```
pub trait Countable: Element {
    // A method of the type, so that it is compiled here, once, and not again in every program that calls it.
    #[doc(hidden)]
    fn count(device: &Device, how: &Histogram, xs: &dyn Input<Self>) -> Result<Buffer<u64>, Error>;
}

macro_rules! countable {
    ($($t:ty)*) => {$(
        impl Countable for $t {
            fn count(device: &Device, how: &Histogram, xs: &dyn Input<$t>) -> Result<Buffer<u64>, Error> {
                count(device, how, xs)
            }
        }
    )*};
}
countable!(u8 u32 i32 f32 f64);

fn count<T: Countable>(device: &Device, how: &Histogram, xs: &dyn Input<T>) -> Result<Buffer<u64>, Error> {
    let binning = how.binning;
    binning.check::<T>()?;
    xs.check(device)?;
    let best = device.session().map_or("", |session| gpu::best(session, binning.bins()));
    let chosen = PRIMITIVE.choose(device, how.name(), best)?;
    let n = xs.length();
    if n == 0 {
        return Buffer::zeros(device, binning.bins());
    }
    if let Some(session) = device.session() {
        if let (Some(mapped), None) = (xs.as_mapped(), how.name()) {
            let counts = expression::gpu::histogram(mapped, session, binning)?;
            return Ok(Buffer::from_allocation(device, counts, binning.bins()));
        }
        let input = Staged::new(session, xs)?;
        let counts = gpu::count::<T>(session, chosen.name, input.argument(), n, how)?;
        return Ok(Buffer::from_allocation(device, counts, binning.bins()));
    }
    Ok(Buffer::from_vec(match chosen.name {
        "cpu-seq" => cpu::seq(binning, &xs.for_cpu()?)?,
        _ => cpu::par(binning, &xs.for_cpu()?)?,
    }))
}
