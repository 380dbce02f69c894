//! Constant expressions: C's operators on 64-bit integers and floating-point numbers.

use super::{Parser, Result};
use crate::ast::Span;
use crate::error::Fault;
use crate::number::{Literal, literal};
use crate::token::{Kind, Token};

/// How deep parentheses and prefix operators may nest.
const DEPTH: u32 = 64;

/// Binding strength of the operators that may follow a number inside an address or an array bound: those that bind
/// more loosely would swallow the `>` of `%r<5>`, or mean nothing there.
const ADDITIVE: u8 = 9;
const MULTIPLICATIVE: u8 = 10;

impl<'s> Parser<'s> {
    /// Any constant expression.
    pub(super) fn constant(&mut self) -> Result<Literal> {
        self.conditional(DEPTH)
    }

    /// A constant integer, as its bits.
    pub(super) fn integer(&mut self) -> Result<u64> {
        let first = self.peek();
        let value = self.constant()?;
        self.bits(value, first)
    }

    /// A constant integer without operators looser than `+`.
    pub(super) fn sum(&mut self) -> Result<u64> {
        let first = self.peek();
        let value = self.binary(ADDITIVE, DEPTH)?;
        self.bits(value, first)
    }

    /// A constant integer without operators looser than `*`: one part of a sum.
    pub(super) fn product(&mut self) -> Result<u64> {
        let first = self.peek();
        let value = self.binary(MULTIPLICATIVE, DEPTH)?;
        self.bits(value, first)
    }

    /// An integer that is written as one number.
    pub(super) fn number(&mut self, what: &str) -> Result<u64> {
        let token = self.peek();
        if token.kind != Kind::Number {
            return Err(self.expected(what));
        }
        self.step();
        let value = literal(self.text_of(token)).map_err(|message| Fault::new(message, token.span()))?;
        self.bits(value, token)
    }

    /// A non-negative constant of 32 bits.
    pub(super) fn small(&mut self, what: &str) -> Result<u32> {
        let first = self.peek();
        let value = self.sum()?;
        u32::try_from(value).map_err(|_| Fault::new(format!("{what} must fit in 32 bits"), self.span_from(first)))
    }

    /// Whether a constant expression can start here.
    pub(super) fn at_constant(&self) -> bool {
        match self.peek().kind {
            Kind::Number => true,
            Kind::Word => self.text() == "WARP_SZ",
            Kind::Dotted => self.text().as_bytes()[1].is_ascii_digit(),
            Kind::Punct(punct) => matches!(punct, b'-' | b'+' | b'~' | b'!' | b'('),
            _ => false,
        }
    }

    fn bits(&self, value: Literal, first: Token) -> Result<u64> {
        match value {
            Literal::Integer { bits, .. } => Ok(bits),
            _ => Err(Fault::new("expected an integer, found a floating-point number", self.span_from(first))),
        }
    }

    fn conditional(&mut self, depth: u32) -> Result<Literal> {
        let first = self.peek();
        let condition = self.binary(0, depth)?;
        if !self.eat(b'?') {
            return Ok(condition);
        }
        let condition = self.bits(condition, first)?;
        let depth = self.deeper(depth)?;
        let yes = self.conditional(depth)?;
        self.expect(b':')?;
        let no = self.conditional(depth)?;
        Ok(if condition != 0 { yes } else { no })
    }

    fn deeper(&self, depth: u32) -> Result<u32> {
        depth.checked_sub(1).ok_or_else(|| Fault::new("this expression is nested too deeply", self.peek().span()))
    }

    /// Operators of at least the given strength, by precedence climbing.
    fn binary(&mut self, strength: u8, depth: u32) -> Result<Literal> {
        let depth = self.deeper(depth)?;
        let first = self.peek();
        let mut left = self.unary(depth)?;
        loop {
            let token = self.peek();
            if !matches!(token.kind, Kind::Punct(_) | Kind::Operator) {
                return Ok(left);
            }
            let operator = self.text_of(token);
            let Some(level) = level(operator).filter(|&level| level >= strength) else {
                return Ok(left);
            };
            self.step();
            let right = self.binary(level + 1, depth)?;
            left = apply(operator, left, right).map_err(|message| Fault::new(message, self.span_from(first)))?;
        }
    }

    fn unary(&mut self, depth: u32) -> Result<Literal> {
        let depth = self.deeper(depth)?;
        let token = self.peek();
        match token.kind {
            Kind::Number => {
                let text = self.text();
                self.step();
                literal(text).map_err(|message| Fault::new(message, token.span()))
            }
            Kind::Dotted if self.at_constant() => {
                let text = self.text();
                self.step();
                literal(text).map_err(|message| Fault::new(message, token.span()))
            }
            Kind::Word if self.at_constant() => {
                self.step();
                Ok(Literal::Integer { bits: 32, unsigned: false })
            }
            Kind::Punct(b'(') => {
                self.step();
                if let Some(cast @ ("s64" | "u64")) = self.dotted() {
                    self.step();
                    self.expect(b')')?;
                    let first = self.peek();
                    let value = self.unary(depth)?;
                    return Ok(Literal::Integer { bits: self.bits(value, first)?, unsigned: cast == "u64" });
                }
                let value = self.conditional(depth)?;
                self.expect(b')')?;
                Ok(value)
            }
            Kind::Punct(operator @ (b'-' | b'+' | b'~' | b'!')) => {
                self.step();
                if is_bits(self.text()) {
                    return Err(self.expected("a number that is not given by its bits"));
                }
                let value = self.unary(depth)?;
                prefix(operator, value, self.span_from(token))
            }
            _ => Err(self.expected("a constant")),
        }
    }
}

/// `0f3F800000`, which no operator goes before; it does go before `0d3FF0000000000000`.
fn is_bits(text: &str) -> bool {
    matches!(text.as_bytes(), [b'0', b'f' | b'F', ..])
}

fn prefix(operator: u8, value: Literal, span: Span) -> Result<Literal> {
    Ok(match (operator, value) {
        (b'+', _) => value,
        (b'-', Literal::F32(bits)) => Literal::F32(bits ^ 1 << 31),
        (b'-', Literal::F64(bits)) => Literal::F64(bits ^ 1 << 63),
        (b'-', Literal::Integer { bits, unsigned }) => Literal::Integer { bits: bits.wrapping_neg(), unsigned },
        (b'~', Literal::Integer { bits, unsigned }) => Literal::Integer { bits: !bits, unsigned },
        (b'!', Literal::Integer { bits, .. }) => Literal::Integer { bits: u64::from(bits == 0), unsigned: false },
        _ => return Err(Fault::new("this operator takes an integer", span)),
    })
}

/// How strongly an operator binds, as in C.
fn level(operator: &str) -> Option<u8> {
    Some(match operator {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | ">" | "<=" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => ADDITIVE,
        "*" | "/" | "%" => MULTIPLICATIVE,
        _ => return None,
    })
}

fn apply(operator: &str, left: Literal, right: Literal) -> std::result::Result<Literal, &'static str> {
    let (a, p, b, q) = match (left, right) {
        (Literal::Integer { bits: a, unsigned: p }, Literal::Integer { bits: b, unsigned: q }) => (a, p, b, q),
        _ => match (float(left), float(right)) {
            (Some(a), Some(b)) => return apply_float(operator, a, b),
            _ => return Err("this expression mixes integers and floating-point numbers"),
        },
    };
    let unsigned = p || q;
    let truth = |value: bool| Ok(Literal::Integer { bits: u64::from(value), unsigned: false });
    let less = |a: u64, b: u64| if unsigned { a < b } else { (a as i64) < b as i64 };
    let bits = match operator {
        "||" => return truth(a != 0 || b != 0),
        "&&" => return truth(a != 0 && b != 0),
        "==" => return truth(a == b),
        "!=" => return truth(a != b),
        "<" => return truth(less(a, b)),
        ">" => return truth(less(b, a)),
        "<=" => return truth(!less(b, a)),
        ">=" => return truth(!less(a, b)),
        // The type of a shift is that of its left side; only six bits of the count matter.
        "<<" => return Ok(Literal::Integer { bits: a.wrapping_shl(b as u32), unsigned: p }),
        ">>" if p => return Ok(Literal::Integer { bits: a.wrapping_shr(b as u32), unsigned: p }),
        ">>" => return Ok(Literal::Integer { bits: (a as i64).wrapping_shr(b as u32) as u64, unsigned: p }),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        _ if b == 0 => return Err("division by zero in a constant expression"),
        "/" if unsigned => a / b,
        "/" => (a as i64).wrapping_div(b as i64) as u64,
        _ if unsigned => a % b,
        _ => (a as i64).wrapping_rem(b as i64) as u64,
    };
    Ok(Literal::Integer { bits, unsigned })
}

fn float(value: Literal) -> Option<f64> {
    match value {
        Literal::Integer { .. } => None,
        Literal::F32(bits) => Some(f64::from(f32::from_bits(bits))),
        Literal::F64(bits) => Some(f64::from_bits(bits)),
    }
}

fn apply_float(operator: &str, a: f64, b: f64) -> std::result::Result<Literal, &'static str> {
    let value = match operator {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        _ => return Err("this operator takes integers"),
    };
    Ok(Literal::F64(value.to_bits()))
}
