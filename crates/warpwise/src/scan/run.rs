//! Scan on a device.

use super::{Kind, PRIMITIVE, Scan, cpu, gpu};
use crate::device::{Landing, Part, Rows, Session, Staged};
use crate::{Buffer, Device, Element, Error, Geometry, Input, Operator, Output, Target, expression};

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
    fn run_into(device: &Device, how: &Scan, xs: &dyn Input<Self>, out: &mut dyn Output<Self>) -> Result<(), Error>;
    #[doc(hidden)]
    fn run_buffer(device: &Device, how: &Scan, xs: &dyn Input<Self>) -> Result<Buffer<Self>, Error>;
    #[doc(hidden)]
    fn on_host(operator: Operator, kind: Kind, before: Self, xs: &[Self], out: &mut [Self]) -> Self;
}

macro_rules! scannable {
    ($($t:ty)*) => {$(
        impl Scannable for $t {
            fn run_into(
                device: &Device,
                how: &Scan,
                xs: &dyn Input<$t>,
                out: &mut dyn Output<$t>,
            ) -> Result<(), Error> {
                into_on(device, how, xs, out)
            }

            fn run_buffer(device: &Device, how: &Scan, xs: &dyn Input<$t>) -> Result<Buffer<$t>, Error> {
                buffer_on(device, how, xs)
            }

            fn on_host(operator: Operator, kind: Kind, before: $t, xs: &[$t], out: &mut [$t]) -> $t {
                cpu::par_from(operator, kind, before, xs, out)
            }
        }
    )*};
}
scannable!(i32 u32 i64 u64 f32 f64);

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
    Scan::new().kind(Kind::Inclusive).run(device, xs)
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
    Scan::new().kind(Kind::Exclusive).run(device, xs)
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
    Scan::new().kind(Kind::Inclusive).run_buffer(device, xs)
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
    Scan::new().kind(Kind::Exclusive).run_buffer(device, xs)
}

/// Like [`inclusive`], but into existing memory: on the host or, with a buffer, on the device.
///
/// # Errors
///
/// [`Error::Length`] when the output and the input differ in length.
///
/// ```
/// use warpwise::{Device, scan};
///
/// let mut sums = [0; 3];
/// scan::inclusive_into(&Device::best(), &[1, 2, 3], &mut sums)?;
/// assert_eq!(sums, [1, 3, 6]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn inclusive_into<T: Scannable>(
    device: &Device,
    xs: &(impl Input<T> + ?Sized),
    out: &mut (impl Output<T> + ?Sized),
) -> Result<(), Error> {
    Scan::new().run_into(device, xs, out)
}

/// Like [`exclusive`], but into existing memory: on the host or, with a buffer, on the device.
///
/// # Errors
///
/// [`Error::Length`] when the output and the input differ in length.
///
/// ```
/// use warpwise::{Buffer, Device, scan};
///
/// let device = Device::emulator();
/// let mut starts = Buffer::uninit(&device, 3)?;
/// scan::exclusive_into(&device, &[3, 1, 2], &mut starts)?;
/// assert_eq!(starts.to_vec()?, [0, 3, 4]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn exclusive_into<T: Scannable>(
    device: &Device,
    xs: &(impl Input<T> + ?Sized),
    out: &mut (impl Output<T> + ?Sized),
) -> Result<(), Error> {
    Scan::new().kind(Kind::Exclusive).run_into(device, xs, out)
}

fn into_on<T: Scannable>(device: &Device, how: &Scan, xs: &dyn Input<T>, out: &mut dyn Output<T>) -> Result<(), Error> {
    let n = xs.length();
    Error::check_length("the output", out.room(), n)?;
    xs.check(device)?;
    let mut target = out.as_target();
    target.check(device)?;
    let Some(session) = device.session() else {
        return match PRIMITIVE.choose(device, how.name(), BEST)?.name {
            "cpu-seq" => cpu::seq(how.operator, how.kind, &xs.for_cpu()?, target.for_cpu()?),
            _ => cpu::par(how.operator, how.kind, &xs.for_cpu()?, target.for_cpu()?),
        };
    };
    if let (Some(mapped), None) = (xs.as_mapped(), how.rung) {
        if n > 0 {
            let out = Landing::new(session, target)?;
            expression::gpu::scan(mapped, session, (how.operator, how.kind), out.argument())?;
            out.finish()?;
        }
        return Ok(());
    }
    if let (Target::Slice(out), None, None) = (&mut target, xs.as_view(), how.rung) {
        let cut = |job: &Rows<'_>| job.worth_cutting(session);
        if overlapped(session, (how.operator, how.kind), &xs.on_host()?, out, how.geometry, cut)? {
            return Ok(());
        }
    }
    let best = if n <= ONE_BLOCK { "gpu-6-warp-shuffle" } else { BEST };
    let chosen = PRIMITIVE.choose(device, how.name(), best)?;
    if n == 0 {
        return Ok(());
    }
    let (input, out) = (Staged::new(session, xs)?, Landing::new(session, target)?);
    let geometry = if how.rung.is_none() && n <= ONE_BLOCK {
        let block = how.geometry.block.or(Some(n.next_multiple_of(32) as u32));
        Geometry { block, ..how.geometry }
    } else {
        PRIMITIVE.geometry(session, how.geometry, chosen.name, T::NAME)
    };
    let data = [input.argument(), out.argument()];
    gpu::scan_into::<T>(session, chosen.name, (how.operator, how.kind), data, n, geometry)?;
    out.finish()
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

fn buffer_on<T: Scannable>(device: &Device, how: &Scan, xs: &dyn Input<T>) -> Result<Buffer<T>, Error> {
    if device.is_cpu() {
        let chosen = PRIMITIVE.choose(device, how.name(), BEST)?;
        let (xs, mut out) = (xs.for_cpu()?, crate::memory::zeros(xs.length()));
        match chosen.name {
            "cpu-seq" => cpu::seq(how.operator, how.kind, &xs, &mut out)?,
            _ => cpu::par_fresh(how.operator, how.kind, &xs, &mut out)?,
        }
        return Ok(Buffer::from_vec(out));
    }
    let mut out = Buffer::uninit(device, xs.length())?;
    into_on(device, how, xs, &mut out)?;
    Ok(out)
}
