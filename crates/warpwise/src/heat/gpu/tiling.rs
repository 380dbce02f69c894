//! How a grid is cut into tiles that stay on chip, one for each block of the GPU.

use crate::device::Session;
use crate::tuning::Heat;
use crate::{Error, Float, Geometry};

/// The most warps of a block, for any kernel.
const WARPS: u32 = 16;
/// Cells of the halo on a side, and so the steps between two exchanges.
const DEPTHS: [u32; 4] = [4, 6, 8, 12];

/// A kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::heat) struct Kind {
    /// Columns of a lane.
    pub(in crate::heat) span: u32,
    /// Rows of a warp.
    pub(in crate::heat) lines: u32,
    /// The most warps of a block, by their registers.
    warps: u32,
}

impl Kind {
    const fn new(span: u32, lines: u32, warps: u32) -> Self {
        Self { span, lines, warps }
    }

    /// The kernels for a type.
    fn all<T: Float>() -> &'static [Self] {
        const F64: [Kind; 6] = [
            Kind::new(2, 2, 16),
            Kind::new(2, 4, 16),
            Kind::new(4, 4, 16),
            Kind::new(4, 6, 16),
            Kind::new(4, 8, 16),
            Kind::new(4, 12, 12),
        ];
        const F32: [Kind; 5] =
            [Kind::new(4, 2, 16), Kind::new(4, 4, 16), Kind::new(4, 8, 16), Kind::new(4, 12, 16), Kind::new(4, 24, 12)];
        if size_of::<T>() == 8 { &F64 } else { &F32 }
    }
}

/// What a GPU has room for.
#[derive(Clone, Copy, Debug)]
pub(in crate::heat) struct Room {
    /// Multiprocessors.
    pub(in crate::heat) multiprocessors: u32,
    /// Bytes of shared memory of a block.
    pub(in crate::heat) shared: u32,
    /// The most warps of a block.
    pub(in crate::heat) warps: u32,
    /// Rows of a warp, if the caller chose them.
    pub(in crate::heat) lines: Option<u32>,
    /// The cost of a step.
    pub(in crate::heat) tuning: &'static Heat,
}

impl Room {
    /// The room on a GPU, and the blocks that the caller wants.
    pub(in crate::heat) fn new<T: Float>(
        session: &Session,
        variant: &'static str,
        geometry: Geometry,
    ) -> Result<Self, Error> {
        let block = geometry.block.unwrap_or(32 * WARPS);
        if !block.is_multiple_of(32) || !(1..=WARPS).contains(&(block / 32)) {
            let needs = "a multiple of 32 up to 512";
            return Err(Error::Block { variant: variant.to_owned(), block, needs });
        }
        if let Some(lines) = geometry.items.filter(|&lines| Kind::all::<T>().iter().all(|kind| kind.lines != lines)) {
            let needs = if size_of::<T>() == 8 { "2, 4, 6, 8 or 12" } else { "2, 4, 8, 12 or 24" };
            return Err(Error::Choice { variant, what: "items", value: lines as usize, needs });
        }
        let multiprocessors = session.multiprocessors().max(1);
        let (shared, tuning) = (session.shared_limit(), &session.tuning().heat);
        Ok(Self { multiprocessors, shared, warps: block / 32, lines: geometry.items, tuning })
    }
}

/// The tiles of a grid. The last ones of a row or column may be smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::heat) struct Tiling {
    /// The kernel.
    pub(in crate::heat) kind: Kind,
    /// Warps of a block.
    pub(in crate::heat) warps: u32,
    /// Cells of the halo on a side.
    pub(in crate::heat) depth: u32,
    /// Columns of a tile.
    pub(in crate::heat) width: u32,
    /// Rows of a tile.
    pub(in crate::heat) height: u32,
    /// Tiles side by side.
    pub(in crate::heat) across: u32,
    /// Tiles below each other.
    pub(in crate::heat) down: u32,
}

impl Tiling {
    /// The tiles that take the least time for a step, if the GPU can hold them all at once.
    pub(in crate::heat) fn new<T: Float>(rows: usize, columns: usize, room: Room) -> Option<Self> {
        // More would not fit on any GPU, and this keeps the products below within 32 bits.
        let (rows, columns) = (u32::try_from(rows).ok()?, u32::try_from(columns).ok()?);
        if rows == 0 || columns == 0 || rows.max(columns) > 1 << 20 {
            return None;
        }
        let kinds = Kind::all::<T>().iter().filter(|kind| room.lines.is_none_or(|lines| lines == kind.lines));
        let pairs = kinds.flat_map(|kind| DEPTHS.map(|depth| (*kind, depth)));
        let tilings = pairs.filter(|(kind, depth)| depth.is_multiple_of(kind.span)).flat_map(|(kind, depth)| {
            let fewest = columns.div_ceil(32 * kind.span - 2 * depth);
            // This many tiles side by side are narrower than a warp, but another number may be better.
            (fewest..=2 * fewest + 2)
                .filter_map(move |across| Self::cut::<T>((rows, columns), room, kind, depth, across))
        });
        tilings.min_by_key(|tiling| tiling.time::<T>(room.tuning))
    }

    /// That many tiles side by side, and as many below each other as there is room for.
    fn cut<T: Float>((rows, columns): (u32, u32), room: Room, kind: Kind, depth: u32, across: u32) -> Option<Self> {
        // Tiles begin at sectors of memory.
        let width = columns.div_ceil(across).next_multiple_of(4);
        // A halo comes only from the adjacent tile, so no tile may be smaller than it, not even the last one.
        let enough = |tiles: u32, each: u32, all: u32| tiles == 1 || all - (tiles - 1) * each >= depth;
        let most = (room.multiprocessors / across).min(rows / depth).max(1);
        let heights = (1..=most).rev().map(|tiles| rows.div_ceil(tiles));
        let height = heights.into_iter().find(|&height| enough(rows.div_ceil(height), height, rows))?;
        let (across, down) = (columns.div_ceil(width), rows.div_ceil(height));
        let warps = (height + 2 * depth).div_ceil(kind.lines);
        let tiling = Self { kind, warps, depth, width, height, across, down };
        let fits = width + 2 * depth <= 32 * kind.span
            && warps <= room.warps.min(kind.warps)
            && across * down <= room.multiprocessors
            && tiling.shared::<T>() <= room.shared;
        (fits && enough(across, width, columns)).then_some(tiling)
    }

    /// Approximate nanoseconds of a step: the cells of a quarter's warps, one after the other; a barrier and its
    /// overhead; a share of an exchange, which takes longer if a thread has more to look through.
    pub(in crate::heat) fn time<T: Float>(self, tuning: &Heat) -> u32 {
        let cells = self.kind.lines * self.kind.span;
        let rows = self.warps.div_ceil(4) * cells;
        let step = tuning.of_size(size_of::<T>());
        rows * step.cell / 10 + step.barrier + (step.exchange + step.exchange_cell * cells) / self.depth
    }

    /// Bytes of shared memory of a block: conductivities, rows that warps exchange, differences.
    pub(in crate::heat) fn shared<T: Float>(self) -> u32 {
        let line = 32 * self.kind.span * size_of::<T>() as u32;
        self.warps * (line * (self.kind.lines + 4) + 8 * self.depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::Tuning;
    use std::sync::LazyLock;

    /// An H200.
    static ROOM: LazyLock<Room> = LazyLock::new(|| {
        let tuning = &Tuning::of((9, 0)).heat;
        Room { multiprocessors: 132, shared: 227 * 1024, warps: WARPS, lines: None, tuning }
    });

    fn check<T: Float>(rows: usize, columns: usize, room: Room) -> bool {
        let Some(tiling) = Tiling::new::<T>(rows, columns, room) else { return false };
        let Tiling { kind, warps, depth, width, height, across, down } = tiling;
        let what = format!("{rows} x {columns}: {tiling:?}");
        assert!(across * down <= room.multiprocessors && warps <= room.warps.min(kind.warps), "{what}");
        assert!(tiling.shared::<T>() <= room.shared, "{what}");
        assert!(width % kind.span == 0 && depth % kind.span == 0, "{what}");
        assert!(width + 2 * depth <= 32 * kind.span && height + 2 * depth <= kind.lines * warps, "{what}");
        for (tiles, each, all) in [(across, width, columns as u32), (down, height, rows as u32)] {
            assert!(tiles * each >= all && (tiles - 1) * each < all, "{what}");
            assert!(tiles == 1 || all - (tiles - 1) * each >= depth, "{what}");
        }
        true
    }

    #[test]
    fn tiles_cover_the_grid_and_fit() {
        let sides = (1..70).chain((70..1400).step_by(37)).chain([255, 256, 257, 1023, 1024, 1025, 1300]);
        for side in sides {
            for rows in [1, 2, 7, side, 2 * side] {
                let fits = [check::<f64>(rows, side, *ROOM), check::<f32>(rows, side, *ROOM)];
                assert!(rows * side > 1300 * 1300 || fits == [true; 2], "{rows} x {side}");
                check::<f32>(rows, side, Room { warps: 2, lines: Some(8), ..*ROOM });
                check::<f64>(rows, side, Room { multiprocessors: 10, shared: 48 * 1024, ..*ROOM });
            }
        }
        assert!(check::<f64>(1400, 1400, *ROOM) && check::<f32>(1900, 1900, *ROOM));
    }

    #[test]
    fn larger_tiles_have_more_rows_a_warp() {
        let kind = |side| Tiling::new::<f64>(side, side, *ROOM).map(|tiling| (tiling.kind.lines, tiling.depth));
        assert_eq!([256, 512, 1024, 1400].map(kind), [Some((2, 6)), Some((4, 8)), Some((6, 8)), Some((12, 4))]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(!check::<f64>(1600, 1600, *ROOM));
        assert!(!check::<f32>(2200, 2200, *ROOM));
        assert!(!check::<f64>(1, 1 << 21, *ROOM) && !check::<f64>(usize::MAX, 1, *ROOM) && !check::<f64>(0, 5, *ROOM));
    }
}
