//! How rows are laid out on a GPU: whole, or cut into windows that overlap.

use super::Radiator;
use crate::{Error, Float};

/// The most warps of a block: its threads have 64 registers each.
const WARPS: u32 = 32;
/// Warps of a block that leave room for a second block on a multiprocessor.
const HALF: u32 = WARPS / 2;
/// Warps of a block that does not, but that uses the multiprocessor as well as two blocks do.
const FULL: u32 = 28;
/// Lanes of a warp that own columns; the first and the last hold copies.
const OWNERS: u32 = 30;

/// The columns that a block holds, of a row or of several rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    /// Columns of a thread.
    pub(super) items: u32,
    /// Warps of a row.
    pub(super) warps: u32,
    /// Rows of a block.
    pub(super) rows: u32,
    /// Columns with the halo on both sides.
    pub(super) length: u32,
    /// Columns of the halo on one side: none if a row is one window.
    pub(super) halo: u32,
    /// Windows of a row.
    pub(super) count: u32,
}

impl Window {
    /// The layout for a radiator with at least one cell and fewer than 2^32 columns, on a GPU with that many bytes of
    /// shared memory per block. The columns of a thread are as requested, or chosen so that the threads of a row have
    /// as little as possible to do in all.
    pub(super) fn new<T: Float>(
        variant: &'static str,
        radiator: &Radiator,
        shared: u32,
        wanted: Option<u32>,
    ) -> Result<Self, Error> {
        let (offered, needs) = offered::<T>();
        let columns = radiator.columns() as u32;
        let possible = |items: u32| offered.iter().any(|offer| offer.0 == items) && items <= columns.max(4);
        if let Some(items) = wanted.filter(|&items| !possible(items)) {
            return Err(Error::Choice { variant, what: "items", value: items as usize, needs });
        }
        let most_warps = |items: u32| WARPS.min(shared / (32 * bytes::<T>(items))).max(1);
        let largest = wanted.unwrap_or(offered[offered.len() - 1].0);
        let (most, full) = (OWNERS * largest * HALF.min(most_warps(largest)), OWNERS * largest * FULL);
        let (length, halo, count) =
            if columns <= most || (full..=OWNERS * largest * most_warps(largest)).contains(&columns) {
                (columns, 0, 1)
            } else {
                // Few columns are computed twice, and a launch takes many steps.
                let halo = (most / 60).min(256).next_multiple_of(2);
                let count = columns.div_ceil(most - 2 * halo);
                (columns.div_ceil(count) + 2 * halo, halo, count)
            };
        let warps = |items: u32| length.div_ceil(OWNERS * items);
        let fits = offered.iter().filter(|offer| possible(offer.0) && warps(offer.0) <= most_warps(offer.0));
        let best = fits.min_by_key(|&&(items, time)| work(warps(items), time)).map(|offer| offer.0);
        let items = wanted.or(best).unwrap_or(offered[0].0);
        let rows = (4.min(most_warps(items)) / warps(items)).clamp(1, radiator.rows().min(4) as u32);
        Ok(Self { items, warps: warps(items), rows, length, halo, count })
    }

    /// Whether it is a whole row.
    pub(super) fn is_whole(self) -> bool {
        self.halo == 0
    }

    /// The most steps before new windows must be made.
    pub(super) fn steps(self) -> usize {
        if self.is_whole() { u32::MAX as usize } else { self.halo as usize / 2 }
    }

    /// Threads of a block.
    pub(super) fn block(self) -> u32 {
        32 * self.warps * self.rows
    }

    /// Bytes of shared memory of a block.
    pub(super) fn shared<T: Float>(self) -> u32 {
        self.block() * bytes::<T>(self.items)
    }
}

/// The columns that a thread can have, as far as registers allow, with the time of a row of one warp (100 steps on an
/// H200, in tenths of nanoseconds); and in words. The choices are close enough that one more column costs little.
fn offered<T: Float>() -> (&'static [(u32, u32)], &'static str) {
    match size_of::<T>() {
        4 => (
            &[
                (4, 64),
                (6, 74),
                (7, 91),
                (8, 94),
                (9, 107),
                (10, 115),
                (12, 130),
                (14, 152),
                (16, 165),
                (20, 195),
                (24, 228),
                (28, 264),
                (32, 318),
            ],
            "4, 6 to 10, 12, 14, 16, 20, 24, 28 or 32, not more than columns",
        ),
        _ => (
            &[(4, 92), (6, 109), (8, 134), (10, 163), (12, 187), (14, 216), (16, 259)],
            "4, 6, 8, 10, 12, 14 or 16, not more than columns",
        ),
    }
}

/// The time that a row of that many warps takes on a multiprocessor, given the time for one warp. Warps of a longer row
/// take a little less each, unless its blocks are so large that they do not fill the multiprocessor.
fn work(warps: u32, time: u32) -> u32 {
    let each = [100, 92, 87][warps.clamp(2, 4) as usize - 2];
    let held = if warps <= 8 { WARPS } else { WARPS / warps * warps };
    warps * time * each * (WARPS + held) / (2 * held)
}

/// Bytes of shared memory of a thread: its columns, plus 16 to avoid bank conflicts.
fn bytes<T: Float>(items: u32) -> u32 {
    items * size_of::<T>() as u32 + 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::radiator::Preset;

    fn window<T: Float>(rows: usize, columns: usize, items: Option<u32>) -> Window {
        limited::<T>(rows, columns, items, 227)
    }

    fn limited<T: Float>(rows: usize, columns: usize, items: Option<u32>, kilobytes: u32) -> Window {
        let radiator = Radiator::new(Preset::Year2019, rows, columns).unwrap();
        let window = Window::new::<T>("gpu-4-shuffled", &radiator, kilobytes * 1024, items).unwrap();
        assert!(window.shared::<T>() <= kilobytes * 1024, "{window:?}");
        window
    }

    #[test]
    fn every_column_has_an_owner_and_every_halo_lasts() {
        for columns in (1..2000).chain([3841, 15_359, 15_361, 30_720, 30_721, 1 << 20, u32::MAX as usize]) {
            for items in [None, Some(4), Some(16)].into_iter().filter(|items| columns >= 16 || *items != Some(16)) {
                for window in [227, 48].into_iter().flat_map(|kilobytes| {
                    [limited::<f32>(3, columns, items, kilobytes), limited::<f64>(3, columns, items, kilobytes)]
                }) {
                    let owned = window.length - 2 * window.halo;
                    assert!(
                        window.warps <= WARPS && window.length <= OWNERS * window.items * window.warps,
                        "{window:?}"
                    );
                    assert!(u64::from(owned) * u64::from(window.count) >= columns as u64, "{window:?}");
                    assert_eq!(window.count == 1, window.is_whole(), "{window:?}");
                    assert!(window.steps() > 0 && window.steps() * 2 >= window.halo as usize, "{window:?}");
                }
            }
        }
    }

    /// The estimated time of a row grows only a little from one length to the next.
    #[test]
    fn a_column_more_costs_little() {
        fn time<T: Float>(columns: usize) -> f64 {
            let Window { items, warps, .. } = window::<T>(1000, columns, None);
            let offer = offered::<T>().0.iter().find(|offer| offer.0 == items).unwrap();
            work(warps, offer.1).into()
        }
        for columns in 1..4000 {
            assert!(time::<f32>(columns + 1) < 1.28 * time::<f32>(columns), "{columns} columns of f32");
            assert!(time::<f64>(columns + 1) < 1.28 * time::<f64>(columns), "{columns} columns of f64");
        }
    }

    #[test]
    fn short_rows_share_a_block_and_long_ones_are_cut() {
        assert_eq!(window::<f32>(100, 20, None).rows, 4);
        assert_eq!(window::<f32>(2, 20, None).rows, 2);
        assert_eq!(
            window::<f32>(9, 15_360, None),
            Window { items: 32, warps: 16, rows: 1, length: 15_360, halo: 0, count: 1 }
        );
        assert_eq!(window::<f32>(9, 15_361, None).count, 2);
        assert_eq!(window::<f32>(9, 30_720, None).count, 1);
        assert_eq!(window::<f32>(9, 30_721, None).count, 3);
    }
}
