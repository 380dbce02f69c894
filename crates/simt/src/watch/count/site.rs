//! Instructions that access memory, and the sums over their accesses.

use super::lanes;
use crate::image::event::{Access, AddressKind, Declared, Direction, Event};
use crate::lanes::lanes_of;
use crate::memory::{self, Window};
use crate::report::Counters;

/// A memory that accesses are counted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    Global,
    Shared,
    Local,
}

impl Memory {
    pub(super) const ALL: [Self; 3] = [Self::Global, Self::Shared, Self::Local];

    /// The memory of a generic address; constants and parameters have no counters.
    pub(super) fn of(address: u64) -> Option<Self> {
        match memory::window(address) {
            Window::Shared => Some(Self::Shared),
            Window::Local => Some(Self::Local),
            Window::Const | Window::Param => None,
            Window::Other => Some(Self::Global),
        }
    }

    /// What a pattern remembers of an access besides its lanes: the memory and the bytes of a lane.
    pub(super) fn tag(self, bytes: u32) -> u32 {
        bytes << 2 | self as u32
    }

    fn of_tag(tag: u32) -> (Self, u32) {
        (Self::ALL[(tag & 3).min(2) as usize], tag >> 2)
    }
}

/// How the addresses are taken from the warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// From a register of 32-bit lanes.
    Narrow,
    /// From a register of 64-bit lanes.
    Wide,
    /// Computed one by one.
    Any,
}

/// An instruction that accesses memory; `cp.async` is two.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) route: Route,
    /// The memory, if the instruction says.
    pub(super) memory: Option<Memory>,
    /// That and its bytes, for patterns.
    pub(super) tag: u32,
    direction: Direction,
    pub(super) counters: Counters,
}

impl Site {
    /// The sites of an instruction.
    pub(super) fn of(event: &Event) -> impl Iterator<Item = Self> {
        let (first, second) = match event {
            Event::Access(access) => (Self::access(access), None),
            Event::MatrixAccess(access) => (Self::access(access).map(|s| Self { route: Route::Any, ..s }), None),
            Event::Copy(copy) => {
                let site = |memory, direction| Self::new(Route::Any, Some(memory), copy.bytes, direction);
                (Some(site(Memory::Global, Direction::Load)), Some(site(Memory::Shared, Direction::Store)))
            }
            _ => (None, None),
        };
        first.into_iter().chain(second)
    }

    fn new(route: Route, memory: Option<Memory>, bytes: u32, direction: Direction) -> Self {
        let tag = memory.unwrap_or(Memory::Global).tag(bytes);
        Self { route, memory, tag, direction, counters: Counters::default() }
    }

    fn access(access: &Access) -> Option<Self> {
        let memory = match access.space {
            Declared::Global => Some(Memory::Global),
            Declared::Shared => Some(Memory::Shared),
            Declared::Local => Some(Memory::Local),
            Declared::Generic => None,
            // Constants have a separate cache, and a call's parameters are registers on a GPU.
            Declared::Const | Declared::Param => return None,
        };
        let route = match (access.address, memory) {
            (AddressKind::Reg32, Some(Memory::Shared)) => Route::Narrow,
            (AddressKind::Reg64, Some(Memory::Shared | Memory::Global)) => Route::Wide,
            _ => Route::Any,
        };
        Some(Self::new(route, memory, access.bytes, access.direction))
    }

    /// Adds an access of the lanes of a mask that was seen some number of times.
    pub(super) fn add(&mut self, tag: u32, mask: u32, addresses: &[u64; 32], times: u64) {
        let (memory, bytes) = Memory::of_tag(tag);
        let address = |lane: usize| addresses[lane];
        let count = |counter: &mut u64, each: u32| *counter += times * u64::from(each);
        let c = &mut self.counters;
        if self.direction.is_atomic() {
            match memory {
                Memory::Global => count(&mut c.global_atomics, 1),
                Memory::Shared => count(&mut c.shared_atomics, 1),
                Memory::Local => return,
            }
            let contention = lanes::contention(mask, address);
            count(&mut c.atomic_collisions, contention.meeting);
            c.atomic_contention = c.atomic_contention.max(contention.largest.into());
            return;
        }
        let loads = self.direction == Direction::Load;
        match memory {
            Memory::Global => {
                let s = lanes::sectors(mask, bytes, address);
                let [requests, sectors, used] = if loads {
                    [&mut c.global_load_requests, &mut c.global_load_sectors, &mut c.global_load_bytes]
                } else {
                    [&mut c.global_store_requests, &mut c.global_store_sectors, &mut c.global_store_bytes]
                };
                count(requests, 1);
                count(sectors, s.sectors);
                count(used, s.bytes);
            }
            Memory::Shared => {
                let w = lanes::wavefronts(mask, bytes, address);
                let [requests, wavefronts, conflicts] = if loads {
                    [&mut c.shared_load_requests, &mut c.shared_load_wavefronts, &mut c.shared_load_conflicts]
                } else {
                    [&mut c.shared_store_requests, &mut c.shared_store_wavefronts, &mut c.shared_store_conflicts]
                };
                count(requests, 1);
                count(wavefronts, w.wavefronts);
                count(conflicts, w.conflicts);
            }
            Memory::Local => {
                let [requests, sectors] = if loads {
                    [&mut c.local_load_requests, &mut c.local_load_sectors]
                } else {
                    [&mut c.local_store_requests, &mut c.local_store_sectors]
                };
                count(requests, 1);
                count(sectors, local_sectors(mask, bytes, addresses));
            }
        }
    }
}

/// All of them.
#[derive(Default)]
pub(super) struct Sites {
    sites: Vec<Site>,
    /// Accesses that repeat those of each site, and how far from them in a row.
    followers: Vec<Vec<(u32, u64)>>,
}

impl Sites {
    pub(super) fn len(&self) -> usize {
        self.sites.len()
    }

    pub(super) fn get(&self, site: u32) -> Option<&Site> {
        self.sites.get(site as usize)
    }

    /// Those from one on.
    pub(super) fn from(&self, site: u32) -> &[Site] {
        self.sites.get(site as usize..).unwrap_or_default()
    }

    pub(super) fn tag(&self, site: u32) -> u32 {
        self.sites[site as usize].tag
    }

    pub(super) fn extend(&mut self, more: impl Iterator<Item = Site>) {
        self.sites.extend(more);
        self.followers.resize(self.sites.len(), Vec::new());
    }

    /// From now on, every access of one site counts for another as well, that far from it.
    pub(super) fn follow(&mut self, leader: u32, follower: u32, apart: i64) {
        self.followers[leader as usize].push((follower, apart as u64));
    }

    /// Adds an access of the lanes of a mask that was seen some number of times.
    pub(super) fn add(&mut self, site: u32, tag: u32, mask: u32, addresses: &[u64; 32], times: u64) {
        self.sites[site as usize].add(tag, mask, addresses, times);
        for &(follower, apart) in &self.followers[site as usize] {
            let follower = &mut self.sites[follower as usize];
            follower.add(follower.tag, mask, &addresses.map(|address| address.wrapping_add(apart)), times);
        }
    }
}

/// Sectors of an access to local memory. Words of the same number lie side by side for the 32 lanes of a warp, so a
/// warp whose lanes all read their own word 5 reads 128 bytes in a row.
fn local_sectors(mask: u32, bytes: u32, offsets: &[u64; 32]) -> u32 {
    let words = u64::from(bytes.div_ceil(4));
    let touched = lanes_of(mask).flat_map(|lane| (0..words).map(move |k| (offsets[lane] / 4 + k, lane / 8)));
    let mut touched: Vec<_> = touched.collect();
    touched.sort_unstable();
    touched.dedup();
    touched.len() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_words_lie_side_by_side() {
        assert_eq!(local_sectors(u32::MAX, 4, &[16; 32]), 4);
        assert_eq!(local_sectors(u32::MAX, 16, &[16; 32]), 16);
        assert_eq!(local_sectors(u32::MAX, 1, &[5; 32]), 4);
        assert_eq!(local_sectors(0x0000_0101, 4, &[0; 32]), 2);
        assert_eq!(local_sectors(u32::MAX, 4, &std::array::from_fn(|lane| 4 * lane as u64)), 32);
    }
}
