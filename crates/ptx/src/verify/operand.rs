//! Checks one operand against what it must be.

use std::collections::HashMap;

use super::form::{Count, Pattern, Place, TypeOf, What, space};
use super::ty::Type;
use crate::ast::{
    Address, AddressBase, Body, Function, FunctionKind, Instruction, Module, Opcode, Operand, RegisterId, ScalarType,
    Space, Symbol,
};
use crate::special;

/// What a name of the module stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Name<'m> {
    Variable(Space),
    /// A function, or another name for one; that one may be missing.
    Function(Option<&'m Function>),
}

/// The names of a module.
pub(super) type Names<'m> = HashMap<&'m str, Name<'m>>;

/// The names that a module declares.
pub(super) fn names(module: &Module) -> Names<'_> {
    let variables = module.variables.iter().map(|variable| (&*variable.name, Name::Variable(variable.space)));
    let functions = module.functions.iter().map(|function| (&*function.name, Name::Function(Some(function))));
    let mut names: Names<'_> = variables.chain(functions).collect();
    for alias in &module.aliases {
        let target = match names.get(&*alias.target) {
            Some(Name::Function(function)) => *function,
            _ => None,
        };
        names.insert(&alias.name, Name::Function(target));
    }
    names
}

/// What an instruction sees.
pub(super) struct Scope<'m> {
    pub(super) module: &'m Module,
    pub(super) names: &'m Names<'m>,
    pub(super) function: &'m Function,
    pub(super) body: &'m Body,
    pub(super) instruction: &'m Instruction,
    /// The text that the module was read from.
    pub(super) source: &'m str,
}

impl Scope<'_> {
    /// Whether an operand is what the pattern says.
    pub(super) fn fits(&self, operand: &Operand, pattern: &Pattern) -> bool {
        match pattern.what {
            What::Value(TypeOf::Fixed(ty)) => self.value(operand, ty, pattern),
            What::Parts(TypeOf::Fixed(ty)) => match operand {
                Operand::Vector(parts) => ty.part(parts.len()).is_some_and(|part| self.elements(parts, part, pattern)),
                _ => false,
            },
            What::Value(_) | What::Parts(_) | What::Anything => true,
            What::Address(place) => match operand {
                Operand::Address(address) => self.address(address, place, pattern.wider),
                // The assembler does not look at some of these.
                Operand::Register(_) | Operand::F32(_) | Operand::F64(_) => pattern.spread,
                _ => false,
            },
            What::Tensor => match operand {
                Operand::Bracket(parts) => self.tensor(parts, pattern),
                _ => false,
            },
            What::Sink => *operand == Operand::Sink,
            What::Constant => matches!(operand, Operand::Integer(value) if pattern.values.contain(*value)),
            What::Label => matches!(operand, Operand::Label(_)),
            What::Table => matches!(operand, Operand::Symbol(Symbol::BranchTargets(_), _)),
        }
    }

    fn value(&self, operand: &Operand, ty: Type, pattern: &Pattern) -> bool {
        match (operand, pattern.vector) {
            (Operand::Vector(parts), Count::Exactly(count)) => {
                parts.len() == count && self.elements(parts, ty, pattern)
            }
            (Operand::Vector(parts), Count::One) => parts.len() == 1 && self.elements(parts, ty, pattern),
            // The assembler does not look whether these are vectors, but for some instructions.
            (Operand::Vector(parts), _) => {
                let looks = matches!(self.instruction.opcode, Opcode::Atom | Opcode::Red | Opcode::Tanh | Opcode::Ex2);
                let pattern = Pattern { sink: true, ..*pattern };
                ty.name().starts_with("bf16") && !looks && self.elements(parts, ty, &pattern)
            }
            (Operand::Pair(first, second), _) => match pattern.second {
                Some(TypeOf::Fixed(other)) => {
                    let sink = Pattern { sink: true, ..*pattern };
                    let discarded = pattern.paired && **second == Operand::Sink;
                    self.scalar(first, ty, pattern) && self.scalar(second, other, &sink) && !discarded
                }
                _ => false,
            },
            _ if pattern.paired => false,
            (Operand::Special(name), count) if special::is_vector(name) => {
                pattern.special && count == Count::Exactly(4) && is_short(ty)
            }
            // The result of a load is discarded only as an element of a vector.
            (Operand::Sink, Count::Exactly(_) | Count::One) if pattern.wider => false,
            // Only an atomic discards a vector as a whole.
            (Operand::Sink, Count::Exactly(_)) => {
                self.instruction.opcode == Opcode::Atom && self.scalar(operand, ty, pattern)
            }
            (_, Count::Exactly(_)) => pattern.spread && self.scalar(operand, ty, pattern),
            _ => self.scalar(operand, ty, pattern),
        }
    }

    /// The elements of a vector: the first register is of the type, and the others go with it.
    fn elements(&self, parts: &[Operand], ty: Type, pattern: &Pattern) -> bool {
        let pattern = Pattern { special: pattern.special || !pattern.destination, ..*pattern };
        let first = parts.iter().find_map(|part| match part {
            Operand::Register(id) => Some((*id, Type::parse(self.register(*id)?.name())?)),
            _ => None,
        });
        let Some((id, first)) = first else {
            return parts.iter().all(|part| self.scalar(part, ty, &pattern))
                && parts.iter().any(|part| *part != Operand::Sink);
        };
        self.holds(id, ty, &pattern)
            && parts.iter().all(|part| match part {
                Operand::Register(id) => self.register(*id).is_some_and(|own| first.holds(own, false)),
                Operand::Integer(_) | Operand::F32(_) | Operand::F64(_) => pattern.constant && first.joins(part),
                Operand::Symbol(symbol, 0) => pattern.constant && is_word(first) && self.known(symbol),
                _ => self.scalar(part, ty, &pattern),
            })
    }

    fn scalar(&self, operand: &Operand, ty: Type, pattern: &Pattern) -> bool {
        match operand {
            Operand::Register(id) => self.holds(*id, ty, pattern),
            Operand::Not(id) => pattern.negatable && ty.is_predicate() && self.holds(*id, ty, pattern),
            Operand::Integer(value) => pattern.constant && ty.takes(operand) && pattern.values.contain(*value),
            Operand::F32(_) | Operand::F64(_) => pattern.constant && ty.takes(operand),
            Operand::Sink => pattern.sink && pattern.destination,
            Operand::Special(name) => {
                pattern.special && (special_fits(name, ty) || pattern.wider && special_fits(name, ty.widest()))
            }
            // An expression with a name in it is a constant, unlike the name alone.
            Operand::Symbol(symbol, offset) => {
                let expression = || *offset != 0 || self.has_sum();
                let sum = pattern.constant && !pattern.policy && ty.is_address() && expression();
                (pattern.symbol || sum) && self.known(symbol) && self.in_place(symbol)
            }
            Operand::Part(id, selector) => {
                let count = selector.len() - 1;
                // A result can be written to some of the parts.
                let whole = match pattern.part {
                    2 => (count == 2 || pattern.destination) && selector.starts_with('h'),
                    4 => (count == 4 || pattern.destination) && selector.starts_with('b'),
                    part => count == part,
                };
                whole && self.holds(*id, ty, pattern)
            }
            Operand::Minus(inner) => pattern.minus && self.scalar(inner, ty, pattern),
            _ => false,
        }
    }

    /// The type of a register.
    pub(super) fn register(&self, id: RegisterId) -> Option<ScalarType> {
        self.body.registers.get(id.0 as usize).map(|register| register.ty)
    }

    fn holds(&self, id: RegisterId, ty: Type, pattern: &Pattern) -> bool {
        self.register(id).is_some_and(|own| {
            let halves = own == ScalarType::F16x2 && pattern.fixed && ty.is_integer();
            ty.holds(own, pattern.wider) && !halves
        })
    }

    /// Whether the instruction adds something outside square brackets: `name+0` reads as `name` but is an expression.
    fn has_sum(&self) -> bool {
        let span = self.instruction.span;
        let text = self.source.get(span.start as usize..span.end as usize).unwrap_or("");
        text.split(['[', ']']).step_by(2).any(|piece| piece.contains('+'))
    }

    /// Whether a name stands for something that has an address.
    pub(super) fn known(&self, symbol: &Symbol) -> bool {
        match symbol {
            Symbol::Module(name) => self.names.contains_key(&**name),
            Symbol::Prototype(_) | Symbol::BranchTargets(_) => false,
            Symbol::Local(_) => self.space(symbol) != Some(Space::Param),
            _ => true,
        }
    }

    /// Whether a variable is in the state space that an instruction which turns its address into another demands.
    fn in_place(&self, symbol: &Symbol) -> bool {
        let words = &self.instruction.modifiers;
        match self.instruction.opcode {
            Opcode::Cvta => self.space(symbol) == words.iter().find_map(|word| space(word)),
            Opcode::Mapa | Opcode::Getctarank => self.space(symbol) == Some(Space::Shared),
            _ => true,
        }
    }

    /// The state space of a name.
    fn space(&self, symbol: &Symbol) -> Option<Space> {
        match symbol {
            Symbol::Local(at) => self.body.variables.get(*at as usize).map(|variable| variable.space),
            Symbol::Parameter(_) | Symbol::Return(_) => Some(Space::Param),
            Symbol::Module(name) => match self.names.get(&**name) {
                Some(Name::Variable(space)) => Some(*space),
                _ => None,
            },
            _ => None,
        }
    }

    /// An address: of an integer register, of a variable in the space that is meant, or a number.
    fn address(&self, Address { base, .. }: &Address, place: Place, any_width: bool) -> bool {
        // Most are: there is no need to look which space is meant.
        if let AddressBase::Register(id) = base
            && matches!(self.register(*id), Some(ScalarType::B64 | ScalarType::U64 | ScalarType::S64))
        {
            return true;
        }
        let named = match place {
            Place::Named(number) => self.instruction.modifiers.iter().filter_map(|word| space(word)).nth(number),
            Place::Shared => Some(Space::Shared),
        };
        match base {
            AddressBase::Register(id) => self.register(*id).is_some_and(|ty| {
                let integer = !ty.is_float() && !matches!(ty, ScalarType::Pred | ScalarType::B128);
                integer && (ty.bytes() != 4 || any_width || self.narrow(named))
            }),
            AddressBase::Symbol(symbol) => match (self.space(symbol), named) {
                (None, _) => false,
                (Some(own), Some(named)) => own == named && (own != Space::Param || self.readable(symbol)),
                // A generic address.
                (Some(own), None) => match self.instruction.opcode {
                    Opcode::Ld if own == Space::Const => self.is_plain(),
                    Opcode::Ld | Opcode::Prefetch => own != Space::Param,
                    Opcode::Mbarrier => own == Space::Shared,
                    _ => !matches!(own, Space::Param | Space::Const),
                },
            },
            AddressBase::Absolute => matches!(named, Some(Space::Local)),
        }
    }

    /// A load that says nothing about caches or the order of accesses.
    fn is_plain(&self) -> bool {
        let special = |word: &str| word.contains("::") || matches!(word, "volatile" | "relaxed" | "acquire" | "mmio");
        !self.instruction.modifiers.iter().any(|word| special(word))
    }

    /// The address of a tensor map, without an offset, and the coordinates.
    fn tensor(&self, parts: &[Operand], pattern: &Pattern) -> bool {
        let [map, Operand::Vector(coordinates)] = parts else { return false };
        let map = match map {
            Operand::Register(id) => self.register(*id).is_some_and(|ty| !ty.is_float() && ty != ScalarType::Pred),
            Operand::Symbol(symbol, _) => self.space(symbol) == Some(Space::Global),
            _ => false,
        };
        let word = Type::parse("b32").is_some_and(|word| self.elements(coordinates, word, pattern));
        map && word && pattern.vector == Count::Exactly(coordinates.len())
    }

    /// Whether 32-bit registers are addresses in that space; generic and global ones are 64-bit from sm_90 on.
    fn narrow(&self, space: Option<Space>) -> bool {
        let digits = self.module.target.arch.trim_start_matches("sm_").trim_end_matches(char::is_alphabetic);
        let recent = digits.parse::<u32>().is_ok_and(|number| number >= 90);
        !recent || !matches!(space, None | Some(Space::Global))
    }

    /// A function reads its parameters and writes its results.
    fn readable(&self, symbol: &Symbol) -> bool {
        match symbol {
            Symbol::Parameter(_) => &*self.instruction.opcode != "st",
            Symbol::Return(_) => self.function.kind == FunctionKind::Device,
            _ => true,
        }
    }
}

/// Whether a special register can be an operand of that type.
fn special_fits(name: &str, ty: Type) -> bool {
    if special::is_vector(name) {
        return false;
    }
    if name == "is_explicit_cluster" {
        return ty.is_predicate();
    }
    if special::is_wide(name) { matches!(ty.name(), "u64" | "s64" | "b64") } else { is_short(ty) }
}

/// Whether an element of a special register such as `%tid` can be of that type.
fn is_short(ty: Type) -> bool {
    is_word(ty) || matches!(ty.name(), "u16" | "s16" | "b16")
}

fn is_word(ty: Type) -> bool {
    matches!(ty.name(), "u32" | "s32" | "b32")
}
