//! Clocks and timers never go back, and a sleep takes time.

use crate::rig::Rig;

const TIMERS: &str = r"
    // Reads each twice, with a sleep in between; writes whether the second is later, or at least not earlier.
    .visible .entry later(.param .u64 out)
    {
        .reg .b64 %out, %c0, %c1, %g0, %g1;
        .reg .b32 %s0, %s1, %h0, %h1, %v;
        .reg .pred %p;
        ld.param.u64 %out, [out];
        mov.u32 %s0, %clock;
        mov.u64 %c0, %clock64;
        mov.u64 %g0, %globaltimer;
        mov.u32 %h0, %globaltimer_hi;
        nanosleep.u32 1000;
        mov.u32 %s1, %clock;
        mov.u64 %c1, %clock64;
        mov.u64 %g1, %globaltimer;
        mov.u32 %h1, %globaltimer_hi;
        setp.gt.u32 %p, %s1, %s0;
        selp.u32 %v, 1, 0, %p;
        st.global.u32 [%out], %v;
        setp.gt.u64 %p, %c1, %c0;
        selp.u32 %v, 1, 0, %p;
        st.global.u32 [%out+4], %v;
        setp.ge.u64 %p, %g1, %g0;
        selp.u32 %v, 1, 0, %p;
        st.global.u32 [%out+8], %v;
        setp.ge.u32 %p, %h1, %h0;
        selp.u32 %v, 1, 0, %p;
        st.global.u32 [%out+12], %v;
        ret;
    }
    // The first warp sleeps until the second has written.
    .visible .entry wakes(.param .u64 out)
    {
        .reg .b64 %out;
        .reg .b32 %t, %v;
        .reg .pred %p;
        ld.param.u64 %out, [out];
        mov.u32 %t, %tid.x;
        setp.ge.u32 %p, %t, 32;
        @%p bra WRITE;
    SLEEP:
        nanosleep.u32 100;
        ld.acquire.gpu.u32 %v, [%out];
        setp.eq.u32 %p, %v, 0;
        @%p bra SLEEP;
        setp.eq.u32 %p, %t, 0;
        @%p st.global.u32 [%out+4], %v;
        ret;
    WRITE:
        setp.eq.u32 %p, %t, 32;
        @%p st.release.gpu.u32 [%out], 5;
        ret;
    }";

#[test]
fn time_goes_on() {
    let mut rig = Rig::new(TIMERS, 4);
    rig.good("later", (1, 1), |_| ());
    assert_eq!(rig.words(), [1, 1, 1, 1]);
}

#[test]
fn sleepers_let_others_run() {
    let mut rig = Rig::new(TIMERS, 2);
    rig.good("wakes", (1, 64), |_| ());
    assert_eq!(rig.words(), [5, 5]);
}
