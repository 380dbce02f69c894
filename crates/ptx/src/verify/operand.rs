//! Checks one operand against what it must be.

use std::collections::HashMap;

use super::form::{Count, Pattern, TypeOf, What};
use super::ty::Type;
use crate::ast::{
    Address, AddressBase, Body, Function, FunctionKind, Instruction, Module, Operand, RegisterId, ScalarType, Space,
    Symbol,
};
use crate::special;

/// What a name of the module stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Name {
    Variable(Space),
    Function,
}

/// The names of a module.
pub(super) type Names<'m> = HashMap<&'m str, Name>;

/// The names that a module declares.
pub(super) fn names(module: &Module) -> Names<'_> {
    let functions = module.functions.iter().map(|function| (&*function.name, Name::Function));
    let aliases = module.aliases.iter().map(|alias| (&*alias.name, Name::Function));
    let variables = module.variables.iter().map(|variable| (&*variable.name, Name::Variable(variable.space)));
    functions.chain(aliases).chain(variables).collect()
}

/// What an instruction sees.
pub(super) struct Scope<'m> {
    pub(super) module: &'m Module,
    pub(super) names: &'m Names<'m>,
    pub(super) function: &'m Function,
    pub(super) body: &'m Body,
}

impl Scope<'_> {
    /// Whether an operand is what the pattern says.
    pub(super) fn fits(&self, operand: &Operand, pattern: &Pattern, instruction: &Instruction) -> bool {
        match pattern.what {
            What::Value(TypeOf::Fixed(ty)) => self.value(operand, ty, pattern),
            What::Parts(TypeOf::Fixed(ty)) => match operand {
                Operand::Vector(parts) => ty.part(parts.len()).is_some_and(|part| self.elements(parts, part, pattern)),
                _ => false,
            },
            What::Value(_) | What::Parts(_) | What::Anything => true,
            What::Address => self.address(operand, instruction),
            What::Constant => matches!(operand, Operand::Integer(_)),
            What::Label => matches!(operand, Operand::Label(_)),
            What::Table => matches!(operand, Operand::Symbol(Symbol::BranchTargets(_), 0)),
            What::Policy => matches!(operand, Operand::Register(id) if self.holds(*id, Type::parse("b64"), false)),
        }
    }

    fn value(&self, operand: &Operand, ty: Type, pattern: &Pattern) -> bool {
        let count = match pattern.vector {
            Count::Exactly(count) => count,
            _ => 0,
        };
        match operand {
            Operand::Vector(parts) if count > 0 => parts.len() == count && self.elements(parts, ty, pattern),
            Operand::Pair(first, second) => match pattern.second {
                Some(TypeOf::Fixed(other)) => {
                    self.scalar(first, ty, &Pattern { sink: true, ..*pattern })
                        && self.scalar(second, other, &Pattern { sink: true, ..*pattern })
                }
                _ => false,
            },
            Operand::Special(name) if special::is_vector(name) => pattern.special && count == 4 && is_word(ty),
            // The result of a load is discarded only as an element of a vector.
            Operand::Sink if count > 0 && pattern.wider => false,
            _ if count > 1 && !pattern.spread && *operand != Operand::Sink => false,
            other => self.scalar(other, ty, pattern),
        }
    }

    /// The elements of a vector: of the type, and of one kind.
    fn elements(&self, parts: &[Operand], ty: Type, pattern: &Pattern) -> bool {
        let pattern = Pattern { special: pattern.special || !pattern.destination, ..*pattern };
        let registers = parts.iter().filter_map(|part| match part {
            Operand::Register(id) => self.register(*id),
            _ => None,
        });
        let first = registers.clone().find_map(|ty| Type::parse(ty.name()));
        let alike = |part: &Operand| match (part, first) {
            (Operand::Register(id), Some(first)) => self.register(*id).is_some_and(|own| first.holds(own, false)),
            (Operand::Integer(_) | Operand::F32(_) | Operand::F64(_), Some(first)) => first.takes(part),
            _ => true,
        };
        parts.iter().all(|part| self.scalar(part, ty, &pattern) && alike(part))
            && !parts.iter().all(|part| *part == Operand::Sink)
    }

    fn scalar(&self, operand: &Operand, ty: Type, pattern: &Pattern) -> bool {
        match operand {
            Operand::Register(id) => self.holds(*id, Some(ty), pattern.wider),
            Operand::Not(id) => pattern.negatable && self.holds(*id, Some(ty), false) && ty.is_predicate(),
            Operand::Integer(_) | Operand::F32(_) | Operand::F64(_) => pattern.constant && ty.takes(operand),
            Operand::Sink => pattern.sink && pattern.destination,
            Operand::Special(name) => pattern.special && special_fits(name, ty),
            // An expression with a name in it is a constant, unlike the name alone.
            Operand::Symbol(symbol, offset) => {
                (pattern.symbol || pattern.constant && *offset != 0 && ty.is_address()) && self.known(symbol)
            }
            Operand::Part(id, _) => pattern.part && self.holds(*id, Some(ty), false),
            Operand::Minus(inner) => pattern.minus && self.scalar(inner, ty, pattern),
            _ => false,
        }
    }

    fn register(&self, id: RegisterId) -> Option<ScalarType> {
        self.body.registers.get(id.0 as usize).map(|register| register.ty)
    }

    fn holds(&self, id: RegisterId, ty: Option<Type>, wider: bool) -> bool {
        self.register(id).zip(ty).is_some_and(|(own, ty)| ty.holds(own, wider))
    }

    /// Whether a name means anything.
    pub(super) fn known(&self, symbol: &Symbol) -> bool {
        match symbol {
            Symbol::Module(name) => self.names.contains_key(&**name),
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

    /// An address: of an integer register, of a variable in the space that the instruction names, or a number.
    fn address(&self, operand: &Operand, instruction: &Instruction) -> bool {
        let Operand::Address(Address { base, .. }) = operand else { return false };
        let mut spaces = instruction.modifiers.iter().filter_map(|word| match word.split("::").next() {
            Some("global") => Some(Space::Global),
            Some("const") => Some(Space::Const),
            Some("shared") => Some(Space::Shared),
            Some("local") => Some(Space::Local),
            Some("param") => Some(Space::Param),
            _ => None,
        });
        let named = spaces.next();
        // A copy names the space of its source after that of its destination.
        let second = spaces.next().filter(|_| &*instruction.opcode == "cp");
        match base {
            AddressBase::Register(id) => self.register(*id).is_some_and(|ty| {
                let integer = !ty.is_float() && !matches!(ty, ScalarType::Pred | ScalarType::B128);
                integer && (ty.bytes() != 4 || self.narrow(named))
            }),
            AddressBase::Symbol(symbol) => match (self.space(symbol), named) {
                (None, _) => false,
                (Some(own), _) if second == Some(own) => true,
                (Some(own), Some(named)) => own == named && (own != Space::Param || self.readable(symbol, instruction)),
                (Some(own), None) => own != Space::Param,
            },
            AddressBase::Absolute => matches!(named, Some(Space::Local)),
        }
    }

    /// Whether 32-bit registers are addresses in that space; generic and global ones are 64-bit from sm_90 on.
    fn narrow(&self, space: Option<Space>) -> bool {
        let digits = self.module.target.arch.trim_start_matches("sm_").trim_end_matches(char::is_alphabetic);
        let recent = digits.parse::<u32>().is_ok_and(|number| number >= 90);
        !recent || matches!(space, Some(Space::Shared | Space::Local | Space::Param))
    }

    /// A function reads its parameters and writes its results.
    fn readable(&self, symbol: &Symbol, instruction: &Instruction) -> bool {
        match symbol {
            Symbol::Parameter(_) => &*instruction.opcode != "st",
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
    let wide = matches!(name, "clock64" | "globaltimer" | "gridid" | "current_graph_exec") || name.ends_with("_64");
    if wide {
        matches!(ty.name(), "u64" | "s64" | "b64")
    } else {
        is_word(ty) || matches!(ty.name(), "u16" | "s16" | "b16")
    }
}

fn is_word(ty: Type) -> bool {
    matches!(ty.name(), "u32" | "s32" | "b32")
}
