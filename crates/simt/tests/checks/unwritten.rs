//! What nobody has written: copies are no mistakes, uses are.

use crate::rig::{Rig, kinds};
use warpwise_simt::Finding;

/// The word of shared memory of each thread, in `%r2`, and its value, which nobody has written, in `%r3`.
const READ: &str =
    "mov.u32 %r2, tile; mad.lo.u32 %r2, %r1, 4, %r2;\n.loc 1 10 1\nld.shared.u32 %r3, [%r2];\n.loc 1 20 1\n";

fn findings(rest: &str) -> Vec<Finding> {
    Rig::new(&format!("{READ}{rest}")).findings()
}

fn line(finding: &Finding) -> Option<u32> {
    finding.place.as_ref()?.source.map(|source| source.line)
}

#[test]
fn a_copy_that_nobody_uses_is_no_mistake() {
    for copy in [
        "mov.b32 %r4, %r3;",
        "st.shared.u32 [%r2+128], %r3; ld.shared.u32 %r4, [%r2+128];",
        "shfl.sync.down.b32 %r4, %r3, 1, 31, -1;",
        "mov.b64 %rd5, {%r3, %r1}; mov.b64 {%r4, %r5}, %rd5; st.global.u32 [%rd4], %r5;",
        "and.b32 %r4, %r3, 0; st.global.u32 [%rd4], %r4;",
        "mov.u32 %r3, 7; st.global.u32 [%rd4], %r3;",
        "setp.lt.u32 %p1, %r3, 5; setp.gt.u32 %p2, %r1, 99; and.pred %p3, %p1, %p2; @%p3 st.global.u32 [%rd4], 1;",
        "setp.gt.u32 %p2, %r1, 99; selp.u32 %r4, %r3, 7, %p2; st.global.u32 [%rd4], %r4;",
        "add.u32 %r4, %r3, 1; mul.lo.u32 %r5, %r4, %r4;",
    ] {
        assert_eq!(findings(copy), [], "{copy}");
    }
}

#[test]
fn a_use_is_reported_where_the_value_was_read() {
    for (number, used) in [
        "st.global.u32 [%rd4], %r3;",
        "add.u32 %r4, %r3, 1; st.global.u32 [%rd4], %r4;",
        "setp.lt.u32 %p1, %r3, 5; @%p1 bra L; st.global.u32 [%rd4], 1; L:",
        "setp.gt.u32 %p2, %r1, 99; setp.lt.or.u32 %p1, %r3, 5, %p2; @%p1 st.global.u32 [%rd4], 1;",
        "and.b32 %r4, %r3, 31; mad.wide.u32 %rd5, %r4, 4, %rd2; ld.global.u32 %r5, [%rd5];",
        "red.global.add.u32 [%rd2], %r3;",
        "st.shared.u32 [%r2+128], %r3; ld.shared.u32 %r4, [%r2+128]; st.global.u32 [%rd4], %r4;",
        "shfl.sync.idx.b32 %r4, %r3, %r1, 31, -1; st.global.u32 [%rd4], %r4;",
        "mov.b64 %rd5, {%r1, %r3}; shr.u64 %rd6, %rd5, 32; cvt.u32.u64 %r4, %rd6; st.global.u32 [%rd4], %r4;",
        "setp.gt.u32 %p2, %r1, 99; selp.u32 %r4, 7, %r3, %p2; st.global.u32 [%rd4], %r4;",
        "setp.lt.u32 %p1, %r3, 5; vote.sync.ballot.b32 %r4, %p1, -1; st.global.u32 [%rd4], %r4;",
        ".local .align 4 .b8 own[4]; st.local.u32 [own], %r3; ld.local.u32 %r4, [own]; st.global.u32 [%rd4], %r4;",
    ]
    .into_iter()
    .enumerate()
    {
        let found = findings(used);
        assert_eq!(kinds(&found), [("uninitialized", 32)], "{number}: {used}");
        assert_eq!(line(&found[0]), Some(10), "{number}: {used}");
        assert!(found[0].message.contains("which nobody has written"), "{}", found[0].message);
    }
}

#[test]
fn libraries_copy_objects_with_their_gaps() {
    // The first four bytes of eight are written; all are copied, and the rest is used.
    let body = "mov.u32 %r2, tile; mad.lo.u32 %r2, %r1, 8, %r2; st.shared.u32 [%r2], %r1;\n.loc FILE 30 1\n\
                ld.shared.u64 %rd5, [%r2]; mul.wide.u32 %rd6, %r1, 8; add.u64 %rd6, %rd6, %rd2;\n\
                st.global.u64 [%rd6], %rd5;\n.loc 1 40 1\nld.global.u32 %r3, [%rd6+PART]; st.global.u32 [%rd3], %r3;";
    let rig = |file: &str, part: &str| {
        let body = body.replace("FILE", file).replace("PART", part);
        Rig { words: [32, 64], ..Rig::new(&body) }.findings()
    };
    assert_eq!(rig("2", "0"), []);
    let found = rig("2", "4");
    assert_eq!((kinds(&found), line(&found[0])), (vec![("uninitialized", 32)], Some(40)), "what was copied is used");
    let found = rig("1", "0");
    assert_eq!((kinds(&found), line(&found[0])), (vec![("uninitialized", 32)], Some(30)), "the user's own result");
    // A library that copies nothing but what nobody has written was given it by the user.
    let whole = body.replace("FILE", "2").replace("PART", "0").replace("st.shared.u32 [%r2], %r1;", "");
    let found = Rig { words: [32, 64], ..Rig::new(&whole) }.findings();
    assert_eq!((kinds(&found), line(&found[0])), (vec![("uninitialized", 32)], Some(30)));
}

#[test]
fn copies_that_tell_an_object_are_waited_for_there() {
    let body = "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [tile], 32; bar.sync 0; mov.u32 %r2, tile; \
                mad.lo.u32 %r2, %r1, 4, %r2; cp.async.ca.shared.global [%r2+64], [%rd3], 4; TELL \
                mbarrier.arrive.shared.b64 %rd5, [tile];\nL: mbarrier.test_wait.shared.b64 %p2, [tile], %rd5; \
                @!%p2 bra L; xor.b32 %r2, %r2, 4; ld.shared.u32 %r3, [%r2+64]; st.global.u32 [%rd4], %r3;";
    let rig = |tell: &str| kinds(&Rig::new(&body.replace("TELL", tell)).findings());
    assert_eq!(rig("cp.async.mbarrier.arrive.shared.b64 [tile];"), []);
    assert!(rig("").contains(&("uninitialized", 32)), "{:?}", rig(""));
}
