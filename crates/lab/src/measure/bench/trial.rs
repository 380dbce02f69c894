//! One rung with one launch geometry after another: the building block of a sweep.

use super::estimate::Estimator;
use super::measure::{Outcome as Measured, Trial};
use super::plan::Plan;
use super::{BenchError, Configuration, DeviceFacts, Request, Selection};
use crate::measure::stats::Rule;
use crate::measure::sweep::{self, Outcome};
use warpwise::primitive::{Case, Problem};
use warpwise::{Geometry, RunsOn, Variant};

/// A rung that is ready to be measured with any geometry.
pub(crate) struct Trials {
    plan: Plan,
    case: Box<dyn Case>,
    facts: DeviceFacts,
    variant: &'static Variant,
}

impl Trials {
    /// Plans a sweep and reports mistakes before anything runs.
    pub(crate) fn new(request: &sweep::Request) -> Result<Self, BenchError> {
        let primitive = super::plan::primitive(&request.primitive)?;
        let rungs = || primitive.variants.iter().filter(|v| v.runs_on == RunsOn::Gpu);
        let variant = rungs().find(|v| v.name == request.variant).ok_or_else(|| {
            let known: Vec<_> = rungs().map(|v| v.name).collect();
            let there = primitive.variants.iter().any(|v| v.name == request.variant);
            let problem = if there { "has no launches to sweep" } else { "does not exist" };
            BenchError::Nothing(format!("{} {problem}: use one of {}", request.variant, known.join(", ")))
        })?;
        let (lengths, planes) = sweep::extent(request);
        let plan = Plan::new(&Request {
            variants: Selection::Named(vec![variant.name.to_owned()]),
            lengths,
            planes,
            types: request.ty.iter().cloned().collect(),
            places: vec![request.place],
            input: request.input.clone(),
            settings: request.settings.clone(),
            gpu: Some(request.gpu.clone()),
            ..Request::new(&request.primitive)
        })?;
        let problem = &plan.groups[0].problem;
        let case = (problem.primitive.case)(problem).map_err(super::flagged)?;
        let facts = DeviceFacts::new(&plan.stations[0].device.name(), None);
        Ok(Self { plan, case, facts, variant })
    }

    pub(crate) fn problem(&self) -> &Problem {
        &self.plan.groups[0].problem
    }

    pub(crate) fn variant(&self) -> &'static Variant {
        self.variant
    }

    pub(crate) fn facts(&self) -> &DeviceFacts {
        &self.facts
    }

    /// The GPU that times are estimated for, if they are not measured.
    pub(crate) fn estimated_gpu(&self) -> Option<&str> {
        self.plan.stations[0].estimator.as_ref().map(Estimator::gpu)
    }

    fn trial(&self, geometry: Geometry) -> Trial<'_> {
        Trial {
            problem: self.problem(),
            case: self.case.as_ref(),
            station: &self.plan.stations[0],
            variant: Some(self.variant),
            geometry,
            copy: None,
        }
    }

    /// What identifies a configuration.
    pub(crate) fn configuration(&self, geometry: Geometry) -> Configuration {
        self.trial(geometry).configuration(None)
    }

    /// Verifies and measures; nothing if the user interrupted before the first sample.
    pub(crate) fn run(
        &mut self,
        geometry: Geometry,
        rule: &Rule,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<Outcome>, BenchError> {
        Ok(match self.trial(geometry).run(rule, interrupted)? {
            Measured::Ran(row) => Some(Outcome::Ran(row)),
            Measured::Refused(refusal) => Some(Outcome::Refused(refusal)),
            Measured::Interrupted => None,
        })
    }
}
