//! Kernels as their callers see them: parameters, shared variables, what they can reach.

use std::collections::{BTreeSet, HashMap};

use warpwise_ptx::ast::{Function, FunctionKind, Instruction, Module, Operand, RegisterId, Space, Variable};

use super::lowering::{param_bytes, param_offsets};
use super::reach::Mentions;
use super::usage::{self, operands};
use crate::program::{Builtin, Kernel, KernelParameter, LoadError, Parts};

/// Static shared memory that a kernel may declare; the GPU's limit is checked at the launch.
const MAX_SHARED: u64 = 16 << 20;
/// Bytes of a kernel's parameters, as on the largest GPUs.
const MAX_PARAMS: u64 = 32764;

/// Describes every kernel that is defined.
pub(super) fn kernels(module: &Module, parts: &Parts) -> Result<Vec<Kernel>, LoadError> {
    let mentions = Mentions::of(module);
    // What functions do by themselves is looked at once, however many kernels reach them.
    let flags: Vec<Flags> = module.functions.iter().map(Flags::of).collect();
    let mut kernels = Vec::new();
    for (index, function) in module.functions.iter().enumerate() {
        if function.kind != FunctionKind::Entry || function.body.is_none() {
            continue;
        }
        debug_assert_eq!(parts.functions[index].name, function.name);
        let reach = mentions.reach(index);
        let (shared, static_shared) = place_shared(module, &mentions, function, &reach)?;
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
        let calls = |name: &str| reach.iter().any(|&f| mentions.names[f].contains(name));
        let uses_heap = calls("malloc") || calls("free");
        let is_launch = |name: &&str| Builtin::named(name) == Some(Builtin::LaunchDevice);
        let launches = reach.iter().any(|&f| mentions.names[f].iter().any(is_launch));
        let product = |d: [u32; 3]| d.iter().fold(1u32, |n, &k| n.saturating_mul(k));
        kernels.push(Kernel {
            name: function.name.clone(),
            params,
            param_bytes: end as u32,
            static_shared,
            function: index as u32,
            reach: runs(module, &flags, &reach),
            shared,
            // Which addresses `malloc` returns, and which launch comes first, depends on who called before.
            ordered: uses_heap || launches || reach.iter().any(|&f| flags[f].sees_block_order),
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

/// What a function does by itself.
struct Flags {
    sees_block_order: bool,
    calls_through_pointers: bool,
}

impl Flags {
    fn of(function: &Function) -> Self {
        let through_pointer = |i: &Instruction| {
            let target = i.operands.iter().find(|operand| !matches!(operand, Operand::List(_)));
            &*i.opcode == "call" && matches!(target, Some(Operand::Register(_)))
        };
        let mut instructions = function.body.iter().flat_map(|body| &body.instructions);
        Self { sees_block_order: sees_block_order(function), calls_through_pointers: instructions.any(through_pointer) }
    }
}

/// The functions that a kernel can run which reaches those: all that are not kernels if it calls through pointers, for
/// a pointer may come from anywhere.
fn runs(module: &Module, flags: &[Flags], reach: &[usize]) -> Vec<u32> {
    let indirect = reach.iter().any(|&f| flags[f].calls_through_pointers);
    let callable = |f: usize| indirect && module.functions[f].kind != FunctionKind::Entry;
    let runs = (0..module.functions.len()).filter(|f| callable(*f) || reach.binary_search(f).is_ok());
    runs.map(|f| f as u32).collect()
}

/// Places the shared variables that a kernel can reach; the dynamic array comes last.
fn place_shared(
    module: &Module,
    mentions: &Mentions<'_>,
    kernel: &Function,
    reach: &[usize],
) -> Result<(HashMap<Box<str>, u32>, u32), LoadError> {
    let mut variables: Vec<(Box<str>, &Variable)> = Vec::new();
    let mut mentioned: BTreeSet<&str> = BTreeSet::new();
    for &at in reach {
        let function = &module.functions[at];
        mentioned.extend(&mentions.names[at]);
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
