//! NumPy arrays as this module sees them: memory, a type and a shape.

use numpy::PyArray1;
use numpy::npyffi::{self, NpyTypes, PY_ARRAY_API, PyArrayObject, npy_intp};
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use std::ffi::c_int;

/// The types of elements of NumPy that something here works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    U8,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Kind {
    /// From the number that NumPy gives a type; `long` is a type of its own, with 64 bits.
    fn numbered(number: c_int) -> Option<Self> {
        Some(match number {
            0 => Self::Bool,
            2 => Self::U8,
            4 => Self::U16,
            5 => Self::I32,
            6 => Self::U32,
            7 | 9 => Self::I64,
            8 | 10 => Self::U64,
            11 => Self::F32,
            12 => Self::F64,
            _ => return None,
        })
    }

    /// The number of the type in NumPy.
    pub(crate) fn number(self) -> c_int {
        match self {
            Self::Bool => 0,
            Self::U8 => 2,
            Self::U16 => 4,
            Self::I32 => 5,
            Self::U32 => 6,
            Self::I64 => 7,
            Self::U64 => 8,
            Self::F32 => 11,
            Self::F64 => 12,
        }
    }

    /// Its name in NumPy.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::U8 => "uint8",
            Self::U16 => "uint16",
            Self::I32 => "int32",
            Self::U32 => "uint32",
            Self::I64 => "int64",
            Self::U64 => "uint64",
            Self::F32 => "float32",
            Self::F64 => "float64",
        }
    }

    /// From its name in NumPy.
    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::Bool, Self::U8, Self::U16, Self::I32, Self::U32, Self::I64, Self::U64, Self::F32, Self::F64]
            .into_iter()
            .find(|kind| kind.name() == name)
    }

    /// Bytes of an element.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::Bool | Self::U8 => 1,
            Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }
}

/// A type of the library with a type of NumPy.
pub(crate) trait Element: warpwise::Element + numpy::Element {
    /// Which one.
    const KIND: Kind;
}

macro_rules! elements {
    ($($t:ident $kind:ident),*) => {$(
        impl Element for $t {
            const KIND: Kind = Kind::$kind;
        }
    )*};
}
elements!(u8 U8, u16 U16, i32 I32, u32 U32, i64 I64, u64 U64, f32 F32, f64 F64);

/// An array of exactly NumPy's own class, while Python holds it.
#[derive(Clone, Copy)]
pub(crate) struct Plain<'a> {
    fields: &'a npyffi::PyArrayObject_fields,
}

impl<'a> Plain<'a> {
    /// The array that an object is, if it is one.
    #[inline]
    pub(crate) fn of(object: &'a Bound<'_, PyAny>) -> Option<Self> {
        // SAFETY: the object is alive, and is read as an array only if it is one; its fields live as long as it does.
        unsafe {
            let is_array = npyffi::PyArray_CheckExact(object.py(), object.as_ptr()) != 0;
            is_array.then(|| Self { fields: &(*object.as_ptr().cast::<PyArrayObject>()).fields })
        }
    }

    /// The type of the elements, if they are in the order of bytes of this machine and in their places.
    #[inline]
    pub(crate) fn kind(&self) -> Option<Kind> {
        // SAFETY: an array has a description, which lives as long as it does.
        let (number, order) = unsafe {
            let description = &(*self.fields.descr).fields;
            (description.type_num, description.byteorder as u8)
        };
        let native = order != b'>' && self.has(npyffi::NPY_ARRAY_ALIGNED);
        Kind::numbered(number).filter(|_| native)
    }

    #[inline]
    fn has(&self, flag: c_int) -> bool {
        self.fields.flags & flag != 0
    }

    /// Whether the elements are in memory one after the other, the last index first.
    #[inline]
    pub(crate) fn in_c_order(&self) -> bool {
        self.has(npyffi::NPY_ARRAY_C_CONTIGUOUS)
    }

    /// Whether the elements are in memory one after the other, in either order.
    #[inline]
    pub(crate) fn is_dense(&self) -> bool {
        self.has(npyffi::NPY_ARRAY_C_CONTIGUOUS | npyffi::NPY_ARRAY_F_CONTIGUOUS)
    }

    /// Whether it may be written.
    pub(crate) fn is_writable(&self) -> bool {
        self.has(npyffi::NPY_ARRAY_WRITEABLE)
    }

    /// Elements along each axis.
    #[inline]
    pub(crate) fn shape(&self) -> &'a [usize] {
        if self.fields.nd == 0 {
            return &[];
        }
        // SAFETY: an array has as many dimensions as it says, none of them negative.
        unsafe { std::slice::from_raw_parts(self.fields.dimensions.cast(), self.fields.nd as usize) }
    }

    /// Bytes from one element to the next along each axis.
    pub(crate) fn strides(&self) -> &'a [isize] {
        if self.fields.nd == 0 {
            return &[];
        }
        // SAFETY: as for the shape.
        unsafe { std::slice::from_raw_parts(self.fields.strides.cast(), self.fields.nd as usize) }
    }

    /// Number of elements.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.shape().iter().product()
    }

    /// Where the first element is.
    pub(crate) fn address(&self) -> *mut u8 {
        self.fields.data.cast()
    }

    /// The elements, in the order in which they are in memory.
    ///
    /// # Safety
    ///
    /// The array is dense and of this type. Nothing else writes to it while the slice is used: callers of the package
    /// promise that, as they do to NumPy.
    #[inline]
    pub(crate) unsafe fn slice<T>(&self) -> &'a [T] {
        match self.len() {
            0 => &[],
            // SAFETY: so says the caller.
            len => unsafe { std::slice::from_raw_parts(self.fields.data.cast(), len) },
        }
    }

    /// The elements, to be written.
    ///
    /// # Safety
    ///
    /// As for [`slice`](Self::slice), and the array is writable, and no other slice of it is used.
    #[inline]
    pub(crate) unsafe fn slice_mut<T>(&self) -> &'a mut [T] {
        match self.len() {
            0 => &mut [],
            // SAFETY: so says the caller.
            len => unsafe { std::slice::from_raw_parts_mut(self.fields.data.cast(), len) },
        }
    }
}

/// A new array with undefined contents.
#[inline]
pub(crate) fn empty<'py>(py: Python<'py>, kind: Kind, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: NumPy copies the shape, and the null pointers ask for memory of its own in C's order.
    let made = unsafe {
        PY_ARRAY_API.PyArray_New(
            py,
            npyffi::get_type_object(py, NpyTypes::PyArray_Type),
            shape.len() as c_int,
            shape.as_ptr().cast_mut().cast::<npy_intp>(),
            kind.number(),
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            0,
            0,
            std::ptr::null_mut(),
        )
    };
    // SAFETY: NumPy returns a new reference, or null with an exception.
    unsafe { Bound::from_owned_ptr_or_err(py, made) }
}

/// A scalar of NumPy.
#[inline]
pub(crate) fn scalar<T: Element>(py: Python<'_>, mut value: T) -> PyResult<Bound<'_, PyAny>> {
    scalar_of(py, T::KIND, (&raw mut value).cast())
}

fn scalar_of(py: Python<'_>, kind: Kind, value: *mut std::ffi::c_void) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: the value is of the type described, and NumPy copies it; the description is a new reference, which the
    // array interface borrows.
    unsafe {
        let description = PY_ARRAY_API.PyArray_DescrFromType(py, kind.number());
        let made = PY_ARRAY_API.PyArray_Scalar(py, value, description, std::ptr::null_mut());
        pyo3::ffi::Py_DECREF(description.cast());
        Bound::from_owned_ptr_or_err(py, made)
    }
}

/// The array that the elements of a vector are copied to.
pub(crate) fn array<'py, T: Element>(py: Python<'py>, values: &[T]) -> PyResult<Bound<'py, PyAny>> {
    let made = empty(py, T::KIND, &[values.len()])?;
    let plain = Plain::of(&made).ok_or_else(|| PyMemoryError::new_err("NumPy made no array"))?;
    // SAFETY: the array is new, dense, and of this type.
    unsafe { plain.slice_mut::<T>() }.copy_from_slice(values);
    Ok(made)
}

/// Bytes from which on an array takes the memory of a vector instead of a copy.
pub(crate) const LARGE: usize = 1 << 16;

/// The array of the elements of a vector, which it keeps if they are many.
pub(crate) fn owned<T: Element>(py: Python<'_>, values: Vec<T>) -> PyResult<Bound<'_, PyAny>> {
    if size_of_val(values.as_slice()) < LARGE {
        return array(py, &values);
    }
    Ok(PyArray1::from_vec(py, values).into_any())
}

/// An error that names a type that something does not work on, and those that it does.
pub(crate) fn unsupported(what: &str, found: Kind, takes: &str) -> PyErr {
    PyTypeError::new_err(format!("{what} of {} is not supported: convert it to one of {takes}", found.name()))
}
