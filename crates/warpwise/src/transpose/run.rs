//! Transpose on a device.

use super::{PRIMITIVE, Transpose, check_shapes, cpu, gpu};
use crate::device::Argument;
use crate::matmul::{HostMatrixMut, Layout, Matrix, MatrixMut};
use crate::{Buffer, Device, Element, Error};

/// The rung where the caller does not say.
const BEST: &str = "gpu-6-vector";

/// A type of matrices that can be transposed: `u8`, `f32` or `f64`.
///
/// ```
/// fn turned<T: warpwise::transpose::Transposable>(xs: &[T; 4]) -> Result<Vec<T>, warpwise::Error> {
///     warpwise::transpose::transpose(&warpwise::Device::cpu(), xs, (2, 2))
/// }
/// assert_eq!(turned(b"abcd")?, b"acbd");
/// # Ok::<(), warpwise::Error>(())
/// ```
pub trait Transposable: Element {
    // Methods of the type, so that they are compiled here, once, and not again in every program that calls them.
    #[doc(hidden)]
    fn transpose_into(
        device: &Device,
        how: &Transpose,
        from: &Matrix<'_, Self>,
        to: &mut MatrixMut<'_, Self>,
    ) -> Result<(), Error>;
    #[doc(hidden)]
    fn transpose_buffer(device: &Device, how: &Transpose, from: &Matrix<'_, Self>) -> Result<Buffer<Self>, Error>;
}

macro_rules! transposable {
    ($($t:ty)*) => {$(
        impl Transposable for $t {
            fn transpose_into(
                device: &Device,
                how: &Transpose,
                from: &Matrix<'_, $t>,
                to: &mut MatrixMut<'_, $t>,
            ) -> Result<(), Error> {
                into_on(device, how, from, to)
            }

            fn transpose_buffer(device: &Device, how: &Transpose, from: &Matrix<'_, $t>) -> Result<Buffer<$t>, Error> {
                buffer_on(device, how, from)
            }
        }
    )*};
}
transposable!(u8 f32 f64);

fn into_on<T: Transposable>(
    device: &Device,
    how: &Transpose,
    from: &Matrix<'_, T>,
    to: &mut MatrixMut<'_, T>,
) -> Result<(), Error> {
    check_shapes((from.rows(), from.columns()), (to.rows(), to.columns()))?;
    from.check(device)?;
    to.check(device)?;
    let chosen = PRIMITIVE.choose(device, how.name(), BEST)?;
    if from.is_transposed() {
        // The transpose of a transpose: there and back.
        let turned = buffer_on(device, how, &from.transposed())?;
        return into_on(device, how, &Matrix::new(&turned, from.rows(), from.columns())?, to);
    }
    let Some(session) = device.session() else {
        let (Some(from), Some(to)) = (from.on_host()?, to.on_host()?) else { return Err(Error::Lost) };
        return if chosen.name == "cpu-seq" { cpu::seq(from, to) } else { cpu::par(from, to) };
    };
    if to.rows() == 0 || to.columns() == 0 {
        return Ok(());
    }
    let (input, layout) = from.stage(session)?;
    let geometry = PRIMITIVE.geometry(session, how.geometry, chosen.name, T::NAME);
    let launch =
        |to: (Argument, Layout)| gpu::transpose::<T>(session, chosen.name, (input.argument(), layout), to, geometry);
    if let Some(at) = to.on_device(session)? {
        return launch((Argument::Pointer(at), to.layout()));
    }
    let packed = Layout::new(to.rows(), to.columns());
    let out = session.allocate((packed.rows * packed.columns * size_of::<T>()) as u64)?;
    launch((out.argument(), packed))?;
    match to.on_host()? {
        Some(to) => download(&Buffer::from_allocation(device, out, packed.rows * packed.columns), to),
        None => Err(Error::Lost),
    }
}

/// Copies rows that follow each other to those of a matrix in host memory.
pub(crate) fn download<T: Element>(from: &Buffer<T>, mut to: HostMatrixMut<'_, T>) -> Result<(), Error> {
    if let Some(out) = to.without_gaps() {
        return from.download_into(out);
    }
    for (i, row) in from.to_vec()?.chunks(to.columns().max(1)).enumerate() {
        to.row_mut(i).copy_from_slice(row);
    }
    Ok(())
}

fn buffer_on<T: Transposable>(device: &Device, how: &Transpose, from: &Matrix<'_, T>) -> Result<Buffer<T>, Error> {
    let (rows, columns) = (from.columns(), from.rows());
    from.check(device)?;
    let mut out = Buffer::uninit(device, Error::area(rows, columns)?)?;
    if device.is_cpu() && !from.is_transposed() && how.name() != Some("cpu-seq") {
        PRIMITIVE.choose(device, how.name(), BEST)?;
        let mut to = MatrixMut::new(&mut out, rows, columns)?;
        if let (Some(from), Some(to)) = (from.on_host()?, to.on_host()?) {
            cpu::par_fresh(from, to)?;
        }
        return Ok(out);
    }
    into_on(device, how, from, &mut MatrixMut::new(&mut out, rows, columns)?)?;
    Ok(out)
}
