//! Which registers a function reads.

use warpwise_ptx::ast::{AddressBase, Body, Operand};

/// Calls `visit` with every operand of an instruction, nested ones included.
pub(super) fn operands<'a>(operands: &'a [Operand], visit: &mut impl FnMut(&'a Operand)) {
    for operand in operands {
        visit(operand);
        match operand {
            Operand::Vector(list) | Operand::List(list) | Operand::Bracket(list) => self::operands(list, visit),
            Operand::Minus(inner) => self::operands(std::slice::from_ref(&**inner), visit),
            Operand::Pair(a, b) => {
                self::operands(std::slice::from_ref(&**a), visit);
                self::operands(std::slice::from_ref(&**b), visit);
            }
            _ => {}
        }
    }
}

/// For each register whether any instruction reads it. A register that is only ever the destination of an atomic is not
/// read: compilers write `atom` even when `red` would do.
pub(super) fn reads(body: &Body) -> Vec<bool> {
    let mut read = vec![false; body.registers.len()];
    for i in &body.instructions {
        if let Some(guard) = i.guard
            && let Some(flag) = read.get_mut(guard.register.0 as usize)
        {
            *flag = true;
        }
        let own = usize::from(&*i.opcode == "atom").min(i.operands.len());
        operands(&i.operands[own..], &mut |operand| {
            let id = match operand {
                Operand::Register(id) | Operand::Not(id) | Operand::Part(id, _) => id,
                Operand::Address(address) => match &address.base {
                    AddressBase::Register(id) => id,
                    _ => return,
                },
                _ => return,
            };
            if let Some(flag) = read.get_mut(id.0 as usize) {
                *flag = true;
            }
        });
    }
    read
}
