//! `malloc` and `free` in kernels.

use crate::rig::Rig;

const HEAP: &str = r"
    .extern .func (.param .b64 pointer) malloc(.param .b64 bytes);
    .extern .func free(.param .b64 pointer);

    .func (.param .b64 pointer) take(.param .b64 bytes)
    {
        .reg .b64 %n;
        .param .b64 given;
        .param .b64 got;
        ld.param.u64 %n, [bytes];
        st.param.b64 [given], %n;
        call (got), malloc, (given);
        ld.param.u64 %n, [got];
        st.param.b64 [pointer], %n;
        ret;
    }
    .func give(.param .b64 pointer)
    {
        .reg .b64 %p;
        .param .b64 given;
        ld.param.u64 %p, [pointer];
        st.param.b64 [given], %p;
        call free, (given);
        ret;
    }

    // Every thread gets 8 bytes of its own, writes both words, reads them, frees them.
    .visible .entry own(.param .u64 out)
    {
        .reg .b64 %out, %p;
        .reg .b32 %t, %v, %w;
        mov.u32 %t, %tid.x;
        call (%p), take, (8);
        st.u32 [%p], %t;
        st.u32 [%p+4], 1000;
        ld.u32 %v, [%p];
        ld.u32 %w, [%p+4];
        add.u32 %v, %v, %w;
        call give, (%p);
        ld.param.u64 %out, [out];
        mad.wide.u32 %out, %t, 4, %out;
        st.global.u32 [%out], %v;
        ret;
    }
    // A thread takes a mebibyte at a time until there is no more, and says how many; then frees the last and takes it
    // again.
    .visible .entry all(.param .u64 out)
    {
        .reg .b64 %out, %p, %last;
        .reg .b32 %n;
        .reg .pred %no;
        ld.param.u64 %out, [out];
        mov.u32 %n, 0;
        mov.u64 %last, 0;
    NEXT:
        call (%p), take, (1048576);
        setp.eq.u64 %no, %p, 0;
        @%no bra FULL;
        add.u32 %n, %n, 1;
        mov.u64 %last, %p;
        bra NEXT;
    FULL:
        st.global.u32 [%out], %n;
        call give, (%last);
        call (%p), take, (1048576);
        setp.eq.u64 %no, %p, %last;
        selp.u32 %n, 1, 0, %no;
        st.global.u32 [%out+4], %n;
        call (%p), take, (-1);
        setp.eq.u64 %no, %p, 0;
        selp.u32 %n, 1, 0, %no;
        st.global.u32 [%out+8], %n;
        ret;
    }
    .visible .entry keep(.param .u64 out)
    {
        .reg .b64 %out, %p;
        ld.param.u64 %out, [out];
        call (%p), take, (8);
        st.u64 [%p], 77;
        st.global.u64 [%out], %p;
        ret;
    }
    .visible .entry find(.param .u64 out)
    {
        .reg .b64 %out, %p, %v;
        ld.param.u64 %out, [out];
        ld.global.u64 %p, [%out];
        ld.u64 %v, [%p];
        st.global.u64 [%out+8], %v;
        call give, (%p);
        ret;
    }
    .visible .entry past(.param .u64 out)
    {
        .reg .b64 %p;
        call (%p), take, (12);
        st.u32 [%p+12], 5;
        ret;
    }
    .visible .entry after(.param .u64 out)
    {
        .reg .b64 %p;
        .reg .b32 %v;
        call (%p), take, (12);
        st.u32 [%p], 5;
        call give, (%p);
        ld.u32 %v, [%p];
        ret;
    }
    .visible .entry unwritten(.param .u64 out)
    {
        .reg .b64 %p, %out;
        .reg .b32 %v;
        ld.param.u64 %out, [out];
        call (%p), take, (12);
        ld.u32 %v, [%p];
        st.global.u32 [%out], %v;
        ret;
    }
    .visible .entry twice(.param .u64 out)
    {
        .reg .b64 %p;
        call (%p), take, (12);
        call give, (%p);
        call give, (%p);
        ret;
    }
    .visible .entry inside(.param .u64 out)
    {
        .reg .b64 %p;
        call (%p), take, (12);
        add.u64 %p, %p, 4;
        call give, (%p);
        ret;
    }
    .visible .entry null(.param .u64 out)
    {
        call give, (0);
        ret;
    }";

#[test]
fn every_thread_has_its_own() {
    let mut rig = Rig::new(HEAP, 64);
    rig.good("own", (1, 64), |_| ());
    assert_eq!(rig.words(), (1000..1064).collect::<Vec<_>>());
}

#[test]
fn a_full_heap_gives_null() {
    let mut rig = Rig::new(HEAP, 3);
    rig.good("all", (1, 1), |_| ());
    // Of 8 MiB: what keeps allocations apart takes a little.
    assert_eq!(rig.words(), [7, 1, 1]);
}

#[test]
fn allocations_outlive_their_kernel() {
    let mut rig = Rig::new(HEAP, 4);
    rig.good("keep", (1, 1), |_| ());
    rig.good("find", (1, 1), |_| ());
    assert_eq!(rig.words()[2..], [77, 0]);
}

#[test]
fn accesses_that_miss_are_found() {
    for (kernel, kind, text) in [
        ("past", "out_of_bounds", "4 bytes at offset 12 of an allocation of 12 bytes"),
        ("after", "out_of_bounds", "memory that was freed"),
        ("unwritten", "uninitialized", "the device heap"),
    ] {
        let found = Rig::new(HEAP, 1).findings(kernel, (1, 1));
        let [(found_kind, message)] = &found[..] else { panic!("{kernel}: {found:?}") };
        assert_eq!(*found_kind, kind, "{kernel}");
        assert!(message.contains(text), "{kernel}: {message}");
    }
}

#[test]
fn only_what_malloc_returned_can_be_freed() {
    let mut rig = Rig::new(HEAP, 1);
    let (kind, message) = rig.fault("twice", (1, 1), |_| ());
    assert!(kind == "out_of_bounds" && message.contains("it was freed before"), "{message}");
    let (kind, message) = rig.fault("inside", (1, 1), |_| ());
    assert!(kind == "out_of_bounds" && message.contains("malloc() did not return it"), "{message}");
    rig.good("null", (1, 1), |_| ());
}
