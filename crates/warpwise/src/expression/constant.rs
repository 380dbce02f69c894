//! Numbers in an expression, which have no type until they meet a value that has one.

use std::cmp::Ordering;

use super::kind::Kind;
use super::tree::{Binary, Unary};

/// A number without a type of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Int(i128),
    Float(f64),
}

impl Number {
    pub(super) fn to_f64(self) -> f64 {
        match self {
            Self::Int(value) => value as f64,
            Self::Float(value) => value,
        }
    }

    /// The type that it has if it meets nothing.
    pub(super) fn alone(self) -> Kind {
        match self {
            Self::Int(_) => Kind::I64,
            Self::Float(_) => Kind::F64,
        }
    }

    /// The type in which it meets a value of that type.
    pub(super) fn beside(self, kind: Kind) -> Kind {
        match self {
            Self::Int(_) if kind == Kind::Bool => Kind::I64,
            Self::Float(_) if !kind.is_float() => Kind::F64,
            _ => kind,
        }
    }

    /// Its bits in a type; `None` if it is an integer that does not fit.
    pub(super) fn bits(self, kind: Kind) -> Option<u64> {
        match (self, kind) {
            (Self::Int(value), Kind::F32) => Some(u64::from((value as f32).to_bits())),
            (_, Kind::F32) => Some(u64::from((self.to_f64() as f32).to_bits())),
            (_, Kind::F64) => Some(self.to_f64().to_bits()),
            (_, Kind::Bool) => Some(u64::from(self.to_f64() != 0.0)),
            (Self::Int(value), _) => {
                let (low, high) = kind.range()?;
                (low..=high).contains(&value).then(|| kind.bits_of_int(value))
            }
            // As a cast does it.
            (Self::Float(value), _) => {
                let (low, high) = kind.range()?;
                Some(kind.bits_of_int((value as i128).clamp(low, high)))
            }
        }
    }

    pub(super) fn unary(self, op: Unary) -> Option<Self> {
        Some(match (op, self) {
            (Unary::Negate, Self::Int(value)) => Self::Int(value.checked_neg()?),
            (Unary::Absolute, Self::Int(value)) => Self::Int(value.checked_abs()?),
            (Unary::Not, Self::Int(value)) => Self::Int(!value),
            (Unary::Not, Self::Float(_)) => return None,
            (Unary::Floor, Self::Int(_)) => self,
            (Unary::Negate, _) => Self::Float(-self.to_f64()),
            (Unary::Absolute, _) => Self::Float(self.to_f64().abs()),
            (Unary::Sqrt, _) => Self::Float(self.to_f64().sqrt()),
            (Unary::Exp, _) => Self::Float(super::math::exp_f64(self.to_f64())),
            (Unary::Log, _) => Self::Float(super::math::log_f64(self.to_f64())),
            (Unary::Floor, _) => Self::Float(self.to_f64().floor()),
        })
    }

    /// Arithmetic of two numbers; `None` for what they do not have, or if the result is too large.
    pub(super) fn binary(self, op: Binary, other: Self) -> Option<Self> {
        if let (Self::Int(a), Self::Int(b)) = (self, other) {
            return Some(Self::Int(match op {
                Binary::Add => a.checked_add(b)?,
                Binary::Subtract => a.checked_sub(b)?,
                Binary::Multiply => a.checked_mul(b)?,
                Binary::Divide => return Some(Self::Float(a as f64 / b as f64)),
                Binary::FloorDivide if b == 0 => 0,
                Binary::FloorDivide => a.checked_div_euclid(b)? - i128::from(b < 0 && a.checked_rem_euclid(b)? != 0),
                Binary::Remainder if b == 0 => 0,
                Binary::Remainder => {
                    let rest = a.checked_rem_euclid(b)?;
                    if b < 0 && rest != 0 { rest + b } else { rest }
                }
                Binary::Power if b < 0 => return Some(Self::Float((a as f64).powi(i32::try_from(b).ok()?))),
                Binary::Power => a.checked_pow(u32::try_from(b).ok()?)?,
                Binary::Min => a.min(b),
                Binary::Max => a.max(b),
                Binary::And => a & b,
                Binary::Or => a | b,
                Binary::Xor => a ^ b,
                _ => return None,
            }));
        }
        let (a, b) = (self.to_f64(), other.to_f64());
        Some(Self::Float(match op {
            Binary::Add => a + b,
            Binary::Subtract => a - b,
            Binary::Multiply => a * b,
            Binary::Divide => a / b,
            Binary::FloorDivide => (a / b).floor(),
            Binary::Remainder => a - (a / b).floor() * b,
            Binary::Power => a.powf(b),
            Binary::Min => crate::Element::minimum(a, b),
            Binary::Max => crate::Element::maximum(a, b),
            _ => return None,
        }))
    }

    pub(super) fn compare(self, op: Binary, other: Self) -> bool {
        let order = match (self, other) {
            (Self::Int(a), Self::Int(b)) => Some(a.cmp(&b)),
            _ => self.to_f64().partial_cmp(&other.to_f64()),
        };
        match op {
            Binary::Equal => order.is_some_and(Ordering::is_eq),
            Binary::Unequal => order.is_none_or(Ordering::is_ne),
            Binary::Less => order.is_some_and(Ordering::is_lt),
            Binary::LessOrEqual => order.is_some_and(Ordering::is_le),
            Binary::Greater => order.is_some_and(Ordering::is_gt),
            _ => order.is_some_and(Ordering::is_ge),
        }
    }
}
