//! The tables: for each opcode, its forms in the notation of [`notation`](super::notation), by family.

mod arithmetic;
mod asynchronous;
mod atomic;
mod bits;
mod compare;
mod control;
mod convert;
mod matrix;
mod memory;
mod video;
mod warp;
mod warpgroup;

use std::sync::OnceLock;

use super::form::Form;
use super::notation;
use crate::ast::Opcode;

const FAMILIES: &[&[(&str, &str)]] = &[
    arithmetic::FORMS,
    asynchronous::FORMS,
    atomic::FORMS,
    bits::FORMS,
    compare::FORMS,
    control::FORMS,
    convert::FORMS,
    matrix::FORMS,
    memory::FORMS,
    video::FORMS,
    warp::FORMS,
    warpgroup::FORMS,
];

/// Opcodes after which the assembler passes over `.pred`.
const PASS_PRED: [&str; 21] = [
    "abs", "add", "atom", "cos", "cvt", "ex2", "fma", "lg2", "max", "min", "mul", "neg", "rcp", "red", "rsqrt", "set",
    "setp", "sin", "sqrt", "sub", "tanh",
];

/// The forms of a known opcode, read from its table when first needed; `None` for an unknown one.
pub(super) fn forms(opcode: &Opcode) -> Option<&'static [Form]> {
    static READ: [OnceLock<Box<[Form]>>; Opcode::COUNT] = [const { OnceLock::new() }; Opcode::COUNT];
    let forms = READ[opcode.index()?].get_or_init(|| {
        let tables = FAMILIES.iter().flat_map(|family| *family);
        let own = tables.filter(|(names, _)| names.split(' ').any(|name| *name == **opcode));
        let mut forms: Box<[Form]> = own.flat_map(|(_, text)| notation::forms(text)).collect();
        for form in &mut forms {
            form.passes_pred = form.first.is_empty() && PASS_PRED.contains(&&**opcode);
        }
        forms
    });
    Some(forms)
}

#[cfg(test)]
mod tests {
    use super::{FAMILIES, forms};
    use crate::ast::Opcode;
    use crate::verify::form::{TypeOf, What};

    #[test]
    fn every_opcode_has_forms_and_every_type_in_them_is_known() {
        for (names, _) in FAMILIES.iter().flat_map(|family| *family) {
            for name in names.split(' ') {
                let forms = forms(&Opcode::parse(name)).unwrap_or_else(|| panic!("{name} is no opcode"));
                for pattern in forms.iter().flat_map(|form| &form.operands) {
                    let (What::Value(ty) | What::Parts(ty)) = pattern.what else { continue };
                    let known = |ty| !matches!(ty, TypeOf::Bound { number: usize::MAX, .. });
                    assert!(known(ty) && pattern.second.is_none_or(known), "an operand of {name}: {pattern:?}");
                }
            }
        }
    }
}
