//! Integer division by zero: its result is not defined.

use super::super::findings::{Sighting, Words};
use super::super::plan::Plan;
use super::super::scene::{At, Scene};
use super::super::words::{capital, thread};
use crate::lanes::lanes_of;
use crate::report::{FindingKind, Severity};

/// A division, or the remainder of one, by zero.
pub(super) const DIVISION_BY_ZERO: FindingKind = FindingKind::new("division_by_zero", Severity::Warning);

/// Lanes divide by zero.
#[cold]
pub(super) fn note(scene: &mut Scene<'_>, at: &At<'_>) {
    for lane in lanes_of(at.mask) {
        let who = at.thread(lane as u32);
        let seen = Sighting::new(DIVISION_BY_ZERO, (at.pc, who), who.0 << 10 ^ u64::from(who.1));
        scene.note(seen, |plan, seen| words(plan, seen));
    }
}

fn words(plan: &Plan<'_>, seen: &Sighting) -> Words {
    let who = capital(&thread(plan, seen.at.1));
    let message = format!("{who} divides an integer by zero, the result of which is not defined.");
    (None, message, "Divide only where the divisor is not zero.".to_owned())
}
