//! Memory: accesses outside the variable or buffer that they were meant for.
//!
//! An access outside all memory is reported whatever is checked. This check finds accesses that land in another
//! variable or buffer: if the code shows what an address was computed from ([`provenance`]), the access has to stay
//! there ([`bounds`]). What kernels allocate themselves is looked up in their [`heap`].

mod bounds;
mod heap;
mod provenance;

use super::check::{Check, CheckEntry};
use super::findings::{Sighting, Words};
use super::kind::Kind;
use super::plan::Plan;
use super::runs::Run;
use super::scene::{At, Scene};
use super::words::{bounds_advice, capital, element, thread};
use crate::image::event::Event;
use crate::memory::Heap;
use crate::report::FaultKind;
use crate::report::{FindingKind, MemorySpace, Severity};
use crate::warp::Warp;
use bounds::{Bounds, bounds};

/// An access outside the object its address was computed from; the fault that stops a kernel has the same name.
const OUT_OF_BOUNDS: FindingKind = FindingKind::new("out_of_bounds", Severity::Error);

pub(super) const ENTRY: CheckEntry =
    CheckEntry::new("memory", "accesses outside a buffer or variable", &[OUT_OF_BOUNDS]);

/// The check.
pub(super) struct Memory<'p> {
    plan: &'p Plan<'p>,
    /// By program counter.
    bounds: &'p [Option<Bounds>],
    /// The heap, and its number among the views.
    heap: Option<(usize, &'p Heap)>,
}

impl Memory<'_> {
    fn bounds(&self, pc: u32) -> Option<&Bounds> {
        self.bounds.get(pc as usize)?.as_ref()
    }
}

impl<'p> Check<'p> for Memory<'p> {
    type Prepared = Vec<Option<Bounds>>;

    fn prepare(plan: &Plan<'p>) -> Vec<Option<Bounds>> {
        bounds(plan.program, plan.launch, &plan.shared, &plan.ranges)
    }

    fn new(plan: &'p Plan<'p>, bounds: &'p Vec<Option<Bounds>>) -> Self {
        let heap = plan.launch.heap;
        let view = |heap: &'p Heap| plan.launch.views.iter().position(|v| v.base == heap.base()).map(|at| (at, heap));
        Self { plan, bounds, heap: heap.and_then(view) }
    }

    fn wants(_: &Vec<Option<Bounds>>, _: u32, event: &Event) -> bool {
        event.touches_memory()
    }

    #[inline(always)]
    fn limits(&self, warp: &Warp<'_>, pc: u32) -> Option<(u64, u64)> {
        let base = u64::from(warp.local_base);
        Some(match *self.bounds(pc)? {
            Bounds::Shared(start, end) => (start, end),
            Bounds::Local(start, end) => (start + base, end + base),
            Bounds::Global(view) => (self.plan.launch.views[view].base, self.plan.launch.views[view].end),
        })
    }

    #[inline(always)]
    fn fits(&self, _: &Warp<'_>, pc: u32, _: bool, (start, end): (u64, u64), _: impl Iterator<Item = Run>) -> bool {
        match self.bounds(pc) {
            None => true,
            Some(Bounds::Shared(from, to)) => start >= *from && end <= *to,
            Some(Bounds::Local(..) | Bounds::Global(_)) => false,
        }
    }

    #[inline(always)]
    fn global(&mut self, scene: &mut Scene<'p>, at: &At<'_>, run: Run, _: Kind, (view, _): (usize, u64)) {
        if let Some((_, heap)) = self.heap.filter(|(number, _)| *number == view) {
            heap::look(scene, at, run, heap);
        }
    }

    fn strays(&mut self, scene: &mut Scene<'p>, at: &At<'_>, run: Run, limits: (u64, u64)) {
        let Some(bounds) = self.bounds(at.pc) else { return };
        let variable = match bounds {
            Bounds::Shared(..) => self.plan.shared.iter().find(|v| (v.start, v.end) == limits),
            _ => None,
        };
        let (space, object) = match bounds {
            Bounds::Shared(..) => (MemorySpace::Shared, variable.map(|v| v.name.clone())),
            Bounds::Local(..) => (MemorySpace::Local, None),
            Bounds::Global(view) => (MemorySpace::Global, self.plan.views.get(*view).cloned().flatten()),
        };
        let dynamic = variable.is_some_and(|v| v.dynamic);
        let kind = FaultKind::OutOfBounds.into();
        let seen = scene.sighting(kind, (at.pc, at.thread(run.lane)), space, run.address);
        scene.note(seen, |plan, seen| words(plan, seen, (object, dynamic), run, limits));
    }
}

fn words(
    plan: &Plan<'_>,
    seen: &Sighting,
    (object, dynamic): (Option<String>, bool),
    run: Run,
    (start, end): (u64, u64),
) -> Words {
    let bytes = u64::from(element(plan, seen.at.0).min(run.bytes).max(1));
    let name = object.clone().unwrap_or_else(|| "its local array".to_owned());
    let message = format!(
        "{} accesses element {} of {name}, which has {} elements of {bytes} bytes.",
        capital(&thread(plan, seen.at.1)),
        (run.address as i64 - start as i64).div_euclid(bytes as i64),
        (end - start) / bytes
    );
    (object, message, bounds_advice(plan, dynamic))
}
