//! Vector add on a device.

use super::{PRIMITIVE, cpu, gpu};
use crate::device::{Part, Rows, Staged};
use crate::{Buffer, Device, Element, Error, Geometry, Input};

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
pub trait Summand: Element {}

impl Summand for i32 {}
impl Summand for f32 {}
impl Summand for f64 {}

/// How to add; the default is the device's best.
///
/// ```
/// use warpwise::vecadd::Options;
///
/// let options = Options { variant: Some("gpu-blocks".into()), ..Options::default() };
/// assert!(options.geometry.block.is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The rung, by name; by default, the best one.
    pub variant: Option<String>,
    /// Launch geometry of the GPU rungs that take one; the ladder says which.
    pub geometry: Geometry,
}

/// The sum of two vectors, element by element. Integers wrap.
///
/// # Errors
///
/// [`Error::Length`] when the lengths differ.
///
/// ```
/// use warpwise::{Device, vecadd};
///
/// assert_eq!(vecadd::add(&Device::best(), &[1, 2, 3], &[10, 20, 30])?, [11, 22, 33]);
/// assert_eq!(vecadd::add(&Device::emulator(), &[0.5_f32; 100], &[0.25; 100])?, [0.75; 100]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn add<T: Summand>(
    device: &Device,
    a: &(impl Input<T> + ?Sized),
    b: &(impl Input<T> + ?Sized),
) -> Result<Vec<T>, Error> {
    run(device, a, b, &Options::default())
}

/// Like [`add`], but the result stays on the device.
///
/// ```
/// use warpwise::{Device, reduce, vecadd};
///
/// let device = Device::emulator();
/// let sums = vecadd::add_buffer(&device, &[1, 2, 3], &[10, 20, 30])?;
/// assert_eq!(reduce::sum(&device, &sums)?, 66);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn add_buffer<T: Summand>(
    device: &Device,
    a: &(impl Input<T> + ?Sized),
    b: &(impl Input<T> + ?Sized),
) -> Result<Buffer<T>, Error> {
    run_buffer(device, a, b, &Options::default())
}

/// The sum of two vectors, with options.
///
/// # Errors
///
/// As for [`add`], [`Error::UnknownVariant`] for an unknown rung, and [`Error::Launch`] for a launch that the device
/// does not allow: `gpu-one-block` past 1024 elements.
///
/// ```
/// use warpwise::vecadd::{self, Options};
/// use warpwise::{Device, Error};
///
/// let options = Options { variant: Some("gpu-one-block".into()), ..Options::default() };
/// let device = Device::emulator();
/// assert_eq!(vecadd::run(&device, &[1; 1024], &[2; 1024], &options)?, [3; 1024]);
/// assert!(matches!(vecadd::run(&device, &[1; 1025], &[2; 1025], &options), Err(Error::Launch(_))));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run<T: Summand>(
    device: &Device,
    a: &(impl Input<T> + ?Sized),
    b: &(impl Input<T> + ?Sized),
    options: &Options,
) -> Result<Vec<T>, Error> {
    if device.is_cpu() {
        return run_buffer(device, a, b, options)?.into_vec();
    }
    let mut sums = crate::memory::zeros(a.length());
    run_into(device, a, b, &mut sums, options)?;
    Ok(sums)
}

/// Like [`run`], but into existing memory: the system does not have to find fresh memory for a long result, which takes
/// longer than the sum.
///
/// # Errors
///
/// As for [`run`], and [`Error::Length`] when the output and the vectors differ in length.
///
/// ```
/// use warpwise::Device;
/// use warpwise::vecadd::{self, Options};
///
/// let mut sums = [0; 2];
/// vecadd::run_into(&Device::best(), &[1, 2], &[10, 20], &mut sums, &Options::default())?;
/// assert_eq!(sums, [11, 22]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run_into<T: Summand>(
    device: &Device,
    a: &(impl Input<T> + ?Sized),
    b: &(impl Input<T> + ?Sized),
    out: &mut [T],
    options: &Options,
) -> Result<(), Error> {
    Error::check_length("the output", out.len(), a.length())?;
    if device.is_cpu() {
        let chosen = PRIMITIVE.choose(device, options.variant.as_deref(), BEST)?;
        let (a, b) = (a.on_host()?, b.on_host()?);
        return if chosen.name == "cpu-seq" { cpu::seq(&a, &b, out) } else { cpu::par(&a, &b, out) };
    }
    if overlapped(device, a, b, out, options)? {
        return Ok(());
    }
    run_buffer(device, a, b, options)?.download_into(out)
}

/// The sum of long vectors in host memory, on a GPU that copies while it computes; `false`, with nothing done, for any
/// other device.
fn overlapped<T: Summand>(
    device: &Device,
    a: &(impl Input<T> + ?Sized),
    b: &(impl Input<T> + ?Sized),
    out: &mut [T],
    options: &Options,
) -> Result<bool, Error> {
    let chosen = PRIMITIVE.choose(device, options.variant.as_deref(), BEST)?;
    let (Some(session), None, None) = (device.session(), a.as_view(), b.as_view()) else { return Ok(false) };
    let (n, size) = (a.length(), size_of::<T>());
    if chosen.name != BEST || b.length() != n {
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
    let geometry = PRIMITIVE.geometry(session, options.geometry, chosen.name, T::NAME);
    // Whole lines of memory, so that vectors stay aligned.
    session.in_parts(job, part.next_multiple_of(64), |Part { inputs, output, rows }| {
        gpu::add_into::<T>(session, chosen.name, [inputs[0], inputs[1], output], rows, geometry)
    })?;
    Ok(true)
}

/// Like [`run`], but the result stays on the device.
///
/// ```
/// use warpwise::Device;
/// use warpwise::vecadd::{self, Options};
///
/// let sums = vecadd::run_buffer(&Device::cpu(), &[1.0, 2.0], &[0.5, 0.5], &Options::default())?;
/// assert_eq!(sums.to_vec()?, [1.5, 2.5]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run_buffer<T: Summand>(
    device: &Device,
    a: &(impl Input<T> + ?Sized),
    b: &(impl Input<T> + ?Sized),
    options: &Options,
) -> Result<Buffer<T>, Error> {
    let chosen = PRIMITIVE.choose(device, options.variant.as_deref(), BEST)?;
    let n = a.length();
    Error::check_length("the second vector", b.length(), n)?;
    if n == 0 {
        return Buffer::from_slice(device, &[]);
    }
    if let Some(session) = device.session() {
        let (a, b) = (Staged::new(session, a)?, Staged::new(session, b)?);
        let geometry = PRIMITIVE.geometry(session, options.geometry, chosen.name, T::NAME);
        let out = gpu::add::<T>(session, chosen.name, [a.argument(), b.argument()], n, geometry)?;
        return Ok(Buffer::from_allocation(device, out, n));
    }
    let mut out = crate::memory::zeros(n);
    match chosen.name {
        "cpu-seq" => cpu::seq(&a.on_host()?, &b.on_host()?, &mut out)?,
        _ => cpu::par_fresh(&a.on_host()?, &b.on_host()?, &mut out)?,
    }
    Ok(Buffer::from_vec(out))
}
