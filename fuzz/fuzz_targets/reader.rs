//! Any text at all: the reader and the verifier must answer with a module or an error, never panic, and end soon.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    if let Err(error) = warpwise_ptx::parse(&text).and_then(|module| warpwise_ptx::verify(&text, &module)) {
        let shown = error.to_string();
        assert!(error.line >= 1 && error.column >= 1);
        assert!(shown.len() < 4096, "an error message is meant to be read");
    }
});
