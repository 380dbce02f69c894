//! Names inside a function: registers and variables by scope, and the registers made so far.
//!
//! The tables hold what is visible now; entering a scope notes their state and leaving it restores it, so a lookup
//! costs the same at any depth of nesting.

use std::collections::HashMap;

use crate::ast::{Register, RegisterId, ScalarType, Symbol};

/// The elements of a vector register, each under both of its names.
const ELEMENTS: [(&str, &str); 4] = [("x", "r"), ("y", "g"), ("z", "b"), ("w", "a")];

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// A register, and its index once it has been used.
    Register { ty: ScalarType, id: Option<RegisterId> },
    /// A vector register of that many elements.
    Vector { ty: ScalarType, ids: Vec<Option<RegisterId>> },
    /// A variable or parameter.
    Symbol(Symbol),
}

/// `%r<100>`: the names `%r0` to `%r99`.
#[derive(Clone, Copy, Debug)]
struct Set {
    serial: u32,
    scope: u32,
    ty: ScalarType,
    vector: u32,
    count: u64,
}

#[derive(Clone, Debug)]
struct Scoped<T> {
    scope: u32,
    value: T,
}

/// A table entry as it was before the current scope changed it.
enum Undo<'s> {
    Name(&'s str, Option<Scoped<Meaning>>),
    Set(&'s str),
}

/// What a name turned out to be at a use.
pub(super) enum Found {
    Register(RegisterId),
    Vector(Vec<RegisterId>),
    Symbol(Symbol),
    Nothing,
}

/// The names of a function.
#[derive(Default)]
pub(super) struct Names<'s> {
    visible: HashMap<&'s str, Scoped<Meaning>>,
    /// Sets by prefix, the innermost last: a name beyond the inner set's count belongs to an outer one.
    sets: HashMap<&'s str, Vec<Scoped<Set>>>,
    undo: Vec<Undo<'s>>,
    /// Registers taken from sets, by the set's serial number, index and element.
    numbered: HashMap<(u32, u64, u32), RegisterId>,
    serials: u32,
    /// Registers in order of first use.
    pub(super) registers: Vec<Register>,
}

impl<'s> Names<'s> {
    /// A mark to restore the tables to.
    pub(super) fn mark(&self) -> usize {
        self.undo.len()
    }

    /// Forgets what was declared since the mark.
    pub(super) fn restore(&mut self, mark: usize) {
        for undo in self.undo.drain(mark..).rev() {
            match undo {
                Undo::Name(name, Some(before)) => drop(self.visible.insert(name, before)),
                Undo::Name(name, None) => drop(self.visible.remove(name)),
                Undo::Set(prefix) => {
                    if let Some(sets) = self.sets.get_mut(prefix) {
                        sets.pop();
                    }
                }
            }
        }
    }

    /// Declares a name; false if the scope has it already.
    pub(super) fn declare(&mut self, scope: u32, name: &'s str, value: Meaning) -> bool {
        let before = self.visible.insert(name, Scoped { scope, value });
        let fresh = before.as_ref().is_none_or(|before| before.scope != scope);
        self.undo.push(Undo::Name(name, before));
        fresh
    }

    /// True if the scope declares the name.
    pub(super) fn is_declared(&self, scope: u32, name: &str) -> bool {
        self.visible.get(name).is_some_and(|entry| entry.scope == scope)
            || self.set_of(name).is_some_and(|(set, _)| set.scope == scope)
    }

    /// Declares a register; false if the scope has it already.
    pub(super) fn declare_register(&mut self, scope: u32, name: &'s str, ty: ScalarType, vector: u32) -> bool {
        let meaning = match vector {
            1 => Meaning::Register { ty, id: None },
            _ => Meaning::Vector { ty, ids: vec![None; vector as usize] },
        };
        let in_set = self.set_of(name).is_some_and(|(set, _)| set.scope == scope);
        self.declare(scope, name, meaning) && !in_set
    }

    /// Declares a numbered set of registers; false if the scope has it already.
    pub(super) fn declare_set(&mut self, scope: u32, prefix: &'s str, count: u64, ty: ScalarType, vector: u32) -> bool {
        let set = Set { serial: self.serials, scope, ty, vector, count };
        self.serials += 1;
        let sets = self.sets.entry(prefix).or_default();
        let fresh = sets.last().is_none_or(|before| before.scope != scope);
        sets.push(Scoped { scope, value: set });
        self.undo.push(Undo::Set(prefix));
        fresh
    }

    /// A new register that has no name in the text; `like` gives its type.
    pub(super) fn temporary(&mut self, like: RegisterId) -> RegisterId {
        let Register { name, ty } = self.registers[like.0 as usize].clone();
        self.unnamed(&name, ty)
    }

    /// A new register of that type for a sum with something of that name.
    pub(super) fn unnamed(&mut self, name: &str, ty: ScalarType) -> RegisterId {
        make(&mut self.registers, format!("{name}+").into(), ty)
    }

    /// What a name stands for here; a register is made if this is its first use.
    pub(super) fn find(&mut self, name: &'s str) -> Found {
        if let Some((set, number)) = self.set_of(name) {
            if set.vector == 1 {
                return Found::Register(self.numbered(name, set, number, 0));
            }
            return Found::Vector((0..set.vector as usize).map(|i| self.numbered(name, set, number, i)).collect());
        }
        let Self { visible, registers, .. } = self;
        match visible.get_mut(name).map(|entry| &mut entry.value) {
            None => Found::Nothing,
            Some(Meaning::Symbol(symbol)) => Found::Symbol(symbol.clone()),
            Some(Meaning::Register { ty, id }) => {
                Found::Register(*id.get_or_insert_with(|| make(registers, name.into(), *ty)))
            }
            Some(Meaning::Vector { ty, ids }) => {
                let made = ids
                    .iter_mut()
                    .enumerate()
                    .map(|(element, id)| *id.get_or_insert_with(|| make(registers, element_name(name, element), *ty)));
                Found::Vector(made.collect())
            }
        }
    }

    /// An element of a vector register by its name, `x` or `r` and so on.
    pub(super) fn find_element(&mut self, name: &'s str, element: &str) -> Option<RegisterId> {
        let index = element_index(element)?;
        if let Some((set, number)) = self.set_of(name) {
            return (set.vector > index as u32).then(|| self.numbered(name, set, number, index));
        }
        let Self { visible, registers, .. } = self;
        match visible.get_mut(name).map(|entry| &mut entry.value) {
            Some(Meaning::Vector { ty, ids }) => {
                let id = ids.get_mut(index)?;
                Some(*id.get_or_insert_with(|| make(registers, element_name(name, index), *ty)))
            }
            _ => None,
        }
    }

    /// True if the name is a vector register.
    pub(super) fn is_vector(&self, name: &str) -> bool {
        match self.set_of(name) {
            Some((set, _)) => set.vector > 1,
            None => self.visible.get(name).is_some_and(|entry| matches!(entry.value, Meaning::Vector { .. })),
        }
    }

    /// The set that a name belongs to, if no declaration further in hides it. A prefix may itself end with digits, so
    /// every split is tried; scopes are numbered as they open, so the innermost has the highest number.
    fn set_of(&self, name: &str) -> Option<(Set, u64)> {
        /// Digits of the largest number of a set.
        const DIGITS: usize = 10;
        let digits = name.bytes().rev().take(DIGITS).take_while(u8::is_ascii_digit).count();
        let candidates = (1..=digits).filter_map(|length| {
            let (prefix, number) = name.split_at(name.len() - length);
            let sets = self.sets.get(prefix)?;
            let number = number.parse::<u64>().ok()?;
            let set = sets.iter().rev().find(|set| number < set.value.count)?;
            Some((set.scope, set.value, number))
        });
        let (scope, set, number) = candidates.max_by_key(|&(scope, ..)| scope)?;
        let hidden = self.visible.get(name).is_some_and(|entry| entry.scope >= scope);
        (!hidden).then_some((set, number))
    }

    fn numbered(&mut self, name: &str, set: Set, number: u64, element: usize) -> RegisterId {
        let registers = &mut self.registers;
        *self.numbered.entry((set.serial, number, element as u32)).or_insert_with(|| {
            let name = if set.vector == 1 { name.into() } else { element_name(name, element) };
            make(registers, name, set.ty)
        })
    }
}

/// Which element of a vector a name means.
pub(super) fn element_index(element: &str) -> Option<usize> {
    ELEMENTS.iter().position(|names| element == names.0 || element == names.1)
}

/// The name of an element of a vector register.
pub(super) fn element_name(name: &str, index: usize) -> Box<str> {
    format!("{name}.{}", ELEMENTS[index].0).into()
}

fn make(registers: &mut Vec<Register>, name: Box<str>, ty: ScalarType) -> RegisterId {
    registers.push(Register { name, ty });
    RegisterId(registers.len() as u32 - 1)
}
