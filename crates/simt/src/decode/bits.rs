//! Logic, shifts and bit fields.

use warpwise_ptx::ast::{Instruction, Operand, ScalarType};

use super::arithmetic::pure;
use super::lowering::{Lowering, op};
use super::modifiers::Modifiers;
use crate::lanes::pure::{
    binary, occasional_quaternary, occasional_ternary, occasional_unary, predicates, rare_binary, rare_ternary,
    rare_unary, ternary, unary,
};
use crate::lanes::{Handler, Op};

/// Evaluates an expression with `$T` as the unsigned Rust type of a width in bytes.
macro_rules! with_width {
    ($bytes:expr, $T:ident => $e:expr) => {
        match $bytes {
            2 => {
                type $T = u16;
                Some($e)
            }
            4 => {
                type $T = u32;
                Some($e)
            }
            8 => {
                type $T = u64;
                Some($e)
            }
            _ => None,
        }
    };
}
pub(super) use with_width;

pub(super) fn decode(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    let ty = m.ty()?;
    if ty == ScalarType::Pred {
        return logic_on_predicates(cx, i);
    }
    let level = cx.level;
    let width = ty.bytes();
    let run = match &*i.opcode {
        "and" => with_width!(width, T => binary(level, |a: T, b: T| a & b))?,
        "or" => with_width!(width, T => binary(level, |a: T, b: T| a | b))?,
        "xor" => with_width!(width, T => binary(level, |a: T, b: T| a ^ b))?,
        "not" => with_width!(width, T => unary(level, |a: T| !a))?,
        "cnot" => with_width!(width, T => rare_unary(|a: T| T::from(a == 0)))?,
        "shl" | "shr" => return shift(cx, i, ty),
        "shf" => return funnel(cx, i, m),
        "lop3" => return lop3(cx, i, m),
        "prmt" => return permute(cx, i, m),
        "popc" => return to_u32(cx, i, ty, with_width!(width, T => occasional_unary(level, |a: T| a.count_ones()))?),
        "clz" => return to_u32(cx, i, ty, with_width!(width, T => occasional_unary(level, |a: T| a.leading_zeros()))?),
        "bfind" => return to_u32(cx, i, ty, find(ty, m.has("shiftamt"))?),
        "brev" => with_width!(width, T => occasional_unary(level, |a: T| a.reverse_bits()))?,
        "fns" => rare_ternary(|mask: u32, base: u32, offset: i32| find_nth_set(mask, base, offset)),
        "bfe" => return extract(cx, i, ty),
        "bfi" => return insert(cx, i, ty),
        "bmsk" if m.has("wrap") => rare_binary(|a: u32, b: u32| bit_mask(a & 31, b & 31)),
        "bmsk" => rare_binary(bit_mask),
        "szext" => sign_zero_extend(ty, m.has("wrap"))?,
        _ => return None,
    };
    pure(cx, i, run, ty, ty)
}

fn logic_on_predicates(cx: &mut Lowering<'_>, i: &Instruction) -> Option<Op> {
    let (d, sources) = i.operands.split_first()?;
    let d = cx.pred_dst(d)?;
    let mut slots = Vec::new();
    let mut aux = 0;
    for (n, source) in sources.iter().enumerate() {
        let (slot, negated) = cx.pred(source)?;
        slots.push(slot);
        aux |= u32::from(negated) << n;
    }
    let run = match (&*i.opcode, slots.len()) {
        ("and", 2) => predicates(|a, b| a & b),
        ("or", 2) => predicates(|a, b| a | b),
        ("xor", 2) => predicates(|a, b| a ^ b),
        ("not", 1) => predicates(|a, _| !a),
        _ => return None,
    };
    Some(Op { aux, ..op(run, d, &slots) })
}

fn to_u32(cx: &mut Lowering<'_>, i: &Instruction, from: ScalarType, run: Handler) -> Option<Op> {
    pure(cx, i, run, ScalarType::U32, from)
}

/// Shift counts are 32-bit and clamp at the width.
fn shift(cx: &mut Lowering<'_>, i: &Instruction, ty: ScalarType) -> Option<Op> {
    let [d, a, b] = &i.operands[..] else { return None };
    let level = cx.level;
    let run = match (&*i.opcode, ty) {
        ("shl", _) => with_width!(ty.bytes(), T => {
            binary(level, |a: T, b: u32| if b >= T::BITS { 0 } else { a << b })
        })?,
        (_, ScalarType::S16) => binary(level, |a: i16, b: u32| a >> b.min(15)),
        (_, ScalarType::S32) => binary(level, |a: i32, b: u32| a >> b.min(31)),
        (_, ScalarType::S64) => binary(level, |a: i64, b: u32| a >> b.min(63)),
        _ => with_width!(ty.bytes(), T => {
            binary(level, |a: T, b: u32| if b >= T::BITS { 0 } else { a >> b })
        })?,
    };
    let (a, b) = (cx.src(a, ty)?, cx.src(b, ScalarType::U32)?);
    let d = cx.dst(d, ty.bytes())?;
    Some(op(run, d, &[a, b]))
}

/// `shf`: shifts the 64-bit value `b:a`.
fn funnel(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    let level = cx.level;
    let run = match (m.has("l"), m.has("clamp")) {
        (true, false) => ternary(level, |a: u32, b: u32, c: u32| funnel_left(a, b, c & 31)),
        (true, true) => ternary(level, |a: u32, b: u32, c: u32| funnel_left(a, b, c.min(32))),
        (false, false) => ternary(level, |a: u32, b: u32, c: u32| funnel_right(a, b, c & 31)),
        (false, true) => ternary(level, |a: u32, b: u32, c: u32| funnel_right(a, b, c.min(32))),
    };
    pure(cx, i, run, ScalarType::B32, ScalarType::B32)
}

#[inline(always)]
fn funnel_left(a: u32, b: u32, n: u32) -> u32 {
    (((u64::from(b) << 32 | u64::from(a)) << n) >> 32) as u32
}

#[inline(always)]
fn funnel_right(a: u32, b: u32, n: u32) -> u32 {
    ((u64::from(b) << 32 | u64::from(a)) >> n) as u32
}

/// `lop3.b32 d, a, b, c, table`, or with a predicate: `lop3.or.b32 d|p, a, b, c, table, q`.
fn lop3(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    let [d, a, b, c, Operand::Integer(table), rest @ ..] = &i.operands[..] else { return None };
    let (a, b, c) = (cx.src(a, ScalarType::B32)?, cx.src(b, ScalarType::B32)?, cx.src(c, ScalarType::B32)?);
    let look_up = |a: u32, b: u32, c: u32, table: i64| look_up(a, b, c, table as u32);
    let run = occasional_quaternary(cx.level, look_up);
    let imm = (*table & 0xff) as i64;
    match (d, rest) {
        (Operand::Pair(d, p), [q]) => {
            let (d, p) = (cx.dst(d, 4)?, cx.pred_dst(p)?);
            let (q, negated) = cx.pred(q)?;
            let or = i64::from(m.has("or"));
            let aux = cx.slot_list(&[p, q]);
            let imm = imm | or << 8 | i64::from(negated) << 9;
            Some(Op { imm, aux, ..op(lop3_predicate, d, &[a, b, c]) })
        }
        _ => {
            let d = cx.dst(d, 4)?;
            Some(Op { imm, ..op(run, d, &[a, b, c]) })
        }
    }
}

/// Any function of three bits, given by its truth table.
#[inline(always)]
fn look_up(a: u32, b: u32, c: u32, table: u32) -> u32 {
    let mut result = 0;
    for n in 0..8 {
        let term =
            (if n & 4 != 0 { a } else { !a }) & (if n & 2 != 0 { b } else { !b }) & (if n & 1 != 0 { c } else { !c });
        result |= if table >> n & 1 == 1 { term } else { 0 };
    }
    result
}

unsafe fn lop3_predicate(warp: &mut crate::warp::Warp<'_>, op: &Op, mask: u32) -> crate::lanes::Flow {
    let slots = &warp.launch.image.slots[op.aux as usize..][..2];
    // SAFETY: the decoder chose 32-bit slots and predicates.
    unsafe {
        let q = warp.pred(slots[1]) ^ if op.imm & 512 != 0 { u32::MAX } else { 0 };
        let mut bits = 0;
        for lane in crate::lanes::lanes_of(mask) {
            let value = |slot| *warp.slot::<u32>(slot).add(lane);
            let result = look_up(value(op.a), value(op.b), value(op.c), op.imm as u32 & 0xff);
            *warp.slot::<u32>(op.d).add(lane) = result;
            bits |= u32::from(result != 0) << lane;
        }
        warp.put_pred(slots[0], mask, if op.imm & 256 != 0 { bits | q } else { bits & q });
    }
    crate::lanes::Flow::Next
}

fn permute(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    let run = match m.one_of(&["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"]) {
        None => occasional_ternary(cx.level, |a: u32, b: u32, c: u32| {
            (0..4).fold(0, |d, n| d | selected_byte(a, b, c >> (4 * n)) << (8 * n))
        }),
        Some("f4e") => rare_ternary(|a: u32, b: u32, c: u32| (pair(a, b) >> (8 * (c & 3))) as u32),
        Some("b4e") => rare_ternary(|a: u32, b: u32, c: u32| {
            let byte = |n: u32| (pair(a, b) >> (8 * (n & 7)) & 0xff) as u32;
            let c = c & 3;
            (0..4).fold(0, |d, n| d | byte(c.wrapping_sub(n)) << (8 * n))
        }),
        Some("rc8") => rare_ternary(|a: u32, _: u32, c: u32| (a >> (8 * (c & 3)) & 0xff) * 0x0101_0101),
        Some("ecl") => rare_ternary(|a: u32, _: u32, c: u32| {
            (0..4).fold(0, |d, n| d | (a >> (8 * n.max(c & 3)) & 0xff) << (8 * n))
        }),
        Some("ecr") => rare_ternary(|a: u32, _: u32, c: u32| {
            (0..4).fold(0, |d, n| d | (a >> (8 * n.min(c & 3)) & 0xff) << (8 * n))
        }),
        _ => rare_ternary(|a: u32, _: u32, c: u32| (a >> (16 * (c & 1)) & 0xffff) * 0x0001_0001),
    };
    pure(cx, i, run, ScalarType::B32, ScalarType::B32)
}

fn pair(a: u32, b: u32) -> u64 {
    u64::from(b) << 32 | u64::from(a)
}

/// A byte of `b:a` by a selector whose high bit asks for its sign instead.
fn selected_byte(a: u32, b: u32, selector: u32) -> u32 {
    let byte = (pair(a, b) >> (8 * (selector & 7)) & 0xff) as u32;
    if selector & 8 == 0 {
        byte
    } else if byte & 0x80 != 0 {
        0xff
    } else {
        0
    }
}

/// `bfind`: the position of the highest bit that is not a copy of the sign.
fn find(ty: ScalarType, shift: bool) -> Option<Handler> {
    Some(match (ty, shift) {
        (ScalarType::U32, false) => rare_unary(|a: u32| 31u32.wrapping_sub(a.leading_zeros())),
        (ScalarType::U32, true) => rare_unary(|a: u32| if a == 0 { !0 } else { a.leading_zeros() }),
        (ScalarType::S32, false) => rare_unary(|a: i32| 31u32.wrapping_sub((a ^ a >> 31).leading_zeros())),
        (ScalarType::S32, true) => {
            rare_unary(|a: i32| if a ^ a >> 31 == 0 { !0 } else { (a ^ a >> 31).leading_zeros() })
        }
        (ScalarType::U64, false) => rare_unary(|a: u64| 63u32.wrapping_sub(a.leading_zeros())),
        (ScalarType::U64, true) => rare_unary(|a: u64| if a == 0 { !0 } else { a.leading_zeros() }),
        (ScalarType::S64, false) => rare_unary(|a: i64| 63u32.wrapping_sub((a ^ a >> 63).leading_zeros())),
        (ScalarType::S64, true) => {
            rare_unary(|a: i64| if a ^ a >> 63 == 0 { !0u32 } else { (a ^ a >> 63).leading_zeros() })
        }
        _ => return None,
    })
}

/// `fns`: the n-th set bit from a base, up or down.
fn find_nth_set(mask: u32, base: u32, offset: i32) -> u32 {
    if base > 31 {
        return !0;
    }
    let set = |n: i64| (0..32).contains(&n) && mask >> n & 1 == 1;
    let (step, mut left) = match offset {
        0 => return if set(base.into()) { base } else { !0 },
        n if n > 0 => (1, i64::from(n)),
        n => (-1, -i64::from(n)),
    };
    let mut at = i64::from(base);
    while (0..32).contains(&at) {
        if set(at) {
            left -= 1;
            if left == 0 {
                return at as u32;
            }
        }
        at += step;
    }
    !0
}

fn extract(cx: &mut Lowering<'_>, i: &Instruction, ty: ScalarType) -> Option<Op> {
    let [d, a, b, c] = &i.operands[..] else { return None };
    let level = cx.level;
    let run = match ty {
        ScalarType::U32 => occasional_ternary(level, |a: u32, p: u32, n: u32| field(a.into(), p, n, 32, false) as u32),
        ScalarType::S32 => occasional_ternary(level, |a: u32, p: u32, n: u32| field(a.into(), p, n, 32, true) as u32),
        ScalarType::U64 => occasional_ternary(level, |a: u64, p: u32, n: u32| field(a, p, n, 64, false)),
        ScalarType::S64 => occasional_ternary(level, |a: u64, p: u32, n: u32| field(a, p, n, 64, true)),
        _ => return None,
    };
    let (a, b, c) = (cx.src(a, ty)?, cx.src(b, ScalarType::U32)?, cx.src(c, ScalarType::U32)?);
    let d = cx.dst(d, ty.bytes())?;
    Some(op(run, d, &[a, b, c]))
}

/// Position and length of a bit field are taken modulo 256; but the position of 64-bit instructions clamps.
fn field_bounds(position: u32, length: u32, width: u32) -> (u32, u32) {
    let position = if width == 32 { position & 0xff } else { position.min(0xff) };
    (position, length & 0xff)
}

/// `bfe`: bits past the top are copies of the sign, or zeros.
fn field(a: u64, position: u32, length: u32, width: u32, signed: bool) -> u64 {
    let (position, length) = field_bounds(position, length, width);
    let bit = |n: u32| a >> n & 1;
    let top = (position + length).wrapping_sub(1).min(width - 1);
    let sign = if signed && length > 0 { bit(top) } else { 0 };
    let value = if position >= width { 0 } else { a >> position };
    let taken = length.min(width.saturating_sub(position));
    let keep = if taken >= 64 { !0 } else { (1 << taken) - 1 };
    value & keep | if sign == 1 { !keep } else { 0 }
}

fn insert(cx: &mut Lowering<'_>, i: &Instruction, ty: ScalarType) -> Option<Op> {
    let [d, a, b, c, n] = &i.operands[..] else { return None };
    let (a, b) = (cx.src(a, ty)?, cx.src(b, ty)?);
    let (position, length) = (cx.src(c, ScalarType::U32)?, cx.src(n, ScalarType::U32)?);
    let d = cx.dst(d, ty.bytes())?;
    let run: Handler = match ty.bytes() {
        4 => insert_bits::<u32>,
        8 => insert_bits::<u64>,
        _ => return None,
    };
    Some(Op { aux: length, ..op(run, d, &[a, b, position]) })
}

/// `bfi`: puts the low bits of `a` into `b`; five operands are one more than the pure handlers take.
unsafe fn insert_bits<T>(warp: &mut crate::warp::Warp<'_>, op: &Op, mask: u32) -> crate::lanes::Flow
where
    T: crate::lanes::Lane + Into<u64> + TryFrom<u64>,
{
    let width = size_of::<T>() as u32 * 8;
    for lane in crate::lanes::lanes_of(mask) {
        // SAFETY: the decoder chose slots of these types.
        unsafe {
            let a: u64 = (*warp.slot::<T>(op.a).add(lane)).into();
            let b: u64 = (*warp.slot::<T>(op.b).add(lane)).into();
            let (position, length) =
                field_bounds(*warp.slot::<u32>(op.c).add(lane), *warp.slot::<u32>(op.aux).add(lane), width);
            let taken = length.min(width.saturating_sub(position));
            let ones = if taken >= 64 { !0 } else { (1u64 << taken) - 1 };
            let keep = if position >= 64 { 0 } else { ones << position };
            let value = b & !keep | if position >= 64 { 0 } else { a << position & keep };
            let value = if width == 32 { value & 0xffff_ffff } else { value };
            if let Ok(value) = T::try_from(value) {
                *warp.slot::<T>(op.d).add(lane) = value;
            }
        }
    }
    crate::lanes::Flow::Next
}

/// `bmsk.clamp`: ones from a position on.
fn bit_mask(position: u32, length: u32) -> u32 {
    let ones = if length >= 32 { !0 } else { (1 << length) - 1 };
    if position >= 32 { 0 } else { ones << position }
}

fn sign_zero_extend(ty: ScalarType, wrap: bool) -> Option<Handler> {
    Some(match (ty.is_signed(), wrap) {
        (false, false) => rare_binary(|a: u32, n: u32| if n >= 32 { a } else { a & bit_mask(0, n) }),
        (false, true) => rare_binary(|a: u32, n: u32| a & bit_mask(0, n & 31)),
        (true, false) => rare_binary(sign_extend),
        (true, true) => rare_binary(|a: u32, n: u32| sign_extend(a, n & 31)),
    })
}

fn sign_extend(a: u32, bits: u32) -> u32 {
    match bits {
        0 => 0,
        32.. => a,
        n => (((a << (32 - n)) as i32) >> (32 - n)) as u32,
    }
}
