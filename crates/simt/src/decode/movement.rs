//! Moves: `mov`, `cvta`, `isspacep`, `mapa`, `getctarank`.

use warpwise_ptx::ast::{Instruction, Operand, ScalarType, Symbol};

use super::bits::with_width;
use super::lowering::{Lowering, op};
use super::modifiers::Modifiers;
use crate::lanes::cluster::{block_rank, map_address};
use crate::lanes::control::{local_address, read_counter};
use crate::lanes::pure::{compare, predicates, unary};
use crate::lanes::{Flow, Op, lanes_of};
use crate::memory::{self, LOCAL, SHARED, Window};
use crate::warp::{Warp, rank_and_offset};

pub(super) fn decode(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    match &*i.opcode {
        "mov" => mov(cx, i, m),
        "cvta" => convert_address(cx, i, m),
        "isspacep" => {
            let [d, a] = &i.operands[..] else { return None };
            let a = cx.src(a, ScalarType::U64)?;
            let run = match m.word(0)? {
                "shared" | "shared::cta" => compare(cx.level, false, |a: u64, _: u64| {
                    memory::window(a) == Window::Shared && rank_and_offset(a - SHARED).is_none()
                }),
                "shared::cluster" => compare(cx.level, false, |a: u64, _: u64| memory::window(a) == Window::Shared),
                "local" => compare(cx.level, false, |a: u64, _: u64| memory::window(a) == Window::Local),
                "const" => compare(cx.level, false, |a: u64, _: u64| memory::window(a) == Window::Const),
                "param" => compare(cx.level, false, |a: u64, _: u64| memory::window(a) == Window::Param),
                "global" => compare(cx.level, false, |a: u64, _: u64| memory::window(a) == Window::Other),
                _ => return None,
            };
            let d = cx.pred_dst(d)?;
            Some(op(run, d, &[a, a]))
        }
        "mapa" => {
            let ty = m.ty()?;
            let [d, a, rank] = &i.operands[..] else { return None };
            let (a, rank) = (cx.src(a, ty)?, cx.src(rank, ScalarType::U32)?);
            let d = cx.dst(d, ty.bytes())?;
            Some(Op { aux: ty.bytes(), ..op(map_address, d, &[a, rank]) })
        }
        "getctarank" => {
            let ty = m.ty()?;
            let [d, a] = &i.operands[..] else { return None };
            let a = cx.src(a, ty)?;
            let d = cx.dst(d, 4)?;
            Some(Op { aux: ty.bytes(), ..op(block_rank, d, &[a]) })
        }
        _ => None,
    }
}

fn mov(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    let ty = m.ty()?;
    let [d, a] = &i.operands[..] else { return None };
    if let (ScalarType::Pred, Operand::Special(_)) = (ty, a) {
        let a = cx.src(a, ScalarType::U32)?;
        let d = cx.pred_dst(d)?;
        return Some(op(compare(cx.level, false, |a: u32, _: u32| a != 0), d, &[a, a]));
    }
    if ty == ScalarType::Pred {
        let (a, negated) = cx.pred(a)?;
        let d = cx.pred_dst(d)?;
        return Some(Op { aux: u32::from(negated), ..op(predicates(|a, _| a), d, &[a]) });
    }
    if m.vector() > 1 {
        return move_vector(cx, d, a, ty, m.vector());
    }
    match (d, a) {
        (Operand::Vector(list), _) => return unpack(cx, list, a, ty),
        (_, Operand::Vector(list)) => return pack(cx, d, list, ty),
        (_, Operand::Special(name)) => {
            if let Some(counter) = counter(name) {
                let width = ty.bytes();
                (width == 4 || width == 8).then_some(())?;
                let d = cx.dst(d, width)?;
                return Some(Op { imm: counter, aux: width, ..op(read_counter, d, &[]) });
            }
        }
        (_, Operand::Symbol(symbol, addend)) => {
            if let Some(offset) = cx.frame_offset(symbol) {
                let width = ty.bytes();
                (width == 4 || width == 8).then_some(())?;
                let d = cx.dst(d, width)?;
                let imm = i64::from(offset) + addend;
                return Some(Op { imm, aux: width, ..op(local_address, d, &[]) });
            }
        }
        _ => {}
    }
    if ty == ScalarType::B128 {
        let (a, d) = (cx.src(a, ty)?, cx.dst(d, 16)?);
        return Some(op(crate::lanes::pure::rare_unary(|a: u128| a), d, &[a]));
    }
    let a = cx.src(a, ty)?;
    let d = cx.dst(d, ty.bytes())?;
    Some(op(with_width!(ty.bytes(), T => unary(cx.level, |a: T| a))?, d, &[a]))
}

/// `mov.v2 {a, b}, {c, d}`: `aux` is where the slots start, those of the results first; `c` is how many results there
/// are, `imm` the bytes of each.
fn move_vector(cx: &mut Lowering<'_>, d: &Operand, a: &Operand, ty: ScalarType, count: usize) -> Option<Op> {
    let Operand::Vector(results) = d else { return None };
    let sources = match a {
        Operand::Vector(list) => list.clone(),
        Operand::Special(name) => ["x", "y", "z", "w"].map(|e| Operand::Special(format!("{name}.{e}").into())).to_vec(),
        _ => return None,
    };
    (results.len() == count && sources.len() == count && count * ty.bytes() as usize <= 32).then_some(())?;
    let mut slots = results.iter().map(|o| cx.dst(o, ty.bytes())).collect::<Option<Vec<_>>>()?;
    for source in &sources {
        slots.push(cx.src(source, ty)?);
    }
    let aux = cx.slot_list(&slots);
    Some(Op { aux, c: count as u32, imm: ty.bytes().into(), ..op(move_lanes, 0, &[]) })
}

unsafe fn move_lanes(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    let count = op.c as usize;
    let (results, sources) = warp.launch.image.slots[op.aux as usize..][..2 * count].split_at(count);
    let size = op.imm as usize;
    for lane in lanes_of(mask) {
        // SAFETY: the decoder chose slots of this width, and a vector has 16 bytes at most.
        unsafe {
            // Copy first: a source may be one of the results.
            let mut bytes = [0u8; 32];
            for (n, &slot) in sources.iter().enumerate() {
                let part = warp.slot::<u8>(slot).add(lane * size);
                std::ptr::copy_nonoverlapping(part, bytes.as_mut_ptr().add(n * size), size);
            }
            for (n, &slot) in results.iter().enumerate() {
                let part = warp.slot::<u8>(slot).add(lane * size);
                std::ptr::copy_nonoverlapping(bytes.as_ptr().add(n * size), part, size);
            }
        }
    }
    Flow::Next
}

/// Special registers that change while a block runs.
fn counter(name: &str) -> Option<i64> {
    Some(match name {
        "clock" => 0,
        "clock_hi" => 1,
        "clock64" => 2,
        "globaltimer" => 3,
        "globaltimer_lo" => 4,
        "globaltimer_hi" => 5,
        _ => return None,
    })
}

/// The type of one element of a packed value.
fn element(ty: ScalarType, count: usize) -> Option<ScalarType> {
    Some(match ty.bytes() as usize / count {
        1 => ScalarType::B8,
        2 => ScalarType::B16,
        4 => ScalarType::B32,
        8 => ScalarType::B64,
        _ => return None,
    })
}

/// `mov.b64 {a, b}, d`: `aux` is where the slots start, `c` how many there are, `imm` the bytes of each.
fn unpack(cx: &mut Lowering<'_>, list: &[Operand], a: &Operand, ty: ScalarType) -> Option<Op> {
    let part = element(ty, list.len())?;
    let a = cx.src(a, ty)?;
    let slots = list.iter().map(|o| cx.dst(o, part.bytes())).collect::<Option<Vec<_>>>()?;
    let aux = cx.slot_list(&slots);
    Some(Op { aux, c: slots.len() as u32, imm: part.bytes().into(), ..op(unpack_lanes, 0, &[a]) })
}

/// `mov.b64 d, {a, b}`.
fn pack(cx: &mut Lowering<'_>, d: &Operand, list: &[Operand], ty: ScalarType) -> Option<Op> {
    let part = element(ty, list.len())?;
    let slots = list.iter().map(|o| cx.src(o, part)).collect::<Option<Vec<_>>>()?;
    let d = cx.dst(d, ty.bytes())?;
    let aux = cx.slot_list(&slots);
    Some(Op { aux, c: slots.len() as u32, imm: part.bytes().into(), ..op(pack_lanes, d, &[]) })
}

unsafe fn unpack_lanes(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    let slots = &warp.launch.image.slots[op.aux as usize..][..op.c as usize];
    let size = op.imm as usize;
    for lane in lanes_of(mask) {
        // SAFETY: the decoder chose slots of these widths; the parts are as wide as the whole together.
        unsafe {
            let whole = warp.slot::<u8>(op.a).add(lane * size * slots.len());
            // Copy first: one of the parts may be the register that holds the whole.
            let mut bytes = [0u8; 16];
            std::ptr::copy_nonoverlapping(whole, bytes.as_mut_ptr(), size * slots.len());
            for (n, &slot) in slots.iter().enumerate() {
                let part = warp.slot::<u8>(slot).add(lane * size);
                std::ptr::copy_nonoverlapping(bytes.as_ptr().add(n * size), part, size);
            }
        }
    }
    Flow::Next
}

unsafe fn pack_lanes(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    let slots = &warp.launch.image.slots[op.aux as usize..][..op.c as usize];
    let size = op.imm as usize;
    for lane in lanes_of(mask) {
        // SAFETY: the decoder chose slots of these widths; the parts are as wide as the whole together.
        unsafe {
            let whole = warp.slot::<u8>(op.d).add(lane * size * slots.len());
            for (n, &slot) in slots.iter().enumerate() {
                let part = warp.slot::<u8>(slot).add(lane * size);
                std::ptr::copy_nonoverlapping(part, whole.add(n * size), size);
            }
        }
    }
    Flow::Next
}

/// `cvta`: between a state space and generic addresses. Global, constant and parameter addresses are generic already.
fn convert_address(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    let ty = m.ty()?;
    let [d, a] = &i.operands[..] else { return None };
    let to_space = m.has("to");
    let space = m.words().iter().find_map(|w| match w.split("::").next() {
        Some(s @ ("global" | "shared" | "local" | "const" | "param")) => Some(s),
        _ => None,
    })?;
    if let Operand::Symbol(symbol @ (Symbol::Local(_) | Symbol::Parameter(_) | Symbol::Return(_)), addend) = a
        && let Some(offset) = cx.frame_offset(symbol)
    {
        // The address of a variable of the activation: known only when it runs.
        let d = cx.dst(d, 8)?;
        let imm = i64::from(offset) + addend + LOCAL as i64;
        return Some(Op { imm, aux: 8, ..op(local_address, d, &[]) });
    }
    let level = cx.level;
    let a = cx.src(a, ty)?;
    let d = cx.dst(d, ty.bytes())?;
    if ty.bytes() == 4 {
        // 32-bit programs see offsets only; there is one space for them.
        return Some(op(unary(level, |a: u32| a), d, &[a]));
    }
    // A device function's parameters are local; a kernel's are addresses of their own.
    let local = space == "local" || space == "param" && !cx.is_kernel();
    let run = match (space, to_space) {
        ("shared", false) => unary(level, |a: u64| a | SHARED),
        ("shared", true) => unary(level, |a: u64| a & !SHARED),
        _ if local && to_space => unary(level, |a: u64| a & !LOCAL),
        _ if local => unary(level, |a: u64| a | LOCAL),
        _ => unary(level, |a: u64| a),
    };
    Some(op(run, d, &[a]))
}
