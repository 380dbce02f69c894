//! Arrays on a device.

use crate::dlpack;
use crate::error::exception;
use crate::host::{self, Element, Kind, Plain, unsupported};
use crate::place;
use pyo3::exceptions::{PyAttributeError, PyBufferError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use warpwise::{Buffer, Device, Input};

/// The memory of an array.
pub(crate) enum Store {
    U8(Buffer<u8>),
    I32(Buffer<i32>),
    U32(Buffer<u32>),
    I64(Buffer<i64>),
    U64(Buffer<u64>),
    F32(Buffer<f32>),
    F64(Buffer<f64>),
}

/// Does the same with a buffer of any type.
macro_rules! of_any {
    ($store:expr, $buffer:ident => $body:expr) => {
        match $store {
            $crate::array::Store::U8($buffer) => $body,
            $crate::array::Store::I32($buffer) => $body,
            $crate::array::Store::U32($buffer) => $body,
            $crate::array::Store::I64($buffer) => $body,
            $crate::array::Store::U64($buffer) => $body,
            $crate::array::Store::F32($buffer) => $body,
            $crate::array::Store::F64($buffer) => $body,
        }
    };
}
pub(crate) use of_any;

/// A type that an array on a device can have.
pub(crate) trait Storable: Element {
    /// The buffer in a store of its own type.
    fn store(buffer: Buffer<Self>) -> Store;
}

macro_rules! storable {
    ($($t:ident $variant:ident),*) => {$(
        impl Storable for $t {
            fn store(buffer: Buffer<$t>) -> Store {
                Store::$variant(buffer)
            }
        }
    )*};
}
storable!(u8 U8, i32 I32, u32 U32, i64 I64, u64 U64, f32 F32, f64 F64);

/// An array that stays on a device: functions take it and return others, without copies to the host.
///
/// >>> import warpwise as ww
/// >>> xs = ww.asarray([1.0, 2.0, 3.0], device="emulator")
/// >>> float(ww.sum(xs))
/// 6.0
/// >>> ww.cumsum(xs).numpy()
/// array([1., 3., 6.])
#[pyclass(frozen, module = "warpwise")]
pub(crate) struct Array {
    pub(crate) store: Store,
    shape: Vec<usize>,
    /// Bytes that are 0 or 1 and mean false or true.
    is_bool: bool,
}

impl Array {
    /// An array of a buffer; the shape has as many elements as it.
    pub(crate) fn new<T: Storable>(buffer: Buffer<T>, shape: &[usize]) -> Self {
        Self { store: T::store(buffer), shape: shape.to_vec(), is_bool: false }
    }

    /// An array of a store.
    pub(crate) fn of_store(store: Store, shape: &[usize], is_bool: bool) -> Self {
        Self { store, shape: shape.to_vec(), is_bool }
    }

    /// The type of the elements.
    pub(crate) fn kind(&self) -> Kind {
        match &self.store {
            Store::U8(_) if self.is_bool => Kind::Bool,
            Store::U8(_) => Kind::U8,
            Store::I32(_) => Kind::I32,
            Store::U32(_) => Kind::U32,
            Store::I64(_) => Kind::I64,
            Store::U64(_) => Kind::U64,
            Store::F32(_) => Kind::F32,
            Store::F64(_) => Kind::F64,
        }
    }

    /// Elements along each axis.
    pub(crate) fn dimensions(&self) -> &[usize] {
        &self.shape
    }

    /// Where it is.
    pub(crate) fn place(&self) -> Device {
        of_any!(&self.store, buffer => buffer.device().clone())
    }

    /// As input of the library.
    pub(crate) fn input<T: Element>(&self) -> PyResult<Box<dyn Input<T> + Send + Sync + '_>> {
        macro_rules! cast {
            ($($variant:ident $t:ident),*) => {
                match &self.store {
                    $(Store::$variant(buffer) => {
                        let input: Box<dyn std::any::Any> = Box::new(&raw const *buffer);
                        match input.downcast::<*const Buffer<T>>() {
                            // SAFETY: the pointer is that of a buffer of this very type, which `self` keeps.
                            Ok(pointer) => Ok(Box::new(unsafe { &**pointer }) as Box<dyn Input<T> + Send + Sync + '_>),
                            Err(_) => Err(PyTypeError::new_err("the array has another type")),
                        }
                    })*
                }
            };
        }
        cast!(U8 u8, I32 i32, U32 u32, I64 i64, U64 u64, F32 f32, F64 f64)
    }
}

#[pymethods]
impl Array {
    /// Elements along each axis.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// Number of axes.
    #[getter]
    fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// Number of elements.
    #[getter]
    fn size(&self) -> usize {
        self.shape.iter().product()
    }

    /// The type of the elements, as NumPy has it.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("numpy")?.call_method1("dtype", (self.kind().name(),))
    }

    /// The device: "cpu", "emulator" or "cuda".
    #[getter]
    fn device(&self) -> String {
        self.place().name()
    }

    fn __len__(&self) -> PyResult<usize> {
        self.shape.first().copied().ok_or_else(|| PyTypeError::new_err("an array without axes has no length"))
    }

    fn __repr__(&self) -> String {
        let shape: Vec<String> = self.shape.iter().map(ToString::to_string).collect();
        format!("warpwise.Array({} x {}, on {})", shape.join(" x "), self.kind().name(), self.device())
    }

    /// A copy in the host's memory, as an array of NumPy.
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let made = host::empty(py, self.kind(), &self.shape)?;
        let plain = Plain::of(&made).ok_or_else(|| PyTypeError::new_err("NumPy made no array"))?;
        of_any!(&self.store, buffer => {
            // SAFETY: the array is new, dense and of this type.
            let out = unsafe { plain.slice_mut() };
            py.detach(|| buffer.download_into(out)).map_err(exception)?;
        });
        Ok(made)
    }

    /// The same elements in another shape; nothing is copied on the CPU, and once on a GPU.
    #[pyo3(signature = (*shape))]
    fn reshape(&self, shape: Vec<usize>) -> PyResult<Self> {
        if shape.iter().product::<usize>() != self.size() {
            return Err(PyValueError::new_err(format!(
                "shape: {shape:?} has not {} elements: make the product match",
                self.size()
            )));
        }
        let copied = of_any!(&self.store, buffer => buffer.to(buffer.device()).map(Storable::store));
        Ok(Self { store: copied.map_err(exception)?, shape, is_bool: self.is_bool })
    }

    /// A copy on a device.
    fn to(&self, py: Python<'_>, device: &str) -> PyResult<Self> {
        let device = place::named(device)?;
        let copied = py.detach(|| of_any!(&self.store, buffer => buffer.to(&device).map(Storable::store)));
        Ok(Self { store: copied.map_err(exception)?, shape: self.shape.clone(), is_bool: self.is_bool })
    }

    /// The address of the first element: on the GPU, one of its memory.
    #[getter]
    fn address(&self) -> u64 {
        of_any!(&self.store, buffer => buffer.address())
    }

    /// For other packages: the elements stay where they are. `stream` is not needed, since all work is done by then.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        slf: &Bound<'py, Self>,
        stream: Option<Bound<'py, PyAny>>,
        max_version: Option<Bound<'py, PyAny>>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = (stream, max_version);
        let here = dlpack::device_of(&slf.get().place())?;
        if copy == Some(true) || dl_device.is_some_and(|(kind, number)| [kind, number] != here) {
            return Err(PyBufferError::new_err(
                "__dlpack__: the elements stay where they are: use .to(device) to copy",
            ));
        }
        dlpack::export(slf)
    }

    fn __dlpack_device__(&self) -> PyResult<(i32, i32)> {
        dlpack::device_of(&self.place()).map(|[kind, number]| (kind, number))
    }

    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        if self.place().name() != "cuda" {
            return Err(PyAttributeError::new_err("__cuda_array_interface__"));
        }
        dlpack::interface(py, self)
    }

    /// For NumPy: `numpy.asarray(array)` copies it to the host.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            return Err(PyValueError::new_err("copy: an array on a device is copied: leave out copy=False"));
        }
        let all = self.numpy(py)?;
        match dtype {
            Some(dtype) => all.call_method1("astype", (dtype,)),
            None => Ok(all),
        }
    }
}

/// A copy of a dense array of NumPy on a device.
#[pyfunction]
pub(crate) fn upload(py: Python<'_>, a: &Bound<'_, PyAny>, device: &str) -> PyResult<Array> {
    let plain = Plain::of(a).ok_or_else(|| PyTypeError::new_err("a: not an array of NumPy"))?;
    let kind = plain.kind().filter(|_| plain.in_c_order()).ok_or_else(|| PyTypeError::new_err("a: not dense"))?;
    let device = place::named(device)?;
    macro_rules! copied {
        ($t:ident) => {{
            // SAFETY: the array is dense and has this type.
            let values = unsafe { plain.slice::<$t>() };
            py.detach(|| Buffer::from_slice(&device, values)).map($t::store)
        }};
    }
    let store = match kind {
        Kind::Bool | Kind::U8 => copied!(u8),
        Kind::I32 => copied!(i32),
        Kind::U32 => copied!(u32),
        Kind::I64 => copied!(i64),
        Kind::U64 => copied!(u64),
        Kind::F32 => copied!(f32),
        Kind::F64 => copied!(f64),
        Kind::U16 => return Err(unsupported("an array on a device", kind, "uint8, int32, uint32 and wider types")),
    };
    Ok(Array { store: store.map_err(exception)?, shape: plain.shape().to_vec(), is_bool: kind == Kind::Bool })
}
