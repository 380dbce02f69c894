//! Races in a library that a compiler brings along, between blocks that tell each other how far they are.
//!
//! Thrust and CUB compact in place: a block reads its part, announces how much of it is kept, and a later block that
//! has heard of it writes over what was read. If announcing and listening are relaxed accesses, they order nothing by
//! the PTX memory model. Hardware keeps the order, because what is announced is computed from what was read, and the
//! place that is written to from what was announced. That is worth a warning, and nothing that the program can be
//! blamed for. A program that makes a library read and write the same elements by itself, as in a transformation of
//! overlapping ranges, is told from this by its code, in which no block tells another, or by the order of its blocks.

use super::signals::Signal;
use crate::decode::is_header;
use crate::program::Program;
use crate::watch::checks::kind::Kind;

/// One side of a race: the instruction, the block, and what it does.
pub(super) type Side = (u32, u64, Kind);

/// Whether a race is between a block of a library's kernel that reads and a later one that writes, with relaxed
/// accesses between them that tell of it.
pub(super) fn is_told(program: &Program, one: Side, other: Side) -> bool {
    let (reader, writer) = if one.2.write { (other, one) } else { (one, other) };
    !reader.2.write
        && !writer.2.atomic
        && reader.1 < writer.1
        && is_library(program, reader.0)
        && is_library(program, writer.0)
        && Signal::tells(program, reader.0, writer.0)
}

/// Whether an instruction is of a library, with none of the user's code around it: by its line or, where there are no
/// lines, by the name of its function.
fn is_library(program: &Program, pc: u32) -> bool {
    let Some(origin) = program.image.origins.get(pc as usize) else { return false };
    let file = origin.line.and_then(|line| program.file(line.file));
    let name = || &program.image.functions[origin.function as usize].name;
    file.map_or_else(|| ["_ZN6thrust", "_ZN3cub"].iter().any(|start| name().starts_with(start)), is_header)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPACT: &str = "ld.global.nc.u32 %r1, [%rd1]; st.relaxed.gpu.global.u32 [%rd2], %r1;\n\
                           ld.relaxed.gpu.global.u32 %r2, [%rd2]; st.global.u32 [%rd3], %r1;";

    fn program(name: &str, line: &str, code: &str) -> Program {
        let text = format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry {name}()\n{{\n.reg .b32 %r<9>;\n\
             .reg .b64 %rd<9>;\n{line}\n{code}\nret;\n}}\n.file 1 \"k.cu\"\n.file 2 \"x/thrust/unique.h\"\n"
        );
        Program::load(&text).expect("valid PTX")
    }

    fn is_told_in(program: &Program, reader: u64, writer: u64) -> bool {
        is_told(program, (0, reader, Kind::READ), (3, writer, Kind::WRITE))
    }

    #[test]
    fn only_later_blocks_of_a_library_are_told() {
        let library = program("k", ".loc 2 5 1", COMPACT);
        assert!(is_told_in(&library, 0, 1));
        assert!(!is_told_in(&library, 1, 0), "nobody tells an earlier block");
        assert!(!is_told_in(&program("k", ".loc 1 5 1", COMPACT), 0, 1), "the user's own");
        assert!(!is_told_in(&program("k", "", COMPACT), 0, 1));
        assert!(is_told_in(&program("_ZN6thrust1k", "", COMPACT), 0, 1));
        let silent = COMPACT.replace(".relaxed.gpu", "");
        assert!(!is_told_in(&program("k", ".loc 2 5 1", &silent), 0, 1), "nobody tells anybody");
        let both = ((3, 0, Kind::WRITE), (3, 1, Kind::WRITE));
        assert!(!is_told(&library, both.0, both.1));
    }
}
