//! Parts that are sorted first, each by itself, and then merged: what is sorted can be kept, and gone on from.
//!
//! Ranks take regular samples of their runs. The exact place of every sample among all elements decides where the parts of
//! the result are cut. Equal keys are told apart by their place, so that input of one value only is cut as evenly as any
//! other. Pieces of the runs then go to their ranks, which merge them.

use std::ops::Range;

use warpwise::Device;
use warpwise::sort::{Key, Sort};

use crate::Error;
use crate::communicator::{Communicator, exchange, gather, gather_vectors};
use crate::parts::{Parts, of_lengths};
use crate::redistribute::zeros;

/// Samples of a rank for every rank: between two samples of all lies at most one part in so many.
const SAMPLES: usize = 32;
/// The most samples of a rank.
const MOST_SAMPLES: usize = 4096;
/// Shorter runs are merged by one thread.
const MERGE: usize = 1 << 16;

/// A part in order.
///
/// # Errors
///
/// What the device says.
///
/// ```
/// assert_eq!(warpwise_cluster::sort::run(&warpwise::Device::cpu(), true, vec![1, 3, 2]).unwrap(), [3, 2, 1]);
/// ```
pub fn run<K: Key>(device: &Device, descending: bool, part: Vec<K>) -> Result<Vec<K>, Error> {
    Ok(Sort::new().descending(descending).run(device, &part)?)
}

/// This rank's part of all elements in order, from parts that are each in order.
///
/// ```
/// use warpwise_cluster::{Communicator, Threads, sort};
///
/// let parts = Threads::run(2, |ranks| sort::merge(ranks, false, vec![ranks.rank() as u32, 5]));
/// assert_eq!(parts.concat(), [0, 1, 5, 5]);
/// ```
pub fn merge<K: Key>(ranks: &dyn Communicator, descending: bool, run: Vec<K>) -> Vec<K> {
    if ranks.size() == 1 {
        return run;
    }
    let (me, cuts) = (ranks.rank(), cuts(ranks, descending, &run));
    let pieces: Vec<Range<usize>> = cuts.windows(2).map(|pair| pair[0]..pair[1]).collect();
    let lengths: Vec<u64> = pieces.iter().map(|piece| piece.len() as u64).collect();
    let all = gather_vectors(ranks, &lengths);
    // What stays is merged from where it lies.
    let coming: Vec<(usize, usize)> = all
        .chunks(ranks.size())
        .enumerate()
        .map(|(rank, lengths)| (rank, if rank == me { 0 } else { lengths[me] as usize }))
        .collect();
    let mut received = zeros::<K>(coming.iter().map(|(_, length)| length).sum());
    if received.is_empty() && pieces[me].len() == run.len() {
        return run;
    }
    let leaving = pieces.iter().enumerate().filter(|(rank, piece)| *rank != me && !piece.is_empty());
    let sends: Vec<_> = leaving.map(|(rank, piece)| (rank, &run[piece.clone()])).collect();
    let mut receives = Vec::new();
    let mut rest = &mut received[..];
    for &(rank, length) in coming.iter().filter(|(_, length)| *length > 0) {
        let (room, behind) = rest.split_at_mut(length);
        receives.push((rank, room));
        rest = behind;
    }
    exchange(ranks, &sends, receives);
    let mut rest = &received[..];
    let runs = coming.iter().map(|&(rank, length)| {
        let (piece, behind) = rest.split_at(length);
        rest = behind;
        if rank == me { &run[pieces[me].clone()] } else { piece }
    });
    in_one(runs.collect(), descending)
}

/// Runs that are each in order, in one.
///
/// ```
/// assert_eq!(warpwise_cluster::sort::merge_runs(vec![vec![1, 5], vec![], vec![2]], false), [1, 2, 5]);
/// ```
pub fn merge_runs<K: Key>(runs: Vec<Vec<K>>, descending: bool) -> Vec<K> {
    in_one(runs.iter().map(Vec::as_slice).collect(), descending)
}

/// Where the run of this rank is cut: one more than there are ranks.
fn cuts<K: Key>(ranks: &dyn Communicator, descending: bool, run: &[K]) -> Vec<usize> {
    let (me, size) = (ranks.rank(), ranks.size());
    let lengths: Vec<usize> = gather(ranks, run.len() as u64).iter().map(|&n| n as usize).collect();
    let total: usize = lengths.iter().sum();
    let samples = |length: usize| length.min((SAMPLES * size).min(MOST_SAMPLES));
    let place = |i: usize, length: usize| (2 * i + 1) * length / (2 * samples(length));
    let mine: Vec<K> = (0..samples(run.len())).map(|i| run[place(i, run.len())]).collect();
    let keys = gather_vectors(ranks, &mine);
    let owners = lengths.iter().enumerate().flat_map(|(rank, &length)| (0..samples(length)).map(move |i| (rank, i)));
    let before = |a: &K, b: &K| if descending { b.ordered() < a.ordered() } else { a.ordered() < b.ordered() };
    // Of equal keys, those of lower ranks come first.
    let here: Vec<u64> = keys
        .iter()
        .zip(owners)
        .map(|(key, (rank, i))| match rank.cmp(&me) {
            std::cmp::Ordering::Less => run.partition_point(|x| before(x, key)),
            std::cmp::Ordering::Equal => place(i, run.len()),
            std::cmp::Ordering::Greater => run.partition_point(|x| !before(key, x)),
        } as u64)
        .collect();
    let mut places = here.clone();
    ranks.sum_all(&mut places);
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_unstable_by_key(|&i| places[i]);
    let nearest = |target: usize| {
        let after = order.partition_point(|&i| places[i] < target as u64);
        let near = [after.checked_sub(1), Some(after)].into_iter().flatten().filter_map(|at| order.get(at));
        near.min_by_key(|&&i| places[i].abs_diff(target as u64)).map_or(0, |&i| here[i] as usize)
    };
    let parts = Parts::new(total, size);
    let mut cuts = vec![0];
    for rank in 1..size {
        let cut = if parts.of(rank).start == total { run.len() } else { nearest(parts.of(rank).start) };
        cuts.push(cut.max(cuts[rank - 1]));
    }
    cuts.push(run.len());
    cuts
}

/// Runs merged in pairs until one is left.
fn in_one<K: Key>(mut runs: Vec<&[K]>, descending: bool) -> Vec<K> {
    runs.retain(|run| !run.is_empty());
    let mut keys = zeros::<K>(runs.iter().map(|run| run.len()).sum());
    let mut merged = in_pairs(&runs, &mut keys, descending);
    let mut other = if merged.len() > 1 { zeros::<K>(keys.len()) } else { Vec::new() };
    while merged.len() > 1 {
        let runs: Vec<&[K]> = merged.into_iter().map(|run| &keys[run]).collect();
        merged = in_pairs(&runs, &mut other, descending);
        std::mem::swap(&mut keys, &mut other);
    }
    keys
}

/// Every two runs in one, one after the other; returns where they lie.
fn in_pairs<K: Key>(runs: &[&[K]], out: &mut [K], descending: bool) -> Vec<Range<usize>> {
    let mut rest = out;
    let mut lengths = Vec::new();
    rayon::scope(|scope| {
        for pair in runs.chunks(2) {
            let (first, second) = (pair[0], pair.get(1).copied().unwrap_or_default());
            let (room, behind) = std::mem::take(&mut rest).split_at_mut(first.len() + second.len());
            rest = behind;
            lengths.push(room.len());
            scope.spawn(move |_| {
                if descending {
                    of_two(first, second, room, &|a: &K, b: &K| b.ordered() < a.ordered());
                } else {
                    of_two(first, second, room, &|a: &K, b: &K| a.ordered() < b.ordered());
                }
            });
        }
    });
    of_lengths(&lengths)
}

/// Two runs in one; long ones are cut in two, for two threads.
fn of_two<K: Key>(a: &[K], b: &[K], out: &mut [K], before: &(impl Fn(&K, &K) -> bool + Sync)) {
    if b.is_empty() {
        out.copy_from_slice(a);
        return;
    }
    if out.len() > MERGE && rayon::current_num_threads() > 1 {
        let (longer, shorter) = if a.len() > b.len() { (a, b) } else { (b, a) };
        let middle = longer.len() / 2;
        let cut = if a.len() > b.len() {
            shorter.partition_point(|x| before(x, &longer[middle]))
        } else {
            shorter.partition_point(|x| !before(&longer[middle], x))
        };
        let (at_a, at_b) = if a.len() > b.len() { (middle, cut) } else { (cut, middle) };
        let (left, right) = out.split_at_mut(at_a + at_b);
        rayon::join(|| of_two(&a[..at_a], &b[..at_b], left, before), || of_two(&a[at_a..], &b[at_b..], right, before));
        return;
    }
    // From both ends at once, until they meet: two chains that do not wait for each other. No run ends before the
    // shorter one is used up.
    let (mut i, mut j, mut low) = (0, 0, 0);
    let (mut k, mut l, mut high) = (a.len(), b.len(), out.len());
    for _ in 0..a.len().min(b.len()) / 2 {
        // Both are loaded before they are compared: which one it is cannot be predicted, so nothing may jump.
        let (x, y) = (a[i], b[j]);
        let second = before(&y, &x);
        out[low] = if second { y } else { x };
        (i, j, low) = (i + usize::from(!second), j + usize::from(second), low + 1);
        high -= 1;
        let (x, y) = (a[k - 1], b[l - 1]);
        let first = before(&y, &x);
        out[high] = if first { x } else { y };
        (k, l) = (k - usize::from(first), l - usize::from(!first));
    }
    for out in &mut out[low..high] {
        let second = i == k || (j < l && before(&b[j], &a[i]));
        *out = if second { b[j] } else { a[i] };
        (i, j) = (i + usize::from(!second), j + usize::from(second));
    }
}
