//! What findings say.

use std::collections::BTreeMap;

use super::findings::{Findings, Sighting, Who, Words, line_name};
use super::names;
use super::plan::Plan;
use super::race::Race;
use crate::exec::BlockState;
use crate::fault::{Fault, FaultKind, Place};
use crate::lanes::lanes_of;
use crate::memory::{self, Window};
use crate::watch::event::{Access, Declared, Event};
use crate::watch::{FindingKind, MemorySpace, Severity};

/// Said where races could not be followed to the end.
pub(super) const LOST: &str = "races were not followed to the end of this launch: it touches more memory, or uses more \
                               flags, than the check has room for; try fewer elements";

/// `thread 3 of block 0`.
fn thread(plan: &Plan<'_>, (block, thread): Who) -> String {
    let [x, y, _] = plan.launch.block;
    let index = [thread % x, thread / x % y, thread / x / y];
    let block = names::index(plan.launch.block_at(block), plan.launch.grid);
    format!("thread {} of block {block}", names::index(index, plan.launch.block))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The variable or buffer at an address, and what to call the place: `tile[5]`, `argument 0[5]`.
fn object(
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
fn access<'p>(plan: &'p Plan<'_>, pc: u32) -> Option<&'p Access> {
    match plan.launch.program.events.get(pc as usize)? {
        Event::Access(access) | Event::MatrixAccess(access) => Some(access),
        Event::BulkCopy(access) | Event::Phase(access) | Event::Warpgroup(access) => Some(access),
        _ => None,
    }
}

/// Bytes of an element of the access at an instruction.
fn element(plan: &Plan<'_>, pc: u32) -> u32 {
    access(plan, pc).map_or(4, |access| access.element)
}

/// The local variable that an instruction names; the compiler's own heap of them has no name worth telling.
fn local_variable(plan: &Plan<'_>, pc: u32) -> Option<String> {
    let name = access(plan, pc)?.variable.as_deref()?;
    (!name.starts_with("__local_depot")).then(|| names::plain_name(name))
}

/// A race.
pub(super) fn race(plan: &Plan<'_>, seen: &Sighting, view: Option<usize>, race: Race) -> Words {
    let program = plan.launch.program;
    let (pc, who) = seen.at;
    let (other_pc, other) = seen.other.unwrap_or(seen.at);
    let space = seen.space.unwrap_or(MemorySpace::Global);
    let (object, place) = object(plan, space, view, seen.address.unwrap_or(0), element(plan, pc));
    let verb = |kind: super::race::Kind| match (kind.write, kind.atomic) {
        (_, true) => "changes",
        (true, _) => "writes",
        (false, _) => "reads",
    };
    let (did, does) = (verb(race.old.1), verb(race.new.1));
    let harmless = if seen.severity == Severity::Warning { ", though both write the same value" } else { "" };
    let message = if other_pc == pc && other.0 == who.0 && did == does {
        format!(
            "{} and {} both write {place} with no order between them{harmless}.",
            capital(&thread(plan, other)),
            thread(plan, who)
        )
    } else {
        format!(
            "{} {does} {place}, which {} {did}, with no order between them{harmless}.",
            capital(&thread(plan, who)),
            thread(plan, other)
        )
    };
    let (a, b) = (line_name(program, other_pc), line_name(program, pc));
    let between =
        |what: &str| if a == b { format!("{what} around {a}") } else { format!("{what} between {a} and {b}") };
    let atomic = race.old.1.atomic || race.new.1.atomic;
    let read_only = |pc: u32| access(plan, pc).is_some_and(|access| access.read_only);
    let advice = if seen.severity == Severity::Warning {
        "Let one thread write it.".to_owned()
    } else if read_only(pc) || read_only(other_pc) {
        "Do not read through __ldg() or const __restrict__ what the same kernel writes.".to_owned()
    } else if other.0 != who.0 {
        match (atomic, race.old.1.write && race.new.1.write) {
            (true, _) => {
                "Use atomics of device scope for every access to it, or write it in another launch.".to_owned()
            }
            (false, true) => "Use atomics, or give every block elements of its own.".to_owned(),
            (false, false) => {
                "Blocks run in any order: read and write different buffers, or split the kernel into two launches."
                    .to_owned()
            }
        }
    } else if other_pc == pc && race.new.1.write && race.old.1.write {
        "Let one thread write it, or use atomics.".to_owned()
    } else if other.1 / 32 == who.1 / 32 {
        format!("Put {}.", between("__syncwarp()"))
    } else {
        format!("Put {}.", between("__syncthreads()"))
    };
    (object, message, advice)
}

/// A read of what nobody wrote.
pub(super) fn uninitialized(plan: &Plan<'_>, seen: &Sighting, view: Option<usize>, bytes: u32) -> Words {
    let space = seen.space.unwrap_or(MemorySpace::Global);
    let bytes = element(plan, seen.at.0).min(bytes);
    let (object, place) = object(plan, space, view, seen.address.unwrap_or(0), bytes);
    let (object, place) = match local_variable(plan, seen.at.0) {
        Some(name) if space == MemorySpace::Local => (Some(name.clone()), name),
        _ => (object, place),
    };
    let message = format!("{} reads {place}, which nobody has written.", capital(&thread(plan, seen.at.1)));
    let advice = match space {
        MemorySpace::Shared => "Write all of it before it is read: shared memory is not zeroed.",
        MemorySpace::Local => "Give the array initial values.",
        MemorySpace::Global => "Write it or set it to zero before the launch: new device memory holds anything.",
    };
    (object, message, advice.to_owned())
}

/// A shuffle from a lane that gives nothing.
pub(super) fn empty_lane(plan: &Plan<'_>, seen: &Sighting, source: u32, named: bool) -> Words {
    let why = if named { "does not take part" } else { "its mask does not name" };
    let message = format!("{} takes a value from lane {source}, which {why}.", capital(&thread(plan, seen.at.1)));
    let advice =
        "Name all lanes in the mask and let all of them execute the shuffle, or keep the source inside the mask.";
    (None, message, advice.to_owned())
}

/// An access outside of what its address was computed from.
pub(super) fn out_of_bounds(
    plan: &Plan<'_>,
    seen: &Sighting,
    object: Option<String>,
    bytes: u32,
    address: u64,
    (start, end): (u64, u64),
) -> Words {
    let bytes = u64::from(element(plan, seen.at.0).min(bytes).max(1));
    let name = object.clone().unwrap_or_else(|| "its local array".to_owned());
    let message = format!(
        "{} accesses element {} of {name}, which has {} elements of {bytes} bytes.",
        capital(&thread(plan, seen.at.1)),
        (address as i64 - start as i64).div_euclid(bytes as i64),
        (end - start) / bytes
    );
    (object, message, "Compare the index with the number of elements before the access.".to_owned())
}

/// Why a barrier or warp-wide operation is at fault.
pub(super) enum Why {
    /// Threads come to the barrier with different counts.
    Counts(u32, Option<u32>, Option<u32>),
    /// Threads wait at different barriers.
    TwoBarriers,
    /// A thread of the block went another way.
    Bypassed(u32),
    /// A lane of the warp went another way.
    LaneBypassed(u32),
    /// A lane executes what its mask does not name it for.
    NotInMask,
    /// Lanes of one operation name different sets.
    MasksDiffer,
}

impl Why {
    pub(super) fn words(&self, plan: &Plan<'_>, seen: &Sighting) -> Words {
        let who = capital(&thread(plan, seen.at.1));
        let other = seen.other.map(|(_, other)| thread(plan, other)).unwrap_or_default();
        let same_block = |t: u32| thread(plan, (seen.at.1.0, t));
        let (message, advice) = match *self {
            Self::Counts(id, first, second) => {
                let text = |count: Option<u32>| count.map_or("all threads".to_owned(), |n| format!("{n} threads"));
                let (first, second) = (text(first), text(second));
                (
                    format!("{who} waits for {second} at barrier {id}, {other} for {first}."),
                    "Give every use of the barrier the same number of threads.",
                )
            }
            Self::TwoBarriers => (
                format!("{who} waits at another barrier than {other}."),
                "Move __syncthreads() to where every thread of the block comes to the same one.",
            ),
            Self::Bypassed(t) => (
                format!("{who} waits at a barrier that {} goes around.", same_block(t)),
                "Move __syncthreads() out of the condition, so that every thread of the block executes it.",
            ),
            Self::LaneBypassed(t) => (
                format!("{who} names {} in its mask, which goes around the operation.", same_block(t)),
                "Name only the lanes that execute it, or move it out of the condition.",
            ),
            Self::NotInMask => (
                format!("{who} executes a warp operation whose mask does not name it."),
                "Let every lane that executes it be in its mask.",
            ),
            Self::MasksDiffer => (
                format!("{who} names {other}, which names another set of lanes."),
                "Let all lanes of one operation use the same mask.",
            ),
        };
        (None, message, advice.to_owned())
    }
}

/// A deadlock: who waits where.
pub(super) fn deadlock(plan: &Plan<'_>, seen: &Sighting, waiting: &[(u32, u32, u32)], state: &BlockState) -> Words {
    let program = plan.launch.program;
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

/// What stopped the kernel is a finding too.
pub(super) fn note_fault(plan: &Plan<'_>, findings: &mut Findings, fault: &Fault) {
    let kind = match fault.kind {
        FaultKind::Unsupported | FaultKind::StackOverflow | FaultKind::LaunchLimit => return,
        // Told in full when it happened.
        FaultKind::Deadlock if findings.has(FindingKind::Fault(FaultKind::Deadlock)) => return,
        kind => FindingKind::Fault(kind),
    };
    let Some(place) = &fault.place else { return };
    let launch = plan.launch;
    let [x, y, _] = launch.block;
    let [i, j, k] = place.thread;
    let who = (launch.linear_block(place.block), (k * y + j) * x + i);
    let Some(pc) = pc_of(plan, place) else { return };
    let (space, view) = whereabouts(plan, pc, fault.address);
    let seen = Sighting {
        kind,
        severity: Severity::Error,
        at: (pc, who),
        other: None,
        space,
        address: fault.address,
        place: fault.address.unwrap_or(0),
    };
    findings.note(launch.program, seen, |seen| fault_words(plan, seen, view, fault));
}

fn fault_words(plan: &Plan<'_>, seen: &Sighting, view: Option<usize>, fault: &Fault) -> Words {
    let who = thread(plan, seen.at.1);
    let name = view.and_then(|view| plan.views.get(view).cloned().flatten());
    let mut message = format!("{}: {}", capital(&who), fault.message);
    if let (Some(view), Some(name), Some(address)) = (view, &name, fault.address) {
        let (view, bytes) = (plan.launch.views[view], i64::from(element(plan, seen.at.0)));
        let index = (address as i64 - view.base as i64).div_euclid(bytes);
        let count = (view.end - view.base) / bytes as u64;
        message = format!("{message}; it is element {index} of {name}, which has {count} elements of {bytes} bytes");
    }
    let advice = match fault.kind {
        FaultKind::OutOfBounds => "Compare the index with the number of elements before the access.",
        FaultKind::Misaligned => "Make the address a multiple of the size of the access.",
        FaultKind::Timeout => "Look for a loop that does not end, or give the launch a larger budget.",
        _ => "Look at what led there.",
    };
    (name, message + ".", advice.to_owned())
}

/// The memory that an access was meant for, and the allocation nearest to its address.
fn whereabouts(plan: &Plan<'_>, pc: u32, address: Option<u64>) -> (Option<MemorySpace>, Option<usize>) {
    let Some(address) = address else { return (None, None) };
    let declared = match plan.launch.program.events.get(pc as usize) {
        Some(Event::Access(access) | Event::MatrixAccess(access)) => access.space,
        Some(Event::Phase(_) | Event::Warpgroup(_)) => Declared::Shared,
        Some(Event::BulkCopy(_)) if address < memory::SHARED => Declared::Shared,
        Some(Event::Copy(_)) if address < memory::SHARED => Declared::Shared,
        _ => Declared::Generic,
    };
    let space = match (declared, memory::window(address)) {
        (Declared::Shared, _) | (Declared::Generic, Window::Shared) => MemorySpace::Shared,
        (Declared::Local | Declared::Param, _) | (Declared::Generic, Window::Local) => MemorySpace::Local,
        _ => MemorySpace::Global,
    };
    let views = &plan.launch.views;
    let near = |at: usize| views.get(at).filter(|v| v.base >= memory::GLOBAL).map(|_| at);
    let at = views.partition_point(|v| v.base <= address);
    let behind = at.checked_sub(1).and_then(near).map(|at| (address.saturating_sub(views[at].end), at));
    let ahead = near(at).map(|at| (views[at].base - address, at));
    let nearest = behind.into_iter().chain(ahead).min().filter(|(distance, _)| *distance < 1 << 20);
    (Some(space), nearest.filter(|_| space == MemorySpace::Global).map(|(_, at)| at))
}

/// The instruction that a place names.
fn pc_of(plan: &Plan<'_>, place: &Place) -> Option<u32> {
    let program = plan.launch.program;
    (0..program.code.len() as u32).find(|&pc| {
        let origin = program.origins[pc as usize];
        program.functions[origin.function as usize].name == place.function
            && program.place(pc).is_some_and(|p| p.ptx_line == place.ptx_line && p.instruction == place.instruction)
    })
}
