//! The loop that executes instructions.

use super::watcher::Watcher;
use crate::lanes::Flow;
use crate::program::Program;
use crate::warp::{POLL_COST, Warp};

/// Why [`Warp::run`] returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    /// Its turn is over.
    Turn,
    /// Every split waits for something.
    Waiting,
    /// All lanes have exited.
    Done,
    /// A lane did something wrong.
    Fault,
}

impl Warp<'_> {
    /// Executes until the turn ends or no split can continue.
    pub(super) fn run<O: Watcher>(&mut self, program: &Program, observer: &mut O) -> Pause {
        self.fuel = self.launch.quantum;
        self.polls = 0;
        let pause =
            if O::ACTIVE { self.interpret_observed(program, observer) } else { self.interpret(program, observer) };
        let used = self.launch.quantum - self.fuel;
        self.executed += (used - self.polls * POLL_COST) as u64;
        self.elapsed += used as u64;
        self.fuel = self.launch.quantum;
        pause
    }

    #[inline(always)]
    pub(super) fn interpret<O: Watcher>(&mut self, program: &Program, observer: &mut O) -> Pause {
        if let Some((id, generation, result)) = self.waiting.take() {
            self.finish_barrier(id, generation, result);
            self.pc += 1;
            if self.pc == self.stop && !self.reconverge() && !self.pick() {
                return Pause::Waiting;
            }
        } else if self.mask == 0 && !self.pick() {
            return if self.done() { Pause::Done } else { Pause::Waiting };
        }
        let code = program.code.as_ptr();
        loop {
            // SAFETY: the program counter is always that of an instruction: it starts at one, jumps go to labels, and
            // every function ends in a return. Operands are slots of the running frame because the decoder laid out
            // both, and the frame entered is always one of the function that the program counter is in.
            let flow = unsafe {
                let op = &*code.add(self.pc as usize);
                let mask = self.mask & (self.pred(op.guard) ^ op.flip);
                self.fuel -= 1;
                if O::ACTIVE {
                    self.observed(program, op, mask, observer)
                } else if mask == 0 {
                    Flow::Next
                } else {
                    (op.run)(self, op, mask)
                }
            };
            match flow {
                Flow::Next => self.pc += 1,
                Flow::Jump => {}
                Flow::Leave => {
                    if self.waiting.is_some() {
                        return Pause::Waiting;
                    }
                    if self.trouble.is_some() {
                        if !O::ACTIVE || !self.passes(program, observer) {
                            return Pause::Fault;
                        }
                        self.pc += 1;
                    } else if !self.pick() {
                        return if self.done() { Pause::Done } else { Pause::Waiting };
                    }
                }
            }
            if self.pc == self.stop && !self.reconverge() && !self.pick() {
                return Pause::Waiting;
            }
            if self.fuel <= 0 {
                self.give_way();
                return Pause::Turn;
            }
        }
    }
}
