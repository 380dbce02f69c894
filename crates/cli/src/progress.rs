//! Signs of life on a terminal, while something takes long.

use indicatif::{ProgressBar, ProgressDrawTarget};
use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Does something; on a terminal, a spinner turns while it takes longer than two seconds.
pub(crate) fn spin<T>(message: &'static str, work: impl FnOnce() -> T) -> T {
    if !io::stderr().is_terminal() {
        return work();
    }
    let (done, watched) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if watched.recv_timeout(Duration::from_secs(2)) == Err(RecvTimeoutError::Timeout) {
                let spinner = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
                spinner.set_message(message);
                spinner.enable_steady_tick(Duration::from_millis(100));
                // Ends when the sender is dropped.
                let _ = watched.recv();
                spinner.finish_and_clear();
            }
        });
        let outcome = work();
        drop(done);
        outcome
    })
}

/// Does something in steps; on a terminal, a bar shows how many are done. The work gets a function to call with the
/// number of steps that are done, and that of all.
pub(crate) fn bar<T>(work: impl FnOnce(&(dyn Fn(usize, usize) + Sync)) -> T) -> T {
    if !io::stderr().is_terminal() {
        return work(&|_, _| ());
    }
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
    let outcome = work(&|done, all| {
        bar.set_length(all as u64);
        // Steps that end at the same time may be told of in any order.
        bar.set_position(bar.position().max(done as u64));
    });
    bar.finish_and_clear();
    outcome
}
