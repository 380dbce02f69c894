//! `call`.

use warpwise_ptx::ast::{Instruction, Operand, RegisterId, ScalarType, Symbol};

use super::lowering::{Lowering, op};
use crate::lanes::{Op, control};
use crate::program::{Builtin, CallSite, Callee, Home};

/// Where a register is kept, as a parameter.
pub(super) fn register_home(cx: &Lowering<'_>, id: RegisterId) -> Option<Home> {
    let ty = cx.register_type(id)?;
    let slot = cx.register(id)?;
    Some(if ty == ScalarType::Pred { Home::Predicate { slot } } else { Home::Slot { slot, size: ty.bytes() } })
}

/// Where an argument is: a `.param` variable, a register or a constant.
fn home(cx: &mut Lowering<'_>, operand: &Operand) -> Option<Home> {
    match operand {
        Operand::Symbol(Symbol::Local(at), 0) => cx.variables.get(*at as usize).copied().flatten(),
        Operand::Symbol(Symbol::Parameter(at), 0) => cx.params.get(*at as usize).copied(),
        Operand::Symbol(Symbol::Return(at), 0) => cx.returns.get(*at as usize).copied(),
        Operand::Register(id) => register_home(cx, *id),
        Operand::Integer(_) | Operand::F64(_) => {
            let slot = cx.src(operand, ScalarType::B64)?;
            Some(Home::Slot { slot, size: 8 })
        }
        Operand::F32(_) => {
            let slot = cx.src(operand, ScalarType::B32)?;
            Some(Home::Slot { slot, size: 4 })
        }
        Operand::Sink => {
            let slot = cx.dst(operand, 8)?;
            Some(Home::Slot { slot, size: 8 })
        }
        _ => None,
    }
}

/// `call {(returns),} target {, (arguments)} {, prototype}`.
pub(super) fn decode(cx: &mut Lowering<'_>, i: &Instruction) -> Option<Op> {
    let mut operands = i.operands.iter().peekable();
    let list = |operand: Option<&Operand>| match operand {
        Some(Operand::List(list)) => list.clone(),
        _ => Vec::new(),
    };
    let rets = match operands.peek() {
        Some(Operand::List(_)) => list(operands.next()),
        _ => Vec::new(),
    };
    let target = operands.next()?;
    let args = list(operands.find(|o| matches!(o, Operand::List(_))));
    let callee = match target {
        Operand::Symbol(Symbol::Module(name), 0) => {
            let at = cx.lookup.callee(name);
            let defined = at.is_some_and(|at| cx.lookup.module.functions[at].body.is_some());
            match (at, Builtin::named(name)) {
                (Some(at), _) if defined => Callee::Function(at as u32),
                (_, Some(builtin)) => Callee::Builtin(builtin),
                _ => Callee::Unknown(name.clone()),
            }
        }
        Operand::Register(id) => {
            (cx.register_type(*id)?.bytes() == 8).then_some(())?;
            Callee::Indirect(cx.register(*id)?)
        }
        _ => return None,
    };
    let args = args.iter().map(|o| home(cx, o)).collect::<Option<Vec<_>>>()?;
    let rets = rets.iter().map(|o| home(cx, o)).collect::<Option<Vec<_>>>()?;
    let aux = cx.parts.call_sites.len() as u32;
    cx.parts.call_sites.push(CallSite { callee, args, rets });
    Some(Op { aux, ..op(control::call, 0, &[]) })
}
