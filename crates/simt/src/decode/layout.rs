//! Kernels as their callers see them: parameters, shared variables, what they can reach.

use std::collections::{BTreeSet, HashMap};

use warpwise_ptx::ast::{
    AddressBase, Function, FunctionKind, Initializer, Instruction, Module, Operand, RegisterId, Space, Symbol, Variable,
};

use super::lowering::{param_bytes, param_offsets};
use super::usage::{self, operands};
use crate::program::{Builtin, Kernel, KernelParameter, LoadError, Parts};

/// Static shared memory that a kernel may declare; the GPU's limit is checked at the launch.
const MAX_SHARED: u64 = 16 << 20;
/// Bytes of a kernel's parameters, as on the largest GPUs.
const MAX_PARAMS: u64 = 32764;

/// Describes every kernel that is defined.
pub(super) fn kernels(module: &Module, parts: &Parts) -> Result<Vec<Kernel>, LoadError> {
    let mut kernels = Vec::new();
    for (index, function) in module.functions.iter().enumerate() {
        if function.kind != FunctionKind::Entry || function.body.is_none() {
            continue;
        }
        debug_assert_eq!(parts.functions[index].name, function.name);
        let reach = reach(module, index);
        let (shared, static_shared) = place_shared(module, function, &reach)?;
        let offsets = param_offsets(function);
        let end = param_bytes(function);
        if end > MAX_PARAMS {
            let what = format!("the parameters of {}", function.name);
            return Err(LoadError::TooLarge { what, size: end, limit: MAX_PARAMS });
        }
        let params = function
            .params
            .iter()
            .zip(&offsets)
            .map(|(p, &(offset, size))| KernelParameter {
                name: p.variable.name.clone(),
                ty: p.variable.ty,
                size,
                offset,
                is_pointer: p.pointer.is_some(),
            })
            .collect();
        let calls = |name: &str| reach.iter().any(|&f| names(&module.functions[f]).contains(name));
        let uses_heap = calls("malloc") || calls("free");
        let is_launch = |name: &&str| Builtin::named(name) == Some(Builtin::LaunchDevice);
        let launches = reach.iter().any(|&f| names(&module.functions[f]).iter().any(is_launch));
        let product = |d: [u32; 3]| d.iter().fold(1u32, |n, &k| n.saturating_mul(k));
        kernels.push(Kernel {
            name: function.name.clone(),
            params,
            param_bytes: end as u32,
            static_shared,
            function: index as u32,
            reach: runs(module, &reach),
            shared,
            // Which addresses `malloc` returns, and which launch comes first, depends on who called before.
            ordered: uses_heap || launches || reach.iter().any(|&f| sees_block_order(&module.functions[f])),
            max_threads: function.bounds.max_threads.map(product),
            required_threads: function.bounds.required_threads,
            required_cluster: function.bounds.cluster,
            prints: calls("vprintf"),
            uses_heap,
            launches,
        });
    }
    Ok(kernels)
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

/// The functions that a kernel can reach, itself included. It may launch other kernels, but it cannot call them.
fn reach(module: &Module, kernel: usize) -> Vec<usize> {
    let callable = module.functions.iter().enumerate().filter(|(_, f)| f.kind != FunctionKind::Entry);
    let mut by_name: HashMap<&str, usize> = callable.map(|(at, f)| (&*f.name, at)).collect();
    for alias in &module.aliases {
        if let Some(&at) = by_name.get(&*alias.target) {
            by_name.insert(&alias.name, at);
        }
    }
    // A pointer in a variable may be called from anywhere.
    let in_variables = module.variables.iter().flat_map(|v| &v.init).filter_map(|init| match init {
        Initializer::Symbol { name, .. } => by_name.get(&**name).copied(),
        Initializer::Bytes { .. } => None,
    });
    let mut seen = vec![false; module.functions.len()];
    let mut todo: Vec<usize> = in_variables.chain([kernel]).collect();
    let mut reached = Vec::new();
    while let Some(at) = todo.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        reached.push(at);
        todo.extend(names(&module.functions[at]).into_iter().filter_map(|n| by_name.get(n).copied()));
    }
    reached.sort_unstable();
    reached
}

/// The functions that a kernel can run which reaches those: all that are not kernels if it calls through pointers, for
/// a pointer may come from anywhere.
fn runs(module: &Module, reach: &[usize]) -> Vec<u32> {
    let through_pointer = |i: &Instruction| {
        let target = i.operands.iter().find(|operand| !matches!(operand, Operand::List(_)));
        &*i.opcode == "call" && matches!(target, Some(Operand::Register(_)))
    };
    let calls_any = |f: &usize| module.functions[*f].body.iter().flat_map(|b| &b.instructions).any(through_pointer);
    let indirect = reach.iter().any(calls_any);
    let callable = |f: usize| indirect && module.functions[f].kind != FunctionKind::Entry;
    let runs = (0..module.functions.len()).filter(|f| callable(*f) || reach.binary_search(f).is_ok());
    runs.map(|f| f as u32).collect()
}

/// Places the shared variables that a kernel can reach; the dynamic array comes last.
fn place_shared(
    module: &Module,
    kernel: &Function,
    reach: &[usize],
) -> Result<(HashMap<Box<str>, u32>, u32), LoadError> {
    let mut variables: Vec<(Box<str>, &Variable)> = Vec::new();
    let mut mentioned = BTreeSet::new();
    for &at in reach {
        let function = &module.functions[at];
        mentioned.extend(names(function));
        let body = function.body.iter().flat_map(|b| b.variables.iter().enumerate());
        for (n, v) in body.filter(|(_, v)| v.space == Space::Shared) {
            variables.push((format!("{}/{}/{n}", function.name, v.name).into(), v));
        }
    }
    let in_module = module.variables.iter().filter(|v| v.space == Space::Shared && mentioned.contains(&*v.name));
    variables.extend(in_module.map(|v| (v.name.clone(), v)));
    let mut places = HashMap::new();
    let mut next = 0u64;
    for (key, v) in variables.iter().filter(|(_, v)| v.size > 0) {
        next = next.next_multiple_of(u64::from(v.align.clamp(1, 4096)));
        places.insert(key.clone(), next as u32);
        next = next.saturating_add(v.size);
        if next > MAX_SHARED {
            let what = format!("the shared memory of {}", kernel.name);
            return Err(LoadError::TooLarge { what, size: next, limit: MAX_SHARED });
        }
    }
    let dynamic_align = variables.iter().filter(|(_, v)| v.size == 0).map(|(_, v)| v.align.clamp(1, 4096)).max();
    if let Some(align) = dynamic_align {
        next = next.next_multiple_of(u64::from(align.max(16)));
        places.extend(variables.iter().filter(|(_, v)| v.size == 0).map(|(key, _)| (key.clone(), next as u32)));
    }
    Ok((places, next as u32))
}

/// Whether a function can tell in which order blocks run: it uses the value that an atomic on global memory returns, or
/// leaves a value there that depends on which block came last.
fn sees_block_order(function: &Function) -> bool {
    let Some(body) = &function.body else { return false };
    let is_global = |i: &Instruction| !i.modifiers.iter().any(|m| m.starts_with("shared"));
    let atomics = body.instructions.iter().filter(|i| matches!(&*i.opcode, "atom" | "red") && is_global(i));
    let mut results: BTreeSet<RegisterId> = BTreeSet::new();
    for i in atomics {
        if i.modifiers.iter().any(|m| matches!(&**m, "exch" | "cas")) {
            return true;
        }
        if &*i.opcode == "atom" {
            operands(&i.operands[..i.operands.len().min(1)], &mut |operand| {
                if let Operand::Register(id) = operand {
                    results.insert(*id);
                }
            });
        }
    }
    let read = usage::reads(body);
    results.iter().any(|id| read.get(id.0 as usize) == Some(&true))
}
