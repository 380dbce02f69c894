//! exp and log in PTX.

use super::text::{Class, Operand, Text};
use crate::expression::math::Machine;

/// Writes instructions for floats of 32 or 64 bits.
pub(super) struct Writer<'a> {
    pub(super) text: &'a mut Text,
    pub(super) double: bool,
}

impl Writer<'_> {
    fn on_floats(&mut self, instruction: &str, from: &[Operand]) -> Operand {
        let (class, ending) = if self.double { (Class::Double, "f64") } else { (Class::Single, "f32") };
        self.text.op(class, &format!("{instruction}.{ending}"), from)
    }

    fn on_ints(&mut self, instruction: &str, ending: char, from: &[Operand]) -> Operand {
        let (class, bits) = if self.double { (Class::Long, 64) } else { (Class::Word, 32) };
        self.text.op(class, &format!("{instruction}.{ending}{bits}"), from)
    }

    fn compare(&mut self, instruction: &str, a: Operand, b: Operand) -> Operand {
        let ending = if self.double { "f64" } else { "f32" };
        self.text.op(Class::Flag, &format!("setp.{instruction}.{ending}"), &[a, b])
    }
}

impl Machine for Writer<'_> {
    type Float = Operand;
    type Int = Operand;
    type Flag = Operand;

    fn float(&mut self, value: f64) -> Operand {
        if self.double { Operand::Double(value.to_bits()) } else { Operand::Single((value as f32).to_bits()) }
    }
    fn int(&mut self, value: i64) -> Operand {
        Operand::Int(value)
    }
    fn add(&mut self, a: Operand, b: Operand) -> Operand {
        self.on_floats("add.rn", &[a, b])
    }
    fn subtract(&mut self, a: Operand, b: Operand) -> Operand {
        self.on_floats("sub.rn", &[a, b])
    }
    fn multiply(&mut self, a: Operand, b: Operand) -> Operand {
        self.on_floats("mul.rn", &[a, b])
    }
    fn divide(&mut self, a: Operand, b: Operand) -> Operand {
        self.on_floats("div.rn", &[a, b])
    }
    fn less(&mut self, a: Operand, b: Operand) -> Operand {
        self.compare("lt", a, b)
    }
    fn equal(&mut self, a: Operand, b: Operand) -> Operand {
        self.compare("eq", a, b)
    }
    fn select(&mut self, flag: Operand, a: Operand, b: Operand) -> Operand {
        self.on_floats("selp", &[a, b, flag])
    }
    fn bits(&mut self, a: Operand) -> Operand {
        match a {
            Operand::Single(bits) => Operand::Int(i64::from(bits as i32)),
            Operand::Double(bits) => Operand::Int(bits as i64),
            _ => self.on_ints("mov", 'b', &[a]),
        }
    }
    fn of_bits(&mut self, a: Operand) -> Operand {
        let (class, bits) = if self.double { (Class::Double, 64) } else { (Class::Single, 32) };
        self.text.op(class, &format!("mov.b{bits}"), &[a])
    }
    fn add_ints(&mut self, a: Operand, b: Operand) -> Operand {
        self.on_ints("add", 's', &[a, b])
    }
    fn subtract_ints(&mut self, a: Operand, b: Operand) -> Operand {
        self.on_ints("sub", 's', &[a, b])
    }
    fn and(&mut self, a: Operand, b: Operand) -> Operand {
        self.on_ints("and", 'b', &[a, b])
    }
    fn shift_left(&mut self, a: Operand, by: u32) -> Operand {
        self.on_ints("shl", 'b', &[a, Operand::Int(by.into())])
    }
    fn shift_right(&mut self, a: Operand, by: u32) -> Operand {
        self.on_ints("shr", 's', &[a, Operand::Int(by.into())])
    }
}
