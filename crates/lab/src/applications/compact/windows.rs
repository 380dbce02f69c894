//! A file that is larger than memory, compacted window by window.

use super::{Report, Request, condition, sift};
use crate::applications::{AppError, Summary, milliseconds};
use crate::files::{Array, Numbers, Sink, Source, none};
use std::sync::mpsc::sync_channel;
use std::time::Instant;
use warpwise::Device;

pub(super) fn run(request: &Request, mut source: Source, window: usize) -> Result<Report, AppError> {
    let started = Instant::now();
    let (ty, elements) = (source.ty, source.shape.iter().product());
    let condition = condition(&request.condition, &none(ty))?;
    let sink = request.out.as_ref().map(|out| Sink::growing(out, ty)).transpose()?;
    let device = Device::cpu();
    let (mut summary, mut kept, mut windows) = (Summary::of(&Array { shape: vec![0], numbers: none(ty) }), 0, 0);
    // While a window is computed, the one before is written.
    std::thread::scope(|scope| {
        let (send, finished) = sync_channel::<Numbers>(0);
        let writer = sink.map(|sink| scope.spawn(move || sink.write(&finished)));
        let send = writer.is_some().then_some(send);
        let sifted = source.each(window, |numbers| {
            let some = Array { shape: Vec::new(), numbers: sift::keep(&device, None, &condition, &numbers)? };
            drop(numbers);
            summary.extend(&some);
            kept += some.numbers.len();
            windows += 1;
            match &send {
                Some(send) if send.send(some.numbers).is_err() => Err(AppError::flag("--out", "it cannot be written")),
                _ => Ok(()),
            }
        });
        drop(send);
        let written = writer.map(|writer| writer.join().expect("writing does not panic")).transpose();
        // A disk that is full stops the rest, and is the reason to name.
        let written = written?;
        sifted?;
        Ok::<_, AppError>(written.map_or(Ok(()), Sink::finish)?)
    })?;
    summary.shape = vec![kept];
    Ok(Report {
        schema: 1,
        file: request.file.clone(),
        condition: request.condition.text.clone(),
        device: device.name(),
        variant: request.setup.variant.clone(),
        elements,
        kept,
        time_ms: milliseconds(started),
        result: summary,
        out: request.out.clone(),
        windows: Some(windows),
        verified: None,
    })
}
