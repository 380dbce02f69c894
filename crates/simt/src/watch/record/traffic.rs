//! The accesses of recorded blocks: sectors, passes through banks, addresses of atomics.

use std::collections::HashMap;

use super::super::count::lanes;
use super::NONE;
use crate::image::event::{Access, Declared, Direction};
use crate::lanes::lanes_of;
use crate::memory::{self, Window};
use warpwise_arch::{AccessAction, AccessSpace, RecordedAccess};

/// Bytes of a sector.
const SECTOR: u64 = 32;
/// Local memory is numbered apart from global memory.
const LOCAL: u64 = 1 << 59;

/// Accesses by number.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    pub(super) accesses: Vec<RecordedAccess>,
    pub(super) sectors: Vec<u64>,
    /// Lanes of atomics on global memory, by address.
    pub(super) atomics: HashMap<u64, u64>,
}

impl Traffic {
    /// An access by the addresses of its lanes. `warp` is a number that no other warp of the launch has.
    pub(super) fn access(&mut self, access: &Access, mask: u32, addresses: &[u64; 32], warp: u64) -> u32 {
        self.of_bytes(access, access.bytes, mask, addresses, warp)
    }

    fn of_bytes(&mut self, access: &Access, bytes: u32, mask: u32, addresses: &[u64; 32], warp: u64) -> u32 {
        let first = addresses[mask.trailing_zeros() as usize & 31];
        let action = match access.direction {
            Direction::Load => AccessAction::Load,
            Direction::Store => AccessAction::Store,
            Direction::Atomic => AccessAction::Atomic,
            Direction::Reduction => AccessAction::Reduction,
        };
        let generic = |address: u64| match memory::window(address) {
            Window::Shared => Some(AccessSpace::Shared),
            Window::Local => Some(AccessSpace::Local),
            Window::Const => Some(AccessSpace::Constant),
            Window::Param => None,
            Window::Other => Some(AccessSpace::Global),
        };
        let space = match access.space {
            Declared::Global => Some(AccessSpace::Global),
            Declared::Shared => Some(AccessSpace::Shared),
            Declared::Local => Some(AccessSpace::Local),
            Declared::Const => Some(AccessSpace::Constant),
            Declared::Param => None,
            Declared::Generic => generic(first),
        };
        match space {
            None => NONE,
            Some(AccessSpace::Global) => self.global(action, bytes, mask, addresses),
            Some(AccessSpace::Shared) => self.shared(action, bytes, mask, addresses),
            Some(AccessSpace::Local) => self.local(action, bytes, mask, addresses, warp),
            Some(AccessSpace::Constant) => self.constant(bytes, mask, addresses),
        }
    }

    /// An access to global memory.
    pub(super) fn global(&mut self, action: AccessAction, bytes: u32, mask: u32, addresses: &[u64; 32]) -> u32 {
        let first = self.sectors.len();
        let of_lane = |lane: usize| {
            let (from, to) = (addresses[lane] / SECTOR, (addresses[lane] + u64::from(bytes.max(1)) - 1) / SECTOR);
            from..=to
        };
        self.sectors.extend(lanes_of(mask).flat_map(of_lane));
        let own = &mut self.sectors[first..];
        own.sort_unstable();
        let mut kept = 0;
        for at in 0..own.len() {
            if at == 0 || own[at] != own[kept - 1] {
                own[kept] = own[at];
                kept += 1;
            }
        }
        self.sectors.truncate(first + kept);
        let mut record = blank(AccessSpace::Global, action, bytes);
        (record.first, record.sectors) = (first as u32, kept as u16);
        match action {
            AccessAction::Store => {
                let written = lanes::sectors(mask, bytes, |lane| addresses[lane]).bytes;
                record.whole = if written as usize == 32 * kept { kept as u16 } else { (written / 32) as u16 };
                // Bytes that are spread evenly fill no sector.
                if (written as usize) < 32 * kept && kept * 32 >= 2 * written as usize {
                    record.whole = 0;
                }
            }
            AccessAction::Atomic | AccessAction::Reduction => {
                record.largest = lanes::contention(mask, |lane| addresses[lane]).largest as u8;
                record.wavefronts = turns(mask, addresses) as u16;
                record.least_wavefronts = kept as u16;
                for lane in lanes_of(mask) {
                    *self.atomics.entry(addresses[lane]).or_default() += 1;
                }
            }
            AccessAction::Load | AccessAction::Copy => {}
        }
        self.push(record)
    }

    /// A copy of many bytes in a row.
    pub(super) fn bulk(&mut self, from: u64, bytes: u64) -> u32 {
        let first = self.sectors.len();
        self.sectors.extend(from / SECTOR..(from + bytes.max(1)).div_ceil(SECTOR));
        let mut record = blank(AccessSpace::Global, AccessAction::Copy, 16);
        (record.first, record.sectors) = (first as u32, (self.sectors.len() - first).min(u16::MAX.into()) as u16);
        self.push(record)
    }

    fn shared(&mut self, action: AccessAction, bytes: u32, mask: u32, addresses: &[u64; 32]) -> u32 {
        let passes = lanes::wavefronts(mask, bytes, |lane| addresses[lane]);
        let mut record = blank(AccessSpace::Shared, action, bytes);
        record.wavefronts = passes.wavefronts as u16;
        record.least_wavefronts = (passes.wavefronts - passes.conflicts) as u16;
        if matches!(action, AccessAction::Atomic | AccessAction::Reduction) {
            record.largest = lanes::contention(mask, |lane| addresses[lane]).largest as u8;
        }
        self.push(record)
    }

    /// Words of the same number lie side by side for the lanes of a warp.
    fn local(&mut self, action: AccessAction, bytes: u32, mask: u32, addresses: &[u64; 32], warp: u64) -> u32 {
        let first = self.sectors.len();
        let words = u64::from(bytes.div_ceil(4));
        let base = LOCAL | (warp & 0xff_ffff_ffff) << 18;
        let of_lane = |lane: usize| {
            let word = (addresses[lane] / 4) & 0xffff;
            (0..words).map(move |k| base + 4 * (word + k) + lane as u64 / 8)
        };
        self.sectors.extend(lanes_of(mask).flat_map(of_lane));
        self.sectors[first..].sort_unstable();
        let mut own = self.sectors.split_off(first);
        own.dedup();
        self.sectors.extend(&own);
        let mut record = blank(AccessSpace::Local, action, bytes);
        (record.first, record.sectors, record.whole) = (first as u32, own.len() as u16, own.len() as u16);
        self.push(record)
    }

    /// Constants: all lanes that want the same word get it at once.
    fn constant(&mut self, bytes: u32, mask: u32, addresses: &[u64; 32]) -> u32 {
        let mut words: Vec<u64> = lanes_of(mask).map(|lane| addresses[lane]).collect();
        words.sort_unstable();
        words.dedup();
        if words.len() < 2 {
            return NONE;
        }
        let mut record = blank(AccessSpace::Constant, AccessAction::Load, bytes);
        (record.wavefronts, record.least_wavefronts) = (words.len() as u16, 1);
        self.push(record)
    }

    /// A piece of a matrix access: the first one, or added to the access that those before it made.
    pub(super) fn piece(
        &mut self,
        access: &Access,
        bytes: u32,
        mask: u32,
        addresses: &[u64; 32],
        warp: u64,
        before: u32,
    ) -> u32 {
        let number = self.of_bytes(access, bytes, mask, addresses, warp);
        if number == NONE || before == NONE {
            return if number == NONE { before } else { number };
        }
        let more = self.accesses[number as usize];
        let sum = &mut self.accesses[before as usize];
        // Pieces follow each other, so their sectors do too.
        if u32::from(sum.sectors) + sum.first == more.first {
            sum.sectors += more.sectors;
        }
        sum.wavefronts += more.wavefronts;
        sum.least_wavefronts += more.least_wavefronts;
        sum.whole += more.whole;
        if sum.space == AccessSpace::Global {
            // Several pieces lie in a sector.
            let mut own = self.sectors.split_off(sum.first as usize);
            own.sort_unstable();
            own.dedup();
            sum.sectors = own.len() as u16;
            sum.whole = sum.whole.min(sum.sectors);
            self.sectors.extend(&own);
        }
        self.accesses.pop();
        before
    }

    fn push(&mut self, record: RecordedAccess) -> u32 {
        self.accesses.push(record);
        self.accesses.len() as u32 - 1
    }
}

/// Turns that sectors take for atomics: lanes at one address come one after the other, those at others together.
fn turns(mask: u32, addresses: &[u64; 32]) -> usize {
    let mut own: Vec<u64> = lanes_of(mask).map(|lane| addresses[lane]).collect();
    own.sort_unstable();
    let of_sector = |sector: &[u64]| sector.chunk_by(|a, b| a == b).map(<[u64]>::len).max().unwrap_or(0);
    own.chunk_by(|a, b| a / SECTOR == b / SECTOR).map(of_sector).sum()
}

fn blank(space: AccessSpace, action: AccessAction, bytes: u32) -> RecordedAccess {
    RecordedAccess {
        space,
        action,
        bytes: bytes.min(255) as u8,
        sectors: 0,
        first: 0,
        whole: 0,
        wavefronts: 0,
        least_wavefronts: 0,
        largest: 0,
    }
}
