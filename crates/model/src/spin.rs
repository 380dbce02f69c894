//! Waiting for other blocks: loops that read a flag until somebody has set it.
//!
//! How often such a loop goes round on the emulator says nothing about a GPU, so one round of it is replayed: what it
//! waits for is there when it looks. What remains is the way of a value that goes from block to block, each of which
//! reads it, adds its own part and passes it on: such a chain is as long as the grid, however many blocks run at once.

use crate::code::{Cost, Kind};
use std::collections::{HashMap, HashSet};
use warpwise_arch::{RecordedStep, Recording};
use warpwise_ptx::ast::{Body, Operand};

/// Steps of a warp without the rounds of its waiting loops but the last.
pub(crate) fn once(steps: &[RecordedStep], costs: &[Cost], recording: &Recording) -> Vec<RecordedStep> {
    let mut kept: Vec<RecordedStep> = Vec::with_capacity(steps.len());
    // Where each instruction that looks was issued last.
    let mut looked: HashMap<u32, usize> = HashMap::new();
    // Everything before this has an effect, or is part of another loop.
    let mut since = 0;
    for step in steps {
        let cost = &costs[step.place as usize];
        if is_poll(cost, step) {
            let before = looked.get(&step.place).copied().filter(|&at| at >= since && at < kept.len());
            if let Some(at) = before.filter(|&at| kept[at].place == step.place && again(&kept[at], step, recording)) {
                kept.truncate(at);
            }
            looked.insert(step.place, kept.len());
        } else if matches!(cost.kind, Kind::Access | Kind::Barrier) {
            since = kept.len() + 1;
        }
        kept.push(*step);
    }
    kept
}

/// Whether a step looks whether other blocks have written something.
pub(crate) fn is_poll(cost: &Cost, step: &RecordedStep) -> bool {
    cost.kind == Kind::Access && cost.waits && step.access != u32::MAX
}

/// Whether a step looks at what an earlier one has looked at.
fn again(earlier: &RecordedStep, step: &RecordedStep, recording: &Recording) -> bool {
    let sectors = |step: &RecordedStep| {
        let access = &recording.accesses[step.access as usize];
        let from = access.first as usize;
        &recording.sectors[from..from + usize::from(access.sectors)]
    };
    let known = sectors(earlier);
    step.mask & !earlier.mask == 0 && sectors(step).iter().all(|sector| known.contains(sector))
}

/// Marks the loads that wait for other blocks, and the stores that pass on what such loads have read.
///
/// A load waits if it reads what others may write, in a loop that a jump leaves or repeats by what was read.
pub(crate) fn mark(body: &Body, costs: &mut [Cost]) {
    let loops = loops(body);
    let mut waited: HashSet<u32> = HashSet::new();
    let polls: Vec<usize> = (0..costs.len()).filter(|&at| costs[at].polls).collect();
    for at in polls {
        let read = reached(costs, costs[at].defines.iter().copied().collect());
        let decides = |cost: &Cost| cost.kind == Kind::Jump && cost.uses.iter().any(|register| read.contains(register));
        let around = |&(from, to): &(usize, usize)| from <= at && at <= to && costs[from..=to].iter().any(decides);
        costs[at].waits = loops.iter().any(around);
        if costs[at].waits {
            waited.extend(read);
        }
    }
    for cost in costs.iter_mut().filter(|cost| cost.tells) {
        cost.links = cost.uses.iter().any(|register| waited.contains(register));
    }
}

/// First and last instruction of what jumps repeat.
pub(crate) fn loops(body: &Body) -> Vec<(usize, usize)> {
    let mut loops = Vec::new();
    for (at, instruction) in body.instructions.iter().enumerate() {
        for operand in &instruction.operands {
            let Operand::Label(label) = operand else { continue };
            let target = body.labels.get(label.0 as usize).map_or(usize::MAX, |label| label.target as usize);
            if target <= at {
                loops.push((target, at));
            }
        }
    }
    loops
}

/// Registers whose values come from some.
fn reached(costs: &[Cost], mut registers: HashSet<u32>) -> HashSet<u32> {
    loop {
        let known = registers.len();
        for cost in costs {
            if cost.uses.iter().any(|register| registers.contains(register)) {
                registers.extend(&cost.defines);
            }
        }
        if registers.len() == known {
            return registers;
        }
    }
}

/// The links of a chain from block to block: what was read of others, changed, and passed on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Chain {
    /// Cycles from looking to passing on: the least that any warp took.
    link: f64,
    links: f64,
    /// Blocks that were replayed.
    pub(crate) blocks: f64,
}

impl Chain {
    /// A warp passes something on, so many cycles after it looked.
    pub(crate) fn link(&mut self, cycles: f64) {
        self.link = if self.links == 0.0 { cycles } else { cycles.min(self.link) };
        self.links += 1.0;
    }

    /// Cycles of a chain through that many blocks, of which `lanes` look at as many blocks before theirs at once; none
    /// if blocks pass on more than one value, to and fro. `way` is how long what is passed on takes to arrive.
    pub(crate) fn cycles(&self, blocks: f64, lanes: u32, way: f64) -> f64 {
        if self.links == 0.0 || self.links > self.blocks {
            return 0.0;
        }
        (self.link + way) * blocks / f64::from(lanes.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Code;
    use warpwise_arch::{AccessAction, AccessSpace, RecordedAccess};

    fn code(body: &str) -> Code {
        let text = format!(
            ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
             .reg .pred %p<4>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n{body}\nret;\n}}\n"
        );
        let module = warpwise_ptx::parse(&text).expect("valid");
        Code::new(module.function("k").expect("the kernel"))
    }

    /// Waits until a word is not zero, adds to it and stores the sum.
    const WAIT: &str = "L:\nld.relaxed.gpu.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\n\
                        add.u32 %r2, %r1, %r3;\nst.relaxed.gpu.global.u32 [%rd2], %r2;";

    #[test]
    fn a_load_waits_if_a_loop_goes_on_until_it_reads_something_else() {
        let costs = code(WAIT).costs;
        assert!(costs[0].waits && costs[4].links);
        let once = "ld.relaxed.gpu.global.u32 %r1, [%rd1];\nst.relaxed.gpu.global.u32 [%rd2], %r1;";
        let costs = code(once).costs;
        assert!(!costs[0].waits && !costs[1].links, "no loop waits");
        let own = "L:\nld.relaxed.gpu.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\n\
                   st.relaxed.gpu.global.u32 [%rd2], %r3;";
        let costs = code(own).costs;
        assert!(costs[0].waits && !costs[3].links, "what is stored was not read from others");
    }

    fn recording(sectors: &[u64]) -> Recording {
        let access = |first: usize| RecordedAccess {
            space: AccessSpace::Global,
            action: AccessAction::Load,
            bytes: 4,
            sectors: 1,
            first: first as u32,
            whole: 0,
            wavefronts: 0,
            least_wavefronts: 0,
            largest: 0,
        };
        Recording {
            accesses: (0..sectors.len()).map(access).collect(),
            sectors: sectors.to_vec(),
            ..Recording::default()
        }
    }

    /// Rounds of the loop, each with its access, and what comes after it.
    fn rounds(accesses: &[u32]) -> Vec<RecordedStep> {
        let step = |place: u32, access: u32| RecordedStep { place, mask: 1, access };
        let round = |&access: &u32| [step(0, access), step(1, u32::MAX), step(2, u32::MAX)];
        let mut steps: Vec<RecordedStep> = accesses.iter().flat_map(round).collect();
        steps.extend([step(3, u32::MAX), step(4, 0)]);
        steps
    }

    #[test]
    fn one_round_of_a_waiting_loop_is_replayed() {
        let costs = code(WAIT).costs;
        let same = once(&rounds(&[0, 1, 2]), &costs, &recording(&[7, 7, 7]));
        assert_eq!(same, rounds(&[2]));
        // A walk over flags looks at each of them.
        let walk = once(&rounds(&[0, 1, 2]), &costs, &recording(&[7, 8, 9]));
        assert_eq!(walk, rounds(&[0, 1, 2]));
    }

    #[test]
    fn a_chain_is_as_long_as_the_grid() {
        let chain = Chain { link: 400.0, links: 2.0, blocks: 2.0 };
        assert_eq!(chain.cycles(640.0, 32, 300.0), 14_000.0, "32 blocks at a time");
        assert_eq!(chain.cycles(640.0, 1, 300.0), 448_000.0);
        // Blocks that exchange values in every step have no order.
        assert_eq!(Chain { links: 20.0, ..chain }.cycles(640.0, 32, 300.0), 0.0);
        assert_eq!(Chain::default().cycles(640.0, 32, 300.0), 0.0);
    }
}
