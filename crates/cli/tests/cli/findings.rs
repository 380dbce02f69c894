//! What `check` says about mistakes, and that it always says the same.

use super::{data, ends_with, folder, json, nvrtc, write};
use serde_json::{Value, json};

/// Checks a kernel of `findings.cu`; `None` without NVRTC.
#[track_caller]
fn checked(arguments: &[&str]) -> Option<Value> {
    let file = data("findings.cu");
    nvrtc().then(|| json(1, &[&["check", &file, "--json", "--entry"], arguments].concat()))
}

fn of_kind<'r>(report: &'r Value, kind: &str) -> Vec<&'r Value> {
    report["findings"].as_array().unwrap().iter().filter(|finding| finding["kind"] == kind).collect()
}

#[test]
fn a_bad_access_does_not_hide_a_race() {
    let arguments = ["hidden", "--grid", "1", "--block", "64", "--arg", "i32[100]:iota", "--arg", "i32[1]:zeros"];
    let Some(report) = checked(&arguments) else { return };
    let bad = of_kind(&report, "out_of_bounds");
    assert_eq!((bad.len(), &bad[0]["line"], &bad[0]["count"]), (1, &json!(5), &json!(1)), "{report}");
    let message = bad[0]["message"].as_str().unwrap();
    assert!(message.contains("element -1 of argument 0 (a), which has 100 elements of 4 bytes"), "{message}");
    let race = of_kind(&report, "race");
    assert_eq!((race.len(), &race[0]["line"]), (1, &json!(6)), "{report}");
    assert!(report.get("stopped").is_none(), "it ran to its end");
}

#[test]
fn lost_updates_are_told_their_atomic() {
    for (arguments, atomic) in [
        (
            &["bins", "--grid", "2", "--block", "64", "--arg", "i32[128]:zeros", "--arg", "i32[4]:zeros"][..],
            "atomicAdd()",
        ),
        (&["hits", "--grid", "1", "--block", "256", "--arg", "i32[1]:zeros"], "atomicAdd()"),
        (&["best", "--grid", "1", "--block", "64", "--arg", "i32[64]:iota", "--arg", "i32[1]:zeros"], "atomicMax()"),
    ] {
        let Some(report) = checked(arguments) else { return };
        let races = of_kind(&report, "race");
        assert!(!races.is_empty(), "{report}");
        for race in races {
            let advice = race["advice"].as_str().unwrap();
            assert!(advice.contains(atomic) && !advice.contains("__sync"), "{arguments:?}: {advice}");
        }
    }
}

#[test]
fn a_race_around_a_loop_is_told_where_the_barrier_goes() {
    let arguments = [
        "rounds",
        "--grid",
        "1",
        "--block",
        "64",
        "--arg",
        "i32[512]:iota",
        "--arg",
        "i32[64]:zeros",
        "--arg",
        "i32=8",
    ];
    let Some(report) = checked(&arguments) else { return };
    for race in of_kind(&report, "race") {
        let advice = race["advice"].as_str().unwrap();
        assert!(advice.starts_with("Put __syncthreads() at the end of the loop's body, after line 32:"), "{advice}");
    }
    assert!(!of_kind(&report, "race").is_empty(), "{report}");
}

#[test]
fn dynamic_shared_memory_that_was_not_asked_for() {
    let arguments = ["dynamic", "--grid", "1", "--block", "32", "--arg", "i32[32]:zeros"];
    let Some(report) = checked(&arguments) else { return };
    assert_eq!(of_kind(&report, "out_of_bounds").len(), 2, "both lines: {report}");
    for finding in of_kind(&report, "out_of_bounds") {
        assert!(finding["advice"].as_str().unwrap().contains("--shared BYTES"), "{finding}");
    }
    let file = data("findings.cu");
    let (stdout, _) = ends_with(0, &[&["check", &file, "--shared", "128", "--entry"], &arguments[..]].concat());
    assert!(stdout.contains("no findings"), "{stdout}");
}

#[test]
fn old_reductions_are_warned_that_lanes_run_apart() {
    let arguments = ["last_warp", "--grid", "1", "--block", "64", "--arg", "i32[64]:ones", "--arg", "i32[1]:zeros"];
    let Some(report) = checked(&arguments) else { return };
    assert_eq!(report["ok"], true, "warnings are no errors");
    let races = of_kind(&report, "race");
    assert!(!races.is_empty(), "{report}");
    for race in races {
        assert_eq!(race["severity"], "warning", "{race}");
        assert!(race["message"].as_str().unwrap().contains("which no GPU since Volta promises"), "{race}");
        assert!(race["advice"].as_str().unwrap().contains("__syncwarp()"), "{race}");
    }
}

#[test]
fn a_division_by_zero_is_a_warning() {
    let arguments = ["quotient", "--grid", "1", "--block", "32", "--arg", "i32[32]:iota", "--arg", "i32[32]:zeros"];
    let Some(report) = checked(&arguments) else { return };
    let found = of_kind(&report, "division_by_zero");
    assert_eq!((found.len(), &found[0]["severity"], &found[0]["count"]), (1, &json!("warning"), &json!(1)));
    assert_eq!((&found[0]["line"], &found[0]["thread"]), (&json!(66), &json!([0, 0, 0])));
}

/// Each thread adds to the word of its number, in every block; `access` comes first.
fn adds(access: &str) -> String {
    format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry adds(.param .u64 p)\n{{\n.reg .pred %p<3>;\n\
         .reg .b32 %r<5>;\n.reg .b64 %rd<5>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n\
         mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\n.loc 1 9 1\n{access}\n.loc 1 11 1\n\
         ld.global.u32 %r3, [%rd3];\nmov.u32 %r4, %ctaid.x;\nadd.u32 %r3, %r3, %r4;\n.loc 1 12 1\n\
         st.global.u32 [%rd3], %r3;\nret;\n}}\n.file 1 \"k.cu\"\n.file 2 \"/opt/cuda/include/cooperative_groups.h\"\n"
    )
}

const LAUNCH: [&str; 7] = ["--grid", "64", "--block", "64", "--arg", "u32[64]:zeros", "--entry"];

#[test]
fn the_same_bytes_every_time() {
    let file = write(&folder("same bytes"), "adds.ptx", adds(""));
    for format in ["json", "sarif", "text"] {
        let arguments = [&["check", &file], &LAUNCH[..], &["adds", "--format", format]].concat();
        let first = ends_with(1, &arguments);
        for _ in 0..4 {
            assert_eq!(ends_with(1, &arguments), first, "{format}");
        }
    }
}

#[test]
fn where_a_launch_ended_is_said() {
    let trap = "setp.eq.u32 %p1, %r1, 5;\n@%p1 trap;";
    let file = write(&folder("stopped"), "adds.ptx", adds(trap));
    let arguments = [&["check", &file], &LAUNCH[..], &["adds"]].concat();
    let report = json(1, &[&arguments[..], &["--json"]].concat());
    let stopped = &report["stopped"];
    assert_eq!((&stopped["kind"], &stopped["line"], &stopped["file"]), (&json!("trap"), &json!(9), &json!("k.cu")));
    assert_eq!((&stopped["thread"], &stopped["block"]), (&json!([5, 0, 0]), &json!([0, 0, 0])));
    let (stdout, _) = ends_with(1, &arguments);
    assert!(
        stdout.ends_with(
            "The launch ended early at k.cu:9, thread (5, 0, 0) of block (0, 0, 0) (trap): what comes after that was \
             not checked.\n"
        ),
        "{stdout}"
    );
}

#[test]
fn code_of_a_header_is_shown_where_it_is_called() {
    let inlined = ".loc 2 230 5, function_name $f, inlined_at 1 9 1\nld.global.u32 %r2, [%rd3+4096];";
    let file = write(&folder("header"), "adds.ptx", adds(inlined));
    let one = ["--grid", "1", "--block", "64", "--arg", "u32[64]:zeros", "--json"];
    let report = json(1, &[&["check", &file], &one[..]].concat());
    let finding = &report["findings"][0];
    assert_eq!((&finding["line"], &finding["file"]), (&json!(9), &json!("k.cu")), "{finding}");
    assert_eq!(finding["inner_line"], 230);
    assert_eq!(finding["inner_file"], "/opt/cuda/include/cooperative_groups.h");
    assert!(finding["message"].as_str().unwrap().contains("element 1024 of argument 0"), "{finding}");
}
