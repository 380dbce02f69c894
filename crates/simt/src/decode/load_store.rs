//! Loads, stores and asynchronous copies.

use warpwise_ptx::ast::{Instruction, Operand, ScalarType, Space};

use super::lowering::{Lowering, Place, nothing, op};
use super::modifiers::Modifiers;
use crate::lanes::load_store::{Transfer, copy_async, copy_commit, copy_wait, load, load_any, store, store_any};
use crate::lanes::region::{Addressing, FrameRelative, Generic, Global, Local, Reg32, Reg64, Region, Shared};
use crate::lanes::{Handler, Level, Op};

/// The state space of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessSpace {
    Global,
    Shared,
    Local,
    Generic,
}

/// The space that the modifiers (and a symbol in the address) name. Kernel parameters and constants are allocations
/// like global memory; parameters of device functions are local.
pub(super) fn space_of(cx: &Lowering<'_>, m: &Modifiers<'_>, place: Place) -> AccessSpace {
    let named = m.words().iter().find_map(|w| match w.split("::").next() {
        Some("global") => Some(AccessSpace::Global),
        Some("const") => Some(AccessSpace::Global),
        Some("shared") => Some(AccessSpace::Shared),
        Some("local") => Some(AccessSpace::Local),
        Some("param") if cx.is_kernel() => Some(AccessSpace::Global),
        Some("param") => Some(AccessSpace::Local),
        _ => None,
    });
    match (named, place) {
        (_, Place::Frame { .. }) => AccessSpace::Local,
        // A call's parameters inside a kernel are frame variables (above); anything else in `.param` is the kernel's.
        (Some(space), _) => space,
        (None, Place::Register { space: Some(Space::Shared), .. }) => AccessSpace::Shared,
        (None, Place::Register { space: Some(Space::Local), .. }) => AccessSpace::Local,
        _ => AccessSpace::Generic,
    }
}

pub(super) fn decode(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    match &*i.opcode {
        "prefetch" | "prefetchu" | "discard" | "applypriority" => return Some(nothing()),
        "createpolicy" => {
            let d = cx.dst(i.operands.first()?, 8)?;
            let zero = cx.number(0, 8);
            return Some(op(crate::lanes::pure::rare_unary(|a: u64| a), d, &[zero]));
        }
        _ => {}
    }
    let ty = m.ty()?;
    let storing = &*i.opcode == "st";
    let (value, address) = match &i.operands[..] {
        [address, value, ..] if storing => (value, address),
        [value, address, ..] => (value, address),
        _ => return None,
    };
    let place = cx.address(address)?;
    let space = space_of(cx, m, place);
    let polls = m.words().iter().any(|w| matches!(&**w, "volatile" | "relaxed" | "acquire" | "mmio"));
    let count = m.vector();
    let list = match value {
        Operand::Vector(list) => &list[..],
        other => std::slice::from_ref(other),
    };
    (list.len() == count).then_some(())?;
    let mut width = None;
    let mut slots = Vec::new();
    for element in list {
        let (slot, own) = register_of(cx, element, ty, storing)?;
        // Elements of one vector have one width; a sink takes that of the others.
        (width.is_none() || width == Some(own)).then_some(())?;
        width = Some(own);
        slots.push(slot);
    }
    let width = width?;
    let access = Access { level: cx.level, ty, width, storing, scalar: count == 1, space };
    let ((run, own), a, imm) = match place {
        Place::Register { slot, width: 4, offset, .. } => (access.handler::<Reg32>()?, slot, offset),
        Place::Register { slot, offset, .. } => (access.handler::<Reg64>()?, slot, offset),
        Place::Frame { offset } => (access.in_space::<FrameRelative, Local>(), 0, offset),
    };
    let b = u32::from(polls && !storing);
    if own {
        return Some(Op { a, b, imm, ..op(run, slots[0], &[]) });
    }
    let transfer = Transfer { size: ty.bytes(), width, count: count as u32, signed: ty.is_signed() };
    let aux = cx.slot_list(&slots);
    Some(Op { a, b, c: transfer.pack(), imm, aux, ..op(run, 0, &[]) })
}

/// Slot and width of a register that may be wider than the access.
pub(super) fn register_of(
    cx: &mut Lowering<'_>,
    operand: &Operand,
    ty: ScalarType,
    storing: bool,
) -> Option<(u32, u32)> {
    match operand {
        Operand::Register(id) => {
            let own = cx.register_type(*id)?;
            (own != ScalarType::Pred && own.bytes() >= ty.bytes()).then(|| Some((cx.register(*id)?, own.bytes())))?
        }
        // Bytes have no constants of their own in the frame: a wider register holds them.
        _ if storing => {
            let ty = if ty.bytes() == 1 { ScalarType::B16 } else { ty };
            Some((cx.src(operand, ty)?, ty.bytes()))
        }
        _ => Some((cx.dst(operand, ty.bytes().max(2))?, ty.bytes().max(2))),
    }
}

/// A kind of access, to be turned into a handler.
struct Access {
    level: Level,
    ty: ScalarType,
    /// Of the register.
    width: u32,
    storing: bool,
    scalar: bool,
    space: AccessSpace,
}

impl Access {
    /// The handler, and whether it is one of its own rather than the general one.
    fn handler<A: Addressing>(&self) -> Option<(Handler, bool)> {
        Some(match self.space {
            AccessSpace::Global => self.in_space::<A, Global>(),
            AccessSpace::Shared => self.in_space::<A, Shared>(),
            AccessSpace::Local => self.in_space::<A, Local>(),
            AccessSpace::Generic if size_of::<A::Word>() == 8 => self.in_space::<A, Generic>(),
            AccessSpace::Generic => return None,
        })
    }

    fn in_space<A: Addressing, S: Region>(&self) -> (Handler, bool) {
        let level = self.level;
        match (self.storing, self.scalar, self.ty.bytes(), self.width, self.ty.is_signed()) {
            (false, true, 4, 4, _) => (load::<A, S, u32, u32, _>(level, |x| x), true),
            (true, true, 4, 4, _) => (store::<A, S, u32, u32, _>(level, |x| x), true),
            (false, true, 8, 8, _) => (load::<A, S, u64, u64, _>(level, |x| x), true),
            (true, true, 8, 8, _) => (store::<A, S, u64, u64, _>(level, |x| x), true),
            (false, true, 1, 2, false) => (load::<A, S, u8, u16, _>(level, u16::from), true),
            (true, true, 1, 2, _) => (store::<A, S, u8, u16, _>(level, |x: u16| x as u8), true),
            (false, true, 1, 4, false) => (load::<A, S, u8, u32, _>(level, u32::from), true),
            (true, true, 1, 4, _) => (store::<A, S, u8, u32, _>(level, |x: u32| x as u8), true),
            (false, true, 2, 2, _) => (load::<A, S, u16, u16, _>(level, |x| x), true),
            (true, true, 2, 2, _) => (store::<A, S, u16, u16, _>(level, |x| x), true),
            (false, ..) => (load_any::<A, S>(), false),
            (true, ..) => (store_any::<A, S>(), false),
        }
    }
}

/// `cp.async` and its groups.
pub(super) fn decode_copy(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    (m.word(0)? == "async").then_some(())?;
    if m.has("commit_group") {
        return Some(op(copy_commit, 0, &[]));
    }
    if m.has("wait_all") {
        return Some(Op { imm: -1, ..op(copy_wait, 0, &[]) });
    }
    if m.has("wait_group") {
        let Operand::Integer(n) = i.operands.first()? else { return None };
        return Some(Op { imm: (*n).min(1 << 31) as i64, ..op(copy_wait, 0, &[]) });
    }
    let [to, from, Operand::Integer(size), rest @ ..] = &i.operands[..] else { return None };
    (matches!(size, 4 | 8 | 16)).then_some(())?;
    let (to, to_width, to_offset) = cx.address(to)?.register()?;
    let (from, from_width, from_offset) = cx.address(from)?.register()?;
    (from_width == 8).then_some(())?;
    // With a third operand a smaller number of bytes is read and the rest is zero; a policy operand (64-bit) is
    // only a hint.
    let valid = match rest.first() {
        Some(Operand::Register(id)) if cx.register_type(*id)? == ScalarType::Pred => return None,
        Some(operand) if !m.has("L2::cache_hint") || rest.len() == 2 => cx.src(operand, ScalarType::U32)?,
        _ => cx.number(*size, 4),
    };
    let wide = u64::from(to_width == 8);
    Some(Op {
        imm: *size as i64 | (wide as i64) << 8,
        aux: i32::try_from(from_offset).ok()? as u32,
        d: i32::try_from(to_offset).ok()? as u32,
        ..op(copy_async, 0, &[from, to, valid])
    })
}
