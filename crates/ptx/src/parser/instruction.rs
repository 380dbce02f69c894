//! Instructions.

use super::code::Code;
use super::{Parser, Result};
use crate::ast::{Guard, Instruction, Opcode, Operand, ScalarType, Symbol};
use crate::error::Fault;
use crate::number::clip;
use crate::token::Kind;

impl<'s> Parser<'s> {
    /// `@!%p1 ld.global.f32 %f1, [%rd1];`
    pub(super) fn instruction(&mut self, code: &mut Code<'s>) -> Result<()> {
        let first = self.peek();
        let guard = if self.eat(b'@') { Some(self.guard(code)?) } else { None };
        let opcode = self.opcode()?;
        let mut modifiers: Vec<Box<str>> = Vec::new();
        while let Some(word) = self.dotted() {
            modifiers.push(word.into());
            self.step();
        }
        let start = self.peek();
        let mut operands = Vec::new();
        let before = code.body.instructions.len();
        if !self.eat(b';') {
            loop {
                let operand =
                    if opcode == "bra" { self.branch_target()? } else { self.operand(code, opcode == "call")? };
                // The first operand is a destination, but for instructions without a result.
                let sum = operands.is_empty() && code.body.instructions.len() > before;
                let result = match opcode {
                    "bar" | "barrier" => modifiers.iter().any(|word| &**word == "red"),
                    "brx" | "nanosleep" => false,
                    _ => true,
                };
                if sum && result {
                    return Err(Fault::new("a destination must be a register", start.span()));
                }
                operands.push(operand);
                if !self.eat(b',') {
                    break;
                }
            }
            self.expect_close(b';')?;
        }
        if operands.iter().any(has_plain_name) {
            code.wait((opcode == "bra").then(|| start.span()));
        }
        let instruction = Instruction {
            guard,
            opcode: Opcode::parse(opcode),
            modifiers,
            operands,
            line: code.line,
            inlined_at: code.inlined_at.clone(),
            span: self.span_from(first),
        };
        code.body.instructions.push(instruction);
        Ok(())
    }

    /// The name of an instruction, perhaps of one that is not known: no register, label or variable looks like it.
    fn opcode(&mut self) -> Result<&'s str> {
        if self.peek().kind == Kind::Word && !self.text().starts_with(|first: char| first.is_ascii_lowercase()) {
            return Err(self.expected("an instruction"));
        }
        self.word("an instruction")
    }

    fn guard(&mut self, code: &mut Code<'s>) -> Result<Guard> {
        let negated = self.eat(b'!');
        let token = self.peek();
        let name = self.word("a predicate register")?;
        let Some(register) = code.register(name) else {
            return Err(Fault::new(format!("register '{}' is not declared", clip(name)), token.span()));
        };
        if code.names.registers[register.0 as usize].ty != ScalarType::Pred {
            return Err(Fault::new(
                format!("a guard must be a predicate, which '{}' is not", clip(name)),
                token.span(),
            ));
        }
        Ok(Guard { register, negated })
    }

    /// A label, even if a register or variable further out has the same name.
    fn branch_target(&mut self) -> Result<Operand> {
        let name = self.word("a label")?;
        Ok(Operand::Symbol(Symbol::Module(name.into()), 0))
    }

    /// Whether this can start an instruction.
    pub(super) fn at_instruction(&self) -> bool {
        matches!(self.peek().kind, Kind::Word | Kind::Punct(b'@'))
    }
}

fn has_plain_name(operand: &Operand) -> bool {
    match operand {
        Operand::Symbol(Symbol::Module(_), 0) => true,
        Operand::Vector(parts) | Operand::List(parts) | Operand::Bracket(parts) => parts.iter().any(has_plain_name),
        _ => false,
    }
}
