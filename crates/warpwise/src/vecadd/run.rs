//! Vector add on a device.

use super::{PRIMITIVE, VecAdd, cpu, gpu};
use crate::device::{Landing, Part, Rows, Session, Staged};
use crate::{Buffer, Device, Element, Error, Input, Output, Target, Variant};

/// The default rung.
const BEST: &str = "gpu-vec4";

/// A type that vectors can be added in: `i32`, `f32` or `f64`.
///
/// ```
/// fn twice<T: warpwise::vecadd::Summand>(x: T) -> T {
///     x.plus(x)
/// }
/// assert_eq!(twice(21), 42);
/// ```
pub trait Summand: Element {
    // Methods of the type, so that they are compiled here, once, and not again in every program that calls them.
    #[doc(hidden)]
    fn run_into(
        device: &Device,
        how: &VecAdd,
        vectors: [&dyn Input<Self>; 2],
        out: &mut dyn Output<Self>,
    ) -> Result<(), Error>;
    #[doc(hidden)]
    fn run_buffer(device: &Device, how: &VecAdd, vectors: [&dyn Input<Self>; 2]) -> Result<Buffer<Self>, Error>;
}

macro_rules! summand {
    ($($t:ty)*) => {$(
        impl Summand for $t {
            fn run_into(
                device: &Device,
                how: &VecAdd,
                vectors: [&dyn Input<$t>; 2],
                out: &mut dyn Output<$t>,
            ) -> Result<(), Error> {
                into_on(device, how, vectors, out)
            }

            fn run_buffer(device: &Device, how: &VecAdd, vectors: [&dyn Input<$t>; 2]) -> Result<Buffer<$t>, Error> {
                buffer_on(device, how, vectors)
            }
        }
    )*};
}
summand!(i32 f32 f64);

fn check<T: Summand>(device: &Device, how: &VecAdd, [a, b]: [&dyn Input<T>; 2]) -> Result<&'static Variant, Error> {
    Error::check_length("the second vector", b.length(), a.length())?;
    a.check(device)?;
    b.check(device)?;
    PRIMITIVE.choose(device, how.name(), BEST)
}

fn into_on<T: Summand>(
    device: &Device,
    how: &VecAdd,
    [a, b]: [&dyn Input<T>; 2],
    out: &mut dyn Output<T>,
) -> Result<(), Error> {
    let (chosen, n) = (check(device, how, [a, b])?, a.length());
    Error::check_length("the output", out.room(), n)?;
    let mut target = out.as_target();
    target.check(device)?;
    let Some(session) = device.session() else {
        let (a, b, out) = (a.for_cpu()?, b.for_cpu()?, target.for_cpu()?);
        return if chosen.name == "cpu-seq" { cpu::seq(&a, &b, out) } else { cpu::par(&a, &b, out) };
    };
    if n == 0 {
        return Ok(());
    }
    if let Target::Slice(out) = &mut target
        && overlapped(session, chosen, how, [a, b], out)?
    {
        return Ok(());
    }
    let (a, b, out) = (Staged::new(session, a)?, Staged::new(session, b)?, Landing::aligned(session, target)?);
    let geometry = PRIMITIVE.geometry(session, how.geometry, chosen.name, T::NAME);
    gpu::add_into::<T>(session, chosen.name, [a.argument(), b.argument(), out.argument()], n, geometry)?;
    out.finish()
}

/// The sum of long vectors in host memory, on a GPU that copies while it computes; `false`, with nothing done, for any
/// other device.
fn overlapped<T: Summand>(
    session: &Session,
    chosen: &'static Variant,
    how: &VecAdd,
    [a, b]: [&dyn Input<T>; 2],
    out: &mut [T],
) -> Result<bool, Error> {
    let (n, size) = (a.length(), size_of::<T>());
    if chosen.name != BEST || a.as_view().is_some() || b.as_view().is_some() {
        return Ok(false);
    }
    let (a, b) = (a.on_host()?, b.on_host()?);
    let job = Rows {
        inputs: vec![(bytemuck::cast_slice(&a), size), (bytemuck::cast_slice(&b), size)],
        output: (bytemuck::cast_slice_mut(out), size),
        count: n,
        halo: 0,
    };
    let Some(part) = job.worth_cutting(session) else { return Ok(false) };
    let geometry = PRIMITIVE.geometry(session, how.geometry, chosen.name, T::NAME);
    // Whole lines of memory, so that vectors stay aligned.
    session.in_parts(job, part.next_multiple_of(64), |Part { inputs, output, rows }| {
        gpu::add_into::<T>(session, chosen.name, [inputs[0], inputs[1], output], rows, geometry)
    })?;
    Ok(true)
}

fn buffer_on<T: Summand>(device: &Device, how: &VecAdd, [a, b]: [&dyn Input<T>; 2]) -> Result<Buffer<T>, Error> {
    if !device.is_cpu() {
        let mut out = Buffer::uninit(device, a.length())?;
        into_on(device, how, [a, b], &mut out)?;
        return Ok(out);
    }
    let (chosen, mut out) = (check(device, how, [a, b])?, crate::memory::zeros(a.length()));
    match chosen.name {
        "cpu-seq" => cpu::seq(&a.for_cpu()?, &b.for_cpu()?, &mut out)?,
        _ => cpu::par_fresh(&a.for_cpu()?, &b.for_cpu()?, &mut out)?,
    }
    Ok(Buffer::from_vec(out))
}
