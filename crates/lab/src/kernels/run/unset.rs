//! Variables that a kernel reads although nothing has set them: no initialiser, no `--symbol`, no write in the kernel.
//!
//! The instructions that use a variable's address are followed through the registers it is computed with. If it goes
//! anywhere else (memory, a call), nothing is said: another function may write to the variable.

use super::symbols::{keyword, source_name, variables};
use crate::kernels::finding::Finding;
use crate::kernels::source::SourceMap;
use std::collections::{BTreeSet, HashSet};
use warpwise_gpu::Profile;
use warpwise_ptx::LineIndex;
use warpwise_ptx::ast::{
    AddressBase, Function, Initializer, Instruction, Module, Operand, RegisterId, Space, Symbol, Variable,
};

/// The findings for a launch of a kernel in which these variables, by their names in PTX, were set. With a profile,
/// only what was executed counts.
pub(super) fn findings(
    kernel: &str,
    set: &[String],
    profile: Option<&Profile>,
    sources: &SourceMap,
    main: &str,
) -> Vec<Finding> {
    let module = sources.program.module();
    let functions = reached(module, kernel);
    let unset = variables(module).filter(|v| {
        let given = set.iter().any(|name| **name == *v.name);
        v.init.is_empty() && v.size > 0 && !given && !is_named_by_another(module, v)
    });
    let lines = LineIndex::new(&sources.ptx);
    let was_executed = |function: &Function, line: u32| {
        let same = |i: &warpwise_gpu::InstructionProfile| *i.function == *function.name && i.ptx_line == line;
        profile.is_none_or(|profile| profile.instructions.iter().any(same))
    };
    let mut found = Vec::new();
    for variable in unset.filter(|v| !has_value(&source_name(&v.name), sources)) {
        let Some(reads) = reads(&functions, variable) else { continue };
        let placed = reads.into_iter().map(|(function, read)| (function, lines.line_column(read.span.start).0, read));
        let first = placed.into_iter().find(|(function, line, _)| was_executed(function, *line));
        found.extend(first.map(|(_, line, read)| finding(variable, line, read, sources, main)));
    }
    found
}

/// The kernel and the functions it can reach.
pub(in crate::kernels) fn reached<'m>(module: &'m Module, kernel: &str) -> Vec<&'m Function> {
    let mut found: Vec<&Function> = module.function(kernel).into_iter().collect();
    let mut next = 0;
    while let Some(function) = found.get(next).copied() {
        next += 1;
        for name in names(function) {
            let callee = module.callee(name).filter(|f| f.body.is_some());
            if let Some(callee) = callee.filter(|f| !found.iter().any(|known| std::ptr::eq(*known, *f))) {
                found.push(callee);
            }
        }
    }
    found
}

/// The module-level names in a function's code.
pub(in crate::kernels) fn names(function: &Function) -> BTreeSet<&str> {
    fn visit<'m>(operand: &'m Operand, found: &mut BTreeSet<&'m str>) {
        match operand {
            Operand::Symbol(Symbol::Module(name), _) => {
                found.insert(name);
            }
            Operand::Address(address) => {
                if let AddressBase::Symbol(Symbol::Module(name)) = &address.base {
                    found.insert(name);
                }
            }
            Operand::Vector(all) | Operand::List(all) | Operand::Bracket(all) => {
                all.iter().for_each(|one| visit(one, found));
            }
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    for instruction in function.body.iter().flat_map(|body| &body.instructions) {
        instruction.operands.iter().for_each(|operand| visit(operand, &mut found));
    }
    found
}

/// Whether the address of a variable is part of another's contents.
fn is_named_by_another(module: &Module, variable: &Variable) -> bool {
    let names = |init: &Initializer| matches!(init, Initializer::Symbol { name, .. } if *name == variable.name);
    module.variables.iter().flat_map(|v| &v.init).any(names)
}

/// The loads from a variable; `None` if it may be written to.
pub(in crate::kernels) fn reads<'m>(
    functions: &[&'m Function],
    variable: &Variable,
) -> Option<Vec<(&'m Function, &'m Instruction)>> {
    let mut found = Vec::new();
    for function in functions.iter().filter(|f| names(f).contains(&*variable.name)) {
        let instructions = &function.body.as_ref()?.instructions;
        let mut derived: HashSet<RegisterId> = HashSet::new();
        loop {
            let before = derived.len();
            for instruction in instructions.iter().filter(|i| !touches_memory(i)) {
                let from = instruction.operands.iter().skip(1).any(|o| mentions(o, variable, &derived));
                if let (true, Some(to)) = (from, instruction.operands.first()) {
                    registers(to, &mut derived);
                }
            }
            if derived.len() == before {
                break;
            }
        }
        for instruction in instructions.iter().filter(|i| touches_memory(i)) {
            let used: Vec<bool> = instruction.operands.iter().map(|o| mentions(o, variable, &derived)).collect();
            match &*instruction.opcode {
                // The destination of a load is overwritten.
                "ld" | "ldu" if used.iter().skip(1).any(|&u| u) => found.push((*function, instruction)),
                "ld" | "ldu" | "prefetch" | "prefetchu" => {}
                _ if used.contains(&true) => return None,
                _ => {}
            }
        }
    }
    Some(found)
}

/// Whether an instruction does anything but compute in registers.
fn touches_memory(instruction: &Instruction) -> bool {
    const PURE: [&str; 22] = [
        "mov", "cvta", "cvt", "add", "sub", "mul", "mad", "shl", "shr", "and", "or", "xor", "selp", "setp", "min",
        "max", "neg", "not", "bfe", "bfi", "shf", "isspacep",
    ];
    !PURE.contains(&&*instruction.opcode)
}

fn mentions(operand: &Operand, variable: &Variable, derived: &HashSet<RegisterId>) -> bool {
    let is_it = |symbol: &Symbol| matches!(symbol, Symbol::Module(name) if *name == variable.name);
    match operand {
        Operand::Register(register) => derived.contains(register),
        Operand::Symbol(symbol, _) => is_it(symbol),
        Operand::Address(address) => match &address.base {
            AddressBase::Register(register) => derived.contains(register),
            AddressBase::Symbol(symbol) => is_it(symbol),
            AddressBase::Absolute => false,
        },
        Operand::Vector(all) | Operand::List(all) | Operand::Bracket(all) => {
            all.iter().any(|one| mentions(one, variable, derived))
        }
        _ => false,
    }
}

fn registers(operand: &Operand, into: &mut HashSet<RegisterId>) {
    match operand {
        Operand::Register(register) => {
            into.insert(*register);
        }
        Operand::Pair(a, b) => {
            registers(a, into);
            registers(b, into);
        }
        Operand::Vector(all) => all.iter().for_each(|one| registers(one, into)),
        _ => {}
    }
}

fn finding(variable: &Variable, line: u32, read: &Instruction, sources: &SourceMap, main: &str) -> Finding {
    let name = source_name(&variable.name);
    let (keyword, size) = (keyword(variable.space), variable.size);
    let message =
        format!("nothing has set {name} ({keyword}, {size} bytes): it has no initialiser, so the kernel reads zeros");
    let value = suggestion(variable, Some(read));
    let advice = match setter(&name, sources) {
        Some((file, at)) => {
            let place = if file == main { format!("line {at}") } else { format!("{file}:{at}") };
            format!(
                "The cudaMemcpyToSymbol({name}, ...) in {place} is host code and does not run here: give --symbol {value}"
            )
        }
        None => format!("A cudaMemcpyToSymbol({name}, ...) before the launch is missing; here, give --symbol {value}"),
    };
    let text = sources.ptx.get(read.span.start as usize..read.span.end as usize).unwrap_or("");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut finding = Finding::of_line("uninitialized", "warning", message, (read.line, line, text), sources);
    finding.advice = advice;
    finding.space = (variable.space == Space::Global).then_some("global");
    finding.variable = Some(name);
    finding
}

/// What `--symbol` needs for a variable: its element type is that of the variable, or of a load from it.
pub(in crate::kernels) fn suggestion(variable: &Variable, read: Option<&Instruction>) -> String {
    let name = source_name(&variable.name);
    let element = |ptx: &str| match ptx {
        "u8" | "u16" | "u32" | "u64" | "f32" | "f64" | "f16" | "bf16" => Some(ptx.to_owned()),
        "s8" | "s16" | "s32" | "s64" => Some(ptx.replace('s', "i")),
        _ => None,
    };
    let bytes = |name: &str| super::ElementType::parse(name).map_or(1, super::ElementType::bytes);
    let declared = element(variable.ty.name()).filter(|name| bytes(name) > 1 || variable.align == 1);
    let loaded = || read?.modifiers.iter().rev().find_map(|m| element(m));
    let ty = declared.or_else(loaded).filter(|ty| variable.size.is_multiple_of(bytes(ty)));
    match ty {
        Some(ty) if bytes(&ty) == variable.size => format!("{name}={ty}=VALUE"),
        Some(ty) => format!("'{name}={ty}[{}]:FILL'", variable.size / bytes(&ty)),
        None => format!("'{name}=TYPE[LEN]:FILL'"),
    }
}

/// Where a name stands in a text as a word of its own.
fn words<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).map(|(at, _)| at).filter(move |&at| {
        !text[..at].chars().next_back().is_some_and(part) && !text[at + name.len()..].chars().next().is_some_and(part)
    })
}

/// Whether the source declares a variable with a value. Compilers write none for zeros.
fn has_value(name: &str, sources: &SourceMap) -> bool {
    let base = name.rsplit("::").next().unwrap_or(name);
    sources.files.iter().any(|(_, text)| {
        words(text, base).any(|at| {
            let before = text[..at].rsplit([';', '}', '{']).next().unwrap_or("");
            let after = text[at + base.len()..].split(';').next().unwrap_or("");
            let declares = before.contains("__device__") || before.contains("__constant__");
            declares && (after.contains('=') || after.contains('{'))
        })
    })
}

/// File and line of the host code that sets a variable.
fn setter(name: &str, sources: &SourceMap) -> Option<(String, usize)> {
    let base = name.rsplit("::").next().unwrap_or(name);
    sources.files.iter().find_map(|(file, text)| {
        let call = |at: &usize| {
            let before = text[..*at].trim_end().trim_end_matches("::").trim_end_matches(['&', '(']);
            let statement = before.rsplit([';', '}', '{']).next().unwrap_or("");
            statement.contains("cudaMemcpyToSymbol") && !statement.contains(',')
        };
        let at = words(text, base).find(call)?;
        Some((file.clone(), 1 + text[..at].matches('\n').count()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use warpwise_simt::Program;

    fn sources(declarations: &str, body: &str, cxx: &str) -> SourceMap {
        let ptx = format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n{declarations}\n.visible .entry k(.param .u64 x)\n{{\n\
             .reg .b32 %r<4>;\n.reg .f32 %f<4>;\n.reg .b64 %rd<6>;\n{body}\nret;\n}}\n"
        );
        let program = Arc::new(Program::load(&ptx).unwrap_or_else(|problem| panic!("{problem}")));
        let files = if cxx.is_empty() { Vec::new() } else { vec![("k.cu".to_owned(), cxx.to_owned())] };
        SourceMap { program, ptx, ptx_name: "k.ptx".to_owned(), files }
    }

    fn found(sources: &SourceMap, set: &[&str]) -> Vec<Finding> {
        let set: Vec<String> = set.iter().map(|&name| name.to_owned()).collect();
        findings("k", &set, None, sources, "k.cu")
    }

    const TAPS: &str = ".const .align 4 .b8 taps[36];";

    #[test]
    fn a_variable_that_is_only_read_is_found() {
        let direct = sources(TAPS, "ld.const.f32 %f1, [taps+4];", "");
        let seen = found(&direct, &[]);
        assert_eq!(
            (seen.len(), seen[0].kind, seen[0].severity, seen[0].line),
            (1, "uninitialized", "warning", Some(10))
        );
        assert!(seen[0].message.contains("taps (__constant__, 36 bytes)"), "{}", seen[0].message);
        assert!(seen[0].advice.contains("cudaMemcpyToSymbol(taps, ...)"), "{}", seen[0].advice);
        assert!(seen[0].advice.contains("--symbol 'taps=f32[9]:FILL'"), "{}", seen[0].advice);
        assert!(found(&direct, &["taps"]).is_empty(), "it was set");
        let indirect = "mov.u64 %rd1, table;\ncvta.global.u64 %rd2, %rd1;\nadd.s64 %rd3, %rd2, 8;\nld.u32 %r1, [%rd3];";
        assert_eq!(found(&sources(".global .align 4 .b8 table[64];", indirect, ""), &[]).len(), 1);
    }

    #[test]
    fn a_variable_that_may_be_written_is_not() {
        let body = "mov.u64 %rd1, table;\nld.global.u32 %r1, [table];";
        let table = ".global .align 4 .b8 table[64];";
        for more in
            ["st.global.u32 [%rd1+4], %r1;", "atom.global.add.u32 %r2, [%rd1], 1;", "st.global.u64 [%rd2], %rd1;"]
        {
            assert!(found(&sources(table, &format!("{body}\n{more}"), ""), &[]).is_empty(), "{more}");
        }
        assert!(found(&sources(".global .u32 n = 3;", "ld.global.u32 %r1, [n];", ""), &[]).is_empty(), "initialised");
        assert!(found(&sources(table, "mov.u64 %rd1, table;", ""), &[]).is_empty(), "never read");
        let pointed = ".global .align 4 .b8 table[64];\n.global .u64 p = table;";
        assert!(found(&sources(pointed, "ld.global.u32 %r1, [table];", ""), &[]).is_empty());
        let zero = "__device__ int table[16] = {0};\n__global__ void k(int *x) {}\n";
        assert!(found(&sources(table, "ld.global.u32 %r1, [table];", zero), &[]).is_empty(), "zeros are meant");
    }

    #[test]
    fn host_code_that_sets_it_is_named() {
        let cxx = "__constant__ float taps[9];\nint main() {\n  cudaMemcpyToSymbol(taps, host, sizeof host);\n}\n";
        let seen = found(&sources(TAPS, "ld.const.f32 %f1, [taps];", cxx), &[]);
        assert!(seen[0].advice.contains("in line 3 is host code"), "{}", seen[0].advice);
    }
}
