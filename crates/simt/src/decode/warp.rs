//! Warp-wide operations.

use warpwise_ptx::ast::{Instruction, Operand, ScalarType};

use super::lowering::{Lowering, op};
use super::modifiers::Modifiers;
use crate::float::{MinMax, minmax};
use crate::lanes::collective::{active_mask, elect, matching, redux, shuffle, vote};
use crate::lanes::{Handler, Op};

pub(super) fn decode(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    let sync = m.has("sync");
    match &*i.opcode {
        "shfl" => {
            let (d, a, b, c, mask) = match &i.operands[..] {
                [d, a, b, c, mask] if sync => (d, a, b, c, Some(mask)),
                [d, a, b, c] if !sync => (d, a, b, c, None),
                _ => return None,
            };
            let mode = match m.one_of(&["up", "down", "bfly", "idx"])? {
                "up" => 0,
                "down" => 1,
                "bfly" => 2,
                _ => 3,
            };
            let (d, p) = match d {
                Operand::Pair(d, p) => (cx.dst(d, 4)?, cx.pred_dst(p)?),
                _ => (cx.dst(d, 4)?, 0),
            };
            let [a, b, c] = [a, b, c].map(|o| cx.src(o, ScalarType::B32));
            let aux = member_mask(cx, mask)?;
            Some(Op { aux, imm: mode | i64::from(p) << 8, ..op(shuffle, d, &[a?, b?, c?]) })
        }
        "vote" => {
            let (d, a, mask) = match &i.operands[..] {
                [d, a, mask] if sync => (d, a, Some(mask)),
                [d, a] if !sync => (d, a, None),
                _ => return None,
            };
            let kind = match m.one_of(&["all", "any", "uni", "ballot"])? {
                "all" => 0,
                "any" => 1,
                "uni" => 2,
                _ => 3,
            };
            let (a, negated) = cx.pred(a)?;
            let d = if kind == 3 { cx.dst(d, 4)? } else { cx.pred_dst(d)? };
            let aux = member_mask(cx, mask)?;
            Some(Op { aux, imm: kind, ..op(vote, d, &[a, 0, u32::from(negated)]) })
        }
        "match" => {
            let [d, a, mask] = &i.operands[..] else { return None };
            let ty = m.ty()?;
            let run: Handler = match ty.bytes() {
                4 => matching::<u32>(),
                8 => matching::<u64>(),
                _ => return None,
            };
            let a = cx.src(a, ty)?;
            let (d, imm) = match d {
                Operand::Pair(d, p) => (cx.dst(d, 4)?, i64::from(cx.pred_dst(p)?) + 1),
                _ => (cx.dst(d, 4)?, i64::from(m.has("all"))),
            };
            let aux = member_mask(cx, Some(mask))?;
            Some(Op { aux, imm, ..op(run, d, &[a]) })
        }
        "redux" => {
            let [d, a, mask] = &i.operands[..] else { return None };
            let ty = m.ty()?;
            let run = reduction(m, ty)?;
            let (a, d) = (cx.src(a, ty)?, cx.dst(d, 4)?);
            let aux = member_mask(cx, Some(mask))?;
            Some(Op { aux, ..op(run, d, &[a]) })
        }
        "activemask" => {
            let d = cx.dst(i.operands.first()?, 4)?;
            Some(op(active_mask, d, &[]))
        }
        "elect" => {
            let [Operand::Pair(d, p), mask] = &i.operands[..] else { return None };
            let (d, p) = (cx.dst(d, 4)?, cx.pred_dst(p)?);
            let aux = member_mask(cx, Some(mask))?;
            Some(Op { aux, imm: p.into(), ..op(elect, d, &[]) })
        }
        _ => None,
    }
}

/// The slot of a member mask; 0 for the forms without one.
fn member_mask(cx: &mut Lowering<'_>, mask: Option<&Operand>) -> Option<u32> {
    match mask {
        Some(mask) => cx.src(mask, ScalarType::B32),
        None => Some(0),
    }
}

fn reduction(m: &Modifiers<'_>, ty: ScalarType) -> Option<Handler> {
    let word = m.one_of(&["add", "min", "max", "and", "or", "xor"])?;
    Some(match (word, ty) {
        ("add", ScalarType::U32 | ScalarType::S32) => redux(|a: u32, b: u32| a.wrapping_add(b)),
        ("min", ScalarType::U32) => redux(|a: u32, b: u32| a.min(b)),
        ("max", ScalarType::U32) => redux(|a: u32, b: u32| a.max(b)),
        ("min", ScalarType::S32) => redux(|a: i32, b: i32| a.min(b)),
        ("max", ScalarType::S32) => redux(|a: i32, b: i32| a.max(b)),
        ("and", ScalarType::B32) => redux(|a: u32, b: u32| a & b),
        ("or", ScalarType::B32) => redux(|a: u32, b: u32| a | b),
        ("xor", ScalarType::B32) => redux(|a: u32, b: u32| a ^ b),
        ("min", ScalarType::F32) if m.has("NaN") => redux(|a: f32, b: f32| minmax::minimum_f32(a, b, NAN)),
        ("max", ScalarType::F32) if m.has("NaN") => redux(|a: f32, b: f32| minmax::maximum_f32(a, b, NAN)),
        ("min", ScalarType::F32) => redux(minmax::min_f32),
        ("max", ScalarType::F32) => redux(minmax::max_f32),
        _ => return None,
    })
}

const NAN: MinMax = MinMax { ftz: false, nan: true, xorsign_abs: false, abs: false };
