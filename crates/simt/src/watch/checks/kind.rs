//! Kinds of access, and which of them can race.

use crate::image::event::{Access, Order, Scope};

/// What an access does, as far as races are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    /// It writes.
    pub(crate) write: bool,
    /// It also reads: an atomic.
    pub(crate) atomic: bool,
    /// Strong (atomic, volatile, relaxed, acquire, release), not weak.
    pub(super) strong: bool,
    /// Its scope reaches other blocks.
    pub(super) wide: bool,
    /// Bytes of an element; strong accesses of different sizes do not exclude a race.
    pub(super) size: u32,
}

impl Kind {
    /// A plain load.
    pub(crate) const READ: Self = Self { write: false, atomic: false, strong: false, wide: false, size: 0 };
    /// A plain store.
    pub(crate) const WRITE: Self = Self { write: true, ..Self::READ };

    /// The kind of a memory instruction.
    pub(crate) fn of(access: &Access) -> Self {
        let write = access.direction.writes();
        if access.order == Order::Weak && !access.direction.is_atomic() {
            return if write { Self::WRITE } else { Self::READ };
        }
        // A volatile access is a relaxed one that every thread of the system may see.
        let wide = matches!(access.order, Order::Volatile | Order::Mmio) || access.scope > Scope::Cta;
        Self { write, atomic: access.direction.is_atomic(), strong: true, wide, size: access.element }
    }

    /// Whether it reads.
    pub(super) fn reads(self) -> bool {
        !self.write || self.atomic
    }

    /// Whether it is a strong access.
    pub(crate) fn is_strong(self) -> bool {
        self.strong
    }

    /// Whether two accesses race if nothing orders them. Strong accesses of one size do not, if each is in the other's
    /// scope; two reads never do.
    pub(super) fn conflicts(self, other: Self, same_block: bool) -> bool {
        let together =
            self.strong && other.strong && self.size == other.size && (same_block || self.wide && other.wide);
        (self.write || other.write) && !together
    }

    /// Whether two accesses of lanes of a warp do not race and yet, if nothing orders them, give what they are meant to
    /// only while the lanes run in step: one reads what the other writes, and neither is an atomic.
    pub(super) fn in_step(self, other: Self) -> bool {
        self.strong && other.strong && !self.atomic && !other.atomic && self.write != other.write
    }

    /// Whether an access that races with `old` races with this one too, so that `old`, once it is ordered before this
    /// one, can be forgotten.
    pub(super) fn subsumes(self, old: Self) -> bool {
        let alike = self.strong && old.strong && self.size == old.size && self.wide == old.wide;
        match (self.strong, self.write) {
            (false, true) => true,
            (false, false) => !old.write,
            (true, true) => alike,
            (true, false) => alike && !old.write,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ATOMIC: Kind = Kind { write: true, atomic: true, strong: true, wide: true, size: 4 };
    const BLOCK_ATOMIC: Kind = Kind { wide: false, ..ATOMIC };
    const VOLATILE_READ: Kind = Kind { write: false, atomic: false, strong: true, wide: true, size: 4 };

    #[test]
    fn who_races_with_whom() {
        assert!(!Kind::READ.conflicts(Kind::READ, true));
        assert!(Kind::READ.conflicts(Kind::WRITE, true));
        assert!(!ATOMIC.conflicts(ATOMIC, false));
        assert!(ATOMIC.conflicts(Kind::READ, true));
        assert!(!VOLATILE_READ.conflicts(Kind::READ, true));
        assert!(!VOLATILE_READ.conflicts(ATOMIC, false));
        assert!(VOLATILE_READ.conflicts(Kind { size: 8, ..ATOMIC }, false), "sizes differ");
        assert!(!BLOCK_ATOMIC.conflicts(ATOMIC, true));
        assert!(BLOCK_ATOMIC.conflicts(ATOMIC, false), "the scope is the block");
    }

    #[test]
    fn who_counts_on_lanes_in_step() {
        let write = Kind { write: true, ..VOLATILE_READ };
        assert!(VOLATILE_READ.in_step(write) && write.in_step(VOLATILE_READ));
        assert!(!write.in_step(write) && !VOLATILE_READ.in_step(VOLATILE_READ));
        assert!(!VOLATILE_READ.in_step(ATOMIC) && !VOLATILE_READ.in_step(Kind::WRITE));
    }

    #[test]
    fn what_subsumes_races_with_all_that_the_old_one_did() {
        let kinds = [Kind::READ, Kind::WRITE, ATOMIC, BLOCK_ATOMIC, VOLATILE_READ, Kind { size: 8, ..ATOMIC }];
        for new in kinds {
            for old in kinds.into_iter().filter(|&old| new.subsumes(old)) {
                for third in kinds {
                    for same_block in [false, true] {
                        let implied = !old.conflicts(third, same_block) || new.conflicts(third, same_block);
                        assert!(implied, "{new:?} {old:?} {third:?}");
                    }
                }
            }
        }
    }
}
