//! 16-bit floating-point arithmetic, single and packed.

use warpwise_ptx::ast::{Instruction, ScalarType};

use super::arithmetic::pure;
use super::lowering::Lowering;
use super::modifiers::Modifiers;
use crate::float::{Bf16, F16, Half16, HalfMode, MinMax, packed};
use crate::lanes::pure::rare_quaternary;
use crate::lanes::{Handler, Op};

#[inline(always)]
fn mode(k: i64) -> HalfMode {
    HalfMode { ftz: k & 1 != 0, sat: k & 2 != 0, relu: k & 4 != 0 }
}

#[inline(always)]
fn min_max(k: i64) -> MinMax {
    MinMax { ftz: k & 1 != 0, nan: k & 8 != 0, xorsign_abs: k & 16 != 0, abs: false }
}

pub(super) fn decode(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>, ty: ScalarType) -> Option<Op> {
    if m.types() > 1 {
        return None;
    }
    let run = match ty {
        ScalarType::F16 => single::<F16>(&i.opcode)?,
        ScalarType::Bf16 => single::<Bf16>(&i.opcode)?,
        ScalarType::F16x2 => pair::<F16>(&i.opcode)?,
        _ => pair::<Bf16>(&i.opcode)?,
    };
    let imm = i64::from(m.ftz())
        | i64::from(m.sat()) << 1
        | i64::from(m.has("relu")) << 2
        | i64::from(m.has("NaN")) << 3
        | i64::from(m.has("xorsign")) << 4;
    let decoded = pure(cx, i, run, ty, ty)?;
    // The handlers read three sources; absent ones repeat the first.
    let sources = i.operands.len() - 1;
    let fill = |slot: u32, n: usize| if sources > n { slot } else { decoded.a };
    Some(Op { b: fill(decoded.b, 1), c: fill(decoded.c, 2), imm, ..decoded })
}

fn single<H: Half16 + 'static>(opcode: &str) -> Option<Handler> {
    Some(match opcode {
        "add" => rare_quaternary(|a: u16, b: u16, _: u16, k| H::add(a, b, mode(k))),
        "sub" => rare_quaternary(|a: u16, b: u16, _: u16, k| H::sub(a, b, mode(k))),
        "mul" => rare_quaternary(|a: u16, b: u16, _: u16, k| H::mul(a, b, mode(k))),
        "fma" => rare_quaternary(|a: u16, b: u16, c: u16, k| H::fma(a, b, c, mode(k))),
        "min" => rare_quaternary(|a: u16, b: u16, _: u16, k| H::min(a, b, min_max(k))),
        "max" => rare_quaternary(|a: u16, b: u16, _: u16, k| H::max(a, b, min_max(k))),
        "neg" => rare_quaternary(|a: u16, _: u16, _: u16, k| H::neg(a, k & 1 != 0)),
        "abs" => rare_quaternary(|a: u16, _: u16, _: u16, k| H::abs(a, k & 1 != 0)),
        "ex2" => rare_quaternary(|a: u16, _: u16, _: u16, k| H::ex2(a, k & 1 != 0)),
        "tanh" => rare_quaternary(|a: u16, _: u16, _: u16, _| H::tanh(a)),
        _ => return None,
    })
}

fn pair<H: Half16 + 'static>(opcode: &str) -> Option<Handler> {
    Some(match opcode {
        "add" => rare_quaternary(|a, b, _: u32, k| packed::map2(a, b, |a, b| H::add(a, b, mode(k)))),
        "sub" => rare_quaternary(|a, b, _: u32, k| packed::map2(a, b, |a, b| H::sub(a, b, mode(k)))),
        "mul" => rare_quaternary(|a, b, _: u32, k| packed::map2(a, b, |a, b| H::mul(a, b, mode(k)))),
        "fma" => rare_quaternary(|a, b, c, k| packed::map3(a, b, c, |a, b, c| H::fma(a, b, c, mode(k)))),
        "min" => rare_quaternary(|a, b, _: u32, k| packed::map2(a, b, |a, b| H::min(a, b, min_max(k)))),
        "max" => rare_quaternary(|a, b, _: u32, k| packed::map2(a, b, |a, b| H::max(a, b, min_max(k)))),
        "neg" => rare_quaternary(|a, _: u32, _: u32, k| packed::map(a, |a| H::neg(a, k & 1 != 0))),
        "abs" => rare_quaternary(|a, _: u32, _: u32, k| packed::map(a, |a| H::abs(a, k & 1 != 0))),
        "ex2" => rare_quaternary(|a, _: u32, _: u32, k| packed::map(a, |a| H::ex2(a, k & 1 != 0))),
        "tanh" => rare_quaternary(|a, _: u32, _: u32, _| packed::map(a, H::tanh)),
        _ => return None,
    })
}
