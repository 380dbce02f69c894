//! The loops over parts of blocks.

use std::ops::Range;
use std::slice;

use bytemuck::Pod;

use crate::Element;
use crate::expression::kind::Kind;
use crate::expression::math;
use crate::expression::program::Op;
use crate::simd::Body;

/// Parts have a multiple of that many elements.
pub(super) const CHUNK: usize = 128;

/// An operation on blocks. Where they are is worked out once for all parts of a block.
#[derive(Clone, Copy)]
pub(super) struct Action {
    pub(super) op: Op,
    /// The types of the last argument and of the result.
    pub(super) kinds: (Kind, Kind),
    pub(super) to: *mut u8,
    pub(super) from: [*const u8; 3],
}

/// An operation on a part of its blocks, which are there.
pub(super) struct Part<'a> {
    action: &'a Action,
    elements: Range<usize>,
}

impl Action {
    /// The operation on these elements only.
    ///
    /// # Safety
    ///
    /// All blocks must have these elements, aligned and of the types that the operation has. While the part is used,
    /// nothing else may write the arguments, and nothing else may use the result.
    #[inline(always)]
    pub(super) unsafe fn part(&self, elements: Range<usize>) -> Part<'_> {
        Part { action: self, elements }
    }
}

impl Part<'_> {
    #[inline(always)]
    fn argument<T: Pod>(&self, number: usize) -> &[[T; CHUNK]] {
        // SAFETY: whoever made the part promised it.
        unsafe {
            let first = self.action.from[number].cast::<T>().add(self.elements.start);
            slice::from_raw_parts(first.cast(), self.elements.len() / CHUNK)
        }
    }

    #[inline(always)]
    #[expect(clippy::mut_from_ref, reason = "nothing else uses the result meanwhile")]
    fn room<T: Pod>(&self) -> &mut [[T; CHUNK]] {
        // SAFETY: whoever made the part promised it.
        unsafe {
            let first = self.action.to.cast::<T>().add(self.elements.start);
            slice::from_raw_parts_mut(first.cast(), self.elements.len() / CHUNK)
        }
    }

    #[inline(always)]
    fn one<A: Pod, R: Pod>(self, f: impl Fn(A) -> R) {
        for (to, a) in self.room::<R>().iter_mut().zip(self.argument::<A>(0)) {
            for i in 0..CHUNK {
                to[i] = f(a[i]);
            }
        }
    }

    #[inline(always)]
    fn two<A: Pod, R: Pod>(self, f: impl Fn(A, A) -> R) {
        for ((to, a), b) in self.room::<R>().iter_mut().zip(self.argument::<A>(0)).zip(self.argument::<A>(1)) {
            for i in 0..CHUNK {
                to[i] = f(a[i], b[i]);
            }
        }
    }

    #[inline(always)]
    fn select<A: Pod>(self) {
        let (flags, a, b) = (self.argument::<u8>(0), self.argument::<A>(1), self.argument::<A>(2));
        for (((to, flags), a), b) in self.room::<A>().iter_mut().zip(flags).zip(a).zip(b) {
            for i in 0..CHUNK {
                to[i] = if flags[i] != 0 { a[i] } else { b[i] };
            }
        }
    }

    /// Division of integers, which has no vector instructions.
    #[inline(never)]
    fn divide_integers(self) {
        macro_rules! rounded_down {
            ($t:ty) => {{
                let quotient = self.action.op == Op::FloorDivide;
                self.two(|a: $t, b: $t| {
                    if b == 0 {
                        return 0;
                    }
                    let (whole, rest) = (a.wrapping_div(b), a.wrapping_rem(b));
                    let down = rest != 0 && (rest > 0) != (b > 0);
                    let (whole, rest) = if down { (whole - 1, rest + b) } else { (whole, rest) };
                    if quotient { whole } else { rest }
                });
            }};
        }
        match self.action.kinds.1 {
            Kind::U8 => rounded_down!(u8),
            Kind::I32 => rounded_down!(i32),
            Kind::U32 => rounded_down!(u32),
            Kind::I64 => rounded_down!(i64),
            _ => rounded_down!(u64),
        }
    }
}

/// Calls a method with a function for the bits of a type: signs do not matter to it.
macro_rules! by_size {
    ($action:ident.$method:ident, $kind:expr, |$($a:ident),*| $body:expr) => {
        match $kind.bytes() {
            1 => $action.$method(|$($a: u8),*| $body),
            4 => $action.$method(|$($a: u32),*| $body),
            _ => $action.$method(|$($a: u64),*| $body),
        }
    };
}

/// Calls a method with a function for the values of a type.
macro_rules! by_type {
    ($action:ident.$method:ident, $kind:expr, |$($a:ident),*| $body:expr) => {
        match $kind {
            Kind::Bool | Kind::U8 => $action.$method(|$($a: u8),*| $body),
            Kind::I32 => $action.$method(|$($a: i32),*| $body),
            Kind::U32 => $action.$method(|$($a: u32),*| $body),
            Kind::I64 => $action.$method(|$($a: i64),*| $body),
            Kind::U64 => $action.$method(|$($a: u64),*| $body),
            Kind::F32 => $action.$method(|$($a: f32),*| $body),
            Kind::F64 => $action.$method(|$($a: f64),*| $body),
        }
    };
}

/// Calls a method with a function for the values of a floating-point type.
macro_rules! by_float {
    ($action:ident.$method:ident, $kind:expr, |$($a:ident),*| $single:expr, $double:expr) => {
        match $kind {
            Kind::F32 => $action.$method(|$($a: f32),*| $single),
            _ => $action.$method(|$($a: f64),*| $double),
        }
    };
}

impl Body for Part<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let kind = self.action.kinds.0;
        match self.action.op {
            Op::Add if kind.is_float() => by_float!(self.two, kind, |a, b| a + b, a + b),
            Op::Subtract if kind.is_float() => by_float!(self.two, kind, |a, b| a - b, a - b),
            Op::Multiply if kind.is_float() => by_float!(self.two, kind, |a, b| a * b, a * b),
            Op::Divide => by_float!(self.two, kind, |a, b| a / b, a / b),
            Op::Add => by_size!(self.two, kind, |a, b| a.wrapping_add(b)),
            Op::Subtract => by_size!(self.two, kind, |a, b| a.wrapping_sub(b)),
            Op::Multiply => by_size!(self.two, kind, |a, b| a.wrapping_mul(b)),
            Op::And => by_size!(self.two, kind, |a, b| a & b),
            Op::Or => by_size!(self.two, kind, |a, b| a | b),
            Op::Xor => by_size!(self.two, kind, |a, b| a ^ b),
            Op::Min => by_type!(self.two, kind, |a, b| Element::minimum(a, b)),
            Op::Max => by_type!(self.two, kind, |a, b| Element::maximum(a, b)),
            Op::Equal if kind.is_float() => by_float!(self.two, kind, |a, b| u8::from(a == b), u8::from(a == b)),
            Op::Equal => by_size!(self.two, kind, |a, b| u8::from(a == b)),
            Op::Less => by_type!(self.two, kind, |a, b| u8::from(a < b)),
            Op::LessOrEqual => by_type!(self.two, kind, |a, b| u8::from(a <= b)),
            Op::Negate if kind.is_float() => by_float!(self.one, kind, |a| -a, -a),
            Op::Negate => by_size!(self.one, kind, |a| a.wrapping_neg()),
            Op::Absolute => match kind {
                Kind::I32 => self.one(i32::wrapping_abs),
                Kind::I64 => self.one(i64::wrapping_abs),
                _ => by_float!(self.one, kind, |a| a.abs(), a.abs()),
            },
            Op::Sqrt => by_float!(self.one, kind, |a| a.sqrt(), a.sqrt()),
            Op::Exp => by_float!(self.one, kind, |a| math::exp_f32(a), math::exp_f64(a)),
            Op::Log => by_float!(self.one, kind, |a| math::log_f32(a), math::log_f64(a)),
            Op::Floor => by_float!(self.one, kind, |a| a.floor(), a.floor()),
            Op::Select => match kind.bytes() {
                1 => self.select::<u8>(),
                4 => self.select::<u32>(),
                _ => self.select::<u64>(),
            },
            Op::Cast => self.cast(),
            Op::FloorDivide | Op::Remainder => self.divide_integers(),
            Op::Input(_) | Op::Constant(_) => {}
        }
    }
}

impl Part<'_> {
    #[inline(always)]
    fn cast(self) {
        macro_rules! to {
            ($($t:ty),* => $r:ty) => {
                match self.action.kinds.0 {
                    $(kind if kind == <$t as Named>::KIND => self.one(|a: $t| a as $r),)*
                    _ => {}
                }
            };
        }
        match self.action.kinds.1 {
            Kind::Bool if self.action.kinds.0.is_float() => {
                by_float!(self.one, self.action.kinds.0, |a| u8::from(a != 0.0), u8::from(a != 0.0));
            }
            Kind::Bool => by_size!(self.one, self.action.kinds.0, |a| u8::from(a != 0)),
            Kind::U8 => match self.action.kinds.0 {
                Kind::I32 | Kind::U32 => self.one(|a: u32| a as u8),
                Kind::I64 | Kind::U64 => self.one(|a: u64| a as u8),
                _ => to!(f32, f64 => u8),
            },
            Kind::I32 | Kind::U32 if !self.action.kinds.0.is_float() => match self.action.kinds.0.bytes() {
                1 => self.one(|a: u8| u32::from(a)),
                _ => self.one(|a: u64| a as u32),
            },
            Kind::I64 | Kind::U64 if !self.action.kinds.0.is_float() => match self.action.kinds.0 {
                Kind::I32 => self.one(|a: i32| i64::from(a)),
                Kind::U32 => self.one(|a: u32| u64::from(a)),
                _ => self.one(|a: u8| u64::from(a)),
            },
            Kind::I32 => to!(f32, f64 => i32),
            Kind::U32 => to!(f32, f64 => u32),
            Kind::I64 => to!(f32, f64 => i64),
            Kind::U64 => to!(f32, f64 => u64),
            Kind::F32 => match self.action.kinds.0 {
                Kind::Bool => self.one(|a: u8| f32::from(a)),
                _ => to!(u8, i32, u32, i64, u64, f64 => f32),
            },
            Kind::F64 => match self.action.kinds.0 {
                Kind::Bool => self.one(|a: u8| f64::from(a)),
                _ => to!(u8, i32, u32, i64, u64, f32 => f64),
            },
        }
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
