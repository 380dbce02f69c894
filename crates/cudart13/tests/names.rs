//! The library has every name that programs of CUDA 13 may need, with the version that they ask for.
#![cfg(target_os = "linux")]

#[path = "../../runtime/testing/names.rs"]
mod names;

use names::Library;

const NAMES: &str = include_str!("../../runtime/names/13.txt");

#[test]
fn every_name_is_there_with_its_version() {
    let library = Library::open(13);
    assert_eq!(NAMES.lines().count(), 422);
    assert_eq!(library.missing(NAMES), Vec::<&str>::new());
    assert_eq!(library.missing("cudaNothing"), ["cudaNothing"]);
    assert!(library.has_its_name());
}

#[test]
fn the_library_answers() {
    let library = Library::open(13);
    assert_eq!(library.runtime_version(), 13000);
    assert_eq!(library.error_name(700), "cudaErrorIllegalAddress");
    assert_eq!(library.call("cudaImportExternalMemory"), 801);
    assert_eq!(library.call("cudaPeekAtLastError"), 801);
    assert_eq!(library.call("cudaGetLastError"), 801);
    assert_eq!(library.call("cudaGetLastError"), 0);
}
