//! 2-D convolution on a device.

use super::{Convolve2d, Image, PRIMITIVE, Pixel, cpu, gpu, parts};
use crate::device::{Landing, Rows, Staged};
use crate::{Buffer, Device, Error, Input, Output, Target, Variant};

/// The rung, and the number of pixels of the result.
fn check<T: Pixel>(
    device: &Device,
    how: &Convolve2d<'_>,
    pixels: &dyn Input<T>,
    (rows, columns): (usize, usize),
) -> Result<(&'static Variant, usize), Error> {
    let chosen = PRIMITIVE.choose(device, how.name(), "gpu-7-structured")?;
    Error::check_length("the image", pixels.length(), Error::area(rows, columns)?)?;
    pixels.check(device)?;
    let (out_rows, out_columns) = how.edge.result(how.filter, rows, columns);
    Ok((chosen, Error::area(out_rows, out_columns)?))
}

pub(super) fn into_on<T: Pixel>(
    device: &Device,
    how: &Convolve2d<'_>,
    pixels: &dyn Input<T>,
    (rows, columns): (usize, usize),
    out: &mut dyn Output<T>,
) -> Result<(), Error> {
    let (chosen, length) = check(device, how, pixels, (rows, columns))?;
    Error::check_length("the output", out.room(), length)?;
    let mut target = out.as_target();
    target.check(device)?;
    if length == 0 {
        return Ok(());
    }
    let (filter, edge) = (how.filter, how.edge);
    let Some(session) = device.session() else {
        let pixels = pixels.for_cpu()?;
        let (image, out) = (Image::new(&pixels, rows, columns)?, target.for_cpu()?);
        return match chosen.name {
            "cpu-seq" => cpu::seq(filter, edge, image, out),
            _ => cpu::par(filter, edge, image, out),
        };
    };
    let geometry = PRIMITIVE.geometry(session, how.geometry, chosen.name, T::NAME);
    if let (Target::Slice(out), None) = (&mut target, pixels.as_view()) {
        let pixels = pixels.on_host()?;
        let image = Image::new(&pixels, rows, columns)?;
        let cut = |job: &Rows<'_>| job.worth_cutting(session);
        if parts::filter(session, chosen, (filter, edge), image, out, geometry, cut)? {
            return Ok(());
        }
    }
    let (input, out) = (Staged::new(session, pixels)?, Landing::aligned(session, target)?);
    let data = [input.argument(), out.argument()];
    gpu::convolve_into::<T>(session, chosen.name, (filter, edge), data, (rows, columns), geometry)?;
    out.finish()
}

pub(super) fn buffer_on<T: Pixel>(
    device: &Device,
    how: &Convolve2d<'_>,
    pixels: &dyn Input<T>,
    (rows, columns): (usize, usize),
) -> Result<Buffer<T>, Error> {
    let (chosen, length) = check(device, how, pixels, (rows, columns))?;
    if !device.is_cpu() {
        let mut out = Buffer::uninit(device, length)?;
        into_on(device, how, pixels, (rows, columns), &mut out)?;
        return Ok(out);
    }
    let mut out = crate::memory::try_zeros(length)?;
    if length > 0 {
        let pixels = pixels.for_cpu()?;
        let image = Image::new(&pixels, rows, columns)?;
        match chosen.name {
            "cpu-seq" => cpu::seq(how.filter, how.edge, image, &mut out)?,
            _ => cpu::par_fresh(how.filter, how.edge, image, &mut out)?,
        }
    }
    Ok(Buffer::from_vec(out))
}
