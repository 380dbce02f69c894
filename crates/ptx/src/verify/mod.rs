//! Checks a module against what the ISA allows: declarations, and the words and operands of instructions.
//!
//! For every opcode that the emulator knows, [`tables`] holds its forms as data. An instruction must have one of them,
//! as the assembler of NVIDIA's toolkit, `ptxas`, demands; `scripts/ptxas/mutants.py` compares the verdicts of the two.
//! Instructions with unknown opcodes pass: the executor refuses them if they are reached.

mod call;
mod complaint;
mod declaration;
mod form;
mod notation;
mod operand;
mod shapes;
mod tables;
mod ty;

use crate::SyntaxError;
use crate::ast::{Function, Module, Opcode};
use complaint::Complaint;
use form::Shape;
use operand::Scope;
use shapes::Shapes;

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
    let names = operand::names(module);
    let mut verifier = Verifier { source, shapes: Shapes::new(), names: &names, module };
    declaration::check(module, &names).map_err(|fault| fault.locate(source))?;
    for function in &module.functions {
        verifier.function(function).map_err(|complaint| complaint.fault(source).locate(source))?;
    }
    Ok(())
}

struct Verifier<'m> {
    source: &'m str,
    module: &'m Module,
    names: &'m operand::Names<'m>,
    shapes: Shapes<'m>,
}

impl<'m> Verifier<'m> {
    fn function(&mut self, function: &'m Function) -> Result<(), Complaint<'m>> {
        let Some(body) = &function.body else { return Ok(()) };
        for instruction in &body.instructions {
            let Some(shapes) = self.shapes.of(instruction)? else { continue };
            let scope =
                Scope { module: self.module, names: self.names, function, body, instruction, source: self.source };
            check(&scope, shapes)?;
            if instruction.opcode == Opcode::Call {
                call::check(&scope)?;
            }
        }
        Ok(())
    }
}

/// Checks operands: one of the shapes must be theirs. Otherwise the one that goes along furthest says what is wrong.
fn check<'m>(scope: &Scope<'m>, shapes: &[Shape]) -> Result<(), Complaint<'m>> {
    let operands = &scope.instruction.operands;
    let mut best = None;
    for shape in shapes {
        if operands.len() < shape.least || operands.len() > shape.operands.len() {
            continue;
        }
        let pairs = operands.iter().zip(&shape.operands);
        match pairs.clone().position(|(operand, pattern)| !scope.fits(operand, pattern)) {
            None => return Ok(()),
            Some(at) if best.is_none_or(|(before, _)| at > before) => best = Some((at, &shape.operands[at])),
            Some(_) => {}
        }
    }
    Err(match best {
        Some((at, pattern)) => Complaint::operand(scope, at, pattern),
        None => Complaint::count(scope.instruction, shapes),
    })
}
