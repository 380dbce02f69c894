//! The forms that an instruction has: the words after its opcode and the operands after them.

use super::ty::Type;
use crate::ast::Space;

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
    /// `.pred` means nothing.
    pub(super) passes_pred: bool,
}

/// Words that can be repeated.
const REPEATABLE: [&str; 8] = ["sat", "sync", "uni", "approx", "NaN", "shiftamt", "cc", "relu"];

/// Words that the assembler passes over where they mean nothing.
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
    /// Whether the word can stand here. A choice with an asterisk is the shape of a tile whose width the word states.
    pub(super) fn takes(&self, word: &str) -> bool {
        self.choices.contains(&word)
            || self.choices == [ANY_WORD] && Type::parse(word).is_none()
            || self.choices.iter().any(|choice| tile(choice, word).is_some())
    }
}

/// The width of the tile that a word such as `m64n128k16` states, if it has the shape `m64n*k16`: a multiple of 8 up to
/// 256. `m64n#k32` leaves out the odd multiples from 40 on, which integers do not have.
fn tile(shape: &str, word: &str) -> Option<usize> {
    let (before, after) = shape.split_once(['*', '#'])?;
    let digits = word.strip_prefix(before)?.strip_suffix(after)?;
    let width = digits.parse().ok().filter(|width: &usize| width.is_multiple_of(8) && (8..=256).contains(width))?;
    let sparse = shape.contains('#') && width > 32 && !width.is_multiple_of(16);
    (!sparse).then_some(width)
}

/// What an operand must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pattern {
    pub(super) what: What,
    /// The second of two destinations, `a|b`.
    pub(super) second: Option<TypeOf>,
    /// There must be a second one, and it cannot be discarded.
    pub(super) paired: bool,
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
    /// A part of a register can stand for it, one that selects so many bytes or half-words.
    pub(super) part: usize,
    /// A register can be negated with `-`.
    pub(super) minus: bool,
    /// One value can stand for all elements of a vector.
    pub(super) spread: bool,
    /// The type is stated by the table: registers of pairs of halves are no integers here.
    pub(super) fixed: bool,
    /// Which integers a constant can be.
    pub(super) values: Values,
    pub(super) optional: bool,
    /// The cache policy that `.L2::cache_hint` announces: without that word, the operand is not there.
    pub(super) policy: bool,
}

/// The kind of an operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum What {
    /// A register of that type, or what can stand for it.
    Value(TypeOf),
    /// A vector whose elements make up that type together.
    Parts(TypeOf),
    /// An address in square brackets.
    Address(Place),
    /// The address of a tensor map and coordinates, in one pair of square brackets.
    Tensor,
    /// `_`.
    Sink,
    /// A constant.
    Constant,
    /// A label.
    Label,
    /// A table of labels.
    Table,
    /// Left to the executor.
    Anything,
}

/// The state space of an address.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    /// The one that the instruction names first, second and so on.
    Named(usize),
    Shared,
}

/// The integers that a constant can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Values {
    Any,
    /// One of these.
    Listed(&'static [i64]),
    /// A multiple of that.
    Multiple(i64),
    /// Not negative.
    Natural,
}

impl Values {
    pub(super) fn contain(self, bits: u64) -> bool {
        let value = bits as i64;
        match self {
            Self::Any => true,
            Self::Listed(values) => values.contains(&value),
            Self::Multiple(of) => value % of == 0,
            Self::Natural => value >= 0,
        }
    }
}

/// How many elements an operand has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Count {
    /// It is no vector.
    Scalar,
    /// As many as `.v2` and the like say.
    Stated,
    /// One, with or without braces.
    One,
    /// That many, in braces.
    Exactly(usize),
    /// The width of the tile divided by that.
    Tile(usize),
    /// As many as the tensor has dimensions, less that.
    Dimensions(usize),
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
    /// The width of a tile.
    pub(super) tile: Option<usize>,
    /// The dimensions of a tensor.
    pub(super) dimensions: Option<usize>,
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

impl Binding {
    /// Notes what a word says about the operands.
    fn note(&mut self, word: &str, slot: &Slot) {
        match word.as_bytes() {
            [b'v', digit @ (b'2' | b'4' | b'8')] => self.vector = Some(usize::from(digit - b'0')),
            [digit @ b'1'..=b'5', b'd'] => self.dimensions = Some(usize::from(digit - b'0')),
            b"L2::cache_hint" => self.hint = true,
            [b'm', ..] => self.tile = slot.choices.iter().find_map(|choice| tile(choice, word)).or(self.tile),
            _ => {}
        }
    }

    /// How many elements an operand must have.
    fn count(&self, count: Count) -> Count {
        match count {
            Count::Stated => self.vector.map_or(Count::One, Count::Exactly),
            Count::Tile(divisor) => Count::Exactly(self.tile.unwrap_or(0) / divisor),
            Count::Dimensions(less) => Count::Exactly(self.dimensions.unwrap_or(0).saturating_sub(less)),
            count => count,
        }
    }
}

/// The state space that a word names.
pub(super) fn space(word: &str) -> Option<Space> {
    match word.split("::").next() {
        Some("global") => Some(Space::Global),
        Some("const") => Some(Space::Const),
        Some("shared") => Some(Space::Shared),
        Some("local") => Some(Space::Local),
        Some("param") => Some(Space::Param),
        _ => None,
    }
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
        let (mut last_space, mut last_layout) = (0, 0);
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
            if let Some((n, slot)) = self.words.iter().enumerate().find(free) {
                // State spaces and layouts are those of the operands, in this order.
                let last = match &**word {
                    "row" | "col" => Some(&mut last_layout),
                    word => space(word).map(|_| &mut last_space),
                };
                if let Some(last) = last {
                    if n < *last {
                        return Err(Misfit::Unwanted(number));
                    }
                    *last = n;
                }
                used |= 1 << n;
                binding.note(word, slot);
                continue;
            }
            let repeated = REPEATABLE.contains(&&**word) && words[..number].contains(word);
            let ignored = IGNORED.contains(&&**word) || self.passes_pred && &**word == "pred";
            if repeated || ignored && !self.words.iter().any(|slot| slot.takes(word)) {
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
        if let (Some(count), Some(ty)) = (binding.vector, binding.types.last())
            && !ty.is_vector(count)
        {
            let at = words.iter().position(|word| &**word == ty.name()).unwrap_or(0);
            return Err(Misfit::Unwanted(at));
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
        let wanted = self.operands.iter().filter(|pattern| binding.hint || !pattern.policy);
        let operands = wanted.map(|pattern| Pattern {
            what: match pattern.what {
                What::Value(ty) => What::Value(resolve(ty)),
                What::Parts(ty) => What::Parts(resolve(ty)),
                other => other,
            },
            second: pattern.second.map(resolve),
            vector: binding.count(pattern.vector),
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
