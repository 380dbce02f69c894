//! Progress on a terminal during long work.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Runs the work; on a terminal, a spinner appears once it has taken longer than two seconds.
pub(crate) fn spin<T>(message: &'static str, work: impl FnOnce() -> T) -> T {
    if !io::stderr().is_terminal() {
        return work();
    }
    let (done, watched) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if watched.recv_timeout(Duration::from_secs(2)) == Err(RecvTimeoutError::Timeout) {
                let spinner = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
                styled(&spinner, "{spinner} {msg}, {elapsed} so far");
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

/// Runs work in steps; on a terminal, a bar shows how many are done and how much time is left, once it has taken longer
/// than two seconds. The work gets a function to call with the number of steps done and the total.
pub(crate) fn bar<T>(work: impl FnOnce(&(dyn Fn(usize, usize) + Sync)) -> T) -> T {
    if !io::stderr().is_terminal() {
        return work(&|_, _| ());
    }
    let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::hidden());
    styled(&bar, "{bar:30} {prefix}, {elapsed} so far {msg}");
    bar.set_prefix("step 1");
    let begin = Instant::now();
    let (ended, watched) = mpsc::channel::<()>();
    let outcome = std::thread::scope(|scope| {
        let shown = bar.clone();
        scope.spawn(move || {
            if watched.recv_timeout(Duration::from_secs(2)) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(Duration::from_millis(200));
            }
        });
        let outcome = work(&|done, all| {
            bar.set_length(all as u64);
            // Steps that end at the same time may be reported in any order.
            let done = bar.position().max(done as u64);
            bar.set_position(done);
            bar.set_prefix(format!("{done} of {all}"));
            let each = begin.elapsed().as_secs_f64() / done.max(1) as f64;
            bar.set_message(left(each * (all as u64).saturating_sub(done) as f64));
        });
        drop(ended);
        outcome
    });
    // The other thread has ended, so nothing more is drawn.
    bar.finish_and_clear();
    outcome
}

/// Runs work whose parts take roughly known times; on a terminal, a bar shows the current part and how much time is
/// left. The work gets a function to call with the name of the part, the expected seconds done and in total, and the
/// seconds after which it ends in any case.
pub(crate) fn timed<T>(work: impl FnOnce(&dyn Fn(&str, f64, f64, f64)) -> T) -> T {
    if !io::stderr().is_terminal() {
        return work(&|_, _, _, _| ());
    }
    let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr());
    styled(&bar, "{bar:30} {percent:>3} %  {prefix:<18} {msg}");
    bar.enable_steady_tick(Duration::from_millis(200));
    let begin = Instant::now();
    let outcome = work(&|now, done, all, end| {
        bar.set_length((all * 1e3) as u64);
        bar.set_position((done * 1e3) as u64);
        bar.set_message(now.to_owned());
        // Expected times are rough, but the time taken so far shows how rough.
        let took = begin.elapsed().as_secs_f64();
        let expected = if done > 0.0 { took / done * (all - done) } else { all };
        bar.set_prefix(left(expected.min(end - took).max(0.0)));
    });
    bar.finish_and_clear();
    outcome
}

fn styled(bar: &ProgressBar, template: &str) {
    // A template that cannot be parsed is our own mistake, and no reason to stop the work.
    bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
}

/// `about 40 s left`.
fn left(seconds: f64) -> String {
    if seconds < 90.0 {
        format!("about {seconds:.0} s left")
    } else {
        format!("about {:.0} min left", (seconds / 60.0).ceil())
    }
}
