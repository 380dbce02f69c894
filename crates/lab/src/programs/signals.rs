//! Signals to this process while a program runs: they are the program's.
//!
//! What a terminal sends (Ctrl-C) reaches the whole process group, the program included, so it is only endured here;
//! what another process sends to this one is passed on.

use std::sync::atomic::{AtomicI32, Ordering};

/// The signals that are passed on.
const PASSED: [libc::c_int; 6] =
    [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP, libc::SIGUSR1, libc::SIGUSR2];

/// The process of the program; 0 before it starts.
static PROGRAM: AtomicI32 = AtomicI32::new(0);
/// A signal that came before.
static EARLY: AtomicI32 = AtomicI32::new(0);

/// As long as this lives, signals are the program's.
pub(super) struct Signals {
    before: Vec<(libc::c_int, libc::sigaction)>,
}

impl Signals {
    /// Begins to pass signals on.
    pub(super) fn pass_on() -> Self {
        PROGRAM.store(0, Ordering::SeqCst);
        EARLY.store(0, Ordering::SeqCst);
        let mut before = Vec::new();
        for signal in PASSED {
            // SAFETY: all bytes zero is a valid `sigaction`, and `handle` calls only what a handler may.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = handle as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
                let mut old: libc::sigaction = std::mem::zeroed();
                if libc::sigaction(signal, &raw const action, &raw mut old) == 0 {
                    before.push((signal, old));
                }
            }
        }
        Self { before }
    }

    /// From now on they go to this process.
    pub(super) fn to(process: u32) {
        let process = i32::try_from(process).unwrap_or(0);
        PROGRAM.store(process, Ordering::SeqCst);
        let early = EARLY.swap(0, Ordering::SeqCst);
        if early != 0 && process > 0 {
            // SAFETY: a plain system call.
            unsafe { libc::kill(process, early) };
        }
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        PROGRAM.store(0, Ordering::SeqCst);
        for (signal, old) in &self.before {
            // SAFETY: `old` is what the system gave for this signal.
            unsafe { libc::sigaction(*signal, std::ptr::from_ref(old), std::ptr::null_mut()) };
        }
    }
}

extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the system passes a valid description of the signal.
    let from_terminal = unsafe { (*info).si_code } == libc::SI_KERNEL;
    let program = PROGRAM.load(Ordering::SeqCst);
    if program == 0 {
        EARLY.store(signal, Ordering::SeqCst);
    } else if !from_terminal {
        // SAFETY: `kill` may be called in a handler; the value of `errno` that it sets is put back.
        unsafe {
            let errno = *libc::__errno_location();
            libc::kill(program, signal);
            *libc::__errno_location() = errno;
        }
    }
}
