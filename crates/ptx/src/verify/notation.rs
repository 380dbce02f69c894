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
//! - `{t}` has as many elements as `.v2` or `.v4` says, `{t}4` has four. `parts` are elements that make up the
//!   instruction's type together.
//! - `@` is an address, `constant` a constant, `label` a label, `table` a table of labels, `any` anything, `policy` the
//!   operand that `.L2::cache_hint` needs.
//! - What follows the type: `+`, the register may be wider; `#`, no constant; `_`, a sink will do; `%`, a special
//!   register will do; `&`, the address of a variable will do; `~`, a part of the register will do; `-`, a minus may
//!   stand before it; `^`, one value will do for all elements; `|pred`, a second destination may follow; `?`, the
//!   operand may be left out.

use super::form::{Count, Form, Pattern, Slot, TypeOf, What};
use super::ty::Type;

/// Sets of words.
const SETS: &[(&str, &str)] = &[
    ("ROUND", "rn|rz|rm|rp"),
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
    ("SPACES", "const|global|local|param|param::entry|param::func|shared|shared::cta|shared::cluster"),
];

/// Names for several words.
const GROUPS: &[(&str, &str)] = &[
    ("ATOMIC", "relaxed|acquire|release|acq_rel? SCOPE? global|SHARED? L2::cache_hint?"),
    ("REDUCTION", "relaxed|release? SCOPE? global|SHARED? L2::cache_hint?"),
    ("GLOBALATOMIC", "relaxed|release? SCOPE? global? L2::cache_hint?"),
    ("ANYWORDS", "ANYWORD? ANYWORD? ANYWORD? ANYWORD? ANYWORD? ANYWORD? ANYWORD? ANYWORD? ANYWORD?"),
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
    let end = text.find(['+', '#', '_', '%', '&', '|', '?', '*', '~', '-', '^']).unwrap_or(text.len());
    let (core, flags) = text.split_at(end);
    let (core, vector) = match core.strip_prefix('{').and_then(|core| core.split_once('}')) {
        Some((core, "")) => (core, Count::Stated),
        Some((core, count)) => (core, Count::Exactly(count.parse().unwrap_or(0))),
        None => (core, Count::Scalar),
    };
    let has = |flag: char| flags.split('|').next().is_some_and(|flags| flags.contains(flag)) || flags.ends_with(flag);
    let doubled = has('*');
    let what = match core {
        "@" => What::Address,
        "constant" => What::Constant,
        "label" => What::Label,
        "table" => What::Table,
        "any" => What::Anything,
        "policy" => What::Policy,
        "parts" => What::Parts(type_of("t", false)),
        name => What::Value(type_of(name, doubled)),
    };
    let second = flags.split_once('|').map(|(_, second)| type_of(second.trim_end_matches('?'), false));
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
        part: has('~'),
        minus: has('-'),
        spread: has('^'),
        optional: has('?'),
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
    use crate::verify::form::{Count, Misfit, TypeOf, What};
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
        assert_eq!(shape.operands[2].what, What::Address);
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
