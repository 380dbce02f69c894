//! Writes down what chosen warps do, while the emulator runs them.
//!
//! The emulator runs a warp until it waits, then the next one. The record shows them side by side: the clock of a warp
//! counts its instructions, and warps that meet at a barrier continue at the latest of their clocks.

use super::access::Seen;
use super::choice::{Choice, MOST_WARPS};
use std::collections::{BTreeSet, HashMap};
use warpwise_gpu::Launch;
use warpwise_gpu::emulated::Follower;
use warpwise_ptx::ast::{self, Register};
use warpwise_simt::Place;
use warpwise_simt::observe::{Access, AccessKind, Barrier, Block, Copy, Instruction, Observer, Space};

/// A step as it was observed.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) time: u64,
    /// Which of the recorded warps.
    pub(super) warp: usize,
    pub(super) pc: u32,
    pub(super) on: u32,
    pub(super) off: u32,
    pub(super) other: u32,
    pub(super) met: u32,
    pub(super) wait: u32,
    pub(super) gone: u32,
    /// For each register that it writes the lanes whose value is known, and the values.
    pub(super) values: Vec<(u32, [u64; 32])>,
    pub(super) accesses: Vec<Seen>,
    pub(super) barrier: Option<Arrival>,
    pub(super) diverges: bool,
    /// How many barriers the warp had passed: what lies between two of them has no order among warps.
    pub(super) phase: u32,
}

/// An arrival at a barrier.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) id: u32,
    pub(super) here: usize,
    pub(super) of: usize,
    pub(super) waits: bool,
    pub(super) last: bool,
}

/// An instruction of the program.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) place: Place,
    /// As it was read; none for the return that ends every function.
    pub(super) ptx: Option<ast::Instruction>,
    pub(super) results: Vec<Register>,
}

/// An arrival at a barrier that is not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Comer {
    time: u64,
    warp: u32,
    /// The step, if it is recorded.
    step: Option<usize>,
    waits: bool,
}

/// A warp of a block that is recorded.
#[derive(Debug, Default)]
struct Clock {
    now: u64,
    /// When it last passed a barrier.
    passed: u64,
    phase: u32,
    /// Which of the recorded warps it is.
    recorded: Option<usize>,
    /// Steps whose results are not known yet: the step, the lanes, and the activation that they are of.
    pending: Vec<(usize, u32, u32)>,
    /// Whether it has ended.
    ended: bool,
}

/// A recorded warp.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) block: [u32; 3],
    pub(super) number: u64,
    pub(super) warp: u32,
    /// Steps that it took, and those of them that are recorded.
    pub(super) steps: usize,
    pub(super) kept: usize,
}

/// The launch that was recorded.
#[derive(Clone, Debug)]
pub(super) struct Launched {
    pub(super) kernel: String,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
}

/// Records the chosen warps of one launch.
#[derive(Debug)]
pub(super) struct Recorder {
    choice: Choice,
    /// Steps that are kept of each warp.
    limit: usize,
    /// Launches that have started.
    pub(super) launches: usize,
    pub(super) launched: Option<Launched>,
    pub(super) rows: Vec<Row>,
    pub(super) steps: Vec<Step>,
    pub(super) known: HashMap<u32, Known>,
    clocks: HashMap<(u64, u32), Clock>,
    /// Arrivals at the barriers of blocks since they were last complete.
    arrived: HashMap<(u64, u32), Vec<Comer>>,
    /// The step that the emulator is at, if it is recorded.
    now: Option<usize>,
    /// Warps that were chosen and not recorded, because there were too many.
    pub(super) crowded: usize,
}

impl Recorder {
    pub(super) fn new(choice: Choice) -> Self {
        Self {
            choice,
            limit: 0,
            launches: 0,
            launched: None,
            rows: Vec::new(),
            steps: Vec::new(),
            known: HashMap::new(),
            clocks: HashMap::new(),
            arrived: HashMap::new(),
            now: None,
            crowded: 0,
        }
    }

    /// Which launch is recorded, from 1.
    pub(super) fn launch(&self) -> usize {
        self.choice.launch
    }

    fn is_on(&self) -> bool {
        self.launches == self.choice.launch
    }

    fn step(&mut self) -> Option<&mut Step> {
        self.steps.get_mut(self.now?)
    }

    /// Fills in the results of earlier steps of lanes that go on now.
    fn settle(&mut self, at: &Instruction<'_>, key: (u64, u32)) {
        let Self { clocks, steps, known, .. } = self;
        let Some(clock) = clocks.get_mut(&key) else { return };
        let running = at.running();
        for (step, lanes, activation) in &mut clock.pending {
            let ready = *lanes & running;
            *lanes &= !running;
            let step = &mut steps[*step];
            let Some(known) = known.get(&step.pc).filter(|_| ready != 0 && *activation == at.activation()) else {
                continue;
            };
            for (register, (mask, values)) in known.results.iter().zip(&mut step.values) {
                let Some(lanes) = at.register(&register.name) else { continue };
                *mask |= ready;
                (0..32).filter(|lane| ready >> lane & 1 == 1).for_each(|lane| values[lane] = lanes[lane]);
            }
        }
        clock.pending.retain(|(_, lanes, _)| *lanes != 0);
    }
}

impl Follower for Recorder {
    fn launch_starts(&mut self, kernel: &str, launch: &Launch) {
        self.launches += 1;
        if self.is_on() {
            self.limit = self.choice.limit(launch.block.iter().fold(1, |n, &side| n.saturating_mul(side)));
            self.launched = Some(Launched { kernel: kernel.to_owned(), grid: launch.grid, block: launch.block });
        }
    }
}

impl Observer for Recorder {
    fn block_starts(&mut self, block: &Block<'_>) {
        if !self.is_on() || !self.choice.has_block(block.index()) {
            return;
        }
        for warp in 0..block.live().div_ceil(32) {
            let mut clock = Clock::default();
            if self.choice.has_warp(warp) {
                if self.rows.len() < MOST_WARPS {
                    clock.recorded = Some(self.rows.len());
                    let (index, number) = (block.index(), block.number());
                    self.rows.push(Row { block: index, number, warp, steps: 0, kept: 0 });
                } else {
                    self.crowded += 1;
                }
            }
            self.clocks.insert((block.number(), warp), clock);
        }
    }

    fn executes(&mut self, at: &Instruction<'_>) {
        self.now = None;
        if !self.is_on() {
            return;
        }
        let key = (at.block().number(), at.warp());
        let Some(clock) = self.clocks.get_mut(&key) else { return };
        let (time, phase) = (clock.now, clock.phase);
        clock.now += 1;
        let Some(row) = clock.recorded else { return };
        self.settle(at, key);
        self.rows[row].steps += 1;
        if self.rows[row].kept >= self.limit {
            return;
        }
        self.rows[row].kept += 1;
        let pc = at.pc();
        let known = self.known.entry(pc).or_insert_with(|| Known {
            place: at.place(),
            ptx: at.ptx().cloned(),
            results: at.results().into_iter().cloned().collect(),
        });
        let (on, running, live) = (at.mask(), at.running(), at.live());
        let (met, wait) = (at.met() & live & !running, at.waiting() & live & !running);
        self.now = Some(self.steps.len());
        if !known.results.is_empty() && on != 0 {
            let pending = (self.steps.len(), on, at.activation());
            self.clocks.entry(key).or_default().pending.push(pending);
        }
        self.steps.push(Step {
            time,
            warp: row,
            pc,
            on,
            off: running & !on,
            other: live & !running & !met & !wait,
            met,
            wait: wait & !met,
            gone: !live,
            values: vec![(0, [0; 32]); if on == 0 { 0 } else { known.results.len() }],
            accesses: Vec::new(),
            barrier: None,
            diverges: false,
            phase,
        });
    }

    fn access(&mut self, access: &Access<'_>) {
        let opcode = self.now.and_then(|now| self.known.get(&self.steps[now].pc)?.ptx.as_ref()).map(|ptx| &*ptx.opcode);
        let seen = Seen {
            kind: access.kind(),
            space: access.space(),
            bytes: access.bytes(),
            mask: access.mask(),
            addresses: *access.addresses(),
            counted: !matches!(opcode, Some("mbarrier" | "wgmma" | "cp")),
        };
        if let Some(step) = self.step() {
            step.accesses.push(seen);
        }
    }

    fn copy(&mut self, _: &Instruction<'_>, copy: &Copy) {
        let is_bulk = |ptx: &ast::Instruction| ptx.modifiers.iter().any(|word| &**word == "bulk");
        let known = self.now.and_then(|now| self.known.get(&self.steps[now].pc)?.ptx.as_ref());
        let counted = !known.is_some_and(is_bulk);
        let Some(step) = self.step() else { return };
        let lane = copy.lane as usize;
        let sides = [
            (AccessKind::Load, Space::Global, copy.from, copy.read > 0),
            (AccessKind::Store, Space::Shared, copy.to, true),
        ];
        for (kind, space, address, _) in sides.into_iter().filter(|(.., part)| *part) {
            let same = |seen: &&mut Seen| seen.space == space && seen.bytes == copy.bytes;
            let seen = match step.accesses.iter_mut().find(same) {
                Some(seen) => seen,
                None => {
                    let bytes = copy.bytes;
                    step.accesses.push(Seen { kind, space, bytes, mask: 0, addresses: [0; 32], counted });
                    step.accesses.last_mut().expect("just added")
                }
            };
            seen.mask |= 1 << lane;
            seen.addresses[lane] = address;
        }
    }

    fn arrives(&mut self, at: &Instruction<'_>, barrier: &Barrier) {
        let key = (at.block().number(), barrier.id);
        if !self.clocks.contains_key(&(key.0, at.warp())) {
            return;
        }
        let time = self.clocks.get(&(key.0, at.warp())).map_or(0, |clock| clock.now);
        let here = self.arrived.entry(key).or_default();
        here.push(Comer { time, warp: at.warp(), step: self.now, waits: barrier.waits });
        let here = warps_of(here);
        let of = self.clocks.iter().filter(|((block, _), clock)| *block == key.0 && !clock.ended).count();
        if let Some(step) = self.step() {
            step.barrier = Some(Arrival { id: barrier.id, here, of, waits: barrier.waits, last: false });
        }
    }

    fn barrier_completes(&mut self, block: &Block<'_>, id: u32) {
        let Some(mut arrivals) = self.arrived.remove(&(block.number(), id)) else { return };
        // The emulator runs one warp after the other; in the record they arrive by their clocks.
        arrivals.sort_unstable();
        let (of, latest) = (warps_of(&arrivals), arrivals.last().map_or(0, |comer| comer.time));
        for (at, &Comer { warp, step, waits, .. }) in arrivals.iter().enumerate() {
            let here = warps_of(&arrivals[..=at]);
            if let Some(arrival) = step.and_then(|step| self.steps[step].barrier.as_mut()) {
                *arrival = Arrival { here, of, last: at + 1 == arrivals.len(), ..*arrival };
            }
            let clock = self.clocks.get_mut(&(block.number(), warp));
            if let Some(clock) = clock.filter(|clock| waits && clock.passed < latest) {
                (clock.now, clock.passed, clock.phase) = (latest, latest, clock.phase + 1);
            }
        }
    }

    fn diverges(&mut self) {
        if let Some(step) = self.step() {
            step.diverges = true;
        }
    }

    fn exits(&mut self, at: &Instruction<'_>) {
        if let Some(clock) = self.clocks.get_mut(&(at.block().number(), at.warp())) {
            clock.ended = at.live() & !at.mask() == 0;
        }
    }
}

/// How many warps there are among arrivals.
fn warps_of(arrivals: &[Comer]) -> usize {
    arrivals.iter().map(|comer| comer.warp).collect::<BTreeSet<_>>().len()
}
