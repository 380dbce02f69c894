//! 1-D convolution, with a mask of five weights and zeros beyond the ends.

use super::{Case, Job, Loops, Problem, Rung, Step, Timed};
use std::hint::black_box;
use warpwise::conformance::within;
use warpwise::convolve1d::{self, Options, Signal, cpu, reference};
use warpwise::{Border, Buffer, Error};

/// Weights of the mask.
pub(crate) const MASK_WIDTH: usize = 5;

struct Convolution<T: Signal> {
    mask: Vec<T>,
    xs: Vec<T>,
    expected: Vec<T::Exact>,
}

pub(super) fn case<T: Signal>(problem: &Problem) -> Result<Box<dyn Case>, Error> {
    // 1 2 3 2 1, of which floats take ninths: a mean.
    let weights: [u8; MASK_WIDTH] = [1, 2, 3, 2, 1];
    let mask: Vec<T> = weights.iter().map(|&w| T::from_random(w.into(), f64::from(w) / 9.0)).collect();
    let xs = problem.data.elements::<T>(0, problem.elements());
    let mut expected = vec![T::ZERO.exact(); xs.len()];
    reference::convolve(&mask, Border::Zero, &xs, &mut expected)?;
    Ok(Box::new(Convolution { mask, xs, expected }))
}

impl<T: Signal> Case for Convolution<T> {
    fn job(&self, rung: &Rung) -> Job<'_> {
        let options = Options { variant: rung.variant.clone(), geometry: rung.geometry };
        let (device, again) = (rung.device.clone(), options.clone());
        let compute = move || convolve1d::run(&device, &self.mask, Border::Zero, &self.xs, &again);
        let compare = |found: Vec<T>| within(&found, &self.expected, MASK_WIDTH);
        Job::new(compute, compare, self.timed(rung, options))
    }
}

impl<T: Signal> Convolution<T> {
    fn timed(&self, rung: &Rung, options: Options) -> Timed<'_> {
        let (mask, border) = (&self.mask, Border::Zero);
        if let Some(loops) = rung.loops() {
            let mut out = Vec::new();
            return Box::new(move |step| match (step, loops) {
                (Step::Prepare, _) => {
                    out.resize(self.xs.len(), T::ZERO);
                    Ok(())
                }
                (Step::Call, Loops::Sequential) => cpu::seq(mask, border, black_box(&self.xs), &mut out),
                (Step::Call, Loops::Parallel) => cpu::par(mask, border, black_box(&self.xs), &mut out),
            });
        }
        let (device, mut kept) = (rung.device.clone(), None);
        Box::new(move |step| {
            if kept.is_none() {
                kept = Some(Buffer::from_slice(&device, &self.xs)?);
            }
            match (step, &kept) {
                (Step::Call, Some(xs)) => convolve1d::run_buffer(&device, mask, border, xs, &options).map(drop),
                _ => Ok(()),
            }
        })
    }
}
