//! Vector clocks.

/// How much of each stream's work is known to have ended: an event of a program is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// By stream, the number of its last piece of work that is known; those that are missing are 0.
    times: Vec<u64>,
}

impl Clock {
    /// The time of a stream.
    pub(super) fn of(&self, lane: usize) -> u64 {
        self.times.get(lane).copied().unwrap_or(0)
    }

    /// The next time of a stream.
    pub(super) fn advance(&mut self, lane: usize) -> u64 {
        if self.times.len() <= lane {
            self.times.resize(lane + 1, 0);
        }
        self.times[lane] += 1;
        self.times[lane]
    }

    /// Learns all that another knows.
    pub(super) fn join(&mut self, other: &Self) {
        if self.times.len() < other.times.len() {
            self.times.resize(other.times.len(), 0);
        }
        for (own, &others) in self.times.iter_mut().zip(&other.times) {
            *own = (*own).max(others);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_learn_and_never_forget() {
        let mut a = Clock::default();
        assert_eq!((a.advance(2), a.advance(2), a.of(0), a.of(7)), (1, 2, 0, 0));
        let mut b = Clock::default();
        b.advance(0);
        b.join(&a);
        assert_eq!((b.of(0), b.of(2)), (1, 2));
        b.join(&Clock::default());
        assert_eq!((b.of(0), b.of(2)), (1, 2));
    }
}
