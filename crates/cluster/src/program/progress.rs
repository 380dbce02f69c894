//! Progress, as rank 0 shows it.

use std::io::{IsTerminal, Write};

use crate::communicator::{Communicator, gather};
use crate::timeline::{Log, Stage};

/// Reports of a run.
const REPORTS: usize = 50;

/// A run that is under way.
pub(super) struct Progress {
    what: &'static str,
    all: usize,
    cells: usize,
    /// When the last report was, how far the run had come, and the time in communication until then.
    last: Option<(f64, usize, f64)>,
}

impl Progress {
    pub(super) fn new(what: &'static str, all: usize, cells: usize) -> Self {
        Self { what, all, cells, last: None }
    }

    /// Steps between two reports.
    pub(super) fn piece(&self) -> usize {
        self.all.div_ceil(REPORTS).max(1)
    }

    /// Shows how far all ranks have come; all of them call it.
    pub(super) fn show(&mut self, ranks: &dyn Communicator, log: &Log, done: usize) {
        let now = log.seconds();
        let talked = log.total(Stage::Exchange) + log.total(Stage::Wait);
        let (before, steps, quiet) = self.last.unwrap_or((now, done, talked));
        self.last = Some((now, done, talked));
        let each = gather(ranks, [now - before, talked - quiet]);
        if ranks.rank() > 0 || now <= before {
            return;
        }
        let busy: Vec<f64> = each.iter().map(|[all, talked]| all - talked).collect();
        let (most, mean) = (busy.iter().copied().fold(0.0, f64::max), busy.iter().sum::<f64>() / busy.len() as f64);
        let talked = each.iter().map(|[all, talked]| talked / all).sum::<f64>() / each.len() as f64;
        let rate = (done - steps) as f64 / (now - before);
        let text = format!(
            "{}: {done} of {} steps, {:.2e} cells/s, {:.0} s to the end, imbalance {:.0} %, {:.0} % in communication",
            self.what,
            self.all,
            rate * self.cells as f64,
            (self.all - done) as f64 / rate,
            100.0 * (most / mean.max(1e-9) - 1.0),
            100.0 * talked,
        );
        let mut err = std::io::stderr().lock();
        // If stderr is closed there is nobody to tell.
        let _ = match (err.is_terminal(), done == self.all) {
            (true, false) => write!(err, "\r{text}\x1b[K").and_then(|()| err.flush()),
            (true, true) => writeln!(err, "\r{text}\x1b[K"),
            _ => writeln!(err, "{text}"),
        };
    }
}
