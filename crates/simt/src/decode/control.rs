//! Branches, barriers, fences and ends.

use warpwise_ptx::ast::{Instruction, Operand, ScalarType, Symbol};

use super::lowering::{Lowering, nothing, op};
use super::modifiers::Modifiers;
use crate::lanes::control::{self, BarrierKind};
use crate::lanes::{Op, cluster, collective};
use crate::warp::Reduction;

pub(super) fn decode(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    Some(match &*i.opcode {
        "bra" => {
            let Operand::Label(label) = i.operands.first()? else { return None };
            let target = cx.start + cx.body.labels.get(label.0 as usize)?.target;
            Op { imm: i64::from(target), ..op(control::branch, 0, &[]) }
        }
        "brx" => {
            let [index, Operand::Symbol(Symbol::BranchTargets(at), 0)] = &i.operands[..] else { return None };
            let a = cx.src(index, ScalarType::U32)?;
            let body = cx.body;
            let table = body.branch_targets.get(*at as usize)?;
            let start = cx.start;
            let target = |id: &warpwise_ptx::ast::LabelId| body.labels.get(id.0 as usize).map(|l| start + l.target);
            let targets = table.labels.iter().map(target).collect::<Option<Vec<_>>>()?;
            let aux = cx.parts.branch_tables.len() as u32;
            cx.parts.branch_tables.push(targets);
            Op { aux, ..op(control::branch_indexed, 0, &[a]) }
        }
        "ret" => op(control::ret, 0, &[]),
        "exit" => op(control::exit, 0, &[]),
        "trap" => op(control::trap, 0, &[]),
        "membar" | "fence" => op(control::memory_fence, 0, &[]),
        "nanosleep" => op(control::sleep, 0, &[]),
        "brkpt" | "pmevent" | "setmaxnreg" | "griddepcontrol" => nothing(),
        "bar" | "barrier" => return barrier(cx, i, m),
        _ => return None,
    })
}

fn barrier(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    if m.has("warp") {
        let aux = cx.src(i.operands.first()?, ScalarType::B32)?;
        return Some(Op { aux, ..op(collective::sync_warp, 0, &[]) });
    }
    if m.has("cluster") {
        let wait = m.has("wait").then(|| op(cluster::cluster_wait, 0, &[]));
        return wait.or_else(|| m.has("arrive").then(|| op(cluster::cluster_arrive, 0, &[])));
    }
    let mut kind = BarrierKind { arrive: m.has("arrive"), ..Default::default() };
    let mut operands = &i.operands[..];
    let mut d = 0;
    if m.has("red") {
        kind.reduction = Some(match m.one_of(&["popc", "and", "or"])? {
            "popc" => Reduction::Popc,
            "and" => Reduction::And,
            _ => Reduction::Or,
        });
        let (first, rest) = operands.split_first()?;
        d = if kind.reduction == Some(Reduction::Popc) { cx.dst(first, 4)? } else { cx.pred_dst(first)? };
        operands = rest;
    }
    let mut c = 0;
    if kind.reduction.is_some() {
        let (last, rest) = operands.split_last()?;
        let (slot, negated) = cx.pred(last)?;
        (c, kind.negated) = (slot, negated);
        operands = rest;
    }
    let a = cx.src(operands.first()?, ScalarType::U32)?;
    let b = match operands.get(1) {
        Some(count) => {
            kind.counted = true;
            cx.src(count, ScalarType::U32)?
        }
        None => cx.number(0, 4),
    };
    Some(Op { aux: kind.pack(), ..op(control::barrier, d, &[a, b, c]) })
}
