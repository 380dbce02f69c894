//! The forms that an instruction has: the words after its opcode and the operands after them.

use super::ty::Type;

/// One form of an instruction.
#[derive(Debug, Default)]
pub(super) struct Form {
    /// Words that come first, in this order.
    pub(super) first: Vec<Slot>,
    /// Words that come in any order.
    pub(super) words: Vec<Slot>,
    /// Types, in this order, before, between or after the words.
    pub(super) types: Vec<Slot>,
    /// Operands, those that can be left out last.
    pub(super) operands: Vec<Pattern>,
}

/// Words that can be repeated.
const REPEATABLE: [&str; 8] = ["sat", "sync", "uni", "approx", "NaN", "shiftamt", "cc", "relu"];

/// Words that the assembler passes over wherever they stand: they mean something to `testp` alone.
const IGNORED: [&str; 6] = ["finite", "infinite", "number", "notanumber", "normal", "subnormal"];

/// A place for any word that is no type.
const ANY_WORD: &str = "ANYWORD";

/// A place for one of several words.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) choices: Vec<&'static str>,
    pub(super) optional: bool,
}

impl Slot {
    fn takes(&self, word: &str) -> bool {
        self.choices.contains(&word) || self.choices == [ANY_WORD] && Type::parse(word).is_none()
    }
}

/// What an operand must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pattern {
    pub(super) what: What,
    /// The second of two destinations, `a|b`.
    pub(super) second: Option<TypeOf>,
    pub(super) vector: Count,
    pub(super) destination: bool,
    /// A predicate can be negated with `!`.
    pub(super) negatable: bool,
    /// A register can be wider than the type.
    pub(super) wider: bool,
    /// A constant can stand for a register.
    pub(super) constant: bool,
    /// `_` can stand for a register.
    pub(super) sink: bool,
    /// A special register can stand for a register.
    pub(super) special: bool,
    /// The address of a variable can stand for a register.
    pub(super) symbol: bool,
    /// A part of a register can stand for it.
    pub(super) part: bool,
    /// A register can be negated with `-`.
    pub(super) minus: bool,
    /// One value can stand for all elements of a vector.
    pub(super) spread: bool,
    pub(super) optional: bool,
}

/// The kind of an operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum What {
    /// A register of that type, or what can stand for it.
    Value(TypeOf),
    /// A vector whose elements make up that type together.
    Parts(TypeOf),
    /// An address in square brackets.
    Address,
    /// A constant.
    Constant,
    /// A label.
    Label,
    /// A table of labels.
    Table,
    /// Left to the executor.
    Anything,
    /// The cache policy that `.L2::cache_hint` announces.
    Policy,
}

/// How many elements an operand has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Count {
    /// It is no vector.
    Scalar,
    /// As many as `.v2` and the like say.
    Stated,
    /// That many.
    Exactly(usize),
}

/// The type of an operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TypeOf {
    /// Stated by the table.
    Fixed(Type),
    /// The instruction's type of that number, or its double.
    Bound { number: usize, doubled: bool },
}

/// What the words of an instruction say.
#[derive(Debug, Default)]
pub(super) struct Binding {
    pub(super) types: Vec<Type>,
    pub(super) vector: Option<usize>,
    /// `.L2::cache_hint` is there.
    pub(super) hint: bool,
}

/// Why the words of an instruction do not have a form.
#[derive(Debug, PartialEq)]
pub(super) enum Misfit<'f> {
    /// The word of that number has no place.
    Unwanted(usize),
    /// None of these words is there.
    Missing(&'f Slot),
}

impl PartialEq for Slot {
    fn eq(&self, other: &Self) -> bool {
        self.choices == other.choices
    }
}

impl Form {
    /// Compares the words after an opcode with this form.
    pub(super) fn fit(&self, words: &[Box<str>]) -> Result<Binding, Misfit<'_>> {
        let mut binding = Binding::default();
        let mut used = 0u64;
        let mut next_type = 0;
        let mut at = 0;
        for slot in &self.first {
            match words.get(at) {
                Some(word) if slot.takes(word) => at += 1,
                _ if slot.optional => {}
                _ => return Err(Misfit::Missing(slot)),
            }
        }
        for (number, word) in words.iter().enumerate().skip(at) {
            let free = |(n, slot): &(usize, &Slot)| used & 1 << n == 0 && slot.takes(word);
            if let Some((n, _)) = self.words.iter().enumerate().find(free) {
                used |= 1 << n;
                binding.hint |= &**word == "L2::cache_hint";
                binding.vector = match &**word {
                    "v2" => Some(2),
                    "v4" => Some(4),
                    "v8" => Some(8),
                    _ => binding.vector,
                };
                continue;
            }
            let repeated = REPEATABLE.contains(&&**word) && words[..number].contains(word);
            if repeated || IGNORED.contains(&&**word) {
                continue;
            }
            let ty = Type::parse(word).ok_or(Misfit::Unwanted(number))?;
            loop {
                let Some(slot) = self.types.get(next_type) else { return Err(Misfit::Unwanted(number)) };
                next_type += 1;
                if slot.takes(word) {
                    break;
                }
                if !slot.optional {
                    return Err(Misfit::Unwanted(number));
                }
            }
            binding.types.push(ty);
        }
        let words = self.words.iter().enumerate().filter(|(n, _)| used & 1 << n == 0).map(|(_, slot)| slot);
        let mut left = words.chain(self.types.iter().skip(next_type));
        match left.find(|slot| !slot.optional) {
            Some(slot) => Err(Misfit::Missing(slot)),
            None => Ok(binding),
        }
    }

    /// The operands of an instruction with such words, every type known.
    pub(super) fn shape(&self, binding: &Binding) -> Shape {
        let resolve = |ty: TypeOf| match ty {
            TypeOf::Bound { number, doubled } => match binding.types.get(number) {
                Some(ty) => TypeOf::Fixed(if doubled { ty.doubled() } else { *ty }),
                None => ty,
            },
            fixed => fixed,
        };
        let wanted = self.operands.iter().filter(|pattern| binding.hint || pattern.what != What::Policy);
        let operands = wanted.map(|pattern| Pattern {
            what: match pattern.what {
                What::Value(ty) => What::Value(resolve(ty)),
                What::Parts(ty) => What::Parts(resolve(ty)),
                other => other,
            },
            second: pattern.second.map(resolve),
            vector: match (pattern.vector, binding.vector) {
                (Count::Stated, Some(count)) => Count::Exactly(count),
                (Count::Stated, None) => Count::Exactly(1),
                (count, _) => count,
            },
            ..*pattern
        });
        let operands: Vec<Pattern> = operands.collect();
        let least = operands.iter().filter(|pattern| !pattern.optional).count();
        Shape { operands, least }
    }
}

/// The operands that an instruction must have.
#[derive(Debug, PartialEq)]
pub(super) struct Shape {
    pub(super) operands: Vec<Pattern>,
    /// How many cannot be left out.
    pub(super) least: usize,
}
