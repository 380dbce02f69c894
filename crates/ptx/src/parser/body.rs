//! The code between the braces of a function.

use super::attributes::space;
use super::code::{Code, Listed};
use super::names::Meaning;
use super::{Parser, Result};
use crate::ast::{FunctionKind, Linkage, Prototype, ScalarType, Space, Span, Symbol};
use crate::error::Fault;
use crate::number::clip;
use crate::token::Kind;

impl<'s> Parser<'s> {
    /// Statements up to the brace that closes the body. Nested scopes are followed without recursion.
    pub(super) fn body(&mut self, code: &mut Code<'s>) -> Result<()> {
        let open = self.expect(b'{')?;
        code.enter(open.span())?;
        loop {
            let token = self.peek();
            match token.kind {
                Kind::Punct(b'{') => {
                    self.step();
                    code.enter(token.span())?;
                }
                Kind::Punct(b'}') => {
                    self.step();
                    if code.leave() {
                        return Ok(());
                    }
                }
                Kind::Word if self.ahead(1).kind == Kind::Punct(b':') => self.label(code)?,
                Kind::Dotted => self.statement(code)?,
                _ if self.at_instruction() => self.instruction(code)?,
                _ => return Err(self.expected("an instruction or '}'")),
            }
        }
    }

    /// `name:`, alone or before a table or prototype.
    fn label(&mut self, code: &mut Code<'s>) -> Result<()> {
        let token = self.step();
        let name = self.text_of(token);
        self.step();
        match self.dotted() {
            Some("branchtargets") => {
                self.step();
                let labels = self.label_list()?;
                code.branch_targets(name, labels, token.span())
            }
            // Which functions a call may reach is only a hint for compilers.
            Some("calltargets") => {
                self.step();
                self.label_list().map(|_| ())
            }
            Some("callprototype") => {
                self.step();
                code.prototype(name, token.span())?;
                let named = self.peek();
                let header = self.header(FunctionKind::Device)?;
                self.expect(b';')?;
                if header.name != "_" {
                    return Err(Fault::new("a prototype has '_' for the name of the function", named.span()));
                }
                let returns = header.returns.into_iter().map(|(parameter, _)| parameter).collect();
                let params = header.params.into_iter().map(|(parameter, _)| parameter).collect();
                code.body.prototypes.push(Prototype { name: name.into(), returns, params });
                Ok(())
            }
            _ => code.label(name, token.span()),
        }
    }

    /// Labels up to the semicolon.
    fn label_list(&mut self) -> Result<Vec<Listed<'s>>> {
        let mut labels = Vec::new();
        loop {
            let token = self.peek();
            let name = self.word("a label")?;
            let mut count = None;
            if self.eat(b'<') {
                count = Some(self.sum()?);
                self.expect(b'>')?;
            }
            labels.push(Listed { name, count, span: token.span() });
            if !self.eat(b',') {
                self.expect_close(b';')?;
                return Ok(labels);
            }
        }
    }

    /// A directive or declaration.
    fn statement(&mut self, code: &mut Code<'s>) -> Result<()> {
        let first = self.peek();
        let linkage = self.linkage();
        let Some(word) = self.dotted() else { return Err(self.expected("a declaration")) };
        if linkage != Linkage::Private {
            return Err(Fault::new("a variable in a function has no linkage: declare it outside", first.span()));
        }
        let token = self.peek();
        match word {
            "reg" => self.registers(code),
            "loc" => {
                let (line, call) = self.loc()?;
                code.at(line, call);
                Ok(())
            }
            "pragma" => self.pragma(),
            _ => {
                let Some(space) = space(word) else {
                    return Err(Fault::new(
                        format!("directive '.{}' has no place in a function", clip(word)),
                        token.span(),
                    ));
                };
                self.step();
                for (mut variable, name) in self.variables(space, linkage, first)? {
                    // These live as long as the module: they are variables of it, under names that only this scope
                    // knows and no text can spell.
                    let lasting = matches!(space, Space::Global | Space::Const);
                    let symbol = if lasting {
                        variable.name = format!("{}/{name}/{}", code.function, self.hoisted.len()).into();
                        Symbol::Module(variable.name.clone())
                    } else {
                        Symbol::Local(code.body.variables.len() as u32)
                    };
                    if !code.names.declare(code.scope() as u32, name, Meaning::Symbol(symbol)) {
                        return Err(redeclared(name, variable.span));
                    }
                    let variables = if lasting { &mut self.hoisted } else { &mut code.body.variables };
                    variables.push(variable);
                }
                Ok(())
            }
        }
    }

    /// `.reg .b32 a, %r<100>;`
    fn registers(&mut self, code: &mut Code<'s>) -> Result<()> {
        self.step();
        let attributes = self.attributes()?;
        let Some(ty) = attributes.ty else { return Err(self.expected("a type such as .f32")) };
        let vector = attributes.vector.unwrap_or(1);
        if vector > 1 && (ty == ScalarType::Pred || vector * ty.bytes() > 16) {
            return Err(self.expected("a vector of 128 bits at most, not of predicates,"));
        }
        // The assembler takes a declaration of nothing.
        if self.eat(b';') {
            return Ok(());
        }
        loop {
            let token = self.peek();
            let name = self.word("a register name")?;
            let scope = code.scope() as u32;
            let fresh = if self.eat(b'<') {
                let count = self.number("how many registers there are")?;
                self.expect(b'>')?;
                code.names.declare_set(scope, name, count, ty, vector)
            } else {
                code.names.declare_register(scope, name, ty, vector)
            };
            if !fresh {
                return Err(redeclared(name, token.span()));
            }
            if !self.eat(b',') {
                self.expect_close(b';')?;
                return Ok(());
            }
        }
    }
}

fn redeclared(name: &str, span: Span) -> Fault {
    Fault::new(format!("'{}' is already declared in this scope", clip(name)), span)
}
