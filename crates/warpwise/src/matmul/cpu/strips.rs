//! Strips of a panel, each packed by the first task that needs it.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::threads;

/// Nobody has started on the strip.
const OPEN: u8 = 0;
/// Somebody is packing it.
const CLAIMED: u8 = 1;
/// It is ready for use.
const PACKED: u8 = 2;

/// The state of each strip.
pub(super) struct Strips(Vec<AtomicU8>);

/// The right to pack a strip. When it is dropped, others may use the strip.
pub(super) struct Claim<'a>(&'a AtomicU8);

impl Strips {
    /// That many strips, none of them packed.
    pub(super) fn new(count: usize) -> Self {
        Self((0..count).map(|_| AtomicU8::new(OPEN)).collect())
    }

    /// The right to pack a strip, unless it has been claimed.
    pub(super) fn claim(&self, strip: usize) -> Option<Claim<'_>> {
        let state = &self.0[strip];
        let claimed = state.compare_exchange(OPEN, CLAIMED, Ordering::Relaxed, Ordering::Relaxed);
        claimed.ok().map(|_| Claim(state))
    }

    /// Waits until a claimed strip is packed.
    pub(super) fn wait(&self, strip: usize) {
        threads::wait_until(|| self.0[strip].load(Ordering::Acquire) == PACKED);
    }
}

impl Drop for Claim<'_> {
    // This also runs on a panic: others must not wait forever.
    fn drop(&mut self) {
        self.0.store(PACKED, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strip_is_claimed_once_and_then_packed() {
        let strips = Strips::new(2);
        let claim = strips.claim(1).unwrap();
        assert!(strips.claim(1).is_none());
        drop(claim);
        strips.wait(1);
        assert!(strips.claim(1).is_none());
        assert!(strips.claim(0).is_some());
    }
}
