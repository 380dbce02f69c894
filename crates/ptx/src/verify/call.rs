//! Checks calls: the target, and the arguments and results against the function's header or the prototype.

use super::complaint::Complaint;
use super::operand::{Name, Scope};
use super::ty::Type;
use crate::ast::{FunctionKind, Operand, Parameter, ScalarType, Space, Symbol, Variable};
use crate::number::clip;

/// The operands of a call, each list with its place among them.
struct Call<'m> {
    returns: (usize, &'m [Operand]),
    target: usize,
    arguments: (usize, &'m [Operand]),
    /// Where the prototype or the list of targets is.
    prototype: Option<usize>,
}

/// What is wrong, and with which operand.
type Wrong = (usize, String);

/// Checks the instruction of the scope, which is a call.
pub(super) fn check<'m>(scope: &Scope<'m>) -> Result<(), Complaint<'m>> {
    let wrong = match Call::read(&scope.instruction.operands) {
        Some(call) => call.check(scope),
        None => Err((0, "a call is '(results), function, (arguments), prototype'".to_owned())),
    };
    wrong.map_err(|(at, message)| Complaint::about(scope.instruction, at, message))
}

impl<'m> Call<'m> {
    fn read(operands: &'m [Operand]) -> Option<Self> {
        let list = |at: usize| match operands.get(at) {
            Some(Operand::List(parts)) => Some((at, &parts[..])),
            _ => None,
        };
        let returns = list(0);
        let target = usize::from(returns.is_some());
        let arguments = list(target + 1);
        let next = target + 1 + usize::from(arguments.is_some());
        let prototype = match operands.get(next) {
            Some(Operand::Symbol(_, 0)) => Some(next),
            Some(_) => return None,
            None => None,
        };
        let plain = matches!(operands.get(target)?, Operand::Register(_) | Operand::Symbol(_, 0) | Operand::Label(_));
        let complete = plain && operands.len() <= next + 1;
        let none = (target, [].as_slice());
        complete.then(|| Self {
            returns: returns.unwrap_or(none),
            target,
            arguments: arguments.unwrap_or(none),
            prototype,
        })
    }

    fn check(&self, scope: &Scope<'m>) -> Result<(), Wrong> {
        let operands = &scope.instruction.operands;
        let target = &operands[self.target];
        let wrong = |at: usize, message: &str| Err((at, message.to_owned()));
        if let Operand::Register(id) = target {
            let Some(at) = self.prototype else {
                return wrong(self.target, "a call through a register needs a prototype or a list of targets");
            };
            if scope.register(*id).is_none_or(|ty| ty.is_float() || ty == ScalarType::Pred) {
                return wrong(self.target, "a call goes through an integer register");
            }
            return match &operands[at] {
                Operand::Symbol(Symbol::Prototype(number), _) => {
                    let prototype = &scope.body.prototypes[*number as usize];
                    self.lists(scope, &prototype.returns, &prototype.params)
                }
                // The name of a list of targets, which the reader does not keep.
                Operand::Symbol(symbol @ Symbol::Module(_), _) if !scope.known(symbol) => Ok(()),
                _ => wrong(at, "expected the name of a prototype or of a list of targets"),
            };
        }
        let Operand::Symbol(Symbol::Module(name), _) = target else {
            return wrong(self.target, "only a function can be called");
        };
        let Some(Name::Function(function)) = scope.names.get(&**name) else {
            return Err((self.target, format!("function '{}' is not declared", clip(name))));
        };
        if self.prototype.is_some() {
            return wrong(self.target, "only a call through a register takes a prototype or a list of targets");
        }
        match function {
            Some(function) if function.kind == FunctionKind::Entry => wrong(self.target, "a kernel cannot be called"),
            Some(function) => self.lists(scope, &function.returns, &function.params),
            None => Ok(()),
        }
    }

    fn lists(&self, scope: &Scope<'m>, returns: &[Parameter], params: &[Parameter]) -> Result<(), Wrong> {
        let both = [("result", self.returns, returns), ("argument", self.arguments, params)];
        for (what, (at, given), wanted) in both {
            if given.len() != wanted.len() {
                let s = if wanted.len() == 1 { "" } else { "s" };
                let message = format!("this call needs {} {what}{s}, found {}", wanted.len(), given.len());
                return Err((at, message));
            }
            for (number, (given, wanted)) in given.iter().zip(wanted).enumerate() {
                let discarded = *given == Operand::Sink && what == "result";
                if !discarded && !passes(scope, given, wanted) {
                    let Variable { ty, size, .. } = wanted.variable;
                    let array =
                        if is_array(&wanted.variable) { format!(" array of {size} bytes") } else { String::new() };
                    return Err((at, format!("{what} {} of this call must go with {ty}{array}", number + 1)));
                }
            }
        }
        Ok(())
    }
}

fn is_array(variable: &Variable) -> bool {
    variable.size != u64::from(variable.ty.bytes() * variable.vector)
}

/// Whether an operand can be passed for a parameter: of the same size, and of the same kind or plain bits.
fn passes(scope: &Scope<'_>, given: &Operand, wanted: &Parameter) -> bool {
    let wanted = &wanted.variable;
    let Some(ty) = Type::parse(wanted.ty.name()) else { return false };
    match given {
        Operand::Register(id) => {
            let halves = |own| own == ScalarType::F16x2 && wanted.ty == ScalarType::F32;
            !is_array(wanted) && scope.register(*id).is_some_and(|own| ty.holds(own, false) || halves(own))
        }
        Operand::Symbol(Symbol::Local(at), 0) => {
            let Some(own) = scope.body.variables.get(*at as usize) else { return false };
            own.space == Space::Param
                && if is_array(wanted) || is_array(own) {
                    is_array(wanted) && is_array(own) && own.size == wanted.size && own.align == wanted.align
                } else {
                    ty.holds(own.ty, false)
                }
        }
        Operand::Integer(_) | Operand::F32(_) | Operand::F64(_) => !is_array(wanted) && ty.joins(given),
        _ => false,
    }
}
