//! What findings advise.

use warpwise_simt::{Finding, Severity};

use crate::rig::{Rig, kinds};

fn race(findings: &[Finding]) -> &Finding {
    findings.iter().find(|finding| finding.kind.name() == "race").unwrap_or_else(|| panic!("a race: {findings:?}"))
}

#[test]
fn lost_updates_need_the_atomic_that_does_the_same() {
    for (change, atomic) in [
        ("add.s32 %r3, %r2, 1;", "atomicAdd()"),
        ("max.s32 %r3, %r2, %r1;", "atomicMax()"),
        ("min.s32 %r3, %r2, %r1;", "atomicMin()"),
        ("or.b32 %r3, %r2, %r1;", "atomicOr()"),
        ("mul.lo.s32 %r3, %r2, %r1;", "atomicCAS() in a loop"),
    ] {
        let body = format!(".loc 1 7 1\nld.global.u32 %r2, [%rd2]; {change} st.global.u32 [%rd2], %r3;");
        for (blocks, threads) in [(1, 32), (1, 64), (3, 1)] {
            let findings = Rig { blocks, threads, ..Rig::new(&body) }.findings();
            let advice = &race(&findings).advice;
            assert!(advice.contains(atomic), "{change} {blocks} {threads}: {advice}");
            assert!(!advice.contains("__sync") && !advice.contains("split"), "{advice}");
        }
    }
}

#[test]
fn advice_speaks_of_the_element_that_the_message_names() {
    // Threads 0 and 1 change element 0; threads 2 and 40, further apart, element 1; the others have their own.
    let body = "add.u32 %r2, %r1, 2; setp.le.u32 %p1, %r1, 1; selp.b32 %r2, 0, %r2, %p1; \
                setp.eq.u32 %p1, %r1, 2; setp.eq.u32 %p2, %r1, 40; selp.b32 %r2, 1, %r2, %p1; \
                selp.b32 %r2, 1, %r2, %p2; mad.wide.u32 %rd5, %r2, 4, %rd2;\n.loc 1 7 1\n\
                ld.global.u32 %r3, [%rd5]; add.u32 %r3, %r3, 1; st.global.u32 [%rd5], %r3;";
    let findings = Rig { threads: 64, words: [80, 80], ..Rig::new(body) }.findings();
    let race = race(&findings);
    assert_eq!(race.count, 2, "{findings:?}");
    assert!(race.message.contains("element 0 of"), "{}", race.message);
    let advice = "Threads load, change and store it at once and lose each other's changes: use atomicAdd().";
    assert_eq!(race.advice, advice);
}

#[test]
fn a_race_around_a_loop_is_between_two_rounds() {
    // Two rounds: write the own word, meet, read another warp's.
    let body = "mov.u32 %r2, tile; mad.lo.u32 %r3, %r1, 4, %r2; xor.b32 %r4, %r1, 32; mad.lo.u32 %r4, %r4, 4, %r2; \
                mov.u32 %r5, 0;\n.loc 1 21 1\nL:\n.loc 1 22 1\nst.shared.u32 [%r3], %r5;\n.loc 1 23 1\nbar.sync 0;\n\
                .loc 1 25 1\nld.shared.u32 %r6, [%r4];\n.loc 1 26 1\nEND add.u32 %r5, %r5, 1; \
                setp.lt.u32 %p1, %r5, 2; @%p1 bra L;";
    let findings = Rig { threads: 64, ..Rig::new(&body.replace("END", "")) }.findings();
    assert_eq!(
        race(&findings).advice,
        "Put __syncthreads() at the end of the loop's body, after line 25: the race is between one round of the loop \
         and the next."
    );
    assert_eq!(Rig { threads: 64, ..Rig::new(&body.replace("END", "bar.sync 0;")) }.findings(), []);
}

#[test]
fn barriers_go_between_lines_in_the_order_of_the_code() {
    // The first warp reads before the second has written: what happened first is not what comes first.
    let body = "mov.u32 %r2, tile; mad.lo.u32 %r3, %r1, 4, %r2; xor.b32 %r4, %r1, 32; mad.lo.u32 %r4, %r4, 4, %r2;\n\
                .loc 1 5 1\nst.shared.u32 [%r3], %r1;\n.loc 1 7 1\nld.shared.u32 %r5, [%r4];";
    let findings = Rig { threads: 64, ..Rig::new(body) }.findings();
    assert_eq!(race(&findings).advice, "Put __syncthreads() between line 5 and line 7.");
}

#[test]
fn a_line_that_reads_and_writes_is_to_be_split() {
    let body = "mov.u32 %r2, tile; mad.lo.u32 %r3, %r1, 4, %r2; st.shared.u32 [%r3], %r1; bar.sync 0; \
                xor.b32 %r4, %r1, 32; mad.lo.u32 %r4, %r4, 4, %r2;\n.loc 1 7 1\nld.shared.u32 %r5, [%r4]; \
                st.shared.u32 [%r3], %r5; bar.sync 0;";
    let findings = Rig { threads: 64, ..Rig::new(body) }.findings();
    assert_eq!(
        race(&findings).advice,
        "Let all threads read before one writes: in line 7, read into a variable, wait at __syncthreads(), then write."
    );
}

#[test]
fn what_all_warps_change_needs_a_barrier_of_the_block() {
    // Thread 0 changes the word after the other warps have done so, and reads it before its own warp is through.
    let body = "setp.ne.u32 %p1, %r1, 0; @!%p1 st.shared.u32 [tile], 0; bar.sync 0;\n.loc 1 8 1\n\
                atom.shared.add.u32 %r2, [tile], 1;\n.loc 1 9 1\n@!%p1 ld.shared.u32 %r3, [tile];";
    for threads in [64, 128] {
        let findings = Rig { threads, ..Rig::new(body) }.findings();
        assert_eq!(race(&findings).advice, "Put __syncthreads() between line 8 and line 9.", "{threads}");
    }
    let findings = Rig::new(body).findings();
    assert_eq!(race(&findings).advice, "Put __syncwarp() between line 8 and line 9.");
}

#[test]
fn blocks_that_signal_need_fences() {
    // Each block leaves a word, takes a ticket and reads the other's word.
    let body = "mov.u32 %r2, %ctaid.x; mad.wide.u32 %rd5, %r2, 4, %rd2; xor.b32 %r3, %r2, 1; \
                mad.wide.u32 %rd6, %r3, 4, %rd2;\n.loc 1 10 1\nst.global.u32 [%rd5], %r2;\nBEFORE\n.loc 1 12 1\n\
                ATOMIC %r4, [%rd1], 1;\nAFTER\n.loc 1 14 1\nsetp.eq.u32 %p1, %r4, 1; @%p1 ld.global.u32 %r5, [%rd6];";
    let rig = |atomic: &str, before: &str, after: &str| {
        let body = body.replace("ATOMIC", atomic).replace("BEFORE", before).replace("AFTER", after);
        Rig { blocks: 2, threads: 1, ..Rig::new(&body) }.findings()
    };
    let device = "atom.global.add.u32";
    let places = [("", "", "before and after line 12"), ("membar.gl;", "", "after"), ("", "membar.gl;", "before")];
    for (before, after, place) in places {
        let findings = rig(device, before, after);
        let advice = &race(&findings).advice;
        assert!(advice.contains("put __threadfence() ") && advice.contains(place), "{before} {after}: {advice}");
    }
    assert_eq!(rig(device, "membar.gl;", "membar.gl;"), []);
    let findings = rig("atom.acq_rel.cta.global.add.u32", "", "");
    let narrow = findings.iter().find(|finding| {
        finding.place.as_ref().is_some_and(|place| place.source.is_some_and(|source| source.line == 14))
    });
    let advice = &narrow.expect("the words race").advice;
    assert!(advice.contains("of line 12 and line 12 order threads of one block only"), "{advice}");
}

#[test]
fn copies_have_to_be_waited_for() {
    let body = "mov.u32 %r2, tile; mad.lo.u32 %r2, %r1, 4, %r2; cp.async.ca.shared.global [%r2], [%rd3], 4; WAIT \
                ld.shared.u32 %r3, [%r2];";
    let findings = Rig::new(&body.replace("WAIT", "cp.async.commit_group;")).findings();
    let unwritten = findings.iter().find(|finding| finding.kind.name() == "uninitialized").expect("it is too early");
    assert!(unwritten.message.contains("which an asynchronous copy that nobody has waited for"), "{unwritten:?}");
    assert!(unwritten.advice.contains("__pipeline_wait_prior()"), "{}", unwritten.advice);
    assert_eq!(Rig::new(&body.replace("WAIT", "cp.async.wait_all;")).findings(), []);
}

#[test]
fn what_headers_copy_is_not_the_users() {
    let body = ".local .align 4 .b8 gap[8];\n.loc FILE 70 1\nld.local.u32 %r2, [gap];\nst.global.u32 [%rd4], %r2;";
    assert_eq!(kinds(&Rig::new(&body.replace("FILE", "1")).findings()), [("uninitialized", 1)]);
    assert_eq!(Rig::new(&body.replace("FILE", "2")).findings(), []);
}

#[test]
fn code_without_a_line_is_shown_by_its_place_in_the_ptx() {
    let body = ".loc 1 7 1\nst.global.u32 [%rd2], %r1;\n.loc 1 0 1\nld.global.u32 %r2, [%rd2];";
    let findings = Rig::new(body).findings();
    let shown = |finding: &Finding| finding.place.as_ref().expect("a place").source.map(|source| source.line);
    assert!(findings.iter().any(|finding| shown(finding).is_none()), "{findings:?}");
    assert!(findings.iter().all(|finding| shown(finding) != Some(0)), "{findings:?}");
}

#[test]
fn dynamic_shared_memory_has_to_be_asked_for() {
    let body = "mov.u32 %r2, room; mad.lo.u32 %r2, %r1, 4, %r2; st.shared.u32 [%r2], %r1;";
    for checks in ["all", "sync"] {
        let findings = Rig { checks, ..Rig::new(body) }.findings();
        assert_eq!(kinds(&findings), [("out_of_bounds", 32)], "{checks}");
        assert!(findings[0].advice.contains("--shared BYTES"), "{checks}: {}", findings[0].advice);
    }
    let outside = "mov.u32 %r2, tile; st.shared.u32 [%r2+4096], %r1;";
    let findings = Rig { threads: 1, ..Rig::new(outside) }.findings();
    assert!(findings[0].advice.starts_with("Compare the index"), "{}", findings[0].advice);
}

/// The last steps of a reduction on volatile shared memory.
const TAIL: &str = "mov.u32 %r2, tile; mad.lo.u32 %r2, %r1, 4, %r2; st.volatile.shared.u32 [%r2], %r1; \
                    st.volatile.shared.u32 [%r2+128], 0; bar.sync 0; \
                    .loc 1 5 1\nld.volatile.shared.u32 %r3, [%r2+64]; ld.volatile.shared.u32 %r4, [%r2]; SYNC \
                    add.u32 %r3, %r3, %r4; st.volatile.shared.u32 [%r2], %r3; SYNC \
                    .loc 1 6 1\nld.volatile.shared.u32 %r3, [%r2+32]; ld.volatile.shared.u32 %r4, [%r2]; SYNC \
                    add.u32 %r3, %r3, %r4; st.volatile.shared.u32 [%r2], %r3;";

#[test]
fn volatile_code_that_counts_on_lanes_in_step_is_warned_of() {
    let findings = Rig::new(&TAIL.replace("SYNC", "")).findings();
    assert!(!findings.is_empty());
    for finding in &findings {
        assert_eq!((finding.kind.name(), finding.severity), ("race", Severity::Warning), "{finding:?}");
        assert!(finding.message.contains("which no GPU since Volta promises"), "{}", finding.message);
        assert!(finding.advice.contains("__syncwarp()"), "{}", finding.advice);
    }
    assert_eq!(Rig::new(&TAIL.replace("SYNC", "bar.warp.sync -1;")).findings(), []);
}

#[test]
fn lanes_that_wait_for_a_flag_count_on_nothing() {
    let body = "setp.eq.u32 %p1, %r1, 0; @%p1 st.volatile.shared.u32 [tile], 0; bar.sync 0; \
                @%p1 bra UP; L: ld.volatile.shared.u32 %r3, [tile]; setp.eq.u32 %p2, %r3, 0; @%p2 bra L; bra DONE; \
                UP: st.volatile.shared.u32 [tile], 1; DONE: st.global.u32 [%rd4], %r3;";
    for threads in [32, 64] {
        assert_eq!(Rig { threads, words: [64, 64], ..Rig::new(body) }.findings(), []);
    }
}

#[test]
fn integer_divisions_by_zero_are_warned_of() {
    for (divide, zeros) in [("div.s32 %r3, 7, %r2;", 4), ("rem.u32 %r3, %r1, %r2;", 4), ("div.u32 %r3, %r1, 5;", 0)] {
        // Every eighth thread has zero.
        let body = format!("and.b32 %r2, %r1, 7; {divide} st.global.u32 [%rd4], %r3;");
        let findings = Rig::new(&body).findings();
        assert_eq!(findings.first().map_or(0, |finding| finding.count), zeros, "{divide}: {findings:?}");
        for finding in &findings {
            assert_eq!((finding.kind.name(), finding.severity), ("division_by_zero", Severity::Warning));
            assert_eq!(finding.place.as_ref().expect("a place").thread, [0, 0, 0]);
        }
        assert_eq!(Rig { checks: "races,memory,sync", ..Rig::new(&body) }.findings(), []);
        let guarded = format!("and.b32 %r2, %r1, 7; setp.ne.u32 %p1, %r2, 0; @%p1 {divide}");
        assert_eq!(Rig::new(&guarded).findings(), []);
    }
}
