//! What is said of accesses past the end of allocations, and of shared memory, that a machine lets pass, as hardware does.

use super::plan::Plan;
use super::words::{bounds_advice, capital, thread};
use crate::exec::Job;
use crate::report::{FaultKind, Finding, MemorySpace, Place, Severity};
use crate::warp::{Padding, Past};

/// The findings of a launch whose machine lets such accesses pass; none otherwise.
pub(crate) fn past_the_end(job: &Job<'_>) -> Vec<Finding> {
    let all = job.launch.padding.map(Padding::all).unwrap_or_default();
    if all.is_empty() {
        return Vec::new();
    }
    let plan = Plan::new(job);
    let finding = |(pc, past): (u32, Past)| {
        let (block, number, address) = past.first;
        let (space, object, name, offset, len, unit) = match past.view {
            Some(view) => {
                let object = plan.views.get(view).cloned().flatten();
                let name = object.clone().unwrap_or_else(|| "an allocation".to_owned());
                let view = job.launch.views.get(view)?;
                (MemorySpace::Global, object, name, address - view.base, view.end - view.base, "memory in units of 512")
            }
            None => {
                let (name, len) = ("the block's shared memory".to_owned(), job.launch.shared_bytes.into());
                (MemorySpace::Shared, None, name, address, len, "shared memory in units of 128")
            }
        };
        let s = if past.bytes == 1 { "" } else { "s" };
        let [x, y, _] = job.launch.block;
        let place = job.program.image.place(pc).map(|place| Place {
            block: job.launch.block_at(block),
            thread: [number % x, number / x % y, number / x / y],
            ..place
        });
        Some(Finding {
            kind: FaultKind::OutOfBounds.into(),
            severity: Severity::Warning,
            message: format!(
                "{} accesses {} byte{s} at offset {offset} of {name}, which has {len} bytes; a GPU does not notice, \
                 because it gives {unit} bytes.",
                capital(&thread(&plan, (block, number))),
                past.bytes
            ),
            advice: bounds_advice(&plan, false),
            count: past.count,
            more: false,
            place: place.map(Box::new),
            other: None,
            space: Some(space),
            object,
            address: Some(address),
        })
    };
    all.into_iter().filter_map(finding).collect()
}
