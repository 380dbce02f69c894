//! Which block every step of a program is in.

use super::loops::{self, Loop};
use crate::expression::kind::Kind;
use crate::expression::program::{Op, Program};

/// Where the elements of a step are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Input(usize),
    /// A block of its own, for a result.
    Result(usize),
    /// Room for a part of a block, which is used over and over and stays in the first-level cache.
    Part(usize),
}

/// An operation on whole blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Action {
    pub(super) run: Loop,
    pub(super) to: Place,
    /// Those that it does not have are like the first.
    pub(super) from: [Place; 3],
}

#[derive(Debug)]
pub(super) struct Plan {
    pub(super) actions: Vec<Action>,
    /// Where they are, bytes of an element, and its bits.
    pub(super) constants: Vec<(Place, usize, u64)>,
    /// The number of blocks, and of parts.
    pub(super) blocks: usize,
    pub(super) parts: usize,
    pub(super) results: Vec<Place>,
    /// Whether the only result is what the last action writes.
    pub(super) is_direct: bool,
}

/// Whether a cast leaves the bits as they are.
fn is_free(from: Kind, to: Kind) -> bool {
    let same = |kind: Kind| match kind {
        Kind::U32 => Kind::I32,
        Kind::U64 => Kind::I64,
        kind => kind,
    };
    same(from) == same(to) || (from, to) == (Kind::Bool, Kind::U8)
}

impl Plan {
    pub(super) fn new(program: &Program) -> Self {
        let steps = &program.steps;
        // The step whose block a step's elements are in.
        let mut owners: Vec<usize> = (0..steps.len()).collect();
        for (i, step) in steps.iter().enumerate() {
            if step.op == Op::Cast && is_free(program.kind(step.from()[0]), step.kind) {
                owners[i] = owners[step.from()[0]];
            }
        }
        let mut last_use = vec![0; steps.len()];
        for (i, step) in steps.iter().enumerate() {
            step.from().iter().for_each(|&from| last_use[owners[from]] = i);
        }
        program.results.iter().for_each(|&result| last_use[owners[result]] = usize::MAX);

        let mut plan = Self {
            actions: Vec::new(),
            constants: Vec::new(),
            blocks: 0,
            parts: 0,
            results: Vec::new(),
            is_direct: false,
        };
        let mut places: Vec<Option<Place>> = vec![None; steps.len()];
        for (i, step) in steps.iter().enumerate() {
            places[i] = match step.op {
                Op::Input(number) => Some(Place::Input(number)),
                Op::Constant(bits) => {
                    let place = if last_use[i] == usize::MAX { plan.block() } else { plan.part() };
                    plan.constants.push((place, step.kind.bytes(), bits));
                    Some(place)
                }
                _ => None,
            };
        }
        let mut free: Vec<Place> = Vec::new();
        for (i, step) in steps.iter().enumerate() {
            if owners[i] != i {
                places[i] = places[owners[i]];
            }
            let mut from = [Place::Input(0); 3];
            for (place, &step) in from.iter_mut().zip(step.from()) {
                *place = places[step].unwrap_or(Place::Input(0));
            }
            let count = step.from().len();
            if places[i].is_none() {
                // It is never the place of an argument: those are only free afterwards.
                let to = match last_use[i] {
                    usize::MAX => plan.block(),
                    _ => free.pop().unwrap_or_else(|| plan.part()),
                };
                places[i] = Some(to);
                let last = program.kind(step.from()[count - 1]);
                let first = from[0];
                from[count..].fill(first);
                plan.actions.push(Action { run: loops::of(step.op, (last, step.kind)), to, from });
            }
            for (at, &argument) in step.from().iter().enumerate() {
                let owner = owners[argument];
                let is_first = !step.from()[..at].iter().any(|&earlier| owners[earlier] == owner);
                let is_constant = matches!(steps[owner].op, Op::Constant(_));
                if let (Some(part @ Place::Part(_)), true) =
                    (places[owner], is_first && last_use[owner] == i && !is_constant)
                {
                    free.push(part);
                }
            }
        }
        plan.results = program.results.iter().filter_map(|&result| places[result]).collect();
        plan.is_direct = plan.actions.last().is_some_and(|last| plan.results == [last.to]);
        plan
    }

    /// One more block.
    fn block(&mut self) -> Place {
        self.blocks += 1;
        Place::Result(self.blocks - 1)
    }

    /// Room for one more part.
    fn part(&mut self) -> Place {
        self.parts += 1;
        Place::Part(self.parts - 1)
    }
}
