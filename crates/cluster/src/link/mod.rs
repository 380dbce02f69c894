//! What carries elements from the memory of one GPU to that of another.
//!
//! Between GPUs of a node that is NCCL, if it is installed and no two ranks share a GPU. Everything else goes through host
//! memory, and between ranks through their [communicator](Communicator).

mod nccl;

use std::ops::Range;
use std::rc::Rc;

use bytemuck::Pod;
use warpwise::Device;

use self::nccl::Nccl;
use crate::communicator::{Communicator, exchange, gather};
use crate::redistribute::zeros;
use crate::{Error, agree};

/// Memory of a GPU, of which parts go to other ranks. Parts are ranges of some unit.
pub(crate) trait Carried<T> {
    /// Elements of a unit.
    fn unit(&self) -> usize;
    /// Where a part begins in device memory.
    fn address(&self, part: Range<usize>) -> u64;
    /// Copies a part to the host.
    fn read(&self, part: Range<usize>, out: &mut [T]) -> Result<(), warpwise::Error>;
    /// Replaces a part.
    fn write(&mut self, part: Range<usize>, values: &[T]) -> Result<(), warpwise::Error>;
}

/// Parts that go to ranks, or come from them.
pub(crate) type Routes = [(usize, Range<usize>)];

/// How GPUs reach each other.
#[derive(Clone)]
pub(crate) struct Link {
    /// The numbers that ranks have within the group of this one's NCCL; `None` for those it does not reach.
    near: Vec<Option<usize>>,
    nccl: Option<Rc<Nccl>>,
    /// In words.
    words: String,
}

/// What an exchange has begun.
pub(crate) struct Flight<T> {
    /// What goes through host memory.
    sends: Vec<(usize, Vec<T>)>,
    failed: Option<Error>,
}

impl Link {
    /// Everything through host memory.
    pub(crate) fn host() -> Self {
        Self { near: Vec::new(), nccl: None, words: "through host memory".to_owned() }
    }

    /// What is best for the GPUs of these ranks: `gpu` names this rank's, the same for all ranks that share one, and
    /// `node` its machine.
    pub(crate) fn open(ranks: &dyn Communicator, device: &Device, node: &[u8; 64], gpu: u64) -> Self {
        let nodes = gather(ranks, *node);
        let first = nodes.iter().position(|other| other == node).unwrap_or(0);
        let beside = ranks.split(first);
        let opened = Nccl::open(&*beside, device, gpu);
        let near = |rank: usize| (nodes[rank] == *node).then(|| nodes[..rank].iter().filter(|n| *n == node).count());
        let nodes_in_all = (0..nodes.len()).filter(|&rank| !nodes[..rank].contains(&nodes[rank])).count();
        let elsewhere = if nodes_in_all > 1 { ", between nodes through host memory" } else { "" };
        match opened {
            Ok(nccl) => Self {
                near: (0..nodes.len()).map(near).collect(),
                words: format!("through NCCL {}{elsewhere}", nccl.version()),
                nccl: Some(Rc::new(nccl)),
            },
            Err(why) => Self { words: format!("through host memory ({why})"), ..Self::host() },
        }
    }

    /// What it is, in words.
    pub(crate) fn words(&self) -> &str {
        &self.words
    }

    /// The number of a rank within the group of NCCL.
    fn near(&self, rank: usize) -> Option<usize> {
        self.near.get(rank).copied().flatten()
    }

    /// Begins to exchange parts, once all that has been asked of the device so far is done. Until [`end`](Self::end) the
    /// device must write none of these parts. All ranks have to call both, and the latter says whether this one failed.
    pub(crate) fn begin<T: Pod>(
        &self,
        device: &Device,
        memory: &impl Carried<T>,
        sends: &Routes,
        receives: &Routes,
    ) -> Flight<T> {
        let mut flight = Flight { sends: Vec::new(), failed: None };
        if let Some(nccl) = &self.nccl {
            let bytes = |part: &Range<usize>| part.len() * memory.unit() * size_of::<T>();
            let routes = |routes: &Routes| {
                let near = routes
                    .iter()
                    .filter_map(|(rank, part)| Some((self.near(*rank)?, memory.address(part.clone()), bytes(part))));
                near.collect::<Vec<_>>()
            };
            flight.failed = nccl.exchange(device, &routes(sends), &routes(receives)).err();
        }
        for (rank, part) in sends.iter().filter(|(rank, _)| self.near(*rank).is_none()) {
            let mut values = zeros(part.len() * memory.unit());
            if let Err(error) = memory.read(part.clone(), &mut values) {
                flight.failed.get_or_insert(error.into());
            }
            flight.sends.push((*rank, values));
        }
        flight
    }

    /// Ends an exchange: what the device does next finds the parts that came.
    pub(crate) fn end<T: Pod>(
        &self,
        ranks: &dyn Communicator,
        device: &Device,
        memory: &mut impl Carried<T>,
        receives: &Routes,
        flight: Flight<T>,
    ) -> Result<(), Error> {
        let far = receives.iter().filter(|(rank, _)| self.near(*rank).is_none());
        let mut rooms: Vec<(usize, Vec<T>)> =
            far.clone().map(|(rank, part)| (*rank, zeros(part.len() * memory.unit()))).collect();
        let sends: Vec<(usize, &[T])> = flight.sends.iter().map(|(rank, values)| (*rank, &values[..])).collect();
        exchange(ranks, &sends, rooms.iter_mut().map(|(rank, room)| (*rank, &mut room[..])).collect());
        let mut result = flight.failed.map_or(Ok(()), Err);
        for ((_, part), (_, values)) in far.zip(&rooms) {
            result = result.and_then(|()| Ok(memory.write(part.clone(), values)?));
        }
        if let Some(nccl) = &self.nccl {
            result = result.and_then(|()| nccl.end(device));
        }
        result
    }

    /// What all ranks have come to after an exchange. If any has failed, others may wait for messages that will not come:
    /// NCCL is given up.
    pub(crate) fn agree(&self, ranks: &dyn Communicator, result: Result<(), Error>) -> Result<(), Error> {
        let agreed = agree(ranks, result);
        if let (Err(_), Some(nccl)) = (&agreed, &self.nccl) {
            nccl.give_up();
        }
        agreed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Threads;
    use warpwise::Buffer;

    #[test]
    fn parts_go_through_host_memory_where_there_is_no_nccl() {
        let ends = Threads::run(3, |ranks| {
            let (device, me) = (Device::emulator(), ranks.rank());
            let link = Link::open(ranks, &device, &[7; 64], me as u64);
            let mut memory = Buffer::from_slice(&device, &[me as u32; 6]).unwrap();
            let (before, after) = ((me + 2) % 3, (me + 1) % 3);
            let (sends, receives) = ([(after, 0..2)], [(before, 4..6)]);
            let flight = link.begin(&device, &memory, &sends, &receives);
            link.end(ranks, &device, &mut memory, &receives, flight).unwrap();
            (link.words().to_owned(), memory.to_vec().unwrap())
        });
        for (me, (words, values)) in ends.into_iter().enumerate() {
            let (me, before) = (me as u32, (me as u32 + 2) % 3);
            assert_eq!(values, [me, me, me, me, before, before]);
            assert!(words.starts_with("through host memory ("), "{words}");
        }
    }

    #[test]
    fn a_rank_that_fails_lets_the_other_go_on() {
        let failed = Threads::run(2, |ranks| {
            let (device, other) = (Device::emulator(), 1 - ranks.rank());
            let mut memory = Buffer::from_slice(&device, &vec![0; 4 - 2 * ranks.rank()]).unwrap();
            let (sends, receives) = ([(other, 2..3)], [(other, 0..1)]);
            let flight = Link::host().begin(&device, &memory, &sends, &receives);
            Link::host().end(ranks, &device, &mut memory, &receives, flight).is_err()
        });
        assert_eq!(failed, [false, true]);
    }
}
