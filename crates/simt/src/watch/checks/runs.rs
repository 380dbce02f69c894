//! Runs: the accesses of a warp's lanes, merged if neighbouring lanes touch neighbouring bytes or the same.

use crate::lanes::{FULL, Level};

/// Lanes whose accesses are contiguous, lane by lane, or all at the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// The first lane.
    pub(super) lane: u32,
    /// The lanes; without gaps, unless all touch the same bytes.
    pub(super) mask: u32,
    /// Where the first lane's access starts.
    pub(super) address: u64,
    /// Bytes of one lane's access.
    pub(super) bytes: u32,
    /// Whether they all touch the same bytes.
    pub(super) same: bool,
}

impl Run {
    /// One lane's access.
    pub(super) fn one(lane: u32, address: u64, bytes: u32) -> Self {
        Self { lane, mask: 1 << lane, address, bytes, same: false }
    }

    /// Bytes of the run as a whole.
    #[inline(always)]
    pub(super) fn len(&self) -> u64 {
        u64::from(self.bytes) * if self.same { 1 } else { u64::from(self.mask.count_ones()) }
    }

    /// Whether all of it lies inside a range.
    #[inline(always)]
    pub(super) fn is_inside(&self, (start, end): (u64, u64)) -> bool {
        self.address >= start && self.address <= end && self.len() <= end - self.address
    }

    /// Whether several lanes touch the same bytes.
    #[inline(always)]
    pub(super) fn is_shared(&self) -> bool {
        self.same && self.mask & self.mask.wrapping_sub(1) != 0
    }

    /// The lanes' accesses, by their start, in which `find` finds a byte; it is given a start and a length.
    #[inline(always)]
    pub(super) fn elements(&self, find: impl Fn(u64, u64) -> Option<u64>) -> Vec<u64> {
        let mut found = Vec::new();
        let (mut at, end) = (self.address, self.address + self.len());
        while at < end
            && let Some(byte) = find(at, end - at)
        {
            let element = byte - (byte - self.address) % u64::from(self.bytes);
            found.push(element);
            at = element + u64::from(self.bytes);
        }
        found
    }

    /// The lane whose access covers an address of the run; the first if all do.
    pub(super) fn lane_at(&self, address: u64) -> u32 {
        let along = (address - self.address) / u64::from(self.bytes.max(1));
        if self.same { self.lane } else { self.lane + (along as u32).min(self.mask.count_ones() - 1) }
    }
}

/// What the lanes of a mask have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Each lane's access follows the one of the lane before.
    Line,
    /// All touch the same bytes.
    Point,
    Other,
}

/// The shape of half a warp that takes part as a whole. The first two lanes decide which it can be; differences are
/// or-ed, because that becomes vector code.
#[inline(always)]
fn half(addresses: &[u64; 32], first: usize, bytes: u32) -> Shape {
    let base = addresses[first];
    let step = addresses[first + 1].wrapping_sub(base);
    if step != 0 && step != u64::from(bytes) {
        return Shape::Other;
    }
    let mut apart = 0u64;
    for i in 0..16 {
        apart |= addresses[first + i] ^ base.wrapping_add(i as u64 * step);
    }
    match (apart, step) {
        (0, 0) => Shape::Point,
        (0, _) => Shape::Line,
        _ => Shape::Other,
    }
}

/// The shape of the lanes that a mask names.
#[inline(always)]
fn some(mask: u32, addresses: &[u64; 32], bytes: u32) -> Shape {
    let lead = (mask.trailing_zeros() as usize).min(31);
    let base = addresses[lead];
    let origin = base.wrapping_sub(lead as u64 * u64::from(bytes));
    let (mut line, mut point) = (0u64, 0u64);
    for (i, address) in addresses.iter().enumerate() {
        let active = 0u64.wrapping_sub(u64::from(mask) >> i & 1);
        line |= (address ^ origin.wrapping_add(i as u64 * u64::from(bytes))) & active;
        point |= (address ^ base) & active;
    }
    match (line, point) {
        (_, 0) => Shape::Point,
        (0, _) => Shape::Line,
        _ => Shape::Other,
    }
}

#[inline(always)]
fn shapes_body(mask: u32, addresses: &[u64; 32], bytes: u32) -> [Shape; 3] {
    if mask != FULL {
        return [some(mask, addresses, bytes), Shape::Other, Shape::Other];
    }
    let (low, high) = (half(addresses, 0, bytes), half(addresses, 16, bytes));
    let apart = addresses[16].wrapping_sub(addresses[0]);
    let whole = match (low, high) {
        (Shape::Line, Shape::Line) if apart == 16 * u64::from(bytes) => Shape::Line,
        (Shape::Point, Shape::Point) if apart == 0 => Shape::Point,
        _ => Shape::Other,
    };
    [whole, low, high]
}

/// The shape of the whole warp or, if it has none and all lanes take part, of its halves: tiles of 16 columns are
/// common.
fn shapes(level: Level, mask: u32, addresses: &[u64; 32], bytes: u32) -> [Shape; 3] {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn avx2(mask: u32, addresses: &[u64; 32], bytes: u32) -> [Shape; 3] {
        shapes_body(mask, addresses, bytes)
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn avx512(mask: u32, addresses: &[u64; 32], bytes: u32) -> [Shape; 3] {
        shapes_body(mask, addresses, bytes)
    }
    match level {
        Level::Base => shapes_body(mask, addresses, bytes),
        // SAFETY: a level is what the host was found to have.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2(mask, addresses, bytes) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512(mask, addresses, bytes) },
    }
}

/// Calls `f` with the runs of a warp's access.
#[inline(always)]
pub(super) fn runs(level: Level, mask: u32, addresses: &[u64; 32], bytes: u32, mut f: impl FnMut(Run)) {
    if mask == 0 {
        return;
    }
    let [whole, low, high] = shapes(level, mask, addresses, bytes);
    let mut part = |shape: Shape, mask: u32| match shape {
        Shape::Point => {
            let lane = mask.trailing_zeros();
            f(Run { lane, mask, address: addresses[lane as usize], bytes, same: true });
        }
        Shape::Line => {
            let mut left = mask;
            while left != 0 {
                let lane = left.trailing_zeros();
                let lanes = u32::MAX >> (32 - (left >> lane).trailing_ones()) << lane;
                f(Run { lane, mask: lanes, address: addresses[lane as usize], bytes, same: false });
                left &= !lanes;
            }
        }
        Shape::Other => scattered(mask, addresses, bytes, &mut f),
    };
    if whole != Shape::Other || mask != FULL {
        part(whole, mask);
    } else {
        part(low, 0xffff);
        part(high, 0xffff_0000);
    }
}

/// The runs of lanes that have no common shape.
fn scattered(mask: u32, addresses: &[u64; 32], bytes: u32, f: &mut impl FnMut(Run)) {
    let mut left = mask;
    while left != 0 {
        let lane = left.trailing_zeros();
        let (address, mut next) = (addresses[lane as usize], lane + 1);
        let follows = |next: u32, by: u64| {
            next < 32
                && left >> next & 1 == 1
                && addresses[next as usize] == address.wrapping_add(u64::from(next - lane).wrapping_mul(by))
        };
        let by = if follows(next, 0) { 0 } else { u64::from(bytes) };
        while follows(next, by) {
            next += 1;
        }
        let lanes = u32::MAX >> (32 - (next - lane)) << lane;
        f(Run { lane, mask: lanes, address, bytes, same: by == 0 });
        left &= !lanes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mask: u32, addresses: [u64; 32], bytes: u32) -> Vec<Run> {
        let mut found = Vec::new();
        runs(Level::detect(), mask, &addresses, bytes, |run| found.push(run));
        let mut plain = Vec::new();
        runs(Level::Base, mask, &addresses, bytes, |run| plain.push(run));
        assert_eq!(found, plain, "every level agrees");
        assert_eq!(found.iter().fold(0, |lanes, run| lanes | run.mask), mask);
        found
    }

    fn masks(runs: &[Run]) -> Vec<(u32, bool)> {
        runs.iter().map(|r| (r.mask, r.same)).collect()
    }

    #[test]
    fn a_whole_warp_is_one_run() {
        let run = Run { lane: 0, mask: FULL, address: 100, bytes: 4, same: false };
        assert_eq!(all(FULL, std::array::from_fn(|i| 100 + 4 * i as u64), 4), [run]);
        assert_eq!((run.len(), run.lane_at(107)), (128, 1));
        assert_eq!(all(FULL, [7; 32], 4), [Run { address: 7, same: true, ..run }]);
    }

    #[test]
    fn halves_and_holes_make_several() {
        let halves = std::array::from_fn(|i| 64 * (i as u64 / 16));
        assert_eq!(masks(&all(FULL, halves, 4)), [(0xffff, true), (0xffff_0000, true)]);
        let rows = std::array::from_fn(|i| 4 * (i as u64 % 16));
        assert_eq!(masks(&all(FULL, rows, 4)), [(0xffff, false), (0xffff_0000, false)]);
        let line = std::array::from_fn(|i| 4 * i as u64);
        assert_eq!(masks(&all(0b1110_0111, line, 4)), [(7, false), (7 << 5, false)]);
        assert_eq!(masks(&all(0b1010, [9; 32], 4)), [(0b1010, true)]);
        let pairs = std::array::from_fn(|i| 8 * (i as u64 / 2));
        assert_eq!(all(FULL, pairs, 4).len(), 16);
        assert_eq!(all(0, [0; 32], 4), []);
        assert_eq!(all(1 << 31, [u64::MAX; 32], 16).len(), 1);
        all(FULL, std::array::from_fn(|i| (i as u64 * 37) % 32 * 4), 4);
    }
}
