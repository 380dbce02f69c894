//! Comparison and selection: `set`, `setp`, `selp`, `slct`.

use std::cmp::Ordering;

use warpwise_ptx::ast::{Instruction, Operand, ScalarType};

use super::arithmetic::with_int;
use super::bits::with_width;
use super::lowering::{Lowering, op};
use super::modifiers::Modifiers;
use crate::float::{Bf16, F16, Half16, single};
use crate::lanes::pure::{OPPOSITE, compare, rare_ternary, select, set};
use crate::lanes::{Handler, Lane, Level, Op};

/// The comparison operators, as words and as what they hold for.
const WORDS: [&str; 18] = [
    "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan",
];

pub(super) fn decode(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    match &*i.opcode {
        "setp" => set_predicate(cx, i, m),
        "set" => set_value(cx, i, m),
        "selp" => {
            let ty = m.ty()?;
            let [d, a, b, c] = &i.operands[..] else { return None };
            let (a, b) = (cx.src(a, ty)?, cx.src(b, ty)?);
            let (c, negated) = cx.pred(c)?;
            let d = cx.dst(d, ty.bytes())?;
            let run = with_width!(ty.bytes(), T => select::<T>(cx.level))?;
            Some(Op { aux: u32::from(negated) << 2, ..op(run, d, &[a, b, c]) })
        }
        "slct" => {
            let (ty, by) = (m.type_at(0)?, m.type_at(1)?);
            let [d, a, b, c] = &i.operands[..] else { return None };
            let (a, b, c) = (cx.src(a, ty)?, cx.src(b, ty)?, cx.src(c, by)?);
            let d = cx.dst(d, ty.bytes())?;
            let run = match (by, m.ftz()) {
                (ScalarType::S32, _) => {
                    with_width!(ty.bytes(), T => rare_ternary(|a: T, b: T, c: i32| if c >= 0 { a } else { b }))?
                }
                (ScalarType::F32, false) => {
                    with_width!(ty.bytes(), T => rare_ternary(|a: T, b: T, c: f32| if c >= 0.0 { a } else { b }))?
                }
                (ScalarType::F32, true) => with_width!(ty.bytes(), T => {
                    rare_ternary(|a: T, b: T, c: f32| if single::flush(c) >= 0.0 { a } else { b })
                })?,
                _ => return None,
            };
            Some(op(run, d, &[a, b, c]))
        }
        _ => None,
    }
}

/// How the comparison is combined with a predicate, as [`crate::lanes::pure::combine`] takes it.
fn combination(m: &Modifiers<'_>) -> u32 {
    match m.one_of(&["and", "or", "xor"]) {
        Some("and") => 1,
        Some("or") => 2,
        Some(_) => 3,
        None => 0,
    }
}

fn set_predicate(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    let ty = m.ty()?;
    let (d, a, b, rest) = match &i.operands[..] {
        [d, a, b, rest @ ..] if rest.len() <= 1 => (d, a, b, rest),
        _ => return None,
    };
    let (a, b) = (cx.src(a, ty)?, cx.src(b, ty)?);
    let mut aux = combination(m);
    let mut c = 0;
    if let [with] = rest {
        let (slot, negated) = cx.pred(with)?;
        c = slot;
        aux |= u32::from(negated) << 2;
    }
    let (p, q) = match d {
        Operand::Pair(p, q) => (cx.pred_dst(p)?, Some(cx.pred_dst(q)?)),
        _ => (cx.pred_dst(d)?, None),
    };
    let word = m.one_of(&WORDS)?;
    if matches!(ty, ScalarType::F16x2 | ScalarType::Bf16x2) {
        let run = if ty == ScalarType::F16x2 { packed_handler::<F16> } else { packed_handler::<Bf16> };
        let code = WORDS.iter().position(|w| *w == word)? as u32 | u32::from(m.ftz()) << 5;
        let imm = i64::from(q.unwrap_or(0));
        return Some(Op { aux: aux | code << 3, imm, ..op(run, p, &[a, b, c]) });
    }
    let combined = q.is_some() || c != 0 || aux != 0;
    let op = comparison(cx, word, (ty, m.ftz()), Use::Predicate(combined), [p, a, b, c])?;
    Some(Op { aux: op.aux | aux, imm: q.map_or(0, i64::from), ..op })
}

/// `setp` on packed halves: one predicate for each half.
unsafe fn packed_handler<H: Half16>(warp: &mut crate::warp::Warp<'_>, op: &Op, mask: u32) -> crate::lanes::Flow {
    let (word, ftz) = (WORDS[(op.aux >> 3 & 31) as usize % WORDS.len()], op.aux >> 8 & 1 == 1);
    let (mut low, mut high) = (0, 0);
    // SAFETY: the decoder chose 32-bit slots and predicates.
    unsafe {
        for lane in crate::lanes::lanes_of(mask) {
            let (a, b) = (*warp.slot::<u32>(op.a).add(lane), *warp.slot::<u32>(op.b).add(lane));
            let test = |a: u16, b: u16| {
                let [a, b] = [a, b].map(|x| if ftz { H::flush(x) } else { x });
                holds(word, H::compare(a, b))
            };
            low |= u32::from(test(a as u16, b as u16)) << lane;
            high |= u32::from(test((a >> 16) as u16, (b >> 16) as u16)) << lane;
        }
        let with = warp.pred(op.c);
        warp.put_pred(op.d, mask, crate::lanes::pure::combine(op.aux, low, with));
        if op.imm != 0 {
            warp.put_pred(op.imm as u32, mask, crate::lanes::pure::combine(op.aux, high, with));
        }
    }
    crate::lanes::Flow::Next
}

/// Whether an operator holds for an ordering (`None`: unordered).
fn holds(word: &str, order: Option<Ordering>) -> bool {
    let (base, unordered) = match word {
        "num" => return order.is_some(),
        "nan" => return order.is_none(),
        "neu" | "equ" | "ltu" | "leu" | "gtu" | "geu" => (&word[..2], true),
        _ => (word, false),
    };
    match order {
        None => unordered,
        Some(order) => match base {
            "eq" => order == Ordering::Equal,
            "ne" => order != Ordering::Equal,
            "lt" => order == Ordering::Less,
            "le" => order != Ordering::Greater,
            "gt" => order == Ordering::Greater,
            _ => order != Ordering::Less,
        },
    }
}

/// `set`: all ones, or 1.0, if it holds.
fn set_value(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    let (to, ty) = (m.type_at(0)?, m.type_at(1)?);
    let (d, a, b, rest) = match &i.operands[..] {
        [d, a, b, rest @ ..] if rest.len() <= 1 => (d, a, b, rest),
        _ => return None,
    };
    let (a, b) = (cx.src(a, ty)?, cx.src(b, ty)?);
    let mut aux = combination(m);
    let mut c = 0;
    if let [with] = rest {
        let (slot, negated) = cx.pred(with)?;
        c = slot;
        aux |= u32::from(negated) << 2;
    }
    let word = m.one_of(&WORDS)?;
    let d = cx.dst(d, to.bytes())?;
    if matches!(ty, ScalarType::F16x2 | ScalarType::Bf16x2) {
        let run = if ty == ScalarType::F16x2 { packed_set::<F16> } else { packed_set::<Bf16> };
        let code = WORDS.iter().position(|w| *w == word)? as u32 | u32::from(m.ftz()) << 5;
        let float = i64::from(to.is_float());
        return Some(Op { aux: aux | code << 3, imm: float, ..op(run, d, &[a, b, c]) });
    }
    let imm = match to {
        ScalarType::F32 => i64::from(1f32.to_bits()),
        ScalarType::F16 => i64::from(F16::ONE),
        ScalarType::Bf16 => i64::from(Bf16::ONE),
        ScalarType::U32 | ScalarType::S32 | ScalarType::B32 => 0xffff_ffff,
        ScalarType::U16 | ScalarType::S16 | ScalarType::B16 => 0xffff,
        _ => return None,
    };
    let op = comparison(cx, word, (ty, m.ftz()), Use::Value, [d, a, b, c])?;
    Some(Op { aux: op.aux | aux | to.bytes() << 8, imm, ..op })
}

/// `set` on packed halves: each half becomes 1.0 or all ones.
unsafe fn packed_set<H: Half16>(warp: &mut crate::warp::Warp<'_>, op: &Op, mask: u32) -> crate::lanes::Flow {
    let (word, ftz) = (WORDS[(op.aux >> 3 & 31) as usize % WORDS.len()], op.aux >> 8 & 1 == 1);
    let one = if op.imm != 0 { u32::from(H::ONE) } else { 0xffff };
    // SAFETY: the decoder chose 32-bit slots and a predicate.
    unsafe {
        let with = warp.pred(op.c);
        for lane in crate::lanes::lanes_of(mask) {
            let (a, b) = (*warp.slot::<u32>(op.a).add(lane), *warp.slot::<u32>(op.b).add(lane));
            let test = |a: u16, b: u16| {
                let [a, b] = [a, b].map(|x| if ftz { H::flush(x) } else { x });
                let bit = u32::from(holds(word, H::compare(a, b)));
                crate::lanes::pure::combine(op.aux, bit, with >> lane) & 1
            };
            let low = test(a as u16, b as u16) * one;
            let high = test((a >> 16) as u16, (b >> 16) as u16) * one;
            *warp.slot::<u32>(op.d).add(lane) = high << 16 | low;
        }
    }
    crate::lanes::Flow::Next
}

/// The result of a comparison.
#[derive(Clone, Copy)]
enum Use {
    /// A predicate; true if it is combined with another or has a complement.
    Predicate(bool),
    /// A value.
    Value,
}

fn finish<A: Lane, B: Lane, F: Fn(A, B) -> bool + Copy + 'static>(level: Level, how: Use, f: F) -> Handler {
    match how {
        Use::Predicate(combined) => compare(level, combined, f),
        Use::Value => set(f),
    }
}

/// What is compiled for each type. Every operator is one of these, of operands in one order or the other, or the
/// opposite of that.
#[derive(Clone, Copy)]
enum Relation {
    Equal,
    Less,
    /// Less or equal, which is not the opposite of greater if one is not a number.
    NotGreater,
    /// Less or greater.
    Unequal,
    /// Both are numbers.
    Ordered,
}

/// An operator, as a relation.
#[derive(Clone, Copy)]
struct Test {
    relation: Relation,
    /// Of the second operand to the first.
    swapped: bool,
    /// Holds where the relation does not.
    opposite: bool,
}

impl Test {
    /// The operator that a word names, on numbers that are always ordered or on those that may not be.
    fn named(word: &str, floating: bool) -> Option<Self> {
        use Relation::{Equal, Less, NotGreater, Ordered, Unequal};
        let test = |relation, swapped, opposite| Some(Test { relation, swapped, opposite });
        match (word, floating) {
            ("eq", _) => test(Equal, false, false),
            ("lt", _) | ("lo", false) => test(Less, false, false),
            ("gt", _) | ("hi", false) => test(Less, true, false),
            ("ne", false) | ("neu", true) => test(Equal, false, true),
            ("ge" | "hs", false) | ("geu", true) => test(Less, false, true),
            ("le" | "ls", false) | ("leu", true) => test(Less, true, true),
            ("le", true) => test(NotGreater, false, false),
            ("ge", true) => test(NotGreater, true, false),
            ("gtu", true) => test(NotGreater, false, true),
            ("ltu", true) => test(NotGreater, true, true),
            ("ne", true) => test(Unequal, false, false),
            ("equ", true) => test(Unequal, false, true),
            ("num", true) => test(Ordered, false, false),
            ("nan", true) => test(Ordered, false, true),
            _ => None,
        }
    }
}

/// The instruction that compares `a` and `b` as a word says, for its other operands to be filled in.
fn comparison(
    cx: &Lowering<'_>,
    word: &str,
    (ty, ftz): (ScalarType, bool),
    how: Use,
    [d, a, b, c]: [u32; 4],
) -> Option<Op> {
    let test = Test::named(word, ty.is_float())?;
    // The words lo, ls, hi and hs compare as unsigned numbers for any type.
    let ty = match (ty, word) {
        (ScalarType::S16, "lo" | "ls" | "hi" | "hs") => ScalarType::U16,
        (ScalarType::S32, "lo" | "ls" | "hi" | "hs") => ScalarType::U32,
        (ScalarType::S64, "lo" | "ls" | "hi" | "hs") => ScalarType::U64,
        _ => ty,
    };
    let run = handler(cx.level, test.relation, ty, ftz, how)?;
    let (a, b) = if test.swapped { (b, a) } else { (a, b) };
    let aux = if test.opposite { OPPOSITE } else { 0 };
    Some(Op { aux, ..op(run, d, &[a, b, c]) })
}

/// The handler for a relation of values of a type.
fn handler(level: Level, relation: Relation, ty: ScalarType, ftz: bool, how: Use) -> Option<Handler> {
    Some(match ty {
        ScalarType::F32 if ftz => float_handler(level, relation, how, single::flush),
        ScalarType::F32 => float_handler(level, relation, how, |x: f32| x),
        ScalarType::F64 => float_handler(level, relation, how, |x: f64| x),
        ScalarType::F16 if ftz => float_handler(level, relation, how, |x: u16| F16::to_f32(F16::flush(x))),
        ScalarType::F16 => float_handler(level, relation, how, |x: u16| F16::to_f32(x)),
        ScalarType::Bf16 => float_handler(level, relation, how, |x: u16| Bf16::to_f32(x)),
        _ => match relation {
            Relation::Equal => with_width!(ty.bytes(), T => finish(level, how, |a: T, b: T| a == b))?,
            Relation::Less => with_int!(ty, T => finish(level, how, |a: T, b: T| a < b))?,
            _ => return None,
        },
    })
}

/// Relations of floating-point values, after `value` has made a number of the register's bits.
fn float_handler<A, V, F>(level: Level, relation: Relation, how: Use, _value: F) -> Handler
where
    A: Lane,
    V: PartialOrd + Copy,
    F: Fn(A) -> V + Copy + 'static,
{
    use crate::lanes::pure::conjure;
    macro_rules! test {
        (|$a:ident, $b:ident| $e:expr) => {
            finish(level, how, |a: A, b: A| {
                let value = conjure::<F>();
                let ($a, $b) = (value(a), value(b));
                $e
            })
        };
    }
    match relation {
        Relation::Equal => test!(|a, b| a == b),
        Relation::Less => test!(|a, b| a < b),
        Relation::NotGreater => test!(|a, b| a <= b),
        Relation::Unequal => test!(|a, b| a != b && a.partial_cmp(&b).is_some()),
        Relation::Ordered => test!(|a, b| a.partial_cmp(&b).is_some()),
    }
}
