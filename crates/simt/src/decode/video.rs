//! Video instructions: arithmetic on bytes and half-words of registers, with a second operation or a merge.
//!
//! They are rare, so one handler interprets a description of the instruction, lane by lane.

use warpwise_ptx::ast::{Instruction, Operand, ScalarType};

use super::lowering::{Lowering, op};
use super::modifiers::Modifiers;
use crate::image::{Comparison, Second, Video, VideoKind as Kind};
use crate::lanes::{Flow, Op, lanes_of};
use crate::warp::Warp;

/// The part of a register that `.b0` to `.b3`, `.h0` and `.h1` name: first bit and width.
fn part(operand: &Operand) -> Option<(u32, u32)> {
    match operand {
        Operand::Part(_, name) => Some(match &**name {
            "b0" => (0, 8),
            "b1" => (8, 8),
            "b2" => (16, 8),
            "b3" => (24, 8),
            "h0" => (0, 16),
            "h1" => (16, 16),
            _ => return None,
        }),
        _ => Some((0, 32)),
    }
}

/// An operand without its sign, and whether it had one.
fn unsigned(operand: &Operand) -> (&Operand, bool) {
    match operand {
        Operand::Minus(inner) => (inner, true),
        other => (other, false),
    }
}

/// The register of an operand, regardless of the part.
fn whole(operand: &Operand) -> Operand {
    match operand {
        Operand::Part(id, _) => Operand::Register(*id),
        other => other.clone(),
    }
}

/// The elements that a packed operand takes: `h10`, `b7430` and so on, written highest first.
fn selection(operand: &Operand, elements: u32, default: [u8; 4]) -> Option<[u8; 4]> {
    let Operand::Part(_, name) = operand else { return Some(default) };
    let letter = if elements == 2 { 'h' } else { 'b' };
    let digits = name.strip_prefix(letter)?;
    (digits.len() == elements as usize).then_some(())?;
    let mut chosen = [0; 4];
    for (at, digit) in digits.bytes().rev().enumerate() {
        chosen[at] = digit.checked_sub(b'0').filter(|&d| u32::from(d) < 2 * elements)?;
    }
    Some(chosen)
}

pub(super) fn decode(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    let (name, elements) = match i.opcode.strip_suffix(['2', '4']) {
        Some(name) => (name, u32::from(i.opcode.as_bytes()[i.opcode.len() - 1] - b'0')),
        None => (&*i.opcode, 1),
    };
    let kind = match name {
        "vadd" => Kind::Add,
        "vsub" => Kind::Sub,
        "vabsdiff" => Kind::AbsDiff,
        "vmin" => Kind::Min,
        "vmax" => Kind::Max,
        "vshl" => Kind::Shl,
        "vshr" => Kind::Shr,
        "vmad" => Kind::Mad,
        "vavrg" => Kind::Average,
        "vset" => Kind::Set(match m.one_of(&["eq", "ne", "lt", "le", "gt", "ge"])? {
            "eq" => Comparison::Eq,
            "ne" => Comparison::Ne,
            "lt" => Comparison::Lt,
            "le" => Comparison::Le,
            "gt" => Comparison::Gt,
            _ => Comparison::Ge,
        }),
        _ => return None,
    };
    let signed = |n: usize| m.type_at(n).map(ScalarType::is_signed);
    // `vset` has no destination type: the second operation is signed if an operand is.
    let signed = match kind {
        Kind::Set(_) => [signed(0)? || signed(1)?, signed(0)?, signed(1)?],
        _ => [signed(0)?, signed(1)?, signed(2)?],
    };
    let (d, a, b, c) = match &i.operands[..] {
        [d, a, b] => (d, a, b, None),
        [d, a, b, c] => (d, a, b, Some(c)),
        _ => return None,
    };
    let (a, minus_a) = unsigned(a);
    let (b, minus_b) = unsigned(b);
    let (c, minus_c) = c.map_or((None, false), |c| {
        let (c, minus) = unsigned(c);
        (Some(c), minus)
    });
    let negate = [minus_a != minus_b, minus_c];
    (kind == Kind::Mad || negate == [false; 2]).then_some(())?;
    let merge = matches!(d, Operand::Part(..));
    let second = match (c, m.one_of(&["add", "min", "max"]), kind) {
        (None, ..) | (_, _, Kind::Mad) => Second::None,
        (Some(_), Some("add"), _) => Second::Add,
        (Some(_), Some("min"), _) => Second::Min,
        (Some(_), Some("max"), _) => Second::Max,
        (Some(_), ..) if merge && elements == 1 => {
            let (first, width) = part(d)?;
            Second::Merge(first, width)
        }
        _ => Second::None,
    };
    let mut video = Video {
        kind,
        elements,
        signed,
        sat: m.sat(),
        wrap: m.has("wrap"),
        scale: if m.has("shr7") {
            7
        } else if m.has("shr15") {
            15
        } else {
            0
        },
        plus_one: m.has("po"),
        negate,
        second,
        parts: [(0, 32); 2],
        select: [[0, 1, 2, 3], [0, 1, 2, 3]],
        mask: 0xf,
    };
    if elements == 1 {
        video.parts = [part(a)?, part(b)?];
    } else {
        let n = elements as u8;
        video.select = [selection(a, elements, [0, 1, 2, 3])?, selection(b, elements, [n, n + 1, n + 2, n + 3])?];
        if let Operand::Part(_, name) = d {
            video.mask = name[1..].bytes().try_fold(0u8, |mask, digit| {
                let at = digit.checked_sub(b'0').filter(|&at| at < n)?;
                Some(mask | 1 << at)
            })?;
        }
    }
    let slot = |cx: &mut Lowering<'_>, operand: &Operand| cx.src(&whole(operand), ScalarType::B32);
    let (a, b) = (slot(cx, a)?, slot(cx, b)?);
    let c = match c {
        Some(c) => slot(cx, c)?,
        None => cx.number(0, 4),
    };
    let d = cx.dst(&whole(d), 4)?;
    let aux = cx.parts.videos.len() as u32;
    cx.parts.videos.push(video);
    Some(Op { aux, ..op(run, d, &[a, b, c]) })
}

unsafe fn run(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    let video = warp.launch.image.videos[op.aux as usize];
    for lane in lanes_of(mask) {
        // SAFETY: the decoder chose 32-bit slots.
        unsafe {
            let [a, b, c] = [op.a, op.b, op.c].map(|slot| *warp.slot::<u32>(slot).add(lane));
            *warp.slot::<u32>(op.d).add(lane) = video.apply(a, b, c);
        }
    }
    Flow::Next
}

/// The number in some bits of a word.
fn extract(word: u64, first: u32, width: u32, signed: bool) -> i64 {
    let bits = word >> first & ((1 << width) - 1);
    if signed && bits >> (width - 1) & 1 == 1 { bits as i64 - (1 << width) } else { bits as i64 }
}

/// The range of a number of that width.
fn clamp(value: i64, width: u32, signed: bool) -> i64 {
    if signed { value.clamp(-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { value.clamp(0, (1 << width) - 1) }
}

impl Video {
    fn apply(&self, a: u32, b: u32, c: u32) -> u32 {
        if self.elements == 1 { self.scalar(a, b, c) } else { self.packed(a, b, c) }
    }

    /// The first operation on two numbers.
    fn first(&self, a: i64, b: i64) -> i64 {
        match self.kind {
            Kind::Add => a + b,
            Kind::Sub => a - b,
            Kind::AbsDiff => (a - b).abs(),
            Kind::Min => a.min(b),
            Kind::Max => a.max(b),
            Kind::Shl => {
                let n = if self.wrap { b & 31 } else { b.clamp(0, 32) };
                a << n
            }
            Kind::Shr => {
                let n = if self.wrap { b & 31 } else { b.clamp(0, 32) };
                a >> n
            }
            Kind::Mad => 0,
            // Rounds halves away from zero.
            Kind::Average => (a + b + i64::from(a + b >= 0)) >> 1,
            Kind::Set(comparison) => {
                let holds = match comparison {
                    Comparison::Eq => a == b,
                    Comparison::Ne => a != b,
                    Comparison::Lt => a < b,
                    Comparison::Le => a <= b,
                    Comparison::Gt => a > b,
                    Comparison::Ge => a >= b,
                };
                i64::from(holds)
            }
        }
    }

    fn scalar(&self, a: u32, b: u32, c: u32) -> u32 {
        let [signed_d, signed_a, signed_b] = self.signed;
        let [(a_first, a_width), (b_first, b_width)] = self.parts;
        let x = extract(a.into(), a_first, a_width, signed_a);
        let y = match self.kind {
            // A shift count is a plain number.
            Kind::Shl | Kind::Shr => extract(b.into(), b_first, b_width, false),
            _ => extract(b.into(), b_first, b_width, signed_b),
        };
        if self.kind == Kind::Mad {
            let c = if signed_a || signed_b { i64::from(c as i32) } else { i64::from(c) };
            let sign = |negate: bool| if negate { -1 } else { 1 };
            let product = i128::from(x) * i128::from(y) * sign(self.negate[0]);
            let sum = product + i128::from(c) * sign(self.negate[1]) + i128::from(self.plus_one);
            if !self.sat {
                // Hardware shifts the 32-bit sum with its sign, for any type.
                return (sum as i32 >> self.scale) as u32;
            }
            let (low, high) = if signed_d { (i32::MIN.into(), i32::MAX.into()) } else { (0, u32::MAX.into()) };
            return (sum >> self.scale).clamp(low, high) as u32;
        }
        let mut value = self.first(x, y);
        if let Second::Merge(first, width) = self.second {
            if self.sat {
                value = clamp(value, width, signed_d);
            }
            let ones = (((1u64 << width) - 1) << first) as u32;
            // Hardware moves the low byte to where it belongs, but takes the upper half-word from its own place.
            let shift = if width == 16 { 0 } else { first };
            return c & !ones | (value as u32) << shift & ones;
        }
        if self.sat {
            value = clamp(value, 32, signed_d);
        }
        let (v, c) = match signed_d {
            true => (i64::from(value as i32), i64::from(c as i32)),
            false => (i64::from(value as u32), i64::from(c)),
        };
        match self.second {
            Second::Add => (v as u32).wrapping_add(c as u32),
            Second::Min => v.min(c) as u32,
            Second::Max => v.max(c) as u32,
            _ => v as u32,
        }
    }

    fn packed(&self, a: u32, b: u32, c: u32) -> u32 {
        let [signed_d, signed_a, signed_b] = self.signed;
        let width = 32 / self.elements;
        let both = u64::from(b) << 32 | u64::from(a);
        let mut sum = c;
        let mut merged = c;
        for n in 0..self.elements {
            if self.mask >> n & 1 == 0 {
                continue;
            }
            let pick = |which: usize| u32::from(self.select[which][n as usize]) * width;
            let x = extract(both, pick(0), width, signed_a);
            let y = extract(both, pick(1), width, signed_b);
            let mut value = self.first(x, y);
            if self.sat {
                value = clamp(value, width, signed_d);
            }
            let ones = ((1u64 << width) - 1) as u32;
            match self.second {
                // The elements' results are added as they are, without wrapping to their width first.
                Second::Add => sum = sum.wrapping_add(value as u32),
                _ => merged = merged & !(ones << (n * width)) | (value as u32 & ones) << (n * width),
            }
        }
        if self.second == Second::Add { sum } else { merged }
    }
}
