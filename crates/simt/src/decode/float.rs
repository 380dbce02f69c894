//! Single and double precision arithmetic.

use warpwise_ptx::ast::{Instruction, ScalarType};

use super::arithmetic::pure;
use super::lowering::{Lowering, op};
use super::modifiers::Modifiers;
use crate::float::class::{self, Property};
use crate::float::{MinMax, Mode, Rounding, approx, double, minmax, single};
use crate::lanes::pure::{
    binary, compare, occasional_quaternary, occasional_unary, rare_binary, rare_quaternary, rare_ternary, rare_unary,
    ternary, unary,
};
use crate::lanes::{Handler, Op};

/// Packs an instruction's modifiers into a constant.
fn pack(m: &Modifiers<'_>) -> i64 {
    let rounding = match m.rounding().unwrap_or(Rounding::NearestEven) {
        Rounding::TowardZero => 1,
        Rounding::Down => 2,
        Rounding::Up => 3,
        _ => 0,
    };
    rounding | i64::from(m.ftz()) << 2 | i64::from(m.sat()) << 3
}

#[inline(always)]
fn rounding_of(k: i64) -> Rounding {
    match k & 3 {
        1 => Rounding::TowardZero,
        2 => Rounding::Down,
        3 => Rounding::Up,
        _ => Rounding::NearestEven,
    }
}

#[inline(always)]
fn mode_of(k: i64) -> Mode {
    Mode { rounding: rounding_of(k), ftz: k & 4 != 0, sat: k & 8 != 0 }
}

pub(super) fn decode(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>, ty: ScalarType) -> Option<Op> {
    if &*i.opcode == "testp" {
        return test_property(cx, i, m, ty);
    }
    // `add.f32.f16` and the like mix precisions; the emulator does not know them.
    if m.types() > 1 {
        return None;
    }
    let run = if ty == ScalarType::F32 { f32_handler(cx, i, m)? } else { f64_handler(cx, i, m)? };
    let decoded = pure(cx, i, run, ty, ty)?;
    // Handlers that take the modifiers as a constant read all three sources; absent ones repeat the first.
    let sources = i.operands.len() - 1;
    let fill = |slot: u32, n: usize| if sources > n { slot } else { decoded.a };
    Some(Op { b: fill(decoded.b, 1), c: fill(decoded.c, 2), imm: pack(m), ..decoded })
}

fn f32_handler(cx: &Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Handler> {
    let level = cx.level;
    let k = pack(m);
    let (plain, flush) = (k == 0, k == 4);
    let ftz = m.ftz();
    Some(match &*i.opcode {
        "add" if plain => binary(level, single::add),
        "sub" if plain => binary(level, single::sub),
        "mul" if plain => binary(level, single::mul),
        "fma" | "mad" if plain => ternary(level, single::fma),
        "add" if flush => binary(level, |a, b| flushed(single::add(single::flush(a), single::flush(b)))),
        "sub" if flush => binary(level, |a, b| flushed(single::sub(single::flush(a), single::flush(b)))),
        "mul" if flush => binary(level, |a, b| flushed(single::mul(single::flush(a), single::flush(b)))),
        "fma" | "mad" if flush => {
            ternary(level, |a, b, c| flushed(single::fma(single::flush(a), single::flush(b), single::flush(c))))
        }
        "add" => rare_quaternary(|a, b, _: f32, k| single::add_mode(a, b, mode_of(k))),
        "sub" => rare_quaternary(|a, b, _: f32, k| single::sub_mode(a, b, mode_of(k))),
        "mul" => rare_quaternary(|a, b, _: f32, k| single::mul_mode(a, b, mode_of(k))),
        "fma" | "mad" => rare_quaternary(|a, b, c, k| single::fma_mode(a, b, c, mode_of(k))),
        "div" if m.has("approx") => occasional_quaternary(level, |a, b, _: f32, k| approx::div(a, b, k & 4 != 0)),
        "div" if m.has("full") => occasional_quaternary(level, |a, b, _: f32, k| approx::div_full(a, b, k & 4 != 0)),
        "div" if plain => binary(level, single::div),
        "div" => rare_quaternary(|a, b, _: f32, k| single::div_mode(a, b, mode_of(k))),
        "rcp" if m.has("approx") => occasional_quaternary(level, |a, _: f32, _: f32, k| approx::rcp(a, k & 4 != 0)),
        "rcp" => rare_quaternary(|a, _: f32, _: f32, k| single::rcp_mode(a, mode_of(k))),
        "sqrt" if m.has("approx") => occasional_quaternary(level, |a, _: f32, _: f32, k| approx::sqrt(a, k & 4 != 0)),
        "sqrt" if plain => unary(level, single::sqrt),
        "sqrt" => rare_quaternary(|a, _: f32, _: f32, k| single::sqrt_mode(a, mode_of(k))),
        "rsqrt" => occasional_quaternary(level, |a, _: f32, _: f32, k| approx::rsqrt(a, k & 4 != 0)),
        "sin" => occasional_quaternary(level, |a, _: f32, _: f32, k| approx::sin(a, k & 4 != 0)),
        "cos" => occasional_quaternary(level, |a, _: f32, _: f32, k| approx::cos(a, k & 4 != 0)),
        "ex2" => occasional_quaternary(level, |a, _: f32, _: f32, k| approx::ex2(a, k & 4 != 0)),
        "lg2" => occasional_quaternary(level, |a, _: f32, _: f32, k| approx::lg2(a, k & 4 != 0)),
        "tanh" => occasional_unary(level, approx::tanh),
        "abs" if ftz => unary(level, |a| class::abs_f32(a, true)),
        "abs" => unary(level, |a| class::abs_f32(a, false)),
        "neg" if ftz => unary(level, |a| class::neg_f32(a, true)),
        "neg" => unary(level, |a| class::neg_f32(a, false)),
        "copysign" => binary(level, class::copysign_f32),
        "min" | "max" => return min_max(cx, i, m),
        _ => return None,
    })
}

/// A result that `.ftz` flushes.
#[inline(always)]
fn flushed(x: f32) -> f32 {
    single::flush(x)
}

fn min_max(cx: &Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Handler> {
    let three = i.operands.len() == 4;
    let plain = !m.ftz() && !m.has("NaN") && !m.has("xorsign") && !m.has("abs");
    let min = &*i.opcode == "min";
    if plain && !three {
        return Some(if min { binary(cx.level, minmax::min_f32) } else { binary(cx.level, minmax::max_f32) });
    }
    let xorsign_abs = m.has("xorsign");
    let how = MinMax { ftz: m.ftz(), nan: m.has("NaN"), xorsign_abs, abs: m.has("abs") && !xorsign_abs };
    // One instance for each combination that occurs; the handler's constant is taken by the rounding.
    macro_rules! instances {
        ($($ftz:literal $nan:literal $xor:literal $abs:literal),* $(,)?) => {
            match (how.ftz, how.nan, how.xorsign_abs, how.abs) {
                $(($ftz, $nan, $xor, $abs) => {
                    const HOW: MinMax = MinMax { ftz: $ftz, nan: $nan, xorsign_abs: $xor, abs: $abs };
                    Some(match (min, three) {
                        (true, false) => rare_binary(|a, b| minmax::minimum_f32(a, b, HOW)),
                        (false, false) => rare_binary(|a, b| minmax::maximum_f32(a, b, HOW)),
                        (true, true) => rare_ternary(|a, b, c| minmax::minimum3_f32(a, b, c, HOW)),
                        (false, true) => rare_ternary(|a, b, c| minmax::maximum3_f32(a, b, c, HOW)),
                    })
                })*
                _ => None,
            }
        };
    }
    instances!(
        false false false false, true false false false, false true false false, true true false false,
        false false true false, true false true false, false true true false, true true true false,
        false false false true, true false false true, false true false true, true true false true,
    )
}

fn f64_handler(cx: &Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Handler> {
    let level = cx.level;
    let near = matches!(m.rounding(), None | Some(Rounding::NearestEven));
    Some(match &*i.opcode {
        "add" if near => binary(level, double::add),
        "sub" if near => binary(level, double::sub),
        "mul" if near => binary(level, double::mul),
        "fma" | "mad" if near => ternary(level, double::fma),
        "add" => rare_quaternary(|a, b, _: f64, k| double::add_rounded(a, b, rounding_of(k))),
        "sub" => rare_quaternary(|a, b, _: f64, k| double::sub_rounded(a, b, rounding_of(k))),
        "mul" => rare_quaternary(|a, b, _: f64, k| double::mul_rounded(a, b, rounding_of(k))),
        "fma" | "mad" => rare_quaternary(|a, b, c, k| double::fma_rounded(a, b, c, rounding_of(k))),
        "div" if near => binary(level, double::div),
        "div" => rare_quaternary(|a, b, _: f64, k| double::div_rounded(a, b, rounding_of(k))),
        "rcp" if m.has("approx") => rare_unary(approx::rcp_f64),
        "rcp" => rare_quaternary(|a, _: f64, _: f64, k| double::rcp_rounded(a, rounding_of(k))),
        "sqrt" if near => unary(level, double::sqrt),
        "sqrt" => rare_quaternary(|a, _: f64, _: f64, k| double::sqrt_rounded(a, rounding_of(k))),
        "rsqrt" if m.ftz() => rare_unary(approx::rsqrt_f64),
        // Without `.ftz` it is accurate to about the last bit.
        "rsqrt" => rare_unary(|a: f64| double::rcp_rounded(double::sqrt(a), Rounding::NearestEven)),
        "abs" => unary(level, class::abs_f64),
        "neg" => unary(level, class::neg_f64),
        "copysign" => binary(level, class::copysign_f64),
        "min" => binary(level, minmax::min_f64),
        "max" => binary(level, minmax::max_f64),
        _ => return None,
    })
}

/// `testp`: a property of a number, as a predicate.
fn test_property(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>, ty: ScalarType) -> Option<Op> {
    let [d, a] = &i.operands[..] else { return None };
    let property = m.words().iter().find_map(|w| Property::parse(w))?;
    macro_rules! instances {
        ($($property:ident),*) => {
            match (property, ty) {
                $(
                    (Property::$property, ScalarType::F32) => {
                        compare(cx.level, false, |a: f32, _: f32| Property::$property.holds_f32(a))
                    }
                    (Property::$property, _) => {
                        compare(cx.level, false, |a: f64, _: f64| Property::$property.holds_f64(a))
                    }
                )*
            }
        };
    }
    let run = instances!(Finite, Infinite, Number, NotANumber, Normal, Subnormal);
    let a = cx.src(a, ty)?;
    let d = cx.pred_dst(d)?;
    Some(op(run, d, &[a, a]))
}
