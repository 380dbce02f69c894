//! Checks declarations of variables and parameters.

use std::collections::HashSet;

use super::operand::{Name, Names};
use crate::ast::{Function, FunctionKind, Initializer, Linkage, Module, Parameter, ScalarType, Space, Variable};
use crate::error::Fault;
use crate::number::clip;

/// The largest vector, in bytes.
const LARGEST_VECTOR: u32 = 16;

/// Checks what a module declares.
pub(super) fn check(module: &Module, names: &Names<'_>) -> Result<(), Fault> {
    for variable in &module.variables {
        if matches!(variable.space, Space::Local | Space::Param) {
            return Err(fault(variable, "must be declared in a function"));
        }
        self::variable(variable)?;
        contents(variable, names)?;
    }
    module.functions.iter().try_for_each(function)
}

/// Addresses among the initial contents: of something that is declared, in an integer of their size.
fn contents(variable: &Variable, names: &Names<'_>) -> Result<(), Fault> {
    for piece in &variable.init {
        let Initializer::Symbol { name, generic, mask, .. } = piece else { continue };
        let fits = match mask {
            Some(_) => variable.ty == ScalarType::U8,
            None => matches!(variable.ty, ScalarType::U32 | ScalarType::U64),
        };
        let known = match names.get(&**name) {
            Some(Name::Variable(space)) => matches!(space, Space::Global | Space::Const | Space::Opaque),
            Some(Name::Function(_)) => !generic,
            None => {
                return Err(fault(variable, &format!("holds the address of '{}', which is not declared", clip(name))));
            }
        };
        if !fits || !known {
            return Err(fault(variable, &format!("cannot hold the address of '{}'", clip(name))));
        }
    }
    Ok(())
}

fn function(function: &Function) -> Result<(), Fault> {
    let mut names = HashSet::new();
    for parameter in function.returns.iter().chain(&function.params) {
        self::parameter(parameter, function.kind)?;
        let variable = &parameter.variable;
        if &*variable.name != "_" && !names.insert(&*variable.name) {
            return Err(fault(variable, "is already the name of a parameter"));
        }
    }
    if let [first, _, ..] = &function.returns[..]
        && function.returns.iter().any(|parameter| parameter.register.is_none())
    {
        return Err(fault(&first.variable, "must be a register, as there are several results"));
    }
    let body = function.body.iter().flat_map(|body| &body.variables);
    body.into_iter().try_for_each(variable)
}

fn parameter(parameter: &Parameter, kind: FunctionKind) -> Result<(), Fault> {
    let variable = &parameter.variable;
    match (parameter.register.is_some(), kind, variable.ty) {
        (true, FunctionKind::Entry, _) => Err(fault(variable, "must be a .param: a kernel has no others")),
        (true, ..) => Ok(()),
        (false, _, ScalarType::Pred) => Err(fault(variable, "is a predicate, which only a register can be")),
        (false, _, ScalarType::F16x2) => Err(fault(variable, "cannot be a .param of type .f16x2: use .b32")),
        (false, FunctionKind::Entry, _) if variable.size == 0 => Err(fault(variable, "has no size")),
        _ if variable.vector > 1 => Err(fault(variable, "is a vector, which a .param cannot be")),
        _ => Ok(()),
    }
}

fn variable(variable: &Variable) -> Result<(), Fault> {
    let initial = matches!(variable.space, Space::Global | Space::Const | Space::Opaque);
    if variable.ty == ScalarType::Pred {
        return Err(fault(variable, "is a predicate, which only a register can be"));
    }
    if variable.space == Space::Param && variable.ty == ScalarType::F16x2 {
        return Err(fault(variable, "cannot be a .param of type .f16x2: use .b32"));
    }
    if variable.space == Space::Param && variable.vector > 1 {
        return Err(fault(variable, "is a vector, which a .param cannot be"));
    }
    if variable.linkage == Linkage::Extern && !variable.init.is_empty() {
        return Err(fault(variable, "has initial contents, so it is not .extern"));
    }
    if !initial && !variable.init.is_empty() {
        return Err(fault(variable, "has initial contents, which only .global and .const variables can have"));
    }
    if variable.size == 0 && variable.linkage != Linkage::Extern && variable.space != Space::Opaque {
        return Err(fault(variable, "has no size: state it, or declare the array .extern"));
    }
    vector(variable)
}

fn vector(variable: &Variable) -> Result<(), Fault> {
    if variable.vector > 1 && variable.vector * variable.ty.bytes() > LARGEST_VECTOR {
        return Err(fault(variable, "is a vector of more than 128 bits"));
    }
    Ok(())
}

fn fault(variable: &Variable, what: &str) -> Fault {
    Fault::new(format!("'{}' {what}", clip(&variable.name)), variable.span)
}
