//! `cvt`.
//!
//! The conversions of everyday code have handlers of their own; all others are described by a [`Conversion`] that
//! one handler interprets, lane by lane.

use warpwise_ptx::ast::{Instruction, Operand, ScalarType};

use super::lowering::{Lowering, op};
use super::modifiers::Modifiers;
use crate::float::{FloatCvt, FloatType, Fp8, IntType, Rounding, convert_float, convert_int};
use crate::image::Conversion;
use crate::lanes::pure::{occasional_unary, unary};
use crate::lanes::{Flow, Handler, Op, lanes_of};
use crate::warp::Warp;

impl Conversion {
    fn apply(self, a: u64, b: u64, c: u64) -> u64 {
        match self {
            Self::IntToInt { from, to, sat } => int_to_int(from, to, sat, a),
            Self::IntToFloat { from, to, rounding, sat } => {
                convert_int::int_to_float(from, to, int_to_int(from, from, false, a), rounding, sat)
            }
            Self::FloatToInt { from, to, rounding, ftz } => convert_int::float_to_int(from, to, a, rounding, ftz),
            Self::FloatToFloat { from, to, how } => convert_float::convert(from, to, a, how),
            Self::PackHalves { to, how } => {
                let [a, b] = [a, b].map(|x| f32::from_bits(x as u32));
                convert_float::pack_f32(to, a, b, how).into()
            }
            Self::PackBytes { to, relu } => {
                let [a, b] = [a, b].map(|x| f32::from_bits(x as u32));
                to.pack_f32(a, b, relu).into()
            }
            Self::HalvesToBytes { to, relu } => to.pack_f16x2(a as u32, relu).into(),
            Self::BytesToHalves { from, relu } => from.unpack_f16x2(a as u16, relu).into(),
            Self::Pack { to, with_third } => {
                let from = IntType { bits: 32, signed: true };
                let [a, b] = [a, b].map(|x| int_to_int(from, to, true, x) & ones(to.bits));
                let low = a << to.bits | b;
                if with_third { low | c << (2 * to.bits) & 0xffff_ffff } else { low }
            }
        }
    }
}

fn ones(bits: u32) -> u64 {
    if bits >= 64 { !0 } else { (1 << bits) - 1 }
}

/// The value of an integer's low bits, extended to 64.
fn extend(ty: IntType, bits: u64) -> i128 {
    let bits = bits & ones(ty.bits);
    if ty.signed && bits >> (ty.bits - 1) & 1 == 1 { i128::from(bits) - (1i128 << ty.bits) } else { bits.into() }
}

fn int_to_int(from: IntType, to: IntType, sat: bool, bits: u64) -> u64 {
    let value = extend(from, bits);
    if sat {
        let (low, high) = match to.signed {
            true => (-(1i128 << (to.bits - 1)), (1i128 << (to.bits - 1)) - 1),
            false => (0, (1i128 << to.bits) - 1),
        };
        value.clamp(low, high) as u64
    } else {
        // Wrap to the destination's bits, then extend as it does.
        extend(to, value as u64) as u64
    }
}

/// Executes a [`Conversion`]: `aux` is its number, `imm` the widths of destination and sources, a byte each.
unsafe fn run(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    let conversion = warp.launch.image.conversions[op.aux as usize];
    let width = |n: u32| (op.imm >> (8 * n)) as u32 & 0xff;
    for lane in lanes_of(mask) {
        // SAFETY: the decoder chose slots of these widths.
        unsafe {
            let [a, b, c] = [(op.a, 1), (op.b, 2), (op.c, 3)].map(|(slot, n)| read(warp, slot, width(n), lane));
            let result = conversion.apply(a, b, c);
            match width(0) {
                1 => *warp.slot::<u8>(op.d).add(lane) = result as u8,
                2 => *warp.slot::<u16>(op.d).add(lane) = result as u16,
                4 => *warp.slot::<u32>(op.d).add(lane) = result as u32,
                _ => *warp.slot::<u64>(op.d).add(lane) = result,
            }
        }
    }
    Flow::Next
}

/// # Safety
/// The slot must hold lanes of that width; a width of 0 reads nothing.
unsafe fn read(warp: &Warp<'_>, slot: u32, width: u32, lane: usize) -> u64 {
    // SAFETY: by contract.
    unsafe {
        match width {
            0 => 0,
            1 => (*warp.slot::<u8>(slot).add(lane)).into(),
            2 => (*warp.slot::<u16>(slot).add(lane)).into(),
            4 => (*warp.slot::<u32>(slot).add(lane)).into(),
            _ => *warp.slot::<u64>(slot).add(lane),
        }
    }
}

/// Slot and width of a source that may be wider than its type.
fn source(cx: &mut Lowering<'_>, operand: &Operand, ty: ScalarType) -> Option<(u32, u32)> {
    match operand {
        Operand::Register(id) => {
            let own = cx.register_type(*id)?;
            (own != ScalarType::Pred && own.bytes() >= ty.bytes() && own.bytes() <= 8)
                .then(|| Some((cx.register(*id)?, own.bytes())))?
        }
        Operand::Special(name) => cx.special(name),
        _ => Some((cx.src(operand, ty)?, ty.bytes())),
    }
}

fn destination(cx: &mut Lowering<'_>, operand: &Operand, least: u32) -> Option<(u32, u32)> {
    match operand {
        Operand::Register(id) => {
            let own = cx.register_type(*id)?;
            (own != ScalarType::Pred && own.bytes() >= least && own.bytes() <= 8)
                .then(|| Some((cx.register(*id)?, own.bytes())))?
        }
        _ => Some((cx.dst(operand, least)?, least)),
    }
}

pub(super) fn decode(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    let conversion = describe(i, m)?;
    let (d, sources) = i.operands.split_first()?;
    let (to, from) = widths(&conversion);
    let (d, d_width) = destination(cx, d, to)?;
    let mut slots = [(0, 0); 3];
    let source_type = match from {
        1 => ScalarType::B8,
        2 => ScalarType::B16,
        4 => ScalarType::B32,
        _ => ScalarType::B64,
    };
    for (n, operand) in sources.iter().enumerate() {
        *slots.get_mut(n)? = source(cx, operand, source_type)?;
    }
    if sources.is_empty() || sources.len() != arity(&conversion) {
        return None;
    }
    let [(a, a_width), (b, b_width), (c, c_width)] = slots;
    if let Some(run) = everyday(cx, &conversion, d_width, a_width) {
        return Some(op(run, d, &[a]));
    }
    let imm = i64::from(d_width | a_width << 8 | b_width << 16 | c_width << 24);
    let aux = cx.parts.conversions.len() as u32;
    cx.parts.conversions.push(conversion);
    Some(Op { imm, aux, ..op(run, d, &[a, b, c]) })
}

fn arity(conversion: &Conversion) -> usize {
    match conversion {
        Conversion::PackHalves { .. } | Conversion::PackBytes { .. } => 2,
        Conversion::Pack { with_third, .. } => 2 + usize::from(*with_third),
        _ => 1,
    }
}

/// Bytes of the destination and the sources.
fn widths(conversion: &Conversion) -> (u32, u32) {
    let float = |ty: FloatType| match ty {
        FloatType::F16 | FloatType::Bf16 => 2,
        FloatType::Tf32 | FloatType::F32 => 4,
        FloatType::F64 => 8,
    };
    match *conversion {
        Conversion::IntToInt { from, to, .. } => (to.bits / 8, from.bits / 8),
        Conversion::IntToFloat { from, to, .. } => (float(to), from.bits / 8),
        Conversion::FloatToInt { from, to, .. } => (to.bits / 8, float(from)),
        Conversion::FloatToFloat { from, to, .. } => (float(to), float(from)),
        Conversion::PackHalves { .. } | Conversion::Pack { .. } => (4, 4),
        Conversion::PackBytes { .. } | Conversion::HalvesToBytes { .. } => (2, 4),
        Conversion::BytesToHalves { .. } => (4, 2),
    }
}

fn int_type(word: &str) -> Option<IntType> {
    // Untyped words convert as unsigned ones.
    IntType::parse(word).or_else(|| IntType::parse(&word.replace('b', "u")))
}

/// Reads the modifiers: `cvt{.rounding}{.ftz}{.sat}.to.from`.
fn describe(i: &Instruction, m: &Modifiers<'_>) -> Option<Conversion> {
    let words = m.words();
    if m.has("pack") {
        let small = |word: &str| {
            let (signed, bits) = (word.starts_with('s'), word.get(1..)?.parse().ok()?);
            matches!(word, "u16" | "s16" | "u8" | "s8" | "u4" | "s4" | "u2" | "s2").then_some(IntType { bits, signed })
        };
        let to = words.iter().find_map(|w| small(w))?;
        return Some(Conversion::Pack { to, with_third: i.operands.len() == 4 });
    }
    let from = &**words.last()?;
    let to = &**words.get(words.len().checked_sub(2)?)?;
    if m.has("rs") {
        return None; // rounds by random bits
    }
    let (ftz, sat, relu, satfinite) = (m.ftz(), m.sat(), m.has("relu"), m.has("satfinite"));
    let integral = words.iter().find_map(|w| Rounding::parse_integral(w));
    let rounding = words.iter().find_map(|w| Rounding::parse(w)).or(integral);
    let how = FloatCvt {
        rounding: rounding.unwrap_or(Rounding::NearestEven),
        integral: integral.is_some(),
        ftz,
        sat,
        relu,
        satfinite,
    };
    let bytes = |word: &str| word.strip_suffix("x2").and_then(Fp8::parse);
    Some(match (to, from) {
        ("f16x2", "f32") => Conversion::PackHalves { to: FloatType::F16, how },
        ("bf16x2", "f32") => Conversion::PackHalves { to: FloatType::Bf16, how },
        (to, "f32") if bytes(to).is_some() => Conversion::PackBytes { to: bytes(to)?, relu },
        (to, "f16x2") if bytes(to).is_some() => Conversion::HalvesToBytes { to: bytes(to)?, relu },
        ("f16x2", from) if bytes(from).is_some() => Conversion::BytesToHalves { from: bytes(from)?, relu },
        _ => match (FloatType::parse(to), FloatType::parse(from)) {
            (Some(to), Some(from)) => Conversion::FloatToFloat { from, to, how },
            (Some(to), None) => Conversion::IntToFloat { from: int_type(from)?, to, rounding: how.rounding, sat },
            (None, Some(from)) => {
                let rounding = rounding.unwrap_or(Rounding::TowardZero);
                Conversion::FloatToInt { from, to: int_type(to)?, rounding, ftz }
            }
            (None, None) => Conversion::IntToInt { from: int_type(from)?, to: int_type(to)?, sat },
        },
    })
}

/// A handler for a common conversion between registers of these widths.
fn everyday(cx: &Lowering<'_>, conversion: &Conversion, d_width: u32, a_width: u32) -> Option<Handler> {
    let level = cx.level;
    let plain = FloatCvt::default();
    Some(match *conversion {
        Conversion::IntToInt { from, to, sat: false } => {
            let narrow = if to.bits <= from.bits { to } else { from };
            match (a_width, d_width, narrow.bits, narrow.signed) {
                (4, 8, 32, false) => unary(level, |a: u32| u64::from(a)),
                (4, 8, 32, true) => unary(level, |a: i32| i64::from(a)),
                (8, 4, 32, _) => unary(level, |a: u64| a as u32),
                (4, 4, 8, false) => unary(level, |a: u32| a & 0xff),
                (4, 4, 8, true) => unary(level, |a: u32| i32::from(a as i8)),
                (4, 4, 16, false) => unary(level, |a: u32| a & 0xffff),
                (4, 4, 16, true) => unary(level, |a: u32| i32::from(a as i16)),
                (2, 4, 8, false) => unary(level, |a: u16| u32::from(a & 0xff)),
                (2, 4, 8, true) => unary(level, |a: u16| i32::from(a as i8)),
                (2, 4, 16, false) => unary(level, |a: u16| u32::from(a)),
                (2, 4, 16, true) => unary(level, |a: i16| i32::from(a)),
                (4, 2, 16, _) => unary(level, |a: u32| a as u16),
                _ => return None,
            }
        }
        Conversion::IntToFloat { from, to: FloatType::F32, rounding: Rounding::NearestEven, sat: false } => {
            match (a_width, from.bits, from.signed) {
                (4, 32, false) => unary(level, |a: u32| a as f32),
                (4, 32, true) => unary(level, |a: i32| a as f32),
                (8, 64, false) => unary(level, |a: u64| a as f32),
                (8, 64, true) => unary(level, |a: i64| a as f32),
                _ => return None,
            }
        }
        Conversion::IntToFloat { from, to: FloatType::F64, rounding: Rounding::NearestEven, sat: false } => {
            match (a_width, from.bits, from.signed) {
                (4, 32, false) => unary(level, |a: u32| f64::from(a)),
                (4, 32, true) => unary(level, |a: i32| f64::from(a)),
                (8, 64, false) => unary(level, |a: u64| a as f64),
                (8, 64, true) => unary(level, |a: i64| a as f64),
                _ => return None,
            }
        }
        Conversion::FloatToInt { from: FloatType::F32, to, rounding: Rounding::TowardZero, ftz: _ }
            if d_width == 4 && to.bits == 32 =>
        {
            // Truncation gives 0 for subnormals with or without flushing, and Rust's casts saturate as the ISA does.
            if to.signed { unary(level, |a: f32| a as i32) } else { unary(level, |a: f32| a as u32) }
        }
        Conversion::FloatToFloat { from, to, how } if how == plain => match (from, to) {
            (FloatType::F32, FloatType::F64) => unary(level, convert_float::f32_to_f64),
            (FloatType::F64, FloatType::F32) if d_width == 4 => unary(level, convert_float::f64_to_f32),
            (FloatType::F16, FloatType::F32) if a_width == 2 => occasional_unary(level, convert_float::f16_to_f32),
            _ => return None,
        },
        _ => return None,
    })
}
