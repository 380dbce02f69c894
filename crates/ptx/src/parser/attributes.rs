//! What stands between a state space and a name in a declaration: `.align 8 .v2 .f32`.

use super::{Parser, Result};
use crate::ast::{Linkage, ScalarType, Space};
use crate::error::Fault;
use crate::token::Kind;

/// The words of a declaration, in whatever order they came.
#[derive(Default)]
pub(super) struct Attributes {
    pub(super) ty: Option<ScalarType>,
    pub(super) vector: Option<u32>,
    pub(super) align: Option<u32>,
    /// `.ptr`: the space pointed to and the alignment there.
    pub(super) pointer: Option<(Option<Space>, u32)>,
    /// `.texref`, `.samplerref`, `.surfref`.
    pub(super) opaque: bool,
}

impl<'s> Parser<'s> {
    /// Dotted words up to the declared name.
    pub(super) fn attributes(&mut self) -> Result<Attributes> {
        let mut found = Attributes::default();
        while let Some(word) = self.dotted() {
            let token = self.step();
            // The type comes last, but for what is said about a pointer.
            let late = found.ty.is_some() && found.pointer.is_none() && word != "ptr";
            if late && (matches!(word, "align" | "v2" | "v4") || ScalarType::parse(word).is_some()) {
                return Err(Fault::new(format!("'.{word}' has no place after the type"), token.span()));
            }
            match word {
                "align" => {
                    let align = self.alignment()?;
                    match &mut found.pointer {
                        Some(pointer) => pointer.1 = align,
                        None => found.align = Some(align),
                    }
                }
                // The alignment of what is pointed to is 4 unless stated.
                "ptr" => found.pointer = Some((None, 4)),
                "v2" => found.vector = Some(2),
                "v4" => found.vector = Some(4),
                "texref" | "samplerref" | "surfref" => found.opaque = true,
                "attribute" => self.skip_parentheses()?,
                _ => {
                    if let Some(ty @ (ScalarType::Bf16 | ScalarType::Bf16x2 | ScalarType::Tf32)) =
                        ScalarType::parse(word)
                    {
                        let message = format!("{ty} is a type of instructions: declare a .b{} instead", ty.bytes() * 8);
                        return Err(Fault::new(message, token.span()));
                    } else if let Some(ty) = ScalarType::parse(word) {
                        found.ty = Some(ty);
                    } else if let (Some(pointer), Some(space)) =
                        (&mut found.pointer, space(word).filter(|space| *space != Space::Param))
                    {
                        pointer.0 = Some(space);
                    } else {
                        return Err(Fault::new(format!("'.{word}' has no place in a declaration"), token.span()));
                    }
                }
            }
        }
        Ok(found)
    }

    fn alignment(&mut self) -> Result<u32> {
        let first = self.peek();
        let align = self.small("an alignment")?;
        if align.is_power_of_two() {
            Ok(align)
        } else {
            Err(Fault::new("an alignment must be a power of two", self.span_from(first)))
        }
    }

    /// `.attribute(.managed)`, `.attribute(.unified(1, 2))`: kept out of the module, but balanced.
    pub(super) fn skip_parentheses(&mut self) -> Result<()> {
        self.expect(b'(')?;
        let mut open = 1u32;
        while open > 0 {
            match self.peek().kind {
                Kind::Punct(b'(') => open += 1,
                Kind::Punct(b')') => open -= 1,
                Kind::Word | Kind::Dotted | Kind::Number | Kind::Punct(b',') => {}
                _ => return Err(self.expected("')'")),
            }
            self.step();
        }
        Ok(())
    }

    /// `.visible`, `.extern` and the like.
    pub(super) fn linkage(&mut self) -> Linkage {
        let linkage = match self.dotted() {
            Some("visible") => Linkage::Visible,
            Some("extern") => Linkage::Extern,
            Some("weak") => Linkage::Weak,
            Some("common") => Linkage::Common,
            _ => return Linkage::Private,
        };
        self.step();
        linkage
    }
}

/// The state space of that name.
pub(super) fn space(word: &str) -> Option<Space> {
    Some(match word {
        "global" => Space::Global,
        "const" => Space::Const,
        "shared" => Space::Shared,
        "local" => Space::Local,
        "param" => Space::Param,
        "tex" => Space::Opaque,
        _ => return None,
    })
}
