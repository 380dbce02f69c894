//! The recorded blocks, made ready for a replay: instructions with their costs, in the order of machine code.

use crate::assembled::{self, Assembled};
use crate::cache::BuildSectorHasher;
use crate::code::{Code, Cost, Kind, Pipe};
use crate::machine::Rates;
use crate::schedule::{Order, UNROLLED, orders};
use crate::{spin, uniform};
use std::collections::HashMap;
use warpwise_arch::{RecordedAccess, RecordedStep, RecordedWarp, Recording};
use warpwise_ptx::LineIndex;
use warpwise_ptx::ast::Module;

/// Marks a sector that several of the recorded blocks touch: a block that is replayed again finds it again, while its
/// own sectors are those of another block then.
pub(crate) const COMMON: u64 = 1 << 63;

/// What a replay reads.
pub(crate) struct Prepared {
    /// By place.
    pub(crate) costs: Vec<Cost>,
    /// Warps of each recorded block.
    pub(crate) blocks: Vec<Vec<RecordedWarp>>,
    pub(crate) accesses: Vec<RecordedAccess>,
    pub(crate) sectors: Vec<u64>,
    pub(crate) registers: usize,
}

impl Prepared {
    /// Whether it waits for other blocks.
    pub(crate) fn waits(&self) -> bool {
        self.costs.iter().any(|cost| cost.kind == Kind::Access && cost.waits)
    }

    /// Lanes that look at once whether other blocks have written something, at most.
    pub(crate) fn lookers(&self) -> u32 {
        let steps = self.blocks.iter().flatten().flat_map(|warp| &warp.steps);
        let looks = steps.filter(|step| self.costs[step.place as usize].waits);
        looks.map(|step| step.mask.count_ones()).max().unwrap_or(0)
    }

    /// Lets warps pass barriers without waiting.
    pub(crate) fn pass_barriers(&mut self) {
        for cost in self.costs.iter_mut().filter(|cost| cost.kind == Kind::Barrier) {
            cost.kind = Kind::Compute;
        }
    }

    /// Lets warps exchange values without barriers: each by a shuffle instead of a store and a load.
    pub(crate) fn exchange(&mut self) {
        for cost in self.costs.iter_mut().filter(|cost| cost.kind == Kind::Barrier || cost.shares) {
            (cost.kind, cost.pipe, cost.slots, cost.uses_of_pipe) = (Kind::Compute, Pipe::Free, 0.0, 0.0);
        }
    }

    /// Lets a share of the operands and results lie in local memory.
    pub(crate) fn spill(&mut self, share: f64) {
        for cost in self.costs.iter_mut().filter(|cost| cost.slots > 0.0) {
            cost.spills = share * (cost.uses.len() + cost.defines.len()) as f64;
        }
    }

    /// Lets arrays of a thread's own lie in registers.
    pub(crate) fn keep_arrays(&mut self) {
        for cost in self.costs.iter_mut().filter(|cost| cost.local) {
            (cost.kind, cost.pipe, cost.slots, cost.uses_of_pipe) = (Kind::Compute, Pipe::Free, 0.0, 0.0);
        }
    }

    /// Lets every lane do its own atomics.
    pub(crate) fn part_atomics(&mut self) {
        self.costs.iter_mut().for_each(uniform::part);
    }
}

/// Where a place is in the code: function, instruction.
type Spot = (usize, usize);

impl Prepared {
    /// Reads what was recorded. `counted`: machine instructions that a note in the PTX counts are those of the GPU.
    pub(crate) fn new(recording: &Recording, module: &Module, ptx: &str, rates: &Rates, counted: bool) -> Self {
        let lines = LineIndex::new(ptx);
        let mut functions: Vec<(&str, Code, Vec<Order>)> = Vec::new();
        // The instructions of each line.
        let mut on_line: HashMap<(usize, u32), Vec<usize>> = HashMap::new();
        let mut spots: Vec<Option<Spot>> = Vec::new();
        for place in &recording.places {
            let known = functions.iter().position(|(name, ..)| **name == *place.function);
            let number = known.or_else(|| {
                let function = module.function(&place.function)?;
                let mut code = Code::new(function);
                code.keep_apart(function, ptx);
                if let Some(assembled) = Assembled::noted(ptx, &place.function).filter(|_| counted) {
                    assembled::take(&mut code, &assembled.pieces);
                }
                let orders = orders(&code, rates);
                let number = functions.len();
                for (at, instruction) in function.body.iter().flat_map(|b| b.instructions.iter().enumerate()) {
                    let line = lines.line_column(instruction.span.start).0;
                    on_line.entry((number, line)).or_default().push(at);
                }
                functions.push((&place.function, code, orders));
                Some(number)
            });
            let spot = number.and_then(|number| {
                let all = on_line.get(&(number, place.ptx_line))?;
                Some((number, *all.get(place.nth as usize).or(all.last())?))
            });
            spots.push(spot);
        }
        // Registers of all functions, one after the other.
        let mut bases = Vec::new();
        let mut registers = 0;
        for (_, code, _) in &functions {
            bases.push(registers);
            registers += code.registers;
        }
        let cost_at = |spot: &Option<Spot>| match spot {
            None => unknown(),
            Some((function, at)) => {
                let mut cost = functions[*function].1.costs[*at].clone();
                let base = bases[*function] as u32;
                cost.defines.iter_mut().chain(&mut cost.uses).for_each(|r| *r += base);
                cost
            }
        };
        let mut costs: Vec<Cost> = spots.iter().map(cost_at).collect();
        let skips = Skips::new(&mut costs, &mut spots);
        let reorder = Reorder::new(&functions, &spots);
        let waits = costs.iter().any(|cost| cost.waits);
        let of_warp = |warp: &RecordedWarp| {
            let executed = warp.executed.max(warp.steps.len() as u64);
            let steps = skips.steps(&warp.steps, &spots);
            if !waits {
                return RecordedWarp { steps: reorder.steps(&steps), executed };
            }
            let steps = spin::once(&steps, &costs, recording);
            // What was not recorded waits as much as what was.
            let executed = executed * steps.len() as u64 / warp.steps.len().max(1) as u64;
            RecordedWarp { steps: reorder.steps(&steps), executed }
        };
        let blocks = recording.recorded.iter().map(|b| b.warps.iter().map(of_warp).collect()).collect();
        Self {
            costs,
            blocks,
            accesses: recording.accesses.clone(),
            sectors: marked(recording),
            registers: registers.max(1),
        }
    }
}

/// Predicated parts that no lane executes: they cost as much as those that some do.
struct Skips {
    /// For each place of a jump that is none, a place with the cost of the part.
    instead: HashMap<u32, u32>,
}

impl Skips {
    /// Adds the places.
    fn new(costs: &mut Vec<Cost>, spots: &mut Vec<Option<Spot>>) -> Self {
        let mut instead = HashMap::new();
        for place in (0..costs.len()).filter(|&place| costs[place].skips > 0.0).collect::<Vec<_>>() {
            instead.insert(place as u32, costs.len() as u32);
            costs.push(Cost { slots: costs[place].skips, ..costs[place].clone() });
            spots.push(spots[place]);
        }
        Self { instead }
    }

    /// Steps whose predicated parts are all there.
    fn steps(&self, steps: &[RecordedStep], spots: &[Option<Spot>]) -> Vec<RecordedStep> {
        let mut steps = steps.to_vec();
        if !self.instead.is_empty() {
            for at in 1..steps.len() {
                let (before, next) = (spots[steps[at - 1].place as usize], spots[steps[at].place as usize]);
                let follows = before.is_some_and(|(function, at)| next == Some((function, at + 1)));
                if let (Some(&place), false) = (self.instead.get(&steps[at - 1].place), follows) {
                    steps[at - 1].place = place;
                }
            }
        }
        steps
    }
}

/// The numbers of the sectors, with [`COMMON`] in those that several blocks touch.
fn marked(recording: &Recording) -> Vec<u64> {
    const SEVERAL: usize = usize::MAX;
    let mut toucher: HashMap<u64, usize, BuildSectorHasher> = HashMap::default();
    for (block, warps) in recording.recorded.iter().map(|b| &b.warps).enumerate() {
        for step in warps.iter().flat_map(|w| &w.steps).filter(|s| s.access != u32::MAX) {
            let access = &recording.accesses[step.access as usize];
            let from = access.first as usize;
            for sector in &recording.sectors[from..from + usize::from(access.sectors)] {
                let first = toucher.entry(*sector).or_insert(block);
                if *first != block {
                    *first = SEVERAL;
                }
            }
        }
    }
    let common = |sector: &u64| toucher.get(sector) == Some(&SEVERAL);
    recording.sectors.iter().map(|sector| if common(sector) { sector | COMMON } else { *sector }).collect()
}

/// An instruction that is not found in the text.
fn unknown() -> Cost {
    Cost {
        kind: Kind::Compute,
        pipe: Pipe::Int,
        slots: 1.0,
        uses_of_pipe: 1.0,
        depth: 1.0,
        cached: true,
        read_only: false,
        defines: Vec::new(),
        uses: Vec::new(),
        retries: false,
        float_atomic: false,
        gathered: false,
        compares: false,
        matrix: false,
        serial: false,
        spills: 0.0,
        skips: 0.0,
        local: false,
        shares: false,
        polls: false,
        waits: false,
        tells: false,
        links: false,
    }
}

/// Puts steps into the order in which the assembler issues them.
struct Reorder {
    /// By place: its piece (function and number), and its number in it.
    piece_of: Vec<Option<(usize, usize)>>,
    /// Orders of all pieces.
    orders: Vec<Order>,
}

impl Reorder {
    fn new(functions: &[(&str, Code, Vec<Order>)], spots: &[Option<Spot>]) -> Self {
        let mut first_piece = Vec::new();
        let mut orders = Vec::new();
        for (_, _, own) in functions {
            first_piece.push(orders.len());
            orders.extend(own.iter().cloned());
        }
        let piece = |spot: &Option<Spot>| {
            let (function, at) = (*spot)?;
            let pieces = &functions[function].1.pieces;
            let number = pieces.partition_point(|&(_, to)| to <= at);
            Some((first_piece[function] + number, at - pieces.get(number)?.0))
        };
        Self { piece_of: spots.iter().map(piece).collect(), orders }
    }

    fn steps(&self, steps: &[RecordedStep]) -> Vec<RecordedStep> {
        let mut out = Vec::with_capacity(steps.len());
        let mut at = 0;
        while at < steps.len() {
            let piece = self.piece_of[steps[at].place as usize];
            let Some((piece, 0)) = piece else {
                out.push(steps[at]);
                at += 1;
                continue;
            };
            let order = &self.orders[piece];
            let count = order.once.len().max(1);
            let whole = |from: usize| {
                let is = |k: usize| {
                    let step = steps.get(from + k);
                    step.is_some_and(|s| self.piece_of[s.place as usize] == Some((piece, k)))
                };
                (0..count).all(is)
            };
            if !whole(at) {
                out.push(steps[at]);
                at += 1;
                continue;
            }
            match &order.rounds {
                Some(rounds) if (1..UNROLLED).all(|round| whole(at + round * count)) => {
                    out.extend(rounds.iter().map(|&k| steps[at + k]));
                    at += UNROLLED * count;
                }
                _ => {
                    out.extend(order.once.iter().map(|&k| steps[at + k]));
                    at += count;
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_predicated_part_costs_as_much_where_it_is_left_out() {
        let mut costs = vec![Cost { skips: 5.0, slots: 0.0, ..unknown() }, unknown(), unknown()];
        let mut spots: Vec<Option<Spot>> = (0..3).map(|at| Some((0, at))).collect();
        let skips = Skips::new(&mut costs, &mut spots);
        assert_eq!((costs.len(), costs[3].slots, spots[3]), (4, 5.0, Some((0, 0))));
        let places = |places: &[u32]| -> Vec<u32> {
            let steps: Vec<RecordedStep> =
                places.iter().map(|&place| RecordedStep { place, mask: u32::MAX, access: u32::MAX }).collect();
            skips.steps(&steps, &spots).iter().map(|step| step.place).collect()
        };
        assert_eq!(places(&[0, 1, 2]), [0, 1, 2]);
        assert_eq!(places(&[0, 2, 0, 1]), [3, 2, 0, 1]);
    }

    #[test]
    fn arrays_in_registers_cost_nothing() {
        let text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<3>;\n\
                    .local .align 4 .b8 own[8];\nst.local.u32 [own+4], %r1;\nld.local.u32 %r2, [own];\nret;\n}\n";
        let module = warpwise_ptx::parse(text).expect("valid");
        let costs = Code::new(module.function("k").expect("the kernel")).costs;
        let (blocks, accesses, sectors) = (Vec::new(), Vec::new(), Vec::new());
        let mut prepared = Prepared { costs, blocks, accesses, sectors, registers: 3 };
        let slots = |prepared: &Prepared| prepared.costs.iter().map(|cost| cost.slots).collect::<Vec<_>>();
        assert_eq!(slots(&prepared), [1.0, 1.0, 1.0]);
        prepared.keep_arrays();
        assert_eq!(slots(&prepared), [0.0, 0.0, 1.0]);
    }
}
