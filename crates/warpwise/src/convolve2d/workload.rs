//! 2-D convolution, with the default filter of 5 x 5 weights and zeros beyond the edges.

use crate::conformance::{Verdict, equal, within};
use crate::convolve2d::{Convolve2d, Edge, Filter, Image, Pixel, Rung, cpu, reference};
use crate::primitive::{Case, Expected, Job, Loops, Problem, Runner, Step, Timed};
use crate::{Border, Buffer, Error};
use std::hint::black_box;

const EDGE: Edge = Edge::Border(Border::Zero);

struct Convolution<T: Pixel> {
    filter: Filter,
    pixels: Vec<T>,
    size: (usize, usize),
    expected: Expected<Vec<f64>>,
}

pub(super) fn case<T: Pixel>(problem: &Problem) -> Result<Box<dyn Case>, Error> {
    let (filter, size) = (Filter::default(), problem.extent.plane());
    let pixels = problem.data().elements::<T>(0, problem.elements());
    Ok(Box::new(Convolution { filter, pixels, size, expected: Expected::later() }))
}

impl<T: Pixel> Case for Convolution<T> {
    fn job(&self, runner: &Runner) -> Job<'_> {
        let how = Convolve2d::new(&self.filter).edge(EDGE).variant(runner.rung::<Rung>()).geometry(runner.geometry);
        let (device, again) = (runner.device.clone(), how.clone());
        let compute = move || again.run(&device, &self.pixels, self.size);
        Job::new(compute, |found: Vec<T>| self.compare(&found), self.timed(runner, how))
    }
}

impl<T: Pixel> Convolution<T> {
    fn image(&self) -> Result<Image<'_, T>, Error> {
        Image::new(&self.pixels, self.size.0, self.size.1)
    }

    fn expected(&self) -> Result<&Vec<f64>, Error> {
        self.expected.get(|| {
            let mut sums = vec![0.0; self.pixels.len()];
            reference::convolve(&self.filter, EDGE, self.image()?, &mut sums)?;
            Ok(sums)
        })
    }

    /// Bytes are rounded sums; a sum near one half may be rounded either way.
    fn compare(&self, found: &[T]) -> Result<Verdict, Error> {
        let expected = self.expected()?;
        if T::IS_FLOAT {
            let wide: Vec<f32> = found.iter().map(|&x| Pixel::widen(x)).collect();
            return Ok(within(&wide, expected, self.filter.weights().len()));
        }
        let near = |x: f64, e: f64| (x - e).abs() <= 0.501;
        let rounded: Vec<f64> = found
            .iter()
            .zip(expected)
            .map(|(x, e)| (x.to_f64(), e.clamp(0.0, 255.0)))
            .map(|(x, e)| if near(x, e) { x } else { e.round() })
            .collect();
        let found: Vec<f64> = found.iter().map(|x| x.to_f64()).collect();
        Ok(equal(&found, &rounded))
    }

    fn timed<'a>(&'a self, runner: &Runner, how: Convolve2d<'a>) -> Timed<'a> {
        if let Some(loops) = runner.loops() {
            let mut out = Vec::new();
            return Box::new(move |step| {
                out.resize(self.pixels.len(), T::ZERO);
                match (step, loops) {
                    (Step::Prepare, _) => Ok(()),
                    (Step::Call, Loops::Sequential) => cpu::seq(&self.filter, EDGE, black_box(self.image()?), &mut out),
                    (Step::Call, Loops::Parallel) => cpu::par(&self.filter, EDGE, black_box(self.image()?), &mut out),
                }
            });
        }
        let (device, mut kept) = (runner.device.clone(), None);
        Box::new(move |step| {
            if kept.is_none() {
                kept = Some(Buffer::from_slice(&device, &self.pixels)?);
            }
            match (step, &kept) {
                (Step::Call, Some(pixels)) => how.run_buffer(&device, pixels, self.size).map(drop),
                _ => Ok(()),
            }
        })
    }
}
