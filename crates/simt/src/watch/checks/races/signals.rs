//! Signals without fences: blocks that tell each other by atomics or volatile flags that data is ready, or who holds a
//! lock, and race for the data because nothing but the flag itself is ordered.

use crate::image::event::{Event, Order, Scope};
use crate::program::Program;
use crate::watch::checks::findings::line_name;
use crate::watch::checks::kind::Kind;

/// Strong accesses between a write and a read, and where fences are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Signal {
    /// The first after the write that can tell of it.
    announce: u32,
    /// The last before the read that can have been told.
    wait: u32,
    /// No fence comes before the first, or after the second.
    missing: (bool, bool),
    /// They are for their own block only.
    pub(super) narrow: bool,
}

impl Signal {
    /// The signal between two instructions of a function that lacks a fence, in the order of the code.
    pub(super) fn between(program: &Program, write: u32, read: u32) -> Option<Self> {
        let wide = Self::of(program, write, read, true);
        wide.or_else(|| Self::of(program, write, read, false)).filter(|s| s.narrow || s.missing != (false, false))
    }

    /// Whether there are strong accesses by which a block that has come past the first instruction can tell one that is
    /// about to execute the second, whatever they order.
    pub(super) fn tells(program: &Program, first: u32, second: u32) -> bool {
        Self::of(program, first, second, true).is_some()
    }

    fn of(program: &Program, write: u32, read: u32, wide: bool) -> Option<Self> {
        let function = |pc: u32| program.image.origins.get(pc as usize).map(|origin| origin.function);
        let code = &program.image.functions[function(write)? as usize];
        if function(write) != function(read) {
            return None;
        }
        let is = |pc: &u32, wanted: fn(Kind) -> bool| match &program.events[*pc as usize] {
            Event::Access(access) => {
                Some(Kind::of(access)).is_some_and(|kind| kind.strong && kind.wide == wide && wanted(kind))
            }
            _ => false,
        };
        let is_fence = |pc: u32| matches!(program.events[pc as usize], Event::Fence(_, scope) if scope >= Scope::Gpu);
        let orders = |pc: u32, wanted: [Order; 2]| match &program.events[pc as usize] {
            Event::Access(access) => wanted.contains(&access.order),
            _ => false,
        };
        let announce = (write + 1..code.end).find(|pc| is(pc, |kind| kind.write))?;
        let wait = (code.start?..read).rev().find(|pc| is(pc, Kind::reads))?;
        let released = (write..announce).any(is_fence) || orders(announce, [Order::Release, Order::AcqRel]);
        let acquired = (wait..read).any(is_fence) || orders(wait, [Order::Acquire, Order::AcqRel]);
        Some(Self { announce, wait, missing: (!released, !acquired), narrow: !wide })
    }

    /// Whether it is a lock: taken by an exchange, with or without a comparison.
    pub(super) fn is_lock(self, program: &Program) -> bool {
        let Some(origin) = program.image.origins.get(self.wait as usize) else { return false };
        let (code, function) = (&program.image.functions, &program.module().functions);
        let at = code[origin.function as usize].start.map(|start| (self.wait - start) as usize);
        let body = function.get(origin.function as usize).and_then(|function| function.body.as_ref());
        let instruction = at.zip(body).and_then(|(at, body)| body.instructions.get(at));
        instruction.is_some_and(|i| &*i.opcode == "atom" && i.modifiers.iter().any(|m| matches!(&**m, "cas" | "exch")))
    }

    /// What to do about it.
    pub(super) fn advice(self, program: &Program) -> String {
        if self.narrow {
            let (announce, wait) = (line_name(program, self.announce), line_name(program, self.wait));
            return format!(
                "The atomics of {announce} and {wait} order threads of one block only: use those of device scope, or \
                 split the kernel into two launches."
            );
        }
        format!(
            "Blocks that tell each other that data is there need fences as well: put __threadfence() {}. Else split the \
             kernel into two launches.",
            self.places(program)
        )
    }

    /// Where to put fences: `before line 12 and after line 20`.
    pub(super) fn places(self, program: &Program) -> String {
        let (announce, wait) = (line_name(program, self.announce), line_name(program, self.wait));
        match self.missing {
            (true, false) => format!("before {announce}"),
            (false, _) => format!("after {wait}"),
            (true, true) if announce == wait => format!("before and after {announce}"),
            (true, true) => format!("before {announce} and after {wait}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of the first plain store and the last plain load.
    fn said(code: &str) -> Option<(String, bool)> {
        let text = format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{{\n.reg .pred %p<3>;\n\
             .reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n{code}\nret;\n}}\n.file 1 \"k.cu\"\n"
        );
        let program = Program::load(&text).expect("valid PTX");
        let is_plain = |pc: &u32, write: bool| match &program.events[*pc as usize] {
            Event::Access(access) => {
                access.order == Order::Weak && Kind::of(access) == if write { Kind::WRITE } else { Kind::READ }
            }
            _ => false,
        };
        let pcs = 0..program.events.len() as u32;
        let write = pcs.clone().find(|pc| is_plain(pc, true)).expect("a store");
        let read = pcs.rev().find(|pc| is_plain(pc, false)).expect("a load");
        let signal = Signal::between(&program, write, read)?;
        Some((signal.places(&program), signal.is_lock(&program)))
    }

    #[test]
    fn a_ticket_without_fences() {
        let ticket = "st.global.u32 [%rd1], %r1;\nBEFORE\n.loc 1 12 1\natom.global.add.u32 %r2, [%rd2], 1;\nAFTER\n\
                      .loc 1 15 1\nld.global.u32 %r3, [%rd3];";
        let of = |before: &str, after: &str| said(&ticket.replace("BEFORE", before).replace("AFTER", after));
        assert_eq!(of("", ""), Some(("before and after line 12".to_owned(), false)));
        assert_eq!(of("membar.gl;", ""), Some(("after line 12".to_owned(), false)));
        assert_eq!(of("membar.cta;", "membar.gl;"), Some(("before line 12".to_owned(), false)), "too narrow a fence");
        assert_eq!(of("membar.gl;", "membar.gl;"), None);
    }

    #[test]
    fn a_flag_and_a_lock() {
        let flag = "@%p1 bra L; st.global.u32 [%rd1], 1;\n.loc 1 5 1\nst.volatile.global.u32 [%rd2], 1; bra D; L:\n\
                    .loc 1 7 1\nld.volatile.global.u32 %r2, [%rd2]; ld.global.u32 %r3, [%rd1]; D:";
        assert_eq!(said(flag), Some(("before line 5 and after line 7".to_owned(), false)));
        let lock = ".loc 1 3 1\natom.global.cas.b32 %r1, [%rd1], 0, 1; ld.global.u32 %r2, [%rd2]; \
                    st.global.u32 [%rd2], %r2;\n.loc 1 5 1\natom.global.exch.b32 %r1, [%rd1], 0;";
        assert_eq!(said(lock), Some(("before line 5 and after line 3".to_owned(), true)));
        let acquire = "st.global.u32 [%rd1], 1;\n.loc 1 5 1\nst.release.gpu.global.u32 [%rd2], 1;\n\
                       ld.acquire.gpu.global.u32 %r2, [%rd2]; ld.global.u32 %r3, [%rd1];";
        assert_eq!(said(acquire), None);
    }

    #[test]
    fn a_flag_of_the_block() {
        let text = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<9>;\n\
                    .reg .b64 %rd<9>;\nst.global.u32 [%rd1], 1;\n.loc 1 5 1\nst.release.cta.global.u32 [%rd2], 1;\n\
                    .loc 1 6 1\nld.acquire.cta.global.u32 %r2, [%rd2]; ld.global.u32 %r3, [%rd1];\nret;\n}\n\
                    .file 1 \"k.cu\"\n";
        let program = Program::load(text).expect("valid PTX");
        let advice = Signal::between(&program, 0, 3).expect("a signal").advice(&program);
        assert!(advice.starts_with("The atomics of line 5 and line 6 order threads of one block only"), "{advice}");
    }

    #[test]
    fn no_signal_at_all() {
        assert_eq!(said("st.global.u32 [%rd1], 1; bar.sync 0; ld.global.u32 %r3, [%rd1];"), None);
        assert_eq!(
            said("atom.global.add.u32 %r2, [%rd2], 1; st.global.u32 [%rd1], 1; ld.global.u32 %r3, [%rd1];"),
            None
        );
    }
}
