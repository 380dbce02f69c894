//! The same launch without one kind of waste: what removing it would save.

use crate::cache::BuildSectorHasher;
use std::collections::HashSet;
use warpwise_arch::{AccessAction, AccessSpace, RecordedAccess, Recording};

/// A kind of waste that a launch can be estimated without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waste {
    /// Accesses of a warp to global memory that touch more sectors than their bytes need.
    Uncoalesced,
    /// Passes through the banks of shared memory beyond the least.
    BankConflicts,
    /// Lanes that meet at an address with atomics.
    AtomicContention,
    /// Waiting for the block at barriers.
    Barriers,
    /// Exchanges through shared memory between barriers: a shuffle needs neither, and no store before the load.
    Exchanges,
}

/// The recording of a launch that has no such waste. Barriers and stores are left in: they are instructions, which
/// [`estimate_without`](crate::estimate_without) passes over.
pub(crate) fn without(recording: &Recording, waste: Waste) -> Recording {
    let mut changed = recording.clone();
    match waste {
        Waste::Uncoalesced => coalesce(&mut changed, |access| !is_atomic(access)),
        Waste::BankConflicts => {
            for access in &mut changed.accesses {
                access.wavefronts = access.wavefronts.min(access.least_wavefronts);
            }
        }
        Waste::AtomicContention => {
            for access in changed.accesses.iter_mut().filter(|access| is_atomic(access)) {
                access.largest = 1;
                access.wavefronts = access.wavefronts.min(access.least_wavefronts.max(1));
            }
            // Every lane has an address of its own, beside that of the next lane.
            let lanes = changed.atomics.len() as u64;
            changed.atomics = (0..lanes).map(|lane| (lane * 128, 1)).collect();
            changed.atomic_addresses = u64::MAX;
            spread(&mut changed);
        }
        Waste::Barriers | Waste::Exchanges => {}
    }
    changed
}

fn is_atomic(access: &RecordedAccess) -> bool {
    matches!(access.action, AccessAction::Atomic | AccessAction::Reduction)
}

/// Most lanes with which each access was made.
fn lanes(recording: &Recording) -> Vec<u32> {
    let mut lanes = vec![0; recording.accesses.len()];
    for step in recording.recorded.iter().flat_map(|block| &block.warps).flat_map(|warp| &warp.steps) {
        if let Some(most) = lanes.get_mut(step.access as usize) {
            *most = step.mask.count_ones().max(*most);
        }
    }
    lanes
}

/// Sectors that the bytes of so many lanes need.
fn least(access: &RecordedAccess, lanes: u32) -> u16 {
    (lanes * u32::from(access.bytes)).div_ceil(32).max(1) as u16
}

/// Lets accesses touch as few sectors as they need, one after the other, out of as many as they touch altogether.
fn coalesce(recording: &mut Recording, wanted: impl Fn(&RecordedAccess) -> bool) {
    let lanes = lanes(recording);
    let wasteful = |access: &RecordedAccess, lanes: u32| {
        access.space == AccessSpace::Global && wanted(access) && access.sectors > least(access, lanes)
    };
    let mut touched: HashSet<u64, BuildSectorHasher> = HashSet::default();
    for (access, &lanes) in recording.accesses.iter().zip(&lanes) {
        if wasteful(access, lanes) {
            let from = access.first as usize;
            touched.extend(&recording.sectors[from..from + usize::from(access.sectors)]);
        }
    }
    let mut touched: Vec<u64> = touched.into_iter().collect();
    touched.sort_unstable();
    let mut next = 0;
    for (access, &lanes) in recording.accesses.iter_mut().zip(&lanes) {
        if !wasteful(access, lanes) {
            continue;
        }
        access.sectors = least(access, lanes);
        access.first = recording.sectors.len() as u32;
        for _ in 0..access.sectors {
            recording.sectors.push(touched[next % touched.len()]);
            next += 1;
        }
        if access.action == AccessAction::Store {
            access.whole = access.sectors;
        }
    }
}

/// Gives atomics on global memory sectors of their own, as many as their lanes need.
fn spread(recording: &mut Recording) {
    /// Beyond all addresses.
    const FRESH: u64 = 1 << 60;
    let lanes = lanes(recording);
    for (access, &lanes) in recording.accesses.iter_mut().zip(&lanes) {
        if access.space == AccessSpace::Global && is_atomic(access) {
            access.sectors = least(access, lanes);
            access.wavefronts = access.sectors;
            access.first = recording.sectors.len() as u32;
            let first = FRESH + u64::from(access.first);
            recording.sectors.extend(first..first + u64::from(access.sectors));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpwise_arch::{RecordedBlock, RecordedStep, RecordedWarp};

    fn access(action: AccessAction, sectors: u16) -> RecordedAccess {
        RecordedAccess {
            space: AccessSpace::Global,
            action,
            bytes: 4,
            sectors,
            first: 0,
            whole: 0,
            wavefronts: 32,
            least_wavefronts: 1,
            largest: 32,
        }
    }

    fn recording(access: RecordedAccess) -> Recording {
        let step = RecordedStep { place: 0, mask: u32::MAX, access: 0 };
        let warp = RecordedWarp { steps: vec![step], executed: 1 };
        Recording {
            blocks: 1,
            blocks_run: 1,
            recorded: vec![RecordedBlock { number: 0, warps: vec![warp] }],
            accesses: vec![access],
            sectors: (0..32).map(|k| k * 100).collect(),
            atomics: vec![(64, 32)],
            atomic_addresses: 1,
            ..Recording::default()
        }
    }

    #[test]
    fn a_coalesced_access_touches_as_much_as_its_bytes_need() {
        let wide = without(&recording(access(AccessAction::Store, 32)), Waste::Uncoalesced);
        let store = wide.accesses[0];
        assert_eq!((store.sectors, store.whole), (4, 4));
        assert_eq!(wide.sectors[store.first as usize..], [0, 100, 200, 300]);
        let good = recording(access(AccessAction::Load, 4));
        assert_eq!(without(&good, Waste::Uncoalesced), good);
    }

    #[test]
    fn each_waste_is_removed_alone() {
        let all = recording(access(AccessAction::Reduction, 1));
        let no_conflicts = without(&all, Waste::BankConflicts).accesses[0];
        assert_eq!((no_conflicts.wavefronts, no_conflicts.largest), (1, 32));
        let apart = without(&all, Waste::AtomicContention);
        assert_eq!((apart.accesses[0].largest, apart.accesses[0].sectors, apart.atomics[0].1), (1, 4, 1));
        assert_eq!(without(&all, Waste::Barriers), all);
    }
}
