//! `printf` and `assert` in kernels, and what else ends them.

use crate::rig::Rig;

const OUTPUT: &str = r#"
    .extern .func (.param .b32 count) vprintf(.param .b64 format, .param .b64 arguments);
    .extern .func __assertfail(.param .b64 text, .param .b64 file, .param .b32 line, .param .b64 function,
        .param .b64 width);
    .global .align 1 .b8 line[] = {0x25, 0x64, 0x7c, 0x25, 0x35, 0x2e, 0x31, 0x66, 0x7c, 0x25, 0x73, 0x7c, 0x25, 0x63,
        0x7c, 0x25, 0x6c, 0x6c, 0x78, 0x7c, 0x25, 0x25, 0x0a, 0x00};
    .global .align 1 .b8 name[] = {0x78, 0x20, 0x3c, 0x20, 0x34, 0x00};
    .global .align 1 .b8 file[] = {0x6b, 0x2e, 0x63, 0x75, 0x00};
    .global .align 1 .b8 function[] = {0x76, 0x6f, 0x69, 0x64, 0x20, 0x6b, 0x28, 0x29, 0x00};

    // printf("%d|%5.1f|%s|%c|%llx|%%\n", thread, thread / 4.0, "x < 4", 'A' + thread, thread << 40).
    .visible .entry print(.param .u64 out)
    {
        .local .align 8 .b8 depot[40];
        .reg .b64 %out, %format, %arguments, %v;
        .reg .b32 %t, %count;
        .reg .f64 %f;
        .param .b64 p0;
        .param .b64 p1;
        .param .b32 r;
        mov.u32 %t, %tid.x;
        st.local.u32 [depot], %t;
        cvt.rn.f64.u32 %f, %t;
        mul.f64 %f, %f, 0d3FD0000000000000;
        st.local.f64 [depot+8], %f;
        mov.u64 %v, name;
        cvta.global.u64 %v, %v;
        st.local.u64 [depot+16], %v;
        add.u32 %count, %t, 65;
        st.local.u32 [depot+24], %count;
        cvt.u64.u32 %v, %t;
        shl.b64 %v, %v, 40;
        st.local.u64 [depot+32], %v;
        mov.u64 %format, line;
        cvta.global.u64 %format, %format;
        mov.u64 %arguments, depot;
        cvta.local.u64 %arguments, %arguments;
        st.param.b64 [p0], %format;
        st.param.b64 [p1], %arguments;
        call (r), vprintf, (p0, p1);
        ld.param.b32 %count, [r];
        ld.param.u64 %out, [out];
        mad.wide.u32 %out, %t, 4, %out;
        st.global.u32 [%out], %count;
        ret;
    }
    .visible .entry check(.param .u64 out)
    {
        .reg .b64 %text, %file, %function;
        .reg .b32 %t;
        .reg .pred %p;
        mov.u32 %t, %tid.x;
        setp.lt.u32 %p, %t, 4;
        @%p ret;
        mov.u64 %text, name;
        cvta.global.u64 %text, %text;
        mov.u64 %file, file;
        cvta.global.u64 %file, %file;
        mov.u64 %function, function;
        cvta.global.u64 %function, %function;
        call __assertfail, (%text, %file, 12, %function, 1);
        ret;
    }
    .visible .entry trapped(.param .u64 out)
    {
        trap;
    }
    .visible .entry paused(.param .u64 out)
    {
        .reg .b64 %out;
        ld.param.u64 %out, [out];
        brkpt;
        st.global.u32 [%out], 9;
        ret;
    }"#;

#[test]
fn threads_print_in_order_and_learn_how_many_arguments_there_were() {
    let mut rig = Rig::new(OUTPUT, 3);
    let report = rig.good("print", (1, 3), |_| ());
    assert_eq!(report.printed, "0|  0.0|x < 4|A|0|%\n1|  0.2|x < 4|B|10000000000|%\n2|  0.5|x < 4|C|20000000000|%\n");
    assert_eq!(rig.words(), [5, 5, 5]);
}

#[test]
fn an_assertion_fails_as_cuda_words_it() {
    let mut rig = Rig::new(OUTPUT, 1);
    rig.good("check", (2, 4), |_| ());
    let (kind, message) = rig.fault("check", (2, 6), |launch| launch.grid = [2, 1, 1]);
    assert_eq!(kind, "trap");
    assert_eq!(message, "k.cu:12: void k(): block: [0,0,0], thread: [4,0,0] Assertion `x < 4` failed.");
}

#[test]
fn traps_end_a_kernel_and_breakpoints_do_not() {
    let mut rig = Rig::new(OUTPUT, 1);
    let (kind, message) = rig.fault("trapped", (1, 32), |_| ());
    assert_eq!((kind, &*message), ("trap", "the kernel executed trap"));
    rig.good("paused", (1, 1), |_| ());
    assert_eq!(rig.words(), [9]);
}
