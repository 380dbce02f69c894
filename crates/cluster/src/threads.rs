//! Ranks that are threads of one process: for tests, and for programs that need no other machine.

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::communicator::{Communicator, Message, Room};

/// Who talks to whom: the group, the sender and the receiver.
type Line = (u64, usize, usize);

/// What has been sent and not received yet.
#[derive(Default)]
struct Letters {
    waiting: HashMap<Line, VecDeque<Vec<u8>>>,
    /// Whether a rank has panicked.
    ended: bool,
}

#[derive(Default)]
struct Post {
    letters: Mutex<Letters>,
    arrived: Condvar,
}

impl Post {
    fn send(&self, line: Line, data: Vec<u8>) {
        let mut letters = self.letters.lock().unwrap_or_else(PoisonError::into_inner);
        letters.waiting.entry(line).or_default().push_back(data);
        self.arrived.notify_all();
    }

    fn receive(&self, line: Line) -> Vec<u8> {
        let mut letters = self.letters.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(data) = letters.waiting.get_mut(&line).and_then(VecDeque::pop_front) {
                return data;
            }
            assert!(!letters.ended, "another rank has panicked");
            letters = self.arrived.wait(letters).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn end(&self) {
        self.letters.lock().unwrap_or_else(PoisonError::into_inner).ended = true;
        self.arrived.notify_all();
    }
}

/// A rank that is a thread.
///
/// ```
/// use warpwise_cluster::{Communicator, Threads};
///
/// let ranks = Threads::run(4, |ranks| ranks.rank());
/// assert_eq!(ranks, [0, 1, 2, 3]);
/// ```
pub struct Threads {
    rank: usize,
    size: usize,
    group: u64,
    groups: Cell<u64>,
    /// The numbers that the members have in the first group.
    members: Vec<usize>,
    post: Arc<Post>,
}

/// Tells the others when a rank panics, so that none waits for ever.
struct Alive(Arc<Post>);

impl Drop for Alive {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end();
        }
    }
}

impl Threads {
    /// Runs the same work in every rank, and returns what each of them returns, in order.
    ///
    /// # Panics
    ///
    /// When a rank panics.
    ///
    /// ```
    /// use warpwise_cluster::{Communicator, Threads};
    ///
    /// assert_eq!(Threads::run(2, |ranks| 10 * ranks.rank()), [0, 10]);
    /// ```
    pub fn run<R: Send>(ranks: usize, work: impl Fn(&Self) -> R + Sync) -> Vec<R> {
        let post = Arc::new(Post::default());
        std::thread::scope(|scope| {
            let start = |rank| {
                let (post, work) = (Arc::clone(&post), &work);
                scope.spawn(move || {
                    let _alive = Alive(Arc::clone(&post));
                    work(&Self {
                        rank,
                        size: ranks,
                        group: 0,
                        groups: Cell::new(0),
                        members: (0..ranks).collect(),
                        post,
                    })
                })
            };
            let handles: Vec<_> = (0..ranks).map(start).collect();
            handles.into_iter().map(|h| h.join().unwrap_or_else(|e| std::panic::resume_unwind(e))).collect()
        })
    }

    fn to(&self, rank: usize) -> Line {
        (self.group, self.members[self.rank], self.members[rank])
    }

    fn from(&self, rank: usize) -> Line {
        (self.group, self.members[rank], self.members[self.rank])
    }

    fn combine(&self, numbers: &mut [u64], combine: impl Fn(u64, u64) -> u64) {
        let all: Vec<u64> = crate::redistribute::elements(&self.gather_all(bytemuck::cast_slice(numbers)));
        for (i, number) in numbers.iter_mut().enumerate() {
            let each = all.iter().skip(i).step_by((all.len() / self.size).max(1));
            *number = each.copied().reduce(&combine).unwrap_or(*number);
        }
    }
}

impl Communicator for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn exchange_while(&self, sends: &[Message], receives: Vec<Room>, work: &mut dyn FnMut()) {
        for (to, data) in sends {
            self.post.send(self.to(*to), data.to_vec());
        }
        work();
        for (from, room) in receives {
            room.copy_from_slice(&self.post.receive(self.from(from)));
        }
    }

    fn broadcast_while(&self, root: usize, data: &mut [u8], work: &mut dyn FnMut()) {
        if self.rank == root {
            let others = (0..self.size).filter(|&rank| rank != root);
            others.for_each(|rank| self.post.send(self.to(rank), data.to_vec()));
            work();
        } else {
            work();
            data.copy_from_slice(&self.post.receive(self.from(root)));
        }
    }

    fn gather_all(&self, mine: &[u8]) -> Vec<u8> {
        for rank in (0..self.size).filter(|&rank| rank != self.rank) {
            self.post.send(self.to(rank), mine.to_vec());
        }
        let of = |rank| if rank == self.rank { mine.to_vec() } else { self.post.receive(self.from(rank)) };
        (0..self.size).flat_map(of).collect()
    }

    fn max_all(&self, numbers: &mut [u64]) {
        self.combine(numbers, u64::max);
    }

    fn sum_all(&self, numbers: &mut [u64]) {
        self.combine(numbers, u64::wrapping_add);
    }

    fn split(&self, colour: usize) -> Box<dyn Communicator> {
        let colours: Vec<u64> = crate::communicator::gather(self, colour as u64);
        let same = |rank: &usize| colours[*rank] == colour as u64;
        let members: Vec<usize> = (0..self.size).filter(same).collect();
        self.groups.set(self.groups.get() + 1);
        // The same number in all members, and another one than any group before.
        let group = warpwise::random::mix(self.group ^ warpwise::random::mix(self.groups.get() << 32 | colour as u64));
        Box::new(Self {
            rank: members.iter().position(|&rank| rank == self.rank).unwrap_or(0),
            size: members.len(),
            group,
            groups: Cell::new(0),
            members: members.iter().map(|&rank| self.members[rank]).collect(),
            post: Arc::clone(&self.post),
        })
    }
}
