//! The module level.

use std::collections::HashMap;

use super::attributes::space;
use super::{Parser, Result};
use crate::ast::{Function, FunctionKind, Linkage, Module, Target, Variable};
use crate::error::Fault;
use crate::number::clip;
use crate::token::Kind;

/// Where in the module each name is, to meet its second declaration.
#[derive(Default)]
struct Seen {
    functions: HashMap<Box<str>, usize>,
    variables: HashMap<Box<str>, usize>,
    address_size: bool,
}

impl<'s> Parser<'s> {
    /// The whole text.
    pub(super) fn module(mut self) -> Result<Module> {
        // Modules for old targets leave the size out; it was 32 bits then, but compilers have long stated it.
        let mut module = Module { address_size: 64, ..Module::default() };
        let mut seen = Seen::default();
        while self.peek().kind != Kind::End {
            self.item(&mut module, &mut seen)?;
        }
        Ok(module)
    }

    fn item(&mut self, module: &mut Module, seen: &mut Seen) -> Result<()> {
        let first = self.peek();
        let linkage = self.linkage();
        let Some(word) = self.dotted() else { return Err(self.expected("a directive")) };
        match word {
            "version" if module.version == (0, 0) => module.version = self.version()?,
            "target" if module.target.arch.is_empty() => self.target(&mut module.target)?,
            "address_size" if !seen.address_size => {
                module.address_size = self.address_size()?;
                seen.address_size = true;
            }
            "version" | "target" | "address_size" => {
                let message = format!("'.{word}' is already given");
                return Err(Fault::new(message, self.peek().span()));
            }
            "file" => module.files.push(self.file()?),
            "loc" => drop(self.loc()?),
            "pragma" => self.pragma()?,
            "section" => self.section()?,
            "alias" => self.alias(module)?,
            "entry" => {
                let function = self.function(FunctionKind::Entry, linkage, first)?;
                add_function(module, seen, function)?;
            }
            "func" => {
                let function = self.function(FunctionKind::Device, linkage, first)?;
                add_function(module, seen, function)?;
            }
            "reg" => return Err(Fault::new("registers can only be declared in a function", self.peek().span())),
            _ => {
                let Some(space) = space(word) else { return Err(self.expected("a directive")) };
                self.step();
                for (variable, _) in self.variables(space, linkage, first)? {
                    add_variable(module, seen, variable)?;
                }
            }
        }
        for variable in std::mem::take(&mut self.hoisted) {
            add_variable(module, seen, variable)?;
        }
        Ok(())
    }

    fn version(&mut self) -> Result<(u32, u32)> {
        self.step();
        let parts = self.text().split_once('.').map(|(major, minor)| (major.parse(), minor.parse()));
        match (self.peek().kind, parts) {
            (Kind::Number, Some((Ok(major), Ok(minor)))) => {
                self.step();
                Ok((major, minor))
            }
            _ => Err(self.expected("a version such as 8.0")),
        }
    }

    fn target(&mut self, target: &mut Target) -> Result<()> {
        self.step();
        let arch = self.word("a target such as sm_90")?;
        target.arch = arch.into();
        while self.eat(b',') {
            target.options.push(self.word("a target option")?.into());
        }
        Ok(())
    }

    fn address_size(&mut self) -> Result<u32> {
        self.step();
        let token = self.peek();
        match self.small("an address size")? {
            size @ (32 | 64) => Ok(size),
            _ => Err(Fault::new("an address size is 32 or 64", token.span())),
        }
    }

    fn alias(&mut self, module: &mut Module) -> Result<()> {
        self.step();
        let name = self.word("the name of a function")?;
        self.expect(b',')?;
        let target = self.word("the name of a function")?;
        self.expect(b';')?;
        module.aliases.push(crate::ast::Alias { name: name.into(), target: target.into() });
        Ok(())
    }
}

fn add_function(module: &mut Module, seen: &mut Seen, function: Function) -> Result<()> {
    if seen.variables.contains_key(&function.name) {
        return Err(Fault::new(format!("'{}' is already the name of a variable", clip(&function.name)), function.span));
    }
    if function.linkage == Linkage::Extern && function.body.is_some() {
        let message = format!("'{}' is defined here, so it is not .extern", clip(&function.name));
        return Err(Fault::new(message, function.span));
    }
    let Some(&index) = seen.functions.get(&function.name) else {
        seen.functions.insert(function.name.clone(), module.functions.len());
        module.functions.push(function);
        return Ok(());
    };
    let before = &mut module.functions[index];
    let kinds = |function: &Function| -> Vec<(u64, bool)> {
        let parameters = function.returns.iter().chain(&function.params);
        parameters.map(|parameter| (parameter.variable.size, parameter.register.is_some())).collect()
    };
    if before.returns.len() != function.returns.len() || kinds(before) != kinds(&function) {
        let message = format!("'{}' was declared with other parameters", clip(&function.name));
        return Err(Fault::new(message, function.span));
    }
    match (before.body.is_some(), function.body.is_some()) {
        (true, _) => {
            let message = format!("function '{}' is already defined", clip(&function.name));
            return Err(Fault::new(message, function.span));
        }
        (false, true) => *before = function,
        (false, false) => {}
    }
    Ok(())
}

fn add_variable(module: &mut Module, seen: &mut Seen, variable: Variable) -> Result<()> {
    if seen.functions.contains_key(&variable.name) {
        return Err(Fault::new(format!("'{}' is already the name of a function", clip(&variable.name)), variable.span));
    }
    let Some(&index) = seen.variables.get(&variable.name) else {
        seen.variables.insert(variable.name.clone(), module.variables.len());
        module.variables.push(variable);
        return Ok(());
    };
    let before = &mut module.variables[index];
    match (before.linkage, variable.linkage) {
        (Linkage::Extern, Linkage::Private) => {
            let message = format!("'{}' was declared .extern, so it must be .visible", clip(&variable.name));
            return Err(Fault::new(message, variable.span));
        }
        (Linkage::Extern, linkage) if linkage != Linkage::Extern => *before = variable,
        (_, Linkage::Extern) => {}
        _ => {
            return Err(Fault::new(format!("'{}' is already declared", clip(&variable.name)), variable.span));
        }
    }
    Ok(())
}
