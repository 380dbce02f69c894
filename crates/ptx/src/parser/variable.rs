//! Variables.

use super::attributes::Attributes;
use super::{Parser, Result};
use crate::ast::{Linkage, ScalarType, Space, Span, Variable};
use crate::error::Fault;
use crate::number::clip;
use crate::token::{Kind, Token};

/// More dimensions than any compiler writes.
const DIMENSIONS: usize = 16;

impl<'s> Parser<'s> {
    /// `.align 4 .f32 a[2] = {1.0, 2.0}, b;` after its state space, semicolon included.
    pub(super) fn variables(
        &mut self,
        space: Space,
        linkage: Linkage,
        first: Token,
    ) -> Result<Vec<(Variable, &'s str)>> {
        let attributes = self.attributes()?;
        let mut variables = Vec::new();
        // The assembler takes a declaration of nothing.
        if self.eat(b';') {
            return Ok(variables);
        }
        loop {
            if self.peek().kind == Kind::Word && self.text() == "_" {
                return Err(self.expected("a name"));
            }
            variables.push(self.declarator(space, linkage, &attributes, first)?);
            if !self.eat(b',') {
                break;
            }
        }
        self.expect_end()?;
        Ok(variables)
    }

    fn expect_end(&mut self) -> Result<()> {
        if self.is(b'<') {
            return Err(Fault::new("only registers can be declared as a numbered set", self.peek().span()));
        }
        self.expect_close(b';')
    }

    /// A name, its array bounds and its initial contents. The name is also given as a piece of the source, for tables
    /// to borrow.
    pub(super) fn declarator(
        &mut self,
        space: Space,
        linkage: Linkage,
        attributes: &Attributes,
        first: Token,
    ) -> Result<(Variable, &'s str)> {
        let (space, ty) = match attributes.ty {
            _ if attributes.opaque => (Space::Opaque, ScalarType::B64),
            Some(ty) => (space, ty),
            None => return Err(self.expected("a type such as .f32")),
        };
        let name = self.word("a name")?;
        let bounds = self.bounds()?;
        let vector = attributes.vector.unwrap_or(1);
        let element = u64::from(ty.bytes()) * u64::from(vector);
        let mut variable = Variable {
            name: name.into(),
            space,
            ty,
            vector,
            align: attributes.align.unwrap_or(element as u32),
            size: 0,
            init: Vec::new(),
            linkage,
            span: Span::default(),
        };
        let mut bounds = bounds;
        if self.eat(b'=') {
            self.initial(&mut variable, &mut bounds)?;
        }
        // A bound that is still open has no stated length.
        let size = bounds.iter().try_fold(element, |size, bound| size.checked_mul(bound.unwrap_or(0)));
        variable.span = self.span_from(first);
        variable.size = size.filter(|&size| i64::try_from(size).is_ok()).ok_or_else(|| {
            Fault::new(format!("the size of '{}' does not fit in 64 bits", clip(name)), variable.span)
        })?;
        Ok((variable, name))
    }

    /// `[2][3]`; an empty pair of brackets is an open bound.
    fn bounds(&mut self) -> Result<Vec<Option<u64>>> {
        let mut bounds = Vec::new();
        while self.is(b'[') {
            let bracket = self.step();
            if bounds.len() == DIMENSIONS {
                return Err(Fault::new(format!("more than {DIMENSIONS} dimensions"), bracket.span()));
            }
            bounds.push(if self.is(b']') { None } else { Some(self.bound()?) });
            self.expect(b']')?;
        }
        Ok(bounds)
    }

    fn bound(&mut self) -> Result<u64> {
        let first = self.peek();
        let bound = self.integer()?;
        if i64::try_from(bound).is_ok() {
            Ok(bound)
        } else {
            Err(Fault::new("an array cannot have a negative length", self.span_from(first)))
        }
    }
}
