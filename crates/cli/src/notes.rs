//! What the library has to say beside results.

use crate::output;
use log::{LevelFilter, Log, Metadata, Record};

/// Writes warnings of the library to stderr, a line each.
struct Notes;

impl Log for Notes {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("warpwise")
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            output::aside(&format!("warpwise: {}\n", record.args()));
        }
    }

    fn flush(&self) {}
}

/// Shows them from now on.
pub(crate) fn show() {
    if log::set_logger(&Notes).is_ok() {
        log::set_max_level(LevelFilter::Warn);
    }
}
