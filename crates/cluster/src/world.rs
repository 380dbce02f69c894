//! Ranks of MPI.

use mpi::collective::{CommunicatorCollectives, Root, SystemOperation};
use mpi::environment::Universe;
use mpi::point_to_point::{Destination, Source};
use mpi::request::Request;
use mpi::topology::{Communicator as _, SimpleCommunicator};
use mpi::{Rank, Threading};

use crate::communicator::{Communicator, Message, Room};

/// The most bytes of one message: MPI counts them in 31 bits.
const PIECE: usize = 1 << 30;

/// A group of MPI ranks.
///
/// ```no_run
/// use warpwise_cluster::{Communicator, World};
///
/// let (_universe, world) = World::start().expect("MPI has not been started before");
/// println!("{} of {}", world.rank(), world.size());
/// ```
pub struct World {
    ranks: SimpleCommunicator,
}

impl World {
    /// Starts MPI, once in a process, and gives all its ranks. MPI ends when the universe is dropped.
    ///
    /// ```no_run
    /// assert!(warpwise_cluster::World::start().is_some());
    /// assert!(warpwise_cluster::World::start().is_none());
    /// ```
    pub fn start() -> Option<(Universe, Self)> {
        // Only the main thread of a rank calls MPI; others compute.
        let (universe, _) = mpi::initialize_with_threading(Threading::Funneled)?;
        let ranks = universe.world();
        Some((universe, Self { ranks }))
    }

    /// Ends all ranks at once.
    ///
    /// ```no_run
    /// let (_universe, world) = warpwise_cluster::World::start().unwrap();
    /// world.abort(1);
    /// ```
    pub fn abort(&self, status: i32) -> ! {
        self.ranks.abort(status)
    }
}

/// Ends all ranks of the program at once, from wherever it is.
pub(crate) fn abort_all(status: i32) -> ! {
    SimpleCommunicator::world().abort(status)
}

/// A rank as MPI counts them.
fn number(rank: usize) -> Rank {
    Rank::try_from(rank).expect("MPI has no more ranks than that")
}

impl Communicator for World {
    fn rank(&self) -> usize {
        usize::try_from(self.ranks.rank()).expect("ranks are not negative")
    }

    fn size(&self) -> usize {
        usize::try_from(self.ranks.size()).expect("sizes are not negative")
    }

    fn exchange_while(&self, sends: &[Message], receives: Vec<Room>, work: &mut dyn FnMut()) {
        mpi::request::scope(|scope| {
            let mut coming = Vec::new();
            for (from, room) in receives {
                let from = self.ranks.process_at_rank(number(from));
                coming.extend(room.chunks_mut(PIECE).map(|piece| from.immediate_receive_into(scope, piece)));
            }
            let mut going = Vec::new();
            for (to, data) in sends {
                let to = self.ranks.process_at_rank(number(*to));
                going.extend(data.chunks(PIECE).map(|piece| to.immediate_send(scope, piece)));
            }
            work();
            coming.into_iter().for_each(Request::wait_without_status);
            going.into_iter().for_each(Request::wait_without_status);
        });
    }

    fn broadcast_while(&self, root: usize, data: &mut [u8], work: &mut dyn FnMut()) {
        if self.size() == 1 {
            return work();
        }
        let root = self.ranks.process_at_rank(number(root));
        mpi::request::scope(|scope| {
            let pieces = data.chunks_mut(PIECE).map(|piece| root.immediate_broadcast_into(scope, piece));
            let pieces: Vec<_> = pieces.collect();
            work();
            pieces.into_iter().for_each(Request::wait_without_status);
        });
    }

    fn gather_all(&self, mine: &[u8]) -> Vec<u8> {
        let mut all = vec![0; mine.len() * self.size()];
        if !mine.is_empty() {
            self.ranks.all_gather_into(mine, &mut all[..]);
        }
        all
    }

    fn max_all(&self, numbers: &mut [u64]) {
        let mine = numbers.to_vec();
        self.ranks.all_reduce_into(&mine[..], numbers, SystemOperation::max());
    }

    fn sum_all(&self, numbers: &mut [u64]) {
        let mine = numbers.to_vec();
        self.ranks.all_reduce_into(&mine[..], numbers, SystemOperation::sum());
    }

    fn split(&self, colour: usize) -> Box<dyn Communicator> {
        let colour = mpi::topology::Color::with_value(number(colour));
        let ranks = self.ranks.split_by_color_with_key(colour, self.ranks.rank());
        Box::new(Self { ranks: ranks.expect("a rank with a colour is in a group") })
    }
}
