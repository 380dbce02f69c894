//! The wording of races.

use super::record::Race;
use super::rounds::{Again, again, in_one_round};
use super::signals::Signal;
use super::{library, retries, updates};
use crate::image::event::Event;
use crate::report::{MemorySpace, Severity};
use crate::watch::checks::findings::{Sighting, Words, line_name};
use crate::watch::checks::kind::Kind;
use crate::watch::checks::plan::Plan;
use crate::watch::checks::words::{access, capital, element, object, thread};

/// A race.
pub(super) fn race(plan: &Plan<'_>, seen: &Sighting, view: Option<usize>, race: Race) -> Words {
    let program = plan.program;
    let (pc, who) = seen.at;
    let (other_pc, other) = seen.other.unwrap_or(seen.at);
    let space = seen.space.unwrap_or(MemorySpace::Global);
    let (object, place) = object(plan, space, view, seen.address.unwrap_or(0), element(plan, pc));
    let verb = |kind: Kind| match (kind.write, kind.atomic) {
        (_, true) => "changes",
        (true, _) => "writes",
        (false, _) => "reads",
    };
    let (did, does) = (verb(race.old.1), verb(race.new.1));
    let in_step = race.is_in_step();
    let guessed = retries::is_guess(program, pc, other_pc);
    let told = library::is_told(program, (other_pc, other.0, race.old.1), (pc, who.0, race.new.1));
    let harmless = if told {
        ": that is the library's code, whose blocks tell each other how far they are by accesses that order nothing"
    } else if guessed {
        ": what it finds may be out of date, which the compare-and-swap notices"
    } else if in_step {
        ": that is right only while the lanes of a warp run in step, which no GPU since Volta promises"
    } else if seen.severity == Severity::Warning {
        ", though both write the same value"
    } else {
        ""
    };
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
    let (a, b) = (line_name(program, pc.min(other_pc)), line_name(program, pc.max(other_pc)));
    let between =
        |what: &str| if a == b { format!("{what} around {a}") } else { format!("{what} between {a} and {b}") };
    let atomic = race.old.1.atomic || race.new.1.atomic;
    let read_only = |pc: u32| access(plan, pc).is_some_and(|access| access.read_only);
    let lost = updates::atomic(program, pc, other_pc).filter(|_| !atomic && !in_step);
    let (write, read) = if race.old.1.write { (other_pc, pc) } else { (pc, other_pc) };
    let far = other.0 != who.0 && seen.severity == Severity::Error && !atomic;
    let signal = far.then(|| Signal::between(program, write, read)).flatten();
    let advice = if told {
        "The program is not to blame, and hardware keeps the order, because what is written depends on what was read. \
         Where that is not enough, use the form that writes elsewhere, such as unique_copy() for unique()."
            .to_owned()
    } else if guessed {
        "Nothing is lost, because the loop tries again. To read a value in one piece on every GPU, read it through a \
         volatile pointer or with cuda::atomic_ref."
            .to_owned()
    } else if in_step {
        format!("Put {}.", between("__syncwarp()"))
    } else if let (Some(_), Some(lock)) = (&lost, signal.filter(|signal| !signal.narrow && signal.is_lock(program))) {
        format!("A lock orders what it protects only with fences: put __threadfence() {}.", lock.places(program))
    } else if let Some(atomic) = lost {
        // Advice may come from another pair of threads than the message, so it does not name the element.
        format!("Threads load, change and store it at once and lose each other's changes: use {atomic}.")
    } else if seen.severity == Severity::Warning {
        "Let one thread write it.".to_owned()
    } else if read_only(pc) || read_only(other_pc) {
        "Do not read through __ldg() or const __restrict__ what the same kernel writes.".to_owned()
    } else if other.0 != who.0 {
        match (atomic, race.old.1.write && race.new.1.write, signal) {
            (true, ..) => {
                "Use atomics of device scope for every access to it, or write it in another launch.".to_owned()
            }
            (false, true, _) => "Use atomics, or give every block elements of its own.".to_owned(),
            (false, false, Some(signal)) => signal.advice(program),
            (false, false, None) => {
                "Blocks run in any order: read and write different buffers, or split the kernel into two launches."
                    .to_owned()
            }
        }
    } else if other_pc == pc && race.new.1.write && race.old.1.write {
        "Let one thread write it, or use atomics.".to_owned()
    } else {
        // What an atomic changes, threads of all warps change.
        let within = other.1 / 32 == who.1 / 32 && (!atomic || plan.launch.threads() <= 32);
        let barrier = if within { "__syncwarp()" } else { "__syncthreads()" };
        let is_enough = |event: &Event| match event {
            Event::Barrier(barrier) => !barrier.counted && !barrier.arrive,
            Event::WarpBarrier => within,
            _ => false,
        };
        match again(program, pc, other_pc, is_enough) {
            Some(Again::Loop(last)) => format!(
                "Put {barrier} at the end of the loop's body, after {}: the race is between one round of the loop and \
                 the next.",
                line_name(program, last)
            ),
            Some(Again::Call(last)) => format!(
                "Put {barrier} at the end of the function, after {}: the race is between one call of it and the next.",
                line_name(program, last)
            ),
            None if a == b && in_one_round(program, read, write, is_enough) => {
                format!(
                    "Let all threads read before one writes: in {a}, read into a variable, wait at {barrier}, then write."
                )
            }
            None => format!("Put {}.", between(barrier)),
        }
    };
    (object, message, advice)
}
