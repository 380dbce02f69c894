//! Barriers of a block: `bar.sync`, `bar.arrive`, `bar.red`.
//!
//! A barrier counts threads, not warps, so it works for diverged lanes (compute capability 7.0 on). Completing it
//! starts a new generation; waiting threads compare generations, so none has to be woken.

/// What `bar.red` computes over the threads of a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduction {
    /// Number of threads whose predicate holds.
    Popc,
    /// Whether all hold.
    And,
    /// Whether any holds.
    Or,
}

/// One of a block's sixteen barriers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Barrier {
    /// Threads that have arrived in this generation.
    pub(crate) arrived: u32,
    /// Threads it waits for, if the instruction says; otherwise all threads that have not exited.
    pub(crate) expected: Option<u32>,
    /// Completions so far.
    pub(crate) generation: u32,
    /// Arrived threads whose predicate held.
    holding: u32,
    /// `(holding, arrived)` of the last two completed generations.
    results: [(u32, u32); 2],
}

impl Barrier {
    /// Records arrivals; returns the generation that the threads may wait for.
    pub(crate) fn arrive(&mut self, threads: u32, holding: u32, expected: Option<u32>, live: u32) -> u32 {
        let generation = self.generation;
        self.arrived += threads;
        self.holding += holding;
        if expected.is_some() {
            self.expected = expected;
        }
        self.settle(live);
        generation
    }

    /// Completes the barrier if all threads have arrived. `live` is the number of threads that have not exited.
    pub(crate) fn settle(&mut self, live: u32) {
        if self.arrived > 0 && self.arrived >= self.expected.unwrap_or(live) {
            self.results[(self.generation & 1) as usize] = (self.holding, self.arrived);
            let (generation, results) = (self.generation.wrapping_add(1), self.results);
            *self = Self { generation, results, ..Self::default() };
        }
    }

    /// The result of a reduction over that generation.
    pub(crate) fn result(&self, generation: u32, reduction: Reduction) -> u32 {
        let (holding, arrived) = self.results[(generation & 1) as usize];
        match reduction {
            Reduction::Popc => holding,
            Reduction::And => u32::from(holding == arrived),
            Reduction::Or => u32::from(holding > 0),
        }
    }
}

/// What the lanes of a reduction take from a complete barrier, and the slot that it goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Collect {
    pub(crate) reduction: Reduction,
    pub(crate) slot: u32,
}
