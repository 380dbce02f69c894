//! Copies and kernels at the same time.
//!
//! Data in host memory goes to a GPU, through a kernel, and back. The bus carries data both ways at once while the GPU
//! computes. So a large job is cut into parts: while one part is computed, the next is uploaded and the previous one is
//! downloaded. The whole then takes about as long as the slowest of the three.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use warpwise_gpu::{Copier, DeviceError, DevicePtr, Fence};

use super::session::Session;
use super::{Argument, Part, Rows};
use crate::Error;

/// Jobs smaller than this are not cut.
const WORTH_IT: usize = 64 << 20;
/// Parts to aim for: nothing overlaps the first upload and the last download.
const PARTS: usize = 16;
/// Bytes that a part uploads.
const PART: std::ops::RangeInclusive<usize> = 8 << 20..=64 << 20;

/// A part's rows, its place on the device, and its copies.
struct Piece<'a> {
    inputs: Vec<Argument>,
    output: DevicePtr,
    rows: usize,
    uploads: Vec<(DevicePtr, &'a [u8])>,
    download: (DevicePtr, &'a mut [u8]),
}

impl Piece<'_> {
    fn part(&self) -> Part<'_> {
        Part { inputs: &self.inputs, output: Argument::Pointer(self.output), rows: self.rows }
    }
}

impl Rows<'_> {
    /// Rows of a part on a device that copies while it computes; `None` if cutting does not pay.
    pub(crate) fn worth_cutting(&self, session: &Session) -> Option<usize> {
        self.part_rows().filter(|_| session.copier().is_some())
    }

    fn part_rows(&self) -> Option<usize> {
        let upload: usize = self.inputs.iter().map(|(bytes, _)| bytes.len()).sum();
        if upload + self.output.0.len() < WORTH_IT {
            return None;
        }
        let row: usize = self.inputs.iter().map(|(_, row)| row).sum();
        let rows = (upload / PARTS).clamp(*PART.start(), *PART.end()) / row.max(1);
        // Halos are computed twice; that must stay a small share of the work.
        Some(rows.max(16 * self.halo).max(1)).filter(|&rows| rows < self.count)
    }
}

impl Session {
    /// Runs a job in parts of that many rows, in order; `launch` launches a part's kernels.
    pub(crate) fn in_parts(
        &self,
        job: Rows<'_>,
        rows: usize,
        launch: impl FnMut(Part<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.in_parts_by(self.copier().as_deref(), job, rows, launch)
    }

    fn in_parts_by(
        &self,
        copier: Option<&dyn Copier>,
        job: Rows<'_>,
        rows: usize,
        mut launch: impl FnMut(Part<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Rows { inputs, output: (output, out_row), count, halo } = job;
        let memory =
            inputs.iter().map(|(bytes, _)| self.allocate(bytes.len() as u64)).collect::<Result<Vec<_>, _>>()?;
        // Every part has room for the rows of its halo; their results are discarded.
        let room = ((rows + 2 * halo) * out_row).next_multiple_of(256) as u64;
        let results = self.allocate(room * count.div_ceil(rows) as u64)?;
        let mut pieces = Vec::new();
        let mut uploaded = 0;
        for (index, download) in output.chunks_mut(rows * out_row).enumerate() {
            let first = index * rows;
            let (from, to) = (first.saturating_sub(halo), (first + rows + halo).min(count));
            let at = DevicePtr(results.ptr().0 + index as u64 * room);
            let place = |input: usize, row: usize| DevicePtr(memory[input].ptr().0 + (row * inputs[input].1) as u64);
            let upload = |input: usize| {
                (place(input, uploaded), &inputs[input].0[uploaded * inputs[input].1..to * inputs[input].1])
            };
            pieces.push(Piece {
                inputs: (0..inputs.len()).map(|input| Argument::Pointer(place(input, from))).collect(),
                output: at,
                rows: to - from,
                uploads: (0..inputs.len()).map(upload).collect(),
                download: (DevicePtr(at.0 + ((first - from) * out_row) as u64), download),
            });
            uploaded = to;
        }
        match copier {
            Some(copier) => self.overlapped(copier, pieces, &mut launch),
            None => pieces.into_iter().try_for_each(|piece| {
                piece.uploads.iter().try_for_each(|&(to, bytes)| self.upload(to, bytes))?;
                launch(piece.part())?;
                self.download(piece.download.0, piece.download.1)
            }),
        }
    }

    /// Two threads copy, one up and one down, while this one launches.
    fn overlapped(
        &self,
        copier: &dyn Copier,
        pieces: Vec<Piece<'_>>,
        launch: &mut dyn FnMut(Part<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        // Earlier work still in flight may use this memory.
        self.synchronize()?;
        let (mut uploads, mut parts, mut downloads) = (Vec::new(), Vec::new(), Vec::new());
        for Piece { inputs, output, rows, uploads: own, download } in pieces {
            uploads.extend(own);
            parts.push((uploads.len(), inputs, output, rows));
            downloads.push(download);
        }
        let results = Results::default();
        let (arrived, arrivals) = mpsc::channel();
        let (launched, up, down) = std::thread::scope(|scope| {
            let uploader = scope.spawn(move || {
                let since = Instant::now();
                copier.upload(&uploads, &|index| {
                    // After a failed launch, there is no receiver.
                    let _ = arrived.send(index);
                })?;
                Ok::<Duration, DeviceError>(since.elapsed())
            });
            let results = &results;
            let downloader = scope.spawn(move || {
                let since = Instant::now();
                copier.download(downloads, &|index| results.wait(index))?;
                Ok::<Duration, DeviceError>(since.elapsed())
            });
            let mut there = BTreeSet::new();
            let launched = parts.iter().try_for_each(|(uploads, inputs, output, rows)| {
                while !(0..*uploads).all(|index| there.contains(&index)) {
                    match arrivals.recv() {
                        Ok(index) => there.insert(index),
                        // The uploader has stopped; its error is returned below.
                        Err(_) => return Err(Error::Lost),
                    };
                }
                launch(Part { inputs, output: Argument::Pointer(*output), rows: *rows })?;
                self.pause()?;
                results.add(copier.fence()?);
                Ok(())
            });
            results.end();
            drop(arrivals);
            let [up, down] = [uploader, downloader].map(|thread| thread.join().expect("copying does not panic"));
            (launched, up, down)
        });
        // A failed kernel makes copies fail, and a failed copy leaves launches waiting in vain.
        self.synchronize()?;
        let (up, down) = (up?, down?);
        launched?;
        self.note_copies(up, down);
        Ok(())
    }
}

/// Fences after the parts launched so far.
#[derive(Default)]
struct Results {
    state: Mutex<(Vec<Arc<dyn Fence>>, bool)>,
    changed: Condvar,
}

impl Results {
    fn change(&self, change: impl FnOnce(&mut (Vec<Arc<dyn Fence>>, bool))) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }

    /// The next part was launched.
    fn add(&self, fence: Box<dyn Fence>) {
        self.change(|(fences, _)| fences.push(Arc::from(fence)));
    }

    /// No more parts will be launched.
    fn end(&self) {
        self.change(|(_, ended)| *ended = true);
    }

    /// Waits until a part is computed; `false` if it never will be.
    fn wait(&self, part: usize) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_while(state, |(fences, ended)| fences.len() <= part && !*ended);
        let fence = waited.unwrap_or_else(PoisonError::into_inner).0.get(part).cloned();
        fence.is_some_and(|fence| fence.wait().is_ok())
    }
}

#[cfg(test)]
#[path = "overlap_tests.rs"]
mod tests;
