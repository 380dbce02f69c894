//! Hello on the emulator, and where it cannot run.

use super::greet;
use crate::{Device, Error};

#[test]
fn every_thread_says_hello() {
    let text = greet(&Device::emulator(), 3, 33).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), 99);
    assert!(text.contains("Hello from block 2, thread 32\n"));
}

#[test]
fn wrong_places_and_sizes_are_refused() {
    let error = greet(&Device::cpu(), 1, 1).unwrap_err();
    assert_eq!(error.to_string(), "hello runs on a GPU only: use Device::emulator() on a machine without one");
    assert!(matches!(greet(&Device::emulator(), 1, 1025), Err(Error::Launch(_))));
    assert!(matches!(greet(&Device::emulator(), 0, 1), Err(Error::Launch(_))));
}
