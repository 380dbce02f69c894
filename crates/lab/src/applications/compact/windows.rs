//! A file that is larger than memory, compacted window by window.

use super::{Report, Request, condition, sift};
use crate::applications::{AppError, Summary, milliseconds};
use crate::files::{Array, Sink, Source, none};
use std::time::Instant;
use warpwise::Device;

pub(super) fn run(request: &Request, mut source: Source, window: usize) -> Result<Report, AppError> {
    let started = Instant::now();
    let (ty, elements) = (source.ty, source.shape.iter().product());
    let condition = condition(&request.condition, &none(ty))?;
    let sink = request.out.as_ref().map(|out| Sink::growing(out, ty)).transpose()?;
    let device = Device::cpu();
    let (mut summary, mut kept, mut windows) = (Summary::of(&Array { shape: vec![0], numbers: none(ty) }), 0, 0);
    Sink::beside(sink, |write| {
        source.each(window, |numbers| {
            let some = Array { shape: Vec::new(), numbers: sift::keep(&device, None, &condition, numbers)? };
            summary.extend(&some);
            kept += some.numbers.len();
            windows += 1;
            Ok::<(), AppError>(write(some.numbers)?)
        })
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
