//! What is recorded of a launch, and which blocks of a large grid are run.

use std::sync::Arc;
use warpwise_simt::{Gpu, Launch, Machine, Program, Recording, Report, Sampling, Watch};

/// Each thread copies a word; the first one of each block adds to a counter.
const PTX: &str = ".version 7.0
    .target sm_70
    .address_size 64
    .visible .entry copy(.param .u64 in, .param .u64 out, .param .u64 counter)
    {
        .reg .pred %p<2>;
        .reg .b32 %r<7>;
        .reg .b64 %rd<8>;
        ld.param.u64 %rd1, [in];
        ld.param.u64 %rd2, [out];
        ld.param.u64 %rd3, [counter];
        mov.u32 %r1, %ctaid.x;
        mov.u32 %r2, %ntid.x;
        mov.u32 %r3, %tid.x;
        mad.lo.u32 %r4, %r1, %r2, %r3;
        mul.wide.u32 %rd4, %r4, 4;
        add.u64 %rd5, %rd1, %rd4;
        add.u64 %rd6, %rd2, %rd4;
        ld.global.u32 %r5, [%rd5];
        st.global.u32 [%rd6], %r5;
        setp.ne.u32 %p1, %r3, 0;
        @%p1 bra DONE;
        red.global.add.u32 [%rd3], 1;
    DONE:
        ret;
    }";

fn run(blocks: u32, sampling: Sampling) -> Report {
    let mut machine = Machine::new(Gpu::named("h200").expect("a known GPU"));
    let module = machine.load(Arc::new(Program::load(PTX).expect("valid"))).expect("loaded");
    let bytes = u64::from(blocks) * 64 * 4;
    let buffers = [bytes, bytes, 4].map(|bytes| machine.alloc(bytes).expect("room"));
    let params = buffers.iter().flat_map(|at| at.0.to_le_bytes()).collect();
    let mut launch = Launch::new([blocks, 1, 1], [64, 1, 1], params);
    launch.watch = Watch { counters: true, record: Some(sampling), ..Watch::NOTHING };
    machine.launch(module, "copy", &launch).expect("it runs")
}

fn recording(report: &Report) -> &Recording {
    report.profile.as_ref().and_then(|profile| profile.recording.as_deref()).expect("recorded")
}

#[test]
fn a_small_grid_is_run_and_recorded_whole() {
    let report = run(4, Sampling::ALL);
    let recording = recording(&report);
    assert_eq!((recording.blocks, recording.blocks_run, recording.recorded.len()), (4, 4, 4));
    for block in &recording.recorded {
        assert_eq!(block.warps.len(), 2);
        // The second warp has no thread that adds.
        assert_eq!(block.warps.iter().map(|w| w.steps.len()).collect::<Vec<_>>(), [16, 15]);
        assert!(block.warps.iter().all(|w| w.executed == w.steps.len() as u64));
    }
    let mut sectors: Vec<u64> = recording.sectors.clone();
    sectors.sort_unstable();
    sectors.dedup();
    assert_eq!(sectors.len(), 4 * 2 * 2 * 4 + 1, "a load and a store of 128 bytes for each warp, and the counter");
    assert_eq!((recording.atomic_addresses, recording.atomics[0].1), (1, 4));
    assert!(recording.accesses.iter().filter(|a| a.bytes == 4 && a.whole > 0).all(|a| a.whole == a.sectors));
}

#[test]
fn of_a_large_grid_some_blocks_stand_for_all() {
    let whole = run(4096, Sampling::ALL).profile.expect("counted").total;
    let report = run(4096, Sampling { all: 1 << 10, some: 1 << 13, instructions: u64::MAX });
    let recording = recording(&report);
    assert_eq!((recording.blocks, recording.blocks_run), (4096, 128));
    assert_eq!(recording.scale(), 32.0);
    assert_eq!(report.profile.as_ref().expect("counted").total, whole, "all blocks do the same");
    let numbers: Vec<u64> = recording.recorded.iter().map(|block| block.number).collect();
    assert!(numbers.first() < Some(&200) && numbers.last() > Some(&3800), "{numbers:?}");
}

#[test]
fn a_budget_ends_a_launch_early() {
    let report = run(4096, Sampling { all: u64::MAX, some: u64::MAX, instructions: 1000 });
    let run = recording(&report).blocks_run;
    assert!((8..200).contains(&run), "{run} blocks");
}
