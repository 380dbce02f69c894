//! Cells: what is known of one granule of memory, a word or a byte.
//!
//! A cell is three stamps: the last write and two reads. If order comes only from full barriers, two reads are enough
//! to find every race with a later write, provided the right two are kept: of different blocks if there are any, else
//! of different warps, else the last two threads of the warp. A later write is ordered after both only if a barrier
//! came after every read that was dropped.
//!
//! The loops here handle runs of lanes at neighbouring granules. They are written without branches, so that they become
//! vector code, and stop if a cell needs attention; then the cells are processed one by one, which does no harm to
//! those already handled.

use super::stamp::{EXPANDED, Horizon, NEXT_LANE};
use crate::lanes::Level;

/// The cells of a run of granules.
pub(super) struct Run<'c> {
    pub(super) writes: &'c mut [u64],
    pub(super) reads: &'c mut [u64],
    pub(super) others: &'c mut [u64],
}

/// How lanes map to granules: the stamp of the first lane, and how many granules each has, as a power of two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes {
    pub(super) first: u64,
    pub(super) shift: u32,
}

impl Lanes {
    /// The stamp of the lane at a granule of the run.
    #[inline(always)]
    pub(super) fn stamp(self, granule: usize) -> u64 {
        self.first + (granule as u64 >> self.shift) * NEXT_LANE
    }
}

/// The two reads to keep when `mine` reads too.
#[inline(always)]
pub(super) fn keep(horizon: &Horizon, a: u64, b: u64, mine: u64) -> (u64, u64) {
    // Settled reads are over for this one: anything ordered after it is ordered after them.
    let (a_over, b_over) = (horizon.settled(a, mine), horizon.settled(b, mine));
    let far = horizon.other_block(a, b) | horizon.other_warp(a, b) & !horizon.other_block(a, mine);
    let stay = !a_over & !b_over & far;
    let rest = if a_over & b_over { 0 } else { b };
    let second = if a_over | stay { rest } else { a };
    (if stay { a } else { mine }, second)
}

/// Cells that are examined together: what two vectors hold.
const CHUNK: usize = 16;

/// Calls a function with the granules of a run, sixteen at a time, then four, then one, until it returns false. A
/// constant number of cells becomes straight vector code.
macro_rules! by_chunks {
    ($run:ident, $lanes:ident, |$chunk:ident, $from:ident| $each:expr, $few:expr, $one:expr) => {{
        let Run { writes, reads, others } = $run;
        let n = writes.len();
        let mut $from = 0;
        while $from + CHUNK <= n {
            let $chunk = cut::<CHUNK>(writes, reads, others, $from);
            if !$each {
                return false;
            }
            $from += CHUNK;
        }
        while $from + 4 <= n {
            let $chunk = cut::<4>(writes, reads, others, $from);
            if !$few {
                return false;
            }
            $from += 4;
        }
        while $from < n {
            let $chunk = cut::<1>(writes, reads, others, $from);
            if !$one {
                return false;
            }
            $from += 1;
        }
        true
    }};
}

/// Some cells of a run.
type Cut<'c, const N: usize> = Option<(&'c mut [u64; N], &'c mut [u64; N], &'c mut [u64; N])>;

#[inline(always)]
fn cut<'c, const N: usize>(
    writes: &'c mut [u64],
    reads: &'c mut [u64],
    others: &'c mut [u64],
    from: usize,
) -> Cut<'c, N> {
    Some((
        writes.get_mut(from..)?.first_chunk_mut()?,
        reads.get_mut(from..)?.first_chunk_mut()?,
        others.get_mut(from..)?.first_chunk_mut()?,
    ))
}

#[inline(always)]
fn read_chunk<const N: usize, const LISTS: bool>(
    cells: Cut<'_, N>,
    lanes: Lanes,
    from: usize,
    horizon: &Horizon,
) -> bool {
    let Some((writes, reads, others)) = cells else { return false };
    let (mut first, mut second) = ([0; N], [0; N]);
    let (mut bad, mut moved, mut moved_second) = (0u64, 0u64, 0u64);
    for i in 0..N {
        let mine = lanes.stamp(from + i);
        let (w, a, b) = (writes[i], reads[i], others[i]);
        if LISTS {
            bad |= u64::from(!horizon.settled(a, mine) & !horizon.settled(b, mine));
        }
        bad |= u64::from(!horizon.settled(w, mine)) | w & EXPANDED;
        (first[i], second[i]) = keep(horizon, a, b, mine);
        moved |= first[i] ^ a;
        moved_second |= second[i] ^ b;
    }
    if bad != 0 {
        return false;
    }
    // Unchanged values are not stored: cells of memory that is read once never have a second read.
    if moved != 0 {
        *reads = first;
    }
    if moved_second != 0 {
        *others = second;
    }
    true
}

#[inline(always)]
fn write_chunk<const N: usize>(cells: Cut<'_, N>, lanes: Lanes, from: usize, horizon: &Horizon) -> bool {
    let Some((writes, reads, others)) = cells else { return false };
    let (mut bad, mut read) = (0u64, 0u64);
    let mut stamps = [0; N];
    for i in 0..N {
        let mine = lanes.stamp(from + i);
        let (w, a, b) = (writes[i], reads[i], others[i]);
        let fine = horizon.settled(w, mine) & horizon.settled(a, mine) & horizon.settled(b, mine);
        bad |= u64::from(!fine) | w & EXPANDED;
        read |= a | b;
        stamps[i] = mine;
    }
    if bad != 0 {
        return false;
    }
    *writes = stamps;
    if read != 0 {
        *reads = [0; N];
        *others = [0; N];
    }
    true
}

#[inline(always)]
fn read_cells<const LISTS: bool>(run: &mut Run<'_>, lanes: Lanes, horizon: &Horizon) -> bool {
    by_chunks!(
        run,
        lanes,
        |chunk, from| read_chunk::<CHUNK, LISTS>(chunk, lanes, from, horizon),
        read_chunk::<4, LISTS>(chunk, lanes, from, horizon),
        read_chunk::<1, LISTS>(chunk, lanes, from, horizon)
    )
}

#[inline(always)]
fn read_body(run: &mut Run<'_>, lanes: Lanes, horizon: &Horizon, lists: bool) -> bool {
    if lists { read_cells::<true>(run, lanes, horizon) } else { read_cells::<false>(run, lanes, horizon) }
}

#[inline(always)]
fn write_body(run: &mut Run<'_>, lanes: Lanes, horizon: &Horizon) -> bool {
    by_chunks!(
        run,
        lanes,
        |chunk, from| write_chunk::<CHUNK>(chunk, lanes, from, horizon),
        write_chunk::<4>(chunk, lanes, from, horizon),
        write_chunk::<1>(chunk, lanes, from, horizon)
    )
}

/// A function compiled for every SIMD level of the host.
macro_rules! leveled {
    ($(#[$doc:meta])* $name:ident, $body:ident, ($($arg:ident: $ty:ty),*)) => {
        $(#[$doc])*
        pub(super) fn $name(level: Level, $($arg: $ty),*) -> bool {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
            fn avx2($($arg: $ty),*) -> bool {
                $body($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
            fn avx512($($arg: $ty),*) -> bool {
                $body($($arg),*)
            }
            match level {
                Level::Base => $body($($arg),*),
                // SAFETY: a level is what the host was found to have.
                #[cfg(target_arch = "x86_64")]
                Level::Avx2 => unsafe { avx2($($arg),*) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Level::Avx512 => unsafe { avx512($($arg),*) },
            }
        }
    };
}

leveled! {
    /// Reads of a run; false if a cell needs a closer look: an unsettled write, an expanded record, or, with `lists`, a
    /// third open read.
    read_run, read_body, (run: &mut Run<'_>, lanes: Lanes, horizon: &Horizon, lists: bool)
}
leveled! {
    /// Writes of a run; false if a cell needs a closer look.
    write_run, write_body, (run: &mut Run<'_>, lanes: Lanes, horizon: &Horizon)
}

#[cfg(test)]
mod tests {
    use super::super::stamp::{Layout, thread};
    use super::*;

    fn at(layout: Layout, block: u64, time: u64, t: u32) -> u64 {
        layout.block(block) | layout.time(time) | thread(t)
    }

    #[test]
    fn the_reads_kept_are_far_apart() {
        let layout = Layout::new(16);
        let horizon = Horizon::new(layout, 10, 20);
        let at = |block, time, t| at(layout, block, time, t);
        let mine = at(3, 30, 5);
        assert_eq!(keep(&horizon, 0, 0, mine), (mine, 0));
        assert_eq!(keep(&horizon, at(3, 9, 77), at(3, 8, 78), mine), (mine, 0), "settled ones go");
        let lane = at(3, 29, 6);
        assert_eq!(keep(&horizon, lane, 0, mine), (mine, lane), "the last first");
        let earlier = at(3, 28, 7);
        assert_eq!(keep(&horizon, lane, earlier, mine), (mine, lane), "the last two of a warp");
        let warp = at(3, 29, 40);
        assert_eq!(keep(&horizon, lane, warp, mine), (lane, warp), "two warps stay");
        let other_lane = at(3, 29, 41);
        assert_eq!(keep(&horizon, warp, other_lane, mine), (mine, warp), "another warp instead of another lane");
        let block = at(2, 1, 5);
        assert_eq!(keep(&horizon, block, warp, mine), (block, warp), "two blocks stay");
        let same_block = at(2, 1, 900);
        assert_eq!(keep(&horizon, block, same_block, mine), (mine, block), "another block instead of another warp");
    }

    #[test]
    fn every_level_agrees() {
        let layout = Layout::new(4);
        let horizon = Horizon::new(layout, 3, 5);
        let stamps: Vec<u64> = (0..4096u64)
            .map(|i| match i % 7 {
                0 => 0,
                k => at(layout, i / 3 % 2, k, (i * 37 % 96) as u32),
            })
            .collect();
        let levels: Vec<Level> = match Level::detect() {
            Level::Base => vec![Level::Base],
            best => vec![Level::Base, best],
        };
        for (n, chunk) in stamps.chunks_exact(96).enumerate() {
            let lanes = Lanes { first: at(layout, 1, 6, 32), shift: (n % 3) as u32 };
            let results: Vec<_> = levels
                .iter()
                .map(|&level| {
                    let (mut w, mut r, mut o) = (chunk[..32].to_vec(), chunk[32..64].to_vec(), chunk[64..].to_vec());
                    if n % 2 == 0 {
                        w.fill(0);
                    }
                    let mut run = Run { writes: &mut w, reads: &mut r, others: &mut o };
                    let read = read_run(level, &mut run, lanes, &horizon, n % 5 == 0);
                    let wrote = write_run(level, &mut run, lanes, &horizon);
                    (read, wrote, w, r, o)
                })
                .collect();
            assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
        }
    }
}
