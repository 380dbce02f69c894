//! Whole programs: what passes through, what is refused, what is reported, and that nothing stays behind.

use super::{folder, mistake, names, nvcc, write};
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The command with a cache of its own.
fn exec(cache: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise"));
    command.arg("exec").args(arguments).env("XDG_CACHE_HOME", cache);
    command
}

fn output(command: &mut Command) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// Whether runs have left their folders behind.
fn is_clean(cache: &Path) -> bool {
    names(&cache.join("warpwise/runs")).is_empty()
}

#[test]
fn output_input_and_status_are_the_programs() {
    let cache = folder("exec-through");
    let script = "read line; echo \"out $line\"; echo err >&2; exit 3";
    let mut command = exec(&cache, &["--", "sh", "-c", script]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"in\n").unwrap();
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(3));
    assert_eq!(String::from_utf8_lossy(&done.stdout), "out in\n");
    let stderr = String::from_utf8_lossy(&done.stderr);
    assert!(stderr.contains("err\n") && stderr.contains("the program ended with status 3"), "{stderr}");
    assert!(stderr.contains("note: the program made no CUDA call"), "{stderr}");
    assert!(is_clean(&cache));
}

#[test]
fn a_crash_is_told_and_leaves_nothing() {
    let cache = folder("exec-crash");
    let (status, _, stderr) = output(&mut exec(&cache, &["--", "sh", "-c", "kill -SEGV $$"]));
    assert_eq!(status, Some(139), "{stderr}");
    assert!(stderr.contains("ended by signal 11 (SIGSEGV, a bad access)"), "{stderr}");
    assert!(is_clean(&cache));
}

#[test]
fn signals_are_passed_on() {
    let cache = folder("exec-signals");
    let script = "trap 'echo got it; exit 5' TERM; echo ready; while :; do sleep 0.05; done";
    let mut child = exec(&cache, &["--", "sh", "-c", script]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    assert_eq!(lines.next().unwrap().unwrap(), "ready");
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(lines.next().unwrap().unwrap(), "got it");
    assert_eq!(child.wait().unwrap().code(), Some(5));
    assert!(is_clean(&cache));
}

#[test]
fn mistakes_name_what_is_wrong() {
    for (arguments, told) in [
        (&["exec"][..], "nothing to run: give a .cu file"),
        (&["exec", "sh", "x"], "`x` is not a source file"),
        (&["exec", "--", "./no-such"], "there is no program `./no-such`"),
        (&["exec", "no-such.cu"], "there is no program `no-such.cu`"),
        (&["exec", "--gpu", "abacus", "--", "sh"], "--gpu: `abacus` is not a GPU"),
        (&["exec", "--nvcc-arg=-O3", "--", "sh"], "--nvcc-arg is for .cu files"),
        (&["exec", "--launches", "k:5-3", "--", "sh"], "`k:5-3` picks no launches"),
        (&["exec", "--memory", "0", "--", "sh"], "give a number of bytes above 0"),
        (&["exec", "--memory", "-1", "--", "sh"], "is not a number from 0"),
        (&["exec", "--time-limit", "0", "--", "sh"], "give a number of seconds above 0"),
        (&["exec", "--clock", "sun", "--", "sh"], "estimated"),
        (&["exec", "--check", "spelling", "--", "sh"], "`spelling` is no check"),
        (&["exec", "--device", "cuda", "--explain", "--", "sh"], "--explain is for the emulator"),
        (&["exec", "--json", "/no/such/folder/x.json", "--", "sh"], "--json: "),
    ] {
        let stderr = mistake(arguments);
        assert!(stderr.contains(told), "{arguments:?}: {stderr}");
    }
}

#[test]
fn reports_are_written_to_files() {
    let cache = folder("exec-files");
    let path = |name: &str| cache.join(name).display().to_string();
    let (json, sarif, html, junit) = (path("r.json"), path("r.sarif"), path("r.html"), path("r.xml"));
    let options = ["--json", &json, "--sarif", &sarif, "--html", &html, "--junit", &junit, "--quiet"];
    let (status, stdout, stderr) = output(&mut exec(&cache, &[&options[..], &["--", "sh", "-c", "echo x"]].concat()));
    assert_eq!((status, stdout.as_str(), stderr.as_str()), (Some(0), "x\n", ""));
    let report: Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(report["ended"]["exit"], 0);
    assert_eq!(report["arguments"][1], "echo x");
    assert_eq!(report["ok"], true);
    assert!(std::fs::read_to_string(&sarif).unwrap().contains("unchecked_error"), "rules of hosts are listed");
    assert!(std::fs::read_to_string(&html).unwrap().contains("<h1>warpwise exec "));
    assert!(std::fs::read_to_string(&junit).unwrap().contains("tests=\"1\" failures=\"0\""));
}

#[test]
fn what_is_set_is_told_if_asked() {
    let cache = folder("exec-verbose");
    let mut command = exec(&cache, &["--verbose", "--", "sh", "-c", "echo $LD_LIBRARY_PATH; ls $LD_LIBRARY_PATH"]);
    let (status, stdout, stderr) = output(command.env_remove("LD_LIBRARY_PATH"));
    assert_eq!(status, Some(0), "{stderr}");
    for name in ["libcuda.so", "libcuda.so.1", "libcudart.so.12", "libcudart.so.13"] {
        assert!(stdout.lines().any(|line| line == name), "{stdout}");
    }
    assert!(stderr.contains("warpwise: LD_LIBRARY_PATH=") && stderr.contains("PYCUDA_CACHE_DIR"), "{stderr}");
}

/// A program of C, for programs that only have to look like those of CUDA.
fn compile(folder: &Path, name: &str, text: &str) -> String {
    let source = write(folder, &format!("{name}.c"), text);
    let program = folder.join(name).display().to_string();
    let done = Command::new("cc").args(["-o", &program, &source]).status().unwrap();
    assert!(done.success());
    program
}

#[test]
fn the_runtime_of_nvidia_inside_is_refused_before_the_start() {
    let cache = folder("exec-static");
    let program = compile(&cache, "static", "int cudaMalloc(void) { return 0; }\nint main(void) { return 7; }\n");
    let stderr = mistake(&["exec", "--", &program]);
    assert!(
        stderr.contains("NVIDIA's runtime library linked into it") && stderr.contains("-cudart shared"),
        "{stderr}"
    );
}

#[test]
fn machine_code_alone_is_refused_before_the_start() {
    let cache = folder("exec-no-ptx");
    // A fatbinary with one entry of machine code.
    let text = "__attribute__((section(\".nv_fatbin\"), used, aligned(8))) static const unsigned int image[] = {\n\
        0xBA55ED50u, 0x00100001u, 72, 0, 0x01010002u, 64, 8, 0, 0, 0, 0, 90, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };\n\
        int main(void) { return 7; }\n";
    let program = compile(&cache, "cubin", text);
    let stderr = mistake(&["exec", "--gpu", "rtx-3090", "--", &program]);
    assert!(stderr.contains("no PTX") && stderr.contains("-arch=compute_86"), "{stderr}");
}

const PROGRAM: &str = r#"#include <cstdio>
__global__ void scale(float *data, float by) { data[threadIdx.x] *= by; }
__global__ void shift(float *data, float by) { data[threadIdx.x] += by; }
int main(int argc, char **argv) {
    float host[64], *data;
    for (int i = 0; i < 64; i++) host[i] = i;
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    for (int i = 0; i < 3; i++) scale<<<1, 64>>>(data, 2);
    shift<<<1, 64>>>(data, argc);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g %s\n", host[1], argc > 1 ? argv[1] : "");
    cudaFree(data);
    return argc > 1 ? 4 : 0;
}
"#;

/// The report of a run as JSON.
fn report(cache: &Path, status: i32, arguments: &[&str]) -> (Value, String, String) {
    let file = cache.join("report.json").display().to_string();
    let (ended, stdout, stderr) = output(&mut exec(cache, &[&["--json", &file][..], arguments].concat()));
    assert_eq!(ended, Some(status), "{arguments:?}\n{stdout}\n{stderr}");
    (serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap(), stdout, stderr)
}

#[test]
fn a_source_is_compiled_once_and_run() {
    if !nvcc() {
        return;
    }
    let cache = folder("exec-source");
    let file = write(&cache, "program.cu", PROGRAM);
    let (first, stdout, stderr) = report(&cache, 0, &[&file]);
    assert_eq!(stdout, "9 \n");
    assert!(stderr.contains("kernel  ") && stderr.contains("scale(") | stderr.contains("scale "), "{stderr}");
    let kernels: Vec<(&str, u64)> = first["kernels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|kernel| (kernel["kernel"].as_str().unwrap(), kernel["launches"].as_u64().unwrap()))
        .collect();
    assert_eq!(kernels, [("scale", 3), ("shift", 1)]);
    let copies = first["copies"].as_array().unwrap();
    assert_eq!((&copies[0]["direction"], &copies[0]["bytes"]), (&"host to device".into(), &256.into()));
    assert_eq!((&copies[1]["direction"], &copies[1]["count"]), (&"device to host".into(), &1.into()));
    assert_eq!(first["findings"].as_array().unwrap().len(), 0, "{first}");
    let programs = names(&cache.join("warpwise/programs"));
    let (_, stdout, _) = report(&cache, 4, &[&file, "--", "word"]);
    assert_eq!(stdout, "10 word\n");
    assert_eq!(names(&cache.join("warpwise/programs")), programs, "it is compiled once");
    assert!(is_clean(&cache));
    // The program that was compiled runs by its path, too.
    let program = cache.join("warpwise/programs").join(&programs[0]).join("program");
    let (_, stdout, _) = report(&cache, 0, &["--", &program.display().to_string()]);
    assert_eq!(stdout, "9 \n");
    let (counted, _, stderr) = report(&cache, 0, &["--counters", &file]);
    assert!(counted["kernels"][0]["estimated_us"].as_f64().unwrap() > 0.0, "{counted}");
    assert!(counted["kernels"][0]["counters"]["global_load_requests"].as_u64().unwrap() > 0);
    assert!(stderr.contains("estimated"), "{stderr}");
    let (explained, _, stderr) = report(&cache, 0, &["--explain", "--launches", "sh*", &file]);
    assert_eq!(explained["explanations"].as_array().unwrap().len(), 1);
    assert!(stderr.contains("What costs most") && stderr.contains("shift"), "{stderr}");
    let (other, _, _) = report(&cache, 0, &["--gpu", "rtx-3090", "--clock", "estimated", "--memory", "2^26", &file]);
    assert_eq!(other["gpu"], "rtx-3090");
}

#[test]
fn several_files_are_one_program() {
    if !nvcc() {
        return;
    }
    let cache = folder("exec-files-of-one");
    let main = "#include <cstdio>\nint twice(int);\nint main() { printf(\"%d\\n\", twice(21)); }\n";
    let other = "__global__ void k(int *x) { *x *= FACTOR; }\n\
        int twice(int x) {\n    int *d;\n    cudaMalloc(&d, 4);\n    cudaMemcpy(d, &x, 4, cudaMemcpyDefault);\n    \
        k<<<1, 1>>>(d);\n    cudaMemcpy(&x, d, 4, cudaMemcpyDefault);\n    cudaFree(d);\n    return x;\n}\n";
    let (main, other) = (write(&cache, "main.cpp", main), write(&cache, "other.cu", other));
    let (_, stdout, _) = report(&cache, 0, &["--nvcc-arg=-DFACTOR=2", &main, &other]);
    assert_eq!(stdout, "42\n");
}

#[test]
fn a_source_with_mistakes_shows_what_the_compiler_says() {
    if !nvcc() {
        return;
    }
    let cache = folder("exec-wrong-source");
    let file = write(&cache, "wrong.cu", "int main() { return nothing; }\n");
    let (status, stdout, stderr) = output(&mut exec(&cache, &[&file]));
    assert_eq!((status, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("wrong.cu does not compile:") && stderr.contains("nothing"), "{stderr}");
    let kernel = write(&cache, "kernel.cu", "__global__ void fill(int *a) { a[threadIdx.x] = 1; }\n");
    let (status, stdout, stderr) = output(&mut exec(&cache, &[&kernel]));
    assert_eq!((status, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("kernel.cu has no main") && stderr.contains("warpwise inspect"), "{stderr}");
}

#[test]
fn a_crash_keeps_the_findings_up_to_then() {
    if !nvcc() {
        return;
    }
    let cache = folder("exec-late-crash");
    let text = "#include <cstdlib>\n__global__ void k(int *x) { x[0] += 1; }\nint main() {\n    int *d;\n    \
        cudaMalloc(&d, 4);\n    cudaMemset(d, 0, 4);\n    k<<<2, 1>>>(d);\n    cudaDeviceSynchronize();\n    abort();\n}\n";
    let file = write(&cache, "crash.cu", text);
    let (report, _, stderr) = report(&cache, 134, &["--check", "races", &file]);
    assert_eq!(report["findings"][0]["kind"], "race", "{report}");
    assert!(stderr.contains("error: race") && stderr.contains("SIGABRT"), "{stderr}");
    assert!(is_clean(&cache));
}

#[test]
fn python_gets_its_arguments() {
    let cache = folder("exec-python");
    let script = write(&cache, "s.py", "import os, sys\nprint(sys.argv[1:], 'WARPWISE_EXEC' in os.environ)\n");
    let (status, stdout, stderr) = output(&mut exec(&cache, &[&script, "--", "-a", "b"]));
    assert_eq!((status, stdout.as_str()), (Some(0), "['-a', 'b'] True\n"), "{stderr}");
}

#[test]
fn our_own_cuda_device_runs_on_our_own_driver() {
    let cache = folder("exec-selftest");
    let own = env!("CARGO_BIN_EXE_warpwise");
    let arguments = ["--check", "races,memory,sync", "--", own, "selftest", "--device", "cuda", "--few", "2", "vecadd"];
    let (report, stdout, stderr) = report(&cache, 0, &arguments);
    assert!(stdout.contains("vecadd"), "{stdout}\n{stderr}");
    assert!(!report["kernels"].as_array().unwrap().is_empty(), "{report}");
    assert_eq!(
        report["findings"].as_array().unwrap().iter().filter(|f| f["severity"] == "error").count(),
        0,
        "{report}"
    );
}
