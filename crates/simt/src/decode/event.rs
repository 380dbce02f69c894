//! What observers hear of an instruction.

use warpwise_ptx::ast::{AddressBase, Instruction, Operand, ScalarType, Space, Symbol};

use super::asynchronous;
use super::lowering::{Lowering, Place};
use super::modifiers::Modifiers;
use crate::image::event::{
    Access, AddressKind, BlockBarrier, Collective, CollectiveKind, CopyAsync, Declared, Direction, Division, Event,
    Order, Scope,
};
use crate::lanes::Op;
use crate::lanes::mbarrier::Verb;
use crate::mma::{Wmma, WmmaFragment};

/// The event of a decoded instruction.
pub(super) fn event(cx: &mut Lowering<'_>, i: &Instruction, op: &Op) -> Event {
    let m = Modifiers::new(&i.modifiers);
    let found = match &*i.opcode {
        "ld" | "ldu" | "st" => load_store(cx, i, &m),
        "atom" | "red" => atomic(cx, i, &m),
        "cp" if m.has("bulk") => Some(Event::BulkCopy(engine(Direction::Atomic, 8, Order::AcqRel))),
        "cp" if m.has("mbarrier") => copies_arrive(cx, i, &m),
        "cp" => copy(&m, op),
        "mbarrier" => phase(cx, i, &m),
        "wgmma" if m.has("mma_async") => Some(Event::Warpgroup(engine(Direction::Load, 16, Order::Weak))),
        "wgmma" if m.has("wait_group") => Some(Event::WarpBarrier),
        "ldmatrix" | "stmatrix" | "wmma" => matrix(cx, i, &m),
        "mma" | "movmatrix" => collective(CollectiveKind::Matrix, false),
        "shfl" => collective(CollectiveKind::Shuffle, m.has("sync")),
        "vote" => collective(CollectiveKind::Vote, m.has("sync")),
        "match" => collective(CollectiveKind::Match, true),
        "redux" => collective(CollectiveKind::Redux, true),
        "elect" => collective(CollectiveKind::Elect, true),
        "bar" | "barrier" => barrier(i, &m),
        "membar" | "fence" => Some(Event::Fence(fence_order(&i.opcode, &m), scope(&m))),
        "div" | "rem" => division(i, &m, op),
        "bra" if i.guard.is_some() => Some(Event::Branch),
        "brx" => Some(Event::BranchTable),
        "ret" => Some(Event::Return),
        "exit" => Some(Event::Exit),
        "call" => Some(Event::Call),
        _ => None,
    };
    found.unwrap_or_default()
}

fn collective(kind: CollectiveKind, masked: bool) -> Option<Event> {
    Some(Event::Collective(Collective { kind, masked }))
}

fn division(i: &Instruction, m: &Modifiers<'_>, op: &Op) -> Option<Event> {
    let ty = m.ty()?;
    let by_number = matches!(i.operands.get(2), Some(Operand::Integer(divisor)) if *divisor != 0);
    let integer = matches!(
        ty,
        ScalarType::U16 | ScalarType::S16 | ScalarType::U32 | ScalarType::S32 | ScalarType::U64 | ScalarType::S64
    );
    (integer && !by_number).then(|| Event::Division(Division { divisor: op.b, bytes: ty.bytes() }))
}

fn load_store(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Event> {
    let storing = &*i.opcode == "st";
    let address = i.operands.get(usize::from(!storing))?;
    let element = m.ty()?.bytes();
    let direction = if storing { Direction::Store } else { Direction::Load };
    let order = order(m).unwrap_or(Order::Weak);
    let access = access(cx, m, address, direction, element, order)?;
    let values = if storing { stored(cx, i, m).unwrap_or_default() } else { Box::default() };
    Some(Event::Access(Access { values, read_only: m.has("nc") || &*i.opcode == "ldu", ..access }))
}

/// Slots and widths of the registers that a store takes its values from.
fn stored(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Box<[(u32, u32)]>> {
    let ty = m.ty()?;
    let list = match i.operands.get(1)? {
        Operand::Vector(list) => &list[..],
        other => std::slice::from_ref(other),
    };
    list.iter().map(|element| super::load_store::register_of(cx, element, ty, true)).collect()
}

fn atomic(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Event> {
    let (direction, address) = match &*i.opcode {
        "atom" => (Direction::Atomic, i.operands.get(1)?),
        _ => (Direction::Reduction, i.operands.first()?),
    };
    let order = order(m).unwrap_or(Order::Relaxed);
    access(cx, m, address, direction, m.ty()?.bytes(), order).map(Event::Access)
}

fn access(
    cx: &mut Lowering<'_>,
    m: &Modifiers<'_>,
    address: &Operand,
    direction: Direction,
    element: u32,
    order: Order,
) -> Option<Access> {
    let place = cx.address(address)?;
    let kind = match place {
        Place::Register { width: 4, .. } => AddressKind::Reg32,
        Place::Register { .. } => AddressKind::Reg64,
        Place::Frame { .. } => AddressKind::Frame,
    };
    Some(Access {
        direction,
        space: declared(m, place),
        bytes: element * m.vector() as u32,
        element,
        address: kind,
        order,
        scope: if order == Order::Volatile { Scope::Sys } else { scope(m) },
        read_only: false,
        lanes: u32::MAX,
        variable: variable(cx, address),
        values: Box::default(),
    })
}

/// The space that the modifiers name, or the variable in the address.
fn declared(m: &Modifiers<'_>, place: Place) -> Declared {
    let named = m.words().iter().find_map(|w| match w.split("::").next() {
        Some("global") => Some(Declared::Global),
        Some("const") => Some(Declared::Const),
        Some("shared") => Some(Declared::Shared),
        Some("local") => Some(Declared::Local),
        Some("param") => Some(Declared::Param),
        _ => None,
    });
    match (named, place) {
        (Some(space), _) => space,
        (None, Place::Frame { .. }) => Declared::Local,
        (None, Place::Register { space: Some(Space::Shared), .. }) => Declared::Shared,
        (None, Place::Register { space: Some(Space::Local), .. }) => Declared::Local,
        _ => Declared::Generic,
    }
}

/// The variable that an address operand names.
fn variable(cx: &Lowering<'_>, address: &Operand) -> Option<Box<str>> {
    let Operand::Address(address) = address else { return None };
    let AddressBase::Symbol(symbol) = &address.base else { return None };
    match symbol {
        Symbol::Local(at) => cx.body.variables.get(*at as usize).map(|v| v.name.clone()),
        Symbol::Parameter(at) => cx.function.params.get(*at as usize).map(|p| p.variable.name.clone()),
        Symbol::Return(at) => cx.function.returns.get(*at as usize).map(|p| p.variable.name.clone()),
        Symbol::Module(name) => Some(name.clone()),
        Symbol::Prototype(_) | Symbol::BranchTargets(_) => None,
    }
}

fn order(m: &Modifiers<'_>) -> Option<Order> {
    Some(match m.one_of(&["mmio", "weak", "volatile", "relaxed", "acquire", "release", "acq_rel"])? {
        "mmio" => Order::Mmio,
        "weak" => Order::Weak,
        "volatile" => Order::Volatile,
        "relaxed" => Order::Relaxed,
        "acquire" => Order::Acquire,
        "release" => Order::Release,
        _ => Order::AcqRel,
    })
}

/// A fence is sequentially consistent unless stated otherwise; `fence` alone is `fence.acq_rel`.
fn fence_order(opcode: &str, m: &Modifiers<'_>) -> Order {
    match order(m) {
        Some(order) => order,
        None if opcode == "membar" || m.has("sc") => Order::SeqCst,
        None => Order::AcqRel,
    }
}

/// `membar` has names of its own for the scopes.
fn scope(m: &Modifiers<'_>) -> Scope {
    match m.one_of(&["cta", "cluster", "gpu", "gl", "sys"]) {
        Some("cta") => Scope::Cta,
        Some("cluster") => Scope::Cluster,
        Some("sys") => Scope::Sys,
        _ => Scope::Gpu,
    }
}

fn copy(m: &Modifiers<'_>, op: &Op) -> Option<Event> {
    Some(if m.has("commit_group") {
        Event::CopyCommit
    } else if m.has("wait_all") || m.has("wait_group") {
        Event::CopyWait(u32::try_from(op.imm).ok())
    } else {
        Event::Copy(CopyAsync { bytes: op.imm as u32 & 0xff })
    })
}

/// An access to shared memory whose addresses are not those of an operand.
fn engine(direction: Direction, bytes: u32, order: Order) -> Access {
    Access {
        direction,
        space: Declared::Shared,
        bytes,
        element: bytes,
        address: AddressKind::Reg32,
        order,
        scope: Scope::Cta,
        read_only: false,
        lanes: u32::MAX,
        variable: None,
        values: Box::default(),
    }
}

/// `cp.async.mbarrier.arrive`: an arrival at the object.
fn copies_arrive(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Event> {
    let access = access(cx, m, i.operands.first()?, Direction::Atomic, 8, Order::AcqRel)?;
    Some(Event::CopyArrive(Access { space: Declared::Shared, scope: Scope::Cta, ..access }))
}

/// `mbarrier`: initialising an object is a store, an arrival releases, a test acquires. Ending one does not race with what
/// others did to it: libcu++ lets a lane do so for its warp, in which nothing but a vote comes before.
fn phase(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Event> {
    let verb = asynchronous::verb(m)?;
    let (direction, order) = match verb {
        Verb::Init => (Direction::Store, Order::Weak),
        Verb::Invalidate => (Direction::Atomic, Order::Relaxed),
        _ if verb.asks() => (Direction::Load, Order::Acquire),
        _ => (Direction::Atomic, Order::AcqRel),
    };
    let operand = i.operands.get(asynchronous::address_at(verb))?;
    let access = access(cx, m, operand, direction, 8, order)?;
    Some(Event::Phase(Access { space: Declared::Shared, scope: Scope::Cta, ..access }))
}

fn barrier(i: &Instruction, m: &Modifiers<'_>) -> Option<Event> {
    if m.has("warp") {
        return Some(Event::WarpBarrier);
    }
    if m.has("cluster") {
        return m.has("arrive").then_some(Event::ClusterArrive);
    }
    let (arrive, reduction) = (m.has("arrive"), m.has("red"));
    let counted = i.operands.len() > if reduction { 3 } else { 1 };
    let aligned = &*i.opcode == "bar" || m.has("aligned");
    Some(Event::Barrier(BlockBarrier { arrive, reduction, aligned, counted }))
}

fn matrix(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Event> {
    let (direction, bytes, element, lanes) = match &*i.opcode {
        "ldmatrix" | "stmatrix" => {
            let rows = match m.one_of(&["x1", "x2", "x4"])? {
                "x1" => 8,
                "x2" => 16,
                _ => 32,
            };
            let direction = if &*i.opcode == "ldmatrix" { Direction::Load } else { Direction::Store };
            (direction, 16, 2, u32::MAX >> (32 - rows))
        }
        _ => match Wmma::parse(&i.opcode, m.words())? {
            Wmma::Mma(_) => return collective(CollectiveKind::Matrix, false),
            Wmma::Load { fragment, .. } => (Direction::Load, bytes_of(fragment), element_of(fragment), u32::MAX),
            Wmma::Store { fragment, .. } => (Direction::Store, bytes_of(fragment), element_of(fragment), u32::MAX),
        },
    };
    let address = i.operands.get(usize::from(direction == Direction::Load))?;
    let access = access(cx, m, address, direction, element, Order::Weak)?;
    Some(Event::MatrixAccess(Access { bytes, lanes, ..access }))
}

fn element_of(fragment: WmmaFragment) -> u32 {
    fragment.element.bits().div_ceil(8)
}

fn bytes_of(fragment: WmmaFragment) -> u32 {
    element_of(fragment) * fragment.elements() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Program;

    fn events(code: &str) -> Vec<Event> {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .pred %p<4>;\n\
             .reg .b32 %r<9>;\n.reg .b64 %rd<4>;\n.shared .b32 tile[64];\n{code}\nret;\n}}\n"
        );
        Program::load(&text).expect("valid PTX").events
    }

    fn first_access(code: &str) -> Access {
        match events(code).remove(0) {
            Event::Access(access) | Event::MatrixAccess(access) => access,
            other => panic!("{code}: {other:?}"),
        }
    }

    #[test]
    fn accesses_know_space_width_order_and_variable() {
        let a = first_access("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1+16];");
        assert_eq!((a.direction, a.space, a.bytes, a.element), (Direction::Load, Declared::Global, 16, 4));
        assert_eq!((a.order, a.address, a.read_only), (Order::Weak, AddressKind::Reg64, false));
        let a = first_access("st.shared.u32 [tile+4], %r1;");
        assert_eq!((a.direction, a.space, a.variable.as_deref()), (Direction::Store, Declared::Shared, Some("tile")));
        let a = first_access("ld.acquire.cta.u32 %r1, [%rd1];");
        assert_eq!((a.order, a.scope, a.space), (Order::Acquire, Scope::Cta, Declared::Generic));
        let a = first_access("ld.volatile.global.u32 %r1, [%rd1];");
        assert_eq!((a.order, a.scope), (Order::Volatile, Scope::Sys));
        let a = first_access("ld.param.u64 %rd1, [p];");
        assert_eq!((a.space, a.variable.as_deref()), (Declared::Param, Some("p")));
        let a = first_access("red.release.gpu.global.add.u32 [%rd1], %r1;");
        assert_eq!((a.direction, a.order, a.scope), (Direction::Reduction, Order::Release, Scope::Gpu));
        let a = first_access("atom.shared.add.u32 %r1, [%r2], 1;");
        assert_eq!((a.direction, a.order, a.address), (Direction::Atomic, Order::Relaxed, AddressKind::Reg32));
        assert!(first_access("ld.global.nc.u32 %r1, [%rd1];").read_only);
        let a = first_access("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, [%r3];");
        assert_eq!((a.direction, a.space, a.bytes, a.lanes), (Direction::Load, Declared::Shared, 16, 0xffff));
    }

    #[test]
    fn divisions_are_those_of_integers_by_what_may_be_zero() {
        let list = events(
            "div.s32 %r1, %r2, %r3; rem.u64 %rd1, %rd2, %rd3; div.u32 %r1, %r2, 3; div.u32 %r1, %r2, 0; \
             div.rn.f32 %r1, %r2, %r3;",
        );
        let bytes = |event: &Event| match event {
            Event::Division(division) => division.bytes,
            _ => 0,
        };
        assert_eq!(list.iter().map(bytes).take(5).collect::<Vec<_>>(), [4, 8, 0, 4, 0]);
    }

    #[test]
    fn synchronisation_is_named() {
        let list = events(
            "bar.sync 0; barrier.sync 1, 64; bar.warp.sync -1; membar.gl; fence.acq_rel.cta; @%p1 bra L; bra L; \
             cp.async.wait_group 2; cp.async.wait_all; add.u32 %r1, %r1, 1; L: exit;",
        );
        let all = BlockBarrier { arrive: false, reduction: false, aligned: true, counted: false };
        assert!(matches!(list[0], Event::Barrier(b) if b == all));
        assert!(matches!(list[1], Event::Barrier(b) if b == BlockBarrier { aligned: false, counted: true, ..all }));
        assert!(matches!(list[2], Event::WarpBarrier));
        assert!(matches!(list[3], Event::Fence(Order::SeqCst, Scope::Gpu)));
        assert!(matches!(list[4], Event::Fence(Order::AcqRel, Scope::Cta)));
        assert!(matches!(list[5], Event::Branch));
        assert!(matches!(list[6], Event::Nothing));
        assert!(matches!(list[7], Event::CopyWait(Some(2))));
        assert!(matches!(list[8], Event::CopyWait(None)));
        assert!(matches!(list[9], Event::Nothing));
        assert!(matches!(list[10], Event::Exit));
    }
}
