//! Atomics: `atom` and `red`.

use warpwise_ptx::ast::{Instruction, Operand, ScalarType};

use super::load_store::{AccessSpace, space_of};
use super::lowering::{Lowering, op};
use super::modifiers::Modifiers;
use crate::float::{Bf16, F16, Half16, HalfMode, MinMax, double, packed, single};
use crate::lanes::atomic::{self, Operation};
use crate::lanes::region::{Generic, Global, Reg32, Reg64, Shared};
use crate::lanes::{Handler, Op};

const OPERATIONS: [&str; 10] = ["and", "or", "xor", "cas", "exch", "add", "inc", "dec", "min", "max"];

pub(super) fn decode(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    (!m.has("async")).then_some(())?;
    let ty = m.ty()?;
    let operation = m.one_of(&OPERATIONS)?;
    let (d, operands) = match &*i.opcode {
        "atom" => {
            let (d, rest) = i.operands.split_first()?;
            (d, rest)
        }
        _ => (&Operand::Sink, &i.operands[..]),
    };
    let (address, values) = operands.split_first()?;
    let place = cx.address(address)?;
    let space = space_of(cx, m, place);
    let (a, width, imm) = place.register()?;
    let count = m.vector();
    let flush = space != AccessSpace::Shared;
    let (run, number) = match (ty.bytes(), number(operation, ty, flush)?) {
        (2, n) => (handler::<u16>(space, width)?, n),
        (4, n) => (handler::<u32>(space, width)?, n),
        (8, n) => (handler::<u64>(space, width)?, n),
        (_, n) => (handler::<u128>(space, width)?, n),
    };
    // Threads wait for a word to change by reading it: an atomic whose result is not used does work.
    let polls = cx.is_read(d);
    let list = |operand: &Operand| match operand {
        Operand::Vector(list) => list.clone(),
        Operand::Sink => vec![Operand::Sink; count],
        other => vec![other.clone()],
    };
    let (d, b) = (list(d), list(values.first()?));
    let c = if operation == "cas" { list(values.get(1)?) } else { b.clone() };
    (d.len() == count && b.len() == count && c.len() == count).then_some(())?;
    let mut slots = d.iter().map(|o| cx.dst(o, ty.bytes())).collect::<Option<Vec<_>>>()?;
    for operand in b.iter().chain(&c) {
        slots.push(cx.src(operand, ty)?);
    }
    let aux = cx.slot_list(&slots);
    Some(Op { imm, aux, ..op(run, polls.into(), &[a, number, count as u32]) })
}

fn handler<T: atomic::Operand>(space: AccessSpace, width: u32) -> Option<Handler> {
    Some(match (space, width) {
        (AccessSpace::Global, 4) => atomic::atomic::<Reg32, Global, T>(),
        (AccessSpace::Global, _) => atomic::atomic::<Reg64, Global, T>(),
        (AccessSpace::Shared, 4) => atomic::atomic::<Reg32, Shared, T>(),
        (AccessSpace::Shared, _) => atomic::atomic::<Reg64, Shared, T>(),
        (AccessSpace::Generic, 8) => atomic::atomic::<Reg64, Generic, T>(),
        _ => return None,
    })
}

/// The number of an operation on a type. `add.f32` flushes subnormals on global memory, not on shared.
fn number(operation: &str, ty: ScalarType, flush: bool) -> Option<u32> {
    let plain = OPERATIONS.iter().position(|o| *o == operation)? as u32;
    Some(match ty {
        ScalarType::U32 | ScalarType::B32 | ScalarType::U64 | ScalarType::B64 => plain,
        ScalarType::S32 | ScalarType::S64 if matches!(operation, "min" | "max") => plain + 2,
        ScalarType::S32 | ScalarType::S64 => plain,
        ScalarType::B16 | ScalarType::B128 if matches!(operation, "cas" | "exch") => plain,
        ScalarType::F32 if operation == "add" => FLOAT_ADD + u32::from(flush),
        ScalarType::F64 if operation == "add" => FLOAT_ADD,
        ScalarType::F16 | ScalarType::F16x2 => HALF + half(operation)?,
        ScalarType::Bf16 | ScalarType::Bf16x2 => HALF + 3 + half(operation)?,
        _ => return None,
    })
}

fn half(operation: &str) -> Option<u32> {
    ["add", "min", "max"].iter().position(|o| *o == operation).map(|at| at as u32)
}

/// The number of floating-point addition; one more is the form that flushes.
const FLOAT_ADD: u32 = 12;
/// The number of the first 16-bit operation: three for `f16`, then three for `bf16`.
const HALF: u32 = 14;

/// The operations that every integer word has, in the order of [`OPERATIONS`], then signed minimum and maximum; other
/// numbers are left to `$rest`.
macro_rules! integer {
    ($number:expr, $T:ty, $S:ty, $rest:expr) => {
        match $number {
            0 => |old, b, _| old & b,
            1 => |old, b, _| old | b,
            2 => |old, b, _| old ^ b,
            3 => |old, b, c| if old == b { c } else { old },
            4 => |_, b, _| b,
            5 => |old: $T, b, _| old.wrapping_add(b),
            6 => |old, b, _| if old >= b { 0 } else { old + 1 },
            7 => |old, b, _| if old == 0 || old > b { b } else { old - 1 },
            8 => |old, b, _| old.min(b),
            9 => |old, b, _| old.max(b),
            10 => |old, b, _| (old as $S).min(b as $S) as $T,
            11 => |old, b, _| (old as $S).max(b as $S) as $T,
            _ => $rest,
        }
    };
}

/// The 16-bit operations, on words that hold one or several of them.
macro_rules! halves {
    ($number:expr, $map:path) => {
        match $number {
            HALF => |old, b, _| $map(old, b, |x, y| F16::add(x, y, HalfMode::default())),
            15 => |old, b, _| $map(old, b, |x, y| F16::min(x, y, MinMax::default())),
            16 => |old, b, _| $map(old, b, |x, y| F16::max(x, y, MinMax::default())),
            17 => |old, b, _| $map(old, b, |x, y| Bf16::add(x, y, HalfMode::default())),
            18 => |old, b, _| $map(old, b, |x, y| Bf16::min(x, y, MinMax::default())),
            _ => |old, b, _| $map(old, b, |x, y| Bf16::max(x, y, MinMax::default())),
        }
    };
}

fn one(a: u16, b: u16, f: impl Fn(u16, u16) -> u16) -> u16 {
    f(a, b)
}

impl atomic::Operand for u16 {
    fn operation(number: u32) -> Operation<Self> {
        integer!(number, u16, i16, halves!(number, one))
    }
}

impl atomic::Operand for u32 {
    fn operation(number: u32) -> Operation<Self> {
        match number {
            FLOAT_ADD => |old, b, _| single::add(f32::from_bits(old), f32::from_bits(b)).to_bits(),
            13 => |old, b, _| {
                let [x, y] = [old, b].map(|x| single::flush(f32::from_bits(x)));
                single::flush(single::add(x, y)).to_bits()
            },
            _ => integer!(number, u32, i32, halves!(number, packed::map2)),
        }
    }
}

impl atomic::Operand for u64 {
    fn operation(number: u32) -> Operation<Self> {
        integer!(number, u64, i64, |old, b, _| double::add(f64::from_bits(old), f64::from_bits(b)).to_bits())
    }
}

impl atomic::Operand for u128 {
    fn operation(number: u32) -> Operation<Self> {
        if number == 3 { |old, b, c| if old == b { c } else { old } } else { |_, b, _| b }
    }
}
