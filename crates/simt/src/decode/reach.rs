//! Which functions a kernel can reach, through the names that functions mention.

use std::collections::{BTreeSet, HashMap};

use warpwise_ptx::ast::{AddressBase, Function, FunctionKind, Initializer, Module, Operand, Symbol};

use super::usage::operands;

/// What the functions of a module mention, collected once for all of its kernels.
pub(super) struct Mentions<'m> {
    /// The module-level names in each function.
    pub(super) names: Vec<BTreeSet<&'m str>>,
    /// The functions that each of them can call or take the address of.
    callees: Vec<Vec<usize>>,
    /// Functions whose addresses are in variables: they may be called from anywhere.
    in_variables: Vec<usize>,
}

impl<'m> Mentions<'m> {
    pub(super) fn of(module: &'m Module) -> Self {
        // A kernel may launch other kernels, but it cannot call them.
        let callable = module.functions.iter().enumerate().filter(|(_, f)| f.kind != FunctionKind::Entry);
        let mut by_name: HashMap<&str, usize> = callable.map(|(at, f)| (&*f.name, at)).collect();
        for alias in &module.aliases {
            if let Some(&at) = by_name.get(&*alias.target) {
                by_name.insert(&alias.name, at);
            }
        }
        let symbols = module.variables.iter().flat_map(|v| &v.init).filter_map(|init| match init {
            Initializer::Symbol { name, .. } => by_name.get(&**name).copied(),
            Initializer::Bytes { .. } => None,
        });
        let in_variables = symbols.collect();
        let names: Vec<_> = module.functions.iter().map(names).collect();
        let callees = names.iter().map(|names| names.iter().filter_map(|name| by_name.get(name).copied()).collect());
        Self { callees: callees.collect(), names, in_variables }
    }

    /// The functions that a kernel can reach, itself included, in order.
    pub(super) fn reach(&self, kernel: usize) -> Vec<usize> {
        let mut seen = vec![false; self.callees.len()];
        let mut todo: Vec<usize> = self.in_variables.iter().copied().chain([kernel]).collect();
        let mut reached = Vec::new();
        while let Some(at) = todo.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                reached.push(at);
                todo.extend(&self.callees[at]);
            }
        }
        reached.sort_unstable();
        reached
    }
}

/// The module-level names that a function mentions.
pub(super) fn names(function: &Function) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    let Some(body) = &function.body else { return names };
    for i in &body.instructions {
        operands(&i.operands, &mut |operand| match operand {
            Operand::Symbol(Symbol::Module(name), _) => {
                names.insert(&**name);
            }
            Operand::Address(a) => {
                if let AddressBase::Symbol(Symbol::Module(name)) = &a.base {
                    names.insert(&**name);
                }
            }
            _ => {}
        });
    }
    names
}
