//! Headers of functions and prototypes.

use super::code::Code;
use super::names::element_name;
use super::{Parser, Result};
use crate::ast::{Function, FunctionKind, LaunchBounds, Linkage, Parameter, RegisterId, Space, Variable};
use crate::error::Fault;
use crate::number::clip;
use crate::token::{Kind, Token};

/// A parameter and its name as a piece of the source.
pub(super) type Named<'s> = (Parameter, &'s str);

/// Everything before the body.
pub(super) struct Header<'s> {
    pub(super) name: &'s str,
    pub(super) returns: Vec<Named<'s>>,
    pub(super) params: Vec<Named<'s>>,
    bounds: LaunchBounds,
    no_return: bool,
}

impl<'s> Parser<'s> {
    /// A function, at its `.entry` or `.func`.
    pub(super) fn function(&mut self, kind: FunctionKind, linkage: Linkage, first: Token) -> Result<Function> {
        self.step();
        let header = self.header(kind)?;
        let span = self.span_from(first);
        let body = if self.eat(b';') {
            None
        } else if self.is(b'{') {
            let mut code = Code::new(header.name, &header.returns, &header.params);
            self.body(&mut code)?;
            Some(code.finish()?)
        } else {
            return Err(self.expected("'{' or ';'"));
        };
        Ok(Function {
            name: header.name.into(),
            kind,
            linkage,
            returns: header.returns.into_iter().map(|(parameter, _)| parameter).collect(),
            params: header.params.into_iter().map(|(parameter, _)| parameter).collect(),
            bounds: header.bounds,
            no_return: header.no_return,
            body,
            span,
        })
    }

    /// `(.param .b32 r) name (.param .b32 a) .noreturn`.
    pub(super) fn header(&mut self, kind: FunctionKind) -> Result<Header<'s>> {
        if self.eat_dotted("attribute") {
            self.skip_parentheses()?;
        }
        let mut registers = 0;
        let returns =
            if kind == FunctionKind::Device && self.is(b'(') { self.parameters(&mut registers)? } else { Vec::new() };
        let name = self.word("the name of a function")?;
        let params = if self.is(b'(') { self.parameters(&mut registers)? } else { Vec::new() };
        let mut header = Header { name, returns, params, bounds: LaunchBounds::default(), no_return: false };
        while let Some(word) = self.dotted() {
            let launches = matches!(word, "maxntid" | "reqntid" | "reqnctapercluster" | "minnctapersm" | "maxnreg");
            if launches && kind == FunctionKind::Device {
                return Err(Fault::new(format!("'.{word}' is for kernels only"), self.peek().span()));
            }
            self.performance_directive(word, &mut header)?;
        }
        if header.bounds.max_threads.is_some() && header.bounds.required_threads.is_some() {
            return Err(self.expected("either '.maxntid' or '.reqntid'"));
        }
        Ok(header)
    }

    fn performance_directive(&mut self, word: &str, header: &mut Header<'s>) -> Result<()> {
        let bounds = &mut header.bounds;
        if word == "pragma" {
            return self.pragma();
        }
        self.step();
        match word {
            "maxntid" => bounds.max_threads = Some(self.extent()?),
            "reqntid" => bounds.required_threads = Some(self.extent()?),
            "reqnctapercluster" => bounds.cluster = Some(self.extent()?),
            // Without dimensions it only says that the launch must give them.
            "explicitcluster" if self.at_constant() => bounds.cluster = Some(self.extent()?),
            "minnctapersm" => bounds.min_blocks = Some(self.small("a number of blocks")?),
            "maxnreg" => bounds.max_registers = Some(self.small("a number of registers")?),
            "noreturn" => header.no_return = true,
            "attribute" => self.skip_parentheses()?,
            // Others, such as `.maxclusterrank 8` or future ones, are hints: their numbers are skipped.
            _ => {
                while self.peek().kind == Kind::Number || self.is(b',') {
                    self.step();
                }
            }
        }
        Ok(())
    }

    /// One to three numbers; those not written are 1.
    fn extent(&mut self) -> Result<[u32; 3]> {
        let mut extent = [1; 3];
        for (i, value) in extent.iter_mut().enumerate() {
            if i > 0 && !self.eat(b',') {
                break;
            }
            let token = self.peek();
            *value = self.small("an extent")?;
            if *value == 0 {
                return Err(Fault::new("an extent must not be zero", token.span()));
            }
        }
        Ok(extent)
    }

    /// A list of parameters. Those in registers are numbered from `registers` on, as a body numbers them.
    fn parameters(&mut self, registers: &mut u32) -> Result<Vec<Named<'s>>> {
        self.expect(b'(')?;
        let mut parameters = Vec::new();
        if self.eat(b')') {
            return Ok(parameters);
        }
        loop {
            self.parameter(registers, &mut parameters)?;
            if !self.eat(b',') {
                self.expect_close(b')')?;
                return Ok(parameters);
            }
        }
    }

    /// A parameter. A vector register is a parameter for each of its elements.
    fn parameter(&mut self, registers: &mut u32, parameters: &mut Vec<Named<'s>>) -> Result<()> {
        let first = self.peek();
        let register = match self.dotted() {
            Some("param") => false,
            Some("reg") => true,
            _ => return Err(self.expected("a parameter")),
        };
        self.step();
        let attributes = self.attributes()?;
        let (variable, name) = self.declarator(Space::Param, Linkage::Private, &attributes, first)?;
        if !variable.init.is_empty() {
            return Err(Fault::new("a parameter has no initial contents", variable.span));
        }
        if !register {
            parameters.push((Parameter { variable, pointer: attributes.pointer, register: None }, name));
            return Ok(());
        }
        let bytes = variable.ty.bytes();
        if variable.size != u64::from(bytes * variable.vector) {
            let message = format!("register '{}' cannot be an array", clip(&variable.name));
            return Err(Fault::new(message, variable.span));
        }
        for element in 0..variable.vector {
            let register = Some(RegisterId(*registers));
            *registers += 1;
            let variable = match variable.vector {
                1 => variable.clone(),
                _ => Variable {
                    name: element_name(name, element as usize),
                    vector: 1,
                    align: bytes,
                    size: bytes.into(),
                    ..variable.clone()
                },
            };
            parameters.push((Parameter { variable, pointer: attributes.pointer, register }, name));
        }
        Ok(())
    }
}

/// How many elements the register of a parameter has, if the parameter is the first of them.
pub(super) fn vector_of(parameter: &Named<'_>, all: &[Named<'_>]) -> Option<u32> {
    let (parameter, name) = parameter;
    if *parameter.variable.name == **name {
        return Some(1);
    }
    let first = parameter.variable.name == element_name(name, 0);
    first.then(|| all.iter().filter(|other| other.1 == *name).count() as u32)
}
