//! What is wrong with an instruction, in words, and where.

use super::form::{Count, Form, Misfit, Pattern, Shape, TypeOf, Values, What};
use super::operand::Scope;
use crate::ast::{AddressBase, Instruction, Operand, Span, Symbol};
use crate::error::Fault;
use crate::number::clip;

/// The place in an instruction that a complaint is about.
#[derive(Clone, Copy, Debug)]
enum Place {
    Opcode,
    Word(usize),
    Operand(usize),
}

/// What is wrong with an instruction.
pub(super) struct Complaint<'m> {
    instruction: &'m Instruction,
    place: Place,
    message: String,
}

impl<'m> Complaint<'m> {
    /// The words after the opcode fit none of its forms.
    pub(super) fn words(instruction: &'m Instruction, forms: &[Form]) -> Self {
        let opcode = &*instruction.opcode;
        let words = &instruction.modifiers;
        let has = |word: &str| {
            let slots = forms.iter().flat_map(|form| form.first.iter().chain(&form.words).chain(&form.types));
            slots.into_iter().any(|slot| slot.takes(word) || slot.choices == ["ANYWORD"])
        };
        if let Some(at) = words.iter().position(|word| !has(word)) {
            let message = format!("'{opcode}' has no modifier '.{}'", clip(&words[at]));
            return Self { instruction, place: Place::Word(at), message };
        }
        let misfits = forms.iter().filter_map(|form| form.fit(words).err());
        let rank = |misfit: &Misfit<'_>| match misfit {
            Misfit::Unwanted(at) => *at,
            Misfit::Missing(_) => words.len(),
        };
        match misfits.max_by_key(rank) {
            Some(Misfit::Missing(slot)) if slot.choices != ["ANYWORD"] => {
                let choices: Vec<String> = slot.choices.iter().map(|word| format!(".{word}")).collect();
                let one = if choices.len() > 1 { "one of " } else { "" };
                let message = format!("'{}' needs {one}{}", full(instruction), choices.join(", "));
                Self { instruction, place: Place::Opcode, message }
            }
            Some(Misfit::Unwanted(at)) => {
                let message = format!("'.{}' has no place in '{}'", words[at], full(instruction));
                Self { instruction, place: Place::Word(at), message }
            }
            _ => {
                let message = format!("'{}' is not complete", full(instruction));
                Self { instruction, place: Place::Opcode, message }
            }
        }
    }

    /// There are too few or too many operands.
    pub(super) fn count(instruction: &'m Instruction, shapes: &[Shape]) -> Self {
        let least = shapes.iter().map(|shape| shape.least).min().unwrap_or(0);
        let most = shapes.iter().map(|shape| shape.operands.len()).max().unwrap_or(0);
        let takes = match (least, most) {
            (0, 0) => "no operands".to_owned(),
            (1, 1) => "1 operand".to_owned(),
            (least, most) if least == most => format!("{least} operands"),
            (least, most) => format!("{least} to {most} operands"),
        };
        let found = match instruction.operands.len() {
            0 => "none".to_owned(),
            count => count.to_string(),
        };
        let message = format!("'{}' takes {takes}, found {found}", full(instruction));
        Self { instruction, place: Place::Opcode, message }
    }

    /// An operand is not what it must be.
    pub(super) fn operand(scope: &Scope<'m>, at: usize, pattern: &Pattern) -> Self {
        let instruction = scope.instruction;
        let operand = &instruction.operands[at];
        let unknown = match operand {
            Operand::Symbol(symbol @ Symbol::Module(name), _) if !scope.known(symbol) => Some(name),
            Operand::Address(address) => match &address.base {
                AddressBase::Symbol(symbol @ Symbol::Module(name)) if !scope.known(symbol) => Some(name),
                _ => None,
            },
            _ => None,
        };
        let message = match unknown {
            Some(name) => format!("'{}' is not declared", clip(name)),
            None => {
                let number = at + 1;
                let found = match operand {
                    Operand::Register(id) => {
                        let register = &scope.body.registers[id.0 as usize];
                        format!(", '{}' is {}", clip(&register.name), register.ty)
                    }
                    _ => String::new(),
                };
                format!("operand {number} of '{}' must be {}{found}", full(instruction), wanted(pattern))
            }
        };
        Self { instruction, place: Place::Operand(at), message }
    }

    /// Something else is wrong with an operand.
    pub(super) fn about(instruction: &'m Instruction, at: usize, message: String) -> Self {
        Self { instruction, place: Place::Operand(at), message }
    }

    /// The complaint with its place in the text.
    pub(super) fn fault(self, source: &str) -> Fault {
        let span = self.instruction.span;
        let text = source.get(span.start as usize..span.end as usize).unwrap_or("");
        let (start, end) = locate(text, self.place, self.instruction);
        Fault::new(self.message, Span { start: span.start + start as u32, end: span.start + end as u32 })
    }
}

/// Opcode and modifiers as written.
fn full(instruction: &Instruction) -> String {
    let mut text = instruction.opcode.to_string();
    for word in &instruction.modifiers {
        text.push('.');
        text.push_str(word);
    }
    clip(&text).to_string()
}

/// What an operand must be.
fn wanted(pattern: &Pattern) -> String {
    let vector = match pattern.vector {
        Count::Exactly(count) => format!("a vector of {count} "),
        _ => String::new(),
    };
    match pattern.what {
        _ if pattern.policy => "a 64-bit register that holds a cache policy".into(),
        What::Value(TypeOf::Fixed(ty)) if ty.is_predicate() => "a predicate".into(),
        What::Value(TypeOf::Fixed(ty)) if !ty.is_predicate() && pattern.values == Values::Listed(&[0, 1]) => {
            "0, 1 or a 32-bit register".into()
        }
        What::Value(TypeOf::Fixed(ty)) => {
            let registers = match (pattern.destination || !pattern.constant, vector.is_empty()) {
                (_, false) => "elements",
                (true, true) => "a register",
                (false, true) => "a register or constant",
            };
            format!("{vector}{registers} of type .{}", ty.name())
        }
        What::Parts(TypeOf::Fixed(ty)) => format!("a vector whose elements make up .{} together", ty.name()),
        What::Address(_) => "an address in square brackets, in the state space of the instruction".into(),
        What::Tensor => "a tensor map and coordinates in square brackets".into(),
        What::Sink => "'_': there is no result".into(),
        What::Constant => match pattern.values {
            Values::Any => "a constant".into(),
            Values::Listed(values) => {
                let values: Vec<String> = values.iter().map(i64::to_string).collect();
                format!("the constant {}", values.join(" or "))
            }
            Values::Multiple(of) => format!("a constant, a multiple of {of}"),
            Values::Natural => "a constant that is not negative".into(),
        },
        What::Label => "a label".into(),
        What::Table => "the name of a list of branch targets".into(),
        What::Value(_) | What::Parts(_) | What::Anything => "something else".into(),
    }
}

/// Where a place is in the text of an instruction: first byte and one past the last.
fn locate(text: &str, place: Place, instruction: &Instruction) -> (usize, usize) {
    let guard = if instruction.guard.is_some() {
        text.find('@').map_or(0, |at| at + text[at..].find(char::is_whitespace).unwrap_or(0))
    } else {
        0
    };
    let opcode = text[guard..].find(&*instruction.opcode).map_or(0, |at| guard + at);
    let mut at = opcode + instruction.opcode.len();
    let mut word = (opcode, at);
    for (number, modifier) in instruction.modifiers.iter().enumerate() {
        let Some(dot) = text.get(at..).and_then(|rest| rest.find('.')) else { return (opcode, text.len()) };
        at += dot;
        word = (at, (at + 1 + modifier.len()).min(text.len()));
        at = word.1;
        if matches!(place, Place::Word(wanted) if wanted == number) {
            return word;
        }
    }
    match place {
        Place::Opcode => (opcode, word.1),
        Place::Word(_) => word,
        Place::Operand(number) => operand_at(text, at, number).unwrap_or((opcode, text.len())),
    }
}

/// The operand of that number, in a text whose operands begin at `start`. Commas inside brackets do not count.
fn operand_at(text: &str, start: usize, number: usize) -> Option<(usize, usize)> {
    let mut depth = 0;
    let mut seen = 0;
    let mut first = start;
    for (at, byte) in text.bytes().enumerate().skip(start) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b',' | b';' if depth == 0 => {
                if seen == number {
                    let operand = text.get(first..at)?;
                    let left = operand.len() - operand.trim_start().len();
                    return Some((first + left, first + operand.trim_end().len().max(left)));
                }
                seen += 1;
                first = at + 1;
            }
            _ => {}
        }
    }
    None
}
