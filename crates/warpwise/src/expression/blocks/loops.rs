//! The loops over parts of blocks.

use std::marker::PhantomData;

use bytemuck::Pod;

use super::PART;
use super::coming::Coming;
use crate::Element;
use crate::expression::kind::Kind;
use crate::expression::math;
use crate::expression::program::Op;
use crate::simd::{Body, Level, root};

/// The loop of an operation. It is chosen once for a program.
pub(super) type Loop = fn(Part<'_>);

/// An operation on blocks. Where they are is worked out once for all parts of a block.
#[derive(Clone, Copy)]
pub(super) struct Action {
    pub(super) run: Loop,
    pub(super) level: Level,
    pub(super) to: Elements,
    pub(super) from: [Elements; 3],
    /// Primitives take two inputs.
    pub(super) coming: [Coming; 2],
}

/// Where the elements of a block begin.
#[derive(Clone, Copy)]
pub(super) struct Elements {
    pub(super) first: *mut u8,
    /// Nothing, if there is room for one part only, which all parts use.
    mask: usize,
}

impl Elements {
    /// There is room for all parts of the block.
    pub(super) fn of_block(first: *mut u8) -> Self {
        Self { first, mask: usize::MAX }
    }

    /// There is room for one part.
    pub(super) fn of_part(first: *mut u8) -> Self {
        Self { first, mask: 0 }
    }

    /// The part that begins with that element of the block.
    #[inline(always)]
    pub(super) fn part<T>(self, start: usize) -> *mut T {
        self.first.cast::<T>().wrapping_add(start & self.mask)
    }
}

/// An operation on a part of its blocks, which are there. The number of elements is known, so that the compiler turns
/// loops over them into vector code.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    action: &'a Action,
    /// The first element.
    start: usize,
}

impl Action {
    /// Runs the operation on the elements of a part.
    ///
    /// # Safety
    ///
    /// All blocks must have these elements, aligned and of the types that the operation has. Nothing else may use the
    /// result meanwhile, which is none of the arguments.
    #[inline(always)]
    pub(super) unsafe fn run(&self, start: usize) {
        self.coming.iter().for_each(|coming| coming.prefetch(start));
        (self.run)(Part { action: self, start });
    }
}

impl<'a> Part<'a> {
    #[inline(always)]
    fn argument<T: Pod>(self, number: usize) -> &'a [T; PART] {
        // SAFETY: whoever made the part promised it.
        unsafe { &*self.action.from[number].part::<T>(self.start).cast() }
    }

    #[inline(always)]
    fn room<T: Pod>(self) -> &'a mut [T; PART] {
        // SAFETY: whoever made the part promised it.
        unsafe { &mut *self.action.to.part::<T>(self.start).cast() }
    }
}

/// A function of one argument, for all elements of a part.
struct One<'a, A, R, F>(Part<'a>, F, PhantomData<(A, R)>);

impl<A: Pod, R: Pod, F: Fn(A) -> R> Body for One<'_, A, R, F> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let (to, a) = (self.0.room::<R>(), self.0.argument::<A>(0));
        for i in 0..PART {
            to[i] = self.1(a[i]);
        }
    }
}

/// A function of two arguments.
struct Two<'a, A, R, F>(Part<'a>, F, PhantomData<(A, R)>);

impl<A: Pod, R: Pod, F: Fn(A, A) -> R> Body for Two<'_, A, R, F> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let (to, a, b) = (self.0.room::<R>(), self.0.argument::<A>(0), self.0.argument::<A>(1));
        for i in 0..PART {
            to[i] = self.1(a[i], b[i]);
        }
    }
}

/// One of two arguments.
struct Select<'a, A>(Part<'a>, PhantomData<A>);

impl<A: Pod> Body for Select<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let (to, flags) = (self.0.room::<A>(), self.0.argument::<u8>(0));
        let (a, b) = (self.0.argument::<A>(1), self.0.argument::<A>(2));
        for i in 0..PART {
            to[i] = if flags[i] != 0 { a[i] } else { b[i] };
        }
    }
}

/// Square roots, faster than by the instruction for them.
struct Root<'a>(Part<'a>);

impl Body for Root<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        // SAFETY: the level says that the host has the instructions.
        unsafe { root::square_roots(self.0.action.level, self.0.argument(0), self.0.room()) };
    }
}

fn one<A: Pod, R: Pod>(part: Part<'_>, f: impl Fn(A) -> R) {
    part.action.level.run(One(part, f, PhantomData));
}

fn two<A: Pod, R: Pod>(part: Part<'_>, f: impl Fn(A, A) -> R) {
    part.action.level.run(Two(part, f, PhantomData));
}

fn select<A: Pod>(part: Part<'_>) {
    part.action.level.run(Select::<A>(part, PhantomData));
}

/// The loop of a function for the bits of a type: signs do not matter to it.
macro_rules! by_size {
    ($count:ident, $kind:expr, |$($a:ident),*| $body:expr) => {
        match $kind.bytes() {
            1 => |part| $count(part, |$($a: u8),*| $body),
            4 => |part| $count(part, |$($a: u32),*| $body),
            _ => |part| $count(part, |$($a: u64),*| $body),
        }
    };
}

/// The loop of a function for the values of a type.
macro_rules! by_type {
    ($count:ident, $kind:expr, |$($a:ident),*| $body:expr) => {
        match $kind {
            Kind::Bool | Kind::U8 => |part| $count(part, |$($a: u8),*| $body),
            Kind::I32 => |part| $count(part, |$($a: i32),*| $body),
            Kind::U32 => |part| $count(part, |$($a: u32),*| $body),
            Kind::I64 => |part| $count(part, |$($a: i64),*| $body),
            Kind::U64 => |part| $count(part, |$($a: u64),*| $body),
            Kind::F32 => |part| $count(part, |$($a: f32),*| $body),
            Kind::F64 => |part| $count(part, |$($a: f64),*| $body),
        }
    };
}

/// The loop of a function for the values of a floating-point type.
macro_rules! by_float {
    ($count:ident, $kind:expr, |$($a:ident),*| $single:expr, $double:expr) => {
        match $kind {
            Kind::F32 => |part| $count(part, |$($a: f32),*| $single),
            _ => |part| $count(part, |$($a: f64),*| $double),
        }
    };
}

/// The loop of an operation, by the types of its last argument and of its result.
pub(super) fn of(op: Op, kinds: (Kind, Kind)) -> Loop {
    let kind = kinds.0;
    match op {
        Op::Add if kind.is_float() => by_float!(two, kind, |a, b| a + b, a + b),
        Op::Subtract if kind.is_float() => by_float!(two, kind, |a, b| a - b, a - b),
        Op::Multiply if kind.is_float() => by_float!(two, kind, |a, b| a * b, a * b),
        Op::Divide => by_float!(two, kind, |a, b| a / b, a / b),
        Op::Add => by_size!(two, kind, |a, b| a.wrapping_add(b)),
        Op::Subtract => by_size!(two, kind, |a, b| a.wrapping_sub(b)),
        Op::Multiply => by_size!(two, kind, |a, b| a.wrapping_mul(b)),
        Op::And => by_size!(two, kind, |a, b| a & b),
        Op::Or => by_size!(two, kind, |a, b| a | b),
        Op::Xor => by_size!(two, kind, |a, b| a ^ b),
        Op::Min => by_type!(two, kind, |a, b| Element::minimum(a, b)),
        Op::Max => by_type!(two, kind, |a, b| Element::maximum(a, b)),
        Op::Equal if kind.is_float() => by_float!(two, kind, |a, b| u8::from(a == b), u8::from(a == b)),
        Op::Equal => by_size!(two, kind, |a, b| u8::from(a == b)),
        Op::Less => by_type!(two, kind, |a, b| u8::from(a < b)),
        Op::LessOrEqual => by_type!(two, kind, |a, b| u8::from(a <= b)),
        Op::Negate if kind.is_float() => by_float!(one, kind, |a| -a, -a),
        Op::Negate => by_size!(one, kind, |a| a.wrapping_neg()),
        Op::Absolute => match kind {
            Kind::I32 => |part| one(part, i32::wrapping_abs),
            Kind::I64 => |part| one(part, i64::wrapping_abs),
            _ => by_float!(one, kind, |a| a.abs(), a.abs()),
        },
        Op::Sqrt if kind == Kind::F32 => |part| part.action.level.run(Root(part)),
        Op::Sqrt => |part| one(part, f64::sqrt),
        Op::Exp => by_float!(one, kind, |a| math::exp_f32(a), math::exp_f64(a)),
        Op::Log => by_float!(one, kind, |a| math::log_f32(a), math::log_f64(a)),
        Op::Floor => by_float!(one, kind, |a| a.floor(), a.floor()),
        Op::Select => match kind.bytes() {
            1 => select::<u8>,
            4 => select::<u32>,
            _ => select::<u64>,
        },
        Op::Cast => cast(kinds),
        Op::FloorDivide => quotient(kind),
        Op::Remainder => remainder(kind),
        Op::Input(_) | Op::Constant(_) => |_| {},
    }
}

/// A function of the quotient of two integers and of what remains, both rounded down; 0 for a division by 0. There are
/// no vector instructions for it.
macro_rules! rounded_down {
    ($kind:expr, |$whole:ident, $rest:ident| $f:expr) => {
        rounded_down!($kind, |$whole, $rest| $f, I32 i32, U32 u32, I64 i64, U64 u64, U8 u8)
    };
    ($kind:expr, |$whole:ident, $rest:ident| $f:expr, $($name:ident $t:ty),*) => {
        match $kind {
            $(Kind::$name => |part| {
                let f = |a: $t, b: $t| {
                    if b == 0 {
                        return 0;
                    }
                    let ($whole, $rest) = (a.wrapping_div(b), a.wrapping_rem(b));
                    let down = $rest != 0 && ($rest > 0) != (b > 0);
                    let ($whole, $rest) = if down { ($whole - 1, $rest + b) } else { ($whole, $rest) };
                    $f
                };
                Two(part, f, PhantomData).run::<false>();
            },)*
            _ => |_| {},
        }
    };
}

fn quotient(kind: Kind) -> Loop {
    rounded_down!(kind, |whole, _rest| whole)
}

fn remainder(kind: Kind) -> Loop {
    rounded_down!(kind, |_whole, rest| rest)
}

fn cast((from, to): (Kind, Kind)) -> Loop {
    macro_rules! to {
        ($($t:ty),* => $r:ty) => {
            match from {
                $(kind if kind == <$t as Named>::KIND => |part| one(part, |a: $t| a as $r),)*
                _ => |_| {},
            }
        };
    }
    match to {
        Kind::Bool if from.is_float() => by_float!(one, from, |a| u8::from(a != 0.0), u8::from(a != 0.0)),
        Kind::Bool => by_size!(one, from, |a| u8::from(a != 0)),
        Kind::U8 => match from {
            Kind::I32 | Kind::U32 => |part| one(part, |a: u32| a as u8),
            Kind::I64 | Kind::U64 => |part| one(part, |a: u64| a as u8),
            _ => to!(f32, f64 => u8),
        },
        Kind::I32 | Kind::U32 if !from.is_float() => match from.bytes() {
            1 => |part| one(part, |a: u8| u32::from(a)),
            _ => |part| one(part, |a: u64| a as u32),
        },
        Kind::I64 | Kind::U64 if !from.is_float() => match from {
            Kind::I32 => |part| one(part, |a: i32| i64::from(a)),
            Kind::U32 => |part| one(part, |a: u32| u64::from(a)),
            _ => |part| one(part, |a: u8| u64::from(a)),
        },
        Kind::I32 => to!(f32, f64 => i32),
        Kind::U32 => to!(f32, f64 => u32),
        Kind::I64 => to!(f32, f64 => i64),
        Kind::U64 => to!(f32, f64 => u64),
        Kind::F32 => match from {
            Kind::Bool => |part| one(part, |a: u8| f32::from(a)),
            _ => to!(u8, i32, u32, i64, u64, f64 => f32),
        },
        Kind::F64 => match from {
            Kind::Bool => |part| one(part, |a: u8| f64::from(a)),
            _ => to!(u8, i32, u32, i64, u64, f32 => f64),
        },
    }
}

/// A type that has a kind.
trait Named {
    const KIND: Kind;
}

macro_rules! named {
    ($($t:ty: $kind:ident),*) => {$(
        impl Named for $t {
            const KIND: Kind = Kind::$kind;
        }
    )*};
}

named!(u8: U8, i32: I32, u32: U32, i64: I64, u64: U64, f32: F32, f64: F64);
