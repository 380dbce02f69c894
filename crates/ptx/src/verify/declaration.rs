//! Checks declarations of variables and parameters.

use std::collections::HashSet;

use crate::ast::{Function, FunctionKind, Linkage, Module, Parameter, ScalarType, Space, Variable};
use crate::error::Fault;
use crate::number::clip;

/// The largest vector, in bytes.
const LARGEST_VECTOR: u32 = 16;

/// Checks what a module declares.
pub(super) fn check(module: &Module) -> Result<(), Fault> {
    module.variables.iter().try_for_each(variable)?;
    module.functions.iter().try_for_each(function)
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
        _ => vector(variable),
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
