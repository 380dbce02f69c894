//! Rows in host memory.

use std::borrow::Cow;

use warpwise::heat::Temperature;
use warpwise::heat::cpu::{DEPTH, Slab};

use super::engine::Engine;
use super::halo::Halo;
use crate::Error;
use crate::communicator::{Communicator, exchange_while};

#[derive(Debug)]
pub(super) struct Host<T> {
    columns: usize,
    halo: Halo,
    /// Whether every rank has so many rows that edges can be computed first, and how many these are.
    edges: Option<usize>,
    slab: Slab<T>,
    changes: [f64; DEPTH],
}

impl<T: Temperature> Host<T> {
    pub(super) fn new(columns: usize, halo: Halo, edges: Option<usize>, slab: Slab<T>) -> Self {
        Self { columns, halo, edges, slab, changes: [0.0; DEPTH] }
    }

    fn pass_with_edges_first(&mut self, ranks: &dyn Communicator, edge: usize, steps: usize) -> [f64; DEPTH] {
        let (own, me) = (self.slab.own(), ranks.rank());
        let (first, last) = (me == 0, me + 1 == ranks.size());
        let inner = own.start + if first { 0 } else { edge }..own.end - if last { 0 } else { edge };
        let above = self.slab.advance(steps, own.start..inner.start);
        let below = self.slab.advance(steps, inner.end..own.end);
        let (part, [copies_above, edge_above, edge_below, copies_below]) = self.slab.split(inner);
        let (mut sends, mut receives) = (Vec::new(), Vec::new());
        if !first {
            sends.push((me - 1, &*edge_above));
            receives.push((me - 1, copies_above));
        }
        if !last {
            sends.push((me + 1, &*edge_below));
            receives.push((me + 1, copies_below));
        }
        let mut part = Some(part);
        let mut between = [0.0; DEPTH];
        exchange_while(ranks, &sends, receives, &mut || {
            if let Some(part) = part.take() {
                between = part.advance(steps);
            }
        });
        let largest = |step: usize| [above[step], below[step], between[step]].into_iter().fold(0.0, larger);
        std::array::from_fn(largest)
    }
}

impl<T: Temperature> Engine<T> for Host<T> {
    fn pass(&mut self, ranks: &dyn Communicator, steps: usize) -> Result<(), Error> {
        let own = self.slab.own();
        self.changes = match self.edges {
            _ if ranks.size() == 1 => self.slab.advance(steps, own.clone()),
            Some(edge) => self.pass_with_edges_first(ranks, edge, steps),
            None => {
                let changes = self.slab.advance(steps, own.clone());
                self.halo.renew(ranks, self.columns, self.slab.next_mut());
                changes
            }
        };
        if self.changes[steps - 1].is_nan() && self.slab.expect_nan() {
            // Earlier steps may have had it too. The temperatures come out as they are.
            self.changes = self.slab.advance(steps, own);
        }
        Ok(())
    }

    fn changes(&mut self, steps: usize) -> Result<Vec<f64>, Error> {
        Ok(self.changes[..steps].to_vec())
    }

    fn swap(&mut self) {
        self.slab.swap();
    }

    fn temperatures(&self) -> Result<Cow<'_, [T]>, Error> {
        Ok(Cow::Borrowed(self.slab.temperatures()))
    }
}

/// The larger of two that are not negative; NaN is above all.
fn larger(a: f64, b: f64) -> f64 {
    f64::from_bits(a.to_bits().max(b.to_bits()))
}
