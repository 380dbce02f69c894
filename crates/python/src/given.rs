//! What functions are given to work on: an array of NumPy, an array on a device, or a formula of arrays.

use crate::array::Array;
use crate::error::exception;
use crate::formula::Formula;
use crate::host::{Element, Kind, Plain};
use crate::place;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use warpwise::{Device, Input};

/// Elements, and where they are.
#[derive(Clone, Copy)]
pub(crate) enum Given<'a> {
    Host(Plain<'a>, Kind),
    Device(&'a Array),
    Formula(&'a Formula),
}

impl<'a> Given<'a> {
    /// The elements of an object that the package has prepared: an array of NumPy is dense and has a known type.
    pub(crate) fn of(object: &'a Bound<'_, PyAny>) -> PyResult<Self> {
        if let Some(plain) = Plain::of(object) {
            return match plain.kind() {
                Some(kind) if plain.is_dense() => Ok(Self::Host(plain, kind)),
                _ => Err(PyTypeError::new_err("the array is not dense, or its elements have an unknown type")),
            };
        }
        if let Ok(array) = object.cast::<Array>() {
            return Ok(Self::Device(array.get()));
        }
        match object.cast::<Formula>() {
            Ok(formula) => Ok(Self::Formula(formula.get())),
            Err(_) => Err(PyTypeError::new_err("neither an array nor a formula")),
        }
    }

    /// The type of the elements.
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Host(_, kind) => *kind,
            Self::Device(array) => array.kind(),
            Self::Formula(formula) => formula.kind(),
        }
    }

    /// Elements along each axis.
    pub(crate) fn shape(&self) -> &'a [usize] {
        match self {
            Self::Host(plain, _) => plain.shape(),
            Self::Device(array) => array.dimensions(),
            Self::Formula(formula) => formula.dimensions(),
        }
    }

    /// The device that is named, or else the one on which the elements are.
    pub(crate) fn place(&self, name: Option<&str>) -> PyResult<Device> {
        match (name, self) {
            (Some(name), _) => place::named(name),
            (None, Self::Host(..)) => Ok(Device::cpu()),
            (None, Self::Device(array)) => Ok(array.place()),
            (None, Self::Formula(formula)) => Ok(formula.place()),
        }
    }

    /// The elements as input of the library.
    pub(crate) fn input<T: Element>(&self) -> PyResult<Box<dyn Input<T> + Send + Sync + 'a>> {
        match *self {
            // SAFETY: the type was compared, and the array is dense; for bytes, a bool is one.
            Self::Host(plain, kind) if same(kind, T::KIND) => Ok(Box::new(unsafe { plain.slice::<T>() })),
            Self::Device(array) if same(array.kind(), T::KIND) => array.input::<T>(),
            Self::Formula(formula) if same(formula.kind(), T::KIND) => {
                Ok(Box::new(formula.mapped::<T>().map_err(exception)?))
            }
            _ => Err(PyRuntimeError::new_err("the elements have another type")),
        }
    }
}

/// Whether elements of one type can be read as the other: a bool is a byte.
pub(crate) fn same(found: Kind, wanted: Kind) -> bool {
    found == wanted || (found, wanted) == (Kind::Bool, Kind::U8)
}
