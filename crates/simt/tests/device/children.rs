//! Kernels that launch kernels.

use crate::rig::Rig;

const LAUNCHING: &str = r"
    .extern .func (.param .b64 buffer) cudaGetParameterBufferV2(
        .param .b64 kernel, .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared);
    .extern .func (.param .b32 error) __cudaCDP2LaunchDeviceV2(.param .b64 buffer, .param .b64 stream);

    // Launches a kernel that takes a pointer and a number, with a grid of `blocks` and blocks of `threads`.
    .func (.param .b32 error) start(.param .b64 kernel, .param .b32 blocks, .param .b32 threads, .param .b64 out,
        .param .b32 number, .param .b64 stream)
    {
        .reg .b64 %k, %b, %out, %s;
        .reg .b32 %g, %n;
        .reg .pred %none;
        .param .b64 pk;
        .param .align 4 .b8 pg[12];
        .param .align 4 .b8 pb[12];
        .param .b32 ps;
        .param .b64 got;
        .param .b64 stream_given;
        .param .b32 code;
        ld.param.u64 %k, [kernel];
        st.param.b64 [pk], %k;
        ld.param.u32 %g, [blocks];
        st.param.b32 [pg], %g;
        st.param.b32 [pg+4], 1;
        st.param.b32 [pg+8], 1;
        ld.param.u32 %g, [threads];
        st.param.b32 [pb], %g;
        st.param.b32 [pb+4], 1;
        st.param.b32 [pb+8], 1;
        st.param.b32 [ps], 0;
        call (got), cudaGetParameterBufferV2, (pk, pg, pb, ps);
        ld.param.u64 %b, [got];
        setp.eq.u64 %none, %b, 0;
        mov.u32 %n, 99;
        @%none bra DONE;
        ld.param.u64 %out, [out];
        st.u64 [%b], %out;
        ld.param.u32 %n, [number];
        st.u32 [%b+8], %n;
        st.param.b64 [pk], %b;
        ld.param.u64 %s, [stream];
        st.param.b64 [stream_given], %s;
        call (code), __cudaCDP2LaunchDeviceV2, (pk, stream_given);
        ld.param.u32 %n, [code];
    DONE:
        st.param.b32 [error], %n;
        ret;
    }

    // out[thread of the grid] += number
    .visible .entry add(.param .u64 out, .param .u32 number)
    {
        .reg .b64 %out;
        .reg .b32 %i, %n, %v;
        ld.param.u64 %out, [out];
        ld.param.u32 %n, [number];
        mov.u32 %i, %ctaid.x;
        mov.u32 %v, %ntid.x;
        mul.lo.u32 %i, %i, %v;
        mov.u32 %v, %tid.x;
        add.u32 %i, %i, %v;
        mad.wide.u32 %out, %i, 4, %out;
        ld.global.u32 %v, [%out];
        add.u32 %v, %v, %n;
        st.global.u32 [%out], %v;
        ret;
    }
    // out[0] = 10 out[0] + number
    .visible .entry mark(.param .u64 out, .param .u32 number)
    {
        .reg .b64 %out;
        .reg .b32 %n, %v;
        ld.param.u64 %out, [out];
        ld.param.u32 %n, [number];
        ld.global.u32 %v, [%out];
        mad.lo.u32 %v, %v, 10, %n;
        st.global.u32 [%out], %v;
        ret;
    }
    // Has shared memory of its own.
    .visible .entry tile(.param .u64 out, .param .u32 number)
    {
        .shared .b32 tile[1000];
        .reg .b32 %n;
        ld.param.u32 %n, [number];
        st.shared.u32 [tile+3996], %n;
        ret;
    }
    .visible .entry tiles(.param .u64 out)
    {
        .reg .b64 %out, %k;
        .reg .b32 %e;
        ld.param.u64 %out, [out];
        mov.u64 %k, tile;
        call (%e), start, (%k, 2, 1, %out, 1, 0);
        st.global.u32 [%out], %e;
        ret;
    }
    // The first thread of every block launches add with the number of the block, counted from 1.
    .visible .entry parent(.param .u64 out)
    {
        .reg .b64 %out, %k;
        .reg .b32 %t, %n;
        .reg .pred %first;
        mov.u32 %t, %tid.x;
        setp.eq.u32 %first, %t, 0;
        @!%first ret;
        mov.u32 %n, %ctaid.x;
        add.u32 %n, %n, 1;
        ld.param.u64 %out, [out];
        mov.u64 %k, add;
        call (%t), start, (%k, 3, 4, %out, %n, 0);
        setp.eq.u32 %first, %n, 1;
        @%first st.global.u32 [%out], 100;
        ret;
    }
    .visible .entry order(.param .u64 out)
    {
        .reg .b64 %out, %k;
        .reg .b32 %e;
        ld.param.u64 %out, [out];
        mov.u64 %k, mark;
        call (%e), start, (%k, 1, 1, %out, 1, 3);
        call (%e), start, (%k, 1, 1, %out, 2, 0);
        call (%e), start, (%k, 1, 1, %out, 3, 4);
        ret;
    }
    // Launches itself with one less, then leaves its number.
    .visible .entry down(.param .u64 out, .param .u32 number)
    {
        .reg .b64 %out, %k;
        .reg .b32 %n, %e;
        .reg .pred %end;
        ld.param.u64 %out, [out];
        ld.param.u32 %n, [number];
        setp.eq.u32 %end, %n, 0;
        @%end ret;
        sub.u32 %n, %n, 1;
        mov.u64 %k, down;
        call (%e), start, (%k, 1, 1, %out, %n, 0);
        mov.u64 %k, mark;
        call (%e), start, (%k, 1, 1, %out, %n, 0);
        ret;
    }
    .visible .entry deep(.param .u64 out)
    {
        .reg .b64 %out, %k;
        .reg .b32 %n;
        ld.param.u64 %out, [out];
        ld.global.u32 %n, [%out];
        st.global.u32 [%out], 0;
        mov.u64 %k, down;
        call (%n), start, (%k, 1, 1, %out, %n, 0);
        ret;
    }
    // What launches are told that cannot be: not a kernel, not a buffer.
    .visible .entry wrong(.param .u64 out)
    {
        .reg .b64 %out, %k;
        .reg .b32 %e;
        .param .b64 buffer;
        .param .b64 stream;
        .param .b32 code;
        ld.param.u64 %out, [out];
        mov.u64 %k, 12345;
        call (%e), start, (%k, 1, 1, %out, 1, 0);
        st.global.u32 [%out], %e;
        st.param.b64 [buffer], 64;
        st.param.b64 [stream], 0;
        call (code), __cudaCDP2LaunchDeviceV2, (buffer, stream);
        ld.param.u32 %e, [code];
        st.global.u32 [%out+4], %e;
        ret;
    }
    .visible .entry large(.param .u64 out)
    {
        .reg .b64 %out, %k;
        .reg .b32 %e;
        ld.param.u64 %out, [out];
        mov.u64 %k, mark;
        call (%e), start, (%k, 1, 5000, %out, 1, 0);
        ret;
    }";

#[test]
fn launches_start_when_their_grid_has_ended() {
    let mut rig = Rig::new(LAUNCHING, 12);
    let report = rig.good("parent", (3, 32), |_| ());
    let mut expected = [1 + 2 + 3; 12];
    expected[0] += 100;
    assert_eq!(rig.words(), expected);
    // Three children of three blocks of a warp and 12 instructions each are counted as well.
    assert!(report.warp_instructions > 3 * 3 * 12, "{}", report.warp_instructions);
}

#[test]
fn a_kernel_has_no_shared_memory_of_those_that_it_launches() {
    let mut rig = Rig::new(LAUNCHING, 1);
    rig.good("tiles", (1, 1), |_| ());
    let kernels = rig.program().kernels();
    let shared = |name: &str| kernels.iter().find(|k| &*k.name == name).map(|k| k.static_shared);
    assert_eq!((shared("tiles"), shared("tile")), (Some(0), Some(4000)));
}

#[test]
fn launches_keep_their_order_and_tails_come_last() {
    let mut rig = Rig::new(LAUNCHING, 1);
    rig.good("order", (1, 1), |_| ());
    assert_eq!(rig.words(), [231]);
}

#[test]
fn a_launch_ends_with_all_that_it_launches() {
    let mut rig = Rig::new(LAUNCHING, 1);
    let start = |rig: &mut Rig, n: u32| {
        rig.set(&[n]);
        rig.launch("deep", (1, 1), |_| ()).map_err(|fault| (fault.kind.name(), fault.message.clone()))
    };
    start(&mut rig, 4).expect("not deep");
    // down(3) runs with all its own before mark(3): 0, 1, 2, 3.
    assert_eq!(rig.words(), [123]);
    let (kind, message) = start(&mut rig, 100).expect_err("too deep");
    assert_eq!(kind, "launch_limit");
    assert!(message.contains("more than 24 deep"), "{message}");
    start(&mut rig, 3).expect("nothing is left of the launch that failed");
    assert_eq!(rig.words(), [12]);
}

#[test]
fn what_cannot_be_launched_is_told() {
    let mut rig = Rig::new(LAUNCHING, 2);
    rig.good("wrong", (1, 1), |_| ());
    assert_eq!(rig.words(), [99, 1]);
    let (kind, message) = rig.fault("large", (1, 1), |_| ());
    assert_eq!(kind, "launch_limit");
    assert!(message.contains("5000"), "{message}");
}

#[test]
fn the_budget_is_for_all() {
    let mut rig = Rig::new(LAUNCHING, 1);
    rig.set(&[20]);
    let (kind, _) = rig.fault("deep", (1, 1), |launch| launch.max_instructions = 200);
    assert_eq!(kind, "timeout");
}
