//! Matrix multiply on a device.

use super::gpu::{self, Factor, double, few, hopper, parts};
use super::{HostMatrix, HostMatrixMut, Layout, Matmul, Matrix, MatrixMut, PRIMITIVE, cpu};
use crate::device::{Argument, Session, Staged};
use crate::transpose::{Transposable, Transpose, download};
use crate::{Buffer, Device, Element, Error, Float, Variant};
use std::borrow::Cow;

/// An element type of matrices: `f32` or `f64`.
///
/// ```
/// fn dot<T: warpwise::matmul::Scalar>(a: &[T], b: &[T]) -> Result<T, warpwise::Error> {
///     use warpwise::matmul::{Matrix, multiply};
///
///     let (a, b) = (Matrix::new(a, 1, a.len())?, Matrix::new(b, b.len(), 1)?);
///     Ok(multiply(&warpwise::Device::cpu(), &a, &b)?[0])
/// }
/// assert_eq!(dot(&[1.0, 2.0], &[3.0, 4.0])?, 11.0);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[allow(private_bounds)]
pub trait Scalar: Float + crate::simd::Lanes + Transposable {
    // A method of the type, so that it is compiled here, once, and not again in every program that calls it.
    #[doc(hidden)]
    fn run(
        device: &Device,
        how: &Matmul,
        factors: [&Matrix<'_, Self>; 2],
        c: &mut MatrixMut<'_, Self>,
    ) -> Result<(), Error>;
}

macro_rules! scalar {
    ($($t:ty)*) => {$(
        impl Scalar for $t {
            fn run(
                device: &Device,
                how: &Matmul,
                factors: [&Matrix<'_, $t>; 2],
                c: &mut MatrixMut<'_, $t>,
            ) -> Result<(), Error> {
                run_on(device, how, factors, c)
            }
        }
    )*};
}
scalar!(f32 f64);

fn run_on<T: Scalar>(
    device: &Device,
    how: &Matmul,
    [a, b]: [&Matrix<'_, T>; 2],
    c: &mut MatrixMut<'_, T>,
) -> Result<(), Error> {
    let [m, n, k] = [c.rows(), c.columns(), a.columns()];
    if (a.rows(), b.rows(), b.columns()) != (m, k, n) {
        let (a_rows, a_columns, b_rows, b_columns) = (a.rows(), k, b.rows(), b.columns());
        return Err(Error::Shapes { a_rows, a_columns, b_rows, b_columns, c_rows: m, c_columns: n });
    }
    a.check(device)?;
    b.check(device)?;
    c.check(device)?;
    let chosen = choose::<T>(device, how, [m, n, k])?;
    match device.session() {
        None => on_cpu(device, how, chosen, [a, b], c),
        Some(_) if m == 0 || n == 0 => Ok(()),
        Some(session) => on_gpu(device, session, how, chosen, [a, b], c),
    }
}

/// A factor as it is multiplied: the matrix, or a transposed copy of it.
enum Plain<'a, T: Element> {
    There(HostMatrix<'a, T>),
    Turned(Vec<T>, usize, usize),
}

impl<'a, T: Scalar> Plain<'a, T> {
    fn new(device: &Device, matrix: &'a Matrix<'_, T>) -> Result<Self, Error> {
        if matrix.is_transposed() {
            let turned = Transpose::new().run(device, &matrix.transposed())?;
            return Ok(Self::Turned(turned, matrix.rows(), matrix.columns()));
        }
        matrix.on_host()?.map(Self::There).ok_or(Error::Lost)
    }

    fn get(&self) -> Result<HostMatrix<'_, T>, Error> {
        match self {
            Self::There(matrix) => Ok(*matrix),
            Self::Turned(values, rows, columns) => HostMatrix::new(values, *rows, *columns),
        }
    }
}

fn on_cpu<T: Scalar>(
    device: &Device,
    how: &Matmul,
    chosen: &'static Variant,
    [a, b]: [&Matrix<'_, T>; 2],
    c: &mut MatrixMut<'_, T>,
) -> Result<(), Error> {
    let multiply = |a, b, c| if chosen.name == "cpu-seq" { cpu::seq(a, b, c) } else { cpu::par(a, b, c) };
    let (a, b) = (Plain::new(device, a)?, Plain::new(device, b)?);
    let (rows, columns) = (c.rows(), c.columns());
    let mut c = c.on_host()?.ok_or(Error::Lost)?;
    if how.is_plain() {
        return multiply(a.get()?, b.get()?, c);
    }
    let mut product = crate::memory::try_zeros(Error::area(rows, columns)?)?;
    multiply(a.get()?, b.get()?, HostMatrixMut::new(&mut product, rows, columns)?)?;
    let (alpha, beta) = (T::from_f64(how.alpha), T::from_f64(how.beta));
    for (i, row) in product.chunks(columns.max(1)).enumerate() {
        for (c, &x) in c.row_mut(i).iter_mut().zip(row) {
            let x = alpha.times(x);
            *c = if beta == T::ZERO { x } else { x.plus(beta.times(*c)) };
        }
    }
    Ok(())
}

/// A factor on a GPU, with the memory that it needs for this call.
struct There<T: Element> {
    factor: Factor,
    _kept: (Option<Staged>, Option<Buffer<T>>),
}

impl<T: Scalar> There<T> {
    fn new(device: &Device, session: &Session, matrix: &Matrix<'_, T>) -> Result<Self, Error> {
        if !matrix.is_transposed() {
            let (staged, layout) = matrix.stage(session)?;
            return Ok(Self { factor: Factor { buffer: staged.argument(), layout }, _kept: (Some(staged), None) });
        }
        // No kernel reads columns as rows: the library's own transpose makes rows of them.
        let turned = Transpose::new().run_buffer(device, &matrix.transposed())?;
        let buffer = Staged::new(session, &turned)?.argument();
        let layout = Layout::new(matrix.rows(), matrix.columns());
        Ok(Self { factor: Factor { buffer, layout }, _kept: (None, Some(turned)) })
    }
}

fn on_gpu<T: Scalar>(
    device: &Device,
    session: &Session,
    how: &Matmul,
    chosen: &'static Variant,
    [a, b]: [&Matrix<'_, T>; 2],
    c: &mut MatrixMut<'_, T>,
) -> Result<(), Error> {
    let geometry = PRIMITIVE.geometry(session, how.geometry, chosen.name, T::NAME);
    if how.is_plain() && ![a, b].into_iter().any(Matrix::is_transposed) {
        let operands = (a.on_host()?, b.on_host()?, c.on_host()?);
        if let (Some(a), Some(b), Some(mut c)) = operands
            && let Some(c) = c.without_gaps()
        {
            // Without the gaps between rows: they need not be copied to the device.
            let [first, second] = [a, b].map(|matrix| (packed(matrix), Layout::new(matrix.rows(), matrix.columns())));
            let factors = [(&*first.0, first.1), (&*second.0, second.1)];
            if parts::multiply(session, chosen, factors, c, geometry, |job| job.worth_cutting(session))? {
                return Ok(());
            }
        }
    }
    let (a, b) = (There::new(device, session, a)?, There::new(device, session, b)?);
    let rows = Layout::new(c.rows(), c.columns());
    let length = Error::area(rows.rows, rows.columns)?;
    let there = c.on_device(session)?.map(|at| Factor { buffer: Argument::Pointer(at), layout: c.layout() });
    if let (true, Some(c)) = (how.is_plain(), there) {
        return gpu::multiply_into::<T>(session, chosen.name, [a.factor, b.factor, c], geometry);
    }
    let memory = session.allocate((length * size_of::<T>()) as u64)?;
    let product = Factor { buffer: memory.argument(), layout: rows };
    gpu::multiply_into::<T>(session, chosen.name, [a.factor, b.factor, product], geometry)?;
    let Some(there) = there else {
        let mut c = c.on_host()?.ok_or(Error::Lost)?;
        if !how.is_plain() {
            // The product becomes the result in its own memory, and what is added to it is copied to the device.
            let before = if how.beta == 0.0 { None } else { Some(session.allocate_copy(&packed_mut(&mut c))?) };
            match before {
                None => gpu::scale::<T>(session, how, product, product)?,
                Some(before) => {
                    let target = Factor { buffer: before.argument(), layout: rows };
                    gpu::scale::<T>(session, how, product, target)?;
                    return download(&Buffer::from_allocation(device, before, length), c);
                }
            }
        }
        return download(&Buffer::from_allocation(device, memory, length), c);
    };
    gpu::scale::<T>(session, how, product, there)
}

fn choose<T: Float>(device: &Device, how: &Matmul, sizes: [usize; 3]) -> Result<&'static Variant, Error> {
    let sizes = sizes.map(|x| x as u64);
    let best = match device.session() {
        Some(session) if few::is_best::<T>(session, sizes) => few::SHARED_SUMS,
        Some(session) if hopper::is_best::<T>(session, sizes) => hopper::SPLIT,
        Some(session) if double::is_best::<T>(session, sizes) => double::DOUBLE,
        _ => "gpu-8-wide-tiles",
    };
    PRIMITIVE.choose(device, how.name(), best)
}

/// The rows of a matrix without the gaps between them, which few matrices have.
pub(crate) fn packed<T: Element>(matrix: HostMatrix<'_, T>) -> Cow<'_, [T]> {
    match matrix.without_gaps() {
        Some(all) => Cow::Borrowed(all),
        None => (0..matrix.rows()).flat_map(|i| matrix.row(i)).copied().collect(),
    }
}

/// The same of a matrix that is to be written.
fn packed_mut<T: Element>(matrix: &mut HostMatrixMut<'_, T>) -> Vec<T> {
    let mut all = Vec::new();
    for i in 0..matrix.rows() {
        all.extend_from_slice(matrix.row_mut(i));
    }
    all
}
