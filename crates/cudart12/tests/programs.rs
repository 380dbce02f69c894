//! The programs of `tests/programs` that have no kernels of their own, compiled with the headers of CUDA 12. Without
//! these the test says so.
#![cfg(target_os = "linux")]

#[path = "../../runtime/testing/programs.rs"]
mod programs;

#[test]
fn programs_print_what_they_state() {
    let Some(bench) = programs::Bench::find(12) else { return };
    let count = bench.run();
    assert!(count >= 8 || std::env::var_os("PROGRAMS").is_some(), "only {count} programs");
}
