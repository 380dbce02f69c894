//! Initial contents of variables.

use super::{Parser, Result};
use crate::ast::{Initializer, ScalarType, Space, Variable};
use crate::error::Fault;
use crate::number::{Literal, clip};
use crate::token::{Kind, Token};

/// Where the values of one variable go.
struct Layout<'v> {
    variable: &'v mut Variable,
    /// The lists to be written, from the outermost: how many elements each has room for, if that is stated, and the
    /// bytes of one.
    lists: Vec<(Option<u64>, u64)>,
}

impl<'s> Parser<'s> {
    /// What follows the `=`. Open bounds are determined by the number of values.
    pub(super) fn initial(&mut self, variable: &mut Variable, bounds: &mut [Option<u64>]) -> Result<()> {
        if variable.space == Space::Opaque {
            return self.skip_opaque();
        }
        let first = self.peek();
        // The outermost bound follows from the bytes written, the inner ones from the first list at their level.
        for (level, bound) in bounds.iter_mut().enumerate().skip(1) {
            bound.get_or_insert_with(|| self.list_length(level + 1));
        }
        // A vector is one more, innermost list.
        let vector = (variable.vector > 1).then_some(Some(u64::from(variable.vector)));
        let mut bytes = u64::from(variable.ty.bytes());
        let mut lists = Vec::new();
        for count in bounds.iter().copied().chain(vector).rev() {
            lists.push((count, bytes));
            bytes = bytes
                .checked_mul(count.unwrap_or(0))
                .ok_or_else(|| Fault::new("this variable is too large", first.span()))?;
        }
        lists.reverse();
        let mut layout = Layout { variable, lists };
        let written = self.value(&mut layout, 0, 0)?;
        if let Some(bound @ None) = bounds.first_mut() {
            *bound = Some(written);
        }
        Ok(())
    }

    /// A value, or the list that belongs at this level, at a byte offset; the number of elements written. Lists nest
    /// as deep as the variable has dimensions and no deeper.
    fn value(&mut self, layout: &mut Layout<'_>, level: usize, offset: u64) -> Result<u64> {
        let Some(&(room, stride)) = layout.lists.get(level) else {
            self.scalar(layout, offset)?;
            return Ok(1);
        };
        self.expect(b'{')?;
        let mut count = 0;
        loop {
            let element = self.peek();
            if room.is_some_and(|room| count >= room) {
                let name = clip(&layout.variable.name);
                return Err(Fault::new(format!("more values than '{name}' has room for"), element.span()));
            }
            let place = stride.checked_mul(count).and_then(|skipped| offset.checked_add(skipped));
            let place = place.ok_or_else(|| Fault::new("this variable is too large", element.span()))?;
            self.value(layout, level + 1, place)?;
            count += 1;
            if !self.eat(b',') {
                self.expect_close(b'}')?;
                return Ok(count);
            }
        }
    }

    fn scalar(&mut self, layout: &mut Layout<'_>, offset: u64) -> Result<()> {
        let ty = layout.variable.ty;
        let value = self.initial_scalar(ty, offset)?;
        let init = &mut layout.variable.init;
        match (init.last_mut(), value) {
            // Neighbours are one piece: a long table is one vector, not one piece per element.
            (Some(Initializer::Bytes { offset: start, bytes }), Initializer::Bytes { bytes: more, .. })
                if offset.checked_sub(*start) == Some(bytes.len() as u64) =>
            {
                bytes.extend_from_slice(&more);
            }
            (_, value) => init.push(value),
        }
        Ok(())
    }

    fn initial_scalar(&mut self, ty: ScalarType, offset: u64) -> Result<Initializer> {
        let masked = self.peek().kind == Kind::Number && self.ahead(1).kind == Kind::Punct(b'(');
        let width = ty.bytes();
        if masked {
            let mask = Some(self.small_mask()?);
            self.expect(b'(')?;
            let (name, addend, generic) = self.symbol_address()?;
            self.expect(b')')?;
            return Ok(Initializer::Symbol { offset, width, name, addend, generic, mask });
        }
        if self.peek().kind == Kind::Word && !self.at_constant() {
            let (name, addend, generic) = self.symbol_address()?;
            return Ok(Initializer::Symbol { offset, width, name, addend, generic, mask: None });
        }
        let first = self.peek();
        let value = self.constant()?;
        let bytes = self.bytes(ty, value, first)?;
        Ok(Initializer::Bytes { offset, bytes })
    }

    fn small_mask(&mut self) -> Result<u64> {
        let first = self.step();
        match crate::number::literal(self.text_of(first)) {
            Ok(Literal::Integer { bits, .. }) => Ok(bits),
            _ => Err(Fault::new("expected a byte mask such as 0xFF00", first.span())),
        }
    }

    /// `name`, `name+4`, `generic(name)`, `generic(name)+4`.
    fn symbol_address(&mut self) -> Result<(Box<str>, i64, bool)> {
        let mut name = self.word("a name")?;
        let generic = name == "generic" && self.eat(b'(');
        if generic {
            name = self.word("a name")?;
            self.expect(b')')?;
        }
        Ok((name.into(), self.offset()?, generic))
    }

    /// `+4`, `-4`, `+4+8`, or nothing.
    pub(super) fn addends(&mut self) -> Result<i64> {
        let mut sum = 0i64;
        loop {
            if self.eat(b'+') {
                sum = sum.wrapping_add(self.product()? as i64);
            } else if self.eat(b'-') {
                sum = sum.wrapping_sub(self.product()? as i64);
            } else {
                return Ok(sum);
            }
        }
    }

    /// The bytes of a value in a variable of the given type.
    fn bytes(&self, ty: ScalarType, value: Literal, first: Token) -> Result<Vec<u8>> {
        let bytes = match (ty, value) {
            (ScalarType::F32 | ScalarType::B32, Literal::F32(bits)) => bits.to_le_bytes().to_vec(),
            (ScalarType::F32 | ScalarType::B32, Literal::F64(bits)) => {
                (f64::from_bits(bits) as f32).to_le_bytes().to_vec()
            }
            (ScalarType::F64 | ScalarType::B64, Literal::F64(bits)) => bits.to_le_bytes().to_vec(),
            (ScalarType::F64, Literal::F32(bits)) => f64::from(f32::from_bits(bits)).to_le_bytes().to_vec(),
            (ScalarType::B128, Literal::Integer { bits, unsigned }) => {
                let high = if unsigned { 0 } else { (bits as i64 >> 63) as u64 };
                [bits.to_le_bytes(), high.to_le_bytes()].concat()
            }
            (_, Literal::Integer { bits, .. }) if !ty.is_float() => bits.to_le_bytes()[..ty.bytes() as usize].to_vec(),
            _ => {
                let kind = if matches!(value, Literal::Integer { .. }) { "an integer" } else { "this" };
                let message = format!("{kind} constant cannot initialise a {ty} variable");
                return Err(Fault::new(message, self.span_from(first)));
            }
        };
        Ok(bytes)
    }

    /// Elements of the first list at a level of braces, looking ahead.
    fn list_length(&self, level: usize) -> u64 {
        let (mut depth, mut commas, mut any) = (0usize, 0, false);
        for token in &self.tokens[self.at..] {
            match token.kind {
                Kind::Punct(b'{') => depth += 1,
                Kind::Punct(b'}') if depth == level => return commas + u64::from(any),
                Kind::Punct(b'}') => depth = depth.saturating_sub(1),
                _ => {}
            }
            // After this initialiser there may be many more, each of which looks ahead in turn.
            if depth == 0 || matches!(token.kind, Kind::Punct(b';')) {
                break;
            }
            if depth == level {
                match token.kind {
                    Kind::Punct(b'{') => {}
                    Kind::Punct(b',') => (commas, any) = (commas + 1, false),
                    _ => any = true,
                }
            }
        }
        commas + u64::from(any)
    }

    /// The settings of a texture, sampler or surface reference: `{ filter_mode = nearest, ... }`.
    fn skip_opaque(&mut self) -> Result<()> {
        let mut open = 0usize;
        loop {
            match self.peek().kind {
                Kind::Punct(b'{') => open += 1,
                Kind::Punct(b'}') if open > 0 => open -= 1,
                Kind::Word | Kind::Number | Kind::Dotted => {}
                Kind::Punct(b',' | b'=' | b'-') if open > 0 => {}
                _ => return Err(self.expected("the settings of a texture, sampler or surface")),
            }
            self.step();
            if open == 0 {
                return Ok(());
            }
        }
    }
}
