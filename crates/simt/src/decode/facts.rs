//! What a driver tells about a kernel.

use std::collections::BTreeSet;

use warpwise_ptx::ast::{AddressBase, Body, Instruction, Operand, RegisterId, ScalarType, Space};

use super::reach::names;
use super::usage::operands;
use crate::image::{Kernel, KernelFacts};
use crate::program::Program;

/// The fewest registers that a kernel is said to have: addresses, indices and what a launch needs.
const LEAST_REGISTERS: u32 = 16;
/// The most that a thread can have.
const MOST_REGISTERS: u32 = 255;
/// Registers are given out in groups of that many.
const REGISTER_UNIT: u32 = 8;

impl Program {
    /// What a driver tells about a kernel of this program.
    pub fn facts(&self, kernel: &Kernel) -> KernelFacts {
        let module = self.module();
        let mut mentioned = BTreeSet::new();
        let (mut local_bytes, mut registers, mut polls) = (0u64, 0, false);
        for &at in &kernel.reach {
            let Some(function) = module.functions.get(at as usize) else { continue };
            mentioned.extend(names(function));
            let code = &self.image.functions[at as usize];
            local_bytes += code.locals.iter().map(|&(_, _, size)| u64::from(size)).sum::<u64>();
            registers = registers.max(function.body.as_ref().map_or(0, pressure));
            polls |= function.body.iter().flat_map(|body| &body.instructions).any(sees_the_host);
        }
        let constant = |end: u64, v: &warpwise_ptx::ast::Variable| end.next_multiple_of(v.align.max(1).into()) + v.size;
        let constants = module.variables.iter().filter(|v| v.space == Space::Const && mentioned.contains(&*v.name));
        let bounds = module.functions.get(kernel.function as usize).map(|f| f.bounds).unwrap_or_default();
        let most = bounds.max_registers.unwrap_or(MOST_REGISTERS).clamp(1, MOST_REGISTERS);
        KernelFacts {
            static_shared: kernel.static_shared,
            constant_bytes: constants.fold(0, constant),
            local_bytes,
            registers: registers.max(LEAST_REGISTERS).next_multiple_of(REGISTER_UNIT).min(most),
            max_threads: kernel.required_threads.map(|d| d.iter().product()).or(kernel.max_threads),
            target: self.target(),
            polls,
        }
    }

    /// The compute capability that the program was compiled for, as its `.target` gives it: 90 for `sm_90a`.
    pub fn target(&self) -> u32 {
        let digits = self.module().target.arch.trim_start_matches(|c: char| !c.is_ascii_digit());
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        digits[..end].parse().unwrap_or(0)
    }
}

/// Whether an instruction reads memory that the host may be writing, and sees that it does.
fn sees_the_host(i: &Instruction) -> bool {
    let has = |word: &str| i.modifiers.iter().any(|modifier| &**modifier == word);
    let elsewhere = ["shared", "shared::cta", "shared::cluster", "local", "param", "const"].into_iter().any(has);
    let fresh = match &*i.opcode {
        "ld" => has("volatile") || has("mmio") || has("sys"),
        "atom" => has("sys"),
        _ => false,
    };
    fresh && !elsewhere
}

/// The most registers that are in use at once, if each is from its first mention to its last.
fn pressure(body: &Body) -> u32 {
    let mut uses: Vec<Option<(u32, u32)>> = vec![None; body.registers.len()];
    for (at, i) in (0..).zip(&body.instructions) {
        operands(&i.operands, &mut |operand| {
            let id = match operand {
                Operand::Register(id) | Operand::Not(id) | Operand::Part(id, _) => *id,
                Operand::Address(address) => match address.base {
                    AddressBase::Register(id) => id,
                    _ => return,
                },
                _ => return,
            };
            let RegisterId(number) = id;
            if let Some(range) = uses.get_mut(number as usize) {
                *range = Some(range.map_or((at, at), |(first, _)| (first, at)));
            }
        });
    }
    let mut changes = vec![0i64; body.instructions.len() + 1];
    for (register, range) in body.registers.iter().zip(&uses) {
        if let Some((first, last)) = range
            && register.ty != ScalarType::Pred
        {
            let words = i64::from(register.ty.bytes().div_ceil(4));
            changes[*first as usize] += words;
            // What is mentioned last here is free for what comes first here.
            changes[(*last).max(first + 1) as usize] -= words;
        }
    }
    let mut now = 0;
    let sums = changes.iter().map(|change| {
        now += change;
        now
    });
    sums.max().map_or(0, |most| u32::try_from(most).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
        .version 8.0
        .target sm_90a
        .address_size 64
        .const .align 8 .b8 first[12];
        .const .align 16 .b8 second[16];
        .const .u32 other;
        .shared .align 4 .b8 block[400];
        .shared .align 4 .b8 unused[100];
        .func helper()
        {
            .local .align 8 .b8 depot[24];
            .reg .b32 %r<3>;
            ld.const.u32 %r1, [second];
            st.local.u32 [depot], %r1;
            ret;
        }
        .visible .entry plain() { ret; }
        .visible .entry uses() .maxntid 64, 4, 1
        {
            .local .align 8 .b8 depot[1000];
            .reg .b32 %r<3>;
            ld.const.u32 %r1, [first];
            st.shared.u32 [block], %r1;
            st.local.u32 [depot], %r1;
            call helper;
            ret;
        }
        .visible .entry few() .reqntid 32 .maxnreg 12
        {
            .shared .b32 own[3];
            .reg .b32 %r1;
            ld.shared.u32 %r1, [own];
            st.shared.u32 [own+4], %r1;
            ret;
        }";

    #[test]
    fn a_kernel_has_what_it_reaches() {
        let program = Program::load(TEXT).expect("valid PTX");
        let facts = |name: &str| program.facts(program.kernel(name).expect("a kernel of the text"));
        let plain = KernelFacts {
            static_shared: 0,
            constant_bytes: 0,
            local_bytes: 0,
            registers: LEAST_REGISTERS,
            max_threads: None,
            target: 90,
            polls: false,
        };
        assert_eq!(facts("plain"), plain);
        assert_eq!(
            facts("uses"),
            KernelFacts {
                static_shared: 400,
                constant_bytes: 32,
                local_bytes: 1024,
                max_threads: Some(256),
                ..plain.clone()
            }
        );
        assert_eq!(facts("few"), KernelFacts { static_shared: 12, registers: 12, max_threads: Some(32), ..plain });
    }

    #[test]
    fn a_kernel_that_may_wait_for_the_host_is_known_by_its_loads() {
        let polls = |code: &str| {
            let text = format!(
                ".version 8.0\n.target sm_90\n.address_size 64\n.shared .b32 own;\n.visible .entry k(.param .u64 p)\n\
                 {{\n.reg .b32 %r<9>;\n.reg .b64 %rd;\nld.param.u64 %rd, [p];\n{code}\nret;\n}}\n"
            );
            let program = Program::load(&text).expect("valid PTX");
            program.facts(program.kernel("k").expect("it is there")).polls
        };
        assert!(polls("ld.volatile.global.u32 %r1, [%rd];"));
        assert!(polls("ld.acquire.sys.u32 %r1, [%rd];"));
        assert!(polls("atom.relaxed.sys.global.add.u32 %r1, [%rd], 0;"));
        assert!(!polls("ld.global.u32 %r1, [%rd];"));
        assert!(!polls("ld.acquire.gpu.u32 %r1, [%rd];"));
        assert!(!polls("ld.volatile.shared.u32 %r1, [own];"));
        assert!(!polls("st.volatile.global.u32 [%rd], %r1;"));
    }

    #[test]
    fn registers_in_use_at_once_are_counted() {
        let kernel = |code: &str| {
            let text = format!(
                ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{{\n.reg .pred %p<9>;\n\
                 .reg .b32 %r<99>;\n.reg .b64 %rd<99>;\n{code}\nret;\n}}\n"
            );
            let module = warpwise_ptx::parse(&text).expect("valid PTX");
            pressure(module.functions[0].body.as_ref().expect("it is defined"))
        };
        assert_eq!(kernel("mov.u32 %r1, 1; mov.u32 %r2, 2; mov.u32 %r3, 3;"), 1, "each is used once");
        assert_eq!(kernel("mov.u32 %r1, 1; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1;"), 1, "a chain needs one");
        assert_eq!(kernel("mov.u32 %r1, 1; mov.u64 %rd2, 2; mov.u32 %r3, 3; mad.wide.u32 %rd2, %r1, %r3, %rd2;"), 4);
        let many: String = (1..60).map(|n| format!("mov.u32 %r{n}, {n};")).collect();
        let sum: String = (2..60).map(|n| format!("add.u32 %r1, %r1, %r{n};")).collect();
        assert_eq!(kernel(&(many + &sum)), 59);
    }
}
