//! Floating-point arithmetic of the emulated machine, as pure functions over values and bit patterns.
//!
//! Nothing here knows about instructions, registers or lanes, and nothing panics for any input. `f32` and `f64`
//! operands are Rust values; the 16-bit and smaller formats are bit patterns.
//!
//! # Index
//!
//! | module | what it computes |
//! |---|---|
//! | [`rounding`] | [`Rounding`] (`.rn .rz .rm .rp .rna`, `.rni` ...) and [`Mode`] (rounding, `.ftz`, `.sat`) |
//! | [`single`] | f32: `add sub mul fma` (nearest even, vectorisable), `add_mode sub_mode mul_mode fma_mode div_mode rcp_mode sqrt_mode` (any [`Mode`]), `flush`, `saturate` |
//! | [`double`] | f64: `add sub mul fma`, `add_rounded ... sqrt_rounded` (any [`Rounding`]) |
//! | [`small`] | [`Half16`]: the operations shared by [`F16`] and [`Bf16`] on `u16` bits: `F16::add(a, b, HalfMode)`, `sub mul fma min max neg abs ex2 tanh compare round_integral flush saturate relu`, `to_f32`, `from_f32`, `from_f64`; on packed pairs `add2 sub2 mul2 fma2` |
//! | [`packed`] | two 16-bit values in a `u32`: `pack split map map2 map3` (for operations [`Half16`] has no packed form of) |
//! | [`minmax`] | `min_f32 max_f32 min_f64 max_f64` and the full forms `minimum_f32(a, b, MinMax)` ... with `.ftz .NaN .xorsign.abs`, three inputs |
//! | [`class`] | `neg_f32 abs_f32 copysign_f32` (and f64), [`class::Property`] for `testp` |
//! | [`convert_float`] | [`FloatType`], [`FloatCvt`], [`convert_float::convert`]: float to float, every pair and modifier |
//! | [`convert_int`] | [`IntType`], `float_to_int`, `int_to_float`, `round_integral_f32`, `round_integral_f64` |
//! | [`fp8`] | [`Fp8`] (`e4m3`, `e5m2`): `encode_f32 to_f32 pack_f32 pack_f16x2 unpack_f16x2` |
//! | [`half`] | [`Half`]: f16 and bf16 for callers outside of the crate |
//! | [`approx`] | `rcp rsqrt sqrt div div_full sin cos ex2 lg2 tanh` (f32), `rcp_f64 rsqrt_f64` (`.approx.ftz.f64`) |
//! | [`nan`] | the rule for the bits of every NaN result |
//! | [`soft`] | the exact integer arithmetic behind directed rounding and conversions |
//!
//! # Flush to zero
//!
//! With `.ftz` a subnormal operand counts as a zero of its sign and a subnormal result becomes one. A result is
//! judged after rounding to the destination: one that rounds up to the smallest normal number stays.
#![allow(dead_code, reason = "a complete set of operations: callers use the part they decode")]

pub(crate) mod approx;
pub(crate) mod bf16;
pub(crate) mod class;
pub(crate) mod convert_float;
pub(crate) mod convert_int;
pub(crate) mod double;
pub(crate) mod f16;
pub(crate) mod fp8;
mod half;
pub(crate) mod minmax;
pub(crate) mod nan;
pub(crate) mod odd;
pub(crate) mod packed;
pub(crate) mod rounding;
pub(crate) mod single;
pub(crate) mod small;
pub(crate) mod soft;
#[cfg(test)]
mod testing;

pub use self::half::Half;

#[allow(unused_imports, reason = "the names callers use, in one place")]
pub(crate) use self::{
    bf16::Bf16,
    convert_float::{FloatCvt, FloatType},
    convert_int::IntType,
    f16::F16,
    fp8::Fp8,
    minmax::MinMax,
    rounding::{Mode, Rounding},
    small::{Half16, HalfMode},
};
