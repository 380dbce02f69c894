//! A formula for the numbers of a file: the flags `--map` and `--let`.

use super::AppError;
use crate::files::{Number, Numbers, with_numbers};
use warpwise::expression::{Expression, Mapped, Operand};
use warpwise::primitive::Type;
use warpwise::{Device, Error};

/// An expression as it was written, with the values of its names.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The text.
    pub text: String,
    /// Names and their values.
    pub values: Vec<(String, f64)>,
}

impl Formula {
    /// The expression.
    pub(super) fn parse(&self, flag: &'static str) -> Result<Expression, AppError> {
        let parsed: Expression = self.text.parse().map_err(|error| AppError::flag(flag, error))?;
        Ok(self.values.iter().fold(parsed, |expression, (name, value)| match value.fract() == 0.0 {
            // A whole number does not turn integers into floats.
            true if value.abs() < 9e15 => expression.with(name, *value as i64),
            _ => expression.with(name, *value),
        }))
    }
}

/// `NAME=VALUE` of `--let`.
///
/// ```
/// use warpwise_lab::applications::parse_let;
///
/// assert_eq!(parse_let("a=0.5"), Ok(("a".to_owned(), 0.5)));
/// assert!(parse_let("a").unwrap_err().contains("a=0.5"));
/// ```
pub fn parse_let(text: &str) -> Result<(String, f64), String> {
    let parts = text.split_once('=').map(|(name, value)| (name.trim(), value.trim().parse::<f64>()));
    match parts {
        Some((name, Ok(value))) if !name.is_empty() => Ok((name.to_owned(), value)),
        _ => Err(format!("{text} is not a name and a number: write, for example, a=0.5")),
    }
}

/// The type of some numbers.
fn type_of(numbers: &Numbers) -> Type {
    Type::parse(numbers.type_name()).expect("numbers have a type")
}

/// The type of an expression's result for these numbers.
pub(super) fn result(
    expression: &Expression,
    xs: &Numbers,
    ys: Option<&Numbers>,
    flag: &'static str,
) -> Result<Type, AppError> {
    let types: Vec<Type> = [Some(xs), ys].into_iter().flatten().map(type_of).collect();
    expression.result(&types).map_err(|error| AppError::flag(flag, error))
}

/// What an expression gives for these numbers.
pub(super) fn mapped<'a, T: warpwise::Element>(
    expression: &Expression,
    xs: &'a Numbers,
    ys: Option<&'a Numbers>,
) -> Result<Mapped<'a, T>, Error> {
    let operand = |numbers: &'a Numbers| with_numbers!(numbers, values => Operand::new(values));
    expression.of_operands([Some(xs), ys].into_iter().flatten().map(operand).collect())
}

/// Evaluates an expression for a type in which numbers are combined: bytes are widened to `u64`.
macro_rules! with_wide_type {
    ($ty:expr, $t:ident => $body:expr) => {{
        use warpwise::primitive::Type;
        match $ty {
            Type::I32 => {
                type $t = i32;
                $body
            }
            Type::U32 => {
                type $t = u32;
                $body
            }
            Type::I64 => {
                type $t = i64;
                $body
            }
            Type::U8 | Type::U64 => {
                type $t = u64;
                $body
            }
            Type::F32 => {
                type $t = f32;
                $body
            }
            Type::F64 => {
                type $t = f64;
                $body
            }
        }
    }};
}
pub(super) use with_wide_type;

/// The numbers of an array in double precision, or what an expression gives for them.
pub(super) fn doubles(map: Option<&(Expression, Type)>, xs: &Numbers) -> Result<Vec<f64>, Error> {
    let device = Device::cpu();
    Ok(match map {
        Some((expression, ty)) => with_wide_type!(*ty, T => {
            let values = warpwise::map::run::<T>(&device, &mapped(expression, xs, None)?)?;
            values.into_iter().map(|x| x.value().to_f64()).collect()
        }),
        None => with_numbers!(xs, values => values.iter().map(|x| x.value().to_f64()).collect()),
    })
}

/// The expression of a reduction or scan of these numbers, and its type: bytes are combined as `u64`.
pub(super) fn wide(formula: &Formula, xs: &Numbers) -> Result<(Expression, Type), AppError> {
    let expression = formula.parse("--map")?;
    match result(&expression, xs, None, "--map")? {
        Type::U8 => Ok((expression.cast(Type::U64), Type::U64)),
        ty => Ok((expression, ty)),
    }
}
