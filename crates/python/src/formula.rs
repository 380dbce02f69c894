//! Formulas: what functions take in place of an array.

use crate::array::Array;
use crate::error::exception;
use crate::given::Given;
use crate::host::{Element, Kind, Plain};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyString};
use std::sync::{Mutex, PoisonError};
use warpwise::expression::{Expression, Mapped, Operand, x, y};
use warpwise::primitive::Type;
use warpwise::{Device, Error};

/// An expression with the arrays that it is of.
#[pyclass(frozen, module = "warpwise._native")]
pub(crate) struct Formula {
    expression: Expression,
    arrays: Vec<Py<PyAny>>,
    operands: Vec<Memory>,
    result: Kind,
    #[pyo3(get)]
    pub(crate) is_condition: bool,
    shape: Vec<usize>,
    device: Device,
}

/// The elements of an array, which `Formula::arrays` keeps.
enum Memory {
    Host { at: *const u8, len: usize, kind: Kind },
    Device(Py<Array>),
}

// SAFETY: the memory belongs to arrays that the formula keeps, and is only read.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

fn type_of(kind: Kind) -> PyResult<Type> {
    Ok(match kind {
        Kind::Bool | Kind::U8 => Type::U8,
        Kind::I32 => Type::I32,
        Kind::U32 => Type::U32,
        Kind::I64 => Type::I64,
        Kind::U64 => Type::U64,
        Kind::F32 => Type::F32,
        Kind::F64 => Type::F64,
        Kind::U16 => return Err(PyValueError::new_err("an expression does not work on uint16: convert to uint32")),
    })
}

fn kind_of(ty: Type) -> Kind {
    match ty {
        Type::U8 => Kind::U8,
        Type::I32 => Kind::I32,
        Type::U32 => Kind::U32,
        Type::I64 => Kind::I64,
        Type::U64 => Kind::U64,
        Type::F32 => Kind::F32,
        Type::F64 => Kind::F64,
    }
}

/// A number that a name in an expression stands for.
#[derive(FromPyObject)]
enum Number {
    Whole(i64),
    Natural(u64),
    Real(f64),
}

/// Expressions that were read lately: reading one takes longer than a call on few elements.
static READ: Mutex<Vec<(String, Expression)>> = Mutex::new(Vec::new());
const REMEMBERED: usize = 32;

fn read(text: &str) -> Result<Expression, Error> {
    let remembered = || READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, expression)) = remembered().iter().find(|(known, _)| known == text) {
        return Ok(expression.clone());
    }
    let expression: Expression = text.parse()?;
    let mut all = remembered();
    if all.len() == REMEMBERED {
        all.remove(0);
    }
    all.push((text.to_owned(), expression.clone()));
    Ok(expression)
}

/// The formula of a plain call: names of dense arrays of NumPy of one shape, and of numbers.
pub(crate) fn plain_formula(
    text: &Bound<'_, PyAny>,
    variables: Option<&Bound<'_, PyDict>>,
) -> PyResult<Option<Formula>> {
    let (Ok(text), Some(variables)) = (text.cast_exact::<PyString>(), variables) else { return Ok(None) };
    let (mut names, mut arrays, mut constants) = (Vec::new(), Vec::new(), Vec::new());
    for (name, value) in variables.iter() {
        let name: String = name.extract()?;
        if Plain::of(&value).is_some_and(|plain| {
            plain.in_c_order() && !plain.shape().is_empty() && plain.kind().is_some_and(|kind| kind != Kind::U16)
        }) {
            names.push(name);
            arrays.push(value);
        } else if value.is_exact_instance_of::<PyFloat>() || value.is_exact_instance_of::<PyInt>() {
            constants.push((name, value.extract()?));
        } else {
            return Ok(None);
        }
    }
    let shapes = arrays.iter().filter_map(Plain::of).map(|plain| plain.shape()).collect::<Vec<_>>();
    let usual = match names.as_slice() {
        [one] => one != "y",
        [first, second] => first != "y" && second != "x" && shapes[0] == shapes[1],
        _ => false,
    };
    if usual { Formula::new(text.to_str()?, names, arrays, constants).map(Some) } else { Ok(None) }
}

#[pymethods]
impl Formula {
    /// `names` are those of the arrays; `constants` are the other names with their numbers.
    #[new]
    fn new(
        text: &str,
        names: Vec<String>,
        arrays: Vec<Bound<'_, PyAny>>,
        constants: Vec<(String, Number)>,
    ) -> PyResult<Self> {
        let mut expression = read(text).map_err(exception)?;
        for (name, number) in constants {
            expression = match number {
                Number::Whole(number) => expression.with(&name, number),
                Number::Natural(number) => expression.with(&name, number),
                Number::Real(number) => expression.with(&name, number),
            };
        }
        for (name, stands_for) in names.iter().zip([x(), y()]) {
            if !["x", "y"].contains(&name.as_str()) {
                expression = expression.with(name, stands_for);
            }
        }
        let given: Vec<Given<'_>> = arrays.iter().map(Given::of).collect::<PyResult<_>>()?;
        let first = given.first().ok_or_else(|| PyValueError::new_err("an expression needs an array"))?;
        let (shape, device) = (first.shape().to_vec(), first.place(None)?);
        let mut operands = Vec::new();
        let mut types = Vec::new();
        for (given, object) in given.iter().zip(&arrays) {
            if given.shape() != shape {
                return Err(PyValueError::new_err("the arrays of an expression have different shapes"));
            }
            types.push(type_of(given.kind())?);
            operands.push(match given {
                Given::Host(plain, kind) => Memory::Host { at: plain.address(), len: plain.len(), kind: *kind },
                _ => Memory::Device(object.cast::<Array>()?.clone().unbind()),
            });
        }
        let result = kind_of(expression.result(&types).map_err(exception)?);
        let is_condition = expression.is_condition(&types).map_err(exception)?;
        let arrays = arrays.into_iter().map(Bound::unbind).collect();
        Ok(Self { expression, arrays, operands, result, is_condition, shape, device })
    }

    /// The type of what it gives, as NumPy names it.
    #[getter]
    fn dtype(&self) -> &'static str {
        self.result.name()
    }

    /// The arrays that it is of.
    #[getter]
    fn arrays(&self, py: Python<'_>) -> Vec<Py<PyAny>> {
        self.arrays.iter().map(|array| array.clone_ref(py)).collect()
    }
}

impl Formula {
    /// The type of what it gives.
    pub(crate) fn kind(&self) -> Kind {
        self.result
    }

    /// Elements along each axis.
    pub(crate) fn dimensions(&self) -> &[usize] {
        &self.shape
    }

    /// Where its arrays are.
    pub(crate) fn place(&self) -> Device {
        self.device.clone()
    }

    /// What it gives, as input of the library.
    pub(crate) fn mapped<T: Element>(&self) -> Result<Mapped<'_, T>, Error> {
        let operands = self.operands.iter().map(Memory::operand).collect();
        self.expression.of_operands(operands)
    }
}

impl Memory {
    fn operand(&self) -> Operand<'_> {
        macro_rules! slice {
            ($at:expr, $len:expr, $t:ident) => {{
                // SAFETY: the array is kept, dense and of this type; an empty one has an address too.
                let values: &[$t] = unsafe { std::slice::from_raw_parts($at.cast(), $len) };
                Operand::new::<$t, [$t]>(values)
            }};
        }
        match self {
            Self::Host { at, len, kind } => match kind {
                Kind::Bool | Kind::U8 | Kind::U16 => slice!(*at, *len, u8),
                Kind::I32 => slice!(*at, *len, i32),
                Kind::U32 => slice!(*at, *len, u32),
                Kind::I64 => slice!(*at, *len, i64),
                Kind::U64 => slice!(*at, *len, u64),
                Kind::F32 => slice!(*at, *len, f32),
                Kind::F64 => slice!(*at, *len, f64),
            },
            Self::Device(array) => {
                let array: &Array = array.get();
                crate::array::of_any!(&array.store, buffer => Operand::new(buffer))
            }
        }
    }
}

/// Whether an object is an array of NumPy that can be used as it is.
#[pyfunction]
pub(crate) fn is_plain(a: &Bound<'_, PyAny>) -> bool {
    Plain::of(a).is_some_and(|plain| plain.in_c_order() && plain.kind().is_some())
}
