//! Numbers of 32 lanes as short text.
//!
//! Lanes mostly hold the same number or count: `0+4x32` is 32 numbers from 0 in steps of 4, `7x32` is 32 times 7, `_x3`
//! three lanes that take no part. Parts are separated by spaces.

use std::fmt::Write;
use warpwise_ptx::ast::ScalarType;

/// How the bits of a register are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    Unsigned,
    Signed(u32),
    Float,
    Double,
}

impl Reading {
    /// The reading for a register of that type that an instruction with those words writes. Registers of bits take the
    /// type of the instruction.
    pub(super) fn of(register: ScalarType, words: &[Box<str>]) -> Self {
        match register {
            ScalarType::F32 => return Self::Float,
            ScalarType::F64 => return Self::Double,
            ScalarType::Pred => return Self::Unsigned,
            _ => {}
        }
        let bytes = register.bytes();
        // The result's type comes first in conversions, last elsewhere; of the right width there is one.
        match words.iter().filter_map(|word| ScalarType::parse(word)).find(|ty| ty.bytes() == bytes) {
            Some(ScalarType::F32) => Self::Float,
            Some(ScalarType::F64) => Self::Double,
            Some(ScalarType::S16 | ScalarType::S32 | ScalarType::S64) => Self::Signed(8 * bytes),
            _ => Self::Unsigned,
        }
    }

    fn number(self, bits: u64) -> Number {
        match self {
            Self::Unsigned => Number::Whole(bits.into()),
            Self::Signed(width) => Number::Whole(((bits << (64 - width)) as i64 >> (64 - width)).into()),
            Self::Float => Number::Text(format!("{}", f32::from_bits(bits as u32))),
            Self::Double => Number::Text(format!("{}", f64::from_bits(bits))),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Number {
    Absent,
    Whole(i128),
    Text(String),
}

/// The numbers of the lanes of a mask.
pub(super) fn encode(mask: u32, bits: &[u64; 32], reading: Reading) -> String {
    let number = |lane: usize| match mask >> lane & 1 {
        0 => Number::Absent,
        _ => reading.number(bits[lane]),
    };
    let all: Vec<Number> = (0..32).map(number).collect();
    let mut text = String::new();
    let mut at = 0;
    while at < 32 {
        let (step, length) = run(&all[at..]);
        if at > 0 {
            text.push(' ');
        }
        let _ = match &all[at] {
            Number::Absent => write!(text, "_"),
            Number::Whole(first) => write!(text, "{first}"),
            Number::Text(first) => write!(text, "{first}"),
        };
        if step != 0 {
            let _ = write!(text, "{step:+}");
        }
        if length > 1 {
            let _ = write!(text, "x{length}");
        }
        at += length;
    }
    text
}

/// Step and length of the run of numbers that a list starts with.
fn run(list: &[Number]) -> (i128, usize) {
    let same = list.iter().take_while(|other| **other == list[0]).count();
    let step = match (&list[0], list.get(1)) {
        (Number::Whole(a), Some(Number::Whole(b))) if a != b => b - a,
        _ => return (0, same),
    };
    let counts = |pair: &&[Number]| matches!(*pair, [Number::Whole(a), Number::Whole(b)] if b - a == step);
    let length = 1 + list.windows(2).take_while(counts).count();
    // Two numbers are shorter as they are.
    if length > 2 { (step, length) } else { (0, 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_that_count_are_short() {
        let count: [u64; 32] = std::array::from_fn(|lane| 100 + 4 * lane as u64);
        assert_eq!(encode(u32::MAX, &count, Reading::Unsigned), "100+4x32");
        assert_eq!(encode(0b1110, &count, Reading::Unsigned), "_ 104+4x3 _x28");
        assert_eq!(encode(0b11, &count, Reading::Unsigned), "100 104 _x30");
        let down: [u64; 32] = std::array::from_fn(|lane| u64::from((-(lane as i32)) as u32));
        assert_eq!(encode(u32::MAX, &down, Reading::Signed(32)), "0-1x32");
        let halves: [u64; 32] = std::array::from_fn(|lane| u64::from((lane as f32 / 2.0).to_bits()));
        assert_eq!(encode(0b111, &halves, Reading::Float), "0 0.5 1 _x29");
        assert_eq!(encode(u32::MAX, &[u64::from(1.5_f32.to_bits()); 32], Reading::Float), "1.5x32");
    }

    #[test]
    fn bits_are_read_as_the_instruction_does() {
        let words = |text: &str| text.split('.').map(Into::into).collect::<Vec<Box<str>>>();
        assert_eq!(Reading::of(ScalarType::B32, &words("lo.s32")), Reading::Signed(32));
        assert_eq!(Reading::of(ScalarType::B32, &words("rn.s32.f64")), Reading::Signed(32));
        assert_eq!(Reading::of(ScalarType::B64, &words("wide.u32")), Reading::Unsigned);
        assert_eq!(Reading::of(ScalarType::B32, &words("shared.f32")), Reading::Float);
        assert_eq!(Reading::of(ScalarType::F64, &[]), Reading::Double);
    }
}
