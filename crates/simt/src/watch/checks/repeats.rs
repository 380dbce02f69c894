//! Repeats: accesses to shared memory whose lanes have the same relative addresses as before.
//!
//! Most instructions repeat themselves, from warp to warp and from iteration to iteration of a loop. The runs of their
//! lanes are computed once for such a shape; an access of the same shape is recognised by comparing 32 differences. Its
//! bounds are then one comparison, and so is whether it reads anything unwritten once all of shared memory is written.
//! Anything wrong with an access is left to the full analysis, which finds it again and reports it.

use super::checker::Checker;
use super::kind::Kind;
use super::runs::{Run, runs};
use super::scene::At;
use crate::image::event::{Access, AddressKind, Declared, Direction, Event, Order};
use crate::lanes::{FULL, Level, Op};
use crate::program::Program;
use crate::warp::Warp;

/// Shapes of one instruction that are remembered at once, distinguished by their lanes.
const WAYS: usize = 8;
/// Runs of a shape; an access with more gets the full analysis.
const RUNS: usize = 8;
/// No shape, no instruction that repeats.
const NONE: u32 = u32::MAX;
/// What an instruction may spend on new shapes before it is given up, and what it earns when one is seen again.
const CREDIT: u32 = 32 * NEW_SHAPE;
const NEW_SHAPE: u32 = 8;

/// The relative addresses of an access's lanes.
#[derive(Clone, Debug)]
struct Shape {
    mask: u32,
    /// Addresses minus that of the first lane that takes part.
    relative: [u32; 32],
    /// All ones for the lanes that take part.
    lanes: [u32; 32],
    /// Bytes that it reaches before and after the address of the first lane.
    before: u64,
    after: u64,
    count: usize,
    /// Their addresses are relative too, and wrap.
    runs: [Run; RUNS],
}

impl Shape {
    /// The shape of some lanes; `None` if it has too many runs.
    fn of(level: Level, mask: u32, addresses: &[u32; 32], bytes: u32) -> Option<Self> {
        let first = addresses[mask.trailing_zeros() as usize & 31];
        let relative = addresses.map(|a| a.wrapping_sub(first));
        let signed = relative.map(|r| r as i32 as i64 as u64);
        let mut shape = Self {
            mask,
            relative,
            lanes: std::array::from_fn(|lane| if mask >> lane & 1 == 1 { u32::MAX } else { 0 }),
            before: 0,
            after: 0,
            count: 0,
            runs: [Run::one(0, 0, bytes); RUNS],
        };
        runs(level, mask, &signed, bytes, |run| {
            let start = run.address as i64;
            shape.before = shape.before.max(start.min(0).unsigned_abs());
            shape.after = shape.after.max((start + run.len() as i64).max(0) as u64);
            if let Some(place) = shape.runs.get_mut(shape.count) {
                *place = run;
            }
            shape.count += 1;
        });
        (shape.count <= RUNS).then_some(shape)
    }

    /// Whether the lanes of the shape's mask have its relative addresses.
    #[inline(always)]
    fn fits(&self, addresses: &[u32; 32]) -> bool {
        let first = addresses[self.mask.trailing_zeros() as usize & 31];
        // Differences are or-ed, because that becomes vector code.
        let mut apart = 0;
        if self.mask == FULL {
            for (address, relative) in addresses.iter().zip(&self.relative) {
                apart |= address.wrapping_sub(first) ^ relative;
            }
        } else {
            for ((address, relative), lane) in addresses.iter().zip(&self.relative).zip(&self.lanes) {
                apart |= (address.wrapping_sub(first) ^ relative) & lane;
            }
        }
        apart == 0
    }

    /// The runs, given the first lane's address.
    #[inline(always)]
    fn runs_at(&self, first: u64) -> impl ExactSizeIterator<Item = Run> + Clone {
        self.runs[..self.count].iter().map(move |run| Run { address: first.wrapping_add(run.address), ..*run })
    }
}

/// An instruction that repeats itself.
#[derive(Clone, Debug)]
struct Site {
    /// Numbers of its shapes.
    ways: [u32; WAYS],
    /// Given up at zero.
    credit: u32,
}

/// The shapes of a kernel's instructions.
#[derive(Debug)]
pub(super) struct Repeats {
    level: Level,
    /// By program counter.
    site_of: Vec<u32>,
    sites: Vec<Site>,
    shapes: Vec<Shape>,
}

impl Repeats {
    pub(super) fn new(level: Level, program: &Program) -> Self {
        let mut sites = Vec::new();
        let mut number = |event: &Event| match event {
            Event::Access(access) if repeats(access) => {
                sites.push(Site { ways: [NONE; WAYS], credit: CREDIT });
                sites.len() as u32 - 1
            }
            _ => NONE,
        };
        let site_of = program.events.iter().map(&mut number).collect();
        Self { level, site_of, sites, shapes: Vec::new() }
    }

    /// The shape of an access; `None` if the instruction does not repeat itself.
    #[inline(always)]
    fn find(&mut self, pc: u32, mask: u32, addresses: &[u32; 32], bytes: u32) -> Option<&Shape> {
        let site = self.sites.get_mut(*self.site_of.get(pc as usize)? as usize)?;
        if site.credit == 0 {
            return None;
        }
        let at = site.ways[way(mask)] as usize;
        if self.shapes.get(at).is_none_or(|shape| shape.mask != mask || !shape.fits(addresses)) {
            return self.learn(pc, mask, addresses, bytes);
        }
        site.credit = (site.credit + 1).min(CREDIT);
        self.shapes.get(at)
    }

    /// A shape that was not seen last time.
    #[cold]
    fn learn(&mut self, pc: u32, mask: u32, addresses: &[u32; 32], bytes: u32) -> Option<&Shape> {
        let site = self.sites.get_mut(*self.site_of.get(pc as usize)? as usize)?;
        site.credit = site.credit.saturating_sub(NEW_SHAPE);
        let Some(shape) = Shape::of(self.level, mask, addresses, bytes) else {
            site.credit = 0;
            return None;
        };
        let at = &mut site.ways[way(mask)];
        match self.shapes.get_mut(*at as usize) {
            Some(old) => *old = shape,
            None => {
                *at = self.shapes.len() as u32;
                self.shapes.push(shape);
            }
        }
        self.shapes.get(*at as usize)
    }
}

/// Whether the accesses of an instruction are handled here: plain ones to shared memory, by a register.
fn repeats(access: &Access) -> bool {
    access.space == Declared::Shared
        && access.address == AddressKind::Reg32
        && access.order == Order::Weak
        && matches!(access.direction, Direction::Load | Direction::Store)
}

/// Where a shape with those lanes is kept: halves, quarters and eighths of a warp have separate places.
#[inline(always)]
fn way(mask: u32) -> usize {
    (mask.wrapping_mul(0x1db2_4381) >> 29) as usize
}

impl Checker<'_> {
    /// Checks an access by its shape; false, with nothing done, if it needs the full analysis.
    ///
    /// # Safety
    /// `op` must be the instruction that the access was made from, and the warp must be at it.
    #[inline(always)]
    unsafe fn repeated_body(&mut self, warp: &Warp<'_>, op: &Op, pc: u32, access: &Access, mask: u32) -> bool {
        let Self { scene, suite, repeats, .. } = self;
        if repeats.site_of.get(pc as usize).is_none_or(|&site| site == NONE) {
            return false;
        }
        // SAFETY: by contract, and sites are instructions with a slot of 32-bit lanes.
        let addresses = unsafe { &*warp.slot::<[u32; 32]>(op.a) };
        let Some(shape) = repeats.find(pc, mask, addresses, access.bytes) else { return false };
        let first = u64::from(addresses[mask.trailing_zeros() as usize & 31].wrapping_add(op.imm as u32));
        let Some(start) = first.checked_sub(shape.before) else { return false };
        let span = (start, first + shape.after);
        if span.1 > u64::from(warp.shared_len) {
            return false;
        }
        let write = access.direction == Direction::Store;
        if !suite.fits(warp, pc, write, span, shape.runs_at(first)) {
            return false;
        }
        let kind = if write { Kind::WRITE } else { Kind::READ };
        let at = At { access: Some(access), ..At::new(warp, pc, mask) };
        suite.again(scene, &at, kind, span, shape.runs_at(first));
        true
    }

    /// As its body, compiled for the host's vector instructions.
    ///
    /// # Safety
    /// As for its body.
    pub(super) unsafe fn repeated(&mut self, warp: &Warp<'_>, op: &Op, pc: u32, access: &Access, mask: u32) -> bool {
        // SAFETY: passed on to the caller; a level is what the host was found to have.
        unsafe {
            match self.scene.plan.level {
                Level::Base => self.repeated_body(warp, op, pc, access, mask),
                #[cfg(target_arch = "x86_64")]
                Level::Avx2 => avx2(self, warp, op, pc, access, mask),
                #[cfg(target_arch = "x86_64")]
                Level::Avx512 => avx512(self, warp, op, pc, access, mask),
            }
        }
    }
}

/// # Safety
/// As for the body; the host must have these instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx2(checker: &mut Checker<'_>, warp: &Warp<'_>, op: &Op, pc: u32, access: &Access, mask: u32) -> bool {
    // SAFETY: passed on to the caller.
    unsafe { checker.repeated_body(warp, op, pc, access, mask) }
}

/// # Safety
/// As for the body; the host must have these instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx512(checker: &mut Checker<'_>, warp: &Warp<'_>, op: &Op, pc: u32, access: &Access, mask: u32) -> bool {
    // SAFETY: passed on to the caller.
    unsafe { checker.repeated_body(warp, op, pc, access, mask) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shape(mask: u32, addresses: [u32; 32]) -> Option<Shape> {
        Shape::of(Level::detect(), mask, &addresses, 4)
    }

    #[test]
    fn rows_and_points_are_few_runs() {
        let rows = shape(FULL, std::array::from_fn(|i| 4 * (i as u32 % 16))).expect("two runs");
        assert_eq!((rows.count, rows.before, rows.after), (2, 0, 64));
        let back = shape(FULL, std::array::from_fn(|i| 1000 - 64 * (i as u32 / 16))).expect("two runs");
        assert_eq!((back.count, back.before, back.after), (2, 64, 4));
        assert_eq!(shape(FULL, std::array::from_fn(|i| 8 * i as u32)).map(|s| s.count), None, "32 runs");
    }

    #[test]
    fn only_lanes_that_take_part_count() {
        let line: [u32; 32] = std::array::from_fn(|i| 4 * i as u32);
        let mut other = line;
        other[9] = 77;
        let (whole, some) = (shape(FULL, line).expect("one run"), shape(0x1ff, line).expect("one run"));
        assert!(!whole.fits(&other) && some.fits(&other));
        assert!(whole.fits(&line.map(|a| a + 400)), "elsewhere");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn a_shape_has_the_runs_of_its_accesses(
            mask in prop_oneof![Just(FULL), Just(0xffff), Just(1u32 << 31), 1u32..],
            base in 0u32..4096,
            step in prop_oneof![Just(0u32), Just(4), Just(16), Just(4u32.wrapping_neg())],
            row in prop_oneof![Just(0u32), Just(4), Just(64), Just(132)],
            lane in 0usize..32,
            odd in 0u32..3,
        ) {
            let mut addresses: [u32; 32] = std::array::from_fn(|i| {
                (base + 4096).wrapping_add(step.wrapping_mul(i as u32 % 16)).wrapping_add(row * (i as u32 / 16))
            });
            addresses[lane] += 4 * odd;
            let mut expected = Vec::new();
            runs(Level::Base, mask, &addresses.map(u64::from), 4, |run| expected.push(run));
            let first = addresses[mask.trailing_zeros() as usize];
            match shape(mask, addresses) {
                None => prop_assert!(expected.len() > RUNS),
                Some(shape) => {
                    prop_assert!(shape.fits(&addresses));
                    let found: Vec<Run> = shape.runs_at(u64::from(first)).collect();
                    prop_assert_eq!(&found, &expected);
                    let start = expected.iter().map(|r| r.address).min();
                    let end = expected.iter().map(|r| r.address + r.len()).max();
                    prop_assert_eq!(start, Some(u64::from(first) - shape.before));
                    prop_assert_eq!(end, Some(u64::from(first) + shape.after));
                }
            }
        }
    }
}
