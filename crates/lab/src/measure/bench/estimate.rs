//! How long a configuration would take on a GPU that is not here: an estimate from blocks that the emulator runs.

use super::BenchError;
use crate::kernels::explain::estimated_us;
use warpwise::primitive::{Case, Cost, Problem, Runner};
use warpwise::trace::{Trace, Watch};
use warpwise::{Device, Error, Geometry, Variant};
use warpwise_gpu::Gpu;
use warpwise_simt::Sampling;

/// Operations of a problem up to which it runs whole on the emulator, to be compared with the reference.
const WHOLE: f64 = (1_u64 << 26) as f64;

/// Estimates for one GPU.
#[derive(Clone, Debug)]
pub(crate) struct Estimator {
    gpu: Gpu,
    /// An emulator that runs some blocks of large grids, and records what they do.
    recorder: Device,
}

impl Estimator {
    /// For the GPU of that name.
    pub(crate) fn new(name: &str) -> Result<Self, BenchError> {
        let gpu = Gpu::named(name).ok_or_else(|| {
            BenchError::flag("--gpu", format!("{name} is unknown: use one of {}", Gpu::names().join(", ")))
        })?;
        let watch = Watch { record: Some(Sampling::QUICK), ..Watch::COUNTERS };
        Ok(Self { recorder: Device::emulator_watching(name, watch)?, gpu })
    }

    /// The name of the GPU.
    pub(crate) fn gpu(&self) -> &str {
        &self.gpu.name
    }

    /// The problem that results are compared with the reference for: a smaller one where this one takes too long.
    pub(crate) fn comparable(&self, problem: &Problem) -> Option<Problem> {
        let small = Problem { extent: problem.primitive.extents.usual(true), ..problem.clone() };
        let cost = |problem: &Problem| Cost::of(problem).operations.max(Cost::of(problem).elements);
        (cost(problem) > WHOLE && cost(&small) < cost(problem)).then_some(small)
    }

    /// What the kernels did, some of the blocks standing for all of a large grid, and their estimated microseconds.
    pub(crate) fn estimate(
        &self,
        problem: &Problem,
        case: &dyn Case,
        variant: Option<&'static Variant>,
        geometry: Geometry,
    ) -> Result<(Trace, Option<f64>), Error> {
        let device = &self.recorder;
        let job = case.job(&Runner { device: device.clone(), variant, geometry });
        device.start_trace();
        let outcome = job.whole();
        let trace = device.take_trace()?;
        outcome?;
        let us = estimated_us(trace.launches.clone(), Cost::footprint(problem), &self.gpu);
        Ok((trace, us))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Request, Selection, run};
    use crate::Place;

    fn request(lengths: &[usize]) -> Request {
        Request {
            variants: Selection::Named(vec!["gpu-3-sequential".into(), "gpu-8-shuffle".into()]),
            lengths: lengths.to_vec(),
            places: vec![Place::Emulator],
            gpu: Some("a100".into()),
            ..Request::new("reduce")
        }
    }

    #[test]
    fn times_are_estimated_for_the_gpu_that_was_named() {
        let report = run(&request(&[1 << 12, 1 << 16]), &|_, _| (), &|| false).unwrap();
        assert!(report.ok());
        let times: Vec<f64> = report.results.iter().filter_map(|row| row.estimated_us).collect();
        assert_eq!(times.len(), 4);
        assert!(times[0] < times[2] && times[1] < times[3], "more elements take longer: {times:?}");
        assert!(
            report.results.iter().all(|row| row.estimated_gpu.as_deref() == Some("a100") && row.compared.is_none())
        );
        let plain = run(&Request { gpu: None, ..request(&[1 << 12]) }, &|_, _| (), &|| false).unwrap();
        assert!(plain.results.iter().all(|row| row.estimated_us.is_none() && row.estimated_gpu.is_none()));
        assert_eq!(plain.results[0].counters, report.results[0].counters);
    }

    #[test]
    fn a_large_size_is_compared_at_a_small_one() {
        let report = run(&request(&[(1 << 26) + 1]), &|_, _| (), &|| false).unwrap();
        assert!(report.ok());
        for row in &report.results {
            assert!(row.compared.as_ref().unwrap().starts_with("at i32, n = 2^16"), "{row:?}");
            assert!(row.estimated_us.unwrap() > 50.0 && row.counter("warp_instructions").unwrap() > 1 << 22, "{row:?}");
        }
    }

    #[test]
    fn an_unknown_gpu_is_refused() {
        let wrong = Request { gpu: Some("gtx-1".into()), ..request(&[64]) };
        let error = run(&wrong, &|_, _| (), &|| false).unwrap_err().to_string();
        assert!(error.starts_with("--gpu: gtx-1 is unknown: use one of a100"), "{error}");
    }
}
