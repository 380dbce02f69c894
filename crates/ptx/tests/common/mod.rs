//! The corpus of input files, and a compact, readable form of a module for snapshots.

#![allow(dead_code, reason = "each test program uses its part")]

use std::fmt::Write;

use warpwise_ptx::ast::{
    Address, AddressBase, Body, Function, Initializer, Instruction, Module, Operand, Parameter, RegisterId, Symbol,
    Variable,
};

/// The files by name, in order.
pub(crate) fn corpus() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/in");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder of inputs")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).expect("a readable file"))
        })
        .collect();
    files.sort();
    files
}

/// The whole module as text.
pub(crate) fn show(module: &Module) -> String {
    let mut out = String::new();
    let (major, minor) = module.version;
    let _ = writeln!(out, "version {major}.{minor}, {}, {} bits", module.target.arch, module.address_size);
    if !module.target.options.is_empty() {
        let _ = writeln!(out, "options {:?}", module.target.options);
    }
    for file in &module.files {
        let _ = writeln!(out, "file {} {:?}", file.index, file.path);
    }
    for variable in &module.variables {
        let _ = writeln!(out, "{}", show_variable(variable));
    }
    for function in &module.functions {
        show_function(&mut out, function);
    }
    for alias in &module.aliases {
        let _ = writeln!(out, "alias {} = {}", alias.name, alias.target);
    }
    out
}

fn show_variable(variable: &Variable) -> String {
    let Variable { name, space, ty, vector, align, size, init, linkage, .. } = variable;
    let vector = if *vector > 1 { format!(" v{vector}") } else { String::new() };
    let mut out = format!("{linkage:?} {space:?} {name}:{vector} {ty} align {align} size {size}");
    for piece in init {
        let _ = match piece {
            Initializer::Bytes { offset, bytes } => {
                let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                write!(out, "\n    [{offset}] = {hex}")
            }
            Initializer::Symbol { offset, width, name, addend, generic, mask } => {
                let generic = if *generic { "generic " } else { "" };
                let mask = mask.map_or(String::new(), |mask| format!(" mask {mask:#x}"));
                write!(out, "\n    [{offset}] = {width} bytes of {generic}{name}{addend:+}{mask}")
            }
        };
    }
    out
}

fn show_parameters(parameters: &[Parameter]) -> String {
    let shown = parameters.iter().map(|parameter| {
        let Variable { name, ty, align, size, .. } = &parameter.variable;
        let mut out = format!("{name}: {ty} align {align} size {size}");
        if let Some((space, align)) = parameter.pointer {
            let _ = write!(out, " pointer to {space:?} align {align}");
        }
        if let Some(RegisterId(index)) = parameter.register {
            let _ = write!(out, " in register {index}");
        }
        out
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn show_function(out: &mut String, function: &Function) {
    let Function { name, kind, linkage, returns, params, bounds, no_return, body, .. } = function;
    let _ = write!(out, "\n{linkage:?} {kind:?} {name}({})", show_parameters(params));
    if !returns.is_empty() {
        let _ = write!(out, " -> ({})", show_parameters(returns));
    }
    if *bounds != Default::default() {
        let _ = write!(out, "\n    {bounds:?}");
    }
    let _ = writeln!(out, "{}{}", if *no_return { " no return" } else { "" }, if body.is_none() { ";" } else { "" });
    let Some(body) = body else { return };
    let registers =
        (0..body.registers.len()).map(|i| format!("{}{}", register(body, RegisterId(i as u32)), body.registers[i].ty));
    let _ = writeln!(out, "    registers: {}", registers.collect::<Vec<_>>().join(" "));
    for variable in &body.variables {
        let _ = writeln!(out, "    {}", show_variable(variable));
    }
    for prototype in &body.prototypes {
        let (params, returns) = (show_parameters(&prototype.params), show_parameters(&prototype.returns));
        let _ = writeln!(out, "    prototype {}({params}) -> ({returns})", prototype.name);
    }
    for table in &body.branch_targets {
        let labels = table.labels.iter().map(|label| body.labels[label.0 as usize].name.to_string());
        let _ = writeln!(out, "    table {}: {}", table.name, labels.collect::<Vec<_>>().join(" "));
    }
    for index in 0..=body.instructions.len() {
        for (id, label) in body.labels.iter().enumerate().filter(|(_, label)| label.target as usize == index) {
            let _ = writeln!(out, "  {}#{id}:", label.name);
        }
        if let Some(instruction) = body.instructions.get(index) {
            let _ = writeln!(out, "{index:>5} {}", show_instruction(body, instruction));
        }
    }
}

fn show_instruction(body: &Body, instruction: &Instruction) -> String {
    let mut out = String::new();
    if let Some(guard) = instruction.guard {
        let _ = write!(out, "@{}{} ", if guard.negated { "!" } else { "" }, register(body, guard.register));
    }
    out.push_str(&instruction.opcode);
    for modifier in &instruction.modifiers {
        let _ = write!(out, ".{modifier}");
    }
    if !instruction.operands.is_empty() {
        let _ = write!(out, " {}", operands(body, &instruction.operands));
    }
    if let Some(line) = instruction.line {
        let _ = write!(out, "    // {}:{}:{}", line.file, line.line, line.column);
    }
    out
}

fn operands(body: &Body, list: &[Operand]) -> String {
    list.iter().map(|operand| show_operand(body, operand)).collect::<Vec<_>>().join(", ")
}

fn show_operand(body: &Body, operand: &Operand) -> String {
    match operand {
        Operand::Register(id) => register(body, *id),
        Operand::Not(id) => format!("!{}", register(body, *id)),
        Operand::Minus(inner) => format!("-{}", show_operand(body, inner)),
        Operand::Part(id, part) => format!("{}.{part}", register(body, *id)),
        Operand::Special(name) => format!("special {name}"),
        Operand::Integer(bits) => format!("{}", *bits as i64),
        Operand::F32(bits) => format!("{:?}f", f32::from_bits(*bits)),
        Operand::F64(bits) => format!("{:?}d", f64::from_bits(*bits)),
        Operand::Address(Address { base, offset }) => match base {
            AddressBase::Register(id) => format!("[{}{offset:+}]", register(body, *id)),
            AddressBase::Symbol(name) => format!("[{}{offset:+}]", symbol(body, name)),
            AddressBase::Absolute => format!("[{offset}]"),
        },
        Operand::Vector(list) => format!("{{{}}}", operands(body, list)),
        Operand::List(list) => format!("({})", operands(body, list)),
        Operand::Bracket(list) => format!("[[{}]]", operands(body, list)),
        Operand::Pair(first, second) => format!("{}|{}", show_operand(body, first), show_operand(body, second)),
        Operand::Sink => "_".to_owned(),
        Operand::Label(id) => format!("->{}#{}", body.labels[id.0 as usize].name, id.0),
        Operand::Symbol(name, offset) => format!("&{}{offset:+}", symbol(body, name)),
    }
}

/// A register's name, with its number if another has the same name.
fn register(body: &Body, id: RegisterId) -> String {
    let name = &body.registers[id.0 as usize].name;
    let twins = body.registers.iter().filter(|register| register.name == *name).count();
    if twins > 1 { format!("{name}#{}", id.0) } else { name.to_string() }
}

fn symbol(body: &Body, symbol: &Symbol) -> String {
    match symbol {
        Symbol::Local(index) => format!("local {}#{index}", body.variables[*index as usize].name),
        Symbol::Parameter(index) => format!("parameter {index}"),
        Symbol::Return(index) => format!("return {index}"),
        Symbol::Prototype(index) => format!("prototype {}", body.prototypes[*index as usize].name),
        Symbol::BranchTargets(index) => format!("table {}", body.branch_targets[*index as usize].name),
        Symbol::Module(name) => name.to_string(),
    }
}
