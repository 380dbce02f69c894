//! What is doubtful of a result, given what is doubtful of the values that it is made from.
//!
//! Copies carry doubt byte by byte: moves, packing and unpacking, shifts, fields, permutations, conversions between
//! integers. Logic drops it where the other value decides: `false && x` is false whatever `x` is. All other results are
//! in doubt as a whole.

use warpwise_ptx::ast::{Instruction, ScalarType};

/// A value that an instruction takes, in one lane.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Source {
    /// What it is; `None` if that is not known here.
    pub(super) value: Option<u64>,
    /// A bit for each byte that is in doubt.
    pub(super) bytes: u16,
}

/// All bytes of a value of that width.
pub(super) fn whole(width: u32) -> u16 {
    if width >= 16 { u16::MAX } else { (1 << width) - 1 }
}

/// A bit for each bit of the bytes that are in doubt. Registers of 128 bits are only ever moved.
fn bits(bytes: u16) -> u64 {
    (0..8).filter(|byte| bytes >> byte & 1 == 1).fold(0, |bits, byte| bits | 0xff << (8 * byte))
}

/// The bytes that have any of these bits.
fn bytes(bits: u64) -> u16 {
    (0..8).filter(|byte| bits >> (8 * byte) & 0xff != 0).fold(0, |bytes, byte| bytes | 1 << byte)
}

/// The lowest bits.
fn low(count: u64) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// What is doubtful of the result of an instruction, which has that width (0 for a predicate).
pub(super) fn result(i: &Instruction, sources: &[Source], width: u32) -> u16 {
    let all = whole(width.max(1));
    let is_pred = width == 0;
    let any = || if sources.iter().any(|source| source.bytes != 0) { all } else { 0 };
    let found = match (&*i.opcode, sources) {
        ("mov" | "cvta", [a]) => a.bytes,
        ("cvt", [a]) => return convert(i, *a, width).unwrap_or_else(any),
        ("and", [a, b]) => both(*a, *b, |value| value == Some(0), is_pred),
        ("or", [a, b]) => {
            let ones = if is_pred { 1 } else { 0xff };
            both(*a, *b, |value| value == Some(ones), is_pred)
        }
        ("xor", [a, b]) => a.bytes | b.bytes,
        ("not", [a]) => a.bytes,
        ("lop3", [a, b, c, ..]) => a.bytes | b.bytes | c.bytes,
        ("selp", [a, b, choice]) => match choice.value {
            _ if choice.bytes != 0 && (a.value != b.value || a.value.is_none() || a.bytes | b.bytes != 0) => {
                return all;
            }
            Some(0) => b.bytes,
            _ => a.bytes,
        },
        ("setp", [a, b]) => return u16::from(a.bytes | b.bytes != 0),
        ("setp", [a, b, with]) => return compared(i, a.bytes | b.bytes != 0, *with),
        // A carry goes upwards only.
        ("add" | "sub", [a, b]) if !is_float(i) => {
            let from = (a.bytes | b.bytes).trailing_zeros().min(16);
            (u32::from(u16::MAX) << from) as u16
        }
        ("shl" | "shr" | "bfe" | "bfi" | "shf" | "prmt", _) => match moved(i, sources, width) {
            Some(moved) => bytes(moved),
            None => return any(),
        },
        _ => return any(),
    };
    found & all
}

/// The result of a logical operation that a value for which `decides` holds decides.
fn both(a: Source, b: Source, decides: impl Fn(Option<u64>) -> bool, is_pred: bool) -> u16 {
    let byte = |source: Source, at: u32| match is_pred {
        true => source.value,
        false => source.value.map(|value| value >> (8 * at) & 0xff),
    };
    (0..8).fold(0, |found, at| {
        let (in_a, in_b) = (a.bytes >> at & 1 == 1, b.bytes >> at & 1 == 1);
        let decided = |other: Source, in_other: bool| !in_other && decides(byte(other, at));
        let doubtful = in_a && !decided(b, in_b) || in_b && !decided(a, in_a);
        found | u16::from(doubtful) << at
    })
}

/// The result of a comparison that is joined with a predicate.
fn compared(i: &Instruction, doubtful: bool, with: Source) -> u16 {
    let has = |word: &str| i.modifiers.iter().any(|modifier| &**modifier == word);
    let decided = with.bytes == 0 && (has("and") && with.value == Some(0) || has("or") && with.value == Some(1));
    u16::from(with.bytes != 0 || doubtful && !decided)
}

/// A conversion between integers; `None` for others.
fn convert(i: &Instruction, a: Source, width: u32) -> Option<u16> {
    let types: Vec<ScalarType> = i.modifiers.iter().filter_map(|word| ScalarType::parse(word)).collect();
    let [to, from] = types[..] else { return None };
    let (to_signed, from_signed) = (signed(to)?, signed(from)?);
    if i.modifiers.iter().any(|word| &**word == "sat") {
        return None;
    }
    let extended = |bytes: u16, width: u32, signed: bool| {
        let top = bytes & whole(width);
        if signed && top >> (width - 1) & 1 == 1 { top | !whole(width) } else { top }
    };
    let value = extended(a.bytes, from.bytes(), from_signed);
    Some(extended(value, to.bytes(), to_signed) & whole(width))
}

/// Whether an integer type has a sign; `None` for other types.
fn signed(ty: ScalarType) -> Option<bool> {
    match ty {
        ScalarType::S8 | ScalarType::S16 | ScalarType::S32 | ScalarType::S64 => Some(true),
        ScalarType::U8 | ScalarType::U16 | ScalarType::U32 | ScalarType::U64 => Some(false),
        ScalarType::B8 | ScalarType::B16 | ScalarType::B32 | ScalarType::B64 => Some(false),
        _ => None,
    }
}

fn is_float(i: &Instruction) -> bool {
    i.modifiers.iter().filter_map(|word| ScalarType::parse(word)).any(|ty| signed(ty).is_none())
}

/// Where shifts, fields and permutations put bits that are in doubt; `None` if by how much is in doubt too, or unknown.
fn moved(i: &Instruction, sources: &[Source], width: u32) -> Option<u64> {
    let known = |at: usize| sources.get(at).filter(|source| source.bytes == 0)?.value;
    let of = |at: usize| sources.get(at).map_or(0, |source| bits(source.bytes));
    let has = |word: &str| i.modifiers.iter().any(|modifier| &**modifier == word);
    let size = u64::from(width) * 8;
    let is_signed = i.modifiers.iter().filter_map(|word| ScalarType::parse(word)).any(|ty| signed(ty) == Some(true));
    // What a sign is copied to is as doubtful as the sign.
    let filled = |field: u64, from: u64, count: u64| match count {
        0 => 0,
        _ if is_signed && from >> (count - 1).min(63) & 1 == 1 => field | !low(count),
        _ => field,
    };
    Some(match &*i.opcode {
        "shl" => of(0).checked_shl(u32::try_from(known(1)?).ok()?).unwrap_or(0),
        "shr" => {
            let by = known(1)?.min(size);
            let field = of(0).checked_shr(by as u32).unwrap_or(0);
            let sign = of(0) >> (size - 1) & 1 == 1;
            if is_signed && sign { field | !low(size - by) } else { field }
        }
        "bfe" => {
            let (start, count) = (known(1)? & 0xff, known(2)? & 0xff);
            let field = of(0).checked_shr(start as u32).unwrap_or(0) & low(count);
            filled(field, field, count.min(size))
        }
        "bfi" => {
            let (start, count) = (known(2)? & 0xff, known(3)? & 0xff);
            let hole = low(count).checked_shl(start as u32).unwrap_or(0);
            (of(0) & low(count)).checked_shl(start as u32).unwrap_or(0) & hole | of(1) & !hole
        }
        "shf" => {
            let by = if has("wrap") { known(2)? & 31 } else { known(2)?.min(32) };
            let both = of(1) << 32 | of(0) & low(32);
            if has("l") { (both << by) >> 32 } else { both >> by & low(32) }
        }
        "prmt" if i.modifiers.iter().all(|word| &**word == "b32") => {
            let choice = known(2)?;
            let both = u64::from(sources[1].bytes & 0xf) << 4 | u64::from(sources[0].bytes & 0xf);
            let chosen = |place: u64| both >> (choice >> (4 * place) & 7) & 1;
            bits((0..4).fold(0, |found, place| found | (chosen(place) as u16) << place))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instruction(text: &str) -> Instruction {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n.reg .pred %p<4>;\n\
             .reg .b16 %h<4>;\n.reg .b32 %r<9>;\n.reg .b64 %d<4>;\n{text}\nret;\n}}\n"
        );
        let module = warpwise_ptx::parse(&text).expect("valid PTX");
        module.functions[0].body.as_ref().expect("a body").instructions[0].clone()
    }

    fn of(bytes: u16) -> Source {
        Source { value: Some(0x1234_5678_9abc_def1), bytes }
    }

    fn number(value: u64) -> Source {
        Source { value: Some(value), bytes: 0 }
    }

    #[test]
    fn copies_carry_doubt_byte_by_byte() {
        let check = |text: &str, sources: &[Source], width: u32| result(&instruction(text), sources, width);
        assert_eq!(check("mov.b32 %r1, %r2;", &[of(0b0110)], 4), 0b0110);
        assert_eq!(check("shl.b32 %r1, %r2, 8;", &[of(0b0110), number(8)], 4), 0b1100);
        assert_eq!(check("shl.b32 %r1, %r2, 4;", &[of(0b0010), number(4)], 4), 0b0110);
        assert_eq!(check("shr.u64 %d1, %d2, 32;", &[of(0xf0), number(32)], 8), 0x0f);
        assert_eq!(check("shr.s32 %r1, %r2, 8;", &[of(0b1000), number(8)], 4), 0b1100);
        assert_eq!(check("shr.s32 %r1, %r2, %r3;", &[of(1), Source { bytes: 1, ..number(8) }], 4), 0b1111);
        assert_eq!(check("bfe.u32 %r1, %r2, 8, 8;", &[of(0b1101), number(8), number(8)], 4), 0);
        assert_eq!(check("bfe.s32 %r1, %r2, 8, 8;", &[of(0b0010), number(8), number(8)], 4), 0b1111);
        let field = [of(0b0001), of(0b0011), number(8), number(8)];
        assert_eq!(check("bfi.b32 %r1, %r2, %r3, 8, 8;", &field, 4), 0b0011);
        assert_eq!(check("prmt.b32 %r1, %r2, %r3, 0x7640;", &[of(1), of(0b0100), number(0x7640)], 4), 0b0101);
        assert_eq!(check("shf.l.wrap.b32 %r1, %r2, %r3, 8;", &[of(0b1000), of(0), number(8)], 4), 0b0001);
        assert_eq!(check("cvt.u32.u64 %r1, %d1;", &[of(0xf0)], 4), 0);
        assert_eq!(check("cvt.u64.u32 %d1, %r1;", &[of(0b1000)], 8), 0b1000);
        assert_eq!(check("cvt.s64.s32 %d1, %r1;", &[of(0b1000)], 8), 0xf8);
        assert_eq!(check("cvt.rn.f32.u32 %r1, %r1;", &[of(0b1000)], 4), 0xf);
    }

    #[test]
    fn logic_drops_what_is_decided() {
        let check = |text: &str, sources: &[Source], width: u32| result(&instruction(text), sources, width);
        assert_eq!(check("and.b32 %r1, %r2, 255;", &[of(0b1111), number(255)], 4), 1);
        assert_eq!(check("or.b32 %r1, %r2, 255;", &[of(0b0011), number(255)], 4), 0b0010);
        let (yes, no, unsure) = (number(1), number(0), Source { bytes: 1, ..number(1) });
        assert_eq!(check("and.pred %p1, %p2, %p3;", &[unsure, no], 0), 0);
        assert_eq!(check("and.pred %p1, %p2, %p3;", &[yes, unsure], 0), 1);
        assert_eq!(check("or.pred %p1, %p2, %p3;", &[unsure, yes], 0), 0);
        assert_eq!(check("xor.pred %p1, %p2, %p3;", &[unsure, yes], 0), 1);
        assert_eq!(check("selp.b32 %r1, %r2, %r3, %p1;", &[of(0b0001), of(0b1000), no], 4), 0b1000);
        assert_eq!(check("selp.b32 %r1, %r2, %r3, %p1;", &[of(0), number(3), unsure], 4), 0b1111);
        assert_eq!(check("setp.lt.s32 %p1, %r1, %r2;", &[of(0b1000), of(0)], 0), 1);
        assert_eq!(check("setp.lt.and.s32 %p1, %r1, %r2, %p2;", &[of(1), of(0), no], 0), 0);
        assert_eq!(check("setp.lt.and.s32 %p1, %r1, %r2, %p2;", &[of(1), of(0), yes], 0), 1);
    }

    #[test]
    fn computed_results_are_in_doubt_as_a_whole() {
        let check = |text: &str, sources: &[Source]| result(&instruction(text), sources, 4);
        assert_eq!(check("mul.lo.s32 %r1, %r2, %r3;", &[of(1), of(0)]), 0b1111);
        assert_eq!(check("mul.lo.s32 %r1, %r2, %r3;", &[of(0), of(0)]), 0);
        assert_eq!(check("add.s32 %r1, %r2, %r3;", &[of(0b0100), of(0)]), 0b1100);
        assert_eq!(check("add.s32 %r1, %r2, %r3;", &[of(0), of(0)]), 0);
        assert_eq!(check("add.f32 %r1, %r2, %r3;", &[of(0b0100), of(0)]), 0b1111);
    }
}
