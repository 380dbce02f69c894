//! The truth that other variants are verified against.

use std::cmp::Ordering;

use super::cpu::{Along, How};
use super::order::Key;

/// How two keys are ordered: as numbers, -0 before +0, and NaN last, those without a sign first, each by their bits.
///
/// ```
/// use std::cmp::Ordering;
/// use warpwise::sort::reference::compare;
///
/// assert_eq!(compare(&-0.0, &0.0), Ordering::Less);
/// assert_eq!(compare(&-f32::NAN, &f32::INFINITY), Ordering::Greater);
/// assert_eq!(compare(&7, &7), Ordering::Equal);
/// ```
pub fn compare<K: Key>(a: &K, b: &K) -> Ordering {
    match (a.is_nan(), b.is_nan()) {
        (false, false) => {
            // Equal floats differ at most in the sign of zero.
            let sign = |x: &K| K::IS_FLOAT && x.to_f64().is_sign_positive();
            a.partial_cmp(b).map_or(Ordering::Equal, |order| order.then_with(|| sign(a).cmp(&sign(b))))
        }
        (false, true) => Ordering::Less,
        (true, false) => Ordering::Greater,
        (true, true) => {
            // Bits of one sign are in order, and those with a sign are taken backwards.
            let bits =
                |x: &K| bytemuck::bytes_of(x).iter().rev().fold(0_u64, |bits, &byte| bits << 8 | u64::from(byte));
            let top = 1_u64 << (8 * size_of::<K>() - 1);
            match (bits(a) & top != 0, bits(b) & top != 0) {
                (false, false) => bits(a).cmp(&bits(b)),
                (true, true) => bits(b).cmp(&bits(a)),
                (with, _) => {
                    if with {
                        Ordering::Greater
                    } else {
                        Ordering::Less
                    }
                }
            }
        }
    }
}

/// Where the keys in order are in the input; equal keys in the order of the input.
///
/// ```
/// assert_eq!(warpwise::sort::reference::places(&[2, 3, 2], true), [1, 0, 2]);
/// ```
pub fn places<K: Key>(keys: &[K], descending: bool) -> Vec<usize> {
    let compared = |i: usize, j: usize| {
        let order = compare(&keys[i], &keys[j]);
        if descending { order.reverse() } else { order }
    };
    // There is one such order: what the library finds is it if it holds at every step, and that is quick to check.
    let found = quickly(keys, descending).filter(|found| holds(found, &compared));
    found.unwrap_or_else(|| order(keys.len(), &compared))
}

/// What the library finds, unless there are more keys than it numbers.
fn quickly<K: Key>(keys: &[K], descending: bool) -> Option<Vec<usize>> {
    u32::try_from(keys.len()).ok()?;
    let mut numbers = vec![0; keys.len()];
    K::sort_on_host(How { descending, in_parallel: true }, keys, None, Along::Numbers(&mut numbers));
    Some(numbers.into_iter().map(|number: u32| number as usize).collect())
}

/// Whether places are all there are, each after a smaller one, or after an equal one that is earlier in the input.
fn holds(places: &[usize], compare: &dyn Fn(usize, usize) -> Ordering) -> bool {
    places.iter().all(|&place| place < places.len())
        && places.windows(2).all(|pair| compare(pair[0], pair[1]).then(pair[0].cmp(&pair[1])).is_lt())
}

/// The keys in order.
pub(crate) fn sorted<K: Key>(keys: &[K], descending: bool) -> Vec<K> {
    places(keys, descending).into_iter().map(|at| keys[at]).collect()
}

/// Elements in the order of their values; those that have none may be anywhere.
pub(crate) fn ascending<T: Copy + PartialOrd>(xs: &[T]) -> Vec<T> {
    let places = order(xs.len(), &|i, j| xs[i].partial_cmp(&xs[j]).unwrap_or(Ordering::Equal));
    places.into_iter().map(|at| xs[at]).collect()
}

/// Places in an order of theirs, equal ones as they were: a sort that is compiled once, for elements of every type.
fn order(n: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..n).collect();
    places.sort_by(|&i, &j| compare(i, j));
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_stable_order_holds() {
        let keys = [5, 1, 5, 0];
        let holds = |places: &[usize]| holds(places, &|i, j| keys[i].cmp(&keys[j]));
        assert!(holds(&[3, 1, 0, 2]));
        assert!(!holds(&[3, 1, 2, 0]), "equal keys are exchanged");
        assert!(!holds(&[1, 3, 0, 2]), "not in order");
        assert!(!holds(&[3, 1, 1, 2]) && !holds(&[3, 1, 0, 4]), "not every place");
        let all = order(keys.len(), &|i, j| keys[i].cmp(&keys[j]));
        assert_eq!(places(&keys, false), all);
    }
}
