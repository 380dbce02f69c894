//! The wording of findings.

use std::collections::BTreeMap;

use super::findings::{Findings, Sighting, Who, Words, line_name};
use super::names;
use super::plan::Plan;
use super::scene::{Scene, place};
use crate::image::event::{Access, Declared, Event};
use crate::lanes::lanes_of;
use crate::memory::{self, Window};
use crate::report::{Fault, FaultKind, FindingKind, MemorySpace, Place};
use crate::warp::{BlockState, Trouble};

/// `thread 3 of block 0`.
pub(super) fn thread(plan: &Plan<'_>, (block, thread): Who) -> String {
    let [x, y, _] = plan.launch.block;
    let index = [thread % x, thread / x % y, thread / x / y];
    let block = names::index(plan.launch.block_at(block), plan.launch.grid);
    format!("thread {} of block {block}", names::index(index, plan.launch.block))
}

pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The variable or buffer at an address, and what to call the place: `tile[5]`, `argument 0[5]`.
pub(super) fn object(
    plan: &Plan<'_>,
    space: MemorySpace,
    view: Option<usize>,
    address: u64,
    bytes: u32,
) -> (Option<String>, String) {
    let bytes = u64::from(bytes.max(1));
    let named = |name: &str, start: u64| {
        let from = address.saturating_sub(start);
        // An argument is a phrase, not a name.
        if name.contains(' ') {
            format!("element {} of {name}", from / bytes)
        } else {
            format!("{name}[{}]", from / bytes)
        }
    };
    match space {
        MemorySpace::Shared => match plan.shared.iter().rev().find(|v| (v.start..v.end).contains(&address)) {
            Some(v) => (Some(v.name.clone()), named(&v.name, v.start)),
            None => (None, format!("shared memory at {address:#x}")),
        },
        MemorySpace::Local => (None, format!("local memory at {address:#x}")),
        MemorySpace::Global => match view.and_then(|view| Some((view, plan.views.get(view)?.as_ref()?))) {
            Some((view, name)) => (Some(name.clone()), named(name, plan.launch.views[view].base)),
            None => (None, format!("global memory at {address:#x}")),
        },
    }
}

/// The access at an instruction.
pub(super) fn access<'p>(plan: &'p Plan<'_>, pc: u32) -> Option<&'p Access> {
    match plan.program.events.get(pc as usize)? {
        Event::Access(access) | Event::MatrixAccess(access) => Some(access),
        Event::BulkCopy(access) | Event::Phase(access) | Event::CopyArrive(access) | Event::Warpgroup(access) => {
            Some(access)
        }
        _ => None,
    }
}

/// Bytes of an element of the access at an instruction.
pub(super) fn element(plan: &Plan<'_>, pc: u32) -> u32 {
    access(plan, pc).map_or(4, |access| access.element)
}

/// A deadlock.
pub(super) fn note_deadlock(scene: &mut Scene<'_>, block: &BlockState, waiting: &[(u32, u32, u32)]) {
    let mut waiting = waiting.to_vec();
    waiting.sort_unstable();
    let Some(&(warp, pc, lanes)) = waiting.first() else { return };
    let who = |(warp, pc, lanes): (u32, u32, u32)| (pc, (block.linear, warp * 32 + lanes.trailing_zeros()));
    let seen = Sighting {
        other: waiting.iter().find(|w| w.1 != pc).map(|&w| who(w)),
        ..Sighting::new(FaultKind::Deadlock.into(), who((warp, pc, lanes)), block.linear)
    };
    scene.note(seen, |plan, seen| deadlock(plan, seen, &waiting, block));
}

/// A deadlock: which threads wait where.
fn deadlock(plan: &Plan<'_>, seen: &Sighting, waiting: &[(u32, u32, u32)], state: &BlockState) -> Words {
    let program = plan.program;
    let mut places: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for &(warp, pc, lanes) in waiting {
        let threads = places.entry(line_name(program, pc)).or_default();
        threads.extend(lanes_of(lanes).map(|lane| warp * 32 + lane as u32));
    }
    let groups: Vec<String> = places
        .iter()
        .map(|(line, threads)| {
            let (first, more) = (threads.iter().min().copied().unwrap_or(0), threads.len() - 1);
            let first = thread(plan, (seen.at.1.0, first));
            match more {
                0 => format!("{first} at {line}"),
                n => format!("{first} and {n} more at {line}"),
            }
        })
        .collect();
    let barriers = (0..16)
        .zip(&state.barriers)
        .filter(|(_, b)| b.arrived > 0)
        .map(|(id, b)| format!("; barrier {id} has {} of {} threads", b.arrived, b.expected.unwrap_or(state.live)));
    let message = format!("Nobody can go on: {} wait{}.", groups.join(", "), barriers.collect::<String>());
    (None, message, "Let all threads that wait for each other come to the same place.".to_owned())
}

/// The fault that stopped the kernel is a finding too.
pub(super) fn note_fault(plan: &Plan<'_>, findings: &mut Findings, fault: &Fault) {
    let kind = match fault.kind {
        FaultKind::Unsupported | FaultKind::StackOverflow | FaultKind::LaunchLimit => return,
        // Reported in full when it happened.
        FaultKind::Deadlock if findings.has(FaultKind::Deadlock.into()) => return,
        kind => FindingKind::from(kind),
    };
    let Some(place) = &fault.place else { return };
    let launch = plan.launch;
    let [x, y, _] = launch.block;
    let [i, j, k] = place.thread;
    let who = (launch.linear_block(place.block), (k * y + j) * x + i);
    let Some(pc) = pc_of(plan, place) else { return };
    note_trouble(plan, findings, (fault.kind, kind), (pc, who), (fault.address, &fault.message));
}

/// An access that was left out because of its address.
pub(super) fn note_bad_address(scene: &mut Scene<'_>, trouble: &Trouble, who: Who) {
    let Scene { plan, findings, .. } = scene;
    let at = (trouble.pc, who);
    note_trouble(plan, findings, (trouble.kind, trouble.kind.into()), at, (trouble.address, &trouble.message));
}

fn note_trouble(
    plan: &Plan<'_>,
    findings: &mut Findings,
    (fault, kind): (FaultKind, FindingKind),
    (pc, who): (u32, Who),
    (address, message): (Option<u64>, &str),
) {
    let (space, view) = whereabouts(plan, pc, address);
    let address = address.map(offset);
    let place = space.zip(address).map_or(0, |(space, address)| place(who.0, space, address));
    let seen = Sighting { space, address, ..Sighting::new(kind, (pc, who), place) };
    findings.note(plan.program, seen, |seen| fault_words(plan, seen, view, (fault, message)));
}

/// An address as findings give it: offsets in shared and local memory.
pub(super) fn offset(address: u64) -> u64 {
    match memory::window(address) {
        Window::Shared => address - memory::SHARED,
        Window::Local => address - memory::LOCAL,
        _ => address,
    }
}

/// What to do about an access outside its object.
pub(super) fn bounds_advice(plan: &Plan<'_>, dynamic: bool) -> String {
    if dynamic && plan.launch.dynamic_shared == 0 {
        return "The kernel uses dynamic shared memory (extern __shared__), and the launch gives it none: \
                give it --shared BYTES."
            .to_owned();
    }
    if dynamic {
        return format!(
            "Compare the index with the number of elements before the access, or give the launch more dynamic shared \
             memory: --shared {} is too little for it.",
            plan.launch.dynamic_shared
        );
    }
    "Compare the index with the number of elements before the access.".to_owned()
}

fn fault_words(plan: &Plan<'_>, seen: &Sighting, view: Option<usize>, (kind, what): (FaultKind, &str)) -> Words {
    let who = thread(plan, seen.at.1);
    let name = view.and_then(|view| plan.views.get(view).cloned().flatten());
    let mut message = format!("{}: {what}", capital(&who));
    if let (Some(view), Some(name), Some(address)) = (view, &name, seen.address) {
        let (view, bytes) = (plan.launch.views[view], i64::from(element(plan, seen.at.0)));
        let index = (address as i64 - view.base as i64).div_euclid(bytes);
        let count = (view.end - view.base) / bytes as u64;
        message = format!("{message}; it is element {index} of {name}, which has {count} elements of {bytes} bytes");
    }
    let dynamic = seen.space == Some(MemorySpace::Shared) && plan.shared.iter().any(|v| v.dynamic);
    let advice = match kind {
        FaultKind::OutOfBounds => return (name, message + ".", bounds_advice(plan, dynamic)),
        FaultKind::Misaligned => "Make the address a multiple of the size of the access.",
        FaultKind::Timeout => "Look for a loop that does not end, or give the launch a larger budget.",
        _ => "Look at what led there.",
    };
    (name, message + ".", advice.to_owned())
}

/// The memory that an access was meant for, and the allocation nearest to its address.
fn whereabouts(plan: &Plan<'_>, pc: u32, address: Option<u64>) -> (Option<MemorySpace>, Option<usize>) {
    let Some(address) = address else { return (None, None) };
    let declared = match plan.program.events.get(pc as usize) {
        Some(Event::Access(access) | Event::MatrixAccess(access)) => access.space,
        Some(Event::Phase(_) | Event::CopyArrive(_) | Event::Warpgroup(_)) => Declared::Shared,
        Some(Event::BulkCopy(_)) if address < memory::SHARED => Declared::Shared,
        Some(Event::Copy(_)) if address < memory::SHARED => Declared::Shared,
        _ => Declared::Generic,
    };
    let space = match (declared, memory::window(address)) {
        (Declared::Shared, _) | (Declared::Generic, Window::Shared) => MemorySpace::Shared,
        (Declared::Local | Declared::Param, _) | (Declared::Generic, Window::Local) => MemorySpace::Local,
        _ => MemorySpace::Global,
    };
    let views = plan.launch.views;
    let near = |at: usize| views.get(at).filter(|v| memory::is_global(v.base)).map(|_| at);
    let at = views.partition_point(|v| v.base <= address);
    let behind = at.checked_sub(1).and_then(near).map(|at| (address.saturating_sub(views[at].end), at));
    let ahead = near(at).map(|at| (views[at].base - address, at));
    let nearest = behind.into_iter().chain(ahead).min().filter(|(distance, _)| *distance < 1 << 20);
    (Some(space), nearest.filter(|_| space == MemorySpace::Global).map(|(_, at)| at))
}

/// The instruction that a place names.
fn pc_of(plan: &Plan<'_>, place: &Place) -> Option<u32> {
    let program = plan.program;
    (0..program.code.len() as u32).find(|&pc| {
        let origin = program.image.origins[pc as usize];
        program.image.functions[origin.function as usize].name == place.function
            && program
                .image
                .place(pc)
                .is_some_and(|p| p.ptx_line == place.ptx_line && p.instruction == place.instruction)
    })
}
