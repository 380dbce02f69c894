//! What an observer hears, in order.

use std::sync::Arc;

use crate::exec::Watcher;
use crate::image::event::{Access, BlockBarrier, CopyLanes, Event, Order, Scope};
use crate::warp::{BlockState, Warp};
use crate::{Gpu, Launch, Machine, Program};

/// Records everything.
#[derive(Default)]
struct Recorder(Vec<String>);

impl Watcher for Recorder {
    fn block_starts(&mut self, block: &BlockState) {
        self.0.push(format!("start {} in {}", block.linear, block.slot));
    }

    fn block_ends(&mut self, block: &BlockState) {
        self.0.push(format!("end {}", block.linear));
    }

    fn access(&mut self, warp: &Warp<'_>, _: u32, access: &Access, bytes: u32, mask: u32, addresses: &[u64; 32]) {
        let a = addresses[mask.trailing_zeros() as usize];
        let kind = (access.direction, access.space);
        self.0.push(format!("{kind:?} warp {} mask {mask:x} bytes {bytes} first {a:#x}", warp.index));
    }

    fn copy(&mut self, _: &Warp<'_>, _: u32, bytes: u32, mask: u32, copies: &CopyLanes) {
        self.0.push(format!("copy {bytes} mask {mask:x} to {:#x} valid {}", copies.to[0], copies.valid[0]));
    }

    fn copy_commit(&mut self, _: &Warp<'_>, mask: u32) {
        self.0.push(format!("commit {mask:x}"));
    }

    fn copy_wait(&mut self, _: &Warp<'_>, mask: u32, pending: Option<u32>) {
        self.0.push(format!("wait {mask:x} {pending:?}"));
    }

    fn branched(&mut self, _: u32, divergent: bool) {
        self.0.push(format!("branch {divergent}"));
    }

    fn arrives(&mut self, warp: &Warp<'_>, _: u32, _: BlockBarrier, id: u32, count: Option<u32>, mask: u32) {
        self.0.push(format!("arrive {id} {count:?} warp {} mask {mask:x}", warp.index));
    }

    fn barrier_completes(&mut self, _: &BlockState, id: u32) {
        self.0.push(format!("complete {id}"));
    }

    fn gathers(&mut self, _: &Warp<'_>, _: u32, _: &Event, mask: u32, members: u32) {
        self.0.push(format!("gather {mask:x} of {members:x}"));
    }

    fn gathered(&mut self, _: &Warp<'_>, _: u32, _: &Event, lanes: u32) {
        self.0.push(format!("gathered {lanes:x}"));
    }

    fn fence(&mut self, _: &Warp<'_>, _: u32, order: Order, scope: Scope, _: u32) {
        self.0.push(format!("fence {order:?} {scope:?}"));
    }

    fn exits(&mut self, warp: &Warp<'_>, _: u32, mask: u32) {
        self.0.push(format!("exit warp {} mask {mask:x}", warp.index));
    }

    fn deadlocks(&mut self, _: &BlockState, waiting: &[(u32, u32, u32)]) {
        self.0.push(format!("deadlock {}", waiting.len()));
    }
}

/// What an observer heard of a kernel with that body, without the kernel's own parameter loads.
fn heard(body: &str, blocks: u32, threads: u32) -> Vec<String> {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .pred %p<4>;\n\
         .reg .b32 %r<9>;\n.reg .b64 %rd<4>;\n.shared .align 16 .b32 tile[64];\nmov.u32 %r1, %tid.x;\n{body}\n}}\n"
    );
    let program = Program::load(&text).expect("valid PTX");
    let mut machine = Machine::new(Gpu::named("h200").expect("a known GPU"));
    let module = machine.load(Arc::new(program)).expect("nothing to resolve");
    let data = machine.alloc(256).expect("memory");
    let mut launch = Launch::new([blocks, 1, 1], [threads, 1, 1], data.0.to_le_bytes().to_vec());
    launch.workers = 1;
    let run = |context: &mut crate::exec::Job<'_>, workers| crate::exec::run(context, workers, Recorder::default);
    let kernel = machine.named(module, "k").expect("the kernel of the test");
    let (_, observers) = machine.launch_through(kernel, &launch, run).expect("a launch within the limits");
    observers.into_iter().flat_map(|o| o.0).collect()
}

#[test]
fn blocks_and_exits() {
    assert_eq!(
        heard("ret;", 2, 40),
        [
            "start 0 in 0",
            "exit warp 0 mask ffffffff",
            "exit warp 1 mask ff",
            "end 0",
            "start 1 in 0",
            "exit warp 0 mask ffffffff",
            "exit warp 1 mask ff",
            "end 1",
        ]
    );
}

#[test]
fn barriers_complete_with_the_last_arrival_or_exit() {
    assert_eq!(
        heard("setp.ge.u32 %p1, %r1, 32; @%p1 exit; bar.sync 3; ret;", 1, 64)[1..],
        [
            "arrive 3 None warp 0 mask ffffffff",
            "exit warp 1 mask ffffffff",
            "complete 3",
            "exit warp 0 mask ffffffff",
            "end 0",
        ]
    );
    assert_eq!(
        heard("bar.sync 1, 64; ret;", 1, 64)[1..4],
        ["arrive 1 Some(64) warp 0 mask ffffffff", "arrive 1 Some(64) warp 1 mask ffffffff", "complete 1"]
    );
}

#[test]
fn accesses_have_offsets_or_addresses() {
    let body = "ld.param.u64 %rd1, [p]; ld.global.u32 %r2, [%rd1+4]; setp.eq.u32 %p1, %r1, 2;
        @%p1 st.shared.u32 [tile+8], %r2; cvta.shared.u64 %rd2, tile; ld.v2.u32 {%r3, %r4}, [%rd2+16]; ret;";
    assert_eq!(
        heard(body, 1, 4)[1..5],
        [
            "(Load, Param) warp 0 mask f bytes 8 first 0x40000000000",
            "(Load, Global) warp 0 mask f bytes 4 first 0x7f0000000004",
            "(Store, Shared) warp 0 mask 4 bytes 4 first 0x8",
            "(Load, Generic) warp 0 mask f bytes 8 first 0x10000000010",
        ]
    );
}

#[test]
fn warp_operations_wait_for_their_members() {
    let body = "setp.eq.u32 %p1, %r1, 0; @%p1 bra A; bar.warp.sync 15; bra B; A: bar.warp.sync 15;
        B: shfl.sync.idx.b32 %r2, %r1, 0, 31, 15; ret;";
    assert_eq!(
        heard(body, 1, 4)[1..7],
        ["branch true", "gather e of f", "gather 1 of f", "gathered f", "gather f of f", "gathered f",]
    );
}

#[test]
fn copies_fences_and_deadlocks() {
    let body = "ld.param.u64 %rd1, [p]; cp.async.ca.shared.global [tile], [%rd1], 8, 4; cp.async.commit_group;
        cp.async.wait_group 0; fence.acq_rel.gpu; setp.eq.u32 %p1, %r1, 0; @%p1 bar.sync 0, 64; ret;";
    assert_eq!(
        heard(body, 1, 4)[2..],
        [
            "copy 8 mask f to 0x0 valid 4",
            "commit f",
            "wait f Some(0)",
            "fence AcqRel Gpu",
            "arrive 0 Some(64) warp 0 mask 1",
            "exit warp 0 mask e",
            "deadlock 1",
            "end 0",
        ]
    );
}

#[test]
fn matrix_loads_are_told_with_the_addresses_before_them() {
    let body = "mul.lo.u32 %r2, %r1, 16; and.b32 %r2, %r2, 127;
        ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r2]; ret;";
    assert_eq!(
        heard(body, 1, 32)[1..4],
        ["gather ffffffff of ffffffff", "(Load, Shared) warp 0 mask ff bytes 16 first 0x0", "gathered ffffffff"]
    );
}
