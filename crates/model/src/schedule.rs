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

/// Rounds of a short loop that the assembler puts together.
pub(crate) const UNROLLED: usize = 4;
/// Instructions of a loop that is short.
const SHORT: usize = 20;
/// Loads of a loop that has not been put together before.
const FEW: usize = 3;

/// How the instructions of a piece are issued.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// Once.
    pub(crate) once: Vec<usize>,
    /// If the piece is a loop: [`UNROLLED`] rounds of it together; none if they stay apart.
    pub(crate) rounds: Option<Vec<usize>>,
}

/// For each piece, its instructions in the order in which they are issued.
pub(crate) fn orders(code: &Code, rates: &Rates) -> Vec<Order> {
    let piece = |&(from, to): &(usize, usize)| {
        let costs = &code.costs[from..to];
        let rounds = if code.apart.contains(&from) { None } else { rounds(costs, rates) };
        Order { once: order(costs, rates, true), rounds }
    };
    code.pieces.iter().map(piece).collect()
}

/// Rounds of a short loop that loads: the loads of all of them come first. Each round has registers of its own, so that
/// only what a round needs of the one before it keeps them apart.
fn rounds(costs: &[Cost], rates: &Rates) -> Option<Vec<usize>> {
    let loads = |c: &Cost| c.kind == Kind::Access && !c.defines.is_empty() && c.cached;
    let stays = |c: &Cost| {
        matches!(c.kind, Kind::Barrier | Kind::Fence | Kind::CopyWait) || c.kind == Kind::Access && !loads(c)
    };
    let count = costs.iter().filter(|c| loads(c)).count();
    if costs.len() > SHORT || !(1..=FEW).contains(&count) || costs.iter().any(stays) {
        return None;
    }
    let mut all: Vec<Cost> = Vec::new();
    for _ in 0..UNROLLED {
        all.extend(costs.iter().cloned());
    }
    for cost in all.iter_mut().filter(|cost| cost.kind == Kind::Jump) {
        // Only the last jump is left of them.
        cost.kind = Kind::Compute;
    }
    Some(order(&all, rates, false))
}

/// What may not change places with what. With `names`, a register is not written again before it was read.
fn dependences(costs: &[Cost], names: bool) -> Vec<Vec<usize>> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); costs.len()];
    let mut written: HashMap<u32, usize> = HashMap::new();
    let mut read: HashMap<u32, Vec<usize>> = HashMap::new();
    let (mut last_store, mut loads): (Option<usize>, Vec<usize>) = (None, Vec::new());
    for (at, cost) in costs.iter().enumerate() {
        for register in &cost.uses {
            before[at].extend(written.get(register));
        }
        for register in cost.defines.iter().filter(|_| names) {
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

fn order(costs: &[Cost], rates: &Rates, names: bool) -> Vec<usize> {
    let count = costs.len();
    if count > LONGEST {
        return (0..count).collect();
    }
    let before = dependences(costs, names);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn code(body: &str) -> Code {
        let text = format!(
            ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
             .reg .pred %p<4>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.reg .f32 %f<20>;\n{body}\n}}\n"
        );
        let module = warpwise_ptx::parse(&text).expect("valid");
        Code::new(module.function("k").expect("the kernel"))
    }

    #[test]
    fn loads_come_before_what_waits_for_them() {
        let body = "ld.global.f32 %f1, [%rd1];\nadd.f32 %f9, %f9, %f1;\nld.global.f32 %f2, [%rd1+4];\n\
                    add.f32 %f9, %f9, %f2;\nret;";
        let orders = orders(&code(body), &Rates::default());
        assert_eq!(orders[0].once, [0, 2, 1, 3, 4]);
    }

    #[test]
    fn loads_do_not_pass_stores_and_the_jump_stays_last() {
        let body = "st.global.f32 [%rd2], %f3;\nld.global.f32 %f1, [%rd1];\nadd.f32 %f9, %f9, %f1;\nret;";
        let orders = orders(&code(body), &Rates::default());
        assert_eq!(orders[0].once, [0, 1, 2, 3]);
    }

    #[test]
    fn rounds_of_a_short_loop_load_together() {
        let body = "L:\nld.global.f32 %f1, [%rd1];\nadd.f32 %f9, %f9, %f1;\nadd.s64 %rd1, %rd1, 4;\nadd.u32 %r1, %r1, 1;\n\
                    setp.lt.u32 %p1, %r1, %r2;\n@%p1 bra L;\nret;";
        let orders = orders(&code(body), &Rates::default());
        let rounds = orders[0].rounds.as_ref().expect("a short loop");
        let at = |step: usize| rounds.iter().position(|&k| k == step).expect("every step");
        assert_eq!(rounds.len(), 24);
        assert!(at(18) < at(1), "the last load comes before the first sum: {rounds:?}");
    }
}
