//! Counting by the rules of NumPy, on all cores.

use rayon::prelude::*;

/// Elements that a thread counts at a time, at least.
const PIECE: usize = 1 << 18;
/// Elements whose bins are found before they are counted.
const BLOCK: usize = 256;
/// Elements side by side that are counted apart, so that equal ones do not wait for each other, where there are few bins.
const WAYS: usize = 4;
const FEW_BINS: usize = 1 << 11;
/// Numbers from this one on are not counted without knowing how large they are.
const MOST: u64 = 1 << 20;

/// How many elements there are in each bin, so far.
struct Counters {
    bins: usize,
    /// The bins of each way, one way after the other.
    counts: Vec<i64>,
}

impl Counters {
    fn new(bins: usize) -> Self {
        let ways = if bins <= FEW_BINS { WAYS } else { 1 };
        Self { bins, counts: vec![0; ways * bins] }
    }

    /// Counts elements by their bins.
    fn add<T: Copy>(&mut self, values: &[T], bin: impl Fn(T) -> usize) {
        if self.counts.len() == self.bins {
            values.iter().for_each(|&value| self.counts[bin(value)] += 1);
            return;
        }
        let (low, high) = self.counts.split_at_mut(2 * self.bins);
        let (first, second) = low.split_at_mut(self.bins);
        let (third, fourth) = high.split_at_mut(self.bins);
        let (groups, rest) = values.as_chunks::<WAYS>();
        for &[a, b, c, d] in groups {
            first[bin(a)] += 1;
            second[bin(b)] += 1;
            third[bin(c)] += 1;
            fourth[bin(d)] += 1;
        }
        rest.iter().for_each(|&value| first[bin(value)] += 1);
    }

    /// The counts of all ways together.
    fn total(mut self) -> Vec<i64> {
        let (total, others) = self.counts.split_at_mut(self.bins);
        for counts in others.chunks_exact(self.bins) {
            total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
        }
        self.counts.truncate(self.bins);
        self.counts
    }

    /// The same counts, with more bins.
    fn grown(self, bins: usize) -> Self {
        let (total, mut grown) = (self.total(), Self::new(bins));
        grown.counts[..total.len()].copy_from_slice(&total);
        grown
    }
}

/// Counts pieces on all cores, and adds their counts up. None if there is a piece that cannot be counted.
fn in_pieces<T: Sync>(values: &[T], count: impl Fn(&[T]) -> Option<Vec<i64>> + Sync) -> Option<Vec<i64>> {
    if values.len() <= PIECE {
        return count(values);
    }
    let piece = PIECE.max(values.len().div_ceil(4 * rayon::current_num_threads()));
    values.par_chunks(piece).map(&count).try_reduce(Vec::new, |a, b| {
        let (mut long, short) = if a.len() < b.len() { (b, a) } else { (a, b) };
        long.iter_mut().zip(short).for_each(|(long, short)| *long += short);
        Some(long)
    })
}

/// How often each number occurs, up to the largest; none if one is negative or very large. A negative number is a large
/// one for `number`.
pub(crate) fn numbers<T: Copy + Sync>(values: &[T], number: impl Fn(T) -> u64 + Sync) -> Option<Vec<i64>> {
    let mut counts = in_pieces(values, |values| {
        let mut counters = Counters::new(1);
        for block in values.chunks(BLOCK) {
            // No number has a bit that is not in this one.
            let all = block.iter().fold(0, |all, &value| all | number(value));
            if all >= MOST {
                return None;
            }
            if all as usize >= counters.bins {
                counters = counters.grown((all as usize + 1).next_power_of_two());
            }
            counters.add(block, |value| number(value) as usize);
        }
        Some(counters.total())
    })?;
    let used = counts.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
    counts.truncate(used);
    Some(counts)
}

/// Counts elements by their bins. An element that is in none of them has the number after the last.
pub(crate) fn by_bin<T: Copy + Sync>(values: &[T], bins: usize, bin: impl Fn(T) -> usize + Sync) -> Vec<i64> {
    let count = |values: &[T]| {
        let mut counters = Counters::new(bins + 1);
        counters.add(values, &bin);
        Some(counters.total())
    };
    without_the_last(in_pieces(values, count), bins)
}

/// Counts elements between edges; the last bin has both of its edges. `number` keeps the order of elements.
pub(crate) fn between<T: Copy + Sync>(
    values: &[T],
    edges: &[f64],
    even: bool,
    number: impl Fn(T) -> f64 + Sync,
) -> Vec<i64> {
    let bins = edges.len() - 1;
    let (low, high) = (edges[0], edges[bins]);
    if !even || bins >= i32::MAX as usize {
        return by_bin(values, bins, |value| {
            let x = number(value);
            let inside = x >= low && x <= high;
            if inside { edges.partition_point(|&edge| edge <= x).clamp(1, bins) - 1 } else { bins }
        });
    }
    let scale = bins as f64 / (high - low);
    let exact = |x: f64| {
        let inside = x >= low && x <= high;
        // Rounding may lead to a neighbour: the edges decide.
        let guess = (((x - low) * scale) as i64 as usize).min(bins - 1);
        let above = x >= edges[guess + 1] && guess + 1 < bins;
        let bin = guess + usize::from(above) - usize::from(x < edges[guess] && guess > 0);
        if inside { bin } else { bins }
    };
    // Farther from an edge than this, in bins, rounding of the place and of the edges does not matter. Edges of f32 are
    // rounded more than others.
    let rounded = |(i, &edge): (usize, &f64)| ((edge - low) * scale - i as f64).abs();
    let moved = edges.iter().enumerate().map(rounded).fold(0.0, f64::max);
    let near = moved + (bins as f64 + low.abs().max(high.abs()) * scale) * 8.0 * f64::EPSILON;
    let (end, far) = (bins as f64, 1.0 - near);
    let count = |values: &[T]| {
        let (mut counters, mut found) = (Counters::new(bins + 1), [0_i32; BLOCK]);
        for block in values.chunks(BLOCK) {
            let mut sure = true;
            for (found, &value) in found.iter_mut().zip(block) {
                let place = (number(value) - low) * scale;
                // What is not a number becomes 0, as what is below; in this form, it is one instruction each.
                let place = if place > 0.0 { place } else { 0.0 };
                let place = if place < end { place } else { end };
                // SAFETY: from 0 to the number of bins, which is an i32.
                *found = unsafe { place.to_int_unchecked() };
                let within = place - f64::from(*found);
                sure &= (within > near) & (within < far);
            }
            if sure {
                counters.add(&found[..block.len()], |bin| bin as usize);
            } else {
                counters.add(block, |value| exact(number(value)));
            }
        }
        Some(counters.total())
    };
    without_the_last(in_pieces(values, count), bins)
}

fn without_the_last(counts: Option<Vec<i64>>, bins: usize) -> Vec<i64> {
    let mut counts = counts.unwrap_or_default();
    counts.resize(bins, 0);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_counted_up_to_the_largest() {
        let signed = |x: i64| x as u64;
        assert_eq!(numbers(&[], signed), Some(vec![]));
        assert_eq!(numbers(&[0, 5, 5], signed), Some(vec![1, 0, 0, 0, 0, 2]));
        assert_eq!(numbers(&[3, -1], signed), None);
        assert_eq!(numbers(&[MOST as i64], signed), None);
        let many: Vec<i64> = (0..1_000_000).map(|i| i * 7 % 5003).collect();
        let mut expected = vec![0; 5003];
        many.iter().for_each(|&x| expected[x as usize] += 1);
        assert_eq!(numbers(&many, signed), Some(expected));
    }

    #[test]
    fn edges_that_are_rounded_decide() {
        let edges: Vec<f64> = (0..=3000).map(|i| f64::from((f64::from(i) / 3000.0) as f32)).collect();
        let xs: Vec<f32> = (0..1 << 20).map(|i| i as f32 / (1 << 20) as f32).collect();
        let number = |x: f32| f64::from(x);
        assert_eq!(between(&xs, &edges, true, number), between(&xs, &edges, false, number));
    }

    #[test]
    fn elements_on_edges_belong_to_the_bin_above_but_for_the_last() {
        let edges: Vec<f64> = (0..=10).map(|i| f64::from(i) / 10.0).collect();
        let mut xs: Vec<f64> = edges.iter().flat_map(|&edge| [edge, edge.next_down(), edge.next_up()]).collect();
        xs.extend([f64::NAN, f64::INFINITY, -f64::INFINITY, 1e300, -1e300]);
        // In a block of their own, and among others that are far from edges.
        xs.extend((0..700).map(|i| (f64::from(i % 10) + 0.5) / 10.0));
        let mut expected = vec![0; 10];
        for &x in &xs {
            if (0.0..=1.0).contains(&x) {
                expected[edges.partition_point(|&edge| edge <= x).clamp(1, 10) - 1] += 1;
            }
        }
        for even in [true, false] {
            assert_eq!(between(&xs, &edges, even, |x| x), expected, "{even}");
        }
    }
}
