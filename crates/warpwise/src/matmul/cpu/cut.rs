//! How a product is divided. Only [`DEPTH`] affects the result.

use std::ops::Range;

/// Terms that are summed at a time. It fixes the order of the sums, so it is a constant.
pub(super) const DEPTH: usize = 512;

/// How much is packed at a time.
pub(in crate::matmul) struct Sizes {
    /// Bytes of A that a part uses at a time if A is packed for all tasks: they stay in the second-level cache.
    pub(in crate::matmul) block: usize,
    /// Bytes of the factor packed for all tasks at a time: there are up to two such panels. Together they stay below
    /// the size that the C library returns to the system at once, only to ask for it again for the next product.
    pub(in crate::matmul) panel: usize,
    /// Bytes of A that a part uses at a time if each packs its own: they stay in the second-level cache.
    pub(in crate::matmul) rows: usize,
}

/// For the caches of a core.
pub(super) const SIZES: Sizes = Sizes { block: 1 << 20, panel: 8 << 20, rows: 1 << 20 };

/// The most blocks for which A is packed for all tasks: the columns of B are packed for each of them.
const BLOCKS: usize = 2;

/// The most strips of B for which rows of A are not packed, since each would be used only that often.
const NARROW: usize = 8;

/// The fewest rows of a part if B is packed for all tasks, unless there are no more: each reads all of the panel.
const ROWS: usize = 96;

/// How many times wider than high C must be for A to be packed for all tasks.
const WIDE: usize = 2;

/// The fewest and the most strips of a part if A is packed for all tasks.
const STRIPS: (usize, usize) = (2, 16);

/// Which of the factors are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// C has few rows: A for all tasks, and columns of B by each task for itself, while others are used.
    Wide,
    /// C has many rows: B for all tasks, and rows of A by each task for itself.
    Tall,
    /// C has few columns: B for all tasks. Rows of A are used in place.
    Narrow,
}

/// The factor packed for all tasks, divided into panels, and the parts of C that are computed with each.
pub(super) struct Cut {
    pub(super) way: Way,
    /// Columns of B, or rows of A, that a strip of a panel has.
    pub(super) step: usize,
    pub(super) panels: Vec<Panel>,
}

/// What is packed for all tasks at a time.
pub(super) struct Panel {
    /// Columns of B, or rows of A.
    pub(super) across: Range<usize>,
    /// The terms: whole slabs, except for the last one.
    pub(super) depth: Range<usize>,
    pub(super) parts: Vec<Part>,
}

/// A part of C.
pub(super) struct Part {
    pub(super) rows: Range<usize>,
    pub(super) columns: Range<usize>,
}

impl Cut {
    /// For `m` x `n` sums of `k` terms of that many bytes, in tiles of a height and a width. Strips begin at column
    /// `lead`.
    pub(super) fn new(
        [m, n, k]: [usize; 3],
        bytes: usize,
        (height, width): (usize, usize),
        lead: usize,
        members: usize,
        sizes: &Sizes,
    ) -> Self {
        let slab = k.min(DEPTH) * bytes;
        let way = match () {
            () if n <= NARROW * width => Way::Narrow,
            () if m <= n / WIDE && m <= BLOCKS * sizes.block / slab => Way::Wide,
            () => Way::Tall,
        };
        let (extent, step) = if way == Way::Wide { (m, height) } else { (n, width) };
        // As wide as possible; then deeper than a slab if there is room.
        let wide = even(extent, sizes.panel / slab, step);
        let long = (sizes.panel / (wide * slab)).max(1) * DEPTH;
        let mut panels = Vec::new();
        for across in pieces(0..extent, wide) {
            for depth in pieces(0..k, long) {
                let mut parts = Vec::new();
                if way == Way::Wide {
                    for rows in pieces(across.clone(), even(across.len(), sizes.block / slab, height)) {
                        // Only the last ones may be short: others follow those before.
                        let members = if rows.end == across.end { members } else { 1 };
                        let columns = shares(lead..n, width, (STRIPS.0 * width, STRIPS.1 * width), members);
                        let columns = (lead > 0).then_some(0..lead).into_iter().chain(columns);
                        parts.extend(columns.map(|columns| Part { rows: rows.clone(), columns }));
                    }
                } else {
                    let rows = shares(0..m, height, (ROWS, sizes.rows / slab), members).into_iter();
                    parts.extend(rows.map(|rows| Part { rows, columns: across.clone() }));
                }
                panels.push(Panel { across: across.clone(), depth, parts });
            }
        }
        Self { way, step, panels }
    }

    /// Elements of the largest panel.
    pub(super) fn panel_room(&self) -> usize {
        self.panels.iter().map(|panel| panel.extent(self.step) * panel.depth.len()).max().unwrap_or(0)
    }

    /// The most elements that a task packs for itself, for tiles of a height and a width.
    pub(super) fn own_room(&self, (height, width): (usize, usize)) -> usize {
        let parts = self.panels.iter().flat_map(|panel| &panel.parts);
        let across = match self.way {
            Way::Wide => 2 * width,
            Way::Tall => parts.map(|part| part.rows.len().next_multiple_of(height)).max().unwrap_or(0),
            Way::Narrow => height,
        };
        across * self.panels.iter().map(|panel| panel.depth.len().min(DEPTH)).max().unwrap_or(0)
    }
}

impl Panel {
    /// Where slabs begin and end.
    pub(super) fn slabs(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        pieces(self.depth.clone(), DEPTH)
    }

    /// Columns or rows, padded to whole strips of that many.
    pub(super) fn extent(&self, step: usize) -> usize {
        self.across.len().next_multiple_of(step)
    }

    /// The number of strips of that many columns or rows, in all slabs.
    pub(super) fn strips(&self, step: usize) -> usize {
        self.across.len().div_ceil(step) * self.depth.len().div_ceil(DEPTH)
    }
}

/// The length of equal pieces: a multiple of `step`, and no longer than `most` if that is at least a step.
fn even(length: usize, most: usize, step: usize) -> usize {
    let most = (most / step).max(1) * step;
    length.div_ceil(length.div_ceil(most)).next_multiple_of(step)
}

/// Divides a range into pieces of a length; the last one may be shorter.
pub(super) fn pieces(all: Range<usize>, length: usize) -> impl Iterator<Item = Range<usize>> + use<> {
    let end = all.end;
    all.step_by(length).map(move |start| start..end.min(start + length))
}

/// Divides a range into parts whose lengths are multiples of a step, except for the last one. There are as many of each
/// length as there are members, so that equally fast members finish at the same time. Parts get shorter towards the
/// end, so that no member is left with much to do if they are not.
pub(super) fn shares(
    all: Range<usize>,
    step: usize,
    (smallest, largest): (usize, usize),
    members: usize,
) -> Vec<Range<usize>> {
    let (smallest, largest) = (smallest.div_ceil(step), (largest / step).max(1));
    let mut shares = Vec::new();
    let mut start = all.start;
    while start < all.end {
        let left = (all.end - start).div_ceil(step);
        let wanted =
            if left <= 2 * members * smallest { left.div_ceil(members) } else { (left / (2 * members)).max(smallest) };
        let length = wanted.min(largest);
        for _ in 0..members {
            let end = all.end.min(start + length * step);
            if end > start {
                shares.push(start..end);
            }
            start = end;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every term of every sum is in one panel, and every element that a panel adds to is in one of its parts.
    #[test]
    fn parts_cover_everything_once() {
        let sizes = Sizes { block: 20_000, panel: 50_000, rows: 10_000 };
        let mut ways = Vec::new();
        for (m, n, k, lead) in [(1, 40, 3, 0), (13, 90, 1030, 5), (150, 77, 600, 0), (90, 20, 2000, 0), (40, 200, 9, 3)]
        {
            for members in 1..4 {
                let cut = Cut::new([m, n, k], 4, (4, 8), lead, members, &sizes);
                let mut terms = vec![0; m * n];
                for panel in &cut.panels {
                    for Part { rows, columns } in &panel.parts {
                        let across = if cut.way == Way::Wide { rows } else { columns };
                        assert!(panel.across.start <= across.start && across.end <= panel.across.end);
                        assert!((across.start - panel.across.start).is_multiple_of(cut.step));
                        for place in rows.clone().flat_map(|i| columns.clone().map(move |j| i * n + j)) {
                            terms[place] += panel.slabs().map(|slab| slab.len()).sum::<usize>();
                        }
                    }
                    assert!(panel.extent(cut.step) * panel.depth.len() <= cut.panel_room());
                }
                assert!(terms.iter().all(|&terms| terms == k), "{m} x {n} x {k} among {members}");
                ways.push(cut.way);
            }
        }
        assert!([Way::Wide, Way::Tall, Way::Narrow].iter().all(|way| ways.contains(way)));
    }
}
