//! Reduce: all elements of all ranks combined into one.
//!
//! Sums and products of floats are combined in the fixed tree of [`warpwise::reduce`], so their bits depend on neither
//! the number of ranks nor the cuts between them. A tile of the tree, 32 KiB, belongs to the rank that has its first
//! element; the others send it what they have of it, less than a tile each. The values of tiles are the elements of the
//! next round.

use std::ops::Range;

use warpwise::reduce::{Extreme, Order, Reduce, Reducible, Summable, cpu};
use warpwise::{Device, Float, Operator};

use crate::Error;
use crate::communicator::{Communicator, broadcast, exchange, gather};
use crate::error::agree_on_device;
use crate::parts::{common, of_lengths, whole_units};
use crate::redistribute::zeros;

/// Types that are reduced: `i32`, `u32`, `i64`, `u64`, `f32` and `f64`.
///
/// ```
/// use warpwise_cluster::{Communicator, Threads, reduce};
///
/// fn total<T: reduce::Reduces>(ranks: &dyn Communicator, xs: &[T]) -> T {
///     reduce::reduce(ranks, &warpwise::Device::cpu(), warpwise::Operator::Sum, xs).unwrap()
/// }
/// assert_eq!(Threads::run(2, |ranks| total(ranks, &[1.5, 2.0])), [7.0, 7.0]);
/// ```
pub trait Reduces: Reducible + Summable {
    /// The value of all elements in the reproducible order.
    #[doc(hidden)]
    fn in_order(ranks: &dyn Communicator, device: &Device, operator: Operator, part: &[Self]) -> Result<Self, Error>;
}

macro_rules! reduces {
    ($($t:ty: $how:ident)*) => {$(
        impl Reduces for $t {
            fn in_order(
                ranks: &dyn Communicator,
                device: &Device,
                operator: Operator,
                part: &[Self],
            ) -> Result<Self, Error> {
                $how(ranks, device, operator, part)
            }
        }
    )*};
}
reduces!(i32: in_any_order u32: in_any_order i64: in_any_order u64: in_any_order f32: in_tree f64: in_tree);

/// All elements of all ranks combined, in the order of the ranks. Every rank gets the result: the bits that the library
/// gives for all of them on one machine.
///
/// # Errors
///
/// Where all ranks together have nothing to take a minimum or maximum of, and what the device says.
///
/// ```
/// use warpwise::{Device, Operator};
/// use warpwise_cluster::{Communicator, Parts, Threads, reduce};
///
/// let xs: Vec<f32> = (0..100_000).map(|i| 1.0 / (i + 1) as f32).collect();
/// let alone = warpwise::reduce::cpu::par(Operator::Sum, &xs)?;
/// let sums = Threads::run(3, |ranks| {
///     let mine = &xs[Parts::new(xs.len(), 3).of(ranks.rank())];
///     reduce::reduce(ranks, &Device::cpu(), Operator::Sum, mine).unwrap()
/// });
/// assert!(sums.iter().all(|sum| sum.to_bits() == alone.to_bits()));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn reduce<T: Reduces>(
    ranks: &dyn Communicator,
    device: &Device,
    operator: Operator,
    part: &[T],
) -> Result<T, Error> {
    let total: u64 = gather(ranks, part.len() as u64).iter().sum();
    if total == 0 {
        return Ok(cpu::par(operator, part)?);
    }
    match operator {
        Operator::Sum | Operator::Product => T::in_order(ranks, device, operator, part),
        Operator::Min | Operator::Max => in_any_order(ranks, device, operator, part),
    }
}

/// The sum of all elements of all ranks, in the type of [`warpwise::reduce::sum`]: 64 bits for integers.
///
/// # Errors
///
/// What the device says.
///
/// ```
/// use warpwise::Device;
/// use warpwise_cluster::{Threads, reduce};
///
/// let sums = Threads::run(2, |ranks| reduce::sum(ranks, &Device::cpu(), &[i32::MAX, 1]).unwrap());
/// assert_eq!(sums, [1 << 32, 1 << 32]);
/// ```
pub fn sum<T: Reduces>(ranks: &dyn Communicator, device: &Device, part: &[T]) -> Result<T::Sum, Error>
where
    T::Sum: Reduces,
{
    if T::IS_FLOAT {
        // The same type: the sum of its own type is converted to itself.
        return Ok(bytemuck::cast(reduce(ranks, device, Operator::Sum, part)?));
    }
    let own = [agree_on_device(ranks, device, warpwise::reduce::sum(device, part))?];
    reduce(ranks, &Device::cpu(), Operator::Sum, &own)
}

/// The place of the first smallest or largest element of all ranks, or of the first NaN.
///
/// # Errors
///
/// Where all ranks together have nothing, and what the device says.
///
/// ```
/// use warpwise::{Device, reduce::Extreme};
/// use warpwise_cluster::{Communicator, Threads, reduce};
///
/// let places = Threads::run(2, |ranks| {
///     reduce::place(ranks, &Device::cpu(), Extreme::Max, &[3, 7 + ranks.rank() as i32]).unwrap()
/// });
/// assert_eq!(places, [3, 3]);
/// ```
pub fn place<T: Reduces>(
    ranks: &dyn Communicator,
    device: &Device,
    extreme: Extreme,
    part: &[T],
) -> Result<u64, Error> {
    let lengths = gather(ranks, part.len() as u64);
    if lengths.iter().all(|&length| length == 0) {
        return Ok(cpu::par_place(extreme, part)? as u64);
    }
    let place = if part.is_empty() { Ok(0) } else { Reduce::new().place(device, extreme, part) };
    let place = agree_on_device(ranks, device, place)?;
    let begin: u64 = lengths[..ranks.rank()].iter().sum();
    let places = gather(ranks, begin + place as u64);
    let values = gather(ranks, part.get(place).copied().unwrap_or(T::ZERO));
    // Those of ranks with elements; the first of equal ones wins.
    let there: Vec<usize> = (0..lengths.len()).filter(|&rank| lengths[rank] > 0).collect();
    let values: Vec<T> = there.iter().map(|&rank| values[rank]).collect();
    Ok(places[there[cpu::seq_place(extreme, &values)?]])
}

fn in_any_order<T: Reducible>(
    ranks: &dyn Communicator,
    device: &Device,
    operator: Operator,
    part: &[T],
) -> Result<T, Error> {
    let run =
        || if part.is_empty() { Ok(operator.identity()) } else { Reduce::new().operator(operator).run(device, part) };
    let own = agree_on_device(ranks, device, run())?;
    Ok(cpu::seq(operator, &gather(ranks, own))?)
}

fn in_tree<T: Float + Reducible>(
    ranks: &dyn Communicator,
    device: &Device,
    operator: Operator,
    part: &[T],
) -> Result<T, Error> {
    let tile = cpu::tile::<T>();
    let me = ranks.rank();
    let lengths: Vec<usize> = gather(ranks, part.len() as u64).iter().map(|&n| n as usize).collect();
    let mut from = of_lengths(&lengths);
    let mut values = None;
    let mut first = true;
    loop {
        let to = whole_units(&from, tile);
        let mine = values.as_deref().unwrap_or(part);
        let next = one_round(ranks, device, operator, mine, &from, &to, first)?;
        let tiles = |part: &Range<usize>| part.start.div_ceil(tile)..part.end.div_ceil(tile);
        from = to.iter().map(tiles).collect();
        values = Some(next);
        first = false;
        let Some(length) = from.last().map(|part| part.end) else { break };
        if length <= 1 {
            break;
        }
    }
    let owner = from.iter().position(|part| !part.is_empty()).unwrap_or(0);
    let mut value = [if me == owner { values.unwrap_or_default()[0] } else { T::ZERO }];
    broadcast(ranks, owner, &mut value);
    Ok(cpu::finish(operator, value[0]))
}

/// The values of the tiles that are in this rank after the ends of tiles have come here.
fn one_round<T: Float + Reducible>(
    ranks: &dyn Communicator,
    device: &Device,
    operator: Operator,
    mine: &[T],
    from: &[Range<usize>],
    to: &[Range<usize>],
    first: bool,
) -> Result<Vec<T>, Error> {
    let (me, tile) = (ranks.rank(), cpu::tile::<T>());
    let (here, there) = (&from[me], &to[me]);
    // What lies before the first cut goes to others, and what is missing in the last tile comes from others.
    let sends: Vec<_> = to.iter().enumerate().filter(|(rank, _)| *rank != me).collect();
    let sends = sends.into_iter().map(|(rank, wanted)| (rank, common(here, wanted))).filter(|(_, r)| !r.is_empty());
    let sends: Vec<_> = sends.map(|(rank, r)| (rank, &mine[r.start - here.start..r.end - here.start])).collect();
    // Whoever has no tile has given everything away.
    let own = if there.is_empty() { here.end..here.end } else { common(here, there) };
    let whole = if there.end > own.end { own.start + own.len() / tile * tile } else { own.end };
    let mut tail = zeros::<T>(if there.is_empty() { 0 } else { there.end - whole });
    let kept = if there.is_empty() { 0 } else { own.end - whole };
    tail[..kept].copy_from_slice(&mine[whole - here.start..whole - here.start + kept]);
    let mut receives = Vec::new();
    let mut rest = &mut tail[kept..];
    for (rank, theirs) in from.iter().enumerate().filter(|(rank, _)| *rank != me) {
        let range = common(theirs, there);
        let (room, behind) = rest.split_at_mut(range.len());
        rest = behind;
        if !range.is_empty() {
            receives.push((rank, room));
        }
    }
    exchange(ranks, &sends, receives);
    let mut values = Vec::new();
    let body = &mine[own.start - here.start..whole - here.start];
    if first && !device.is_cpu() {
        values = agree_on_device(ranks, device, on_device(device, operator, body))?;
    } else if !body.is_empty() {
        values = cpu::round(operator, body)?;
    }
    if !tail.is_empty() {
        values.extend(cpu::round(operator, &tail)?);
    }
    Ok(values)
}

/// The values of tiles on a GPU, which takes them one by one: the bits are the same.
fn on_device<T: Float + Reducible>(device: &Device, operator: Operator, xs: &[T]) -> Result<Vec<T>, warpwise::Error> {
    let how = Reduce::new().operator(operator).order(Order::Reproducible);
    xs.chunks(cpu::tile::<T>()).map(|tile| how.run(device, tile)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Parts, Threads};
    use warpwise::random::Random;

    fn same<T: Reduces>(n: usize) {
        let xs: Vec<T> = Random::new(n as u64 + 3).elements(n);
        for ranks in [1, 2, 3, 4, 7, 8] {
            for operator in Operator::ALL {
                let alone = cpu::par(operator, &xs);
                let found = Threads::run(ranks, |comm| {
                    let mine = &xs[Parts::new(n, ranks).of(comm.rank())];
                    reduce(comm, &Device::cpu(), operator, mine)
                });
                for found in found {
                    match (&alone, found) {
                        (Ok(alone), Ok(found)) => {
                            let [a, b] = [*alone, found].map(|x| bytemuck::bytes_of(&x).to_vec());
                            assert_eq!(a, b, "{} {n} {ranks} {}", T::NAME, operator.name());
                        }
                        (Err(alone), Err(found)) => assert_eq!(alone.to_string(), found.to_string()),
                        (alone, found) => panic!("{alone:?} {found:?}"),
                    }
                }
            }
            for extreme in Extreme::ALL {
                let alone = cpu::par_place(extreme, &xs).map(|place| place as u64);
                let found = Threads::run(ranks, |comm| {
                    place(comm, &Device::cpu(), extreme, &xs[Parts::new(n, ranks).of(comm.rank())])
                });
                for found in found {
                    assert_eq!(found.map_err(|e| e.to_string()), alone.clone().map_err(|e| e.to_string()));
                }
            }
        }
    }

    #[test]
    fn all_types_and_operators_give_the_bits_of_one_machine() {
        for n in [0, 1, 5, 4096, 8192, 100_003] {
            same::<f32>(n);
            same::<f64>(n);
            same::<i32>(n);
            same::<u32>(n);
            same::<i64>(n);
            same::<u64>(n);
        }
    }

    #[test]
    fn several_rounds_and_uneven_parts() {
        let n = 8192 * 8192 / 16 + 77;
        let xs: Vec<f64> = Random::new(5).elements(n);
        let alone = cpu::par(Operator::Sum, &xs).unwrap();
        for cuts in [[0, 0, n], [1, 4097, n], [n - 1, n - 1, n], [4096 * 3, 4096 * 3 + 1, n]] {
            let found = Threads::run(4, |comm| {
                let begin = if comm.rank() == 0 { 0 } else { cuts[comm.rank() - 1] };
                let end = cuts.get(comm.rank()).copied().unwrap_or(n);
                reduce(comm, &Device::cpu(), Operator::Sum, &xs[begin..end]).unwrap()
            });
            assert!(found.iter().all(|sum| sum.to_bits() == alone.to_bits()), "{cuts:?}");
        }
    }

    #[test]
    fn special_values_are_those_of_one_machine() {
        for xs in [vec![-0.0_f64; 9000], vec![f64::NAN, 1.0, -f64::NAN], vec![f64::INFINITY, f64::NEG_INFINITY]] {
            let alone = cpu::par(Operator::Sum, &xs).unwrap();
            let found = Threads::run(3, |comm| {
                reduce(comm, &Device::cpu(), Operator::Sum, &xs[Parts::new(xs.len(), 3).of(comm.rank())]).unwrap()
            });
            assert!(found.iter().all(|sum| sum.to_bits() == alone.to_bits()));
        }
    }

    #[test]
    fn sums_of_integers_have_room() {
        let sums = Threads::run(3, |comm| sum(comm, &Device::cpu(), &vec![u32::MAX; comm.rank()]).unwrap());
        assert_eq!(sums, [3 * u64::from(u32::MAX); 3]);
    }

    #[test]
    fn an_emulated_gpu_gives_the_same_bits() {
        let xs: Vec<f32> = Random::new(9).elements(20_000);
        let alone = cpu::par(Operator::Sum, &xs).unwrap();
        let found = Threads::run(2, |comm| {
            let mine = &xs[Parts::new(xs.len(), 2).of(comm.rank())];
            reduce(comm, &Device::emulator(), Operator::Sum, mine).unwrap()
        });
        assert!(found.iter().all(|sum| sum.to_bits() == alone.to_bits()));
    }
}
