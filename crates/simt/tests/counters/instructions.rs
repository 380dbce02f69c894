//! Instructions that CUDA C++ does not show plainly.

use std::sync::Arc;

use warpwise_simt::{Counters, Gpu, Launch, Machine, Program, Watch};

/// The counters of one warp of a kernel that gets the address of 4 KiB of global memory in `%rd1` and its lane in `%r1`.
fn counted(body: &str) -> Counters {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .pred %p<4>;\n\
         .reg .b16 %h<4>;\n.reg .b32 %r<12>;\n.reg .b64 %rd<8>;\n.shared .align 128 .b8 tile[4096];\n\
         ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n{body}\nret;\n}}\n"
    );
    let mut machine = Machine::new(Gpu::named("h200").expect("a known GPU"));
    let program = Program::load(&text).expect("valid PTX");
    let module = machine.load(Arc::new(program)).expect("nothing to resolve");
    let data = machine.alloc(4096).expect("memory");
    let mut launch = Launch::new([1, 1, 1], [32, 1, 1], data.0.to_le_bytes().to_vec());
    launch.watch = Watch::COUNTERS;
    let report = machine.launch(module, "k", &launch).expect("the kernel ends well");
    let total = report.profile.expect("asked for").total;
    assert_eq!(total.warp_instructions, report.warp_instructions);
    Counters { warp_instructions: 0, thread_instructions: 0, ..total }
}

const NONE: Counters = Counters {
    warp_instructions: 0,
    thread_instructions: 0,
    branches: 0,
    divergent_branches: 0,
    global_load_requests: 0,
    global_load_sectors: 0,
    global_load_bytes: 0,
    global_store_requests: 0,
    global_store_sectors: 0,
    global_store_bytes: 0,
    shared_load_requests: 0,
    shared_load_wavefronts: 0,
    shared_load_conflicts: 0,
    shared_store_requests: 0,
    shared_store_wavefronts: 0,
    shared_store_conflicts: 0,
    local_load_requests: 0,
    local_load_sectors: 0,
    local_store_requests: 0,
    local_store_sectors: 0,
    global_atomics: 0,
    shared_atomics: 0,
    atomic_collisions: 0,
    barriers: 0,
    atomic_contention: 0,
};

#[test]
fn generic_accesses_count_where_they_point() {
    // Lanes 0 to 7 read shared memory, the others global memory; then all write shared memory.
    let body = "cvta.shared.u64 %rd2, tile; mul.wide.u32 %rd3, %r1, 4; setp.lt.u32 %p1, %r1, 8;
        selp.b64 %rd4, %rd2, %rd1, %p1; add.u64 %rd4, %rd4, %rd3; ld.u32 %r2, [%rd4];
        add.u64 %rd5, %rd2, %rd3; st.u32 [%rd5], %r2;";
    let expected = Counters {
        global_load_requests: 1,
        global_load_sectors: 3,
        global_load_bytes: 24 * 4,
        shared_load_requests: 1,
        shared_load_wavefronts: 1,
        shared_store_requests: 1,
        shared_store_wavefronts: 1,
        ..NONE
    };
    assert_eq!(counted(body), expected);
}

#[test]
fn parameters_and_lanes_that_are_off_are_not_counted() {
    let body = "setp.ge.u32 %p1, %r1, 32; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd2, %rd1;
        @%p1 st.global.u32 [%rd2], %r1; @%p1 bar.sync 0; @%p1 bra L; L:";
    assert_eq!(counted(body), Counters { branches: 1, ..NONE });
}

#[test]
fn loads_of_every_kind_are_global_loads() {
    for load in ["ld.global.nc", "ld.volatile.global", "ldu.global", "ld.relaxed.gpu.global", "ld.acquire.gpu.global"] {
        let expected = Counters { global_load_requests: 1, global_load_sectors: 1, global_load_bytes: 4, ..NONE };
        assert_eq!(counted(&format!("{load}.u32 %r2, [%rd1+64];")), expected, "{load}");
    }
}

#[test]
fn matrix_rows_are_shared_accesses_of_16_bytes() {
    // Rows of 16 bytes side by side fill the banks; rows 128 bytes apart are all in the same four.
    for (apart, count, lanes, wavefronts, conflicts) in
        [(16, "x1", 8, 1, 0), (16, "x4", 32, 4, 0), (128, "x1", 8, 8, 7), (128, "x4", 32, 32, 28)]
    {
        let registers = if count == "x1" { "%r3" } else { "%r3, %r4, %r5, %r6" };
        let body = format!(
            "mov.u32 %r2, tile; mad.lo.u32 %r2, %r1, {apart}, %r2;
            ldmatrix.sync.aligned.m8n8.{count}.shared.b16 {{{registers}}}, [%r2];"
        );
        let expected = Counters {
            shared_load_requests: 1,
            shared_load_wavefronts: wavefronts,
            shared_load_conflicts: conflicts,
            ..NONE
        };
        assert_eq!(counted(&body), expected, "{lanes} rows {apart} bytes apart");
    }
}

#[test]
fn copies_that_fill_zeros_load_nothing() {
    let body = "mov.u32 %r2, tile; mad.lo.u32 %r2, %r1, 4, %r2; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd2, %rd1;
        setp.lt.u32 %p1, %r1, 16; selp.u32 %r3, 4, 0, %p1; cp.async.ca.shared.global [%r2], [%rd2], 4, %r3;
        cp.async.wait_all;";
    let expected = Counters {
        global_load_requests: 1,
        global_load_sectors: 2,
        global_load_bytes: 64,
        shared_store_requests: 1,
        shared_store_wavefronts: 1,
        ..NONE
    };
    assert_eq!(counted(body), expected);
}

#[test]
fn branch_tables_that_part_lanes_diverge() {
    let body = |bits: u32| {
        format!(
            "T: .branchtargets A, B; and.b32 %r2, %r1, {bits}; brx.idx %r2, T;
            A: mov.u32 %r3, 1; bra C; B: mov.u32 %r3, 2; C:"
        )
    };
    assert_eq!(counted(&body(0)), Counters { branches: 1, ..NONE });
    assert_eq!(counted(&body(1)), Counters { branches: 1, divergent_branches: 1, ..NONE });
}

#[test]
fn atomics_say_how_lanes_meet() {
    // Lanes 0 to 4 at one address, 5 and 6 at another, the others alone.
    let body = "setp.lt.u32 %p1, %r1, 5; selp.u32 %r2, 0, %r1, %p1; setp.eq.u32 %p1, %r1, 6; selp.u32 %r2, 5, %r2, %p1;
        mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd2, %rd1; red.global.add.u32 [%rd2], 1;
        mov.u32 %r3, tile; st.shared.u32 [%r3], %r1; atom.shared.add.u32 %r4, [%r3], 1;";
    let expected = Counters {
        global_atomics: 1,
        shared_atomics: 1,
        atomic_collisions: 7 + 32,
        atomic_contention: 32,
        shared_store_requests: 1,
        shared_store_wavefronts: 1,
        ..NONE
    };
    assert_eq!(counted(body), expected);
}
