//! The order in which the assembler puts the instructions of a piece of code: those that others wait for longest first,
//! so that loads come early and stand together. PTX has them in the order of the source.

use crate::code::{Code, Cost, Kind, Pipe};
use crate::machine::Rates;
use std::collections::HashMap;

/// Loads that are begun before any of their results is needed: registers hold what they bring.
const TOGETHER: usize = 24;
/// Pieces with more instructions stay as they are.
const LONGEST: usize = 4096;

/// About how long a result takes.
fn latency(cost: &Cost, rates: &Rates) -> f64 {
    match (cost.kind, cost.pipe) {
        (Kind::Access, _) => {
            if cost.defines.is_empty() {
                1.0
            } else {
                rates.l2
            }
        }
        (Kind::Exchange, _) => rates.exchange,
        (_, Pipe::Fp64) => rates.double * cost.depth,
        (_, Pipe::Special) => rates.function * cost.depth,
        (_, Pipe::Tensor) => rates.matrix,
        _ => rates.alu * cost.depth,
    }
}

/// For each piece, its instructions in the order in which they are issued.
pub(crate) fn orders(code: &Code, rates: &Rates) -> Vec<Vec<usize>> {
    code.pieces.iter().map(|&(from, to)| order(&code.costs[from..to], rates)).collect()
}

/// What may not change places with what.
fn dependences(costs: &[Cost]) -> Vec<Vec<usize>> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); costs.len()];
    let mut written: HashMap<u32, usize> = HashMap::new();
    let mut read: HashMap<u32, Vec<usize>> = HashMap::new();
    let (mut last_store, mut loads): (Option<usize>, Vec<usize>) = (None, Vec::new());
    for (at, cost) in costs.iter().enumerate() {
        for register in &cost.uses {
            before[at].extend(written.get(register));
        }
        for register in &cost.defines {
            before[at].extend(written.get(register));
            before[at].extend(read.get(register).into_iter().flatten());
        }
        for register in &cost.uses {
            read.entry(*register).or_default().push(at);
        }
        for register in &cost.defines {
            written.insert(*register, at);
            read.remove(register);
        }
        let orders = matches!(cost.kind, Kind::Barrier | Kind::Fence | Kind::CopyWait | Kind::Jump);
        let touches = cost.kind == Kind::Access && !cost.read_only;
        let writes = touches && (cost.defines.is_empty() || !cost.cached);
        if orders || writes {
            before[at].extend(last_store);
            before[at].append(&mut loads);
            last_store = Some(at);
        } else if touches {
            before[at].extend(last_store);
            loads.push(at);
        }
    }
    before
}

fn order(costs: &[Cost], rates: &Rates) -> Vec<usize> {
    let count = costs.len();
    if count > LONGEST {
        return (0..count).collect();
    }
    let before = dependences(costs);
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut missing: Vec<usize> = vec![0; count];
    for (at, list) in before.iter().enumerate() {
        for &earlier in list {
            after[earlier].push(at);
            missing[at] += 1;
        }
    }
    // The longest way from an instruction to the end of the piece.
    let mut height = vec![0.0f64; count];
    for at in (0..count).rev() {
        let rest = after[at].iter().map(|&next| height[next]).fold(0.0, f64::max);
        height[at] = rest + latency(&costs[at], rates);
    }
    let mut ready: Vec<usize> = (0..count).filter(|&at| missing[at] == 0).collect();
    let mut order = Vec::with_capacity(count);
    let mut in_flight = 0usize;
    while !ready.is_empty() {
        let is_load = |at: usize| costs[at].kind == Kind::Access && !costs[at].defines.is_empty();
        let value = |at: usize| {
            let held = is_load(at) && in_flight >= TOGETHER;
            (if held { 0.0 } else { height[at] }, std::cmp::Reverse(at))
        };
        let best = (0..ready.len()).max_by(|&a, &b| {
            let (a, b) = (value(ready[a]), value(ready[b]));
            a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
        });
        let at = ready.swap_remove(best.unwrap_or(0));
        if is_load(at) {
            in_flight += 1;
        } else if before[at].iter().any(|&source| is_load(source)) {
            in_flight = in_flight.saturating_sub(1);
        }
        for &next in &after[at] {
            missing[next] -= 1;
            if missing[next] == 0 {
                ready.push(next);
            }
        }
        order.push(at);
    }
    // The jump stays last.
    if let Some(jump) = order.iter().position(|&at| costs[at].kind == Kind::Jump) {
        let jump = order.remove(jump);
        order.push(jump);
    }
    order
}
