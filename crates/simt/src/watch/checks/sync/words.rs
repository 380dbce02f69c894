//! The wording of findings about barriers and warp-wide operations.

use crate::watch::checks::findings::{Sighting, Words, line_name};
use crate::watch::checks::plan::Plan;
use crate::watch::checks::words::{capital, thread};

/// Why a barrier or warp-wide operation is at fault.
pub(super) enum Why {
    /// Threads arrive at the barrier with different counts.
    Counts(u32, Option<u32>, Option<u32>),
    /// Threads wait at different barriers.
    TwoBarriers,
    /// A thread of the block went another way.
    Bypassed(u32),
    /// A thread of the block went another way and has exited.
    Exited,
    /// A lane of the warp went another way.
    LaneBypassed(u32),
    /// A lane executes an operation whose mask does not name it.
    NotInMask,
    /// Lanes of one operation name different sets.
    MasksDiffer,
}

impl Why {
    pub(super) fn words(&self, plan: &Plan<'_>, seen: &Sighting) -> Words {
        let who = capital(&thread(plan, seen.at.1));
        let other = seen.other.map(|(_, other)| thread(plan, other)).unwrap_or_default();
        let same_block = |t: u32| thread(plan, (seen.at.1.0, t));
        let (message, advice) = match *self {
            Self::Counts(id, first, second) => {
                let text = |count: Option<u32>| count.map_or("all threads".to_owned(), |n| format!("{n} threads"));
                let (first, second) = (text(first), text(second));
                (
                    format!("{who} waits for {second} at barrier {id}, {other} for {first}."),
                    "Give every use of the barrier the same number of threads.",
                )
            }
            Self::TwoBarriers => (
                format!("{who} waits at another barrier than {other}."),
                "Move __syncthreads() to where every thread of the block comes to the same one.",
            ),
            Self::Bypassed(t) => (
                format!("{who} waits at a barrier that {} goes around.", same_block(t)),
                "Move __syncthreads() out of the condition, so that every thread of the block executes it.",
            ),
            Self::Exited => {
                let line = seen.other.map(|(pc, _)| line_name(plan.program, pc)).unwrap_or_default();
                (
                    format!(
                        "{who} waits at a barrier that {other} never comes to: by the condition of {line} it has left \
                         the kernel."
                    ),
                    "It works only because a barrier does not wait for threads that have exited: move __syncthreads() \
                     out of the condition, so that every thread of the block executes it.",
                )
            }
            Self::LaneBypassed(t) => (
                format!("{who} names {} in its mask, which goes around the operation.", same_block(t)),
                "Name only the lanes that execute it, or move it out of the condition.",
            ),
            Self::NotInMask => (
                format!("{who} executes a warp operation whose mask does not name it."),
                "Let every lane that executes it be in its mask.",
            ),
            Self::MasksDiffer => (
                format!("{who} names {other}, which names another set of lanes."),
                "Let all lanes of one operation use the same mask.",
            ),
        };
        (None, message, advice.to_owned())
    }
}
