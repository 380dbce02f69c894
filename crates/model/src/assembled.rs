//! What the assembler makes of a kernel, where its PTX says so, at the end of the kernel's body:
//! `// sm_90: 28 registers, 0 bytes of stack, 12 5 33 instructions`. The library's own kernels have such notes from when
//! their PTX was made; those of users get them where there is an assembler ([`crate::Assembler`]).
//!
//! The last numbers are machine instructions that an execution of each piece of the code takes: the assembler's table of
//! lines says how many each line of PTX became. The assembler puts several rounds of a loop together, so that a loop is
//! there several times: what cannot become less, an access or an exchange, tells how often.

use crate::code::{Code, Cost, Kind, Pipe};
use crate::spin;
use std::collections::BTreeMap;
use warpwise_arch::Recording;
use warpwise_ptx::LineIndex;
use warpwise_ptx::ast::{Body, Function, Module};

/// What a thread of a kernel takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assembled {
    pub(crate) registers: u32,
    /// Bytes of local memory; none if the arrays of a thread lie in registers.
    pub(crate) stack: u32,
    /// Machine instructions of each piece of the code, small programs that divide left out; none if that is not known.
    pub(crate) pieces: Vec<u32>,
}

impl Assembled {
    /// The note of the kernel that was recorded, if there is one.
    pub(crate) fn of(recording: &Recording, ptx: &str) -> Option<Self> {
        let mut names: Vec<&str> = recording.places.iter().map(|place| &*place.function).collect();
        names.dedup();
        names.into_iter().find_map(|name| Self::noted(ptx, name))
    }

    /// The note of a kernel.
    pub(crate) fn noted(ptx: &str, name: &str) -> Option<Self> {
        let begin = ptx.find(&format!(".entry {name}("))?;
        let body = &ptx[begin..];
        let body = &body[..body.find("\n}")?];
        let (_, note) = body.rsplit_once('\n')?.1.rsplit_once("// sm_")?.1.split_once(": ")?;
        let (registers, rest) = note.split_once(" registers, ")?;
        let (stack, rest) = rest.split_once(" bytes of stack")?;
        let pieces = rest.strip_prefix(", ").and_then(|rest| rest.strip_suffix(" instructions")).unwrap_or_default();
        let pieces = pieces.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
        Some(Self { registers: registers.parse().ok()?, stack: stack.parse().ok()?, pieces })
    }

    /// The note, for machine code such as `sm_90`.
    pub(crate) fn note(&self, machine: &str) -> String {
        let mut note = format!("// {machine}: {} registers, {} bytes of stack", self.registers, self.stack);
        if !self.pieces.is_empty() {
            let pieces: Vec<String> = self.pieces.iter().map(u32::to_string).collect();
            note.push_str(&format!(", {} instructions", pieces.join(" ")));
        }
        note
    }
}

/// For each function of a module, by name: machine instructions of its pieces. `lines` has those of each line of the text.
pub(crate) fn pieces(module: &Module, ptx: &str, lines: &BTreeMap<u32, u32>) -> BTreeMap<String, Vec<u32>> {
    let index = LineIndex::new(ptx);
    let functions: Vec<(&str, &Body)> =
        module.functions.iter().filter_map(|function| Some((&*function.name, function.body.as_ref()?))).collect();
    // What comes from a line without an instruction, such as the brace before the first one, is the next one's.
    let mut places: Vec<(u32, usize, usize)> = Vec::new();
    for (number, (_, body)) in functions.iter().enumerate() {
        let line = |at: usize| index.line_column(body.instructions[at].span.start).0;
        places.extend((0..body.instructions.len()).map(|at| (line(at), number, at)));
    }
    places.sort_unstable();
    let mut counts: Vec<Vec<u32>> = functions.iter().map(|(_, body)| vec![0; body.instructions.len()]).collect();
    for (&line, &count) in lines {
        if let Some(&(_, function, at)) = places.get(places.partition_point(|&(of, ..)| of < line)) {
            counts[function][at] += count;
        }
    }
    let function_pieces = |(&(name, _), counts): (&(&str, &Body), &Vec<u32>)| {
        let function = module.function(name)?;
        Some((name.to_owned(), of_function(function, ptx, counts)))
    };
    functions.iter().zip(&counts).filter_map(function_pieces).collect()
}

/// The pieces of a function; `counts` has the machine instructions of each of its instructions.
fn of_function(function: &Function, ptx: &str, counts: &[u32]) -> Vec<u32> {
    let mut code = Code::new(function);
    code.keep_apart(function, ptx);
    let mut loops = function.body.as_ref().map(spin::loops).unwrap_or_default();
    loops.sort_by_key(|(first, last)| last - first);
    let own =
        |from: usize, to: usize| code.costs[from..to].iter().zip(&counts[from..to]).filter(|(cost, _)| !cost.serial);
    // How often a part of the code is there: in the middle of what is in it once.
    let copies = |from: usize, to: usize| {
        let mut kept: Vec<u32> =
            own(from, to).filter(|(cost, count)| is_kept(cost) && **count > 0).map(|(_, count)| *count).collect();
        kept.sort_unstable();
        kept.get(kept.len() / 2).copied()
    };
    let piece = |&(from, to): &(usize, usize)| {
        let all: u32 = own(from, to).map(|(_, count)| count).sum();
        let Some(&(first, last)) = loops.iter().find(|&&(first, last)| first <= from && to <= last + 1) else {
            return all;
        };
        let apart = code.apart.contains(&first).then_some(1);
        match copies(from, to).or_else(|| copies(first, last + 1)).or(apart) {
            Some(copies) => (f64::from(all) / f64::from(copies)).round() as u32,
            None => own(from, to).map(|(cost, _)| cost.slots).sum::<f64>().round() as u32,
        }
    };
    code.pieces.iter().map(piece).collect()
}

/// Whether an instruction becomes one machine instruction in each copy of the code.
fn is_kept(cost: &Cost) -> bool {
    let computes = matches!(cost.pipe, Pipe::Fp32 | Pipe::Fp64 | Pipe::Tensor) && cost.kind == Kind::Compute;
    cost.slots == 1.0 && !cost.local && (matches!(cost.kind, Kind::Access | Kind::Exchange | Kind::Barrier) || computes)
}

/// How far a piece may be off.
const OFF: std::ops::RangeInclusive<f64> = 0.5..=3.0;

/// Lets the pieces of a function take as many instructions as the assembler made of them.
pub(crate) fn take(code: &mut Code, instructions: &[u32]) {
    if instructions.len() != code.pieces.len() {
        return;
    }
    for (&(from, to), &instructions) in code.pieces.iter().zip(instructions) {
        let costs = &mut code.costs[from..to];
        let modelled: f64 = costs.iter().filter(|cost| !cost.serial).map(|cost| cost.slots).sum();
        if modelled > 0.0 {
            let factor = (f64::from(instructions) / modelled).clamp(*OFF.start(), *OFF.end());
            for cost in costs.iter_mut().filter(|cost| !cost.serial) {
                cost.slots *= factor;
                // What is not there does not use a pipe.
                if matches!(cost.pipe, Pipe::Int | Pipe::Either) {
                    cost.uses_of_pipe *= factor.min(1.0);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_those_of_the_kernel() {
        let ptx = ".visible .entry one(\n)\n{\n\tret;\n}\n\
                   .visible .entry two(\n)\n{\n\tret;\n\t// sm_90: 28 registers, 16 bytes of stack\n}\n\
                   .visible .entry three()\n{\n\tret;\n\t// sm_90a: 255 registers, 0 bytes of stack, 1 20 instructions\n}\n";
        let some = |registers, stack, pieces: &[u32]| Some(Assembled { registers, stack, pieces: pieces.to_vec() });
        assert_eq!(Assembled::noted(ptx, "one"), None);
        assert_eq!(Assembled::noted(ptx, "two"), some(28, 16, &[]));
        assert_eq!(Assembled::noted(ptx, "three"), some(255, 0, &[1, 20]));
        assert_eq!(Assembled::noted(ptx, "four"), None);
        let note = Assembled { registers: 255, stack: 0, pieces: vec![1, 20] }.note("sm_90a");
        assert_eq!(note, "// sm_90a: 255 registers, 0 bytes of stack, 1 20 instructions");
    }

    /// A loop of a load and an addition.
    const LOOP: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\
                        .reg .pred %p;\n.reg .b64 %rd;\n.reg .f32 %f<3>;\nmov.u64 %rd, 0;\nL:\n\
                        ld.global.f32 %f1, [%rd];\nadd.f32 %f2, %f2, %f1;\nadd.s64 %rd, %rd, 4;\n\
                        setp.ne.s64 %p, %rd, 99;\n@%p bra L;\nret;\n}\n";

    #[test]
    fn rounds_that_were_put_together_count_once() {
        let module = warpwise_ptx::parse(LOOP).expect("valid");
        // Seven copies of the load and the sum, three of the rest.
        let lines = BTreeMap::from([(5, 2), (11, 7), (12, 7), (13, 3), (14, 6), (15, 3), (16, 1)]);
        assert_eq!(pieces(&module, LOOP, &lines)["k"], [2, 4, 1]);
        let mut code = Code::new(module.function("k").expect("the kernel"));
        let slots = |code: &Code| code.costs[1..6].iter().map(|cost| cost.slots).sum::<f64>();
        assert_eq!(slots(&code), 7.0);
        take(&mut code, &[2, 4, 1]);
        assert_eq!(slots(&code), 4.0);
        take(&mut code, &[9]);
        assert_eq!(slots(&code), 4.0, "not of this code");
    }
}
