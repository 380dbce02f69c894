//! From an expression to a program: every value gets its type, or the error says what to write instead.

use super::constant::Number;
use super::kind::Kind;
use super::program::{Builder, Op, Program};
use super::tree::{Binary, Expression, Unary, What};
use crate::Error;

/// The deepest tree that is taken.
const DEEPEST: usize = 1000;
/// The largest exponent.
const LARGEST_POWER: i128 = 1024;

/// The program of some expressions of inputs of these types.
pub(crate) fn program(expressions: &[&Expression], inputs: &[Kind]) -> Result<Program, Error> {
    let mut checker = Checker { builder: Builder::default(), inputs };
    let results: Vec<usize> = expressions.iter().map(|one| checker.result(one)).collect::<Result<_, _>>()?;
    Ok(checker.builder.finish(&results))
}

/// The same for one expression whose result must be of that type.
pub(crate) fn program_of(expression: &Expression, inputs: &[Kind], wanted: Kind) -> Result<Program, Error> {
    let mut checker = Checker { builder: Builder::default(), inputs };
    let result = checker.result_as(expression, wanted)?;
    Ok(checker.builder.finish(&[result]))
}

/// The same for several, each with the type that its result must have.
pub(crate) fn program_of_all(expressions: &[(Expression, Kind)], inputs: &[Kind]) -> Result<Program, Error> {
    let mut checker = Checker { builder: Builder::default(), inputs };
    let one = |(expression, kind): &(Expression, Kind)| checker.result_as(expression, *kind);
    let results: Vec<usize> = expressions.iter().map(one).collect::<Result<_, _>>()?;
    Ok(checker.builder.finish(&results))
}

/// What an expression gives: a number without a type, or a step with one.
#[derive(Clone, Copy)]
enum Value {
    Number(Number),
    Step(usize),
}

pub(super) struct Checker<'a> {
    pub(super) builder: Builder,
    inputs: &'a [Kind],
}

impl Checker<'_> {
    /// The step of an expression; a number alone is an `i64` or `f64`.
    fn result(&mut self, expression: &Expression) -> Result<usize, Error> {
        match self.value(expression)? {
            Value::Step(step) => Ok(step),
            Value::Number(number) => self.number(number, number.alone(), expression.at()),
        }
    }

    /// The step of an expression of that type. A `bool` is a byte.
    fn result_as(&mut self, expression: &Expression, wanted: Kind) -> Result<usize, Error> {
        let step = match self.value(expression)? {
            Value::Step(step) => step,
            Value::Number(number) => return self.number(number, wanted, expression.at()),
        };
        let found = self.builder.kind(step);
        if found == wanted || (found == Kind::Bool && wanted == Kind::U8) {
            return Ok(step);
        }
        let (found, wanted) = (found.name(), wanted.name());
        Err(Error::expression(0, format!("the result is {found}, not {wanted}: write {wanted}(...) around it")))
    }

    fn value(&mut self, expression: &Expression) -> Result<Value, Error> {
        let at = expression.at();
        if expression.depth() > DEEPEST {
            return Err(Error::expression(at, "this is nested too deeply: compute it in steps"));
        }
        match expression.what() {
            What::Int(value) => Ok(Value::Number(Number::Int(*value))),
            What::Float(value) => Ok(Value::Number(Number::Float(*value))),
            What::Input(number) => match self.inputs.get(*number) {
                Some(&kind) => Ok(Value::Step(self.builder.add(Op::Input(*number), kind, &[]))),
                None => Err(Error::expression(at, "y has no elements: give a second input")),
            },
            What::Name(name) => {
                let why = format!("there is no value for {name}: give one, or use x or y");
                Err(Error::expression(at, why))
            }
            What::Unary(op, a) => {
                let a = self.value(a)?;
                self.unary(*op, a, at)
            }
            What::Binary(Binary::Power, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                self.power(a, b, at)
            }
            What::Binary(op, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                self.binary(*op, a, b, at)
            }
            What::Where(c, a, b) => {
                let (condition, column) = (self.value(c)?, c.at());
                let (a, b) = (self.value(a)?, self.value(b)?);
                let Value::Step(condition) = condition else {
                    return Err(Error::expression(column, "the condition is always the same: write a comparison"));
                };
                if self.builder.kind(condition) != Kind::Bool {
                    return Err(Error::expression(
                        column,
                        "the condition is a number: write a comparison such as != 0",
                    ));
                }
                let kind = self.meet(a, b);
                let (a, b) = (self.step(a, kind, at)?, self.step(b, kind, at)?);
                Ok(Value::Step(self.builder.add(Op::Select, kind, &[condition, a, b])))
            }
            What::Cast(to, a) => match self.value(a)? {
                Value::Step(step) => Ok(Value::Step(self.builder.cast(step, *to))),
                Value::Number(number) => Ok(Value::Step(self.number(number, *to, at)?)),
            },
        }
    }

    /// The type that two values meet in.
    fn meet(&self, a: Value, b: Value) -> Kind {
        match (a, b) {
            (Value::Step(a), Value::Step(b)) => self.builder.kind(a).meet(self.builder.kind(b)),
            (Value::Step(step), Value::Number(number)) | (Value::Number(number), Value::Step(step)) => {
                number.beside(self.builder.kind(step))
            }
            (Value::Number(a), Value::Number(b)) => a.alone().meet(b.alone()),
        }
    }

    fn number(&mut self, number: Number, kind: Kind, at: usize) -> Result<usize, Error> {
        let bits = number.bits(kind).ok_or_else(|| {
            let Number::Int(value) = number else { return Error::expression(at, "this number has no such type") };
            let wider = if value < 0 { "i64" } else { "u64" };
            Error::expression(at, format!("{value} does not fit into {}: write {wider}(...) beside it", kind.name()))
        })?;
        Ok(self.builder.add(Op::Constant(bits), kind, &[]))
    }

    fn step(&mut self, value: Value, kind: Kind, at: usize) -> Result<usize, Error> {
        match value {
            Value::Step(step) => Ok(self.builder.cast(step, kind)),
            Value::Number(number) => self.number(number, kind, at),
        }
    }

    fn unary(&mut self, op: Unary, a: Value, at: usize) -> Result<Value, Error> {
        let step = match a {
            Value::Step(step) => step,
            Value::Number(number) => {
                let folded = number.unary(op).map(Value::Number);
                return folded.ok_or_else(|| Error::expression(at, format!("{} is not for this number", op.name())));
            }
        };
        let kind = self.builder.kind(step);
        let is_arithmetic = matches!(op, Unary::Negate | Unary::Absolute | Unary::Floor);
        if kind == Kind::Bool && is_arithmetic {
            return Err(Error::expression(at, arithmetic_of_bools(op.name())));
        }
        let step = match op {
            Unary::Not if kind.is_float() => {
                return Err(Error::expression(at, "~ is for bools and integers: write a comparison, or i32(...)"));
            }
            Unary::Not => {
                let ones = self.builder.constant(kind, if kind == Kind::Bool { 1 } else { -1 });
                self.builder.add(Op::Xor, kind, &[step, ones])
            }
            Unary::Negate => self.builder.add(Op::Negate, kind, &[step]),
            Unary::Absolute if !kind.is_signed() => step,
            Unary::Absolute => self.builder.add(Op::Absolute, kind, &[step]),
            Unary::Floor if !kind.is_float() => step,
            Unary::Sqrt | Unary::Exp | Unary::Log | Unary::Floor => {
                let kind = if kind.is_float() { kind } else { Kind::F64 };
                let step = self.builder.cast(step, kind);
                let op = match op {
                    Unary::Sqrt => Op::Sqrt,
                    Unary::Exp => Op::Exp,
                    Unary::Log => Op::Log,
                    _ => Op::Floor,
                };
                self.builder.add(op, kind, &[step])
            }
        };
        Ok(Value::Step(step))
    }

    fn binary(&mut self, op: Binary, a: Value, b: Value, at: usize) -> Result<Value, Error> {
        use Binary::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, Unequal};
        let compares = matches!(op, Equal | Unequal | Less | LessOrEqual | Greater | GreaterOrEqual);
        if let (Value::Number(a), Value::Number(b)) = (a, b) {
            if compares {
                return Ok(Value::Step(self.builder.constant(Kind::Bool, a.compare(op, b).into())));
            }
            let folded = a.binary(op, b).map(Value::Number);
            return folded.ok_or_else(|| Error::expression(at, format!("{} of these numbers is too large", op.name())));
        }
        let kind = self.meet(a, b);
        if compares {
            let kind = if kind == Kind::Bool { Kind::U8 } else { kind };
            let (a, b) = (self.step(a, kind, at)?, self.step(b, kind, at)?);
            return Ok(Value::Step(self.compare(op, a, b)));
        }
        if matches!(op, Binary::And | Binary::Or | Binary::Xor) {
            if kind.is_float() {
                let why = format!("{} is for bools and integers: put comparisons in parentheses", op.name());
                return Err(Error::expression(at, why));
            }
        } else if kind == Kind::Bool {
            return Err(Error::expression(at, arithmetic_of_bools(op.name())));
        }
        let kind = if op == Binary::Divide && !kind.is_float() { Kind::F64 } else { kind };
        let from = [self.step(a, kind, at)?, self.step(b, kind, at)?];
        let op = match op {
            Binary::Add => Op::Add,
            Binary::Subtract => Op::Subtract,
            Binary::Multiply => Op::Multiply,
            Binary::Divide => Op::Divide,
            Binary::Min => Op::Min,
            Binary::Max => Op::Max,
            Binary::And => Op::And,
            Binary::Or => Op::Or,
            Binary::Xor => Op::Xor,
            Binary::FloorDivide | Binary::Remainder if kind.is_float() => {
                let quotient = self.builder.add(Op::Divide, kind, &from);
                let whole = self.builder.add(Op::Floor, kind, &[quotient]);
                if op == Binary::FloorDivide {
                    return Ok(Value::Step(whole));
                }
                let product = self.builder.add(Op::Multiply, kind, &[whole, from[1]]);
                return Ok(Value::Step(self.builder.add(Op::Subtract, kind, &[from[0], product])));
            }
            Binary::FloorDivide => Op::FloorDivide,
            _ => Op::Remainder,
        };
        Ok(Value::Step(self.builder.add(op, kind, &from)))
    }

    fn compare(&mut self, op: Binary, a: usize, b: usize) -> usize {
        let builder = &mut self.builder;
        match op {
            Binary::Less => builder.add(Op::Less, Kind::Bool, &[a, b]),
            Binary::LessOrEqual => builder.add(Op::LessOrEqual, Kind::Bool, &[a, b]),
            Binary::Greater => builder.add(Op::Less, Kind::Bool, &[b, a]),
            Binary::GreaterOrEqual => builder.add(Op::LessOrEqual, Kind::Bool, &[b, a]),
            Binary::Unequal => {
                let (equal, yes) = (builder.add(Op::Equal, Kind::Bool, &[a, b]), builder.constant(Kind::Bool, 1));
                builder.add(Op::Xor, Kind::Bool, &[equal, yes])
            }
            _ => builder.add(Op::Equal, Kind::Bool, &[a, b]),
        }
    }

    /// A power by multiplications.
    fn power(&mut self, base: Value, exponent: Value, at: usize) -> Result<Value, Error> {
        let Value::Number(exponent) = exponent else {
            return Err(Error::expression(at, "the exponent is not a number: write exp(b * log(a)) for a ** b"));
        };
        if let Value::Number(base) = base {
            let folded = base.binary(Binary::Power, exponent).map(Value::Number);
            return folded.ok_or_else(|| Error::expression(at, "this power is too large: use a smaller exponent"));
        }
        let kind = match self.meet(base, Value::Number(exponent)) {
            Kind::Bool => return Err(Error::expression(at, arithmetic_of_bools("**"))),
            kind => kind,
        };
        let step = self.step(base, kind, at)?;
        let exponent = match exponent {
            Number::Float(0.5) => return Ok(Value::Step(self.builder.add(Op::Sqrt, kind, &[step]))),
            Number::Float(value) if value.fract() != 0.0 || value.abs() > LARGEST_POWER as f64 => {
                return Err(Error::expression(at, "the exponent is not whole: write exp(b * log(a)) for a ** b"));
            }
            Number::Float(value) => value as i128,
            Number::Int(value) => value,
        };
        if exponent.abs() > LARGEST_POWER {
            return Err(Error::expression(at, "the exponent is too large: use one up to 1024"));
        }
        if exponent < 0 && !kind.is_float() {
            return Err(Error::expression(at, "integers have no negative powers: write f64(...) around the base"));
        }
        let one = self.builder.constant(kind, 1);
        let (mut square, mut left, mut product) = (step, exponent.unsigned_abs(), None);
        while left > 0 {
            if left % 2 == 1 {
                product = Some(match product {
                    Some(so_far) => self.builder.add(Op::Multiply, kind, &[so_far, square]),
                    None => square,
                });
            }
            left /= 2;
            if left > 0 {
                square = self.builder.add(Op::Multiply, kind, &[square, square]);
            }
        }
        let power = product.unwrap_or(one);
        let power = if exponent < 0 { self.builder.add(Op::Divide, kind, &[one, power]) } else { power };
        Ok(Value::Step(power))
    }
}

fn arithmetic_of_bools(op: &str) -> String {
    format!("{op} is not for bools: write u8(...) around comparisons, or use & | ~")
}
