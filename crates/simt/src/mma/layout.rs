//! Which element each lane holds in the fragments of `mma.sync`.
//!
//! Apart from `m8n8k4` on f16 all shapes follow one pattern. The lane splits into a group (`lane / 4`) and a place
//! in it (`lane % 4`). A register holds neighbours along k; the four lanes of a group hold neighbouring registers;
//! of several registers of A the even ones belong to rows 0 to 7 and the odd ones to rows 8 to 15, each pair
//! covering the next stretch of k.

use super::element::{Element, Layout};

/// A position in a matrix.
pub(crate) type Position = (usize, usize);

/// Register and place in it of an element. Registers hold a power of two of elements, which spares a division.
#[inline]
fn split(index: usize, per: usize) -> (usize, usize) {
    (index >> per.trailing_zeros(), index & (per - 1))
}

/// Element `index` of a lane's A fragment, as (row, k). `tall` tells matrices of 16 rows from those of 8.
#[inline]
pub(crate) fn a(element: Element, tall: bool, lane: usize, index: usize) -> Position {
    let per = element.per_register();
    let (register, within) = split(index, per);
    let (half, stretch) = if tall { (register % 2, register / 2) } else { (0, register) };
    (lane / 4 + 8 * half, lane % 4 * per + within + 4 * per * stretch)
}

/// Element `index` of a lane's B fragment, as (k, column).
#[inline]
pub(crate) fn b(element: Element, lane: usize, index: usize) -> Position {
    let per = element.per_register();
    let (register, within) = split(index, per);
    (lane % 4 * per + within + 4 * per * register, lane / 4)
}

/// Element `index` of a lane's accumulator fragment, as (row, column).
#[inline]
pub(crate) fn c(lane: usize, index: usize) -> Position {
    (lane / 4 + 8 * (index / 2), lane % 4 * 2 + index % 2)
}

/// `mma.m8n8k4` on f16: four products of 8×8×4, each by a quad pair, that is four lanes below 16 and the four lanes
/// 16 above them.
pub(crate) mod quad_pairs {
    use super::{Element, Layout, Position};

    /// The quad pair, that is the product, a lane takes part in.
    #[inline]
    pub(crate) fn of(lane: usize) -> usize {
        lane % 16 / 4
    }

    /// 4 for the upper quad of a pair.
    #[inline]
    fn upper(lane: usize) -> usize {
        lane / 16 * 4
    }

    /// Element `index` of a lane's A fragment, as (row, k).
    #[inline]
    pub(crate) fn a(layout: Layout, lane: usize, index: usize) -> Position {
        match layout {
            Layout::Row => (lane % 4 + upper(lane), index),
            Layout::Col => (index + upper(lane), lane % 4),
        }
    }

    /// Element `index` of a lane's B fragment, as (k, column).
    #[inline]
    pub(crate) fn b(layout: Layout, lane: usize, index: usize) -> Position {
        match layout {
            Layout::Row => (lane % 4, index + upper(lane)),
            Layout::Col => (index, lane % 4 + upper(lane)),
        }
    }

    /// Element `index` of a lane's accumulator fragment, as (row, column). f16 and f32 lie differently.
    #[inline]
    pub(crate) fn c(element: Element, lane: usize, index: usize) -> Position {
        match element {
            Element::F16 => (lane % 4 + upper(lane), index),
            _ => ((lane & 1) + (index & 2) + upper(lane), (index & 4) + (lane & 2) + (index & 1)),
        }
    }
}
