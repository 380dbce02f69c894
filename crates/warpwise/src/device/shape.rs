//! The geometry of a launch.

/// The geometry of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub(crate) shared: u32,
}

impl Shape {
    /// A one-dimensional launch.
    pub(crate) fn line(grid: u32, block: u32, shared: u32) -> Self {
        Self { grid: [grid, 1, 1], block: [block, 1, 1], shared }
    }

    /// A one-dimensional launch with enough blocks for all elements. If a grid cannot have that many, the device
    /// refuses it.
    pub(crate) fn cover(elements: u64, per_block: u64, block: u32, shared: u32) -> Self {
        let blocks = elements.div_ceil(per_block.max(1));
        Self::line(u32::try_from(blocks).unwrap_or(u32::MAX), block, shared)
    }

    /// A block of about that many threads for a plane of rows and columns: one warp wide if the plane is, and high
    /// enough that the plane does not need more blocks in y than a grid can have, as far as 1024 threads allow it.
    pub(crate) fn plane_block(columns: u64, rows: u64, threads: u32) -> [u32; 2] {
        const MOST_BLOCKS: u64 = 65535;
        let mut x = (columns.clamp(1, 32) as u32).next_power_of_two().min(threads.max(1));
        let mut y = (threads / x).max(1);
        while rows.div_ceil(u64::from(y)) > MOST_BLOCKS && x * y < 1024 {
            y *= 2;
        }
        while rows.div_ceil(u64::from(y)) > MOST_BLOCKS && x > 1 {
            (x, y) = (x / 2, y * 2);
        }
        [x, y]
    }

    /// A two-dimensional launch with a thread for each cell of a plane.
    pub(crate) fn plane(columns: u64, rows: u64, block: [u32; 2], shared: u32) -> Self {
        let blocks =
            |cells: u64, block: u32| u32::try_from(cells.div_ceil(u64::from(block.max(1)))).unwrap_or(u32::MAX);
        Self { grid: [blocks(columns, block[0]), blocks(rows, block[1]), 1], block: [block[0], block[1], 1], shared }
    }
}
