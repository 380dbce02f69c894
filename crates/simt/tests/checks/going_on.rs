//! A bad access does not end a launch that is checked: what comes after it is checked too.

use warpwise_simt::FaultKind;

use crate::rig::{Rig, kinds};

/// `int v = p[threadIdx.x - 1]; q[0] += v;`
const HIDDEN: &str = "ld.global.u32 %r2, [%rd3+-4]; ld.global.u32 %r3, [%rd2]; add.u32 %r3, %r3, %r2; \
                      st.global.u32 [%rd2], %r3;";

#[test]
fn a_race_after_a_bad_access_is_found() {
    let findings = Rig::new(HIDDEN).findings();
    let mut found = kinds(&findings);
    found.sort_unstable();
    assert_eq!(found.first(), Some(&("out_of_bounds", 1)), "{findings:?}");
    assert!(found[1..].iter().all(|(kind, _)| *kind == "race") && found.len() > 1, "{findings:?}");
    let bad = findings.iter().find(|finding| finding.kind.name() == "out_of_bounds").expect("it is there");
    assert_eq!(bad.message, "Thread 0 of block 0 accesses element -1 of argument 0, which has 32 elements of 4 bytes.");
}

#[test]
fn whatever_is_checked_the_launch_goes_on() {
    for checks in ["races", "memory", "init", "sync"] {
        let findings = Rig { checks, ..Rig::new(HIDDEN) }.findings();
        let found = |kind: &str| findings.iter().any(|finding| finding.kind.name() == kind);
        assert!(found("out_of_bounds") && found("race") == (checks == "races"), "{checks}: {findings:?}");
    }
    let (outcome, _) = Rig { checks: "none", ..Rig::new(HIDDEN) }.run();
    assert_eq!(outcome.expect_err("without checks it ends there").kind, FaultKind::OutOfBounds);
}

#[test]
fn a_bad_load_gives_zero_and_a_bad_store_nothing() {
    // Four lanes are past the end of p: the others load 7, and all store what they have plus one.
    let load = "mov.u32 %r2, 5; ld.global.u32 %r2, [%rd3]; add.u32 %r2, %r2, 1; st.global.u32 [%rd4], %r2;";
    let rig = Rig { words: [28, 32], value: 7, ..Rig::new(load) };
    let (outcome, words) = rig.run();
    assert_eq!(kinds(&outcome.expect("it ends").findings), [("out_of_bounds", 4)]);
    assert_eq!(words, [[8; 28].as_slice(), &[1; 4]].concat());
    // Every other lane stores outside.
    let store = "and.b32 %r2, %r1, 1; shl.b32 %r2, %r2, 14; cvt.u64.u32 %rd5, %r2; add.u64 %rd5, %rd4, %rd5; \
                 st.global.u32 [%rd5], 9;";
    let (outcome, words) = Rig::new(store).run();
    assert_eq!(kinds(&outcome.expect("it ends").findings), [("out_of_bounds", 16)]);
    assert_eq!(words, [9, 0].repeat(16));
}

#[test]
fn registers_that_hold_their_own_address_are_not_used_twice() {
    // A list is followed in place: lanes below the bad one must not follow it again.
    let body = "st.shared.u32 [tile], 4; st.shared.u32 [tile+4], 8; bar.sync 0; setp.eq.u32 %p1, %r1, 9; \
                mov.u32 %r2, 0; @%p1 mov.u32 %r2, 4096; ld.shared.u32 %r2, [%r2]; st.global.u32 [%rd4], %r2;";
    let (outcome, words) = Rig { checks: "memory", ..Rig::new(body) }.run();
    assert_eq!(kinds(&outcome.expect("it ends").findings), [("out_of_bounds", 1)]);
    let expected: Vec<u32> = (0..32).map(|lane| if lane == 9 { 0 } else { 4 }).collect();
    assert_eq!(words, expected);
}

#[test]
fn vectors_and_atomics_go_on_too() {
    let vector = "ld.global.v2.u32 {%r2, %r3}, [%rd3]; add.u32 %r2, %r2, %r3; st.global.u32 [%rd4], %r2;";
    let (outcome, words) = Rig { value: 3, ..Rig::new(vector) }.run();
    let found = outcome.expect("it ends").findings;
    let mut seen = kinds(&found);
    seen.sort_unstable();
    assert_eq!(seen, [("misaligned", 15), ("out_of_bounds", 1)], "the last lane has no second word: {found:?}");
    assert_eq!(words, [6, 0].repeat(16));
    let atomic = "atom.global.add.u32 %r2, [%rd3+64], 1; st.global.u32 [%rd4], %r2;";
    let (outcome, words) = Rig { value: 5, ..Rig::new(atomic) }.run();
    assert_eq!(kinds(&outcome.expect("it ends").findings), [("out_of_bounds", 16)]);
    assert_eq!(words, [[5; 16], [0; 16]].concat());
}

#[test]
fn a_loop_that_waits_for_a_bad_address_ends() {
    let body = "L: ld.global.u32 %r2, [%rd2+4096]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;";
    let (outcome, _) = Rig::new(body).run();
    let fault = outcome.expect_err("it would wait for ever");
    assert_eq!(fault.kind, FaultKind::OutOfBounds);
    assert_eq!(kinds(&fault.findings), [("out_of_bounds", 1)]);
}

#[test]
fn what_really_ends_a_launch_still_does() {
    let body = "ld.global.u32 %r2, [%rd3+-4]; setp.eq.u32 %p1, %r1, 5; @%p1 trap; st.global.u32 [%rd4], 1;";
    let (outcome, _) = Rig::new(body).run();
    let fault = outcome.expect_err("a trap");
    assert_eq!(fault.kind, FaultKind::Trap);
    assert_eq!(kinds(&fault.findings), [("out_of_bounds", 1), ("trap", 1)]);
    assert_eq!(fault.place.expect("a place").thread, [5, 0, 0]);
}
