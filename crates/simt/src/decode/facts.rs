//! What a driver tells about a kernel.

use std::collections::BTreeSet;

use warpwise_ptx::ast::{Instruction, LaunchBounds, Space};

use super::pressure;
use super::reach::names;
use crate::image::{Kernel, KernelFacts};
use crate::program::Program;

/// The fewest registers that a kernel is said to have: addresses, indices and what a launch needs.
const LEAST_REGISTERS: u32 = 16;
/// The most that a thread can have.
const MOST_REGISTERS: u32 = 255;
/// Those of a multiprocessor.
const REGISTERS: u32 = 65536;
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
            registers = registers.max(function.body.as_ref().map_or(0, pressure::registers));
            polls |= function.body.iter().flat_map(|body| &body.instructions).any(sees_the_host);
        }
        let constant = |end: u64, v: &warpwise_ptx::ast::Variable| end.next_multiple_of(v.align.max(1).into()) + v.size;
        let constants = module.variables.iter().filter(|v| v.space == Space::Const && mentioned.contains(&*v.name));
        let bounds = module.functions.get(kernel.function as usize).map(|f| f.bounds).unwrap_or_default();
        let most = most_registers(bounds);
        KernelFacts {
            static_shared: kernel.static_shared,
            constant_bytes: constants.fold(0, constant),
            local_bytes,
            registers: registers.max(LEAST_REGISTERS).next_multiple_of(REGISTER_UNIT).min(most),
            spilled: spilled(registers, most),
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

/// The most registers that what a kernel states of its launches leaves to a thread.
fn most_registers(bounds: LaunchBounds) -> u32 {
    let threads = bounds.required_threads.or(bounds.max_threads).map_or(1, |d| d.iter().product::<u32>().max(1));
    let resident = threads.next_multiple_of(32).saturating_mul(bounds.min_blocks.unwrap_or(1).max(1));
    let share = (REGISTERS / resident / REGISTER_UNIT * REGISTER_UNIT).max(LEAST_REGISTERS);
    bounds.max_registers.unwrap_or(share).clamp(1, MOST_REGISTERS)
}

/// Registers that a kernel lacks. Up to a third more than it gets, the assembler does without: it computes values again,
/// and puts their uses together.
fn spilled(needed: u32, most: u32) -> u32 {
    if 3 * needed > 4 * most { needed - most } else { 0 }
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
            spilled: 0,
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
    fn what_launch_bounds_leave_no_register_for_is_spilled() {
        let kernel = |bounds: &str| {
            let load = |n: u32| format!("ld.shared.f32 %f{n}, [own+{}];\n", 4 * n);
            let add = |n: u32| format!("add.f32 %f1, %f1, %f{n};\n");
            let code: String = (1..60).map(load).chain((2..60).map(add)).collect();
            let text = format!(
                ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {bounds}\n\
                 {{\n.shared .align 4 .b8 own[256];\n.reg .f32 %f<60>;\n{code}st.shared.f32 [own], %f1;\nret;\n}}\n"
            );
            let program = Program::load(&text).expect("valid PTX");
            let facts = program.facts(program.kernel("k").expect("it is there"));
            (facts.registers, facts.spilled)
        };
        assert_eq!(kernel(""), (72, 0));
        assert_eq!(kernel(".maxntid 1024"), (64, 0), "nearly enough");
        assert_eq!(kernel(".maxntid 512 .minnctapersm 4"), (32, 33));
        assert_eq!(kernel(".maxnreg 40"), (40, 25));
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
}
