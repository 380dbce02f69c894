//! Arrays of other packages: DLPack, both ways, and the CUDA array interface.
//!
//! What is on a GPU is not copied. Whoever gives an array says on which stream its last work is: that stream is waited
//! for before a buffer is made. What this package gives away is finished first.

use crate::array::{Array, Storable, Store, of_any};
use crate::error::exception;
use crate::host::Kind;
use crate::place;
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyTuple};
use std::ffi::{CStr, c_void};
use warpwise::{Buffer, Device};

const CPU: i32 = 1;
const CUDA: i32 = 2;
const FRESH: &CStr = c"dltensor";
const USED: &CStr = c"used_dltensor";

#[repr(C)]
#[derive(Clone, Copy)]
struct Tensor {
    data: *mut c_void,
    device: [i32; 2],
    dimensions: i32,
    /// Code, bits, and lanes.
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

/// A tensor that somebody owns: DLPack before version 1, which every package reads.
#[repr(C)]
struct Managed {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

/// What an exported tensor keeps.
struct Kept {
    managed: Managed,
    _array: Py<Array>,
    _shape: Vec<i64>,
}

fn code(kind: Kind) -> (u8, u8) {
    let code = match kind {
        Kind::Bool => 6,
        Kind::U8 | Kind::U16 | Kind::U32 | Kind::U64 => 1,
        Kind::I32 | Kind::I64 => 0,
        Kind::F32 | Kind::F64 => 2,
    };
    (code, 8 * kind.bytes() as u8)
}

fn kind_of(tensor: &Tensor) -> Option<Kind> {
    Some(match (tensor.code, tensor.bits, tensor.lanes) {
        (6, 8, 1) => Kind::Bool,
        (1, 8, 1) => Kind::U8,
        (0, 32, 1) => Kind::I32,
        (1, 32, 1) => Kind::U32,
        (0, 64, 1) => Kind::I64,
        (1, 64, 1) => Kind::U64,
        (2, 32, 1) => Kind::F32,
        (2, 64, 1) => Kind::F64,
        _ => return None,
    })
}

/// Lets go of what an exported tensor keeps. When the interpreter is at its end, everything is let go of anyway.
unsafe extern "C" fn release(managed: *mut Managed) {
    // SAFETY: the context is the box that `export` made, and DLPack calls this once.
    Python::try_attach(|_| drop(unsafe { Box::from_raw((*managed).context.cast::<Kept>()) }));
}

/// Frees a tensor that nobody took.
unsafe extern "C" fn forget(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls this with the capsule; one that was taken has another name.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, FRESH.as_ptr()) != 0 {
            let managed: *mut Managed = ffi::PyCapsule_GetPointer(capsule, FRESH.as_ptr()).cast();
            if let Some(deleter) = (*managed).deleter {
                deleter(managed);
            }
        }
    }
}

/// A capsule with the elements of an array, which stay where they are.
pub(crate) fn export<'py>(array: &Bound<'py, Array>) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    let this = array.get();
    let device = this.place();
    let place = device_of(&device)?;
    py.detach(|| device.synchronize()).map_err(exception)?;
    let mut shape: Vec<i64> = this.dimensions().iter().map(|&n| n as i64).collect();
    let (code, bits) = code(this.kind());
    let tensor = Tensor {
        data: of_any!(&this.store, buffer => buffer.address()) as *mut c_void,
        device: place,
        dimensions: shape.len() as i32,
        code,
        bits,
        lanes: 1,
        shape: shape.as_mut_ptr(),
        strides: std::ptr::null_mut(),
        byte_offset: 0,
    };
    let managed = Managed { tensor, context: std::ptr::null_mut(), deleter: Some(release) };
    let kept = Box::into_raw(Box::new(Kept { managed, _array: array.clone().unbind(), _shape: shape }));
    // SAFETY: the box was just made; the capsule's destructor, or whoever takes the tensor, frees it.
    unsafe {
        (*kept).managed.context = kept.cast();
        let capsule = ffi::PyCapsule_New((&raw mut (*kept).managed).cast(), FRESH.as_ptr(), Some(forget));
        Bound::from_owned_ptr_or_err(py, capsule)
    }
}

/// The device of DLPack: a kind and a number.
pub(crate) fn device_of(device: &Device) -> PyResult<[i32; 2]> {
    match device.name().as_str() {
        "cpu" => Ok([CPU, 0]),
        "cuda" => Ok([CUDA, 0]),
        other => Err(PyBufferError::new_err(format!(
            "memory of the {other} cannot be seen by other packages: use .numpy() to copy it"
        ))),
    }
}

/// A tensor of another package, until its buffer is dropped.
struct Taken(*mut Managed);

// SAFETY: the tensor is only given back, which DLPack allows from any thread.
unsafe impl Send for Taken {}
// SAFETY: as above.
unsafe impl Sync for Taken {}

impl Drop for Taken {
    fn drop(&mut self) {
        // SAFETY: it was taken out of its capsule, so that giving it back is this one's duty.
        Python::try_attach(|_| unsafe {
            if let Some(deleter) = (*self.0).deleter {
                deleter(self.0);
            }
        });
    }
}

fn dense(shape: &[i64], strides: Option<&[i64]>) -> bool {
    let mut expected = 1;
    strides.is_none_or(|strides| {
        shape.iter().zip(strides).rev().all(|(&n, &stride)| {
            let fits = n == 1 || stride == expected;
            expected *= n.max(1);
            fits
        })
    }) || shape.contains(&0)
}

/// An array of a capsule of DLPack: without a copy on the GPU.
#[pyfunction]
pub(crate) fn import_dlpack(py: Python<'_>, capsule: &Bound<'_, PyCapsule>) -> PyResult<Array> {
    // SAFETY: the pointer is read only if the capsule has the name of one that nobody has taken.
    let managed: *mut Managed = unsafe {
        if ffi::PyCapsule_IsValid(capsule.as_ptr(), FRESH.as_ptr()) == 0 {
            return Err(PyValueError::new_err("from_dlpack: the capsule holds no tensor, or was used before"));
        }
        ffi::PyCapsule_GetPointer(capsule.as_ptr(), FRESH.as_ptr()).cast()
    };
    // SAFETY: the capsule is alive, and holds a tensor.
    let tensor = unsafe { (*managed).tensor };
    let count = tensor.dimensions.max(0) as usize;
    // SAFETY: a tensor has as many lengths, and strides if there are any, as it says.
    let (shape, strides) = unsafe {
        let shape = if count == 0 { &[][..] } else { std::slice::from_raw_parts(tensor.shape, count) };
        let strided = count > 0 && !tensor.strides.is_null();
        (shape, strided.then(|| std::slice::from_raw_parts(tensor.strides, count)))
    };
    let kind = kind_of(&tensor).ok_or_else(|| {
        PyTypeError::new_err("from_dlpack: elements of this type are not supported: convert them to float32")
    })?;
    if !dense(shape, strides) {
        return Err(PyValueError::new_err("from_dlpack: the tensor is not contiguous: call .contiguous() on it"));
    }
    let device = match tensor.device {
        [CPU, _] => Device::cpu(),
        [CUDA, 0] => place::named("cuda")?,
        [kind, number] => {
            return Err(PyValueError::new_err(format!(
                "from_dlpack: device {kind}:{number} is not supported: use GPU 0"
            )));
        }
    };
    // SAFETY: from here on the tensor is ours to give back.
    let taken = unsafe {
        ffi::PyCapsule_SetName(capsule.as_ptr(), USED.as_ptr());
        Taken(managed)
    };
    py.detach(|| device.wait_for_stream(1)).map_err(exception)?;
    let shape: Vec<usize> = shape.iter().map(|&n| n as usize).collect();
    let address = tensor.data as u64 + tensor.byte_offset;
    // SAFETY: the tensor is dense, has this type and shape, is on this device, and is kept.
    unsafe { borrowed(&device, kind, address, &shape, taken) }
}

/// # Safety
///
/// As for `Device::borrow`.
unsafe fn borrowed(
    device: &Device,
    kind: Kind,
    address: u64,
    shape: &[usize],
    owner: impl std::any::Any + Send + Sync,
) -> PyResult<Array> {
    let len = shape.iter().product();
    macro_rules! store {
        ($t:ident) => {
            // SAFETY: so says the caller.
            unsafe { device.borrow::<$t>(address, len, owner) }
                .map(|buffer: Buffer<$t>| <$t as Storable>::store(buffer))
        };
    }
    let store: Result<Store, _> = match kind {
        Kind::Bool | Kind::U8 => store!(u8),
        Kind::I32 => store!(i32),
        Kind::U32 => store!(u32),
        Kind::I64 => store!(i64),
        Kind::U64 => store!(u64),
        Kind::F32 => store!(f32),
        Kind::F64 => store!(f64),
        Kind::U16 => return Err(crate::host::unsupported("an array on a device", kind, "uint8 and uint32")),
    };
    Ok(Array::of_store(store.map_err(exception)?, shape, kind == Kind::Bool))
}

/// An array of memory on the GPU that another package describes, without a copy. `stream` is waited for.
#[pyfunction]
pub(crate) fn import_cuda(
    py: Python<'_>,
    owner: Py<PyAny>,
    address: u64,
    shape: Vec<usize>,
    dtype: &str,
    stream: Option<u64>,
) -> PyResult<Array> {
    let device = place::named("cuda")?;
    let kind = Kind::named(dtype)
        .ok_or_else(|| PyTypeError::new_err(format!("an array of {dtype} on a GPU is not supported: convert it")))?;
    if let Some(stream) = stream {
        py.detach(|| device.wait_for_stream(stream)).map_err(exception)?;
    }
    // SAFETY: the interface promises this memory as long as its object lives, which is kept.
    unsafe { borrowed(&device, kind, address, &shape, owner) }
}

/// The CUDA array interface of an array on a GPU.
pub(crate) fn interface<'py>(py: Python<'py>, array: &Array) -> PyResult<Bound<'py, PyDict>> {
    let device = array.place();
    if device_of(&device)?[0] != CUDA {
        return Err(pyo3::exceptions::PyAttributeError::new_err("__cuda_array_interface__"));
    }
    py.detach(|| device.synchronize()).map_err(exception)?;
    let letter = match code(array.kind()).0 {
        6 => 'b',
        1 => 'u',
        0 => 'i',
        _ => 'f',
    };
    let dict = PyDict::new(py);
    dict.set_item("shape", PyTuple::new(py, array.dimensions())?)?;
    dict.set_item(
        "typestr",
        format!("{}{letter}{}", if array.kind().bytes() == 1 { '|' } else { '<' }, array.kind().bytes()),
    )?;
    dict.set_item("data", (of_any!(&array.store, buffer => buffer.address()), false))?;
    dict.set_item("strides", py.None())?;
    dict.set_item("version", 3)?;
    Ok(dict)
}
