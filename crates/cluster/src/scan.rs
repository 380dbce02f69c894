//! Scan: every prefix of the elements of all ranks combined into one.
//!
//! A rank needs what the elements before its part combine to: the totals of the ranks before it. Prefixes of float sums
//! and products are combined from the totals of tasks of 65,536 elements, one after the other, as on one machine, so
//! that the bits are the same: the first cut of a part moves up to the next task, and the prefix goes from rank to rank.

use std::ops::Range;

use warpwise::reduce::Reduce;
use warpwise::scan::{Kind, Scan, Scannable, cpu};
use warpwise::{Device, Operator};

use crate::Error;
use crate::communicator::{Communicator, exchange, gather};
use crate::error::agree_on_device;
use crate::parts::{of_lengths, whole_units};
use crate::redistribute::{redistribute, zeros};
use crate::reduce::Reduces;

/// A part of a scan, and where it begins and ends among all elements.
///
/// ```
/// use warpwise::{Device, Operator, scan::Kind};
/// use warpwise_cluster::{Threads, scan};
///
/// let parts = Threads::run(2, |ranks| {
///     scan::scan(ranks, &Device::cpu(), Operator::Sum, Kind::Inclusive, vec![1, 2]).unwrap()
/// });
/// assert_eq!((parts[1].values.as_slice(), parts[1].range.clone()), ([4, 6].as_slice(), 2..4));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Scanned<T> {
    /// The prefixes.
    pub values: Vec<T>,
    /// Their places.
    pub range: Range<usize>,
}

/// Types that are scanned: `i32`, `u32`, `i64`, `u64`, `f32` and `f64`.
///
/// ```
/// use warpwise_cluster::{Communicator, Threads, scan};
///
/// fn running<T: scan::Scans>(ranks: &dyn Communicator, xs: Vec<T>) -> Vec<T> {
///     let (device, kind) = (warpwise::Device::cpu(), warpwise::scan::Kind::Inclusive);
///     scan::scan(ranks, &device, warpwise::Operator::Max, kind, xs).unwrap().values
/// }
/// assert_eq!(Threads::run(1, |ranks| running(ranks, vec![2, 1, 3])), [[2, 2, 3]]);
/// ```
pub trait Scans: Scannable + Reduces {}

impl<T: Scannable + Reduces> Scans for T {}

/// The scan of the elements of all ranks, in the order of the ranks.
///
/// # Errors
///
/// What the device says.
///
/// ```
/// use warpwise::{Device, Operator, scan::Kind};
/// use warpwise_cluster::{Communicator, Threads, scan};
///
/// let parts = Threads::run(3, |ranks| {
///     let mine = vec![ranks.rank() as i32; 2];
///     scan::scan(ranks, &Device::cpu(), Operator::Sum, Kind::Exclusive, mine).unwrap().values
/// });
/// assert_eq!(parts.concat(), [0, 0, 0, 1, 2, 4]);
/// ```
pub fn scan<T: Scans>(
    ranks: &dyn Communicator,
    device: &Device,
    operator: Operator,
    kind: Kind,
    part: Vec<T>,
) -> Result<Scanned<T>, Error> {
    let lengths: Vec<usize> = gather(ranks, part.len() as u64).iter().map(|&n| n as usize).collect();
    let (me, from) = (ranks.rank(), of_lengths(&lengths));
    let in_order = T::IS_FLOAT && matches!(operator, Operator::Sum | Operator::Product) && device.is_cpu();
    if ranks.size() == 1 {
        let values = after(device, operator, kind, operator.identity(), &part)?;
        return Ok(Scanned { values, range: 0..lengths[0] });
    }
    if in_order {
        let to = whole_units(&from, cpu::TASK);
        let part = if from == to { part } else { redistribute(ranks, &part, &from, &to) };
        let prefix = passed_on(ranks, operator, &part);
        return Ok(Scanned { values: after(device, operator, kind, prefix, &part)?, range: to[me].clone() });
    }
    let total = if part.is_empty() { Ok(operator.identity()) } else { total(device, operator, &part) };
    let total = agree_on_device(ranks, device, total)?;
    let before = &gather(ranks, total)[..me];
    let prefix = before.iter().fold(operator.identity(), |so_far, &total| operator.apply(so_far, total));
    let values = agree_on_device(ranks, device, after(device, operator, kind, prefix, &part))?;
    Ok(Scanned { values, range: from[me].clone() })
}

fn total<T: Scans>(device: &Device, operator: Operator, part: &[T]) -> Result<T, warpwise::Error> {
    Reduce::new().operator(operator).run(device, part)
}

/// The prefix of this rank: what comes from the rank before. The totals of its tasks go on to the next.
fn passed_on<T: Scans>(ranks: &dyn Communicator, operator: Operator, part: &[T]) -> T {
    let me = ranks.rank();
    let totals = if me + 1 < ranks.size() { cpu::totals(operator, part) } else { Vec::new() };
    let mut prefix = [operator.identity()];
    if me > 0 {
        exchange(ranks, &[], vec![(me - 1, &mut prefix[..])]);
    }
    if me + 1 < ranks.size() {
        let next = totals.into_iter().fold(prefix[0], |so_far, total| operator.apply(so_far, total));
        exchange(ranks, &[(me + 1, &[next][..])], Vec::new());
    }
    prefix[0]
}

fn after<T: Scans>(
    device: &Device,
    operator: Operator,
    kind: Kind,
    prefix: T,
    xs: &[T],
) -> Result<Vec<T>, warpwise::Error> {
    let mut out = zeros(xs.len());
    if device.is_cpu() {
        cpu::par_after(operator, kind, prefix, xs, &mut out)?;
    } else if !xs.is_empty() {
        Scan::new().operator(operator).kind(kind).run_into(device, xs, &mut out)?;
        out.iter_mut().for_each(|x| *x = operator.apply(prefix, *x));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Parts, Threads};
    use warpwise::random::Random;

    fn same<T: Scans>(n: usize) {
        let xs: Vec<T> = Random::new(n as u64 + 4).elements(n);
        for operator in Operator::ALL {
            for kind in Kind::ALL {
                let mut alone = xs.clone();
                cpu::par(operator, kind, &xs, &mut alone).unwrap();
                for ranks in [1, 2, 3, 4, 7, 8] {
                    let parts = Threads::run(ranks, |comm| {
                        let mine = xs[Parts::new(n, ranks).of(comm.rank())].to_vec();
                        scan(comm, &Device::cpu(), operator, kind, mine).unwrap()
                    });
                    let mut found = Vec::new();
                    for part in parts {
                        assert_eq!((part.range.start, part.range.len()), (found.len(), part.values.len()));
                        found.extend(part.values);
                    }
                    let [a, b]: [&[u8]; 2] = [&alone, &found].map(|xs| bytemuck::cast_slice(xs));
                    assert!(a == b, "{} {n} {ranks} {} {}", T::NAME, operator.name(), kind.name());
                }
            }
        }
    }

    #[test]
    fn all_types_and_operators_give_the_bits_of_one_machine() {
        for n in [0, 1, 5, 1000, 65_536, 300_001] {
            same::<f64>(n);
            same::<i32>(n);
        }
        same::<f32>(200_000);
        same::<u32>(70_000);
        same::<i64>(70_000);
        same::<u64>(9);
    }

    #[test]
    fn an_emulated_gpu_scans_too() {
        let parts = Threads::run(2, |comm| {
            scan(comm, &Device::emulator(), Operator::Sum, Kind::Inclusive, vec![1; 500]).unwrap().values
        });
        assert_eq!(parts.concat(), (1..=1000).collect::<Vec<i32>>());
    }
}
