//! Launches that kernels ask for (CUDA's dynamic parallelism).
//!
//! A kernel gets a buffer for the parameters of a launch, fills it and launches. The launch starts when the grid that
//! asked for it has ended, which is what CUDA promises: a kernel cannot wait for its own launches.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Between two buffers.
const ALIGN: u64 = 64;
/// The stream of launches that come after all others of their grid.
const TAIL: u64 = 3;

/// A launch that a kernel asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Child {
    /// Index of the kernel's function.
    pub(crate) function: u32,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub(crate) shared_bytes: u32,
    /// Bytes of its parameters.
    pub(crate) param_bytes: u32,
}

/// The launches that a grid has asked for, and device memory for their parameters.
#[derive(Debug)]
pub(crate) struct Children {
    base: u64,
    bytes: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Offset of the part that nobody has had yet.
    fresh: u64,
    /// Buffers by address, of launches that are not yet made.
    waiting: HashMap<u64, Child>,
    /// What was launched, with its buffer, in order.
    launched: Vec<(u64, Child)>,
    /// The same for what comes last.
    last: Vec<(u64, Child)>,
}

impl Children {
    /// With buffers in that part of device memory.
    pub(crate) fn new(base: u64, bytes: u64) -> Self {
        Self { base, bytes, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The address of a buffer for the parameters of a launch; null if there is no more room.
    pub(crate) fn buffer(&self, child: Child) -> u64 {
        let mut state = self.state();
        let taken = u64::from(child.param_bytes.max(1)).next_multiple_of(ALIGN);
        if state.fresh + taken > self.bytes {
            return 0;
        }
        let address = self.base + state.fresh;
        state.fresh += taken;
        state.waiting.insert(address, child);
        address
    }

    /// Launches what a buffer is for; false if it is none, or was launched before.
    pub(crate) fn launch(&self, buffer: u64, stream: u64) -> bool {
        let mut state = self.state();
        let Some(child) = state.waiting.remove(&buffer) else { return false };
        if stream == TAIL { &mut state.last } else { &mut state.launched }.push((buffer, child));
        true
    }

    /// What was launched, with the address of the parameters, in the order in which it runs. Buffers are free again.
    pub(crate) fn take(&self) -> Vec<(u64, Child)> {
        let State { mut launched, mut last, .. } = std::mem::take(&mut *self.state());
        launched.append(&mut last);
        launched
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn child(function: u32, param_bytes: u32) -> Child {
        Child { function, grid: [1; 3], block: [1; 3], shared_bytes: 0, param_bytes }
    }

    #[test]
    fn launches_run_in_order_and_tails_last() {
        let children = Children::new(0x1000, 256);
        let buffers: Vec<u64> = (0..3).map(|n| children.buffer(child(n, 65 * n))).collect();
        assert_eq!(buffers, [0x1000, 0x1040, 0], "the third does not fit");
        let third = children.buffer(child(2, 8));
        assert!(children.launch(buffers[0], TAIL) && children.launch(third, 0) && !children.launch(third, 0));
        assert!(!children.launch(0x1004, 0), "not a buffer");
        let order: Vec<u32> = children.take().into_iter().map(|(_, child)| child.function).collect();
        assert_eq!(order, [2, 0], "the second was never launched");
        assert!(children.take().is_empty() && !children.launch(buffers[1], 0));
        assert_eq!(children.buffer(child(0, 8)), 0x1000);
    }
}
