//! Starting a program and waiting for its end.

use super::ProgramError;
use super::signals::Signals;
use serde::Serialize;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// How a program ended: its fields are the JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// By itself, with this status.
    Exit(i32),
    /// By this signal.
    Signal(i32),
}

impl Ending {
    /// The exit status for a shell.
    pub fn status(self) -> u8 {
        match self {
            Self::Exit(status) => u8::try_from(status & 0xff).unwrap_or(u8::MAX),
            Self::Signal(signal) => u8::try_from(128 + (signal & 0x7f)).unwrap_or(u8::MAX),
        }
    }

    /// For readers, if there is something to say.
    pub(crate) fn words(self) -> Option<String> {
        match self {
            Self::Exit(0) => None,
            Self::Exit(status) => Some(format!("the program ended with status {status}")),
            Self::Signal(signal) => Some(format!("the program was ended by signal {signal} ({})", name(signal))),
        }
    }
}

/// The name of a signal.
fn name(signal: i32) -> &'static str {
    match signal {
        libc::SIGHUP => "SIGHUP",
        libc::SIGINT => "SIGINT",
        libc::SIGQUIT => "SIGQUIT",
        libc::SIGILL => "SIGILL",
        libc::SIGABRT => "SIGABRT, abort",
        libc::SIGBUS => "SIGBUS, a bad access",
        libc::SIGFPE => "SIGFPE, a bad division",
        libc::SIGKILL => "SIGKILL",
        libc::SIGSEGV => "SIGSEGV, a bad access",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGTERM => "SIGTERM",
        _ => "see `kill -l`",
    }
}

/// Runs a program to its end, with the seconds that it took. Signals to this process are the program's meanwhile.
pub(super) fn run(command: &mut Command) -> Result<(Ending, f64), ProgramError> {
    use std::os::unix::process::ExitStatusExt;
    let path = Path::new(command.get_program()).to_owned();
    let wrong = |problem| ProgramError::Start { path: path.clone(), problem };
    let begin = Instant::now();
    let signals = Signals::pass_on();
    let mut child = command.spawn().map_err(wrong)?;
    Signals::to(child.id());
    let status = child.wait().map_err(wrong)?;
    drop(signals);
    let ending = match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Exit(code),
        (None, signal) => Ending::Signal(signal.unwrap_or(libc::SIGKILL)),
    };
    Ok((ending, begin.elapsed().as_secs_f64()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Ending {
        run(Command::new("sh").args(["-c", script])).expect("sh starts").0
    }

    #[test]
    fn endings_are_those_of_the_program() {
        assert_eq!(shell("exit 0"), Ending::Exit(0));
        assert_eq!(shell("exit 3"), Ending::Exit(3));
        assert_eq!(shell("kill -TERM $$"), Ending::Signal(libc::SIGTERM));
        assert_eq!((Ending::Exit(3).status(), Ending::Signal(11).status()), (3, 139));
        assert_eq!(Ending::Exit(0).words(), None);
        let told = Ending::Signal(libc::SIGSEGV).words().expect("a crash");
        assert_eq!(told, "the program was ended by signal 11 (SIGSEGV, a bad access)");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let told = run(&mut Command::new("/no/such/program")).expect_err("there is none").to_string();
        assert!(told.starts_with("cannot start /no/such/program: "), "{told}");
    }
}
