//! What one multiprocessor gets of what all of them share: the second-level cache, memory, atomics.

use crate::code::Cost;
use crate::machine::Machine;
use std::collections::{HashMap, HashSet};
use std::hash::Hasher;
use warpwise_arch::{AccessAction, AccessSpace, RecordedAccess, Recording};

use crate::cache::{BuildSectorHasher, SectorHasher};

/// Room that a sector takes more in the second-level cache if it was written.
const WRITTEN: f64 = 0.5;

/// Cycles that a sector takes on the way of one multiprocessor, and where sectors are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shares {
    /// Multiprocessors that have blocks.
    pub(crate) sms: f64,
    pub(crate) l2_sector: f64,
    pub(crate) dram_sector: f64,
    pub(crate) partial_sector: f64,
    /// Of sectors that the first-level cache lacks, the share that comes from memory, of 2^16.
    in_memory: u64,
    /// Of sectors that are written, the share that goes to memory.
    written_back: u64,
    /// Cycles of the GPU for a lane of an atomic, and for one at an address that others of its warp use.
    atomic_lane: f64,
    atomic_largest: f64,
}

impl Shares {
    pub(crate) fn new(recording: &Recording, machine: &Machine, footprint: Option<u64>, costs: &[Cost]) -> Self {
        let rates = &machine.rates;
        let sms = machine.sms.min(recording.blocks as f64).max(1.0);
        let link = 32.0 / rates.sm_link;
        let traffic = Traffic::new(recording);
        let scale = recording.blocks as f64 / recording.recorded.len().max(1) as f64;
        // Each block's own sectors, all blocks; of what several blocks touch, only the first one finds it in memory.
        let asked = 32.0 * scale * traffic.by_block;
        let most = footprint.map_or(asked, |bytes| bytes as f64);
        // What is written takes more room.
        let touched = asked.min(most);
        let room = touched * (1.0 + WRITTEN * traffic.written / traffic.by_block.max(1.0));
        let kept = rates.l2_keeps * machine.l2;
        let lost = rates.l2_loses * machine.l2;
        let missing = ((room - kept) / (lost - kept).max(1.0)).clamp(0.0, 1.0);
        let first = if asked > 0.0 { touched / asked } else { 0.0 };
        let part = |share: f64| (share.clamp(0.0, 1.0) * 65536.0) as u64;
        let (lane, largest) = atomics(recording, machine, scale, sms, costs);
        Self {
            sms,
            l2_sector: (32.0 * sms / machine.l2_rate).max(link),
            dram_sector: 32.0 * sms / machine.dram_rate,
            partial_sector: (sms / rates.partial_sectors).max(link),
            in_memory: part(missing * first),
            written_back: part(missing * first),
            atomic_lane: lane,
            atomic_largest: largest,
        }
    }

    fn spread(sector: u64) -> u64 {
        let mut hasher = SectorHasher::default();
        hasher.write_u64(sector / 4);
        hasher.finish() >> 20 & 0xffff
    }

    pub(crate) fn is_in_memory(&self, sector: u64) -> bool {
        Self::spread(sector) < self.in_memory
    }

    pub(crate) fn is_written_back(&self, sector: u64) -> bool {
        Self::spread(sector) < self.written_back
    }

    /// Cycles for which an atomic of a warp holds this multiprocessor's share of the atomic units.
    pub(crate) fn atomic(&self, access: &RecordedAccess) -> f64 {
        let lanes = f64::from(access.sectors.max(1));
        (self.atomic_lane * lanes).max(self.atomic_largest * f64::from(access.largest.max(1)))
    }

    /// The same for one that a single lane does.
    pub(crate) fn atomic_of_one(&self) -> f64 {
        self.atomic_lane.max(self.atomic_largest)
    }
}

/// What the recorded blocks touch.
struct Traffic {
    /// Sectors that a block touches, summed over the blocks.
    by_block: f64,
    /// Of them, those that it writes.
    written: f64,
}

impl Traffic {
    fn new(recording: &Recording) -> Self {
        let (mut by_block, mut written) = (0.0, 0.0);
        let mut seen: HashSet<u64, BuildSectorHasher> = HashSet::default();
        let mut stored: HashSet<u64, BuildSectorHasher> = HashSet::default();
        for block in &recording.recorded {
            seen.clear();
            stored.clear();
            for warp in &block.warps {
                let more = warp.executed as f64 / warp.steps.len().max(1) as f64;
                let before = (seen.len(), stored.len());
                for step in warp.steps.iter().filter(|s| s.access != u32::MAX) {
                    let access = &recording.accesses[step.access as usize];
                    if access.space != AccessSpace::Shared {
                        let from = access.first as usize;
                        let sectors = &recording.sectors[from..from + usize::from(access.sectors)];
                        seen.extend(sectors);
                        if access.action == AccessAction::Store {
                            stored.extend(sectors);
                        }
                    }
                }
                by_block += (seen.len() - before.0) as f64 * more.max(1.0);
                written += (stored.len() - before.1) as f64 * more.max(1.0);
            }
        }
        Self { by_block, written }
    }
}

/// Cycles of this multiprocessor's share for a sector of an atomic, and for a lane at the busiest address.
///
/// What all atomics of the launch take together is that of the busiest of: an address, to which lanes come one after the
/// other; a line, whose sectors are taken one after the other, quickly if a warp uses all of their words and slowly if
/// it uses some; and all units of the GPU. The multiprocessors share it.
fn atomics(recording: &Recording, machine: &Machine, scale: f64, sms: f64, costs: &[Cost]) -> (f64, f64) {
    let rates = &machine.rates;
    let all: f64 = recording.atomics.iter().map(|&(_, lanes)| lanes as f64).sum();
    if all == 0.0 {
        return (0.0, 0.0);
    }
    let float = costs.iter().any(|cost| cost.float_atomic);
    let (mut sectors, mut largest, mut lanes, mut asked) = (0.0, 0.0, 0.0, 0.0);
    // Turns of sectors in each region, which is in one slice of the cache.
    let mut turns = 0.0;
    let mut regions: HashMap<u64, f64> = HashMap::new();
    let region = (rates.atomic_region / 32.0).max(1.0) as u64;
    for step in recording.recorded.iter().flat_map(|b| &b.warps).flat_map(|w| &w.steps) {
        let Some(access) = recording.accesses.get(step.access as usize) else { continue };
        let atomic = matches!(access.action, AccessAction::Atomic | AccessAction::Reduction);
        if atomic && access.space == AccessSpace::Global {
            let gathered = costs.get(step.place as usize).is_some_and(|cost| cost.gathered);
            let active = f64::from(step.mask.count_ones());
            sectors += f64::from(access.sectors);
            largest += if gathered { 1.0 } else { f64::from(access.largest) };
            lanes += if gathered { 1.0 } else { active };
            asked += active;
            let own = &recording.sectors[access.first as usize..access.first as usize + usize::from(access.sectors)];
            let of_access = if gathered { 1.0 } else { f64::from(access.wavefronts) / own.len().max(1) as f64 };
            turns += of_access * own.len() as f64;
            for sector in own {
                *regions.entry(sector / region).or_default() += of_access;
            }
        }
    }
    // Of lanes that ask, those that come.
    let come = if asked > 0.0 { lanes / asked } else { 1.0 };
    let busiest = come * recording.atomics.first().map_or(0.0, |&(_, lanes)| lanes as f64);
    // Lanes of a sector that are taken together.
    let together = if turns > 0.0 { lanes / turns } else { 1.0 };
    let of_sector = if together > 6.0 { rates.atomic_sector } else { rates.atomic_line };
    let of_sector = of_sector.max(together * rates.atomic_in_line);
    let line = regions.values().copied().fold(0.0, f64::max) * of_sector;
    let address = busiest * if float { rates.atomic_float } else { rates.atomic_address };
    let units = sectors / rates.atomic_lanes;
    // An address alone in its line is all of it.
    let alone = regions.len() == 1 && recording.atomic_addresses == 1;
    let line = if alone { 0.0 } else { line };
    let total = address.max(line).max(units) * scale;
    let each = |count: f64| if count > 0.0 { total / (count * scale) * sms } else { 0.0 };
    if address >= line.max(units) { (0.0, each(largest)) } else { (each(sectors), 0.0) }
}
