//! What the primitives need of the engine between ranks.

use bytemuck::Pod;

/// A message to a rank.
pub type Message<'a> = (usize, &'a [u8]);
/// Room for a message from a rank.
pub type Room<'a> = (usize, &'a mut [u8]);

/// Ranks that send each other bytes. MPI implements it (the feature `mpi`), and so do [threads](crate::Threads) of one
/// process. Every method but [`rank`](Self::rank), [`size`](Self::size) and the exchange has to be called by all ranks.
///
/// ```
/// use warpwise_cluster::{Communicator, Threads};
///
/// let sums = Threads::run(3, |ranks| {
///     let mut sum = [ranks.rank() as u64 + 1];
///     ranks.sum_all(&mut sum);
///     sum[0]
/// });
/// assert_eq!(sums, [6, 6, 6]);
/// ```
pub trait Communicator {
    /// The number of this rank.
    ///
    /// ```
    /// use warpwise_cluster::{Communicator, Threads};
    ///
    /// assert_eq!(Threads::run(2, |ranks| ranks.rank()), [0, 1]);
    /// ```
    fn rank(&self) -> usize;

    /// How many ranks there are.
    ///
    /// ```
    /// use warpwise_cluster::{Communicator, Threads};
    ///
    /// assert_eq!(Threads::run(2, |ranks| ranks.size()), [2, 2]);
    /// ```
    fn size(&self) -> usize;

    /// Sends and receives messages, and works meanwhile. Messages between two ranks arrive in the order in which they
    /// were sent, and both sides must agree on their lengths. No rank sends to itself.
    ///
    /// ```
    /// use warpwise_cluster::{Communicator, Threads};
    ///
    /// let greetings = Threads::run(2, |ranks| {
    ///     let (other, mut from) = (1 - ranks.rank(), [0]);
    ///     ranks.exchange_while(&[(other, &[ranks.rank() as u8 + 7])], vec![(other, &mut from)], &mut || ());
    ///     from[0]
    /// });
    /// assert_eq!(greetings, [8, 7]);
    /// ```
    fn exchange_while(&self, sends: &[Message], receives: Vec<Room>, work: &mut dyn FnMut());

    /// Gives every rank the bytes of one of them, and works meanwhile.
    ///
    /// ```
    /// use warpwise_cluster::{Communicator, Threads};
    ///
    /// let all = Threads::run(3, |ranks| {
    ///     let mut byte = [ranks.rank() as u8];
    ///     ranks.broadcast_while(2, &mut byte, &mut || ());
    ///     byte[0]
    /// });
    /// assert_eq!(all, [2, 2, 2]);
    /// ```
    fn broadcast_while(&self, root: usize, data: &mut [u8], work: &mut dyn FnMut());

    /// The bytes of all ranks, one after the other; every rank has as many.
    ///
    /// ```
    /// use warpwise_cluster::{Communicator, Threads};
    ///
    /// assert_eq!(Threads::run(2, |ranks| ranks.gather_all(&[ranks.rank() as u8])), [[0, 1], [0, 1]]);
    /// ```
    fn gather_all(&self, mine: &[u8]) -> Vec<u8>;

    /// The largest of the numbers in the same place of all ranks.
    ///
    /// ```
    /// use warpwise_cluster::{Communicator, Threads};
    ///
    /// let largest = Threads::run(2, |ranks| {
    ///     let mut numbers = [ranks.rank() as u64, 5];
    ///     ranks.max_all(&mut numbers);
    ///     numbers
    /// });
    /// assert_eq!(largest, [[1, 5], [1, 5]]);
    /// ```
    fn max_all(&self, numbers: &mut [u64]);

    /// The sums of the numbers in the same place of all ranks, wrapping.
    ///
    /// ```
    /// use warpwise_cluster::{Communicator, Threads};
    ///
    /// let sums = Threads::run(2, |ranks| {
    ///     let mut numbers = [1, ranks.rank() as u64];
    ///     ranks.sum_all(&mut numbers);
    ///     numbers
    /// });
    /// assert_eq!(sums, [[2, 1], [2, 1]]);
    /// ```
    fn sum_all(&self, numbers: &mut [u64]);

    /// The ranks of the same colour among themselves, in the order they have here.
    ///
    /// ```
    /// use warpwise_cluster::{Communicator, Threads};
    ///
    /// let sizes = Threads::run(3, |ranks| ranks.split(ranks.rank() % 2).size());
    /// assert_eq!(sizes, [2, 1, 2]);
    /// ```
    fn split(&self, colour: usize) -> Box<dyn Communicator>;
}

/// Sends and receives messages of any plain type; messages to itself are copied.
pub(crate) fn exchange<T: Pod>(ranks: &dyn Communicator, sends: &[(usize, &[T])], receives: Vec<(usize, &mut [T])>) {
    exchange_while(ranks, sends, receives, &mut || ());
}

/// Like [`exchange`], and works meanwhile.
pub(crate) fn exchange_while<T: Pod>(
    ranks: &dyn Communicator,
    sends: &[(usize, &[T])],
    receives: Vec<(usize, &mut [T])>,
    work: &mut dyn FnMut(),
) {
    let me = ranks.rank();
    let mut mine = sends.iter().filter(|(to, _)| *to == me);
    let mut others = Vec::new();
    for (from, room) in receives {
        if from != me {
            others.push((from, bytemuck::cast_slice_mut(room)));
        } else if let Some((_, data)) = mine.next() {
            room.copy_from_slice(data);
        }
    }
    let sends: Vec<Message> =
        sends.iter().filter(|(to, _)| *to != me).map(|(to, data)| (*to, bytemuck::cast_slice(data))).collect();
    ranks.exchange_while(&sends, others, work);
}

/// One value of every rank, in their order.
pub(crate) fn gather<T: Pod>(ranks: &dyn Communicator, mine: T) -> Vec<T> {
    crate::redistribute::elements(&ranks.gather_all(bytemuck::bytes_of(&mine)))
}

/// The values of all ranks, one after the other; every rank may have another number of them.
pub(crate) fn gather_vectors<T: Pod>(ranks: &dyn Communicator, mine: &[T]) -> Vec<T> {
    let lengths = gather(ranks, mine.len() as u64);
    let longest = lengths.iter().copied().max().unwrap_or(0) as usize;
    let mut padded = mine.to_vec();
    padded.resize(longest, T::zeroed());
    let all = ranks.gather_all(bytemuck::cast_slice(&padded));
    let all: Vec<T> = crate::redistribute::elements(&all);
    if longest == 0 {
        return Vec::new();
    }
    all.chunks(longest).zip(lengths).flat_map(|(values, length)| values[..length as usize].to_vec()).collect()
}

/// Gives every rank the value of one of them.
pub(crate) fn broadcast<T: Pod>(ranks: &dyn Communicator, root: usize, value: &mut [T]) {
    ranks.broadcast_while(root, bytemuck::cast_slice_mut(value), &mut || ());
}

/// Waits until every rank is here.
pub(crate) fn barrier(ranks: &dyn Communicator) {
    ranks.max_all(&mut [0]);
}
