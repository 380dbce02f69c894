//! The steps of a program as instructions. Every operation is rounded once, as on the CPU.

use super::machine::Writer;
use super::text::{Class, Operand, Text, immediate, line};
use crate::expression::kind::Kind;
use crate::expression::math::{self, Double, Single};
use crate::expression::program::{Op, Program};

/// The type of an instruction on values of a kind; bytes are computed in words.
fn ending(kind: Kind) -> &'static str {
    match kind {
        Kind::Bool => "pred",
        Kind::U8 | Kind::U32 => "u32",
        Kind::I32 => "s32",
        Kind::I64 => "s64",
        Kind::U64 => "u64",
        Kind::F32 => "f32",
        Kind::F64 => "f64",
    }
}

impl Text {
    /// The results of a program for one element of each input.
    pub(super) fn program(&mut self, program: &Program, inputs: &[Operand]) -> Vec<Operand> {
        let mut values: Vec<Operand> = Vec::new();
        for step in &program.steps {
            let from: Vec<Operand> = step.from().iter().map(|&from| values[from]).collect();
            let value = match step.op {
                Op::Input(number) => inputs[number],
                Op::Constant(bits) => self.constant(step.kind, bits),
                Op::Cast => self.cast(program.kind(step.from()[0]), step.kind, from[0]),
                // A comparison is of its arguments' type, anything else of its result's.
                op => self.step(op, program.kind(*step.from().last().unwrap_or(&0)), &from),
            };
            values.push(value);
        }
        program.results.iter().map(|&result| values[result]).collect()
    }

    fn step(&mut self, op: Op, kind: Kind, from: &[Operand]) -> Operand {
        let class = Class::of(kind);
        let (ty, bits) = (ending(kind), class.bits());
        match op {
            Op::Add | Op::Subtract | Op::Multiply if kind.is_float() => {
                let name = [(Op::Add, "add.rn"), (Op::Subtract, "sub.rn")];
                let name = name.into_iter().find(|(of, _)| *of == op).map_or("mul.rn", |(_, name)| name);
                self.op(class, &format!("{name}.{ty}"), from)
            }
            Op::Add | Op::Subtract | Op::Multiply => {
                let name = [(Op::Add, "add"), (Op::Subtract, "sub")];
                let name = name.into_iter().find(|(of, _)| *of == op).map_or("mul.lo", |(_, name)| name);
                let result = self.op(class, &format!("{name}.{ty}"), from);
                self.cut(kind, result)
            }
            Op::Divide => self.op(class, &format!("div.rn.{ty}"), from),
            Op::FloorDivide | Op::Remainder => self.divide_integers(op, kind, from),
            Op::Min | Op::Max => {
                let name = if op == Op::Min { "min" } else { "max" };
                let result = self.op(class, &format!("{name}.{ty}"), from);
                let nan = match kind {
                    Kind::F32 => Operand::Single(f32::NAN.to_bits()),
                    Kind::F64 => Operand::Double(f64::NAN.to_bits()),
                    _ => return result,
                };
                let unordered = self.op(Class::Flag, &format!("setp.nan.{ty}"), from);
                self.op(class, &format!("selp.{ty}"), &[nan, result, unordered])
            }
            Op::Equal => self.op(Class::Flag, &format!("setp.eq.{ty}"), from),
            Op::Less => self.op(Class::Flag, &format!("setp.lt.{ty}"), from),
            Op::LessOrEqual => self.op(Class::Flag, &format!("setp.le.{ty}"), from),
            Op::And => self.op(class, &format!("and.{bits}"), from),
            Op::Or => self.op(class, &format!("or.{bits}"), from),
            Op::Xor => self.op(class, &format!("xor.{bits}"), from),
            Op::Negate if kind.is_float() => self.op(class, &format!("neg.{ty}"), from),
            Op::Negate => {
                let result = self.op(class, &format!("sub.{ty}"), &[Operand::Int(0), from[0]]);
                self.cut(kind, result)
            }
            Op::Absolute => self.op(class, &format!("abs.{ty}"), from),
            Op::Sqrt => self.op(class, &format!("sqrt.rn.{ty}"), from),
            Op::Floor => self.op(class, &format!("cvt.rmi.{ty}.{ty}"), from),
            Op::Exp if kind == Kind::F32 => math::exp::<_, Single>(&mut Writer { text: self, double: false }, from[0]),
            Op::Exp => math::exp::<_, Double>(&mut Writer { text: self, double: true }, from[0]),
            Op::Log if kind == Kind::F32 => math::log::<_, Single>(&mut Writer { text: self, double: false }, from[0]),
            Op::Log => math::log::<_, Double>(&mut Writer { text: self, double: true }, from[0]),
            Op::Select => self.select(kind, from[0], from[1], from[2]),
            Op::Input(_) | Op::Constant(_) | Op::Cast => from[0],
        }
    }

    /// The first if the flag is set, else the second.
    pub(super) fn select(&mut self, kind: Kind, flag: Operand, a: Operand, b: Operand) -> Operand {
        if kind != Kind::Bool {
            let class = Class::of(kind);
            return self.op(class, &format!("selp.{}", class.bits()), &[a, b, flag]);
        }
        let other = self.op(Class::Flag, "not.pred", &[flag]);
        let (a, b) = (self.op(Class::Flag, "and.pred", &[flag, a]), self.op(Class::Flag, "and.pred", &[other, b]));
        self.op(Class::Flag, "or.pred", &[a, b])
    }

    /// A byte in a word has no bits above.
    fn cut(&mut self, kind: Kind, value: Operand) -> Operand {
        if kind == Kind::U8 { self.op(Class::Word, "and.b32", &[value, Operand::Int(255)]) } else { value }
    }

    /// The quotient rounded down, or what is left; both are 0 if the divisor is. PTX leaves open what becomes of a
    /// division by 0, and of the smallest number by -1.
    fn divide_integers(&mut self, op: Op, kind: Kind, from: &[Operand]) -> Operand {
        let class = Class::of(kind);
        let (ty, bits) = (ending(kind), class.bits());
        let (a, b) = (from[0], from[1]);
        let zero = Operand::Int(0);
        let by_zero = self.op(Class::Flag, &format!("setp.eq.{ty}"), &[b, zero]);
        let mut divisor = self.op(class, &format!("selp.{bits}"), &[Operand::Int(1), b, by_zero]);
        let mut by_minus_one = None;
        if kind.is_signed() {
            let flag = self.op(Class::Flag, &format!("setp.eq.{ty}"), &[b, Operand::Int(-1)]);
            divisor = self.op(class, &format!("selp.{bits}"), &[Operand::Int(1), divisor, flag]);
            by_minus_one = Some(flag);
        }
        let mut quotient = self.op(class, &format!("div.{ty}"), &[a, divisor]);
        if let Some(flag) = by_minus_one {
            let negated = self.op(class, &format!("sub.{ty}"), &[zero, a]);
            quotient = self.op(class, &format!("selp.{bits}"), &[negated, quotient, flag]);
        }
        let product = self.op(class, &format!("mul.lo.{ty}"), &[quotient, b]);
        let mut rest = self.op(class, &format!("sub.{ty}"), &[a, product]);
        if kind.is_signed() {
            let left = self.op(Class::Flag, &format!("setp.ne.{ty}"), &[rest, zero]);
            let signs = self.op(class, &format!("xor.{bits}"), &[rest, b]);
            let differ = self.op(Class::Flag, &format!("setp.lt.{ty}"), &[signs, zero]);
            let down = self.op(Class::Flag, "and.pred", &[left, differ]);
            let (less, more) = (
                self.op(class, &format!("add.{ty}"), &[quotient, Operand::Int(-1)]),
                self.op(class, &format!("add.{ty}"), &[rest, b]),
            );
            quotient = self.op(class, &format!("selp.{bits}"), &[less, quotient, down]);
            rest = self.op(class, &format!("selp.{bits}"), &[more, rest, down]);
        }
        let result = if op == Op::FloorDivide { quotient } else { rest };
        self.op(class, &format!("selp.{bits}"), &[zero, result, by_zero])
    }

    fn cast(&mut self, from: Kind, to: Kind, a: Operand) -> Operand {
        let class = Class::of(to);
        let (source, target) = (ending(from), ending(to));
        match (from, to) {
            (Kind::Bool, _) => {
                let (one, zero) = (immediate(to, to.bits_of_int(1)), immediate(to, 0));
                self.op(class, &format!("selp.{}", class.bits()), &[one, zero, a])
            }
            // Unlike anything else, NaN is not 0.
            (Kind::F32 | Kind::F64, Kind::Bool) => {
                self.op(Class::Flag, &format!("setp.neu.{source}"), &[a, immediate(from, 0)])
            }
            (_, Kind::Bool) => self.op(Class::Flag, &format!("setp.ne.{source}"), &[a, Operand::Int(0)]),
            (Kind::F32, Kind::F64) => self.op(class, "cvt.f64.f32", &[a]),
            (Kind::F64, Kind::F32) => self.op(class, "cvt.rn.f32.f64", &[a]),
            (Kind::F32 | Kind::F64, _) => {
                let cut = self.op(class, &format!("cvt.rzi.{target}.{source}"), &[a]);
                let is_nan = self.op(Class::Flag, &format!("setp.nan.{source}"), &[a, a]);
                let cut = if to == Kind::U8 { self.op(class, "min.u32", &[cut, Operand::Int(255)]) } else { cut };
                self.op(class, &format!("selp.{}", class.bits()), &[Operand::Int(0), cut, is_nan])
            }
            (_, Kind::F32 | Kind::F64) => self.op(class, &format!("cvt.rn.{target}.{source}"), &[a]),
            (Kind::I64 | Kind::U64, Kind::I64 | Kind::U64) => a,
            (Kind::I64 | Kind::U64, _) => {
                let word = self.op(class, "cvt.u32.u64", &[a]);
                self.cut(to, word)
            }
            (_, Kind::I64 | Kind::U64) => {
                let wide = if from == Kind::I32 { "cvt.s64.s32" } else { "cvt.u64.u32" };
                self.op(class, wide, &[a])
            }
            _ => self.cut(to, a),
        }
    }

    /// A value as it is in memory: a flag is a byte.
    fn stored(&mut self, kind: Kind, value: Operand) -> Operand {
        if kind == Kind::Bool { self.cast(Kind::Bool, Kind::U8, value) } else { value }
    }

    /// The type of loads and stores.
    pub(super) fn memory(kind: Kind) -> &'static str {
        match kind {
            Kind::Bool | Kind::U8 => "u8",
            other => ending(other),
        }
    }

    /// Loads neighbouring elements.
    pub(super) fn load(&mut self, kind: Kind, cache: &str, count: usize, at: Operand, offset: usize) -> Vec<Operand> {
        let to: Vec<Operand> = (0..count).map(|_| self.register(Class::of(kind))).collect();
        self.load_into(kind, cache, &to, at, offset);
        to
    }

    /// Loads neighbouring elements into registers.
    pub(super) fn load_into(&mut self, kind: Kind, cache: &str, to: &[Operand], at: Operand, offset: usize) {
        let (vector, list) = vector(to);
        line!(self, "ld.global{cache}{vector}.{} {list}, [{at}+{offset}];", Self::memory(kind));
    }

    /// Stores neighbouring elements.
    pub(super) fn store(&mut self, kind: Kind, values: &[Operand], at: Operand) {
        let values: Vec<Operand> = values.iter().map(|&value| self.stored(kind, value)).collect();
        let (vector, list) = vector(&values);
        line!(self, "st.global{vector}.{} [{at}], {list};", Self::memory(kind));
    }
}

fn vector(operands: &[Operand]) -> (&'static str, String) {
    let list: Vec<String> = operands.iter().map(Operand::to_string).collect();
    match operands.len() {
        1 => ("", list.concat()),
        2 => (".v2", format!("{{{}}}", list.join(", "))),
        _ => (".v4", format!("{{{}}}", list.join(", "))),
    }
}
