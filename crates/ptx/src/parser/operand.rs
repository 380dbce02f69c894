//! Operands.

use super::code::Code;
use super::names::{Found, element_index};
use super::{Parser, Result};
use crate::ast::{Address, AddressBase, Instruction, Opcode, Operand, RegisterId, ScalarType, Symbol};
use crate::error::Fault;
use crate::number::{Literal, clip};
use crate::special;
use crate::token::{Kind, Token};

impl<'s> Parser<'s> {
    /// One operand of an instruction. In a call, parentheses hold a list, elsewhere they belong to a constant.
    pub(super) fn operand(&mut self, code: &mut Code<'s>, call: bool) -> Result<Operand> {
        match self.peek().kind {
            Kind::Punct(b'{') => {
                self.step();
                Ok(Operand::Vector(self.elements(code, b'}')?))
            }
            Kind::Punct(b'(') if call => {
                self.step();
                Ok(Operand::List(self.elements(code, b')')?))
            }
            Kind::Punct(b'[') => self.bracket(code),
            _ => {
                let (token, start) = (self.peek(), self.at);
                let first = self.simple(code)?;
                if self.is(b'+') && self.at == start + 1 {
                    match &first {
                        Operand::Register(id) => return self.register_sum(code, *id, token),
                        Operand::Special(name) => return self.special_sum(code, name, token),
                        _ => {}
                    }
                }
                if !self.eat(b'|') {
                    return Ok(first);
                }
                let second = self.simple(code)?;
                Ok(Operand::Pair(Box::new(first), Box::new(second)))
            }
        }
    }

    /// `%r1+4`: a register that an addition before the instruction sets. The assembler takes this for any source
    /// operand. What it means for other registers than integers is not known: such an addition has an opcode that
    /// no executor knows.
    fn register_sum(&mut self, code: &mut Code<'s>, id: RegisterId, first: Token) -> Result<Operand> {
        let ty = code.names.registers[id.0 as usize].ty;
        let (opcode, word) = match ty {
            ScalarType::U16 | ScalarType::S16 | ScalarType::B16 => (Opcode::Add, "u16"),
            ScalarType::U32 | ScalarType::S32 | ScalarType::B32 => (Opcode::Add, "u32"),
            ScalarType::U64 | ScalarType::S64 | ScalarType::B64 => (Opcode::Add, "u64"),
            ty => (Opcode::Unknown("register+constant".into()), ty.name()),
        };
        let sum = code.names.temporary(id);
        self.sum_before(code, opcode, word, [sum, id].map(Operand::Register), first)?;
        Ok(Operand::Register(sum))
    }

    /// `%clock+4`, which the assembler takes; what it means is not known either.
    fn special_sum(&mut self, code: &mut Code<'s>, name: &str, first: Token) -> Result<Operand> {
        let ty = if special::is_wide(name) { ScalarType::U64 } else { ScalarType::U32 };
        let sum = code.names.unnamed(name, ty);
        let opcode = Opcode::Unknown("register+constant".into());
        self.sum_before(code, opcode, ty.name(), [Operand::Register(sum), Operand::Special(name.into())], first)?;
        Ok(Operand::Register(sum))
    }

    /// Adds what follows, before the instruction that is being read.
    fn sum_before(
        &mut self,
        code: &mut Code<'s>,
        opcode: Opcode,
        ty: &str,
        [sum, augend]: [Operand; 2],
        first: Token,
    ) -> Result<()> {
        let addend = Operand::Integer(self.addends()? as u64);
        code.body.instructions.push(Instruction {
            guard: None,
            opcode,
            modifiers: vec![ty.into()],
            operands: vec![sum, augend, addend],
            line: code.line,
            inlined_at: code.inlined_at.clone(),
            span: self.span_from(first),
        });
        Ok(())
    }

    /// The rest of a list, with its closing bracket. Lists do not nest.
    fn elements(&mut self, code: &mut Code<'s>, close: u8) -> Result<Vec<Operand>> {
        let mut elements = Vec::new();
        if self.eat(close) {
            return Ok(elements);
        }
        loop {
            match self.simple(code)? {
                // A vector register as an argument is its elements.
                Operand::Vector(parts) => elements.extend(parts),
                element => elements.push(element),
            }
            if !self.eat(b',') {
                self.expect_close(close)?;
                return Ok(elements);
            }
        }
    }

    /// A register, name or constant.
    fn simple(&mut self, code: &mut Code<'s>) -> Result<Operand> {
        let token = self.peek();
        if token.kind == Kind::Word && !self.at_constant() {
            self.step();
            return self.named(code, token);
        }
        if token.kind == Kind::Punct(b'!') && self.ahead(1).kind == Kind::Word {
            self.step();
            let name = self.step();
            return match self.named(code, name)? {
                Operand::Register(id) => Ok(Operand::Not(id)),
                _ => Err(Fault::new("only a register can be negated with '!'", name.span())),
            };
        }
        if !self.at_constant() {
            return Err(self.expected("an operand"));
        }
        if matches!(token.kind, Kind::Punct(b'-' | b'+' | b'~')) && self.ahead(1).kind == Kind::Word {
            self.step();
            let name = self.peek();
            if token.kind == Kind::Punct(b'-') && matches!(code.names.find(self.text_of(name)), Found::Register(_)) {
                self.step();
                return Ok(Operand::Minus(Box::new(self.named(code, name)?)));
            }
            return Err(self.expected("a constant"));
        }
        Ok(match self.constant()? {
            Literal::Integer { bits, .. } => Operand::Integer(bits),
            Literal::F32(bits) => Operand::F32(bits),
            Literal::F64(bits) => Operand::F64(bits),
        })
    }

    /// What the name just read stands for, with what follows it: an element, a part, an offset.
    fn named(&mut self, code: &mut Code<'s>, token: Token) -> Result<Operand> {
        let name = self.text_of(token);
        if name == "_" {
            return Ok(Operand::Sink);
        }
        if let Some(element) = self.dotted().filter(|_| code.names.is_vector(name)) {
            let dotted = self.step();
            return code.names.find_element(name, element).map(Operand::Register).ok_or_else(|| {
                Fault::new(format!("'{}' has no element '{}'", clip(name), clip(element)), dotted.span())
            });
        }
        match code.names.find(name) {
            Found::Register(id) => {
                if let Some(part) = self.dotted() {
                    let dotted = self.step();
                    if !is_part(part) {
                        let message = format!("'{}' has no part '{}'", clip(name), clip(part));
                        return Err(Fault::new(message, dotted.span()));
                    }
                    return Ok(Operand::Part(id, part.into()));
                }
                Ok(Operand::Register(id))
            }
            Found::Symbol(symbol) => Ok(Operand::Symbol(symbol, self.offset()?)),
            Found::Nothing => self.unknown(token),
            Found::Vector(ids) => Ok(Operand::Vector(ids.into_iter().map(Operand::Register).collect())),
        }
    }

    /// A name that the function does not declare: a special register, a label or a name of the module.
    fn unknown(&mut self, token: Token) -> Result<Operand> {
        let name = self.text_of(token);
        let Some(bare) = name.strip_prefix('%') else {
            return Ok(Operand::Symbol(Symbol::Module(name.into()), self.offset()?));
        };
        if !special::is_special(bare) {
            return Err(Fault::new(format!("register '{}' is not declared", clip(name)), token.span()));
        }
        if let Some(element) = self.dotted() {
            let dotted = self.step();
            if let (true, Some(index)) = (special::is_vector(bare), element_index(element)) {
                return Ok(Operand::Special(format!("{bare}.{}", ["x", "y", "z", "w"][index]).into()));
            }
            return Err(Fault::new(format!("'{name}' has no element '{}'", clip(element)), dotted.span()));
        }
        Ok(Operand::Special(bare.into()))
    }

    /// `[%rd1+4]`, `[name]`, `[1024]`, `[map, {%r1, %r2}]`.
    fn bracket(&mut self, code: &mut Code<'s>) -> Result<Operand> {
        self.step();
        let address = self.address(code)?;
        if self.eat(b']') {
            return Ok(Operand::Address(address));
        }
        let mut parts = vec![part(address)];
        while self.eat(b',') {
            parts.push(match self.peek().kind {
                Kind::Punct(b'{') => {
                    self.step();
                    Operand::Vector(self.elements(code, b'}')?)
                }
                _ => part(self.address(code)?),
            });
        }
        if parts.len() == 1 && !self.is(b']') {
            return Err(self.expected("an offset, ',' or ']'"));
        }
        self.expect(b']')?;
        Ok(Operand::Bracket(parts))
    }

    /// What is added to a name or register, if anything: `+4`, `+-4`, but not `-4`.
    pub(super) fn offset(&mut self) -> Result<i64> {
        if self.is(b'-') { Err(self.expected("'+'")) } else { self.addends() }
    }

    fn address(&mut self, code: &mut Code<'s>) -> Result<Address> {
        let token = self.peek();
        let operand = self.simple(code)?;
        let Some((base, offset)) = base(&operand) else {
            return Err(Fault::new("expected a register, a name or a number as the address", token.span()));
        };
        let offset = match base {
            AddressBase::Register(_) => self.offset()?,
            _ => offset,
        };
        Ok(Address { base, offset })
    }
}

/// An address as one of several parts in brackets.
fn part(address: Address) -> Operand {
    match address {
        Address { base: AddressBase::Register(id), offset: 0 } => Operand::Register(id),
        Address { base: AddressBase::Symbol(symbol), offset } => Operand::Symbol(symbol, offset),
        Address { base: AddressBase::Absolute, offset } => Operand::Integer(offset as u64),
        address => Operand::Address(address),
    }
}

/// The base that an operand stands for in an address, if any.
fn base(operand: &Operand) -> Option<(AddressBase, i64)> {
    match operand {
        Operand::Register(id) => Some((AddressBase::Register(*id), 0)),
        Operand::Symbol(symbol, offset) => Some((AddressBase::Symbol(symbol.clone()), *offset)),
        Operand::Integer(bits) => Some((AddressBase::Absolute, *bits as i64)),
        _ => None,
    }
}

/// Bytes or half-words of a register, highest first, as the video instructions name them: `b0`, `h1`, `h10`, `b7430`.
fn is_part(text: &str) -> bool {
    let (letter, digits) = text.split_at_checked(1).unwrap_or(("", ""));
    let (count, last) = match letter {
        "b" => (4, b'3'),
        "h" => (2, b'1'),
        _ => return false,
    };
    // A full selection picks from two registers, one after the other.
    let last = if digits.len() == count { last + count as u8 } else { last };
    (1..=count).contains(&digits.len()) && digits.bytes().all(|d| (b'0'..=last).contains(&d))
}
