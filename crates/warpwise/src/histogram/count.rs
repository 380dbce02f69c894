//! Counting bins.
//!
//! Adding to a counter that was just added to has to wait until the first sum is stored and loaded again. When all
//! elements are in one bin, that wait dominates. So neighbours are counted in separate tables.

use super::classify::Rule;
use super::pairs::{self, RUN, is_one_value};
use crate::Element;
use crate::simd::Body;

/// Bytes of all tables of one task together: within the second-level cache.
const TABLES: usize = 1 << 20;

/// Elements classified before they are counted: the buffer stays in the first-level cache.
const STRIP: usize = 1024;

/// Counts elements, of which there are fewer than 2^32.
pub(super) struct Count<'a, T> {
    pub(super) rule: Rule,
    pub(super) bins: usize,
    pub(super) xs: &'a [T],
}

impl<T: Element> Body for Count<'_, T> {
    /// Counts of all bins, followed by the number of elements without one.
    type Output = Vec<u32>;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> Vec<u32> {
        let width = self.bins + 1;
        // Tables must be cleared, and summed at the end, so few elements get few tables.
        let room = (TABLES / (4 * width)).min(self.xs.len() / (2 * width));
        match room {
            8.. => self.in_tables::<8>(),
            4.. => self.in_tables::<4>(),
            2.. => self.in_tables::<2>(),
            _ => self.in_tables::<1>(),
        }
    }
}

impl<T: Element> Count<'_, T> {
    #[inline(always)]
    fn in_tables<const TABLES: usize>(self) -> Vec<u32> {
        let width = self.bins + 1;
        let mut counts = vec![0_u32; TABLES * width];
        {
            let mut rest = &mut counts[..];
            let tables: [&mut [u32]; TABLES] = std::array::from_fn(|_| {
                let (table, others) = std::mem::take(&mut rest).split_at_mut(width);
                rest = others;
                table
            });
            let mut bins = [0_u32; STRIP];
            for xs in self.xs.chunks(STRIP) {
                self.rule.classify(xs, &mut bins);
                let (rows, rest) = bins[..xs.len()].as_chunks::<TABLES>();
                for row in rows {
                    for i in 0..TABLES {
                        tables[i][row[i] as usize] += 1;
                    }
                }
                for &bin in rest {
                    tables[0][bin as usize] += 1;
                }
            }
        }
        let (total, others) = counts.split_at_mut(width);
        for table in others.chunks(width) {
            for (total, &count) in total.iter_mut().zip(table) {
                *total += count;
            }
        }
        counts.truncate(width);
        counts
    }
}

/// Counts bytes by value; all other binnings follow from that.
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl Body for Bytes<'_> {
    type Output = [u32; 256];

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> [u32; 256] {
        let mut counts = [0; 256];
        let rest = pairs::count(self.0, &mut counts);
        one_by_one(rest, &mut counts);
        counts
    }
}

/// Counts bytes one by one. No vector instruction helps with that, so there is one copy for all levels.
#[inline(never)]
fn one_by_one(xs: &[u8], counts: &mut [u32; 256]) {
    // A little longer than needed: a load mistakes a store exactly 4096 bytes away for one to its own address.
    let mut tables = [[0_u32; 256 + 16]; 8];
    let (runs, rest) = xs.as_chunks::<RUN>();
    for run in runs {
        if is_one_value(run) {
            tables[0][usize::from(run[0])] += RUN as u32;
            continue;
        }
        let (rows, _) = run.as_chunks::<8>();
        for row in rows {
            for i in 0..8 {
                tables[i][usize::from(row[i])] += 1;
            }
        }
    }
    for &x in rest {
        tables[0][usize::from(x)] += 1;
    }
    for (value, count) in counts.iter_mut().enumerate() {
        *count += tables.iter().map(|table| table[value]).sum::<u32>();
    }
}
