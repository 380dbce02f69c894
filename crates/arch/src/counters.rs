//! The counters.

use serde::{Deserialize, Serialize};
use std::ops::{AddAssign, Sub};

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Counts of events, named as in reports. They count per warp, unless they say threads. In files, those that
        /// are zero are left out.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct Counters {
            $($(#[$doc])* #[serde(skip_serializing_if = "is_zero")] pub $name: u64,)*
            /// The largest number of lanes that one atomic instruction of a warp sent to one address.
            #[serde(skip_serializing_if = "is_zero")]
            pub atomic_contention: u64,
        }

        impl AddAssign<&Self> for Counters {
            fn add_assign(&mut self, other: &Self) {
                $(self.$name += other.$name;)*
                self.atomic_contention = self.atomic_contention.max(other.atomic_contention);
            }
        }

        impl Sub for Counters {
            type Output = Self;

            fn sub(self, other: Self) -> Self {
                Self {
                    $($name: self.$name - other.$name,)*
                    atomic_contention: self.atomic_contention,
                }
            }
        }

        impl Counters {
            /// Counters of `all` blocks, from those of `run` of them.
            ///
            /// ```
            /// let some = warpwise_arch::Counters { barriers: 3, ..Default::default() };
            /// assert_eq!(some.scaled(200, 2).barriers, 300);
            /// ```
            #[must_use]
            pub fn scaled(&self, all: u64, run: u64) -> Self {
                let scale = |count: u64| (u128::from(count) * u128::from(all) / u128::from(run.max(1))) as u64;
                Self { $($name: scale(self.$name),)* atomic_contention: self.atomic_contention }
            }

            /// Every counter with its name, in report order.
            pub fn named(&self) -> impl Iterator<Item = (&'static str, u64)> {
                [$((stringify!($name), self.$name),)* ("atomic_contention", self.atomic_contention)].into_iter()
            }
        }
    };
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

counters! {
    /// PTX instructions, once per warp, including those that the guard turns off for every lane.
    warp_instructions,
    /// PTX instructions, once for every lane that executes them.
    thread_instructions,
    /// Branches that lanes may or may not take: conditional ones and branch tables.
    branches,
    /// Branches whose lanes went more than one way.
    divergent_branches,
    /// Loads from global memory with at least one active lane.
    global_load_requests,
    /// Aligned 32-byte sectors that those loads touched.
    global_load_sectors,
    /// Distinct bytes that those loads asked for, at most 32 per sector.
    global_load_bytes,
    /// Stores to global memory with at least one active lane.
    global_store_requests,
    /// Aligned 32-byte sectors that those stores touched.
    global_store_sectors,
    /// Distinct bytes that those stores wrote, at most 32 per sector.
    global_store_bytes,
    /// Loads from shared memory with at least one active lane.
    shared_load_requests,
    /// Passes through the banks that those loads took.
    shared_load_wavefronts,
    /// Passes beyond those of conflict-free loads of their width.
    shared_load_conflicts,
    /// Stores to shared memory with at least one active lane.
    shared_store_requests,
    /// Passes through the banks that those stores took.
    shared_store_wavefronts,
    /// Passes beyond those of conflict-free stores of their width.
    shared_store_conflicts,
    /// Loads from local memory with at least one active lane.
    local_load_requests,
    /// Aligned 32-byte sectors that those loads touched; words of the same number lie side by side for a warp.
    local_load_sectors,
    /// Stores to local memory with at least one active lane.
    local_store_requests,
    /// Aligned 32-byte sectors that those stores touched; words of the same number lie side by side for a warp.
    local_store_sectors,
    /// Atomic instructions on global memory, `atom` and `red`.
    global_atomics,
    /// Atomic instructions on shared memory, `atom` and `red`.
    shared_atomics,
    /// Lanes of atomic instructions that met another lane of the same instruction at their address.
    atomic_collisions,
    /// Barriers of the block that a warp arrived at.
    barriers,
}
