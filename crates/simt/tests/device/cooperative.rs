//! Cooperative launches: all blocks run at once, and meet at the counter that `%envreg1` and `%envreg2` point to.

use crate::rig::Rig;

/// What `cooperative_groups::this_grid().sync()` compiles to, twice: the first thread of each block adds to the counter
/// and waits until its highest bit changes. Every block writes, meets, reads what the next one wrote, meets, writes.
const MEET: &str = r"
    .func meet(.param .b64 at)
    {
        .reg .b64 %at;
        .reg .b32 %t, %b, %n, %old, %new;
        .reg .pred %first, %zero, %same;
        ld.param.u64 %at, [at];
        mov.u32 %t, %tid.x;
        mov.u32 %b, %ctaid.x;
        setp.eq.u32 %first, %t, 0;
        setp.eq.u32 %zero, %b, 0;
        barrier.sync 0;
        @!%first bra DONE;
        mov.u32 %n, %nctaid.x;
        sub.u32 %n, 0x80000001, %n;
        selp.u32 %n, %n, 1, %zero;
        atom.add.release.gpu.u32 %old, [%at+4], %n;
    WAIT:
        ld.acquire.gpu.u32 %new, [%at+4];
        xor.b32 %new, %new, %old;
        setp.ge.s32 %same, %new, 0;
        @%same bra WAIT;
    DONE:
        barrier.sync 0;
        ret;
    }
    .visible .entry rounds(.param .u64 out)
    {
        .reg .b64 %at, %out, %mine, %theirs;
        .reg .b32 %hi, %lo, %b, %n, %k, %v;
        .reg .pred %p;
        mov.u32 %hi, %envreg1;
        mov.u32 %lo, %envreg2;
        mov.b64 %at, {%lo, %hi};
        ld.param.u64 %out, [out];
        mov.u32 %b, %ctaid.x;
        mov.u32 %n, %nctaid.x;
        mul.wide.u32 %mine, %b, 4;
        add.u64 %mine, %out, %mine;
        add.u32 %v, %b, 1;
        rem.u32 %v, %v, %n;
        mul.wide.u32 %theirs, %v, 4;
        add.u64 %theirs, %out, %theirs;
        mov.u32 %k, %tid.x;
        setp.eq.u32 %p, %k, 0;
        @%p st.global.u32 [%mine], %b;
        call meet, (%at);
        @%p ld.global.u32 %v, [%theirs];
        call meet, (%at);
        add.u32 %v, %v, 100;
        @%p st.global.u32 [%mine], %v;
        ret;
    }
    .visible .entry traps(.param .u64 out)
    {
        .reg .b32 %lo;
        .reg .pred %p;
        mov.u32 %lo, %envreg2;
        setp.eq.u32 %p, %lo, 0;
        @%p trap;
        ret;
    }";

#[test]
fn blocks_of_a_cooperative_grid_meet() {
    let mut rig = Rig::new(MEET, 12);
    for workers in [1, 3] {
        rig.good("rounds", (12, 64), |launch| (launch.cooperative, launch.workers) = (true, workers));
        let expected: Vec<u32> = (0..12).map(|block| (block + 1) % 12 + 100).collect();
        assert_eq!(rig.words(), expected);
    }
    rig.good("traps", (1, 32), |launch| launch.cooperative = true);
}

#[test]
fn other_grids_have_no_counter_and_say_so() {
    let mut rig = Rig::new(MEET, 12);
    let (kind, message) = rig.fault("rounds", (12, 64), |_| ());
    assert_eq!(kind, "out_of_bounds");
    assert!(message.contains("grid.sync()") && message.contains("must be cooperative"), "{message}");
    let (kind, message) = rig.fault("traps", (1, 32), |_| ());
    assert_eq!(kind, "trap");
    assert!(message.contains("must be cooperative"), "{message}");
}

#[test]
fn grids_that_do_not_fit_are_refused_with_the_limit() {
    let mut rig = Rig::new(MEET, 12);
    let (kind, message) = rig.fault("rounds", (5000, 1024), |launch| launch.cooperative = true);
    assert_eq!(kind, "launch_limit");
    assert!(message.contains("5000 blocks") && message.contains("264 of them at once"), "{message}");
}

/// The same rounds as compilers write them that leave the meeting to a library which the module does not have.
const LIBRARY: &str = r"
    .extern .func (.param .b64 func_retval0) cudaCGGetIntrinsicHandle(.param .b32 cudaCGGetIntrinsicHandle_param_0);
    .extern .func (.param .b32 func_retval0) cudaCGSynchronize(
        .param .b64 cudaCGSynchronize_param_0, .param .b32 cudaCGSynchronize_param_1);

    .func meet()
    {
        .reg .b64 %handle;
        .param .b32 scope;
        .param .b64 handle;
        .param .b32 flags;
        .param .b32 error;
        st.param.b32 [scope], 1;
        call.uni (handle), cudaCGGetIntrinsicHandle, (scope);
        st.param.b32 [flags], 0;
        call.uni (error), cudaCGSynchronize, (handle, flags);
        ret;
    }
    .visible .entry rounds(.param .u64 out)
    {
        .reg .b64 %out, %mine, %theirs;
        .reg .b32 %b, %n, %k, %v;
        .reg .pred %p;
        ld.param.u64 %out, [out];
        mov.u32 %b, %ctaid.y;
        mov.u32 %n, %nctaid.y;
        mul.wide.u32 %mine, %b, 4;
        add.u64 %mine, %out, %mine;
        add.u32 %v, %b, 1;
        rem.u32 %v, %v, %n;
        mul.wide.u32 %theirs, %v, 4;
        add.u64 %theirs, %out, %theirs;
        mov.u32 %k, %tid.x;
        setp.eq.u32 %p, %k, 0;
        @%p st.global.u32 [%mine], %b;
        call meet;
        @%p ld.global.u32 %v, [%theirs];
        call meet;
        add.u32 %v, %v, 100;
        @%p st.global.u32 [%mine], %v;
        ret;
    }";

#[test]
fn a_library_that_the_module_lacks_lets_blocks_meet() {
    let mut rig = Rig::new(LIBRARY, 12);
    rig.good("rounds", (1, 64), |launch| (launch.cooperative, launch.grid) = (true, [1, 12, 1]));
    assert_eq!(rig.words(), (0..12).map(|block| (block + 1) % 12 + 100).collect::<Vec<u32>>());
    let (kind, message) = rig.fault("rounds", (1, 64), |launch| launch.grid = [1, 12, 1]);
    assert_eq!(kind, "trap");
    assert!(message.contains("must be cooperative"), "{message}");
}

#[test]
fn a_function_that_is_declared_in_another_way_is_left_alone() {
    let mut rig = Rig::new(
        ".extern .func cudaCGSynchronize(.param .b32 flags);
         .visible .entry k(.param .u64 out)
         {
             .param .b32 flags;
             st.param.b32 [flags], 0;
             call cudaCGSynchronize, (flags);
             ret;
         }",
        1,
    );
    let (kind, message) = rig.fault("k", (1, 1), |_| ());
    assert_eq!(kind, "unsupported");
    assert!(message.contains("cudaCGSynchronize"), "{message}");
}
