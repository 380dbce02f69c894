//! Instructions that compute each lane's result from that lane's operands alone.
//!
//! The functions here take the lane's computation as a closure that captures nothing. Such a closure has no size, so
//! its type alone says what to compute, and a handler can be instantiated from the type.

use std::marker::PhantomData;

use super::simd::{Body, instance, portable, up_to_avx2};
use super::{FULL, Flow, Handler, Lane, Level, Op};
use crate::warp::Warp;

/// Lanes handled together: one 512-bit vector of 32-bit values.
const GROUP: usize = 16;

/// A value of a closure type that captures nothing.
#[inline(always)]
pub(crate) fn conjure<F: Copy + 'static>() -> F {
    const { assert!(size_of::<F>() == 0, "the closure must capture nothing") };
    // SAFETY: F has no bytes to read, and the constructors below were handed a value of it, so the type is inhabited.
    unsafe { std::ptr::NonNull::<F>::dangling().as_ptr().read() }
}

/// Computes a group of results and writes them where the mask says so. (Loops over local arrays: these are what the
/// compiler turns into vector instructions; `std::array::from_fn` stays a call.)
///
/// # Safety
/// `slot` must be a slot of lanes of type `R`.
#[inline(always)]
unsafe fn put<R: Lane>(warp: &Warp<'_>, slot: u32, first: usize, mask: u32, f: impl Fn(usize) -> R) {
    // SAFETY: the slot holds 32 lanes of R, aligned to 64 bytes; `first` is 0 or 16.
    unsafe {
        let d = warp.slot::<R>(slot).add(first).cast::<[R; GROUP]>();
        let mut result = [R::default(); GROUP];
        for (i, lane) in result.iter_mut().enumerate() {
            *lane = f(i);
        }
        if mask != FULL {
            let old = *d;
            let bits = mask >> first;
            for i in 0..GROUP {
                result[i] = if bits & 1 << i != 0 { result[i] } else { old[i] };
            }
        }
        *d = result;
    }
}

/// # Safety
/// `slot` must be a slot of lanes of type `T`.
#[inline(always)]
unsafe fn get<T: Lane>(warp: &Warp<'_>, slot: u32, first: usize) -> [T; GROUP] {
    // SAFETY: as in `put`.
    unsafe { *warp.slot::<T>(slot).add(first).cast::<[T; GROUP]>() }
}

struct Unary<A, R, F>(PhantomData<(A, R, F)>);
impl<A: Lane, R: Lane, F: Fn(A) -> R + Copy + 'static> Body for Unary<A, R, F> {
    #[inline(always)]
    unsafe fn run<const WIDE: bool>(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
        let f = conjure::<F>();
        if !WIDE {
            for lane in super::lanes_of(mask) {
                // SAFETY: the decoder chose this handler for slots of these types.
                unsafe {
                    let a = *warp.slot::<A>(op.a).add(lane);
                    *warp.slot::<R>(op.d).add(lane) = f(a);
                }
            }
            return Flow::Next;
        }
        for first in [0, GROUP] {
            // SAFETY: the decoder chose this handler for slots of these types.
            unsafe {
                let a = get::<A>(warp, op.a, first);
                put(warp, op.d, first, mask, |i| f(a[i]));
            }
        }
        Flow::Next
    }
}

struct Binary<A, B, R, F>(PhantomData<(A, B, R, F)>);
impl<A: Lane, B: Lane, R: Lane, F: Fn(A, B) -> R + Copy + 'static> Body for Binary<A, B, R, F> {
    #[inline(always)]
    unsafe fn run<const WIDE: bool>(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
        let f = conjure::<F>();
        if !WIDE {
            for lane in super::lanes_of(mask) {
                // SAFETY: the decoder chose this handler for slots of these types.
                unsafe {
                    let a = *warp.slot::<A>(op.a).add(lane);
                    let b = *warp.slot::<B>(op.b).add(lane);
                    *warp.slot::<R>(op.d).add(lane) = f(a, b);
                }
            }
            return Flow::Next;
        }
        for first in [0, GROUP] {
            // SAFETY: the decoder chose this handler for slots of these types.
            unsafe {
                let a = get::<A>(warp, op.a, first);
                let b = get::<B>(warp, op.b, first);
                put(warp, op.d, first, mask, |i| f(a[i], b[i]));
            }
        }
        Flow::Next
    }
}

struct Ternary<A, B, C, R, F>(PhantomData<(A, B, C, R, F)>);
impl<A: Lane, B: Lane, C: Lane, R: Lane, F: Fn(A, B, C) -> R + Copy + 'static> Body for Ternary<A, B, C, R, F> {
    #[inline(always)]
    unsafe fn run<const WIDE: bool>(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
        let f = conjure::<F>();
        if !WIDE {
            for lane in super::lanes_of(mask) {
                // SAFETY: the decoder chose this handler for slots of these types.
                unsafe {
                    let a = *warp.slot::<A>(op.a).add(lane);
                    let b = *warp.slot::<B>(op.b).add(lane);
                    let c = *warp.slot::<C>(op.c).add(lane);
                    *warp.slot::<R>(op.d).add(lane) = f(a, b, c);
                }
            }
            return Flow::Next;
        }
        for first in [0, GROUP] {
            // SAFETY: the decoder chose this handler for slots of these types.
            unsafe {
                let a = get::<A>(warp, op.a, first);
                let b = get::<B>(warp, op.b, first);
                let c = get::<C>(warp, op.c, first);
                put(warp, op.d, first, mask, |i| f(a[i], b[i], c[i]));
            }
        }
        Flow::Next
    }
}

/// Like `Ternary`, with the instruction's constant (`imm`) as a fourth operand: `lop3`, `prmt` modes, `bfi`.
struct Quaternary<A, B, C, R, F>(PhantomData<(A, B, C, R, F)>);
impl<A: Lane, B: Lane, C: Lane, R: Lane, F: Fn(A, B, C, i64) -> R + Copy + 'static> Body for Quaternary<A, B, C, R, F> {
    #[inline(always)]
    unsafe fn run<const WIDE: bool>(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
        let f = conjure::<F>();
        let k = op.imm;
        if !WIDE {
            for lane in super::lanes_of(mask) {
                // SAFETY: the decoder chose this handler for slots of these types.
                unsafe {
                    let a = *warp.slot::<A>(op.a).add(lane);
                    let b = *warp.slot::<B>(op.b).add(lane);
                    let c = *warp.slot::<C>(op.c).add(lane);
                    *warp.slot::<R>(op.d).add(lane) = f(a, b, c, k);
                }
            }
            return Flow::Next;
        }
        for first in [0, GROUP] {
            // SAFETY: the decoder chose this handler for slots of these types.
            unsafe {
                let a = get::<A>(warp, op.a, first);
                let b = get::<B>(warp, op.b, first);
                let c = get::<C>(warp, op.c, first);
                put(warp, op.d, first, mask, |i| f(a[i], b[i], c[i], k));
            }
        }
        Flow::Next
    }
}

/// In `aux` of a comparison: its opposite is meant.
pub(crate) const OPPOSITE: u32 = 8;

/// A comparison: lanes in, one bit a lane out.
struct Compare<A, B, F>(PhantomData<(A, B, F)>);
impl<A: Lane, B: Lane, F: Fn(A, B) -> bool + Copy + 'static> Compare<A, B, F> {
    #[inline(always)]
    unsafe fn bits<const WIDE: bool>(warp: &Warp<'_>, op: &Op) -> u32 {
        let f = conjure::<F>();
        let mut bits = 0u32;
        if !WIDE {
            for lane in super::lanes_of(FULL) {
                // SAFETY: the decoder chose this handler for slots of these types.
                let holds = unsafe { f(*warp.slot::<A>(op.a).add(lane), *warp.slot::<B>(op.b).add(lane)) };
                bits |= u32::from(holds) << lane;
            }
            return if op.aux & OPPOSITE != 0 { !bits } else { bits };
        }
        for first in [0, GROUP] {
            // SAFETY: the decoder chose this handler for slots of these types.
            let (a, b) = unsafe { (get::<A>(warp, op.a, first), get::<B>(warp, op.b, first)) };
            let mut group = 0u32;
            for i in 0..GROUP {
                group |= if f(a[i], b[i]) { 1 << i } else { 0 };
            }
            bits |= group << first;
        }
        if op.aux & OPPOSITE != 0 { !bits } else { bits }
    }
}

/// `setp` with one destination and no combining predicate: the common case.
impl<A: Lane, B: Lane, F: Fn(A, B) -> bool + Copy + 'static> Body for Compare<A, B, F> {
    #[inline(always)]
    unsafe fn run<const WIDE: bool>(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
        // SAFETY: the decoder chose this handler for these slots; `d` is a predicate.
        unsafe {
            let bits = Self::bits::<WIDE>(warp, op);
            warp.put_pred(op.d, mask, bits);
        }
        Flow::Next
    }
}

/// `set`: `imm` where it holds, zero elsewhere; `aux` says how wide that is (from bit 8) and how a predicate is
/// combined.
struct Set<A, B, F>(PhantomData<(A, B, F)>);
impl<A: Lane, B: Lane, F: Fn(A, B) -> bool + Copy + 'static> Body for Set<A, B, F> {
    #[inline(always)]
    unsafe fn run<const WIDE: bool>(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
        // SAFETY: the decoder chose this handler for these slots; `c` is a predicate.
        unsafe {
            let bits = combine(op.aux, Compare::<A, B, F>::bits::<WIDE>(warp, op), warp.pred(op.c));
            for lane in super::lanes_of(mask) {
                let value = if bits >> lane & 1 == 1 { op.imm } else { 0 };
                match op.aux >> 8 {
                    2 => *warp.slot::<u16>(op.d).add(lane) = value as u16,
                    _ => *warp.slot::<u32>(op.d).add(lane) = value as u32,
                }
            }
        }
        Flow::Next
    }
}

/// How `setp` and `set` combine the comparison with a predicate, packed in `aux`: see [`combine`].
struct CompareCombine<A, B, F>(PhantomData<(A, B, F)>);
impl<A: Lane, B: Lane, F: Fn(A, B) -> bool + Copy + 'static> Body for CompareCombine<A, B, F> {
    #[inline(always)]
    unsafe fn run<const WIDE: bool>(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
        // SAFETY: the decoder chose this handler for these slots; `d`, `imm` and `c` are predicates.
        unsafe {
            let bits = Compare::<A, B, F>::bits::<WIDE>(warp, op);
            let with = warp.pred(op.c);
            warp.put_pred(op.d, mask, combine(op.aux, bits, with));
            if op.imm != 0 {
                warp.put_pred(op.imm as u32, mask, combine(op.aux, !bits, with));
            }
        }
        Flow::Next
    }
}

/// Combines comparison bits with a predicate: `aux` bits 0-1 tell how (none, and, or, xor), bit 2 negates the
/// predicate.
#[inline(always)]
pub(crate) fn combine(aux: u32, bits: u32, with: u32) -> u32 {
    let with = if aux & 4 != 0 { !with } else { with };
    match aux & 3 {
        1 => bits & with,
        2 => bits | with,
        3 => bits ^ with,
        _ => bits,
    }
}

/// Predicate in, value out: `selp` (`c` is the predicate, `aux` bit 2 negates it).
struct Select<A>(PhantomData<A>);
impl<A: Lane> Body for Select<A> {
    #[inline(always)]
    unsafe fn run<const WIDE: bool>(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
        // SAFETY: the decoder chose this handler for slots of these types.
        unsafe {
            let bits = warp.pred(op.c) ^ if op.aux & 4 != 0 { FULL } else { 0 };
            for first in [0, GROUP] {
                let a = get::<A>(warp, op.a, first);
                let b = get::<A>(warp, op.b, first);
                let bits = bits >> first;
                put(warp, op.d, first, mask, |i| if bits & 1 << i != 0 { a[i] } else { b[i] });
            }
        }
        Flow::Next
    }
}

/// Bits of predicates: `and.pred` and the like, on 32 lanes at once.
struct Predicates<F>(PhantomData<F>);
impl<F: Fn(u32, u32) -> u32 + Copy + 'static> Body for Predicates<F> {
    #[inline(always)]
    unsafe fn run<const WIDE: bool>(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
        // SAFETY: the decoder chose this handler for predicate slots.
        unsafe {
            let flip = |slot_bit: u32| if op.aux & slot_bit != 0 { FULL } else { 0 };
            let a = warp.pred(op.a) ^ flip(1);
            let b = warp.pred(op.b) ^ flip(2);
            warp.put_pred(op.d, mask, conjure::<F>()(a, b));
        }
        Flow::Next
    }
}

/// `d = f(a)` in each lane.
pub(crate) fn unary<A: Lane, R: Lane, F: Fn(A) -> R + Copy + 'static>(level: Level, _: F) -> Handler {
    instance::<Unary<A, R, F>>(level)
}

/// `d = f(a, b)` in each lane.
pub(crate) fn binary<A: Lane, B: Lane, R: Lane, F: Fn(A, B) -> R + Copy + 'static>(level: Level, _: F) -> Handler {
    instance::<Binary<A, B, R, F>>(level)
}

/// `d = f(a, b, c)` in each lane.
pub(crate) fn ternary<A: Lane, B: Lane, C: Lane, R: Lane, F: Fn(A, B, C) -> R + Copy + 'static>(
    level: Level,
    _: F,
) -> Handler {
    instance::<Ternary<A, B, C, R, F>>(level)
}

/// `d = f(a)`, for instructions that are not in every loop.
pub(crate) fn occasional_unary<A: Lane, R: Lane, F: Fn(A) -> R + Copy + 'static>(level: Level, _: F) -> Handler {
    up_to_avx2::<Unary<A, R, F>>(level)
}

/// `d = f(a, b)`, for instructions that are not in every loop.
pub(crate) fn occasional_binary<A: Lane, B: Lane, R: Lane, F: Fn(A, B) -> R + Copy + 'static>(
    level: Level,
    _: F,
) -> Handler {
    up_to_avx2::<Binary<A, B, R, F>>(level)
}

/// `d = f(a, b, c)`, for instructions that are not in every loop.
pub(crate) fn occasional_ternary<A: Lane, B: Lane, C: Lane, R: Lane, F: Fn(A, B, C) -> R + Copy + 'static>(
    level: Level,
    _: F,
) -> Handler {
    up_to_avx2::<Ternary<A, B, C, R, F>>(level)
}

/// `d = f(a, b, c, imm)`, for instructions that are not in every loop.
pub(crate) fn occasional_quaternary<A, B, C, R, F>(level: Level, _: F) -> Handler
where
    A: Lane,
    B: Lane,
    C: Lane,
    R: Lane,
    F: Fn(A, B, C, i64) -> R + Copy + 'static,
{
    up_to_avx2::<Quaternary<A, B, C, R, F>>(level)
}

/// `d = f(a)`, compiled once.
pub(crate) fn rare_unary<A: Lane, R: Lane, F: Fn(A) -> R + Copy + 'static>(_: F) -> Handler {
    portable::<Unary<A, R, F>>()
}

/// `d = f(a, b)`, compiled once.
pub(crate) fn rare_binary<A: Lane, B: Lane, R: Lane, F: Fn(A, B) -> R + Copy + 'static>(_: F) -> Handler {
    portable::<Binary<A, B, R, F>>()
}

/// `d = f(a, b, c)`, compiled once.
pub(crate) fn rare_ternary<A: Lane, B: Lane, C: Lane, R: Lane, F: Fn(A, B, C) -> R + Copy + 'static>(_: F) -> Handler {
    portable::<Ternary<A, B, C, R, F>>()
}

/// `d = f(a, b, c, imm)`, compiled once.
pub(crate) fn rare_quaternary<A: Lane, B: Lane, C: Lane, R: Lane, F: Fn(A, B, C, i64) -> R + Copy + 'static>(
    _: F,
) -> Handler {
    portable::<Quaternary<A, B, C, R, F>>()
}

/// Predicate `d = f(a, b)`; `combined` if there is a second destination or a combining predicate.
pub(crate) fn compare<A: Lane, B: Lane, F: Fn(A, B) -> bool + Copy + 'static>(
    level: Level,
    combined: bool,
    _: F,
) -> Handler {
    if combined { portable::<CompareCombine<A, B, F>>() } else { instance::<Compare<A, B, F>>(level) }
}

/// `d = f(a, b) ? imm : 0`.
pub(crate) fn set<A: Lane, B: Lane, F: Fn(A, B) -> bool + Copy + 'static>(_: F) -> Handler {
    portable::<Set<A, B, F>>()
}

/// `d = c ? a : b` in each lane.
pub(crate) fn select<A: Lane>(level: Level) -> Handler {
    instance::<Select<A>>(level)
}

/// Predicate `d = f(a, b)` on all lanes' bits at once.
pub(crate) fn predicates<F: Fn(u32, u32) -> u32 + Copy + 'static>(_: F) -> Handler {
    portable::<Predicates<F>>()
}
