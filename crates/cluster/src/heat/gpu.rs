//! Rows on a GPU.

use std::borrow::Cow;
use std::ops::Range;

use warpwise::heat::{GpuSlab, Temperature};

use super::engine::Engine;
use super::halo::Halo;
use crate::communicator::Communicator;
use crate::link::Carried;
use crate::{Error, Place};

pub(super) struct Gpu<T> {
    place: Place,
    halo: Halo,
    /// Whether every rank has so many rows that edges can be computed first, and how many these are.
    edges: Option<usize>,
    slab: GpuSlab<T>,
}

impl<T: Temperature> Gpu<T> {
    pub(super) fn new(place: &Place, halo: Halo, edges: Option<usize>, slab: GpuSlab<T>) -> Self {
        Self { place: place.clone(), halo, edges, slab }
    }

    /// The own rows that others wait for, and those between.
    fn parts(&self, ranks: &dyn Communicator) -> ([Range<usize>; 2], Range<usize>) {
        let own = self.slab.own();
        let Some(edge) = self.edges else { return ([own.clone(), own.end..own.end], own.end..own.end) };
        let (first, last) = (ranks.rank() == 0, ranks.rank() + 1 == ranks.size());
        let inner = own.start + if first { 0 } else { edge }..own.end - if last { 0 } else { edge };
        ([own.start..inner.start, inner.end..own.end], inner)
    }
}

impl<T: Temperature> Engine<T> for Gpu<T> {
    fn pass(&mut self, ranks: &dyn Communicator, steps: usize) -> Result<(), Error> {
        let (edges, inner) = self.parts(ranks);
        let (device, link) = (self.place.device(), self.place.carrier());
        let mut asked = self.slab.begin();
        for edge in edges {
            asked = asked.and_then(|()| self.slab.advance(steps, edge));
        }
        let flight = link.begin(device, &self.slab, &self.halo.gives, &self.halo.takes);
        asked = asked.and_then(|()| self.slab.advance(steps, inner));
        let ended = link.end(ranks, device, &mut self.slab, &self.halo.takes, flight);
        link.agree(ranks, ended.and(asked.map_err(Error::from)))
    }

    fn changes(&mut self, steps: usize) -> Result<Vec<f64>, Error> {
        Ok(self.slab.changes(steps)?)
    }

    fn swap(&mut self) {
        self.slab.swap();
    }

    fn temperatures(&self) -> Result<Cow<'_, [T]>, Error> {
        Ok(Cow::Owned(self.slab.rows(self.slab.own())?))
    }
}

/// The new temperatures, by rows.
impl<T: Temperature> Carried<T> for GpuSlab<T> {
    fn unit(&self) -> usize {
        self.line()
    }

    fn address(&self, part: Range<usize>) -> u64 {
        self.next_address(part)
    }

    fn read(&self, part: Range<usize>, out: &mut [T]) -> Result<(), warpwise::Error> {
        self.download_next(part, out)
    }

    fn write(&mut self, part: Range<usize>, values: &[T]) -> Result<(), warpwise::Error> {
        self.upload_next(part, values)
    }
}
