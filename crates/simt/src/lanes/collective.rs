//! Warp-wide operations: `shfl`, `vote`, `match`, `redux`, `activemask`, `elect`, `bar.warp.sync`.
//!
//! `aux` is the slot of the member mask, or 0 for the forms without one, which work on the active lanes.

use super::pure::conjure;
use super::simd::{Body, portable};
use super::{FULL, Flow, Handler, Lane, Op, lanes_of};
use crate::warp::Warp;
use std::marker::PhantomData;

/// The lanes that a mask operand names: of one lane, and of all lanes of a mask together.
///
/// # Safety
/// As for [`Handler`].
unsafe fn members(warp: &Warp<'_>, op: &Op, lane: usize) -> u32 {
    if op.aux == 0 {
        return warp.mask;
    }
    // SAFETY: the decoder made sure that it is a 32-bit slot.
    unsafe { *warp.slot::<u32>(op.aux).add(lane) }
}

/// The lanes to execute for, or `None` when the lanes wait for others.
///
/// # Safety
/// As for [`Handler`].
unsafe fn gather(warp: &mut Warp<'_>, op: &Op, mask: u32, anywhere: bool) -> Option<u32> {
    if op.aux == 0 {
        return Some(mask);
    }
    // SAFETY: passed on to the caller.
    let need = unsafe { union(warp, op, mask) };
    warp.gather(mask, need, anywhere)
}

/// The lanes that the member masks of the lanes of `mask` name.
///
/// # Safety
/// As for [`Handler`].
pub(crate) unsafe fn union(warp: &Warp<'_>, op: &Op, mask: u32) -> u32 {
    // SAFETY: passed on to the caller.
    lanes_of(mask).fold(0, |union, lane| union | unsafe { members(warp, op, lane) })
}

/// The member mask of each lane.
///
/// # Safety
/// As for [`Handler`].
pub(crate) unsafe fn masks(warp: &Warp<'_>, op: &Op) -> [u32; 32] {
    // SAFETY: passed on to the caller.
    std::array::from_fn(|lane| unsafe { members(warp, op, lane) })
}

/// The lane that each lane of a `shfl` takes its value from.
///
/// # Safety
/// As for [`Handler`].
pub(crate) unsafe fn sources(warp: &Warp<'_>, op: &Op) -> [u32; 32] {
    // SAFETY: the decoder chose 32-bit slots.
    let (b, c) = unsafe { (*warp.slot::<[u32; 32]>(op.b), *warp.slot::<[u32; 32]>(op.c)) };
    std::array::from_fn(|lane| shuffle_source(mode(op), lane as u32, b[lane] & 31, c[lane]).0)
}

/// Whether a `shfl` takes from lanes that its operand numbers, not from neighbours.
pub(crate) fn is_indexed(op: &Op) -> bool {
    mode(op) == Shuffle::Index
}

fn mode(op: &Op) -> Shuffle {
    match op.imm & 3 {
        0 => Shuffle::Up,
        1 => Shuffle::Down,
        2 => Shuffle::Butterfly,
        _ => Shuffle::Index,
    }
}

/// `bar.warp.sync`.
///
/// # Safety
/// As for [`Handler`].
pub(crate) unsafe fn sync_warp(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: passed on to the caller.
    match unsafe { gather(warp, op, mask, true) } {
        Some(_) => Flow::Next,
        None => Flow::Leave,
    }
}

/// How `shfl` finds its source lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

/// `shfl`: `imm` holds the mode in its low byte and the predicate's slot above it.
///
/// # Safety
/// As for [`Handler`].
pub(crate) unsafe fn shuffle(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: the decoder chose 32-bit slots and a predicate.
    unsafe {
        let Some(lanes) = gather(warp, op, mask, false) else { return Flow::Leave };
        let values = *warp.slot::<[u32; 32]>(op.a);
        let mode = mode(op);
        let mut in_range = 0;
        for lane in lanes_of(lanes) {
            let b = *warp.slot::<u32>(op.b).add(lane) & 31;
            let c = *warp.slot::<u32>(op.c).add(lane);
            let (source, ok) = shuffle_source(mode, lane as u32, b, c);
            *warp.slot::<u32>(op.d).add(lane) = values[source as usize];
            in_range |= u32::from(ok) << lane;
        }
        if op.imm >> 8 != 0 {
            warp.put_pred((op.imm >> 8) as u32, lanes, in_range);
        }
    }
    Flow::Next
}

/// The lane that `shfl` reads from, and whether it is inside the segment.
pub(crate) fn shuffle_source(mode: Shuffle, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (clamp, segment) = (c & 31, c >> 8 & 31);
    let last = lane & segment | clamp & !segment & 31;
    let first = lane & segment;
    let (j, ok) = match mode {
        Shuffle::Up => {
            let j = i64::from(lane) - i64::from(b);
            (j.max(0) as u32, j >= i64::from(last))
        }
        Shuffle::Down => (lane + b, lane + b <= last),
        Shuffle::Butterfly => (lane ^ b, lane ^ b <= last),
        Shuffle::Index => {
            let j = first | b & !segment & 31;
            (j, j <= last)
        }
    };
    if ok { (j, true) } else { (lane, false) }
}

/// `vote`: `a` is the predicate (negated when `c` is 1); `imm` is 0 for `all`, 1 for `any`, 2 for `uni` and 3 for
/// `ballot`, whose `d` is 32-bit; the others' is a predicate.
///
/// # Safety
/// As for [`Handler`].
pub(crate) unsafe fn vote(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: the decoder chose the slots so.
    unsafe {
        let Some(lanes) = gather(warp, op, mask, false) else { return Flow::Leave };
        let bits = (warp.pred(op.a) ^ if op.c == 1 { FULL } else { 0 }) & lanes;
        for lane in lanes_of(lanes) {
            let group = members(warp, op, lane) & lanes;
            let holding = bits & group;
            let result = match op.imm {
                0 => holding == group,
                1 => holding != 0,
                2 => holding == group || holding == 0,
                _ => {
                    *warp.slot::<u32>(op.d).add(lane) = holding;
                    continue;
                }
            };
            warp.put_pred(op.d, 1 << lane, if result { FULL } else { 0 });
        }
    }
    Flow::Next
}

/// `match`: lanes with the same value (`any`), or whether all have it (`all`: `imm` is the predicate's slot plus 1).
struct Match<T>(PhantomData<T>);
impl<T: Lane + PartialEq> Body for Match<T> {
    unsafe fn run<const WIDE: bool>(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
        // SAFETY: the decoder chose the slots so.
        unsafe {
            let Some(lanes) = gather(warp, op, mask, false) else { return Flow::Leave };
            let values = *warp.slot::<[T; 32]>(op.a);
            for lane in lanes_of(lanes) {
                let group = members(warp, op, lane) & lanes;
                let same = lanes_of(group).filter(|&j| values[j] == values[lane]).fold(0, |m, j| m | 1u32 << j);
                let result = if op.imm == 0 {
                    same
                } else {
                    let all = same == group;
                    if op.imm > 1 {
                        warp.put_pred((op.imm - 1) as u32, 1 << lane, if all { FULL } else { 0 });
                    }
                    if all { group } else { 0 }
                };
                *warp.slot::<u32>(op.d).add(lane) = result;
            }
        }
        Flow::Next
    }
}

/// The handler of `match` on values of type `T`.
pub(crate) fn matching<T: Lane + PartialEq>() -> Handler {
    portable::<Match<T>>()
}

/// `redux`: `f` folds the lanes' values.
struct Redux<T, F>(PhantomData<(T, F)>);
impl<T: Lane, F: Fn(T, T) -> T + Copy + 'static> Body for Redux<T, F> {
    unsafe fn run<const WIDE: bool>(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
        // SAFETY: the decoder chose the slots so.
        unsafe {
            let Some(lanes) = gather(warp, op, mask, false) else { return Flow::Leave };
            let values = *warp.slot::<[T; 32]>(op.a);
            for lane in lanes_of(lanes) {
                let group = members(warp, op, lane) & lanes;
                if let Some(result) = lanes_of(group).map(|j| values[j]).reduce(conjure::<F>()) {
                    *warp.slot::<T>(op.d).add(lane) = result;
                }
            }
        }
        Flow::Next
    }
}

/// The handler of `redux` with that operation.
pub(crate) fn redux<T: Lane, F: Fn(T, T) -> T + Copy + 'static>(_: F) -> Handler {
    portable::<Redux<T, F>>()
}

/// `activemask`.
///
/// # Safety
/// As for [`Handler`].
pub(crate) unsafe fn active_mask(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    for lane in lanes_of(mask) {
        // SAFETY: the decoder chose a 32-bit slot.
        unsafe { *warp.slot::<u32>(op.d).add(lane) = mask };
    }
    Flow::Next
}

/// `elect.sync d|p, membermask`: the lowest lane is elected; `imm` is the predicate's slot.
///
/// # Safety
/// As for [`Handler`].
pub(crate) unsafe fn elect(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: the decoder chose the slots so.
    unsafe {
        let Some(lanes) = gather(warp, op, mask, false) else { return Flow::Leave };
        for lane in lanes_of(lanes) {
            let leader = (members(warp, op, lane) & lanes).trailing_zeros();
            *warp.slot::<u32>(op.d).add(lane) = leader;
            warp.put_pred(op.imm as u32, 1 << lane, if leader == lane as u32 { FULL } else { 0 });
        }
    }
    Flow::Next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffles_stay_in_their_segment() {
        // __shfl_down(v, 1, width 8): c = (32 - 8) << 8 | 31.
        let c = (32 - 8) << 8 | 31;
        assert_eq!(shuffle_source(Shuffle::Down, 6, 1, c), (7, true));
        assert_eq!(shuffle_source(Shuffle::Down, 7, 1, c), (7, false));
        // __shfl_up(v, 1, width 8): c = (32 - 8) << 8.
        let c = (32 - 8) << 8;
        assert_eq!(shuffle_source(Shuffle::Up, 8, 1, c), (8, false));
        assert_eq!(shuffle_source(Shuffle::Up, 9, 1, c), (8, true));
        assert_eq!(shuffle_source(Shuffle::Up, 0, 5, 0), (0, false));
        assert_eq!(shuffle_source(Shuffle::Index, 13, 2, (32 - 8) << 8 | 31), (10, true));
        assert_eq!(shuffle_source(Shuffle::Butterfly, 5, 16, 31), (21, true));
    }
}
