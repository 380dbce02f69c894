//! 2-D convolution on a device.

use super::{Edge, Filter, Image, PRIMITIVE, Pixel, cpu, gpu, parts};
use crate::device::{Rows, Staged};
use crate::{Buffer, Device, Error, Geometry, Input, Variant};

/// How to convolve; the default is the device's best.
///
/// ```
/// use warpwise::convolve2d::Options;
///
/// let options = Options { variant: Some("gpu-4-tiled".into()), ..Options::default() };
/// assert!(options.geometry.block.is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The rung, by name; by default, the best one.
    pub variant: Option<String>,
    /// Launch geometry of GPU rungs: the threads of a block, 32 of them side by side; up to 128 from `gpu-6-streamed` on.
    pub geometry: Geometry,
}

/// Replaces each pixel by the sum of its neighbours times the weights of a filter. The result is row after row, with
/// the size given by [`Edge::result`].
///
/// ```
/// use warpwise::convolve2d::{Edge, Filter, Image, filter};
/// use warpwise::{Border, Device};
///
/// let image = Image::new(&[70_u8; 9], 3, 3)?;
/// let smooth = filter(&Device::emulator(), &Filter::default(), Edge::Border(Border::Replicate), image)?;
/// assert_eq!(smooth, [70; 9]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn filter<T: Pixel>(device: &Device, filter: &Filter, edge: Edge, image: Image<T>) -> Result<Vec<T>, Error> {
    run(device, filter, edge, image, &Options::default())
}

/// Like [`filter`], but for an image in a buffer (or a slice); the result stays on the device.
///
/// # Errors
///
/// [`Error::Length`] when there are not `rows * columns` pixels.
///
/// ```
/// use warpwise::convolve2d::{Edge, Filter, filter_buffer};
/// use warpwise::{Device, reduce};
///
/// let device = Device::emulator();
/// let box_filter = Filter::new(&[1.0; 9], 3, 3)?;
/// let sums = filter_buffer(&device, &box_filter, Edge::Valid, &[1.0_f32; 20], (4, 5))?;
/// assert_eq!((sums.len(), reduce::max(&device, &sums)?), (6, 9.0));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn filter_buffer<T: Pixel>(
    device: &Device,
    filter: &Filter,
    edge: Edge,
    pixels: &(impl Input<T> + ?Sized),
    size: (usize, usize),
) -> Result<Buffer<T>, Error> {
    run_buffer(device, filter, edge, pixels, size, &Options::default())
}

/// A convolution with options.
///
/// # Errors
///
/// [`Error::UnknownVariant`] for an unknown rung, [`Error::Launch`] for a tile that does not fit the shared
/// memory of the device.
///
/// ```
/// use warpwise::Device;
/// use warpwise::convolve2d::{Edge, Filter, Image, Options, run};
///
/// let options = Options { variant: Some("gpu-3-tiled-serial-load".into()), ..Options::default() };
/// let edges = Filter::new(&[-1.0, 0.0, 1.0], 1, 3)?;
/// let image = Image::new(&[1.0_f32, 2.0, 4.0, 8.0], 1, 4)?;
/// assert_eq!(run(&Device::emulator(), &edges, Edge::Valid, image, &options)?, [3.0, 6.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run<T: Pixel>(
    device: &Device,
    filter: &Filter,
    edge: Edge,
    image: Image<T>,
    options: &Options,
) -> Result<Vec<T>, Error> {
    let (rows, columns) = edge.result(filter, image.rows, image.columns);
    let mut out = crate::memory::zeros(Error::area(rows, columns)?);
    run_into(device, filter, edge, image, &mut out, options)?;
    Ok(out)
}

/// Like [`run`], but into existing memory: the system does not have to find fresh memory for a large result.
///
/// # Errors
///
/// As for [`run`], and [`Error::Length`] when the output does not have the size given by [`Edge::result`].
///
/// ```
/// use warpwise::Device;
/// use warpwise::convolve2d::{Edge, Filter, Image, Options, run_into};
///
/// let image = Image::new(&[1.0_f32, 2.0, 4.0, 8.0], 1, 4)?;
/// let mut out = [0.0; 2];
/// let edges = Filter::new(&[-1.0, 0.0, 1.0], 1, 3)?;
/// run_into(&Device::best(), &edges, Edge::Valid, image, &mut out, &Options::default())?;
/// assert_eq!(out, [3.0, 6.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run_into<T: Pixel>(
    device: &Device,
    filter: &Filter,
    edge: Edge,
    image: Image<T>,
    out: &mut [T],
    options: &Options,
) -> Result<(), Error> {
    T::filter(device, filter, edge, image, out, options)
}

/// Like [`run`], but for an image of rows and columns in a buffer (or a slice); the result stays on the device.
///
/// # Errors
///
/// As for [`run`], and [`Error::Length`] when there are not `rows * columns` pixels.
///
/// ```
/// use warpwise::convolve2d::{Edge, Filter, Options, run_buffer};
/// use warpwise::{Border, Device};
///
/// let edge = Edge::Border(Border::Wrap);
/// let out = run_buffer(&Device::cpu(), &Filter::default(), edge, &[7_u8; 6], (2, 3), &Options::default())?;
/// assert_eq!(out.to_vec()?, [7; 6]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run_buffer<T: Pixel>(
    device: &Device,
    filter: &Filter,
    edge: Edge,
    pixels: &(impl Input<T> + ?Sized),
    (rows, columns): (usize, usize),
    options: &Options,
) -> Result<Buffer<T>, Error> {
    let chosen = choose(device, options)?;
    Error::check_length("the image", pixels.length(), Error::area(rows, columns)?)?;
    let (out_rows, out_columns) = edge.result(filter, rows, columns);
    let length = Error::area(out_rows, out_columns)?;
    if length == 0 {
        return Buffer::from_slice(device, &[]);
    }
    if let Some(session) = device.session() {
        let (input, size) = (Staged::new(session, pixels)?, (rows, columns));
        let geometry = PRIMITIVE.geometry(session, options.geometry, chosen.name, T::NAME);
        let out = gpu::convolve::<T>(session, chosen.name, (filter, edge), input.argument(), size, geometry)?;
        return Ok(Buffer::from_allocation(device, out, length));
    }
    let mut out = crate::memory::zeros(length);
    let pixels = pixels.on_host()?;
    let image = Image::new(&pixels, rows, columns)?;
    match chosen.name {
        "cpu-seq" => cpu::seq(filter, edge, image, &mut out)?,
        _ => cpu::par_fresh(filter, edge, image, &mut out)?,
    }
    Ok(Buffer::from_vec(out))
}

fn choose(device: &Device, options: &Options) -> Result<&'static Variant, Error> {
    PRIMITIVE.choose(device, options.variant.as_deref(), "gpu-7-structured")
}

pub(super) fn filter_into<T: Pixel>(
    device: &Device,
    filter: &Filter,
    edge: Edge,
    image: Image<T>,
    out: &mut [T],
    options: &Options,
) -> Result<(), Error> {
    let chosen = choose(device, options)?;
    let (rows, columns) = edge.result(filter, image.rows, image.columns);
    Error::check_length("the output", out.len(), Error::area(rows, columns)?)?;
    if out.is_empty() {
        return Ok(());
    }
    let Some(session) = device.session() else {
        return match chosen.name {
            "cpu-seq" => cpu::seq(filter, edge, image, out),
            _ => cpu::par(filter, edge, image, out),
        };
    };
    let geometry = PRIMITIVE.geometry(session, options.geometry, chosen.name, T::NAME);
    let cut = |job: &Rows<'_>| job.worth_cutting(session);
    if parts::filter(session, chosen, (filter, edge), image, out, geometry, cut)? {
        return Ok(());
    }
    run_buffer(device, filter, edge, image.pixels, (image.rows, image.columns), options)?.download_into(out)
}
