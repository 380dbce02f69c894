//! Control flow: where diverging lanes meet again.
//!
//! The meeting point of a branch is its immediate post-dominator, found with the iterative algorithm of Cooper, Harvey
//! and Kennedy on the reversed graph. Paths that end in `exit` or `trap`, and in a kernel every `ret` but the last, do
//! not count: lanes that end are removed, and the others should still meet.

use warpwise_ptx::ast::{Body, Instruction, Operand, Symbol};

/// Where the lanes of a branch meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meet {
    /// At that instruction of the function.
    Instruction(u32),
    /// When the function returns.
    Return,
}

/// A basic block: instructions `start..end` and the blocks that can follow.
struct Block {
    start: u32,
    end: u32,
    next: Vec<usize>,
}

/// The targets of a branch instruction.
fn targets(body: &Body, i: &Instruction) -> Vec<u32> {
    let label = |id: &warpwise_ptx::ast::LabelId| body.labels.get(id.0 as usize).map(|l| l.target);
    i.operands
        .iter()
        .flat_map(|operand| match operand {
            Operand::Label(id) => label(id).into_iter().collect(),
            Operand::Symbol(Symbol::BranchTargets(at), _) => body
                .branch_targets
                .get(*at as usize)
                .map(|table| table.labels.iter().filter_map(label).collect())
                .unwrap_or_default(),
            _ => Vec::new(),
        })
        .collect()
}

fn is_branch(i: &Instruction) -> bool {
    matches!(&*i.opcode, "bra" | "brx")
}

/// Ends a path when it has no guard.
fn is_end(i: &Instruction) -> bool {
    matches!(&*i.opcode, "ret" | "exit" | "trap")
}

/// For each instruction, the place where lanes that diverge there meet; only meaningful at branches.
pub(super) fn reconvergence(body: &Body, kernel: bool) -> Vec<Meet> {
    let count = body.instructions.len() as u32;
    let blocks = blocks(body, count, kernel);
    let exit = blocks.len();
    let dominators = post_dominators(&blocks, exit);
    let mut meets = vec![Meet::Return; count as usize];
    for (at, block) in blocks.iter().enumerate() {
        let Some(last) = block.end.checked_sub(1) else { continue };
        let meet = match dominators[at] {
            Some(other) if other != exit => Meet::Instruction(blocks[other].start),
            _ => Meet::Return,
        };
        if last < count {
            meets[last as usize] = meet;
        }
    }
    meets
}

/// Splits a body into blocks. The position one past the last instruction is the implicit return, a block of its own.
fn blocks(body: &Body, count: u32, kernel: bool) -> Vec<Block> {
    let mut leaders = vec![false; count as usize + 1];
    leaders[0] = true;
    leaders[count as usize] = true;
    for label in &body.labels {
        leaders[(label.target.min(count)) as usize] = true;
    }
    for (at, i) in body.instructions.iter().enumerate() {
        if is_branch(i) || is_end(i) {
            leaders[at + 1] = true;
        }
    }
    let starts: Vec<u32> = (0..=count).filter(|&at| leaders[at as usize]).collect();
    let block_of = |at: u32| starts.partition_point(|&s| s <= at) - 1;
    let last_return =
        body.instructions.iter().rposition(|i| &*i.opcode == "ret" && i.guard.is_none()).map(|at| at as u32);
    let exit = starts.len();
    let mut blocks = Vec::with_capacity(starts.len());
    for (at, &start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).copied().unwrap_or(count + 1);
        let mut next = Vec::new();
        match body.instructions.get(end as usize - 1) {
            // The implicit return at the end of the body.
            None => {
                if last_return.is_none() || !kernel {
                    next.push(exit);
                }
            }
            Some(i) if is_branch(i) => {
                next.extend(targets(body, i).into_iter().map(|t| block_of(t.min(count))));
                if i.guard.is_some() {
                    next.push(block_of(end));
                }
            }
            Some(i) if is_end(i) => {
                let counts = &*i.opcode == "ret" && (!kernel || last_return == Some(end - 1));
                if counts {
                    next.push(exit);
                }
                if i.guard.is_some() {
                    next.push(block_of(end));
                }
            }
            Some(_) => next.push(block_of(end)),
        }
        next.sort_unstable();
        next.dedup();
        blocks.push(Block { start, end, next });
    }
    blocks
}

/// The immediate post-dominator of each block; `None` if the exit cannot be reached.
fn post_dominators(blocks: &[Block], exit: usize) -> Vec<Option<usize>> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); exit + 1];
    for (at, block) in blocks.iter().enumerate() {
        for &next in &block.next {
            before[next].push(at);
        }
    }
    // Postorder of the reversed graph, without recursion.
    let mut order = Vec::with_capacity(exit + 1);
    let mut number = vec![usize::MAX; exit + 1];
    let mut seen = vec![false; exit + 1];
    let mut stack = vec![(exit, 0)];
    seen[exit] = true;
    while let Some((node, edge)) = stack.pop() {
        match before[node].get(edge) {
            Some(&other) => {
                stack.push((node, edge + 1));
                if !seen[other] {
                    seen[other] = true;
                    stack.push((other, 0));
                }
            }
            None => {
                number[node] = order.len();
                order.push(node);
            }
        }
    }
    let mut dominator: Vec<Option<usize>> = vec![None; exit + 1];
    dominator[exit] = Some(exit);
    let mut changed = true;
    while changed {
        changed = false;
        for &node in order.iter().rev().filter(|&&n| n != exit) {
            let mut new: Option<usize> = None;
            for &next in blocks[node].next.iter().filter(|&&n| dominator[n].is_some()) {
                new = Some(match new {
                    None => next,
                    Some(other) => intersect(&dominator, &number, next, other),
                });
            }
            if new != dominator[node] {
                dominator[node] = new;
                changed = true;
            }
        }
    }
    dominator
}

/// The first common post-dominator of two blocks.
fn intersect(dominator: &[Option<usize>], number: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while number[a] < number[b] {
            a = dominator[a].unwrap_or(b);
        }
        while number[b] < number[a] {
            b = dominator[b].unwrap_or(a);
        }
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meets(code: &str, kernel: bool) -> Vec<Meet> {
        let head = if kernel { ".visible .entry k()" } else { ".func f()" };
        let text = format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n{head}\n{{\n.reg .pred %p<4>;\n.reg .b32 %r<4>;\n{code}\n}}\n"
        );
        let module = warpwise_ptx::parse(&text).expect("valid PTX");
        let body = module.functions[0].body.as_ref().expect("has a body");
        reconvergence(body, kernel)
    }

    #[test]
    fn if_meets_after_it() {
        let m = meets("@%p1 bra A; mov.u32 %r1, 1; A: mov.u32 %r2, 2; ret;", true);
        assert_eq!(m[0], Meet::Instruction(2));
    }

    #[test]
    fn if_else_meets_after_both() {
        let m = meets("@%p1 bra A; mov.u32 %r1, 1; bra B; A: mov.u32 %r1, 2; B: ret;", true);
        assert_eq!(m[0], Meet::Instruction(4));
    }

    #[test]
    fn loop_meets_behind_it() {
        let m = meets("L: mov.u32 %r1, 1; @%p1 bra L; mov.u32 %r1, 2; ret;", true);
        assert_eq!(m[1], Meet::Instruction(2));
    }

    #[test]
    fn early_exits_do_not_keep_the_others_apart() {
        let code = "@%p1 bra A; @%p2 bra B; mov.u32 %r1, 1; ret; B: mov.u32 %r1, 2; A: mov.u32 %r1, 3; ret;";
        let m = meets(code, true);
        assert_eq!(m[0], Meet::Instruction(5));
        assert_eq!(m[1], Meet::Instruction(4));
        // In a device function both returns count.
        assert_eq!(meets(code, false)[0], Meet::Return);
    }

    #[test]
    fn endless_loops_have_no_meeting_point() {
        let m = meets("@%p1 bra L; ret; L: bra L;", true);
        assert_eq!(m[0], Meet::Instruction(1));
        assert_eq!(m[2], Meet::Return);
    }
}
