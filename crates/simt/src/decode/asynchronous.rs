//! What the engines of compute capability 9.0 do beside the threads: `mbarrier`, `cp.async.bulk`, `wgmma`.

use warpwise_ptx::ast::{Instruction, Operand, ScalarType};

use super::lowering::{Lowering, nothing, op};
use super::modifiers::Modifiers;
use crate::image::{MatrixOp, Wgmma};
use crate::lanes::Op;
use crate::lanes::collective::sync_warp;
use crate::lanes::matrix::matrix;
use crate::lanes::mbarrier::{self, Verb, WIDE};
use crate::mma::{Element, Shape};

/// The verb of an `mbarrier` instruction.
pub(super) fn verb(m: &Modifiers<'_>) -> Option<Verb> {
    Some(match m.word(0)? {
        "init" => Verb::Init,
        "inval" => Verb::Invalidate,
        "expect_tx" => Verb::Expect,
        "complete_tx" => Verb::Complete,
        "arrive" if m.has("expect_tx") => Verb::ArriveExpect,
        "arrive" => Verb::Arrive,
        "arrive_drop" if !m.has("expect_tx") => Verb::ArriveDrop,
        "test_wait" | "try_wait" if m.has("parity") => Verb::TestParity,
        "test_wait" | "try_wait" => Verb::Test,
        _ => return None,
    })
}

/// Which operand of an `mbarrier` instruction is the address: a result comes before it.
pub(super) fn address_at(verb: Verb) -> usize {
    match verb {
        Verb::Init | Verb::Invalidate | Verb::Expect | Verb::Complete => 0,
        Verb::Arrive | Verb::ArriveExpect | Verb::ArriveDrop | Verb::Test | Verb::TestParity => 1,
    }
}

pub(super) fn decode(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    match &*i.opcode {
        "mbarrier" => object(cx, i, m),
        "cp" if m.has("mbarrier") => copies_arrive(cx, i, m),
        "cp" => bulk(cx, i, m),
        "wgmma" => warpgroup(cx, i, m),
        _ => None,
    }
}

fn object(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    let verb = verb(m)?;
    let at = address_at(verb);
    let (a, width, imm) = cx.address(i.operands.get(at)?)?.register()?;
    let d = match (at, i.operands.first()?) {
        (0, _) | (_, Operand::Sink) if !verb.asks() => 0,
        (_, given) if verb.asks() => cx.pred_dst(given)?,
        (_, given) => cx.dst(given, 8)?,
    };
    let b = match (i.operands.get(at + 1), verb) {
        (Some(state), Verb::Test) => cx.src(state, ScalarType::B64)?,
        (Some(amount), _) => cx.src(amount, ScalarType::U32)?,
        (None, Verb::Arrive | Verb::ArriveDrop | Verb::Invalidate) => cx.number(1, 4),
        (None, _) => return None,
    };
    let c = if width == 8 { WIDE } else { 0 };
    Some(Op { imm, aux: verb as u32, ..op(mbarrier::mbarrier, d, &[a, b, c]) })
}

/// `cp.async.mbarrier.arrive`.
fn copies_arrive(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    let (a, width, imm) = cx.address(i.operands.first()?)?.register()?;
    let b = cx.number(u64::from(m.has("noinc")), 4);
    let c = if width == 8 { WIDE } else { 0 };
    Some(Op { imm, aux: Verb::Arrive as u32, ..op(mbarrier::copies_arrive, 0, &[a, b, c]) })
}

fn bulk(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    // To shared memory, on an mbarrier: the directions that complete on an object.
    let from_shared = m.word(3)? == "shared::cta";
    let known = m.word(2)?.starts_with("shared::") && (from_shared || m.word(3)? == "global");
    (known && m.has("mbarrier::complete_tx::bytes") && !m.has("tensor")).then_some(())?;
    let [to, from, bytes, object, more @ ..] = &i.operands[..] else { return None };
    let bytes = cx.src(bytes, ScalarType::U32)?;
    let blocks = match (m.has("multicast::cluster"), more.first()) {
        (true, Some(blocks)) => cx.src(blocks, ScalarType::U16)?,
        (true, None) => return None,
        // No slot of a register is 0.
        (false, _) => 0,
    };
    let mut place = |operand| cx.address(operand)?.register();
    let ends = [place(from)?, place(to)?, place(object)?];
    (from_shared || ends[0].1 == 8).then_some(())?;
    let wide = |n: usize, which: u32| u32::from(ends[n].1 == 8) << which;
    let offset = |n: usize| Some(i32::try_from(ends[n].2).ok()? as u32);
    let slots = [
        ends[0].0,
        ends[1].0,
        bytes,
        ends[2].0,
        offset(0)?,
        offset(1)?,
        offset(2)?,
        wide(0, 0) | wide(1, 1) | wide(2, 3) | u32::from(from_shared) << 4,
        blocks,
    ];
    let aux = cx.slot_list(&slots);
    Some(Op { aux, ..op(mbarrier::bulk_copy, 0, &[]) })
}

fn warpgroup(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    match m.word(0)? {
        "fence" | "commit_group" => Some(nothing()),
        // Products are computed at once; the wait only brings the lanes of the warp together.
        "wait_group" => {
            let aux = cx.number(u32::MAX.into(), 4);
            Some(Op { aux, ..op(sync_warp, 0, &[]) })
        }
        "mma_async" => product(cx, i, m),
        _ => None,
    }
}

fn product(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    let shape = m.words().iter().find_map(|w| Shape::parse(w))?;
    let types: Vec<Element> = m.words().iter().filter_map(|w| Element::parse(w)).collect();
    let &[Element::F32, element, other] = &types[..] else { return None };
    let k = match element {
        Element::F16 | Element::Bf16 => 16,
        Element::Tf32 => 8,
        _ => return None,
    };
    let fits = shape.m == 64 && shape.k == k && shape.n.is_multiple_of(8) && (8..=256).contains(&shape.n);
    (element == other && fits && !m.has("sp")).then_some(())?;
    let [accumulator, a, b, adds, scale_a, scale_b, transposed @ ..] = &i.operands[..] else { return None };
    // Matrices along k only; the one word for that is 0.
    transposed.iter().all(|t| matches!(t, Operand::Integer(0))).then_some(())?;
    let (c, unless) = cx.pred(adds)?;
    let a_in_registers = matches!(a, Operand::Vector(_));
    let (negate_a, negate_b) = (negates(scale_a)?, negates(scale_b)?);
    let mma = Wgmma { element, n: shape.n, k, a_in_registers, negate_a, negate_b, unless };
    let Operand::Vector(list) = accumulator else { return None };
    (list.len() == mma.accumulators()).then_some(())?;
    let mut slots = list.iter().map(|r| cx.dst(r, 4)).collect::<Option<Vec<_>>>()?;
    let first = match a {
        Operand::Vector(list) if list.len() == 4 => {
            slots.extend(list.iter().map(|r| cx.src(r, ScalarType::B32)).collect::<Option<Vec<_>>>()?);
            0
        }
        Operand::Vector(_) => return None,
        descriptor => cx.src(descriptor, ScalarType::B64)?,
    };
    let second = cx.src(b, ScalarType::B64)?;
    let list = cx.slot_list(&slots);
    let aux = cx.parts.matrix_ops.len() as u32;
    cx.parts.matrix_ops.push(MatrixOp::Warpgroup(mma));
    Some(Op { aux, ..op(matrix, second, &[first, list, c]) })
}

/// Whether a scale of a factor, 1 or -1, is -1.
fn negates(operand: &Operand) -> Option<bool> {
    match operand {
        Operand::Integer(1) => Some(false),
        Operand::Integer(u64::MAX) => Some(true),
        Operand::Minus(inner) if matches!(**inner, Operand::Integer(1)) => Some(true),
        _ => None,
    }
}
