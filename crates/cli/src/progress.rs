//! Signs of life on a terminal, while something takes long.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

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

/// Does something whose parts take about known times; on a terminal, a bar shows what is done now and how much time is
/// left. The work gets a function to call with what it does, and with the expected seconds of what is done and of all.
pub(crate) fn timed<T>(work: impl FnOnce(&dyn Fn(&str, f64, f64)) -> T) -> T {
    if !io::stderr().is_terminal() {
        return work(&|_, _, _| ());
    }
    let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{bar:30} {percent:>3} %  {prefix:<18} {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(200));
    let begin = Instant::now();
    let outcome = work(&|now, done, all| {
        bar.set_length((all * 1e3) as u64);
        bar.set_position((done * 1e3) as u64);
        bar.set_message(now.to_owned());
        // Expected times are rough, but those of this machine so far say how rough.
        let took = begin.elapsed().as_secs_f64();
        let left = if done > 0.0 { took / done * (all - done) } else { all };
        bar.set_prefix(format!("about {left:.0} s left"));
    });
    bar.finish_and_clear();
    outcome
}
