//! What concerns the whole process: its output, its children, its end, and the trace it leaves.
//!
//! Each test runs this file again in a process of its own, in which one of the ignored tests plays the program.

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use support::{PTX, alloc, at, context, kernel, launch, module, ok, read};
use warpwise_driver::api::*;
use warpwise_trace::{Direction, Record, Settings, VARIABLE};

/// Prints `<<2 5.5>>` and asserts that nothing is wrong, or that something is.
const TALK: &str = r#"
.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 out) vprintf(.param .b64 format, .param .b64 arguments);
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.global .align 1 .b8 format[10] = {60, 60, 37, 100, 62, 62, 10, 0, 0, 0};
.global .align 1 .b8 claim[6] = {120, 32, 60, 32, 49, 0};
.global .align 1 .b8 file[5] = {107, 46, 99, 117, 0};
.global .align 1 .b8 name[2] = {107, 0};
.visible .entry talk(.param .u32 number)
{
	.local .align 8 .b8 stack[8];
	.reg .b32 %r<3>;
	.reg .b64 %rd<4>;
	ld.param.u32 %r1, [number];
	mov.u64 %rd1, stack;
	cvta.local.u64 %rd2, %rd1;
	st.local.u32 [%rd1], %r1;
	mov.u64 %rd3, format;
	cvta.global.u64 %rd3, %rd3;
	{
	.param .b64 p0;
	.param .b64 p1;
	.param .b32 r0;
	st.param.b64 [p0], %rd3;
	st.param.b64 [p1], %rd2;
	call.uni (r0), vprintf, (p0, p1);
	ld.param.b32 %r2, [r0];
	}
	ret;
}
.visible .entry claim_wrongly()
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<5>;
	mov.u64 %rd1, claim;
	cvta.global.u64 %rd1, %rd1;
	mov.u64 %rd2, file;
	cvta.global.u64 %rd2, %rd2;
	mov.u64 %rd3, name;
	cvta.global.u64 %rd3, %rd3;
	mov.u32 %r1, 12;
	mov.u64 %rd4, 1;
	{
	.param .b64 p0;
	.param .b64 p1;
	.param .b32 p2;
	.param .b64 p3;
	.param .b64 p4;
	st.param.b64 [p0], %rd1;
	st.param.b64 [p1], %rd2;
	st.param.b32 [p2], %r1;
	st.param.b64 [p3], %rd3;
	st.param.b64 [p4], %rd4;
	call.uni __assertfail, (p0, p1, p2, p3, p4);
	}
	ret;
}
"#;

/// Runs one of the ignored tests as a program.
fn run(program: &str, settings: Option<&Path>) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("a test has a file"));
    command.args(["--ignored", "--exact", "--nocapture", "--test-threads=1", program]);
    match settings {
        Some(path) => command.env(VARIABLE, path),
        None => command.env_remove(VARIABLE),
    };
    command.output().expect("it starts")
}

fn say(text: &std::ffi::CStr) {
    // SAFETY: a terminated text and no conversions.
    unsafe { libc::printf(c"%s".as_ptr(), text.as_ptr()) };
}

#[test]
#[ignore = "a program"]
fn program_talks() {
    context();
    let talk = kernel(module(TALK), "talk");
    say(c"before\n");
    ok(launch(talk, 1, 1, 0, &[at(&2u32)]));
    say(c"between\n");
    // SAFETY: it takes no pointers.
    ok(unsafe { cuCtxSynchronize() });
    say(c"after\n");
    ok(launch(talk, 1, 1, 0, &[at(&3u32)]));
}

#[test]
fn kernels_print_when_the_host_waits_for_them() {
    let output = run("program_talks", None);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    // What the last one printed comes with the end of the process.
    assert!(text.contains("before\nbetween\n<<2>>\nafter\n") && text.contains("<<3>>"), "{text}");
}

#[test]
#[ignore = "a program"]
fn program_claims_wrongly() {
    context();
    let claim = kernel(module(TALK), "claim_wrongly");
    ok(launch(claim, 1, 1, 0, &[]));
    // SAFETY: it takes no pointers.
    assert_eq!(unsafe { cuCtxSynchronize() }, 710);
}

#[test]
fn failed_assertions_are_told_on_stderr() {
    let output = run("program_claims_wrongly", None);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("k.cu:12: k: block: [0,0,0], thread: [0,0,0] Assertion `x < 1' failed."), "{text}");
}

#[test]
#[ignore = "a program"]
fn program_forks() {
    context();
    // SAFETY: the child calls the driver, which refuses, and ends.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let mut count = 0;
        // SAFETY: a variable of the right type; then the child ends without the parent's exit handlers.
        unsafe {
            let code = cuDeviceGetCount(&raw mut count);
            let again = cuInit(0);
            libc::_exit(if (code, again) == (3, 3) { 0 } else { 1 });
        }
    }
    let mut status = 0;
    // SAFETY: a variable of the right type.
    unsafe { libc::waitpid(child, &raw mut status, 0) };
    assert_eq!(status, 0);
    alloc(16);
}

#[test]
fn a_forked_child_is_refused() {
    let output = run("program_forks", None);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
#[ignore = "a program"]
fn program_makes_mistakes() {
    context();
    let module = module(PTX);
    let (fill, fault) = (kernel(module, "fill"), kernel(module, "fault"));
    let (p, q) = (alloc(100), alloc(64));
    ok(launch(fill, 1, 25, 0, &[at(&p), at(&1u32)]));
    ok(launch(fill, 1, 16, 0, &[at(&q), at(&1u32)]));
    // Four bytes too many, which hardware does not notice.
    assert_eq!(read(p, 26).len(), 26);
    // SAFETY: the driver refuses what is wrong about these.
    unsafe {
        ok(cuMemFree_v2(q));
        assert_eq!(cuMemFree_v2(q), 1);
        let mut value = 0u32;
        assert_eq!(cuMemcpyDtoH_v2((&raw mut value).cast(), q, 4), 1);
    }
    ok(launch(fault, 1, 1, 0, &[]));
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("warpwise-driver-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[test]
fn the_trace_has_launches_copies_and_mistakes() {
    let folder = folder("trace");
    let settings = Settings { folder: Some(folder.clone()), host_checks: true, ..Settings::default() };
    let path = folder.join("settings.json");
    std::fs::write(&path, settings.to_json()).expect("written");
    let output = run("program_makes_mistakes", Some(&path));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let records = warpwise_trace::read(&folder).expect("readable");
    assert_eq!(records.last(), Some(&Record::End));
    assert!(matches!(records.first(), Some(Record::Start(start)) if start.gpu == "h200"));
    let mistakes: Vec<&str> =
        records.iter().filter_map(|r| if let Record::Finding(f) = r { Some(f.kind.as_str()) } else { None }).collect();
    assert_eq!(mistakes, ["copy_out_of_bounds", "double_free", "use_after_free", "leak"], "{records:#?}");
    let module = records.iter().find_map(|r| if let Record::Module(m) = r { Some(m) } else { None }).expect("a module");
    assert!(module.kernels.iter().any(|name| name == "fill"));
    let kept = std::fs::read_to_string(folder.join(module.ptx.as_ref().expect("kept"))).expect("readable");
    assert!(kept.contains(".entry fill"));
    let stopped = records.iter().find_map(|r| if let Record::Launch(l) = r { Some(l) } else { None }).expect("a fault");
    assert!(stopped.stopped && stopped.kernel == "fault" && stopped.findings[0].kind == "out_of_bounds");
    assert!(stopped.host.as_ref().is_some_and(|place| !place.frames.is_empty()));
    let sums = records.iter().rev().find_map(|r| if let Record::Sums(s) = r { Some(s) } else { None }).expect("sums");
    let fill = sums.kernels.iter().find(|sum| sum.kernel == "fill").expect("it was launched");
    assert_eq!((fill.launches, fill.threads), (2, 41));
    assert!(sums.copies.iter().any(|copy| copy.direction == Direction::ToHost && copy.count == 1 && copy.bytes == 104));
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
#[ignore = "a program"]
fn program_runs_past_the_end() {
    context();
    let fill = kernel(module(PTX), "fill");
    let p = alloc(40);
    ok(launch(fill, 1, 16, 0, &[at(&p), at(&1u32)]));
    // SAFETY: it takes no pointers.
    let code = unsafe { cuCtxSynchronize() };
    say(if code == 700 { c"stopped\n" } else { c"passed\n" });
}

#[test]
fn bounds_are_exact_where_that_is_asked_for() {
    let folder = folder("bounds");
    let path = folder.join("settings.json");
    std::fs::write(&path, r#"{"bounds": "exact"}"#).expect("written");
    let said =
        |settings: Option<&Path>| String::from_utf8(run("program_runs_past_the_end", settings).stdout).expect("text");
    assert!(said(Some(&path)).contains("stopped"));
    assert!(said(None).contains("passed"));
    std::fs::remove_dir_all(&folder).expect("removed");
}

/// Passes a handle on as text: where another process finds it.
const SHARED: &str = "WARPWISE_TEST_HANDLE";

#[test]
#[ignore = "a program"]
fn program_opens_memory_of_another() {
    context();
    let words: Vec<u64> =
        std::env::var(SHARED).expect("set").split(' ').map(|word| word.parse().expect("a number")).collect();
    let mut handle = [0u64; 8];
    handle.copy_from_slice(&words);
    let mut p = 0;
    // SAFETY: the handle is 64 bytes, which another process made.
    unsafe {
        let handle = std::mem::transmute::<[u64; 8], IpcHandle>(handle);
        ok(cuIpcOpenMemHandle_v2(&raw mut p, handle, 1));
        assert_eq!(read(p, 2), [5, 6]);
        ok(launch(kernel(module(PTX), "fill"), 1, 2, 0, &[at(&p), at(&70u32)]));
        ok(cuIpcCloseMemHandle(p));
        assert_eq!(cuIpcCloseMemHandle(p), 1);
    }
}

#[test]
fn memory_is_shared_with_other_processes() {
    context();
    let (before, p, after) = (alloc(64), alloc(3000), alloc(64));
    support::write(before, &[1; 16]);
    support::write(after, &[2; 16]);
    support::write(p, &[5, 6]);
    let mut handle = [0u64; 8];
    // SAFETY: a place of 64 bytes for the handle.
    ok(unsafe { cuIpcGetMemHandle(handle.as_mut_ptr().cast(), p) });
    let text: Vec<String> = handle.iter().map(u64::to_string).collect();
    let output = Command::new(std::env::current_exe().expect("a test has a file"))
        .args(["--ignored", "--exact", "--nocapture", "program_opens_memory_of_another"])
        .env(SHARED, text.join(" "))
        .output()
        .expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // What the other process wrote is here, at the same address; what lies around it is as it was.
    assert_eq!((read(p, 2), read(before, 16), read(after, 16)), (vec![70, 71], vec![1; 16], vec![2; 16]));
    // SAFETY: allocated above.
    ok(unsafe { cuMemFree_v2(p) });
}
