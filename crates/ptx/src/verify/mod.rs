//! Checks a module against what the ISA allows: declarations, and the words and operands of instructions.
//!
//! For every opcode that the emulator knows, [`tables`] holds its forms as data. An instruction must have one of them,
//! as the assembler of NVIDIA's toolkit, `ptxas`, demands; `scripts/ptxas/mutants.py` compares the verdicts of the two.
//! Instructions with unknown opcodes pass: the executor refuses them if they are reached.

mod complaint;
mod declaration;
mod form;
mod notation;
mod operand;
mod tables;
mod ty;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::SyntaxError;
use crate::ast::{Function, Instruction, Module};
use complaint::Complaint;
use form::Shape;
use operand::Scope;

/// Checks the declarations and instructions of a module that [`parse`](crate::parse) read from `source`.
///
/// ```
/// let source = ".visible .entry k() { .reg .f32 %f<3>; fma.rn.f32 %f1, %f2; }";
/// let module = warpwise_ptx::parse(source)?;
/// let error = warpwise_ptx::verify(source, &module).unwrap_err();
/// assert_eq!(error.message, "'fma.rn.f32' takes 4 operands, found 2");
/// # Ok::<(), warpwise_ptx::SyntaxError>(())
/// ```
///
/// # Errors
///
/// The first declaration that the ISA does not allow, or the first instruction that has no form of its opcode, and what
/// is wrong with it.
pub fn verify(source: &str, module: &Module) -> Result<(), SyntaxError> {
    let mut verifier = Verifier { shapes: HashMap::default(), names: operand::names(module), module };
    declaration::check(module).map_err(|fault| fault.locate(source))?;
    for function in &module.functions {
        verifier.function(function).map_err(|complaint| complaint.fault(source).locate(source))?;
    }
    Ok(())
}

struct Verifier<'m> {
    module: &'m Module,
    names: operand::Names<'m>,
    /// What the operands of instructions with these words must be: programs repeat a few of them many times.
    shapes: HashMap<(&'m str, &'m [Box<str>]), Vec<Shape>>,
}

impl<'m> Verifier<'m> {
    fn function(&mut self, function: &'m Function) -> Result<(), Complaint<'m>> {
        let Some(body) = &function.body else { return Ok(()) };
        for instruction in &body.instructions {
            let Some(forms) = tables::forms(&instruction.opcode) else { continue };
            let words = &instruction.modifiers[..];
            let shapes = match self.shapes.entry((&instruction.opcode, words)) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => {
                    let fitting = forms.iter().filter_map(|form| Some(form.shape(&form.fit(words).ok()?)));
                    let mut shapes: Vec<Shape> = Vec::new();
                    for shape in fitting {
                        if !shapes.contains(&shape) {
                            shapes.push(shape);
                        }
                    }
                    if shapes.is_empty() {
                        return Err(Complaint::words(instruction, forms));
                    }
                    entry.insert(shapes)
                }
            };
            let scope = Scope { module: self.module, names: &self.names, function, body };
            check(&scope, instruction, shapes)?;
        }
        Ok(())
    }
}

/// Checks operands: one of the shapes must be theirs. Otherwise the one that goes along furthest says what is wrong.
fn check<'m>(scope: &Scope<'_>, instruction: &'m Instruction, shapes: &[Shape]) -> Result<(), Complaint<'m>> {
    let operands = &instruction.operands;
    let mut best = None;
    for shape in shapes {
        if operands.len() < shape.least || operands.len() > shape.operands.len() {
            continue;
        }
        let pairs = operands.iter().zip(&shape.operands);
        match pairs.clone().position(|(operand, pattern)| !scope.fits(operand, pattern, instruction)) {
            None => return Ok(()),
            Some(at) if best.is_none_or(|(before, _)| at > before) => best = Some((at, &shape.operands[at])),
            Some(_) => {}
        }
    }
    Err(match best {
        Some((at, pattern)) => Complaint::operand(scope, instruction, at, pattern),
        None => Complaint::count(instruction, shapes),
    })
}
