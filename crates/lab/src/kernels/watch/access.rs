//! Accesses to memory, as a record shows them.

use super::lanes;
use super::values::{Reading, encode};
use serde::Serialize;
use warpwise_gpu::Counters;
use warpwise_simt::observe::{AccessKind, Space};

/// An access as it was observed.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) kind: AccessKind,
    pub(super) space: Space,
    pub(super) bytes: u32,
    pub(super) mask: u32,
    pub(super) addresses: [u64; 32],
    /// Whether counters count it: those of copy engines and matrix units, for example, they do not.
    pub(super) counted: bool,
}

/// An access of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AccessRecord {
    /// `load`, `store`, `atomic` or `reduction`.
    pub kind: &'static str,
    /// `global`, `shared`, `local`, `constant` or `parameter`.
    pub space: &'static str,
    /// Bytes of each lane.
    pub bytes: u32,
    /// Where each lane's access starts: an address, or an offset in shared or local memory.
    pub at: String,
    /// Passes through the banks, for loads and stores of shared memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passes: Option<u32>,
    /// Passes beyond what its width needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflicts: Option<u32>,
    /// Sectors of 32 bytes that are moved, for loads and stores of global and local memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sectors: Option<u32>,
    /// Different bytes that are asked for, in global memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<u32>,
    /// Lanes that are not alone at their address, for atomics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meeting: Option<u32>,
    /// Lanes at the address that has most, for atomics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
}

impl Seen {
    pub(super) fn is_atomic(&self) -> bool {
        matches!(self.kind, AccessKind::Atomic | AccessKind::Reduction)
    }

    pub(super) fn kind_name(&self) -> &'static str {
        match self.kind {
            AccessKind::Load => "load",
            AccessKind::Store => "store",
            AccessKind::Atomic => "atomic",
            AccessKind::Reduction => "reduction",
        }
    }

    pub(super) fn space_name(&self) -> &'static str {
        match self.space {
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Constant => "constant",
            Space::Parameter => "parameter",
        }
    }

    /// Whether a lane's bytes and those of another access have any in common.
    pub(super) fn overlaps(&self, lane: usize, other: &Self, other_lane: usize) -> bool {
        let (a, b) = (self.addresses[lane], other.addresses[other_lane]);
        self.space == other.space && a < b + u64::from(other.bytes) && b < a + u64::from(self.bytes)
    }

    /// As the record shows it.
    pub(super) fn record(&self) -> AccessRecord {
        let Self { mask, bytes, addresses, .. } = self;
        let mut record = AccessRecord {
            kind: self.kind_name(),
            space: self.space_name(),
            bytes: *bytes,
            at: encode(*mask, addresses, Reading::Unsigned),
            passes: None,
            conflicts: None,
            sectors: None,
            asked: None,
            meeting: None,
            most: None,
        };
        match self.space {
            _ if self.is_atomic() => {
                let (meeting, most) = lanes::collisions(*mask, addresses);
                (record.meeting, record.most) = (Some(meeting), Some(most));
            }
            Space::Shared => {
                let found = lanes::passes(*mask, *bytes, addresses);
                (record.passes, record.conflicts) = (Some(found.passes), Some(found.conflicts));
            }
            Space::Global => {
                let (sectors, asked) = lanes::sectors(*mask, *bytes, addresses);
                (record.sectors, record.asked) = (Some(sectors), Some(asked));
            }
            Space::Local => record.sectors = Some(lanes::local_sectors(*mask, *bytes, addresses)),
            Space::Constant | Space::Parameter => {}
        }
        record
    }

    /// Adds what counters say of it.
    pub(super) fn count(&self, record: &AccessRecord, c: &mut Counters) {
        if !self.counted {
            return;
        }
        let [passes, conflicts, sectors, asked] =
            [record.passes, record.conflicts, record.sectors, record.asked].map(|n| u64::from(n.unwrap_or(0)));
        let add = |counters: [&mut u64; 3], values: [u64; 3]| {
            counters.into_iter().zip(values).for_each(|(counter, value)| *counter += value);
        };
        match (self.space, self.kind) {
            (Space::Global, AccessKind::Load) => add(
                [&mut c.global_load_requests, &mut c.global_load_sectors, &mut c.global_load_bytes],
                [1, sectors, asked],
            ),
            (Space::Global, AccessKind::Store) => add(
                [&mut c.global_store_requests, &mut c.global_store_sectors, &mut c.global_store_bytes],
                [1, sectors, asked],
            ),
            (Space::Shared, AccessKind::Load) => add(
                [&mut c.shared_load_requests, &mut c.shared_load_wavefronts, &mut c.shared_load_conflicts],
                [1, passes, conflicts],
            ),
            (Space::Shared, AccessKind::Store) => add(
                [&mut c.shared_store_requests, &mut c.shared_store_wavefronts, &mut c.shared_store_conflicts],
                [1, passes, conflicts],
            ),
            (Space::Local, AccessKind::Load) => {
                add([&mut c.local_load_requests, &mut c.local_load_sectors, &mut 0], [1, sectors, 0]);
            }
            (Space::Local, AccessKind::Store) => {
                add([&mut c.local_store_requests, &mut c.local_store_sectors, &mut 0], [1, sectors, 0]);
            }
            (Space::Global | Space::Shared, AccessKind::Atomic | AccessKind::Reduction) => {
                let atomics = if self.space == Space::Global { &mut c.global_atomics } else { &mut c.shared_atomics };
                *atomics += 1;
                c.atomic_collisions += u64::from(record.meeting.unwrap_or(0));
                c.atomic_contention = c.atomic_contention.max(record.most.unwrap_or(0).into());
            }
            _ => {}
        }
    }
}
