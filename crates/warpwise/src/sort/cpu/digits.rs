//! Records that fit the caches, sorted by digits unless vector registers do better: from the lowest digit to the
//! highest, each keeps the order of those before.

use super::record::Record;
use super::spread::Bits;

/// The most bits of a digit: the ends of as many regions are written at the same time, and should stay in the first
/// cache.
const MOST_BITS: u32 = 9;
/// Bits by which records are sorted beyond those that tell as many records apart.
const EXTRA_BITS: u32 = 4;
/// What is left after that is sorted by insertion, if no more than that many moves a record are needed.
const MOVES: usize = 8;

/// The room beside records in which they are sorted, as a multiple of their number.
pub(super) const ROOM: usize = 3;

/// Sorts records by some bits of what they are above `base`, and keeps the order of those with equal bits. Says whether the
/// result is at the beginning of the room.
pub(super) fn sort<R: Record>(records: &mut [R], room: &mut [R], base: R, bits: Bits, counts: &mut Vec<usize>) -> bool {
    if bits.whole && bits.low < bits.high && R::sort_in_registers(records, room) {
        return false;
    }
    let n = records.len();
    by_digits(records, &mut room[..n], base, bits, counts)
}

/// The same, without vector registers.
pub(super) fn by_digits<R: Record>(
    records: &mut [R],
    spare: &mut [R],
    base: R,
    Bits { low, high, .. }: Bits,
    counts: &mut Vec<usize>,
) -> bool {
    let n = records.len();
    if n < 2 || low >= high {
        return false;
    }
    // The uppermost bits put nearly all records where they belong, if they are spread out.
    let bits = (usize::BITS - n.leading_zeros() + EXTRA_BITS).min(high - low);
    let passes = bits.div_ceil(MOST_BITS);
    let width = bits.div_ceil(passes);
    let first = high.saturating_sub(width * passes).max(low);
    let mask = (1 << width) - 1;
    counts.clear();
    counts.resize((passes as usize) << width, 0);
    for &record in &*records {
        for (pass, counts) in counts.chunks_exact_mut(1 << width).enumerate() {
            counts[record.digit(base, first + pass as u32 * width, mask)] += 1;
        }
    }
    let (mut from, mut to, mut in_spare) = (records, spare, false);
    for (pass, places) in counts.chunks_exact_mut(1 << width).enumerate() {
        let shift = first + pass as u32 * width;
        // A digit that all records share moves none of them.
        if places[from[0].digit(base, shift, mask)] == n {
            continue;
        }
        let mut next = 0;
        for place in places.iter_mut() {
            next += std::mem::replace(place, next);
        }
        scatter(from, to, places, base, shift, mask);
        std::mem::swap(&mut from, &mut to);
        in_spare = !in_spare;
    }
    if first > low {
        insert(from, low);
    }
    in_spare
}

/// Every record to the next place of its digit.
fn scatter<R: Record>(from: &[R], to: &mut [R], places: &mut [usize], base: R, shift: u32, mask: usize) {
    assert!(places.len() > mask && to.len() >= from.len());
    for &record in from {
        let place = &mut places[record.digit(base, shift, mask)];
        // SAFETY: places count up from the number of records with lower digits, and never pass the number of all.
        unsafe { *to.get_unchecked_mut(*place) = record };
        *place += 1;
    }
}

/// Sorts records that are nearly sorted by the bits from `low` on.
fn insert<R: Record>(records: &mut [R], low: u32) {
    let mut moves = records.len() * MOVES;
    for i in 1..records.len() {
        let record = records[i];
        let key = record.above(low);
        if records[i - 1].above(low) <= key {
            continue;
        }
        let mut at = i;
        while at > 0 && records[at - 1].above(low) > key {
            records[at] = records[at - 1];
            at -= 1;
        }
        records[at] = record;
        let moved = i - at;
        if moved > moves {
            records.sort_by_key(|record| record.above(low));
            return;
        }
        moves -= moved;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const BITS: Bits = Bits { low: 32, high: 64, whole: false };

    /// Records whose lower bits are their number, so that the order of equal keys shows.
    #[test]
    fn any_bits_are_sorted_and_equal_keys_stay_in_order() {
        let mut random = Random::new(81);
        for n in [0, 1, 2, 3, 100, 5000] {
            for bits in [1, 3, 9, 10, 20, 32] {
                for clustered in [false, true] {
                    let key = |random: &mut Random| match clustered {
                        true if random.below(50) > 0 => (random.bits() % 7) << (bits / 2),
                        _ => random.bits() % (1 << bits),
                    };
                    let mut records: Vec<u64> = (0..n as u64).map(|i| key(&mut random) << 32 | i).collect();
                    let mut expected = records.clone();
                    expected.sort_unstable();
                    let (mut spare, mut counts) = (vec![0; n], Vec::new());
                    let in_spare = by_digits(&mut records, &mut spare, 0, BITS, &mut counts);
                    assert!(if in_spare { spare } else { records } == expected, "{n} records of {bits} bits");
                }
            }
        }
    }

    #[test]
    fn records_are_sorted_above_a_base() {
        let mut random = Random::new(82);
        let base = 0x7fff_0000_u32;
        let mut records: Vec<u32> = (0..3000).map(|_| base + random.below(0x2_0000) as u32).collect();
        let mut expected = records.clone();
        expected.sort_unstable();
        let (mut spare, mut counts, bits) = (vec![0; 3000], Vec::new(), Bits { low: 0, high: 17, whole: true });
        let in_spare = by_digits(&mut records, &mut spare, base, bits, &mut counts);
        assert_eq!(if in_spare { spare } else { records }, expected);
    }
}
