//! Idle barriers: a `__syncthreads()` that orders nothing.
//!
//! A barrier orders what threads of the block did to memory before it. If none of them has touched shared or global
//! memory since the barrier before, or since the block started, it only costs time. One that reduces a predicate
//! (`__syncthreads_count()` and the like) exchanges values and is never idle.

use super::arrival::Arrival;
use super::check::{Check, CheckEntry};
use super::findings::{Sighting, Words};
use super::kind::Kind;
use super::plan::Plan;
use super::runs::Run;
use super::scene::{At, Scene};
use super::words::{capital, thread};
use crate::image::event::Event;
use crate::report::{FindingKind, Severity};
use crate::warp::BlockState;

/// A barrier that orders nothing.
const IDLE_BARRIER: FindingKind = FindingKind::new("idle_barrier", Severity::Warning);

pub(super) const ENTRY: CheckEntry = CheckEntry {
    in_all: false,
    ..CheckEntry::new("idle-barriers", "__syncthreads() with no access to memory before it", &[IDLE_BARRIER])
};

/// The check.
pub(super) struct IdleBarriers {
    /// By slot.
    blocks: Vec<Block>,
}

/// A running block.
#[derive(Clone, Default)]
struct Block {
    /// Barriers so far.
    barriers: u64,
    /// A thread has touched memory since the last of them.
    touched: bool,
}

impl IdleBarriers {
    fn touch(&mut self, at: &At<'_>) {
        self.blocks[at.slot()].touched = true;
    }
}

impl<'p> Check<'p> for IdleBarriers {
    type Prepared = ();

    fn prepare(_: &Plan<'p>) {}

    fn new(_: &'p Plan<'p>, (): &'p ()) -> Self {
        Self { blocks: Vec::new() }
    }

    fn wants((): &(), _: u32, event: &Event) -> bool {
        event.touches_memory() || matches!(event, Event::Barrier(_) | Event::Exit | Event::Return)
    }

    fn block_starts(&mut self, block: &BlockState) {
        let slot = block.slot as usize;
        self.blocks.resize(self.blocks.len().max(slot + 1), Block::default());
        self.blocks[slot] = Block::default();
    }

    fn shared(&mut self, _: &mut Scene<'p>, at: &At<'_>, _: Run, _: Kind) {
        self.touch(at);
    }

    fn global(&mut self, _: &mut Scene<'p>, at: &At<'_>, _: Run, _: Kind, _: (usize, u64)) {
        self.touch(at);
    }

    fn strays(&mut self, _: &mut Scene<'p>, at: &At<'_>, _: Run, _: (u64, u64)) {
        self.touch(at);
    }

    fn copy_starts(&mut self, _: &mut Scene<'p>, at: &At<'_>, _: Run) {
        self.touch(at);
    }

    fn copy_lands(&mut self, _: &mut Scene<'p>, at: &At<'_>, _: Run) {
        self.touch(at);
    }

    fn copy_tells(&mut self, _: &mut Scene<'p>, at: &At<'_>, _: Run, _: Kind) {
        self.touch(at);
    }

    fn meets(&mut self, scene: &mut Scene<'p>, state: &BlockState, _: u32, arrivals: &[Arrival], whole: bool) {
        if !whole {
            return;
        }
        let block = &mut self.blocks[state.slot as usize];
        let (before, touched) = (block.barriers, std::mem::take(&mut block.touched));
        block.barriers += 1;
        let exchanges = arrivals.iter().any(|a| a.barrier.reduction);
        let Some(first) = arrivals.iter().min_by_key(|a| a.warp).filter(|_| !touched && !exchanges) else { return };
        let who = (state.linear, first.warp * 32 + first.mask.trailing_zeros());
        let seen = Sighting::new(IDLE_BARRIER, (first.pc, who), state.linear << 24 ^ before);
        scene.note(seen, |plan, seen| words(plan, seen, before));
    }
}

fn words(plan: &Plan<'_>, seen: &Sighting, before: u64) -> Words {
    let since = if before == 0 { "the block started" } else { "the barrier before it" };
    let message = format!(
        "{} waits at a barrier that orders nothing: no thread of the block has touched shared or global memory since \
         {since}.",
        capital(&thread(plan, seen.at.1))
    );
    (None, message, "Leave the barrier out.".to_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::{Checks, Finding, Gpu, Launch, Machine, Program, Severity};

    /// What is found in two blocks of 64 threads.
    fn found(checks: &str, body: &str) -> Vec<Finding> {
        let text = format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n.reg .pred %p<3>;\n\
             .reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.local .b8 depot[8];\n.shared .b32 tile[64];\n\
             ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, tile;\n\
             mad.lo.u32 %r3, %r1, 4, %r2;\n{body}\nret;\n}}\n"
        );
        let mut machine = Machine::new(Gpu::named("h200").expect("in the table"));
        let module = machine.load(Arc::new(Program::load(&text).expect("valid PTX"))).expect("nothing to resolve");
        let out = machine.alloc(4).expect("small");
        let mut launch = Launch::new([2, 1, 1], [64, 1, 1], out.0.to_le_bytes().to_vec());
        launch.watch.checks = checks.parse().expect("a check");
        machine.launch(module, "k", &launch).expect("the kernel ends well").findings
    }

    fn idle(body: &str) -> Vec<(u64, String)> {
        let found = found("idle-barriers", body);
        assert!(found.iter().all(|f| (f.kind.name(), f.severity) == ("idle_barrier", Severity::Warning)));
        found.into_iter().map(|f| (f.count, f.message)).collect()
    }

    #[test]
    fn a_barrier_with_nothing_before_it_is_idle() {
        let found = idle("bar.sync 0;");
        let message = "Thread 0 of block 0 waits at a barrier that orders nothing: no thread of the block has touched \
                       shared or global memory since the block started.";
        assert_eq!(found, [(2, message.to_owned())], "once in each block");
        let local = idle("st.shared.u32 [%r3], %r1; bar.sync 0; st.local.u32 [depot], %r1; bar.sync 0;");
        assert_eq!(local.len(), 1, "local memory is each thread's own: {local:?}");
        assert!(local[0].1.ends_with("since the barrier before it."), "{}", local[0].1);
    }

    #[test]
    fn one_thread_that_touches_memory_is_enough() {
        for body in [
            "st.shared.u32 [%r3], %r1; bar.sync 0; ld.shared.u32 %r4, [%r3]; bar.sync 0;",
            "setp.eq.u32 %p1, %r1, 40; @%p1 ld.global.u32 %r4, [%rd1]; bar.sync 0;",
            "setp.eq.u32 %p1, %r1, 0; @%p1 red.global.add.u32 [%rd1], 1; bar.sync 0;",
        ] {
            assert_eq!(idle(body), [], "{body}");
        }
    }

    #[test]
    fn values_may_be_exchanged_and_some_may_meet() {
        assert_eq!(idle("setp.ne.u32 %p1, %r1, 3; bar.red.popc.u32 %r4, 0, %p1;"), []);
        assert_eq!(idle("bar.sync 1, 64;"), [], "a barrier of so many threads is not looked at");
    }

    #[test]
    fn nobody_hears_of_it_unasked() {
        assert!(!Checks::ALL.has("idle-barriers"));
        assert_eq!(found("all", "bar.sync 0;"), []);
        assert_eq!(found("all,idle-barriers", "bar.sync 0;").len(), 1);
    }
}
