//! What the operands of instructions must be, kept by the words before them: programs repeat a few words many times.

use std::collections::HashMap;

use super::complaint::Complaint;
use super::form::Shape;
use super::tables;
use crate::ast::{Instruction, Opcode};

/// The opcode and the words after it.
type Words<'m> = (&'m str, &'m [Box<str>]);

/// How many words are at hand without a look into the table.
const RECENT: usize = 512;

/// The shapes that were needed so far.
pub(super) struct Shapes<'m> {
    known: HashMap<Words<'m>, usize>,
    shapes: Vec<Vec<Shape>>,
    recent: Vec<Option<(Words<'m>, usize)>>,
}

impl<'m> Shapes<'m> {
    pub(super) fn new() -> Self {
        Self { known: HashMap::new(), shapes: Vec::new(), recent: vec![None; RECENT] }
    }

    /// The shapes that the operands of an instruction can have; `None` if the opcode is not known.
    pub(super) fn of(&mut self, instruction: &'m Instruction) -> Result<Option<&[Shape]>, Complaint<'m>> {
        if matches!(instruction.opcode, Opcode::Unknown(_)) {
            return Ok(None);
        }
        let words: Words<'m> = (&instruction.opcode, &instruction.modifiers);
        let place = place(words);
        if let Some((kept, at)) = self.recent[place]
            && kept == words
        {
            return Ok(Some(&self.shapes[at]));
        }
        let at = match self.known.get(&words) {
            Some(at) => *at,
            None => {
                let shapes = made(instruction)?;
                self.shapes.push(shapes);
                self.known.insert(words, self.shapes.len() - 1);
                self.shapes.len() - 1
            }
        };
        self.recent[place] = Some((words, at));
        Ok(Some(&self.shapes[at]))
    }
}

/// A place among the recent ones, from the lengths and the ends of the words.
fn place((opcode, words): Words<'_>) -> usize {
    let ends = |word: &str| match word.as_bytes() {
        [first, .., last] => usize::from(*first) ^ usize::from(*last) << 3 ^ word.len() << 6,
        _ => word.len(),
    };
    words.iter().fold(ends(opcode), |sum, word| sum.wrapping_mul(31).wrapping_add(ends(word))) % RECENT
}

/// The shapes of the forms that have these words.
fn made(instruction: &Instruction) -> Result<Vec<Shape>, Complaint<'_>> {
    let forms = tables::forms(&instruction.opcode).unwrap_or_default();
    let fitting = forms.iter().filter_map(|form| Some(form.shape(&form.fit(&instruction.modifiers).ok()?)));
    let mut shapes: Vec<Shape> = Vec::new();
    for shape in fitting {
        if !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    if shapes.is_empty() { Err(Complaint::words(instruction, forms)) } else { Ok(shapes) }
}
