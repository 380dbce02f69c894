//! What would be saved without a cause, by the model that estimates the time: the launch is replayed without it.

use super::code::Code;
use super::diagnose::least_sectors;
use super::model::Costs;
use super::subject::Subject;
use warpwise_gpu::Gpu;
use warpwise_model::{Estimate, LaunchShape, Recording, Waste, estimate, estimate_without};
use warpwise_ptx::ast::Module;

/// Less waste than this share is not worth a replay.
const NONE: f64 = 0.02;

/// More than this share of the time is much.
const MUCH: f64 = 0.25;

/// A launch to be replayed.
pub(super) struct WhatIf<'a> {
    pub(super) recording: &'a Recording,
    pub(super) module: &'a Module,
    pub(super) ptx: &'a str,
    pub(super) shape: LaunchShape,
    pub(super) gpu: &'a Gpu,
}

impl WhatIf<'_> {
    /// The share of the time that each cause takes that the launch has.
    pub(super) fn savings(&self, code: &Code, costs: &Costs, now: &Estimate) -> Vec<(Subject, f64)> {
        let sectors = code.sum(|s| (s.counters.global_load_sectors + s.counters.global_store_sectors) as f64);
        let excess = sectors - code.sum(least_sectors);
        let shared = costs.shared + costs.conflicts;
        let barriers = code.sum(|s| if s.class == super::code::Class::Barrier { s.warps() } else { 0.0 });
        let found = [
            (Subject::Uncoalesced, Waste::Uncoalesced, excess > NONE * sectors),
            (Subject::BankConflicts, Waste::BankConflicts, costs.conflicts > NONE * shared),
            (
                Subject::AtomicContention,
                Waste::AtomicContention,
                costs.shared_collisions + costs.global_collisions > 0.0,
            ),
            (Subject::Barriers, Waste::Barriers, barriers > 0.0),
        ];
        let share = |without: Option<Estimate>| Some((1.0 - without?.kernel_us / now.kernel_us).max(0.0));
        let saved = |waste| share(estimate_without(waste, self.recording, self.module, self.ptx, self.shape, self.gpu));
        let of = |waste| match waste {
            // Warps that wait for little else wait at barriers: only where they take much of the time are they the cause.
            Waste::Barriers => saved(waste).filter(|share| *share > MUCH).and_then(|_| saved(Waste::Exchanges)),
            _ => saved(waste),
        };
        let there = found.into_iter().filter(|(.., there)| *there);
        let mut savings: Vec<(Subject, f64)> =
            there.filter_map(|(subject, waste, _)| Some((subject, of(waste)?))).collect();
        if costs.shape.resident < costs.shape.possible {
            let shape = LaunchShape { shared_bytes: 0, registers: None, spilled: 0, ..self.shape };
            let without = estimate(self.recording, self.module, self.ptx, shape, self.gpu);
            savings.extend(share(without).map(|share| (Subject::Occupancy, share)));
        }
        savings
    }
}
