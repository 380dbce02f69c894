//! The whole programs of `tests/programs`, compiled by nvcc 13. Without it these tests say so.
#![cfg(target_os = "linux")]

#[path = "../../runtime/testing/programs.rs"]
mod programs;

#[test]
fn programs_print_what_they_state() {
    let Some(bench) = programs::Bench::find(13) else { return };
    let count = bench.run();
    assert!(count >= 40 || std::env::var_os("PROGRAMS").is_some(), "only {count} programs");
}

/// Checks find the errors that programs are written to show, and no others.
#[test]
fn checks_find_what_programs_state() {
    let Some(bench) = programs::Bench::find(13) else { return };
    bench.run_checked();
}
