//! Expressions as computers execute them: one typed operation after another.

use std::collections::HashMap;

use super::kind::Kind;

/// An operation on values of one type, unless it says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    Input(usize),
    /// The bits of a value.
    Constant(u64),
    Add,
    Subtract,
    Multiply,
    /// Of floats.
    Divide,
    /// Of integers, rounded down; 0 if the divisor is 0.
    FloorDivide,
    /// What is left of that, with the sign of the divisor; 0 if the divisor is 0.
    Remainder,
    Min,
    Max,
    /// Comparisons give a bool.
    Equal,
    Less,
    LessOrEqual,
    And,
    Or,
    Xor,
    Negate,
    Absolute,
    /// Of floats, like those that follow.
    Sqrt,
    Exp,
    Log,
    Floor,
    /// The second where the first, a bool, holds, else the third.
    Select,
    /// From one type to another.
    Cast,
}

impl Op {
    /// The number of its arguments.
    pub(crate) fn arguments(self) -> usize {
        match self {
            Self::Input(_) | Self::Constant(_) => 0,
            Self::Negate | Self::Absolute | Self::Sqrt | Self::Exp | Self::Log | Self::Floor | Self::Cast => 1,
            Self::Select => 3,
            _ => 2,
        }
    }
}

/// An operation on the results of earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Step {
    pub(crate) op: Op,
    /// The type of the result.
    pub(crate) kind: Kind,
    from: [usize; 3],
}

impl Step {
    /// The numbers of the steps whose results it takes.
    pub(crate) fn from(&self) -> &[usize] {
        &self.from[..self.op.arguments()]
    }
}

/// Steps without repetition, and which of them are the results.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Program {
    pub(crate) steps: Vec<Step>,
    pub(crate) results: Vec<usize>,
}

impl Program {
    pub(crate) fn kind(&self, step: usize) -> Kind {
        self.steps[step].kind
    }

    /// Makes bytes of results that are bools.
    pub(crate) fn store_results(&mut self) {
        for i in 0..self.results.len() {
            if self.kind(self.results[i]) == Kind::Bool {
                self.steps.push(Step { op: Op::Cast, kind: Kind::U8, from: [self.results[i], 0, 0] });
                self.results[i] = self.steps.len() - 1;
            }
        }
    }

    /// Adds an input that is a result.
    pub(crate) fn add_result(&mut self, input: Op, kind: Kind) {
        self.steps.push(Step { op: input, kind, from: [0; 3] });
        self.results.push(self.steps.len() - 1);
    }

    /// The types of the results.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.results.iter().map(|&step| self.kind(step))
    }
}

/// Adds steps to a program.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    steps: Vec<Step>,
    known: HashMap<Step, usize>,
}

impl Builder {
    /// More steps for a program.
    pub(crate) fn of(program: &Program) -> Self {
        let known = program.steps.iter().enumerate().map(|(number, step)| (*step, number)).collect();
        Self { steps: program.steps.clone(), known }
    }

    /// The number of a step, which is added if it is new.
    pub(crate) fn add(&mut self, op: Op, kind: Kind, from: &[usize]) -> usize {
        let mut places = [0; 3];
        places[..from.len()].copy_from_slice(from);
        let step = Step { op, kind, from: places };
        *self.known.entry(step).or_insert_with(|| {
            self.steps.push(step);
            self.steps.len() - 1
        })
    }

    pub(crate) fn kind(&self, step: usize) -> Kind {
        self.steps[step].kind
    }

    pub(crate) fn constant(&mut self, kind: Kind, value: i128) -> usize {
        self.add(Op::Constant(kind.bits_of_int(value)), kind, &[])
    }

    pub(crate) fn cast(&mut self, step: usize, to: Kind) -> usize {
        if self.kind(step) == to { step } else { self.add(Op::Cast, to, &[step]) }
    }

    /// The program with these results, without steps that none of them needs.
    pub(crate) fn finish(self, results: &[usize]) -> Program {
        let mut needed = vec![false; self.steps.len()];
        results.iter().for_each(|&result| needed[result] = true);
        for i in (0..self.steps.len()).rev() {
            if needed[i] {
                self.steps[i].from().iter().for_each(|&from| needed[from] = true);
            }
        }
        let mut program = Program::default();
        let mut places = vec![0; self.steps.len()];
        for (i, mut step) in self.steps.into_iter().enumerate().filter(|(i, _)| needed[*i]) {
            let count = step.op.arguments();
            step.from[..count].iter_mut().for_each(|from| *from = places[*from]);
            places[i] = program.steps.len();
            program.steps.push(step);
        }
        program.results = results.iter().map(|&result| places[result]).collect();
        program
    }
}
