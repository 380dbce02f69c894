//! Programs on two drivers, compared. Our own driver stands in for the one of a GPU.

use super::{folder, nvcc, write};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program that copies back in four ways what is the same on every GPU, and then what is not.
const PROGRAM: &str = r#"
#include <cstdio>
__global__ void squares(int* out) { out[threadIdx.x] = threadIdx.x * threadIdx.x; }
__global__ void multiprocessors(unsigned* out) { asm("mov.u32 %0, %%nsmid;" : "=r"(out[threadIdx.x & 3])); }
int main() {
    int *data, now[64], *later, flat[4][8];
    cudaMalloc(&data, sizeof now);
    cudaMallocHost(&later, sizeof now);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    squares<<<1, 64, 0, stream>>>(data);
    cudaMemcpyAsync(later, data, sizeof now, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    cudaMemcpy(now, data, sizeof now, cudaMemcpyDefault);
    cudaMemcpy2D(flat, 32, data, 64, 16, 4, cudaMemcpyDeviceToHost);
    multiprocessors<<<1, 1>>>((unsigned*)data);
    cudaMemcpy(now, data, 16, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", later[63], now[63], flat[3][3]);
    cudaFreeHost(later);
    cudaFree(data);
    cudaStreamDestroy(stream);
}
"#;

/// The driver that was built with this test.
fn stand_in() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_warpwise")).with_file_name("deps").join("libwarpwise_driver.so")
}

/// The exit status of a run on both, the report, and what was printed.
fn both(folder: &Path, gpu: &str) -> (Option<i32>, Value, [String; 2]) {
    let source = write(folder, "back.cu", PROGRAM);
    // The first run has settings of its own.
    let settings = write(folder, "settings.json", format!("{{\"gpu\": \"{gpu}\"}}"));
    let report = folder.join("report.json");
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise"));
    command.args(["exec", "--device", "both", "--json"]).args([report.as_os_str(), source.as_ref()]);
    command.env("XDG_CACHE_HOME", folder).env("WARPWISE_DRIVER", stand_in()).env("WARPWISE_EXEC", settings);
    let output = command.output().unwrap();
    let printed = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    let text = std::fs::read_to_string(&report).unwrap_or_else(|error| panic!("{error}: {printed:?}"));
    (output.status.code(), serde_json::from_str(&text).unwrap(), printed)
}

#[test]
fn equal_devices_give_equal_bytes() {
    if !nvcc() {
        return;
    }
    let (status, report, [stdout, stderr]) = both(&folder("both-equal"), "h200");
    assert_eq!((status, stdout.as_str()), (Some(0), "3969 3969 2601\n"), "{stderr}");
    assert_eq!(report["device"], "both");
    assert_eq!(report["comparison"]["copies"], 4, "{report}");
    assert_eq!(report["comparison"]["bytes"], 256 + 256 + 64 + 16);
    assert_eq!(report["comparison"]["different"], 0);
    assert!(stderr.contains("4 copies back to the host (592 bytes): equal on the GPU"), "{stderr}");
}

#[test]
fn bytes_that_differ_are_found_with_the_line_of_the_copy() {
    if !nvcc() {
        return;
    }
    let (status, report, [_, stderr]) = both(&folder("both-different"), "rtx-3090");
    assert_eq!(status, Some(1), "{stderr}");
    assert_eq!((&report["comparison"]["copies"], &report["comparison"]["different"]), (&4.into(), &1.into()));
    let findings = report["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{report}");
    let line = PROGRAM.lines().position(|line| line.contains("data, 16,")).unwrap() + 1;
    assert_eq!((&findings[0]["kind"], &findings[0]["line"]), (&"gpu_difference".into(), &line.into()));
    let message = "of copy 4, 1 of 16 bytes are not those of the GPU, the first at 0: 0x00000084 here, 0x00000052 on the \
                   GPU (bytes 0 to 3)";
    assert_eq!(findings[0]["message"], message);
    assert!(stderr.contains("1 not equal on the GPU"), "{stderr}");
}

#[test]
fn a_run_that_ends_otherwise_is_found() {
    let cache = folder("both-end");
    // Only the first run has the settings of a run on the emulator.
    let script = "test -n \"$WARPWISE_EXEC\" || { echo no settings >&2; exit 4; }";
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise"));
    command.args(["exec", "--device", "both", "--", "sh", "-c", script]);
    command.env("XDG_CACHE_HOME", &cache).env("WARPWISE_DRIVER", stand_in()).env_remove("WARPWISE_EXEC");
    let output = command.output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    let told = "the program ended with status 0 on the emulator, and on the GPU the program ended with status 4, where it \
                said last: no settings";
    assert!(stderr.contains(told), "{stderr}");
}

#[test]
fn without_a_gpu_it_says_so_in_a_sentence() {
    let run = |driver: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise"));
        command.args(["exec", "--device", "both", "--", "sh"]).env("WARPWISE_DRIVER", driver);
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (status, stderr) = run("/no/such/libcuda.so.1");
    assert_eq!(status, Some(2), "{stderr}");
    let told = "--device both: WARPWISE_DRIVER names /no/such/libcuda.so.1, which is no file; use --device emulator";
    assert!(stderr.contains(told), "{stderr}");
    // On a machine with a GPU the program runs.
    let (status, stderr) = run("");
    assert!(status == Some(0) || status == Some(2) && stderr.contains("--device both: there is no GPU"), "{stderr}");
    assert!(status == Some(0) || stderr.trim_end().lines().count() == 1, "{stderr}");
}
