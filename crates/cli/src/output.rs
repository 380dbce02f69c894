//! Writing to the terminal: a closed pipe is not an error, and colours are for terminals only.

use std::io::{self, ErrorKind, IsTerminal, Write};

/// Prints results. The reader may stop early (`| head`), which is not an error.
pub(crate) fn result(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Prints text beside the results, to stderr.
pub(crate) fn aside(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Prints an error.
pub(crate) fn error(text: &str) {
    let label = if colour(&io::stderr()) { "\x1b[31;1merror\x1b[0m" } else { "error" };
    // If stderr is closed there is nobody to tell.
    let _ = writeln!(io::stderr(), "{label}: {text}");
}

/// Prints a warning.
pub(crate) fn warning(text: &str) {
    let label = if colour(&io::stderr()) { "\x1b[33;1mwarning\x1b[0m" } else { "warning" };
    let _ = writeln!(io::stderr(), "{label}: {text}");
}

/// Prints a note.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "note: {text}");
}

/// Whether to write colours to a stream: only to a terminal, and not if `NO_COLOR` is set.
pub(crate) fn colour(stream: &impl IsTerminal) -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let plain = std::env::var_os("TERM").is_some_and(|v| v == "dumb");
    stream.is_terminal() && !refused && !plain
}
