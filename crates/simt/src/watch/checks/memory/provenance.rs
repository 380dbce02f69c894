//! Provenance: the variable or argument that an address was computed from, if the code shows it.
//!
//! A register is *based* on a variable when every value it can hold is that variable's address plus a number. This is
//! computed for whole functions, register by register, and gives up early: a 64-bit value loaded from memory, a sum or
//! difference of two addresses, or a choice between two variables is based on nothing. So an access outside the object
//! that its address is based on is a mistake, never a trick of the compiler.

use std::collections::HashMap;

use warpwise_ptx::ast::{
    AddressBase, Body, Function, FunctionKind, Instruction, Module, Operand, RegisterId, ScalarType, Space, Symbol,
};

/// What an address is based on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Base {
    /// A shared variable, by its key among the kernel's.
    Shared(Box<str>),
    /// The 64 bits at an offset of the kernel's parameters.
    Argument(u32),
    /// A `.local` variable of the function's body, by its number.
    Local(u32),
    /// A `.global` or `.const` variable.
    Variable(Box<str>),
}

/// What is known about a register: an index into the function's bases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    /// Never written so far.
    Unset,
    /// A number, not an address.
    Number,
    /// An address based on that base.
    Based(u32),
    /// Anything.
    Unknown,
}

impl Value {
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unset, x) | (x, Self::Unset) => x,
            (x, y) if x == y => x,
            _ => Self::Unknown,
        }
    }
}

/// The bases of all memory instructions of a module, function by function in code order.
pub(crate) fn bases(module: &Module) -> Vec<Option<Base>> {
    let mut all = Vec::new();
    for function in &module.functions {
        if let Some(body) = &function.body {
            all.extend(function_bases(module, function, body));
            // Every function ends in a return of its own.
            all.push(None);
        }
    }
    all
}

struct Analysis<'m> {
    module: &'m Module,
    function: &'m Function,
    body: &'m Body,
    values: Vec<Value>,
    numbers: HashMap<Base, u32>,
    bases: Vec<Base>,
}

fn function_bases(module: &Module, function: &Function, body: &Body) -> Vec<Option<Base>> {
    let values = vec![Value::Unset; body.registers.len()];
    let mut analysis = Analysis { module, function, body, values, numbers: HashMap::new(), bases: Vec::new() };
    // Values only climb a ladder of three rungs, so this ends; loops need a second or third pass.
    while body.instructions.iter().fold(false, |changed, i| analysis.step(i) | changed) {}
    body.instructions.iter().map(|i| analysis.address(i)).collect()
}

impl Analysis<'_> {
    fn base(&mut self, base: Base) -> Value {
        let next = self.bases.len() as u32;
        let number = *self.numbers.entry(base.clone()).or_insert(next);
        if number == next {
            self.bases.push(base);
        }
        Value::Based(number)
    }

    fn is_kernel(&self) -> bool {
        self.function.kind == FunctionKind::Entry
    }

    fn symbol(&mut self, symbol: &Symbol) -> Value {
        let base = match symbol {
            Symbol::Local(at) => match self.body.variables.get(*at as usize) {
                Some(v) if v.space == Space::Shared => {
                    Base::Shared(format!("{}/{}/{at}", self.function.name, v.name).into())
                }
                Some(v) if v.space == Space::Local => Base::Local(*at),
                _ => return Value::Unknown,
            },
            Symbol::Module(name) => match self.module.variable(name).map(|v| v.space) {
                Some(Space::Shared) => Base::Shared(name.clone()),
                Some(Space::Global | Space::Const) => Base::Variable(name.clone()),
                _ => return Value::Unknown,
            },
            _ => return Value::Unknown,
        };
        self.base(base)
    }

    fn value(&mut self, operand: &Operand) -> Value {
        match operand {
            Operand::Register(id) => self.values.get(id.0 as usize).copied().unwrap_or(Value::Unknown),
            Operand::Integer(_) | Operand::F32(_) | Operand::F64(_) | Operand::Special(_) => Value::Number,
            Operand::Symbol(symbol, _) => self.symbol(symbol),
            Operand::Not(_) => Value::Number,
            _ => Value::Unknown,
        }
    }

    /// Executes an instruction on what is known; true if more is known afterwards.
    fn step(&mut self, i: &Instruction) -> bool {
        let Some((first, sources)) = i.operands.split_first() else { return false };
        let targets = first.destinations();
        if targets.is_empty() || matches!(&*i.opcode, "st" | "red" | "call" | "bra" | "brx") {
            // A call's results are returned through parameters, or in a list of registers.
            return matches!(&*i.opcode, "call") && self.set(&targets, Value::Unknown);
        }
        let plain = matches!(first, Operand::Register(_));
        let value = if plain { self.result(i, sources) } else { self.mixed(i, sources) };
        self.set(&targets, value)
    }

    fn set(&mut self, targets: &[RegisterId], value: Value) -> bool {
        let mut changed = false;
        for id in targets {
            if let Some(slot) = self.values.get_mut(id.0 as usize) {
                let joined = slot.join(value);
                changed |= joined != *slot;
                *slot = joined;
            }
        }
        changed
    }

    fn result(&mut self, i: &Instruction, sources: &[Operand]) -> Value {
        let values: Vec<Value> = sources.iter().map(|s| self.value(s)).collect();
        if values.contains(&Value::Unset) && !matches!(&*i.opcode, "ld" | "atom") {
            return Value::Unset;
        }
        match (&*i.opcode, &values[..]) {
            ("mov" | "cvta" | "cvt" | "mapa", [a, ..]) => *a,
            ("add", [a, b]) => plus(*a, *b),
            ("sub", [a, Value::Number]) => *a,
            ("mad" | "fma", [a, b, c]) => plus(times(*a, *b), *c),
            ("mul" | "shl", [a, b]) => times(*a, *b),
            ("selp", [a, b, _]) => a.join(*b),
            ("ld", _) => self.load(i, sources),
            _ => self.mixed(i, sources),
        }
    }

    /// The result of instructions without a rule of their own: a number if they take only numbers. 32-bit values from
    /// memory are numbers too: device addresses have 64 bits.
    fn mixed(&mut self, i: &Instruction, sources: &[Operand]) -> Value {
        if matches!(&*i.opcode, "ld" | "ldu" | "atom" | "tex" | "suld") {
            let wide = i.modifiers.iter().filter_map(|m| ScalarType::parse(m)).any(|ty| ty.bytes() > 4);
            return if wide { Value::Unknown } else { Value::Number };
        }
        let mut value = Value::Number;
        for source in sources {
            let parts = match source {
                Operand::Vector(list) => &list[..],
                other => std::slice::from_ref(other),
            };
            for part in parts {
                match self.value(part) {
                    Value::Number => {}
                    Value::Unset if value == Value::Number => value = Value::Unset,
                    Value::Unset => {}
                    _ => value = Value::Unknown,
                }
            }
        }
        value
    }

    fn load(&mut self, i: &Instruction, sources: &[Operand]) -> Value {
        if self.is_kernel()
            && i.modifiers.iter().any(|m| &**m == "param")
            && let [Operand::Address(address)] = sources
            && let AddressBase::Symbol(Symbol::Parameter(at)) = &address.base
            && i.modifiers.iter().filter_map(|m| ScalarType::parse(m)).any(|ty| ty.bytes() == 8)
        {
            let offsets = crate::decode::param_offsets(self.function);
            let offset = offsets.get(*at as usize).map(|&(offset, _)| i64::from(offset) + address.offset);
            return match offset.and_then(|offset| u32::try_from(offset).ok()) {
                Some(offset) => self.base(Base::Argument(offset)),
                None => Value::Unknown,
            };
        }
        self.mixed(i, sources)
    }

    /// The base of a memory instruction's address.
    fn address(&mut self, i: &Instruction) -> Option<Base> {
        let operand = match &*i.opcode {
            "ld" | "ldu" | "atom" | "ldmatrix" => i.operands.get(1),
            "st" | "red" | "stmatrix" | "cp" => i.operands.first(),
            _ => None,
        };
        let Some(Operand::Address(address)) = operand else { return None };
        let value = match &address.base {
            AddressBase::Register(id) => self.values.get(id.0 as usize).copied()?,
            AddressBase::Symbol(symbol) => self.symbol(symbol),
            AddressBase::Absolute => return None,
        };
        match value {
            Value::Based(number) => self.bases.get(number as usize).cloned(),
            _ => None,
        }
    }
}

fn plus(a: Value, b: Value) -> Value {
    match (a, b) {
        (x, Value::Number) | (Value::Number, x) => x,
        (Value::Unset, _) | (_, Value::Unset) => Value::Unset,
        _ => Value::Unknown,
    }
}

/// A product is a number, unless a factor is unknown: addresses are never multiplied.
fn times(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Unknown, _) | (_, Value::Unknown) => Value::Unknown,
        (Value::Unset, _) | (_, Value::Unset) => Value::Unset,
        _ => Value::Number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(code: &str) -> Option<Base> {
        let text = format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n.global .b32 table[4];\n\
             .visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n)\n{{\n.reg .pred %p<3>;\n\
             .reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.shared .b32 tile[64];\n.shared .b32 more[64];\n\
             .local .b8 depot[32];\n{code}\nret;\n}}\n"
        );
        let module = warpwise_ptx::parse(&text).expect("valid PTX");
        bases(&module).into_iter().rev().nth(2).expect("a return and the end come after it")
    }

    #[test]
    fn sums_stay_based() {
        let tile = Some(Base::Shared("k/tile/0".into()));
        assert_eq!(last("mov.u32 %r1, tile; mad.lo.s32 %r2, %tid.x, 4, %r1; ld.shared.u32 %r4, [%r2+8];"), tile);
        assert_eq!(
            last("mov.u32 %r3, %tid.x; mov.u32 %r1, tile; L: add.u32 %r1, %r1, %r3; st.shared.u32 [%r1], 1;"),
            tile
        );
        assert_eq!(last("ld.shared.u32 %r4, [tile+4];"), tile);
        let argument = "ld.param.u64 %rd1, [q]; cvta.to.global.u64 %rd2, %rd1; ld.global.u32 %r1, [%rd2]; \
                        mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3; st.global.u32 [%rd4], 1;";
        assert_eq!(last(argument), Some(Base::Argument(8)));
        assert_eq!(last("mov.u64 %rd1, table; st.global.u32 [%rd1+12], 1;"), Some(Base::Variable("table".into())));
        assert_eq!(last("mov.u64 %rd1, depot; add.u64 %rd2, %rd1, 4; st.local.u32 [%rd2], 1;"), Some(Base::Local(2)));
    }

    #[test]
    fn what_is_not_clear_is_based_on_nothing() {
        let choice = "mov.u32 %r1, tile; mov.u32 %r2, more; selp.b32 %r3, %r1, %r2, %p1; st.shared.u32 [%r3], 1;";
        assert_eq!(last(choice), None);
        let two = "mov.u32 %r1, tile; mov.u32 %r1, more; st.shared.u32 [%r1], 1;";
        assert_eq!(last(two), None);
        let apart = "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; sub.s64 %rd3, %rd2, %rd1; \
                     add.s64 %rd4, %rd1, %rd3; st.global.u32 [%rd4], 1;";
        assert_eq!(last(apart), None);
        let loaded = "ld.param.u64 %rd1, [p]; ld.global.u64 %rd2, [%rd1]; st.global.u32 [%rd2], 1;";
        assert_eq!(last(loaded), None);
    }
}
