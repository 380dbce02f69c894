//! PTX under construction.

use std::fmt::{self, Write};

use crate::expression::kind::Kind;

/// The registers that hold a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Flag,
    Word,
    Long,
    Single,
    Double,
}

impl Class {
    const ALL: [Self; 5] = [Self::Flag, Self::Word, Self::Long, Self::Single, Self::Double];

    pub(super) fn of(kind: Kind) -> Self {
        match kind {
            Kind::Bool => Self::Flag,
            Kind::U8 | Kind::I32 | Kind::U32 => Self::Word,
            Kind::I64 | Kind::U64 => Self::Long,
            Kind::F32 => Self::Single,
            Kind::F64 => Self::Double,
        }
    }

    fn prefix(self) -> &'static str {
        match self {
            Self::Flag => "%p",
            Self::Word => "%r",
            Self::Long => "%rd",
            Self::Single => "%f",
            Self::Double => "%fd",
        }
    }

    /// The type of its registers.
    pub(super) fn bits(self) -> &'static str {
        match self {
            Self::Flag => "pred",
            Self::Word => "b32",
            Self::Long => "b64",
            Self::Single => "f32",
            Self::Double => "f64",
        }
    }
}

/// A register or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    Register(Class, u32),
    Int(i64),
    Single(u32),
    Double(u64),
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Register(class, number) => write!(f, "{}{number}", class.prefix()),
            Self::Int(value) => write!(f, "{value}"),
            Self::Single(bits) => write!(f, "0f{bits:08X}"),
            Self::Double(bits) => write!(f, "0d{bits:016X}"),
        }
    }
}

/// The most constants that are parameters; others are written into the text.
const MOST_CONSTANTS: usize = 32;

/// The instructions of a kernel so far.
#[derive(Debug, Default)]
pub(super) struct Text {
    /// What comes before everything else: constants.
    head: String,
    body: String,
    registers: [u32; 5],
    labels: u32,
    constants: Vec<(Kind, u64, Operand)>,
}

/// Adds a line.
macro_rules! line {
    ($text:expr, $($format:tt)*) => { $text.line(format_args!($($format)*)) };
}
pub(super) use line;

impl Text {
    pub(super) fn line(&mut self, line: fmt::Arguments<'_>) {
        let _ = writeln!(self.body, "\t{line}");
    }

    pub(super) fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    pub(super) fn place(&mut self, label: &str) {
        let _ = writeln!(self.body, "{label}:");
    }

    pub(super) fn register(&mut self, class: Class) -> Operand {
        let count = &mut self.registers[class as usize];
        *count += 1;
        Operand::Register(class, *count)
    }

    /// The result of an instruction.
    pub(super) fn op(&mut self, class: Class, instruction: &str, from: &[Operand]) -> Operand {
        let to = self.register(class);
        let _ = write!(self.body, "\t{instruction} {to}");
        for operand in from {
            let _ = write!(self.body, ", {operand}");
        }
        self.body.push_str(";\n");
        to
    }

    /// Copies into a register.
    pub(super) fn copy(&mut self, to: Operand, from: Operand) {
        if let Operand::Register(class, _) = to {
            line!(self, "mov.{} {to}, {from};", class.bits());
        }
    }

    /// A register with a constant.
    pub(super) fn constant(&mut self, kind: Kind, bits: u64) -> Operand {
        if let Some((.., known)) = self.constants.iter().find(|(of, value, _)| (*of, *value) == (kind, bits)) {
            return *known;
        }
        if kind == Kind::Bool {
            let word = self.register(Class::Word);
            let flag = self.register(Class::Flag);
            let _ = writeln!(self.head, "\tmov.u32 {word}, {bits};\n\tsetp.ne.u32 {flag}, {word}, 0;");
            return flag;
        }
        if self.constants.len() == MOST_CONSTANTS {
            return immediate(kind, bits);
        }
        let class = Class::of(kind);
        let register = self.register(class);
        let at = 8 * self.constants.len();
        let _ = writeln!(self.head, "\tld.param.{} {register}, [constants+{at}];", class.bits());
        self.constants.push((kind, bits, register));
        register
    }

    /// The whole module, with one kernel of that name, and the constants it needs.
    /// Blocks have 256 threads, and two of them at least run on a multiprocessor, which leaves them many registers:
    /// enough for all loads that are to be under way at once.
    pub(super) fn finish(self, name: &str, parameters: &[&str], shared: &str) -> (String, Vec<u64>) {
        let mut text = format!(".version 6.0\n.target sm_70\n.address_size 64\n\n.visible .entry {name}(\n");
        for parameter in parameters {
            let _ = writeln!(text, "\t.param .u64 {parameter},");
        }
        let constants: Vec<u64> = self.constants.iter().map(|(_, bits, _)| *bits).collect();
        let bytes = (8 * constants.len().max(1)).next_multiple_of(16);
        let _ = writeln!(
            text,
            "\t.param .align 16 .b8 constants[{bytes}]\n)\n.maxntid 256, 1, 1\n.minnctapersm 2\n{{\n{shared}"
        );
        for class in Class::ALL {
            let count = self.registers[class as usize] + 1;
            let _ = writeln!(text, "\t.reg .{} {}<{count}>;", class.bits(), class.prefix());
        }
        text += &self.head;
        text += &self.body;
        text += "}\n";
        (text, if constants.is_empty() { vec![0] } else { constants })
    }
}

/// A number in the text.
pub(super) fn immediate(kind: Kind, bits: u64) -> Operand {
    match kind {
        Kind::F32 => Operand::Single(bits as u32),
        Kind::F64 => Operand::Double(bits),
        Kind::I32 => Operand::Int(i64::from(bits as i32)),
        Kind::Bool | Kind::U8 | Kind::U32 => Operand::Int(i64::from(bits as u32)),
        Kind::I64 | Kind::U64 => Operand::Int(bits as i64),
    }
}
