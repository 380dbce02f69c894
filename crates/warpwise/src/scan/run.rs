//! Scan on a device.

use super::{Kind, PRIMITIVE, cpu, gpu};
use crate::device::{Part, Rows, Session, Staged};
use crate::{Buffer, Device, Element, Error, Geometry, Input, Operator};

/// The default rung for more than one block.
const BEST: &str = "gpu-8-gather";

/// Up to this length one block of `gpu-6-warp-shuffle` is enough: a single launch, and no board to clear before it.
const ONE_BLOCK: usize = 1024;

/// A type that can be scanned: `i32`, `u32`, `i64`, `u64`, `f32` or `f64`.
///
/// ```
/// fn total<T: warpwise::scan::Scannable>(device: &warpwise::Device, xs: &[T]) -> Option<T> {
///     warpwise::scan::inclusive(device, xs).ok()?.last().copied()
/// }
/// assert_eq!(total(&warpwise::Device::cpu(), &[1_u64, 2, 3]), Some(6));
/// ```
pub trait Scannable: Element {
    // Methods of the type, so that they are compiled here, once, and not again in every program that calls them.
    #[doc(hidden)]
    fn run_into(
        device: &Device,
        what: (Operator, Kind),
        xs: &dyn Input<Self>,
        out: &mut [Self],
        options: &Options,
    ) -> Result<(), Error>;
    #[doc(hidden)]
    fn run_buffer(
        device: &Device,
        what: (Operator, Kind),
        xs: &dyn Input<Self>,
        options: &Options,
    ) -> Result<Buffer<Self>, Error>;
}

macro_rules! scannable {
    ($($t:ty)*) => {$(
        impl Scannable for $t {
            fn run_into(
                device: &Device,
                what: (Operator, Kind),
                xs: &dyn Input<$t>,
                out: &mut [$t],
                options: &Options,
            ) -> Result<(), Error> {
                into_on(device, what, xs, out, options)
            }

            fn run_buffer(
                device: &Device,
                what: (Operator, Kind),
                xs: &dyn Input<$t>,
                options: &Options,
            ) -> Result<Buffer<$t>, Error> {
                buffer_on(device, what, xs, options)
            }
        }
    )*};
}
scannable!(i32 u32 i64 u64 f32 f64);

/// How to scan; the default is the device's best for the length.
///
/// ```
/// use warpwise::scan::Options;
///
/// let options = Options { variant: Some("gpu-3-blelloch".into()), ..Options::default() };
/// assert!(options.geometry.block.is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The rung, by name; by default, the best for the length.
    pub variant: Option<String>,
    /// Launch geometry of GPU rungs: the block.
    pub geometry: Geometry,
}

/// The sum of all elements up to each one, itself included. Integers wrap.
///
/// ```
/// use warpwise::{Device, scan};
///
/// assert_eq!(scan::inclusive(&Device::best(), &[1, 2, 3, 4])?, [1, 3, 6, 10]);
/// assert_eq!(scan::inclusive(&Device::emulator(), &[0.5_f32; 5000])?[4999], 2500.0);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn inclusive<T: Scannable>(device: &Device, xs: &(impl Input<T> + ?Sized)) -> Result<Vec<T>, Error> {
    run(device, Operator::Sum, Kind::Inclusive, xs, &Options::default())
}

/// The sum of all elements before each one; 0 for the first. Integers wrap.
///
/// ```
/// use warpwise::{Device, scan};
///
/// assert_eq!(scan::exclusive(&Device::emulator(), &[1_u64, 2, 3, 4])?, [0, 1, 3, 6]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn exclusive<T: Scannable>(device: &Device, xs: &(impl Input<T> + ?Sized)) -> Result<Vec<T>, Error> {
    run(device, Operator::Sum, Kind::Exclusive, xs, &Options::default())
}

/// Like [`inclusive`], but the result stays on the device.
///
/// ```
/// use warpwise::{Buffer, Device, reduce, scan};
///
/// let device = Device::emulator();
/// let xs = Buffer::from_slice(&device, &[3, -5, 4])?;
/// assert_eq!(reduce::min(&device, &scan::inclusive_buffer(&device, &xs)?)?, -2);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn inclusive_buffer<T: Scannable>(device: &Device, xs: &(impl Input<T> + ?Sized)) -> Result<Buffer<T>, Error> {
    run_buffer(device, Operator::Sum, Kind::Inclusive, xs, &Options::default())
}

/// Like [`exclusive`], but the result stays on the device.
///
/// ```
/// use warpwise::{Device, scan};
///
/// let starts = scan::exclusive_buffer(&Device::emulator(), &[3, 1, 2])?;
/// assert_eq!(starts.to_vec()?, [0, 3, 4]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn exclusive_buffer<T: Scannable>(device: &Device, xs: &(impl Input<T> + ?Sized)) -> Result<Buffer<T>, Error> {
    run_buffer(device, Operator::Sum, Kind::Exclusive, xs, &Options::default())
}

/// A scan with any operator and options.
///
/// # Errors
///
/// [`Error::UnknownVariant`] for an unknown rung, [`Error::OneBlock`] for more elements than a one-block rung can take,
/// [`Error::Block`] for a block that the rung cannot work with.
///
/// ```
/// use warpwise::scan::{self, Kind, Options};
/// use warpwise::{Device, Operator};
///
/// let options = Options { variant: Some("gpu-1-hillis-steele".into()), ..Options::default() };
/// let device = Device::emulator();
/// assert_eq!(scan::run(&device, Operator::Max, Kind::Inclusive, &[3, 1, 4, 1, 5], &options)?, [3, 3, 4, 4, 5]);
///
/// let error = scan::run(&device, Operator::Max, Kind::Inclusive, &[0; 2000], &options).unwrap_err();
/// assert!(error.to_string().ends_with("not 2000: use gpu-5-three-phase or one after it"));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run<T: Scannable>(
    device: &Device,
    operator: Operator,
    kind: Kind,
    xs: &(impl Input<T> + ?Sized),
    options: &Options,
) -> Result<Vec<T>, Error> {
    if device.is_cpu() {
        return run_buffer(device, operator, kind, xs, options)?.into_vec();
    }
    let mut out = crate::memory::zeros(xs.length());
    run_into(device, operator, kind, xs, &mut out, options)?;
    Ok(out)
}

/// Like [`run`], but into existing memory: the system does not have to find fresh memory for a long result, which takes
/// longer than the scan.
///
/// # Errors
///
/// As for [`run`], and [`Error::Length`] when the output and the input differ in length.
///
/// ```
/// use warpwise::scan::{self, Kind, Options};
/// use warpwise::{Device, Operator};
///
/// let mut sums = [0; 3];
/// scan::run_into(&Device::best(), Operator::Sum, Kind::Inclusive, &[1, 2, 3], &mut sums, &Options::default())?;
/// assert_eq!(sums, [1, 3, 6]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run_into<T: Scannable>(
    device: &Device,
    operator: Operator,
    kind: Kind,
    xs: &(impl Input<T> + ?Sized),
    out: &mut [T],
    options: &Options,
) -> Result<(), Error> {
    T::run_into(device, (operator, kind), &xs, out, options)
}

fn into_on<T: Scannable>(
    device: &Device,
    (operator, kind): (Operator, Kind),
    xs: &dyn Input<T>,
    out: &mut [T],
    options: &Options,
) -> Result<(), Error> {
    Error::check_length("the output", out.len(), xs.length())?;
    let Some(session) = device.session() else {
        return match PRIMITIVE.choose(device, options.variant.as_deref(), BEST)?.name {
            "cpu-seq" => cpu::seq(operator, kind, &xs.on_host()?, out),
            _ => cpu::par(operator, kind, &xs.on_host()?, out),
        };
    };
    if xs.as_view().is_none() && options.variant.is_none() {
        let cut = |job: &Rows<'_>| job.worth_cutting(session);
        if overlapped(session, (operator, kind), &xs.on_host()?, out, options.geometry, cut)? {
            return Ok(());
        }
    }
    buffer_on(device, (operator, kind), xs, options)?.copy_to(out)
}

/// A scan in parts, each of which continues where the one before ended; `false`, with nothing done, if `cut` does not
/// want parts.
pub(super) fn overlapped<T: Scannable>(
    session: &Session,
    (operator, kind): (Operator, Kind),
    xs: &[T],
    out: &mut [T],
    geometry: Geometry,
    cut: impl FnOnce(&Rows<'_>) -> Option<usize>,
) -> Result<bool, Error> {
    let (n, size) = (xs.len(), size_of::<T>());
    // An exclusive scan is the inclusive one, shifted by one element.
    let shift = usize::from(kind == Kind::Exclusive && n > 0);
    let job = Rows {
        inputs: vec![(bytemuck::cast_slice(&xs[..n - shift]), size)],
        output: (bytemuck::cast_slice_mut(&mut out[shift..]), size),
        count: n - shift,
        halo: 0,
    };
    let Some(part) = cut(&job) else { return Ok(false) };
    let geometry = PRIMITIVE.geometry(session, geometry, BEST, T::NAME);
    let mut before = None;
    // Whole lines of memory, so that vectors stay aligned.
    session.in_parts(job, part.next_multiple_of(64), |Part { inputs, output, rows }| {
        if let Some(before) = before {
            gpu::carry_on::<T>(session, operator, before, inputs[0])?;
        }
        before = Some(output.plus(((rows - 1) * size) as u64));
        gpu::scan_into::<T>(session, BEST, (operator, Kind::Inclusive), [inputs[0], output], rows, geometry)
    })?;
    if shift == 1 {
        out[0] = operator.identity();
    }
    Ok(true)
}

/// Like [`run`], but the result stays on the device.
///
/// ```
/// use warpwise::scan::{self, Kind, Options};
/// use warpwise::{Device, Operator};
///
/// let products =
///     scan::run_buffer(&Device::emulator(), Operator::Product, Kind::Inclusive, &[1, 2, 3, 4], &Options::default())?;
/// assert_eq!(products.to_vec()?, [1, 2, 6, 24]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run_buffer<T: Scannable>(
    device: &Device,
    operator: Operator,
    kind: Kind,
    xs: &(impl Input<T> + ?Sized),
    options: &Options,
) -> Result<Buffer<T>, Error> {
    T::run_buffer(device, (operator, kind), &xs, options)
}

fn buffer_on<T: Scannable>(
    device: &Device,
    (operator, kind): (Operator, Kind),
    xs: &dyn Input<T>,
    options: &Options,
) -> Result<Buffer<T>, Error> {
    let n = xs.length();
    let best = match n {
        ..=ONE_BLOCK => "gpu-6-warp-shuffle",
        _ => BEST,
    };
    let chosen = PRIMITIVE.choose(device, options.variant.as_deref(), best)?;
    if n == 0 {
        return Buffer::from_slice(device, &[]);
    }
    if let Some(session) = device.session() {
        let input = Staged::new(session, xs)?;
        let geometry = if options.variant.is_none() && n <= ONE_BLOCK {
            let block = options.geometry.block.or(Some(n.next_multiple_of(32) as u32));
            Geometry { block, ..options.geometry }
        } else {
            PRIMITIVE.geometry(session, options.geometry, chosen.name, T::NAME)
        };
        let out = gpu::scan::<T>(session, chosen.name, (operator, kind), input.argument(), n, geometry)?;
        return Ok(Buffer::from_allocation(device, out, n));
    }
    let mut out = crate::memory::zeros(n);
    match chosen.name {
        "cpu-seq" => cpu::seq(operator, kind, &xs.on_host()?, &mut out)?,
        _ => cpu::par_fresh(operator, kind, &xs.on_host()?, &mut out)?,
    }
    Ok(Buffer::from_vec(out))
}
