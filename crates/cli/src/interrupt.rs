//! Ctrl-C: long work ends at the next opportunity, and its results so far are written. A second one ends the program.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// The exit status of a program that Ctrl-C ended.
const STATUS: i32 = 130;

/// Begins to watch for Ctrl-C.
pub(crate) fn watch() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(STATUS);
        }
    })?;
    Ok(())
}

/// Whether Ctrl-C was pressed.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
