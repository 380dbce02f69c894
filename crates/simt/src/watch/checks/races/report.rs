//! Races, reported.

use super::record::Race;
use super::stamp::Parts;
use super::{RACE, Races, library, lockstep, retries, words};
use crate::image::event::Access;
use crate::lanes::lanes_of;
use crate::lanes::region::{self, Region};
use crate::report::{MemorySpace, Severity};
use crate::warp::Warp;
use crate::watch::checks::findings::Sighting;
use crate::watch::checks::scene::{At, Scene};

/// How often to wait for a store before its value counts as different.
const PATIENCE: usize = 1000;

impl<'p> Races<'p> {
    /// Reports the races of the current access.
    #[cold]
    pub(super) fn report(&mut self, scene: &mut Scene<'p>, at: &At<'_>, space: MemorySpace, view: Option<usize>) {
        let mut found = std::mem::take(&mut self.found);
        if scene.broken[at.slot()] {
            found.clear();
        }
        if !found.is_empty() {
            // SAFETY: the warp is at the instruction that the access was made from.
            let worked_out = at
                .access
                .filter(|_| at.addresses.is_none())
                .map(|access| unsafe { access.addresses(at.warp, &scene.plan.program.code[at.pc as usize]) });
            let at = At { addresses: at.addresses.or(worked_out.as_ref()), ..*at };
            found.drain(..).for_each(|(place, race)| self.report_one(scene, &at, (space, view), place as u64, race));
        }
        self.found = found;
    }

    fn report_one(
        &self,
        scene: &mut Scene<'p>,
        at: &At<'_>,
        (space, view): (MemorySpace, Option<usize>),
        place: u64,
        race: Race,
    ) {
        let (plan, program) = (scene.plan, scene.plan.program);
        let linear = at.warp.block().linear;
        let address = view.map_or(0, |view| plan.launch.views[view].base) + place;
        let who = |stamp: u64| {
            let Parts { block, thread, site, .. } = self.prepared.mode.layout.parts(stamp);
            // Stamps hold the low bits of a block's number.
            let block = if space == MemorySpace::Shared { linear } else { block };
            (self.prepared.pc(site), (block, thread))
        };
        let (old, new) = (who(race.old.0), who(race.new.0));
        let in_step = race.is_in_step();
        if in_step && !(space == MemorySpace::Shared && lockstep::is_warned_of(program, &race, [old.0, new.0])) {
            return;
        }
        let writes = at.access.zip(at.addresses).filter(|_| race.is_plain_writes());
        let agree = || {
            writes.is_some_and(|(access, addresses)| {
                let lanes = (old, new, at.mask, addresses);
                // SAFETY: the warp is at the instruction that the access was made from.
                unsafe { same_value(at.warp, access, lanes, (space, address), linear) }
            })
        };
        // The other block's store may be in progress on another host thread.
        let known = old.1.0 == linear || scene.findings.is_error(program, RACE, old.0, new.0);
        let patience = if known || writes.is_none() { 0 } else { PATIENCE };
        let harmless = agree()
            || (0..patience).any(|_| {
                std::thread::yield_now();
                agree()
            });
        let guessed = retries::is_guess(program, old.0, new.0);
        let told = library::is_told(program, (old.0, old.1.0, race.old.1), (new.0, new.1.0, race.new.1));
        // Findings of a block are identified by that block: the stamp of a thread may hold only part of its number.
        let seen = Sighting {
            at: new,
            severity: if harmless || in_step || guessed || told { Severity::Warning } else { Severity::Error },
            other: Some(old),
            ..scene.sighting(RACE, (new.0, (linear, new.1.1)), space, address)
        };
        scene.note(seen, |plan, seen| words::race(plan, seen, view, race));
    }
}

/// Where bytes of shared or global memory are on the host.
fn host(warp: &Warp<'_>, space: MemorySpace, address: u64, len: u64) -> Option<*mut u8> {
    match space {
        MemorySpace::Shared => region::Shared::range(warp, address, len),
        _ => region::Global::range(warp, address, len),
    }
}

/// The earlier writer, the current one, and the lanes of the instruction that writes.
type Writers<'a> = ((u32, (u64, u32)), (u32, (u64, u32)), u32, &'a [u64; 32]);

/// Whether a store writes the value that is already there.
///
/// # Safety
/// The warp must be at the instruction that the access was made from.
unsafe fn same_value(
    warp: &Warp<'_>,
    access: &Access,
    (old, new, mask, at): Writers<'_>,
    (space, address): (MemorySpace, u64),
    block: u64,
) -> bool {
    let lane = (new.1.1 % 32) as usize;
    // SAFETY: by contract.
    let Some(mine) = (unsafe { access.stored(warp, lane) }) else { return false };
    let other = (old.1.1 % 32) as usize;
    let together = old.0 == new.0 && old.1.0 == block && old.1.1 / 32 == new.1.1 / 32 && other != lane;
    if together && mask >> other & 1 == 1 && at[other] == at[lane] {
        // Two lanes of this instruction: all that write here must agree.
        return lanes_of(mask).filter(|&l| at[l] == at[lane]).all(|l| {
            // SAFETY: by contract.
            unsafe { access.stored(warp, l) }.as_ref() == Some(&mine)
        });
    }
    let from = address.saturating_sub(at[lane]) as usize;
    let len = mine.len().saturating_sub(from).min(4);
    let there = host(warp, space, at[lane] + from as u64, len as u64);
    // SAFETY: `host` vouches for that many bytes.
    let there = there.map(|there| unsafe { std::slice::from_raw_parts(there, len) });
    there.is_some_and(|there| mine.get(from..from + len) == Some(there))
}
