//! Reduce on a device.

use super::{Extreme, PRIMITIVE, cpu, fused, gpu};
use crate::device::Staged;
use crate::{Device, Element, Error, Geometry, Input, Operator};

/// Types that reduce works on: `i32`, `u32`, `i64`, `u64`, `f32` and `f64`.
///
/// ```
/// fn total<T: warpwise::reduce::Reducible>(xs: &[T]) -> Result<T, warpwise::Error> {
///     warpwise::reduce::sum(&warpwise::Device::best(), xs)
/// }
/// assert_eq!(total(&[1_u32, 2])?, 3);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub trait Reducible: Element {
    // Methods of the type, so that they are compiled here, once, and not again in every program that calls them.
    #[doc(hidden)]
    fn run(device: &Device, operator: Operator, xs: &dyn Input<Self>, options: &Options) -> Result<Self, Error>;
    #[doc(hidden)]
    fn place(device: &Device, extreme: Extreme, xs: &dyn Input<Self>, options: &Options) -> Result<usize, Error>;
}

macro_rules! reducible {
    ($($t:ty)*) => {$(
        impl Reducible for $t {
            fn run(device: &Device, operator: Operator, xs: &dyn Input<$t>, options: &Options) -> Result<$t, Error> {
                run_on(device, operator, xs, options)
            }

            fn place(device: &Device, extreme: Extreme, xs: &dyn Input<$t>, options: &Options) -> Result<usize, Error> {
                place_on(device, extreme, xs, options)
            }
        }
    )*};
}
reducible!(i32 u32 i64 u64 f32 f64);

/// Who combines the partial results of the blocks.
///
/// ```
/// use warpwise::reduce::{self, Finish, Options};
/// use warpwise::{Device, Operator};
///
/// let options = Options { finish: Finish::Recursive, ..Options::default() };
/// assert_eq!(reduce::run(&Device::emulator(), Operator::Sum, &[1; 5000], &options)?, 5000);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Finish {
    /// The GPU, by launching the kernel again on the partials until one is left.
    #[default]
    Gpu,
    /// The GPU too, by a host function that reduces the partials like any elements: it calls itself.
    Recursive,
    /// The CPU, after one launch.
    Cpu,
}

impl Finish {
    /// Every way.
    ///
    /// ```
    /// use warpwise::reduce::Finish;
    ///
    /// assert_eq!(Finish::ALL.map(Finish::name), ["gpu", "recursive", "cpu"]);
    /// ```
    pub const ALL: [Self; 3] = [Self::Gpu, Self::Recursive, Self::Cpu];

    /// The name, as the command line spells it.
    ///
    /// ```
    /// assert_eq!(warpwise::reduce::Finish::default().name(), "gpu");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Gpu => "gpu",
            Self::Recursive => "recursive",
            Self::Cpu => "cpu",
        }
    }
}

/// In which order floats are summed or multiplied. Everything else has one result in any order.
///
/// ```
/// use warpwise::reduce::{self, Options, Order};
/// use warpwise::{Device, Operator};
///
/// let xs: Vec<f32> = (0..100_000).map(|i| 1.0 / (1 + i) as f32).collect();
/// let options = Options { order: Order::Reproducible, ..Options::default() };
/// let sum = |device: &Device| reduce::run(device, Operator::Sum, &xs, &options);
/// assert_eq!(sum(&Device::cpu())?.to_bits(), sum(&Device::emulator())?.to_bits());
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// The fastest one on the device.
    #[default]
    Fast,
    /// One tree that depends only on the number of elements: the same bits on every device.
    Reproducible,
}

impl Order {
    /// Both orders.
    ///
    /// ```
    /// use warpwise::reduce::Order;
    ///
    /// assert_eq!(Order::ALL.map(Order::name), ["fast", "reproducible"]);
    /// ```
    pub const ALL: [Self; 2] = [Self::Fast, Self::Reproducible];

    /// The name, as the command line spells it.
    ///
    /// ```
    /// assert_eq!(warpwise::reduce::Order::default().name(), "fast");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Reproducible => "reproducible",
        }
    }
}

/// The rungs that use the tree of [`Order::Reproducible`].
const IN_FIXED_ORDER: [&str; 2] = ["cpu-par", "gpu-11-fixed-tree"];

/// How to reduce; the default is the device's best.
///
/// ```
/// use warpwise::reduce::{Finish, Options};
///
/// let options = Options { finish: Finish::Cpu, ..Options::default() };
/// assert!(options.variant.is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The rung, by name; by default, the best one.
    pub variant: Option<String>,
    /// Launch geometry of GPU rungs.
    pub geometry: Geometry,
    /// Who combines the partial results of the GPU rungs before `gpu-9-single-pass`.
    pub finish: Finish,
    /// The order of floats.
    pub order: Order,
}

/// The sum of all elements; 0 for none. Integers wrap.
///
/// ```
/// use warpwise::{Device, reduce};
///
/// assert_eq!(reduce::sum(&Device::cpu(), &[1, 2, 3, 4])?, 10);
/// assert_eq!(reduce::sum(&Device::emulator(), &[0.5_f32; 1000])?, 500.0);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn sum<T: Reducible>(device: &Device, xs: &(impl Input<T> + ?Sized)) -> Result<T, Error> {
    run(device, Operator::Sum, xs, &Options::default())
}

/// The product of all elements; 1 for none. Integers wrap.
///
/// ```
/// use warpwise::{Device, reduce};
///
/// assert_eq!(reduce::product(&Device::best(), &[1_u64, 2, 3, 4])?, 24);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn product<T: Reducible>(device: &Device, xs: &(impl Input<T> + ?Sized)) -> Result<T, Error> {
    run(device, Operator::Product, xs, &Options::default())
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
    run(device, Operator::Min, xs, &Options::default())
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
    run(device, Operator::Max, xs, &Options::default())
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
    place(device, Extreme::Min, xs, &Options::default())
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
    place(device, Extreme::Max, xs, &Options::default())
}

/// Combines all elements, with options.
///
/// # Errors
///
/// [`Error::Empty`] for a minimum or maximum of nothing, [`Error::UnknownVariant`] for an unknown rung,
/// [`Error::Order`] for a rung without a reproducible order if that was asked for.
///
/// ```
/// use warpwise::reduce::{self, Options};
/// use warpwise::{Device, Operator};
///
/// let options = Options { variant: Some("gpu-3-sequential".into()), ..Options::default() };
/// assert_eq!(reduce::run(&Device::emulator(), Operator::Max, &[3, 1, 4, 1, 5], &options)?, 5);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run<T: Reducible>(
    device: &Device,
    operator: Operator,
    xs: &(impl Input<T> + ?Sized),
    options: &Options,
) -> Result<T, Error> {
    T::run(device, operator, &xs, options)
}

fn run_on<T: Element>(device: &Device, operator: Operator, xs: &dyn Input<T>, options: &Options) -> Result<T, Error> {
    let fixed = options.order == Order::Reproducible && operator.order_shows::<T>();
    // Up to some length, the fixed tree is the fastest order on a GPU too.
    let most = device.session().map_or(0, |session| session.tuning().reduce.fixed_tree);
    let small = size_of::<T>() * xs.length() <= most && options.geometry == Geometry::default();
    let best = if fixed || small && operator.order_shows::<T>() { "gpu-11-fixed-tree" } else { "gpu-10-posted" };
    let chosen = PRIMITIVE.choose(device, options.variant.as_deref(), best)?;
    if fixed && !IN_FIXED_ORDER.contains(&chosen.name) {
        let instead = if device.is_cpu() { IN_FIXED_ORDER[0] } else { IN_FIXED_ORDER[1] };
        return Err(Error::Order { variant: chosen.name, instead });
    }
    // A GPU has the fixed tree only for elements in memory.
    let is_fused = options.variant.is_none() && (device.is_cpu() || !fixed);
    if let Some(mapped) = xs.as_mapped().filter(|_| is_fused) {
        return fused::values(device, operator, mapped);
    }
    match device.session() {
        Some(session) if xs.length() > 0 => {
            let input = Staged::new(session, xs)?;
            gpu::values(session, chosen, operator, input.argument(), xs.length(), options)
        }
        _ if chosen.name == "cpu-seq" => cpu::seq(operator, &xs.on_host()?),
        _ => cpu::par(operator, &xs.on_host()?),
    }
}

/// The place of an extreme, with options.
///
/// ```
/// use warpwise::reduce::{self, Extreme, Options};
/// use warpwise::Device;
///
/// let place = reduce::place(&Device::cpu(), Extreme::Max, &[3.0, 1.0, 4.0], &Options::default())?;
/// assert_eq!(place, 2);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn place<T: Reducible>(
    device: &Device,
    extreme: Extreme,
    xs: &(impl Input<T> + ?Sized),
    options: &Options,
) -> Result<usize, Error> {
    T::place(device, extreme, &xs, options)
}

fn place_on<T: Element>(
    device: &Device,
    extreme: Extreme,
    xs: &dyn Input<T>,
    options: &Options,
) -> Result<usize, Error> {
    let chosen = PRIMITIVE.choose(device, options.variant.as_deref(), "gpu-10-posted")?;
    if let Some(mapped) = xs.as_mapped().filter(|_| options.variant.is_none()) {
        return fused::place(device, extreme, mapped);
    }
    match device.session() {
        Some(session) if xs.length() > 0 => {
            let input = Staged::new(session, xs)?;
            gpu::place::<T>(session, chosen, extreme, input.argument(), xs.length(), options)
        }
        _ if chosen.name == "cpu-seq" => cpu::seq_place(extreme, &xs.on_host()?),
        _ => cpu::par_place(extreme, &xs.on_host()?),
    }
}
