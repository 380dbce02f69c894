//! Accesses to the heap of `malloc` that miss what they were meant for.

use super::super::findings::Words;
use super::super::runs::Run;
use super::super::scene::{At, Scene};
use super::super::words::{capital, thread};
use crate::lanes::lanes_of;
use crate::memory::{Heap, Stray};
use crate::report::{FaultKind, MemorySpace};

/// Reports the lanes whose accesses are not inside an allocation.
pub(super) fn look(scene: &mut Scene<'_>, at: &At<'_>, run: Run, heap: &Heap) {
    for lane in lanes_of(run.mask) {
        let along = if run.same { 0 } else { (lane as u64 - u64::from(run.lane)) * u64::from(run.bytes) };
        let address = run.address + along;
        if let Some(stray) = heap.stray(address, run.bytes.into()) {
            let who = at.thread(lane as u32);
            let seen = scene.sighting(FaultKind::OutOfBounds.into(), (at.pc, who), MemorySpace::Global, address);
            scene.note(seen, |plan, seen| words(&thread(plan, seen.at.1), stray, run.bytes));
        }
    }
}

fn words(thread: &str, stray: Stray, bytes: u32) -> Words {
    let object = Some("the device heap".to_owned());
    let s = if bytes == 1 { "" } else { "s" };
    let access = format!("{} accesses {bytes} byte{s}", capital(thread));
    let (message, advice) = match stray {
        Stray::Past { len, offset } => (
            format!("{access} at offset {offset} of an allocation of {len} bytes that malloc() returned."),
            "Compare the offset with the bytes that malloc() was asked for before the access.",
        ),
        Stray::Freed => (format!("{access} of memory that was freed."), "Call free() after the last use."),
        Stray::Nothing => (
            format!("{access} of the heap where malloc() has returned nothing."),
            "Use only pointers that malloc() returned.",
        ),
    };
    (object, message, advice.to_owned())
}
