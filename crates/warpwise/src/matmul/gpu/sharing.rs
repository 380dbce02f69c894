//! How blocks share the last tiles of C: see `sharing.cuh`.

use crate::Error;
use crate::device::{Allocation, Argument, Session};
use crate::tuning;

/// Which tiles of C a block computes alone, and how many blocks share the steps along k of all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sharing {
    pub(super) whole: u64,
    pub(super) shares: u64,
    /// Tenths of a step from the first to the last.
    pub(super) cost: u64,
}

/// Memory in which shares of a tile are added up.
pub(super) struct Partials {
    sums: Allocation,
    arrivals: Argument,
}

impl Sharing {
    /// For tiles that that many blocks compute in turns. Those left after the last whole turn are shared if that is
    /// faster, by the best number of blocks.
    pub(super) fn new(tiles: u64, steps: u64, blocks: u64, costs: &tuning::Sharing) -> Self {
        let blocks = blocks.max(1);
        let (turns, rest) = (tiles / blocks, tiles % blocks);
        let alone = Self { whole: tiles, shares: 0, cost: 10 * steps * tiles.div_ceil(blocks) };
        if rest == 0 || rest * steps > u64::from(u32::MAX) / blocks {
            return alone;
        }
        // As measured: the steps of a share, and the cost of writing and reading partial sums, which is higher if a
        // share is part of two tiles.
        let cost = |shares: u64| {
            let (pieces, uneven) = (shares.div_ceil(rest), u64::from(!shares.is_multiple_of(rest)));
            let summing = costs.sums + costs.piece * (pieces + uneven) + costs.uneven * uneven;
            10 * (rest * steps).div_ceil(shares) + summing
        };
        let best = (rest + 1..=blocks.min(rest * steps)).min_by_key(|&shares| cost(shares));
        match best {
            Some(shares) if cost(shares) < 10 * steps => {
                Self { whole: tiles - rest, shares, cost: 10 * steps * turns + cost(shares) }
            }
            _ => alone,
        }
    }

    /// Memory for the sums of tiles with that many bytes.
    pub(super) fn partials(self, session: &Session, tiles: u64, tile_bytes: u64) -> Result<Partials, Error> {
        let sums = session.allocate(self.shares * 2 * tile_bytes)?;
        Ok(Partials { sums, arrivals: session.workspace("matmul-arrivals", (tiles - self.whole) * 4)? })
    }
}

impl Partials {
    /// What a kernel wants to know of all this.
    pub(super) fn arguments(&self, sharing: Sharing) -> [Argument; 4] {
        let [whole, shares] = [sharing.whole, sharing.shares].map(|x| Argument::U32(x as u32));
        [whole, shares, self.sums.argument(), self.arrivals]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::Tuning;

    /// Whole tiles and shares on 132 multiprocessors.
    fn of(tiles: u64, steps: u64) -> (u64, u64) {
        let sharing = Sharing::new(tiles, steps, 132, &Tuning::of((9, 0)).matmul.sharing.f32);
        (sharing.whole, sharing.shares)
    }

    #[test]
    fn what_fills_no_turn_is_shared_where_that_is_faster() {
        // Turns that are full, or nearly so.
        assert_eq!([of(264, 32), of(256, 32), of(121, 22)], [(264, 0), (256, 0), (121, 0)]);
        // Nothing to add up, and sums too short to be cut.
        assert_eq!([of(10, 0), of(10, 1), of(10, 2)], [(10, 0); 3]);
        // A multiple of the tiles, so that no block has parts of two, unless that leaves too many out.
        assert_eq!(of(289, 33), (264, 125));
        assert_eq!(of(64, 16), (0, 128));
        assert_eq!(of(81, 18).0, 0);
        assert!(of(81, 18).1 > 100);
        // More than a u32 can count.
        assert_eq!(of(133, 1 << 30), (133, 0));
    }

    #[test]
    fn a_shared_turn_costs_less_than_a_whole_one() {
        let costs = &Tuning::of((9, 0)).matmul.sharing.f64;
        let cost = |tiles| Sharing::new(tiles, 256, 132, costs).cost;
        assert_eq!([cost(132), cost(264), cost(263)], [2560, 5120, 5120]);
        assert!(cost(132 + 66) < 2 * 2560 - 1000 && cost(132 + 66) > 2560 + 1280);
    }
}
