//! The plain evaluation of a program: one element at a time. Tests compare the others with it.

use super::kind::Kind;
use super::math;
use super::program::{Op, Program};
use crate::Element;

/// A value of any type.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    Bool(bool),
    U8(u8),
    I32(i32),
    U32(u32),
    I64(i64),
    U64(u64),
    F32(f32),
    F64(f64),
}

impl Value {
    pub(crate) fn of_bits(kind: Kind, bits: u64) -> Self {
        match kind {
            Kind::Bool => Self::Bool(bits != 0),
            Kind::U8 => Self::U8(bits as u8),
            Kind::I32 => Self::I32(bits as i32),
            Kind::U32 => Self::U32(bits as u32),
            Kind::I64 => Self::I64(bits as i64),
            Kind::U64 => Self::U64(bits),
            Kind::F32 => Self::F32(f32::from_bits(bits as u32)),
            Kind::F64 => Self::F64(f64::from_bits(bits)),
        }
    }

    pub(crate) fn bits(self) -> u64 {
        match self {
            Self::Bool(v) => v.into(),
            Self::U8(v) => v.into(),
            Self::I32(v) => u64::from(v as u32),
            Self::U32(v) => v.into(),
            Self::I64(v) => v as u64,
            Self::U64(v) => v,
            Self::F32(v) => v.to_bits().into(),
            Self::F64(v) => v.to_bits(),
        }
    }

    fn cast(self, to: Kind) -> Self {
        macro_rules! to {
            ($v:expr) => {
                match to {
                    Kind::Bool => Self::Bool($v as f64 != 0.0),
                    Kind::U8 => Self::U8($v as u8),
                    Kind::I32 => Self::I32($v as i32),
                    Kind::U32 => Self::U32($v as u32),
                    Kind::I64 => Self::I64($v as i64),
                    Kind::U64 => Self::U64($v as u64),
                    Kind::F32 => Self::F32($v as f32),
                    Kind::F64 => Self::F64($v as f64),
                }
            };
        }
        match self {
            Self::Bool(v) => to!(u8::from(v)),
            Self::U8(v) => to!(v),
            Self::I32(v) => to!(v),
            Self::U32(v) => to!(v),
            Self::I64(v) => to!(v),
            Self::U64(v) => to!(v),
            Self::F32(v) => to!(v),
            Self::F64(v) => to!(v),
        }
    }
}

/// The results of a program for the bits of one element of each input.
pub(crate) fn evaluate(program: &Program, inputs: &[u64]) -> Vec<u64> {
    let mut values: Vec<Value> = Vec::new();
    for step in &program.steps {
        let at = |i: usize| values[step.from()[i]];
        let value = match step.op {
            Op::Input(number) => Value::of_bits(step.kind, inputs[number]),
            Op::Constant(bits) => Value::of_bits(step.kind, bits),
            Op::Cast => at(0).cast(step.kind),
            Op::Select => {
                if matches!(at(0), Value::Bool(true)) {
                    at(1)
                } else {
                    at(2)
                }
            }
            _ if step.from().len() == 1 => unary(step.op, at(0)),
            _ => binary(step.op, at(0), at(1)),
        };
        values.push(value);
    }
    program.results.iter().map(|&result| values[result].bits()).collect()
}

fn unary(op: Op, a: Value) -> Value {
    match (op, a) {
        (Op::Negate, Value::U8(a)) => Value::U8(a.wrapping_neg()),
        (Op::Negate, Value::I32(a)) => Value::I32(a.wrapping_neg()),
        (Op::Negate, Value::U32(a)) => Value::U32(a.wrapping_neg()),
        (Op::Negate, Value::I64(a)) => Value::I64(a.wrapping_neg()),
        (Op::Negate, Value::U64(a)) => Value::U64(a.wrapping_neg()),
        (Op::Negate, Value::F32(a)) => Value::F32(-a),
        (Op::Negate, Value::F64(a)) => Value::F64(-a),
        (Op::Absolute, Value::I32(a)) => Value::I32(a.wrapping_abs()),
        (Op::Absolute, Value::I64(a)) => Value::I64(a.wrapping_abs()),
        (Op::Absolute, Value::F32(a)) => Value::F32(a.abs()),
        (Op::Absolute, Value::F64(a)) => Value::F64(a.abs()),
        (Op::Sqrt, Value::F32(a)) => Value::F32(a.sqrt()),
        (Op::Sqrt, Value::F64(a)) => Value::F64(a.sqrt()),
        (Op::Exp, Value::F32(a)) => Value::F32(math::exp_f32(a)),
        (Op::Exp, Value::F64(a)) => Value::F64(math::exp_f64(a)),
        (Op::Log, Value::F32(a)) => Value::F32(math::log_f32(a)),
        (Op::Log, Value::F64(a)) => Value::F64(math::log_f64(a)),
        (Op::Floor, Value::F32(a)) => Value::F32(a.floor()),
        (Op::Floor, Value::F64(a)) => Value::F64(a.floor()),
        _ => unreachable!("a checked program has no {op:?} of {a:?}"),
    }
}

fn binary(op: Op, a: Value, b: Value) -> Value {
    macro_rules! integers {
        ($a:expr, $b:expr, $v:ident) => {{
            let (a, b) = ($a, $b);
            // Rounded down, with what is left of the divisor's sign; nothing is divided by 0.
            let quotient = if b == 0 { 0 } else { a.wrapping_div(b) };
            let rest = if b == 0 { 0 } else { a.wrapping_rem(b) };
            let down = rest != 0 && ((rest > 0) != (b > 0));
            match op {
                Op::FloorDivide => Value::$v(if down { quotient - 1 } else { quotient }),
                Op::Remainder => Value::$v(if down { rest + b } else { rest }),
                Op::And => Value::$v(a & b),
                Op::Or => Value::$v(a | b),
                Op::Xor => Value::$v(a ^ b),
                Op::Subtract => Value::$v(a.wrapping_sub(b)),
                _ => numbers!(a, b, $v),
            }
        }};
    }
    macro_rules! numbers {
        ($a:expr, $b:expr, $v:ident) => {
            match op {
                Op::Add => Value::$v($a.plus($b)),
                Op::Multiply => Value::$v($a.times($b)),
                Op::Min => Value::$v(Element::minimum($a, $b)),
                Op::Max => Value::$v(Element::maximum($a, $b)),
                Op::Equal => Value::Bool($a == $b),
                Op::Less => Value::Bool($a < $b),
                Op::LessOrEqual => Value::Bool($a <= $b),
                _ => unreachable!("a checked program has no {op:?} of {:?}", a),
            }
        };
    }
    macro_rules! floats {
        ($a:expr, $b:expr, $v:ident) => {
            match op {
                Op::Subtract => Value::$v($a - $b),
                Op::Divide => Value::$v($a / $b),
                _ => numbers!($a, $b, $v),
            }
        };
    }
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => Value::Bool(match op {
            Op::And => a & b,
            Op::Or => a | b,
            _ => a ^ b,
        }),
        (Value::U8(a), Value::U8(b)) => integers!(a, b, U8),
        (Value::I32(a), Value::I32(b)) => integers!(a, b, I32),
        (Value::U32(a), Value::U32(b)) => integers!(a, b, U32),
        (Value::I64(a), Value::I64(b)) => integers!(a, b, I64),
        (Value::U64(a), Value::U64(b)) => integers!(a, b, U64),
        (Value::F32(a), Value::F32(b)) => floats!(a, b, F32),
        (Value::F64(a), Value::F64(b)) => floats!(a, b, F64),
        _ => unreachable!("a checked program has no {op:?} of {a:?} and {b:?}"),
    }
}
