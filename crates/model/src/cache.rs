//! The first-level cache of a multiprocessor: sectors, the least recently used one goes first.

use std::collections::HashMap;

/// Sectors with the time at which they are there.
pub(crate) struct Cache {
    capacity: usize,
    /// Where each sector is in the list.
    at: HashMap<u64, u32, BuildSectorHasher>,
    slots: Vec<Slot>,
    head: u32,
    tail: u32,
}

struct Slot {
    sector: u64,
    filled: u64,
    before: u32,
    after: u32,
}

/// Sectors are spread by one multiplication.
#[derive(Clone, Copy, Default)]
pub(crate) struct SectorHasher(u64);

impl std::hash::Hasher for SectorHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 29;
    }
}

/// Makes [`SectorHasher`]s.
pub(crate) type BuildSectorHasher = std::hash::BuildHasherDefault<SectorHasher>;

const NONE: u32 = u32::MAX;

impl Cache {
    pub(crate) fn new(sectors: usize) -> Self {
        Self { capacity: sectors.max(1), at: HashMap::default(), slots: Vec::new(), head: NONE, tail: NONE }
    }

    /// When a sector is there, if it was asked for before and is still kept.
    pub(crate) fn find(&mut self, sector: u64) -> Option<u64> {
        let at = *self.at.get(&sector)?;
        self.unlink(at);
        self.link(at);
        Some(self.slots[at as usize].filled)
    }

    /// A sector will be there at that time.
    pub(crate) fn fill(&mut self, sector: u64, filled: u64) {
        if let Some(&at) = self.at.get(&sector) {
            self.slots[at as usize].filled = filled;
            return;
        }
        let at = if self.slots.len() < self.capacity {
            self.slots.push(Slot { sector, filled, before: NONE, after: NONE });
            self.slots.len() as u32 - 1
        } else {
            let oldest = self.tail;
            self.unlink(oldest);
            self.at.remove(&self.slots[oldest as usize].sector);
            let slot = &mut self.slots[oldest as usize];
            (slot.sector, slot.filled) = (sector, filled);
            oldest
        };
        self.at.insert(sector, at);
        self.link(at);
    }

    fn unlink(&mut self, at: u32) {
        let Slot { before, after, .. } = self.slots[at as usize];
        match before {
            NONE => self.head = after,
            _ => self.slots[before as usize].after = after,
        }
        match after {
            NONE => self.tail = before,
            _ => self.slots[after as usize].before = before,
        }
    }

    fn link(&mut self, at: u32) {
        let head = self.head;
        let slot = &mut self.slots[at as usize];
        (slot.before, slot.after) = (NONE, head);
        match head {
            NONE => self.tail = at,
            _ => self.slots[head as usize].before = at,
        }
        self.head = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_goes_first() {
        let mut cache = Cache::new(2);
        assert_eq!(cache.find(7), None);
        cache.fill(7, 10);
        cache.fill(8, 20);
        assert_eq!(cache.find(7), Some(10));
        cache.fill(9, 30);
        assert_eq!((cache.find(8), cache.find(7), cache.find(9)), (None, Some(10), Some(30)));
    }
}
