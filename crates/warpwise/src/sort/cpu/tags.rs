//! The numbers of long keys in the order of the keys, by tags: words with the uppermost bits of a key, and its number below
//! them. They are half as long as keys beside their numbers. Few keys differ in other bits alone; those are put in order
//! at the end.

use std::ops::Range;

use super::How;
use super::places::Places;
use super::spread::{self, Bits};
use crate::sort::order::{Key, Word};
use crate::{memory, threads};

/// Keys that tell beforehand whether few keys have the same tags, and how many of them may.
const SAMPLE: usize = 1024;
const FEW: usize = SAMPLE / 64;
/// Keys that a task looks at.
const TASK: usize = 1 << 16;

/// Writes the numbers of keys in their order; equal keys keep theirs. `false`, with nothing done, where too many keys would
/// have the same tags, or tags are no shorter.
pub(super) fn sort<K: Key>(how: How, keys: &[K], numbers: &mut [u32]) -> bool {
    let n = keys.len();
    if const { size_of::<K::Word>() < 8 } {
        return false;
    }
    if n < SAMPLE || !how.in_parallel {
        return false;
    }
    let flip = K::Word::ones(if how.descending { K::BITS } else { 0 });
    let word = |i: usize| -> u64 { (keys[i].ordered() ^ flip).into() };
    let Some(tags) = Tags::of(n, &word) else { return false };
    let make = |range: Range<usize>, records: &mut [u64]| {
        for (record, i) in records.iter_mut().zip(range) {
            *record = tags.of_word(word(i)) << tags.low | i as u64;
        }
    };
    let numbers = Places::new(numbers);
    let take = |first: usize, records: &mut [u64]| {
        // SAFETY: every range of places is handed over once.
        let numbers = unsafe { numbers.part(first..first + records.len()) };
        for (number, record) in numbers.iter_mut().zip(&*records) {
            *number = (record & ((1 << tags.low) - 1)) as u32;
        }
        if tags.cuts {
            let ends = |pair: &[u64]| (pair[0] ^ pair[1]) >> tags.low != 0;
            let mut first = 0;
            while let Some(same) = records[first..].windows(2).position(|pair| !ends(pair)) {
                first += same;
                let end = records[first..].windows(2).position(ends).map_or(records.len(), |end| first + end + 1);
                // Numbers are in order, so that equal keys stay as they are.
                numbers[first..end].sort_by_key(|&number| word(number as usize));
                first = end;
            }
        }
    };
    let bits = Bits { low: tags.low, high: tags.low + tags.width, whole: true };
    spread::sort(n, bits, true, &make, Some(&mut memory::zeros(n)), &take);
    true
}

/// How words become tags.
struct Tags {
    /// The lowest word, and how many of the lowest bits of what words are above it are left out.
    base: u64,
    shift: u32,
    /// Whether any words differ in those alone.
    cuts: bool,
    /// The bits of a tag, and the bits of the numbers below them.
    width: u32,
    low: u32,
}

impl Tags {
    /// Tags for so many words; `None` if too many of them would be the same.
    fn of(n: usize, word: &(impl Fn(usize) -> u64 + Sync)) -> Option<Self> {
        let low = usize::BITS - (n - 1).leading_zeros();
        let mut sample: Vec<u64> = (0..SAMPLE).map(|i| word(i * (n / SAMPLE))).collect();
        sample.sort_unstable();
        let few = |tags: &Self| {
            let tied = |pair: &&[u64]| pair[0] != pair[1] && tags.of_word(pair[0]) == tags.of_word(pair[1]);
            sample.windows(2).filter(tied).count() <= FEW
        };
        let tags = |base: u64, highest: u64| {
            let bits = u64::BITS - (highest - base).leading_zeros();
            let shift = bits.saturating_sub(u64::BITS - low);
            Self { base, shift, cuts: shift > 0, width: (bits - shift).max(1), low }
        };
        Some(tags(0, u64::MAX)).filter(few).or_else(|| {
            // The words may be close to each other.
            let ends = threads::map(n.div_ceil(TASK), n, |task| {
                let words = (task * TASK..n.min((task + 1) * TASK)).map(word);
                words.fold((u64::MAX, 0), |(lowest, highest), word| (word.min(lowest), word.max(highest)))
            });
            let lowest = ends.iter().map(|ends| ends.0).min()?;
            let highest = ends.iter().map(|ends| ends.1).max()?;
            Some(tags(lowest, highest)).filter(few)
        })
    }

    #[inline(always)]
    fn of_word(&self, word: u64) -> u64 {
        (word - self.base) >> self.shift
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Whether tags sort these keys; if so, they must do it as a stable sort does.
    fn sorts<K: Key>(what: &str, keys: &[K]) -> bool {
        [false, true].map(|descending| {
            let mut numbers = vec![u32::MAX; keys.len()];
            let done = sort(How { descending, in_parallel: true }, keys, &mut numbers);
            let mut expected: Vec<u32> = (0..keys.len() as u32).collect();
            let key = |number: u32| keys[number as usize].ordered();
            expected.sort_by(|&a, &b| if descending { key(b).cmp(&key(a)) } else { key(a).cmp(&key(b)) });
            assert!(!done || numbers == expected, "{what}, {} keys, descending: {descending}", keys.len());
            done
        }) == [true; 2]
    }

    #[test]
    fn numbers_of_any_long_keys_are_sorted() {
        let mut random = Random::new(84);
        for n in [1024, 1500, 20_000, 200_000] {
            let floats: Vec<f64> = random.elements(n);
            assert!(sorts("floats", &floats));
            let all: Vec<u64> = (0..n).map(|_| random.bits()).collect();
            assert!(sorts("all bits", &all));
            let small: Vec<i64> = (0..n).map(|_| random.below(1000) as i64 - 500).collect();
            assert!(sorts("small numbers", &small));
            assert!(sorts("equal keys", &vec![7_u64; n]));
            // Tags of these are the same, but for a few.
            let mut close = vec![9_u64 << 50; n];
            close[n / 2 + 1] -= 1;
            close[n / 3] += 1;
            assert!(sorts("nearly equal keys", &close));
            let paired: Vec<u64> =
                all.iter().enumerate().map(|(i, &key)| if i % 50 < 2 { key | 1 } else { all[i / 50] }).collect();
            assert!(sorts("keys with others close by", &paired));
            let apart: Vec<u64> = all.iter().map(|&key| key >> 63 << 63 | (key & 0xfff)).collect();
            assert!(!sorts("keys close to either end", &apart));
        }
    }

    #[test]
    fn short_keys_and_few_keys_are_left_to_others() {
        assert!(!sorts("short", &[1_u32; 5000]));
        assert!(!sorts("few", &[1_u64; 1000]));
    }
}
