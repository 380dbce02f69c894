//! A function's code while it is being read: its scopes, and names that can be used before they are defined.

use std::collections::HashMap;

use super::Result;
use super::function::{Named, vector_of};
use super::names::{Found, Meaning, Names};
use crate::ast::{Body, BranchTargets, Label, LabelId, Operand, RegisterId, SourceLine, Span, Symbol};
use crate::error::Fault;
use crate::number::clip;

/// The scope of a function's body, which the names of its parameters belong to.
const OUTERMOST: u32 = 1;

/// How deep scopes may nest.
const DEPTH: usize = 64;

/// How many calls deep inlined code is followed.
const INLINED: usize = 16;

/// How many labels a function may list as `N<3>`. Such a list is longer than its text, so it needs a limit.
const NUMBERED: u64 = 4096;

/// What a label-like name stands for. Such names may be used before they are defined.
#[derive(Clone, Copy)]
enum Target {
    Label(LabelId),
    Prototype(u32),
    BranchTargets(u32),
}

#[derive(Default)]
struct Scope<'s> {
    parent: Option<usize>,
    targets: HashMap<&'s str, Target>,
}

/// An instruction with names that may turn out to be labels.
struct Waiting {
    instruction: usize,
    scope: usize,
    /// Where the name is, if it must be a label.
    must: Option<Span>,
}

/// An entry of a `.branchtargets` list; with a count, `N<3>` is short for `N0, N1, N2`.
pub(super) struct Listed<'s> {
    pub(super) name: &'s str,
    pub(super) count: Option<u64>,
    pub(super) span: Span,
}

struct WaitingTable<'s> {
    name: &'s str,
    scope: usize,
    labels: Vec<Listed<'s>>,
}

/// The code of a function.
pub(super) struct Code<'s> {
    /// The name of the function.
    pub(super) function: &'s str,
    pub(super) names: Names<'s>,
    pub(super) body: Body,
    /// From the last `.loc`.
    pub(super) line: Option<SourceLine>,
    /// Where that line was inlined, innermost call first.
    pub(super) inlined_at: Box<[SourceLine]>,
    /// The same for every line so far, to which calls refer.
    calls: HashMap<SourceLine, Box<[SourceLine]>>,
    /// All scopes; labels are looked up at the end, when all are known.
    scopes: Vec<Scope<'s>>,
    /// The open scopes, each with the mark to restore the names to.
    open: Vec<(usize, usize)>,
    waiting: Vec<Waiting>,
    tables: Vec<WaitingTable<'s>>,
}

impl<'s> Code<'s> {
    /// A `.loc`: the line, and where it was inlined.
    pub(super) fn at(&mut self, line: SourceLine, call: Option<SourceLine>) {
        let outer = call.and_then(|call| self.calls.get(&call)).into_iter().flatten();
        self.inlined_at = call.iter().chain(outer).copied().take(INLINED).collect();
        self.calls.insert(line, self.inlined_at.clone());
        self.line = Some(line);
    }

    /// Code that sees the function's parameters. Those in registers become the first registers of the body.
    pub(super) fn new(function: &'s str, returns: &[Named<'s>], params: &[Named<'s>]) -> Self {
        let mut code = Self {
            function,
            names: Names::default(),
            body: Body::default(),
            line: None,
            inlined_at: Box::default(),
            calls: HashMap::new(),
            scopes: vec![Scope::default()],
            open: vec![(0, 0)],
            waiting: Vec::new(),
            tables: Vec::new(),
        };
        let returns = returns.iter().enumerate().map(|(i, it)| (it, returns, Symbol::Return(i as u32)));
        let params = params.iter().enumerate().map(|(i, it)| (it, params, Symbol::Parameter(i as u32)));
        for (named @ (parameter, name), all, symbol) in returns.chain(params) {
            if parameter.register.is_some() {
                // The elements of a vector follow each other; the first declares them all.
                let Some(vector) = vector_of(named, all) else { continue };
                code.names.declare_register(OUTERMOST, name, parameter.variable.ty, vector);
                code.names.find(name);
            } else if *name != "_" {
                code.names.declare(OUTERMOST, name, Meaning::Symbol(symbol));
            }
        }
        code
    }

    /// The innermost scope.
    pub(super) fn scope(&self) -> usize {
        self.open.last().map_or(0, |&(scope, _)| scope)
    }

    pub(super) fn enter(&mut self, span: Span) -> Result<()> {
        if self.open.len() > DEPTH {
            return Err(Fault::new("these scopes are nested too deeply", span));
        }
        let parent = Some(self.scope());
        self.open.push((self.scopes.len(), self.names.mark()));
        self.scopes.push(Scope { parent, targets: HashMap::new() });
        Ok(())
    }

    /// Leaves a scope; true if it was the outermost.
    pub(super) fn leave(&mut self) -> bool {
        if let Some((_, mark)) = self.open.pop() {
            self.names.restore(mark);
        }
        self.open.len() <= 1
    }

    pub(super) fn label(&mut self, name: &'s str, span: Span) -> Result<()> {
        let id = LabelId(self.body.labels.len() as u32);
        self.define(name, Target::Label(id), span)?;
        self.body.labels.push(Label { name: name.into(), target: self.body.instructions.len() as u32 });
        Ok(())
    }

    /// Names the prototype that is added next.
    pub(super) fn prototype(&mut self, name: &'s str, span: Span) -> Result<()> {
        self.define(name, Target::Prototype(self.body.prototypes.len() as u32), span)
    }

    pub(super) fn branch_targets(&mut self, name: &'s str, labels: Vec<Listed<'s>>, span: Span) -> Result<()> {
        self.define(name, Target::BranchTargets(self.tables.len() as u32), span)?;
        self.tables.push(WaitingTable { name, scope: self.scope(), labels });
        Ok(())
    }

    fn define(&mut self, name: &'s str, target: Target, span: Span) -> Result<()> {
        let scope = self.scope();
        let declared = self.names.is_declared(scope as u32, name);
        if self.scopes[scope].targets.insert(name, target).is_some() || declared {
            return Err(Fault::new(format!("label '{}' is already defined in this scope", clip(name)), span));
        }
        Ok(())
    }

    /// Records that the next instruction has names that may be labels.
    pub(super) fn wait(&mut self, must: Option<Span>) {
        let instruction = self.body.instructions.len();
        self.waiting.push(Waiting { instruction, scope: self.scope(), must });
    }

    fn target(&self, mut scope: usize, name: &str) -> Option<Target> {
        loop {
            if let Some(&target) = self.scopes[scope].targets.get(name) {
                return Some(target);
            }
            scope = self.scopes[scope].parent?;
        }
    }

    fn must_be_label(&self, scope: usize, name: &str, span: Span) -> Result<LabelId> {
        match self.target(scope, name) {
            Some(Target::Label(id)) => Ok(id),
            _ => Err(Fault::new(format!("label '{}' is not defined", clip(name)), span)),
        }
    }

    /// Resolves the open names and returns the body.
    pub(super) fn finish(mut self) -> Result<Body> {
        let tables = std::mem::take(&mut self.tables);
        let mut numbered = 0u64;
        for table in tables {
            let mut labels = Vec::new();
            for listed in table.labels {
                let Some(count) = listed.count else {
                    labels.push(self.must_be_label(table.scope, listed.name, listed.span)?);
                    continue;
                };
                numbered = numbered.saturating_add(count);
                if numbered > NUMBERED {
                    let message = format!("more than {NUMBERED} labels listed by number");
                    return Err(Fault::new(message, listed.span));
                }
                for number in 0..count {
                    let name = format!("{}{number}", listed.name);
                    labels.push(self.must_be_label(table.scope, &name, listed.span)?);
                }
            }
            self.body.branch_targets.push(BranchTargets { name: table.name.into(), labels });
        }
        let waiting = std::mem::take(&mut self.waiting);
        let mut instructions = std::mem::take(&mut self.body.instructions);
        for Waiting { instruction, scope, must } in waiting {
            let Some(instruction) = instructions.get_mut(instruction) else { continue };
            for operand in &mut instruction.operands {
                self.resolve(operand, scope, must)?;
            }
        }
        self.body.instructions = instructions;
        self.body.registers = self.names.registers;
        Ok(self.body)
    }

    /// Resolves the plain names in an operand. Operands nest two levels deep at most.
    fn resolve(&self, operand: &mut Operand, scope: usize, must: Option<Span>) -> Result<()> {
        match operand {
            Operand::Symbol(Symbol::Module(name), 0) => match (self.target(scope, name), must) {
                (Some(Target::Label(id)), _) => *operand = Operand::Label(id),
                (Some(Target::Prototype(index)), _) => *operand = Operand::Symbol(Symbol::Prototype(index), 0),
                (Some(Target::BranchTargets(index)), _) => *operand = Operand::Symbol(Symbol::BranchTargets(index), 0),
                (None, Some(span)) => {
                    return Err(Fault::new(format!("label '{}' is not defined", clip(name)), span));
                }
                (None, None) => {}
            },
            Operand::Vector(parts) | Operand::List(parts) | Operand::Bracket(parts) => {
                for part in parts {
                    self.resolve(part, scope, must)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A register by name; `None` if it is something else or nothing.
    pub(super) fn register(&mut self, name: &'s str) -> Option<RegisterId> {
        match self.names.find(name) {
            Found::Register(id) => Some(id),
            _ => None,
        }
    }
}
