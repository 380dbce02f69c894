//! Writing to the terminal: a closed pipe is no error, colours are for terminals only.

use std::io::{self, ErrorKind, IsTerminal, Write};

/// Prints results. Whoever reads them may stop early (`| head`): that is their right.
pub(crate) fn result(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Prints an error.
pub(crate) fn error(text: &str) {
    let label = if colour(&io::stderr()) { "\x1b[31;1merror\x1b[0m" } else { "error" };
    // Where stderr is closed there is nobody to tell.
    let _ = writeln!(io::stderr(), "{label}: {text}");
}

/// Prints a note.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "note: {text}");
}

/// Whether a stream takes colours: a terminal, unless `NO_COLOR` is set.
pub(crate) fn colour(stream: &impl IsTerminal) -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let plain = std::env::var_os("TERM").is_some_and(|v| v == "dumb");
    stream.is_terminal() && !refused && !plain
}
