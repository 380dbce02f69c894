//! Reduce on a device.

use super::{Extreme, Order, PRIMITIVE, Reduce, cpu, fused, gpu, windows};
use crate::device::{Argument, Staged};
use crate::{Device, Element, Error, Geometry, Input, Operator, Output, Target, Variant};

/// Types that reduce works on: `i32`, `u32`, `i64`, `u64`, `f32` and `f64`.
///
/// ```
/// fn largest<T: warpwise::reduce::Reducible>(xs: &[T]) -> Result<T, warpwise::Error> {
///     warpwise::reduce::max(&warpwise::Device::best(), xs)
/// }
/// assert_eq!(largest(&[1_u32, 2])?, 2);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub trait Reducible: Element {
    // Methods of the type, so that they are compiled here, once, and not again in every program that calls them.
    #[doc(hidden)]
    fn run(device: &Device, how: &Reduce, xs: &dyn Input<Self>) -> Result<Self, Error>;
    #[doc(hidden)]
    fn run_into(device: &Device, how: &Reduce, xs: &dyn Input<Self>, out: &mut dyn Output<Self>) -> Result<(), Error>;
    #[doc(hidden)]
    fn place(device: &Device, how: &Reduce, extreme: Extreme, xs: &dyn Input<Self>) -> Result<usize, Error>;
    #[doc(hidden)]
    fn on_host(operator: Operator, xs: &[Self]) -> Result<Self, Error>;
    #[doc(hidden)]
    fn tiles_on_host(operator: Operator, xs: &[Self]) -> Vec<Self>;
}

macro_rules! reducible {
    ($($t:ty)*) => {$(
        impl Reducible for $t {
            fn run(device: &Device, how: &Reduce, xs: &dyn Input<$t>) -> Result<$t, Error> {
                run_on(device, how, xs)
            }

            fn run_into(
                device: &Device,
                how: &Reduce,
                xs: &dyn Input<$t>,
                out: &mut dyn Output<$t>,
            ) -> Result<(), Error> {
                into_on(device, how, xs, out)
            }

            fn place(device: &Device, how: &Reduce, extreme: Extreme, xs: &dyn Input<$t>) -> Result<usize, Error> {
                place_on(device, how, extreme, xs)
            }

            fn on_host(operator: Operator, xs: &[$t]) -> Result<$t, Error> {
                cpu::par(operator, xs)
            }

            fn tiles_on_host(operator: Operator, xs: &[$t]) -> Vec<$t> {
                windows::tiles(operator, xs)
            }
        }
    )*};
}
reducible!(i32 u32 i64 u64 f32 f64);

/// The rungs that use the tree of [`Order::Reproducible`].
const IN_FIXED_ORDER: [&str; 2] = ["cpu-par", "gpu-11-fixed-tree"];

/// The product of all elements; 1 for none. Integers wrap.
///
/// ```
/// use warpwise::{Device, reduce};
///
/// assert_eq!(reduce::product(&Device::best(), &[1_u64, 2, 3, 4])?, 24);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn product<T: Reducible>(device: &Device, xs: &(impl Input<T> + ?Sized)) -> Result<T, Error> {
    Reduce::new().operator(Operator::Product).run(device, xs)
}

/// The smallest element; NaN wins.
///
/// ```
/// use warpwise::{Device, reduce};
///
/// assert_eq!(reduce::min(&Device::best(), &[3, -1, 2])?, -1);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn min<T: Reducible>(device: &Device, xs: &(impl Input<T> + ?Sized)) -> Result<T, Error> {
    Reduce::new().operator(Operator::Min).run(device, xs)
}

/// The largest element; NaN wins.
///
/// ```
/// use warpwise::{Device, reduce};
///
/// assert_eq!(reduce::max(&Device::best(), &[3.5, -1.0, 2.0])?, 3.5);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn max<T: Reducible>(device: &Device, xs: &(impl Input<T> + ?Sized)) -> Result<T, Error> {
    Reduce::new().operator(Operator::Max).run(device, xs)
}

/// The place of the first smallest element.
///
/// ```
/// use warpwise::{Device, reduce};
///
/// assert_eq!(reduce::argmin(&Device::emulator(), &[3, 1, 2, 1])?, 1);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn argmin<T: Reducible>(device: &Device, xs: &(impl Input<T> + ?Sized)) -> Result<usize, Error> {
    Reduce::new().place(device, Extreme::Min, xs)
}

/// The place of the first largest element.
///
/// ```
/// use warpwise::{Device, reduce};
///
/// assert_eq!(reduce::argmax(&Device::best(), &[3, 1, 3, 1])?, 0);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn argmax<T: Reducible>(device: &Device, xs: &(impl Input<T> + ?Sized)) -> Result<usize, Error> {
    Reduce::new().place(device, Extreme::Max, xs)
}

/// The rung for a length.
fn choose<T: Element>(device: &Device, how: &Reduce, length: usize) -> Result<&'static Variant, Error> {
    let operator = how.operator;
    let fixed = how.order == Order::Reproducible && operator.order_shows::<T>();
    // Up to some length, the fixed tree is the fastest order on a GPU too.
    let most = device.session().map_or(0, |session| session.tuning().reduce.fixed_tree);
    let small = size_of::<T>().saturating_mul(length) <= most && how.geometry == Geometry::default();
    let best = if fixed || small && operator.order_shows::<T>() { "gpu-11-fixed-tree" } else { "gpu-10-posted" };
    let chosen = PRIMITIVE.choose(device, how.name(), best)?;
    if fixed && !IN_FIXED_ORDER.contains(&chosen.name) {
        let instead = if device.is_cpu() { IN_FIXED_ORDER[0] } else { IN_FIXED_ORDER[1] };
        return Err(Error::Order { variant: chosen.name, instead });
    }
    Ok(chosen)
}

fn run_on<T: Element>(device: &Device, how: &Reduce, xs: &dyn Input<T>) -> Result<T, Error> {
    xs.check(device)?;
    let (chosen, operator) = (choose::<T>(device, how, xs.length())?, how.operator);
    // A GPU has the fixed tree only for elements in memory.
    let fixed = how.order == Order::Reproducible && operator.order_shows::<T>();
    let is_fused = how.rung.is_none() && (device.is_cpu() || !fixed);
    if let Some(mapped) = xs.as_mapped().filter(|_| is_fused) {
        return fused::values(device, operator, mapped);
    }
    match device.session() {
        Some(session) if xs.length() > 0 => {
            let input = Staged::new(session, xs)?;
            gpu::values(session, chosen, input.argument(), xs.length(), how)
        }
        _ if chosen.name == "cpu-seq" => cpu::seq(operator, &xs.on_host()?),
        _ => cpu::par(operator, &xs.on_host()?),
    }
}

fn into_on<T: Element>(device: &Device, how: &Reduce, xs: &dyn Input<T>, out: &mut dyn Output<T>) -> Result<(), Error> {
    Error::check_length("the output", out.room(), 1)?;
    let target = out.as_target();
    target.check(device)?;
    match target {
        Target::Slice(values) => values[0] = run_on(device, how, xs)?,
        Target::Buffer(mut view) => {
            xs.check(device)?;
            let chosen = choose::<T>(device, how, xs.length())?;
            // The rung whose result needs no further work writes it in place, and nothing waits for it.
            if let (Some(session), "gpu-10-posted", 1..) = (device.session(), chosen.name, xs.length()) {
                let (input, out) = (Staged::new(session, xs)?, Argument::Pointer(view.landing(session)?));
                return gpu::post::<T>(session, chosen, input.argument(), out, xs.length(), how);
            }
            view.upload_from(&[run_on(device, how, xs)?])?;
        }
    }
    Ok(())
}

fn place_on<T: Element>(device: &Device, how: &Reduce, extreme: Extreme, xs: &dyn Input<T>) -> Result<usize, Error> {
    xs.check(device)?;
    let chosen = PRIMITIVE.choose(device, how.name(), "gpu-10-posted")?;
    if let Some(mapped) = xs.as_mapped().filter(|_| how.rung.is_none()) {
        return fused::place(device, extreme, mapped);
    }
    match device.session() {
        Some(session) if xs.length() > 0 => {
            let input = Staged::new(session, xs)?;
            gpu::place::<T>(session, chosen, extreme, input.argument(), xs.length(), how)
        }
        _ if chosen.name == "cpu-seq" => cpu::seq_place(extreme, &xs.on_host()?),
        _ => cpu::par_place(extreme, &xs.on_host()?),
    }
}
