//! The notation of the tables.
//!
//! A line is a form: words, an arrow, operands.
//!
//! ```text
//! =lo|hi sat? INTEGER => >t t t
//! ```
//!
//! - `a|b` is one of these words, `a?` may be left out, a name in capitals is a set of words ([`SETS`],
//!   [`GROUPS`]); `ANYWORD` and `ANYTYPE` leave the choice to the executor. Words come in
//!   any order, as in the assembler, except that those after `=` come first. Types come in the order in which they
//!   stand.
//! - An operand is a type: `t`, `u`, `v`, `w` are the instruction's first to fourth, others are themselves. `>` marks a
//!   destination, `!` a predicate that can be negated, `*` the double of the type.
//! - `{t}` has as many elements as `.v2` or `.v4` says, `{t}4` has four, `{t}n/2` half as many as the tile is wide
//!   (`m64n*k16` is a tile of any width), `{t}d-2` two less than the tensor has dimensions. `parts` are elements that
//!   make up the instruction's type together.
//! - `@` is an address in the state space that the instruction names, `@2` in the second one that it names, `@s` in
//!   shared memory; with `+`, a register of 32 bits will do for any of them. `tensor` is the address of a tensor map
//!   with coordinates, `sink` is `_`.
//! - `constant` is a constant, `label` a label, `table` a table of labels, `any` anything, `policy` the operand that
//!   `.L2::cache_hint` needs. The names in [`CONSTANTS`] are constants, or words of 32 bits, with certain values.
//! - What follows the type: `+`, the register may be wider; `#`, no constant; `_`, a sink will do; `%`, a special
//!   register will do; `&`, the address of a variable will do; `~`, a part of the register will do (`~2`, two
//!   half-words; `~4`, four bytes); `-`, a minus may stand before it; `^`, one value will do for all elements, or
//!   something that is no address for an address; `|pred`, a second destination may follow, and must
//!   with `!`; `?`, the operand may be left out.

use super::form::{Count, Form, Pattern, Place, Slot, TypeOf, Values, What};
use super::ty::Type;

/// Sets of words.
const SETS: &[(&str, &str)] = &[
    ("ROUND", "rn|rz|rm|rp"),
    ("NEAREST", "rni|rzi|rmi|rpi"),
    ("INT", "u8|u16|u32|u64|s8|s16|s32|s64"),
    ("GENERIC", "const|global|local|param|param::entry|shared|shared::cta|shared::cluster"),
    ("INTEGER", "u16|u32|u64|s16|s32|s64"),
    ("WORD", "u32|s32"),
    ("LONG", "u32|s32|u64|s64"),
    ("BITS", "b16|b32|b64"),
    ("MEMORY", "b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"),
    ("HALF", "f16|f16x2|bf16|bf16x2"),
    ("SCOPE", "cta|cluster|gpu|sys"),
    ("VECTOR", "v2|v4|v8"),
    ("BOOLEAN", "and|or|xor"),
    ("EQUAL", "eq|ne"),
    ("ORDER", "eq|ne|lt|le|gt|ge"),
    ("HIGH", "lo|ls|hi|hs"),
    ("FLOAT", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"),
    ("SHARED", "shared|shared::cta|shared::cluster"),
    ("EVICT", "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"),
    ("EVICT2", "L2::evict_normal|L2::evict_first|L2::evict_last"),
    ("PREFETCH", "L2::64B|L2::128B|L2::256B"),
    ("TILE", "m16n16k16|m8n32k16|m32n8k16"),
    ("KIND", "kind::f8f6f4|kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4"),
    ("DIMENSIONS", "1d|2d|3d|4d|5d"),
    ("TRANSACTION", "mbarrier::complete_tx::bytes"),
    ("REDUCE", "add|min|max|inc|dec|and|or|xor"),
    ("BLACKWELL", "tile::gather4|tile::scatter4|im2col::w|im2col::w::128|cta_group::1|cta_group::2"),
    ("SPACES", "const|global|local|param|param::entry|param::func|shared|shared::cta|shared::cluster"),
];

/// Names for several words.
const GROUPS: &[(&str, &str)] = &[
    ("ATOMIC", "relaxed|acquire|release|acq_rel? SCOPE? global|SHARED?"),
    ("ATOMICHINT", "relaxed|acquire|release|acq_rel? SCOPE? global? L2::cache_hint"),
    ("REDUCTION", "relaxed|release? SCOPE? global|SHARED?"),
    ("REDUCTIONHINT", "relaxed|release? SCOPE? global? L2::cache_hint"),
    ("GLOBALATOMIC", "relaxed|release? SCOPE? global? L2::cache_hint?"),
    ("ANYWORDS", "ANYWORD? ANYWORD? ANYWORD? ANYWORD? ANYWORD? ANYWORD? ANYWORD? ANYWORD? ANYWORD?"),
];

/// Operands whose values are checked if they are constants, with the type of registers that will do instead.
const CONSTANTS: &[(&str, Option<&str>, Values)] = &[
    ("bit", None, Values::Listed(&[0, 1])),
    ("sign", None, Values::Listed(&[-1, 1])),
    ("zero", None, Values::Listed(&[0])),
    ("natural", None, Values::Natural),
    ("parity", Some("u32"), Values::Listed(&[0, 1])),
    ("bytes", Some("u32"), Values::Multiple(16)),
    ("piece", None, Values::Listed(&[4, 8, 16])),
    ("eighths", None, Values::Multiple(8)),
    ("threads", Some("u32"), Values::Multiple(32)),
    ("scale", Some("pred"), Values::Listed(&[0, 1])),
    ("16", None, Values::Listed(&[16])),
    ("128", None, Values::Listed(&[128])),
];

/// Reads the lines of a table. The tables are part of the program, and a test reads them all.
pub(super) fn forms(text: &'static str) -> Vec<Form> {
    text.split('\n').map(form).collect()
}

fn form(line: &'static str) -> Form {
    let (words, operands) = line.split_once("=>").unwrap_or((line, ""));
    let mut form = Form::default();
    let group = |word: &'static str| GROUPS.iter().find(|group| group.0 == word).map_or(word, |group| group.1);
    for word in words.split_whitespace().flat_map(|word| group(word).split(' ')) {
        let (word, fixed) = word.strip_prefix('=').map_or((word, false), |word| (word, true));
        let (word, optional) = word.strip_suffix('?').map_or((word, false), |word| (word, true));
        let mut choices = Vec::new();
        for choice in word.split('|') {
            match SETS.iter().find(|set| set.0 == choice) {
                _ if choice == "ANYTYPE" => choices.extend(Type::names()),
                Some(set) => choices.extend(set.1.split('|')),
                None => choices.push(choice),
            }
        }
        let is_type = choices.iter().all(|choice| Type::parse(choice).is_some());
        let slot = Slot { choices, optional };
        match (fixed, is_type) {
            (true, _) => form.first.push(slot),
            (false, true) => form.types.push(slot),
            (false, false) => form.words.push(slot),
        }
    }
    form.operands = operands.split_whitespace().map(pattern).collect();
    form
}

fn pattern(text: &'static str) -> Pattern {
    let (text, destination) = text.strip_prefix('>').map_or((text, false), |text| (text, true));
    let (text, negatable) = text.strip_prefix('!').map_or((text, false), |text| (text, true));
    let start = text.find('}').unwrap_or(0);
    let braced = if start > 0 { "n/d-0123456789}" } else { "" };
    let flag = |c: char| "+#_%&|?*~-^".contains(c) && !braced.contains(c);
    let end = text[start..].find(flag).map_or(text.len(), |at| start + at);
    let (core, flags) = text.split_at(end);
    let (core, vector) = match core.strip_prefix('{').and_then(|core| core.split_once('}')) {
        Some((core, count)) => (core, count_of(count)),
        None if core == "tensor" => (core, Count::Dimensions(0)),
        None => (core, Count::Scalar),
    };
    let has = |flag: char| flags.split('|').next().is_some_and(|flags| flags.contains(flag)) || flags.ends_with(flag);
    let doubled = has('*');
    let known = CONSTANTS.iter().find(|known| known.0 == core);
    let what = match core {
        "@" => What::Address(Place::Named(0)),
        "@2" => What::Address(Place::Named(1)),
        "@s" => What::Address(Place::Shared),
        "tensor" => What::Tensor,
        "sink" => What::Sink,
        "constant" => What::Constant,
        "label" => What::Label,
        "table" => What::Table,
        "any" => What::Anything,
        "policy" => What::Value(type_of("u64", false)),
        "parts" => What::Parts(type_of("t", false)),
        _ if known.is_some_and(|known| known.1.is_none()) => What::Constant,
        name => What::Value(type_of(known.and_then(|known| known.1).unwrap_or(name), doubled)),
    };
    let second = flags.split_once('|').map(|(_, second)| type_of(second.trim_end_matches(['?', '!']), false));
    Pattern {
        what,
        second,
        vector,
        destination,
        negatable,
        wider: has('+'),
        constant: !destination && !has('#'),
        sink: has('_'),
        special: has('%'),
        symbol: has('&'),
        part: part_of(flags),
        minus: has('-'),
        spread: has('^'),
        optional: has('?'),
        paired: flags.ends_with('!'),
        policy: core == "policy",
        fixed: matches!(what, What::Value(TypeOf::Fixed(_))),
        values: known.map_or(Values::Any, |known| known.2),
    }
}

/// How many bytes or half-words a part selects, from `~`, `~2` or `~4`; 0 if no part will do.
fn part_of(flags: &str) -> usize {
    match flags.split_once('~') {
        Some((_, rest)) if rest.starts_with('2') => 2,
        Some((_, rest)) if rest.starts_with('4') => 4,
        Some(_) => 1,
        None => 0,
    }
}

/// What follows the braces: nothing, a number, `n/2` or `d-2`.
fn count_of(text: &str) -> Count {
    let number = |text: &str| text.parse().unwrap_or(0);
    match text.split_at_checked(2) {
        None if text.is_empty() => Count::Stated,
        None if text == "d" => Count::Dimensions(0),
        Some(("n/", divisor)) => Count::Tile(number(divisor).max(1)),
        Some(("d-", less)) => Count::Dimensions(number(less)),
        _ => Count::Exactly(number(text)),
    }
}

fn type_of(name: &'static str, doubled: bool) -> TypeOf {
    match ["t", "u", "v", "w"].iter().position(|short| *short == name) {
        Some(number) => TypeOf::Bound { number, doubled },
        None => Type::parse(name).map_or(TypeOf::Bound { number: usize::MAX, doubled }, TypeOf::Fixed),
    }
}

#[cfg(test)]
mod tests {
    use super::forms;
    use crate::verify::form::{Count, Misfit, Place, TypeOf, What};
    use crate::verify::ty::Type;

    fn words(text: &str) -> Vec<Box<str>> {
        text.split('.').filter(|word| !word.is_empty()).map(Into::into).collect()
    }

    #[test]
    fn words_come_in_any_order_and_types_in_one() {
        let form = &forms("ROUND ftz? f32|f64 s32 => >t u")[0];
        assert!(form.fit(&words("rn.f32.s32")).is_ok());
        assert!(form.fit(&words("f32.ftz.rn.s32")).is_ok());
        assert!(matches!(form.fit(&words("rn.s32.f32")), Err(Misfit::Unwanted(1))));
        assert!(matches!(form.fit(&words("rn.rz.f32.s32")), Err(Misfit::Unwanted(1))));
        assert!(matches!(form.fit(&words("f32.s32")), Err(Misfit::Missing(_))));
    }

    #[test]
    fn first_words_come_first() {
        let form = &forms("=l|r wrap b32 => >t t")[0];
        assert!(form.fit(&words("l.wrap.b32")).is_ok());
        assert!(form.fit(&words("wrap.l.b32")).is_err());
    }

    #[test]
    fn operands_take_the_types_of_the_instruction() {
        let form = &forms("VECTOR? u16|u32 => >{t}+_ t*# @ u32?")[0];
        let shape = form.shape(&form.fit(&words("v2.u32")).unwrap());
        let fixed = |name| What::Value(TypeOf::Fixed(Type::parse(name).unwrap()));
        assert_eq!(shape.least, 3);
        assert_eq!(shape.operands[0].vector, Count::Exactly(2));
        assert!(shape.operands[0].wider && shape.operands[0].sink && shape.operands[0].destination);
        assert_eq!(shape.operands[1].what, fixed("u64"));
        assert!(!shape.operands[1].constant);
        assert_eq!(shape.operands[2].what, What::Address(Place::Named(0)));
        assert_eq!(shape.operands[3].what, fixed("u32"));
        assert!(shape.operands[3].optional);
    }

    #[test]
    fn lines_may_have_no_words_or_no_operands() {
        let forms = forms("=> >b32 \n shared::cta u32 \n cta =>");
        assert_eq!(forms[0].operands.len(), 1);
        assert!(forms[0].words.is_empty());
        assert_eq!(forms[1].words[0].choices, ["shared::cta"]);
        assert!(forms[1].operands.is_empty());
        assert_eq!(forms[2].words[0].choices, ["cta"]);
    }
}
