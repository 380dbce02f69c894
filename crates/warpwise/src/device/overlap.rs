//! Copies and kernels at the same time.
//!
//! Data in the host's memory goes to a GPU, through a kernel, and back. The bus carries data both ways at once, and the
//! GPU computes meanwhile; so a large job is cut into parts, and while one part is computed, the next is on its way up
//! and the last one on its way down. The whole then takes about as long as the slowest of the three.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use warpwise_gpu::{Copier, DeviceError, DevicePtr, Fence};

use super::session::{Argument, Session};
use crate::Error;

/// Smaller jobs are not cut.
const WORTH_IT: usize = 64 << 20;
/// Parts to aim at: the first upload and the last download have nothing beside them.
const PARTS: usize = 16;
/// Bytes of a part's uploads.
const PART: std::ops::RangeInclusive<usize> = 8 << 20..=64 << 20;

/// A job on rows of host data: each row of the output is computed from the same row of every input, and from a few rows
/// around it.
#[derive(Debug)]
pub(crate) struct Rows<'a> {
    /// Inputs, with the bytes of a row.
    pub inputs: Vec<(&'a [u8], usize)>,
    /// The output, with the bytes of a row.
    pub output: (&'a mut [u8], usize),
    /// Rows of each.
    pub count: usize,
    /// Rows that are needed before and after a row.
    pub halo: usize,
}

/// What a part's kernels work on: rows of the job, with the halo where there is one.
#[derive(Debug)]
pub(crate) struct Part<'a> {
    /// Where the part's first row is, in each input.
    pub inputs: &'a [Argument],
    /// Where results go; those of halo rows are not used.
    pub output: Argument,
    /// Number of rows.
    pub rows: usize,
}

/// A part's rows, its place on the device, and what is copied for it.
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
    /// Rows of a part on a device that copies while it computes; `None` where cutting is of no use.
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
        // Halos are computed twice, which must stay a small share.
        Some(rows.max(16 * self.halo).max(1)).filter(|&rows| rows < self.count)
    }
}

impl Session {
    /// Runs a job in parts of so many rows; `launch` launches a part's kernels. Parts come in order.
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
        // Every part has room for the rows of its halo, whose results are of no use.
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

    /// Three threads hand parts on: one uploads, this one launches, one downloads.
    fn overlapped(
        &self,
        copier: &dyn Copier,
        pieces: Vec<Piece<'_>>,
        launch: &mut dyn FnMut(Part<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        // The memory may have been used by what is still under way.
        self.synchronize()?;
        let (arrived, arrivals) = mpsc::channel();
        let (computed, results) = mpsc::channel::<(Box<dyn Fence>, DevicePtr, &mut [u8])>();
        let (launched, uploads, downloads) = std::thread::scope(|scope| {
            let uploader = scope.spawn(move || {
                let mut busy = Duration::ZERO;
                for piece in pieces {
                    let since = Instant::now();
                    piece.uploads.iter().try_for_each(|&(to, bytes)| copier.upload(to, bytes))?;
                    busy += since.elapsed();
                    if arrived.send(piece).is_err() {
                        break;
                    }
                }
                Ok::<Duration, DeviceError>(busy)
            });
            let downloader = scope.spawn(move || {
                let mut busy = Duration::ZERO;
                for (fence, from, bytes) in results {
                    fence.wait()?;
                    let since = Instant::now();
                    copier.download(from, bytes)?;
                    busy += since.elapsed();
                }
                Ok::<Duration, DeviceError>(busy)
            });
            let mut launched = Ok(());
            for piece in arrivals {
                let fence = launch(piece.part()).and_then(|()| self.pause()).and_then(|()| Ok(copier.fence()?));
                match fence.map(|fence| computed.send((fence, piece.download.0, piece.download.1))) {
                    Ok(Ok(())) => {}
                    // The downloader is gone, and says why below.
                    Ok(Err(_)) => break,
                    Err(error) => {
                        launched = Err(error);
                        break;
                    }
                }
            }
            drop(computed);
            let [uploads, downloads] =
                [uploader, downloader].map(|thread| thread.join().expect("copying does not panic"));
            (launched, uploads, downloads)
        });
        // A kernel that failed makes copies fail: it is the reason that counts.
        self.synchronize()?;
        launched?;
        self.note_copies(uploads?, downloads?);
        Ok(())
    }
}

#[cfg(test)]
#[path = "overlap_tests.rs"]
mod tests;
