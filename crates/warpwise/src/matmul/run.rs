//! Matrix multiply on a device.

use super::gpu::{Factor, double, hopper, parts};
use super::{Matrix, MatrixMut, PRIMITIVE, check, cpu, gpu};
use crate::device::Staged;
use crate::{Buffer, Device, Element, Error, Float, Geometry, Input, Variant};
use std::borrow::Cow;

/// An element type of matrices: `f32` or `f64`.
///
/// ```
/// fn dot<T: warpwise::matmul::Scalar>(a: &[T], b: &[T]) -> Result<T, warpwise::Error> {
///     use warpwise::matmul::{Matrix, multiply};
///
///     let (a, b) = (Matrix::new(a, 1, a.len())?, Matrix::new(b, b.len(), 1)?);
///     Ok(multiply(&warpwise::Device::cpu(), a, b)?[0])
/// }
/// assert_eq!(dot(&[1.0, 2.0], &[3.0, 4.0]), Ok(11.0));
/// ```
#[allow(private_bounds)]
pub trait Scalar: Float + crate::simd::Lanes {
    // A method of the type, so that it is compiled here, once, and not again in every program that calls it.
    #[doc(hidden)]
    fn run(
        device: &Device,
        a: Matrix<'_, Self>,
        b: Matrix<'_, Self>,
        c: MatrixMut<'_, Self>,
        options: &Options,
    ) -> Result<(), Error>;
}

macro_rules! scalar {
    ($($t:ty)*) => {$(
        impl Scalar for $t {
            fn run(
                device: &Device,
                a: Matrix<'_, $t>,
                b: Matrix<'_, $t>,
                c: MatrixMut<'_, $t>,
                options: &Options,
            ) -> Result<(), Error> {
                run_on(device, a, b, c, options)
            }
        }
    )*};
}
scalar!(f32 f64);

/// How to multiply; the default is the device's fastest with the accuracy of the type. That is never
/// `gpu-9-tensor-tf32`, which must be chosen by name.
///
/// ```
/// use warpwise::matmul::Options;
///
/// let options = Options { variant: Some("gpu-3-tiled".into()), ..Options::default() };
/// assert!(options.geometry.block.is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The rung, by name; by default, the best one.
    pub variant: Option<String>,
    /// Launch geometry: the threads of a block for `gpu-1-uncoalesced`, `gpu-2-naive` and `gpu-3-tiled` (a square
    /// number). The block of the other rungs is fixed.
    pub geometry: Geometry,
}

/// Where a matrix lies in a [`Buffer`] (or a slice).
///
/// ```
/// use warpwise::matmul::Layout;
///
/// // The lower right quarter of a 4 x 4 matrix.
/// let quarter = Layout { offset: 10, stride: 4, ..Layout::new(2, 2) };
/// assert_eq!(quarter.end(), Some(16));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
    /// Elements from one row to the next.
    pub stride: usize,
    /// Elements before the first one.
    pub offset: usize,
}

impl Layout {
    /// A matrix at the beginning, whose rows follow each other.
    ///
    /// ```
    /// use warpwise::matmul::Layout;
    ///
    /// assert_eq!(Layout::new(2, 3).stride, 3);
    /// ```
    pub fn new(rows: usize, columns: usize) -> Self {
        Self { rows, columns, stride: columns, offset: 0 }
    }

    /// The number of elements that a buffer needs; `None` if it overflows.
    ///
    /// ```
    /// use warpwise::matmul::Layout;
    ///
    /// assert_eq!(Layout::new(2, 3).end(), Some(6));
    /// assert_eq!(Layout { stride: 10, ..Layout::new(2, 3) }.end(), Some(13));
    /// ```
    pub fn end(self) -> Option<usize> {
        if self.rows == 0 || self.columns == 0 {
            return Some(0);
        }
        (self.rows - 1).checked_mul(self.stride)?.checked_add(self.columns)?.checked_add(self.offset)
    }

    /// Checks that rows do not overlap and that a buffer of so many elements has them all.
    pub(crate) fn check(self, what: &'static str, length: usize) -> Result<(), Error> {
        if self.stride < self.columns {
            return Err(Error::Stride { stride: self.stride, columns: self.columns });
        }
        let end = self.end().ok_or(Error::TooLarge { rows: self.rows, columns: self.columns })?;
        if length < end { Err(Error::Length { what, expected: end, found: length }) } else { Ok(()) }
    }

    /// The matrix in a slice that is long enough.
    pub(crate) fn view<T: Element>(self, data: &[T]) -> Result<Matrix<'_, T>, Error> {
        Matrix::with_stride(&data[self.offset.min(data.len())..], self.rows, self.columns, self.stride)
    }
}

/// The product of two matrices, row after row.
///
/// # Errors
///
/// [`Error::Shapes`] when the first does not have as many columns as the second has rows.
///
/// ```
/// use warpwise::Device;
/// use warpwise::matmul::{Matrix, multiply};
///
/// let (a, b) = ([1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 1.0, 0.0]);
/// let product = multiply(&Device::emulator(), Matrix::new(&a, 2, 2)?, Matrix::new(&b, 2, 2)?)?;
/// assert_eq!(product, [2.0, 1.0, 4.0, 3.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn multiply<T: Scalar>(device: &Device, a: Matrix<T>, b: Matrix<T>) -> Result<Vec<T>, Error> {
    let mut c = crate::memory::zeros(Error::area(a.rows(), b.columns())?);
    run(device, a, b, MatrixMut::new(&mut c, a.rows(), b.columns())?, &Options::default())?;
    Ok(c)
}

/// Writes the product of two matrices into a third, with options.
///
/// # Errors
///
/// [`Error::Shapes`] when rows and columns do not match, [`Error::UnknownVariant`] for an unknown rung,
/// [`Error::Block`] for a block that the rung cannot work with, [`Error::Needs`] for a tensor-core rung if the device
/// does not have such tensor cores, or for `f64`.
///
/// ```
/// use warpwise::Device;
/// use warpwise::matmul::{self, Matrix, MatrixMut, Options};
///
/// let ones = [1.0_f32; 6];
/// // Into the right half of a 2 x 4 matrix.
/// let mut c = [0.0; 8];
/// let right = MatrixMut::with_stride(&mut c[2..], 2, 2, 4)?;
/// let options = Options { variant: Some("gpu-7-warp-tiled".into()), ..Options::default() };
/// matmul::run(&Device::emulator(), Matrix::new(&ones, 2, 3)?, Matrix::new(&ones, 3, 2)?, right, &options)?;
/// assert_eq!(c, [0.0, 0.0, 3.0, 3.0, 0.0, 0.0, 3.0, 3.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run<T: Scalar>(
    device: &Device,
    a: Matrix<T>,
    b: Matrix<T>,
    c: MatrixMut<T>,
    options: &Options,
) -> Result<(), Error> {
    T::run(device, a, b, c, options)
}

fn run_on<T: Scalar>(
    device: &Device,
    a: Matrix<'_, T>,
    b: Matrix<'_, T>,
    mut c: MatrixMut<'_, T>,
    options: &Options,
) -> Result<(), Error> {
    check(a, b, &c)?;
    if device.is_cpu() {
        return match choose::<T>(device, options, [a.rows(), b.columns(), a.columns()])?.name {
            "cpu-seq" => cpu::seq(a, b, c),
            _ => cpu::par(a, b, c),
        };
    }
    // Without the gaps between rows: they need not be copied to the device.
    let [first, second] = [a, b].map(|matrix| (packed(matrix), Layout::new(matrix.rows(), matrix.columns())));
    let (a, b) = ((&*first.0, first.1), (&*second.0, second.1));
    if let Some(out) = c.without_gaps() {
        return run_packed(device, a, b, out, options);
    }
    let mut product = crate::memory::zeros(Error::area(c.rows(), c.columns())?);
    run_packed(device, a, b, &mut product, options)?;
    for (i, row) in product.chunks(c.columns().max(1)).enumerate() {
        c.row_mut(i).copy_from_slice(row);
    }
    Ok(())
}

/// [`run`] on a GPU, with contiguous rows.
fn run_packed<T: Scalar>(
    device: &Device,
    a: (&[T], Layout),
    b: (&[T], Layout),
    out: &mut [T],
    options: &Options,
) -> Result<(), Error> {
    let chosen = choose::<T>(device, options, [a.1.rows, b.1.columns, a.1.columns])?;
    if let Some(session) = device.session() {
        let geometry = PRIMITIVE.geometry(session, options.geometry, chosen.name, T::NAME);
        if parts::multiply(session, chosen, [a, b], out, geometry, |job| job.worth_cutting(session))? {
            return Ok(());
        }
    }
    run_buffer(device, a, b, options)?.download_into(out)
}

/// The product of two matrices in buffers (or slices), which stays on the device, row after row.
///
/// # Errors
///
/// As for [`run`], [`Error::Stride`] when the rows of a layout overlap, [`Error::Length`] when it is longer than its
/// buffer.
///
/// ```
/// use warpwise::matmul::{self, Layout, Options};
/// use warpwise::{Buffer, Device};
///
/// let device = Device::emulator();
/// let a = Buffer::from_slice(&device, &[1.0_f32, 2.0, 3.0, 4.0])?;
/// let square = Layout::new(2, 2);
/// let squared = matmul::run_buffer(&device, (&a, square), (&a, square), &Options::default())?;
/// let cubed = matmul::run_buffer(&device, (&squared, square), (&a, square), &Options::default())?;
/// assert_eq!(cubed.to_vec()?, [37.0, 54.0, 81.0, 118.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run_buffer<T: Scalar>(
    device: &Device,
    (a, a_layout): (&(impl Input<T> + ?Sized), Layout),
    (b, b_layout): (&(impl Input<T> + ?Sized), Layout),
    options: &Options,
) -> Result<Buffer<T>, Error> {
    let chosen = choose::<T>(device, options, [a_layout.rows, b_layout.columns, a_layout.columns])?;
    a_layout.check("the first matrix", a.length())?;
    b_layout.check("the second matrix", b.length())?;
    let (m, n) = (a_layout.rows, b_layout.columns);
    if a_layout.columns != b_layout.rows {
        let ((a_rows, a_columns), (b_rows, b_columns)) = ((m, a_layout.columns), (b_layout.rows, n));
        return Err(Error::Shapes { a_rows, a_columns, b_rows, b_columns, c_rows: m, c_columns: n });
    }
    let length = Error::area(m, n)?;
    let Some(session) = device.session() else {
        let mut c = crate::memory::zeros(length);
        let (a, b) = (a.on_host()?, b.on_host()?);
        let (a, b) = (a_layout.view(&a)?, b_layout.view(&b)?);
        match chosen.name {
            "cpu-seq" => cpu::seq(a, b, MatrixMut::new(&mut c, m, n)?)?,
            _ => cpu::par(a, b, MatrixMut::new(&mut c, m, n)?)?,
        }
        return Ok(Buffer::from_vec(c));
    };
    if length == 0 {
        return Buffer::from_slice(device, &[]);
    }
    let (a, b) = (Staged::new(session, a)?, Staged::new(session, b)?);
    let a = Factor { buffer: a.argument(), layout: a_layout };
    let b = Factor { buffer: b.argument(), layout: b_layout };
    let geometry = PRIMITIVE.geometry(session, options.geometry, chosen.name, T::NAME);
    let c = gpu::multiply::<T>(session, chosen.name, a, b, geometry)?;
    Ok(Buffer::from_allocation(device, c, length))
}

fn choose<T: Float>(device: &Device, options: &Options, sizes: [usize; 3]) -> Result<&'static Variant, Error> {
    let sizes = sizes.map(|x| x as u64);
    let best = match device.session() {
        Some(session) if hopper::is_best::<T>(session, sizes) => hopper::SPLIT,
        Some(session) if double::is_best::<T>(session, sizes) => double::DOUBLE,
        _ => "gpu-8-wide-tiles",
    };
    PRIMITIVE.choose(device, options.variant.as_deref(), best)
}

/// The rows of a matrix without the gaps between them, which few matrices have.
pub(crate) fn packed<T: Element>(matrix: Matrix<'_, T>) -> Cow<'_, [T]> {
    match matrix.without_gaps() {
        Some(all) => Cow::Borrowed(all),
        None => (0..matrix.rows()).flat_map(|i| matrix.row(i)).copied().collect(),
    }
}
