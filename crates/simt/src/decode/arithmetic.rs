//! Integer arithmetic; floating-point types are passed on to their own files.

use warpwise_ptx::ast::{Instruction, ScalarType};

use super::lowering::{Lowering, op};
use super::modifiers::Modifiers;
use super::{float, half};
use crate::lanes::pure::{binary, occasional_binary, occasional_quaternary, rare_binary, rare_ternary, ternary, unary};
use crate::lanes::{Handler, Level, Op};

/// Evaluates an expression with `$T` as the Rust type of an integer type of the ISA.
macro_rules! with_int {
    ($ty:expr, $T:ident => $e:expr) => {
        match $ty {
            ScalarType::U16 | ScalarType::B16 => {
                type $T = u16;
                Some($e)
            }
            ScalarType::S16 => {
                type $T = i16;
                Some($e)
            }
            ScalarType::U32 | ScalarType::B32 => {
                type $T = u32;
                Some($e)
            }
            ScalarType::S32 => {
                type $T = i32;
                Some($e)
            }
            ScalarType::U64 | ScalarType::B64 => {
                type $T = u64;
                Some($e)
            }
            ScalarType::S64 => {
                type $T = i64;
                Some($e)
            }
            _ => None,
        }
    };
}
pub(super) use with_int;

pub(super) fn decode(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    if m.has("u16x2") || m.has("s16x2") {
        return packed16(cx, i, m);
    }
    let ty = m.ty()?;
    match ty {
        ScalarType::F32 | ScalarType::F64 => return float::decode(cx, i, m, ty),
        ScalarType::F16 | ScalarType::F16x2 | ScalarType::Bf16 | ScalarType::Bf16x2 => {
            return half::decode(cx, i, m, ty);
        }
        _ => {}
    }
    match (&*i.opcode, m.has("cc")) {
        ("add" | "sub", true) | ("addc" | "subc", _) => return carry_add(cx, i, m, ty),
        ("mad", true) | ("madc", _) => return carry_mad(cx, i, m, ty),
        ("dp4a" | "dp2a", _) => return dot(cx, i, m),
        ("mul" | "mad", _) if m.has("wide") => return wide(cx, i, ty),
        _ => {}
    }
    let level = cx.level;
    let run = match &*i.opcode {
        "add" if m.sat() => saturating(ty, true)?,
        "sub" if m.sat() => saturating(ty, false)?,
        "add" => with_int!(ty, T => binary(level, |a: T, b: T| a.wrapping_add(b)))?,
        "sub" => with_int!(ty, T => binary(level, |a: T, b: T| a.wrapping_sub(b)))?,
        "mul" if m.has("hi") => high(cx.level, ty)?,
        "mul" => with_int!(ty, T => binary(level, |a: T, b: T| a.wrapping_mul(b)))?,
        "mad" if m.has("hi") && m.sat() => {
            rare_ternary(|a: i32, b: i32, c: i32| (((i64::from(a) * i64::from(b)) >> 32) as i32).saturating_add(c))
        }
        "mad" if m.has("hi") => high_add(ty)?,
        "mad" => with_int!(ty, T => ternary(level, |a: T, b: T, c: T| a.wrapping_mul(b).wrapping_add(c)))?,
        "mul24" | "mad24" => mul24(&i.opcode, ty, m.has("hi"), m.sat())?,
        "div" => with_int!(ty, T => rare_binary(|a: T, b: T| if b == 0 { !0 } else { a.wrapping_div(b) }))?,
        "rem" => with_int!(ty, T => rare_binary(|a: T, b: T| if b == 0 { a } else { a.wrapping_rem(b) }))?,
        "min" if m.has("relu") => rare_binary(|a: i32, b: i32| a.min(b).max(0)),
        "max" if m.has("relu") => rare_binary(|a: i32, b: i32| a.max(b).max(0)),
        "min" => with_int!(ty, T => binary(level, |a: T, b: T| if a < b { a } else { b }))?,
        "max" => with_int!(ty, T => binary(level, |a: T, b: T| if a > b { a } else { b }))?,
        "abs" => absolute(level, ty)?,
        "neg" => negate(level, ty)?,
        "sad" => with_int!(ty, T => rare_ternary(|a: T, b: T, c: T| {
            c.wrapping_add(if a > b { a.wrapping_sub(b) } else { b.wrapping_sub(a) })
        }))?,
        _ => return None,
    };
    pure(cx, i, run, ty, ty)
}

/// An instruction whose sources have one type and whose destination another.
pub(super) fn pure(
    cx: &mut Lowering<'_>,
    i: &Instruction,
    run: Handler,
    to: ScalarType,
    from: ScalarType,
) -> Option<Op> {
    let (d, sources) = i.operands.split_first()?;
    let sources = sources.iter().map(|s| cx.src(s, from)).collect::<Option<Vec<_>>>()?;
    (sources.len() <= 3).then_some(())?;
    let d = cx.dst(d, to.bytes())?;
    Some(op(run, d, &sources))
}

fn saturating(ty: ScalarType, add: bool) -> Option<Handler> {
    Some(match (ty, add) {
        (ScalarType::S32, true) => rare_binary(|a: i32, b: i32| a.saturating_add(b)),
        (ScalarType::S32, false) => rare_binary(|a: i32, b: i32| a.saturating_sub(b)),
        (ScalarType::U32, true) => rare_binary(|a: u32, b: u32| a.saturating_add(b)),
        (ScalarType::U32, false) => rare_binary(|a: u32, b: u32| a.saturating_sub(b)),
        _ => return None,
    })
}

fn high(level: Level, ty: ScalarType) -> Option<Handler> {
    Some(match ty {
        ScalarType::U16 => rare_binary(|a: u16, b: u16| ((u32::from(a) * u32::from(b)) >> 16) as u16),
        ScalarType::S16 => rare_binary(|a: i16, b: i16| ((i32::from(a) * i32::from(b)) >> 16) as i16),
        ScalarType::U32 => occasional_binary(level, |a: u32, b: u32| ((u64::from(a) * u64::from(b)) >> 32) as u32),
        ScalarType::S32 => occasional_binary(level, |a: i32, b: i32| ((i64::from(a) * i64::from(b)) >> 32) as i32),
        ScalarType::U64 => rare_binary(|a: u64, b: u64| ((u128::from(a) * u128::from(b)) >> 64) as u64),
        ScalarType::S64 => rare_binary(|a: i64, b: i64| ((i128::from(a) * i128::from(b)) >> 64) as i64),
        _ => return None,
    })
}

fn high_add(ty: ScalarType) -> Option<Handler> {
    Some(match ty {
        ScalarType::U16 => {
            rare_ternary(|a: u16, b: u16, c: u16| (((u32::from(a) * u32::from(b)) >> 16) as u16).wrapping_add(c))
        }
        ScalarType::S16 => {
            rare_ternary(|a: i16, b: i16, c: i16| (((i32::from(a) * i32::from(b)) >> 16) as i16).wrapping_add(c))
        }
        ScalarType::U32 => {
            rare_ternary(|a: u32, b: u32, c: u32| (((u64::from(a) * u64::from(b)) >> 32) as u32).wrapping_add(c))
        }
        ScalarType::S32 => {
            rare_ternary(|a: i32, b: i32, c: i32| (((i64::from(a) * i64::from(b)) >> 32) as i32).wrapping_add(c))
        }
        ScalarType::U64 => {
            rare_ternary(|a: u64, b: u64, c: u64| (((u128::from(a) * u128::from(b)) >> 64) as u64).wrapping_add(c))
        }
        ScalarType::S64 => {
            rare_ternary(|a: i64, b: i64, c: i64| (((i128::from(a) * i128::from(b)) >> 64) as i64).wrapping_add(c))
        }
        _ => return None,
    })
}

/// `mul.wide` and `mad.wide`: the destination (and the addend) are twice as wide.
fn wide(cx: &mut Lowering<'_>, i: &Instruction, ty: ScalarType) -> Option<Op> {
    use ScalarType::{S16, S32, S64, U16, U32, U64};
    let level = cx.level;
    let mad = &*i.opcode == "mad";
    let (to, run) = match (ty, mad) {
        (U16, false) => (U32, binary(level, |a: u16, b: u16| u32::from(a) * u32::from(b))),
        (S16, false) => (S32, binary(level, |a: i16, b: i16| i32::from(a) * i32::from(b))),
        (U32, false) => (U64, binary(level, |a: u32, b: u32| u64::from(a) * u64::from(b))),
        (S32, false) => (S64, binary(level, |a: i32, b: i32| i64::from(a) * i64::from(b))),
        (U16, true) => (U32, ternary(level, |a: u16, b: u16, c: u32| (u32::from(a) * u32::from(b)).wrapping_add(c))),
        (S16, true) => (S32, ternary(level, |a: i16, b: i16, c: i32| (i32::from(a) * i32::from(b)).wrapping_add(c))),
        (U32, true) => (U64, ternary(level, |a: u32, b: u32, c: u64| (u64::from(a) * u64::from(b)).wrapping_add(c))),
        (S32, true) => (S64, ternary(level, |a: i32, b: i32, c: i64| (i64::from(a) * i64::from(b)).wrapping_add(c))),
        _ => return None,
    };
    let (d, sources) = i.operands.split_first()?;
    let mut slots = vec![cx.src(sources.first()?, ty)?, cx.src(sources.get(1)?, ty)?];
    if mad {
        slots.push(cx.src(sources.get(2)?, to)?);
    }
    let d = cx.dst(d, to.bytes())?;
    Some(op(run, d, &slots))
}

fn mul24(opcode: &str, ty: ScalarType, hi: bool, sat: bool) -> Option<Handler> {
    Some(match (opcode, ty, hi, sat) {
        ("mul24", ScalarType::U32, false, _) => rare_binary(|a: u32, b: u32| low24(a, b, false)),
        ("mul24", ScalarType::U32, true, _) => rare_binary(|a: u32, b: u32| high24(a, b, false)),
        ("mul24", ScalarType::S32, false, _) => rare_binary(|a: u32, b: u32| low24(a, b, true)),
        ("mul24", ScalarType::S32, true, _) => rare_binary(|a: u32, b: u32| high24(a, b, true)),
        ("mad24", ScalarType::U32, false, _) => {
            rare_ternary(|a: u32, b: u32, c: u32| low24(a, b, false).wrapping_add(c))
        }
        ("mad24", ScalarType::U32, true, _) => {
            rare_ternary(|a: u32, b: u32, c: u32| high24(a, b, false).wrapping_add(c))
        }
        ("mad24", ScalarType::S32, false, _) => {
            rare_ternary(|a: u32, b: u32, c: u32| low24(a, b, true).wrapping_add(c))
        }
        ("mad24", ScalarType::S32, true, true) => {
            rare_ternary(|a: u32, b: u32, c: u32| (high24(a, b, true) as i32).saturating_add(c as i32) as u32)
        }
        ("mad24", ScalarType::S32, true, false) => {
            rare_ternary(|a: u32, b: u32, c: u32| high24(a, b, true).wrapping_add(c))
        }
        _ => return None,
    })
}

/// The 48-bit product of the low 24 bits.
fn product24(a: u32, b: u32, signed: bool) -> i64 {
    let low = |x: u32| if signed { i64::from((x << 8) as i32 >> 8) } else { i64::from(x & 0xff_ffff) };
    low(a) * low(b)
}

fn low24(a: u32, b: u32, signed: bool) -> u32 {
    product24(a, b, signed) as u32
}

fn high24(a: u32, b: u32, signed: bool) -> u32 {
    (product24(a, b, signed) >> 16) as u32
}

fn absolute(level: Level, ty: ScalarType) -> Option<Handler> {
    Some(match ty {
        ScalarType::S16 => unary(level, |a: i16| a.wrapping_abs()),
        ScalarType::S32 => unary(level, |a: i32| a.wrapping_abs()),
        ScalarType::S64 => unary(level, |a: i64| a.wrapping_abs()),
        _ => return None,
    })
}

fn negate(level: Level, ty: ScalarType) -> Option<Handler> {
    Some(match ty {
        ScalarType::S16 => unary(level, |a: i16| a.wrapping_neg()),
        ScalarType::S32 => unary(level, |a: i32| a.wrapping_neg()),
        ScalarType::S64 => unary(level, |a: i64| a.wrapping_neg()),
        _ => return None,
    })
}

/// `add.cc`, `addc`, `sub.cc`, `subc`: the carry flag is a register of its own.
fn carry_add(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>, ty: ScalarType) -> Option<Op> {
    let (d, a, b) = match &i.operands[..] {
        [d, a, b] => (cx.dst(d, ty.bytes())?, cx.src(a, ty)?, cx.src(b, ty)?),
        _ => return None,
    };
    let subtract = i.opcode.starts_with("sub");
    let reads = i.opcode.ends_with('c');
    let flags = i64::from(subtract) | i64::from(reads) << 1 | i64::from(m.has("cc")) << 2;
    let carry = cx.carry();
    let run = match ty.bytes() {
        4 => carry::add::<u32>,
        8 => carry::add::<u64>,
        _ => return None,
    };
    Some(Op { imm: flags, aux: carry, ..op(run, d, &[a, b]) })
}

/// `mad.cc`, `madc`.
fn carry_mad(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>, ty: ScalarType) -> Option<Op> {
    let (d, a, b, c) = match &i.operands[..] {
        [d, a, b, c] => (cx.dst(d, ty.bytes())?, cx.src(a, ty)?, cx.src(b, ty)?, cx.src(c, ty)?),
        _ => return None,
    };
    let reads = &*i.opcode == "madc";
    let flags =
        i64::from(m.has("hi")) | i64::from(reads) << 1 | i64::from(m.has("cc")) << 2 | i64::from(ty.is_signed()) << 3;
    let carry = cx.carry();
    let run = match ty.bytes() {
        4 => carry::mad::<u32>,
        8 => carry::mad::<u64>,
        _ => return None,
    };
    Some(Op { imm: flags, aux: carry, ..op(run, d, &[a, b, c]) })
}

/// Arithmetic with the carry flag, lane by lane.
mod carry {
    use crate::lanes::{Flow, Lane, Op, lanes_of};
    use crate::warp::Warp;

    /// An unsigned word, seen as a wider number.
    pub(super) trait Wide: Lane {
        const BITS: u32;
        fn widen(self, signed: bool) -> i128;
        fn narrow(wide: i128) -> Self;
    }
    impl Wide for u32 {
        const BITS: u32 = 32;
        fn widen(self, signed: bool) -> i128 {
            if signed { i128::from(self as i32) } else { i128::from(self) }
        }
        fn narrow(wide: i128) -> Self {
            wide as Self
        }
    }
    impl Wide for u64 {
        const BITS: u32 = 64;
        fn widen(self, signed: bool) -> i128 {
            if signed { i128::from(self as i64) } else { i128::from(self) }
        }
        fn narrow(wide: i128) -> Self {
            wide as Self
        }
    }

    /// `imm` bit 0: subtract, bit 1: use the carry, bit 2: set it.
    pub(super) unsafe fn add<T: Wide>(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
        for lane in lanes_of(mask) {
            // SAFETY: the decoder chose slots of these types.
            unsafe {
                let subtract = op.imm & 1 != 0;
                let a = (*warp.slot::<T>(op.a).add(lane)).widen(false);
                let b = (*warp.slot::<T>(op.b).add(lane)).widen(false);
                let flag = warp.slot::<u32>(op.aux).add(lane);
                // Hardware subtracts by adding the complement and one: without a borrow, that carries.
                let carry = if op.imm & 2 != 0 { *flag & 1 } else { u32::from(subtract) };
                let b = if subtract { (1 << T::BITS) - 1 - b } else { b };
                let wide = a + b + i128::from(carry);
                *warp.slot::<T>(op.d).add(lane) = T::narrow(wide);
                if op.imm & 4 != 0 {
                    *flag = u32::from(wide >> T::BITS != 0);
                }
            }
        }
        Flow::Next
    }

    /// `imm` bit 0: high half of the product, bit 1: use the carry, bit 2: set it, bit 3: signed.
    pub(super) unsafe fn mad<T: Wide>(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
        for lane in lanes_of(mask) {
            // SAFETY: the decoder chose slots of these types.
            unsafe {
                let signed = op.imm & 8 != 0;
                let a = (*warp.slot::<T>(op.a).add(lane)).widen(signed);
                let b = (*warp.slot::<T>(op.b).add(lane)).widen(signed);
                let c = (*warp.slot::<T>(op.c).add(lane)).widen(false);
                let flag = warp.slot::<u32>(op.aux).add(lane);
                // Two unsigned 64-bit factors can overflow i128 only in the sign, which the cast repairs.
                let product = (a as u128).wrapping_mul(b as u128);
                let part = if op.imm & 1 != 0 { (product >> T::BITS) as i128 } else { product as i128 };
                let part = T::narrow(part).widen(false);
                let carry = if op.imm & 2 != 0 { i128::from(*flag & 1) } else { 0 };
                let wide = part + c + carry;
                *warp.slot::<T>(op.d).add(lane) = T::narrow(wide);
                if op.imm & 4 != 0 {
                    *flag = u32::from(wide >> T::BITS != 0);
                }
            }
        }
        Flow::Next
    }
}

/// `dp4a`, `dp2a`: types of the first two operands are the first two types.
fn dot(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    let (at, bt) = (m.type_at(0)?, m.type_at(1)?);
    let [d, a, b, c] = &i.operands[..] else { return None };
    let (a, b, c) = (cx.src(a, at)?, cx.src(b, bt)?, cx.src(c, ScalarType::B32)?);
    let d = cx.dst(d, 4)?;
    let signs = i64::from(at.is_signed()) | i64::from(bt.is_signed()) << 1;
    let run = if &*i.opcode == "dp4a" {
        occasional_quaternary(cx.level, |a: u32, b: u32, c: u32, k: i64| {
            let byte = |x: u32, n: u32, signed: bool| {
                let byte = (x >> (8 * n)) as u8;
                if signed { i32::from(byte as i8) } else { i32::from(byte) }
            };
            (0..4).fold(c, |sum, n| {
                sum.wrapping_add((byte(a, n, k & 1 != 0).wrapping_mul(byte(b, n, k & 2 != 0))) as u32)
            })
        })
    } else {
        occasional_quaternary(cx.level, |a: u32, b: u32, c: u32, k: i64| {
            let half = |x: u32, n: u32| {
                let half = (x >> (16 * n)) as u16;
                if k & 1 != 0 { i32::from(half as i16) } else { i32::from(half) }
            };
            let byte = |x: u32, n: u32| {
                let byte = (x >> (8 * n)) as u8;
                if k & 2 != 0 { i32::from(byte as i8) } else { i32::from(byte) }
            };
            let first = if k & 4 != 0 { 2 } else { 0 };
            (0..2).fold(c, |sum, n| sum.wrapping_add(half(a, n).wrapping_mul(byte(b, first + n)) as u32))
        })
    };
    let imm = signs | i64::from(m.has("hi")) << 2;
    Some(Op { imm, ..op(run, d, &[a, b, c]) })
}

/// `add`, `min`, `max` on two 16-bit integers at once.
fn packed16(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    let signed = m.has("s16x2");
    let relu = m.has("relu");
    let run = match (&*i.opcode, signed, relu) {
        ("add", ..) => rare_binary(|a: u32, b: u32| pairs(a, b, u16::wrapping_add)),
        ("min", false, _) => rare_binary(|a: u32, b: u32| pairs(a, b, u16::min)),
        ("max", false, _) => rare_binary(|a: u32, b: u32| pairs(a, b, u16::max)),
        ("min", true, false) => rare_binary(|a: u32, b: u32| pairs(a, b, |x, y| (x as i16).min(y as i16) as u16)),
        ("max", true, false) => rare_binary(|a: u32, b: u32| pairs(a, b, |x, y| (x as i16).max(y as i16) as u16)),
        ("min", true, true) => rare_binary(|a: u32, b: u32| pairs(a, b, |x, y| (x as i16).min(y as i16).max(0) as u16)),
        ("max", true, true) => rare_binary(|a: u32, b: u32| pairs(a, b, |x, y| (x as i16).max(y as i16).max(0) as u16)),
        _ => return None,
    };
    pure(cx, i, run, ScalarType::B32, ScalarType::B32)
}

fn pairs(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(f(a as u16, b as u16)) | u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
}
