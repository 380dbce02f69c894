//! A kernel that counts how often a program gives each number.
//!
//! Blocks count in shared memory, every warp by itself where there is room, and add what they counted at the end; with
//! many numbers they count in global memory.

use super::text::{Class, Operand, Text, line};
use super::{Kernel, width};
use crate::expression::kind::Kind;
use crate::expression::program::Program;

/// Warps of a block.
const WARPS: usize = 8;
/// Bytes of shared memory that every GPU has without being asked, less what is needed besides.
const SHARED: usize = 40 << 10;
/// Vectors of a thread that are on their way at once.
const ROWS: usize = 4;

/// How often a block has every number in shared memory: not at all if there are too many.
fn shared_bins(bins: usize) -> usize {
    match SHARED / (4 * bins.max(1)) {
        0 => 0,
        copies if copies < WARPS => 1,
        _ => WARPS,
    }
}

/// Parameters: the inputs, the counts (64 bits each, which are 0 or were counted before), the number of elements, how
/// many whole vectors there are (none where memory is not at a multiple of a vector), and the constants. The program
/// gives a `u32`; what is not below `bins` is not counted. Any grid whose blocks take less than 2^32 elements.
pub(crate) fn histogram(program: &Program, bins: usize, inputs: &[Kind]) -> Kernel {
    let width = width(inputs.iter().copied());
    let (copies, mut text) = (shared_bins(bins), Text::default());
    let addresses: Vec<Operand> = ["x", "y"][..inputs.len()].iter().map(|name| text.address(name)).collect();
    let counts = text.address("counts");
    let (n, vectors) = (text.parameter("n"), text.parameter("vectors"));
    let thread = text.special("tid.x");
    let own = own_counts(&mut text, thread, bins, copies);
    let (first, step) = text.grid_stride();
    let step_of_rows = text.op(Class::Long, "mul.lo.u64", &[step, Operand::Int(ROWS as i64)]);
    let rows_before = text.op(Class::Long, "mul.lo.u64", &[step, Operand::Int(ROWS as i64 - 1)]);
    let last_row = text.op(Class::Long, "max.u64", &[vectors, rows_before]);
    let most = text.op(Class::Long, "sub.u64", &[last_row, rows_before]);
    let i = text.register(Class::Long);
    text.copy(i, first);
    let singles = text.op(Class::Long, "mul.lo.u64", &[vectors, Operand::Int(width as i64)]);
    let singles = text.op(Class::Long, "add.u64", &[singles, first]);
    // Several vectors at a time, then single ones, then elements.
    for (end, count, rows) in [(most, width, ROWS), (vectors, width, 1), (n, 1, 1)] {
        let (again, done) = (text.label(), text.label());
        if count == 1 && rows == 1 && end == n {
            text.copy(i, singles);
        }
        text.place(&again);
        let flag = text.op(Class::Flag, "setp.ge.u64", &[i, end]);
        line!(text, "@{flag} bra {done};");
        let mut loaded = Vec::new();
        for row in 0..rows {
            let at = text.op(Class::Long, "mad.lo.u64", &[step, Operand::Int(row as i64), i]);
            let mut of_row = Vec::new();
            for (&base, &kind) in addresses.iter().zip(inputs) {
                let bytes = Operand::Int((count * kind.bytes()) as i64);
                let at = text.op(Class::Long, "mad.lo.u64", &[at, bytes, base]);
                of_row.push(text.load(kind, "", count, at, 0));
            }
            loaded.push(of_row);
        }
        for row in &loaded {
            for e in 0..count {
                let values: Vec<Operand> = row.iter().map(|input| input[e]).collect();
                let bin = text.program(program, &values)[0];
                let inside = text.op(Class::Flag, "setp.lt.u32", &[bin, Operand::Int(bins as i64)]);
                let place = text.op(Class::Long, "cvt.u64.u32", &[bin]);
                if copies == 0 {
                    let at = text.op(Class::Long, "mad.lo.u64", &[place, Operand::Int(8), counts]);
                    line!(text, "@{inside} red.global.add.u64 [{at}], 1;");
                } else {
                    let at = text.op(Class::Long, "mad.lo.u64", &[place, Operand::Int(4), own]);
                    line!(text, "@{inside} red.shared.add.u32 [{at}], 1;");
                }
            }
        }
        let forward = if rows > 1 { step_of_rows } else { step };
        line!(text, "add.u64 {i}, {i}, {forward};");
        line!(text, "bra {again};");
        text.place(&done);
    }
    if copies > 0 {
        add_up(&mut text, thread, counts, bins, copies);
    }
    line!(text, "ret;");
    let shared =
        if copies > 0 { format!("\t.shared .align 4 .b8 bins[{}];\n", 4 * bins * copies) } else { String::new() };
    let (text, constants) = text.finish("histogram", &["x", "y", "counts", "n", "vectors"], &shared);
    Kernel { text, constants, width, tile: 0 }
}

/// Clears the block's counts; returns the address of the warp's.
fn own_counts(text: &mut Text, thread: Operand, bins: usize, copies: usize) -> Operand {
    let own = text.register(Class::Long);
    if copies == 0 {
        return own;
    }
    line!(text, "mov.u64 {own}, bins;");
    for_each_bin(text, thread, bins * copies, |text, at, _| line!(text, "st.shared.u32 [{at}], 0;"));
    line!(text, "bar.sync 0;");
    if copies > 1 {
        let warp = text.op(Class::Word, "shr.u32", &[thread, Operand::Int(5)]);
        let warp = text.op(Class::Long, "cvt.u64.u32", &[warp]);
        return text.op(Class::Long, "mad.lo.u64", &[warp, Operand::Int(4 * bins as i64), own]);
    }
    own
}

/// Adds the block's counts to those of all blocks.
fn add_up(text: &mut Text, thread: Operand, counts: Operand, bins: usize, copies: usize) {
    line!(text, "bar.sync 0;");
    for_each_bin(text, thread, bins, |text, at, number| {
        let (sum, other) = (text.register(Class::Word), text.register(Class::Word));
        line!(text, "ld.shared.u32 {sum}, [{at}];");
        for copy in 1..copies {
            line!(text, "ld.shared.u32 {other}, [{at}+{}];", 4 * bins * copy);
            line!(text, "add.u32 {sum}, {sum}, {other};");
        }
        let some = text.op(Class::Flag, "setp.ne.u32", &[sum, Operand::Int(0)]);
        let sum = text.op(Class::Long, "cvt.u64.u32", &[sum]);
        let number = text.op(Class::Long, "cvt.u64.u32", &[number]);
        let at = text.op(Class::Long, "mad.lo.u64", &[number, Operand::Int(8), counts]);
        line!(text, "@{some} red.global.add.u64 [{at}], {sum};");
    });
}

/// A loop over words of shared memory that the threads of a block share: with their addresses and numbers.
fn for_each_bin(text: &mut Text, thread: Operand, count: usize, mut each: impl FnMut(&mut Text, Operand, Operand)) {
    let (again, done) = (text.label(), text.label());
    let number = text.register(Class::Word);
    text.copy(number, thread);
    text.place(&again);
    let flag = text.op(Class::Flag, "setp.ge.u32", &[number, Operand::Int(count as i64)]);
    line!(text, "@{flag} bra {done};");
    let base = text.register(Class::Long);
    line!(text, "mov.u64 {base}, bins;");
    let place = text.op(Class::Long, "cvt.u64.u32", &[number]);
    let at = text.op(Class::Long, "mad.lo.u64", &[place, Operand::Int(4), base]);
    each(text, at, number);
    line!(text, "add.u32 {number}, {number}, {};", 32 * WARPS);
    line!(text, "bra {again};");
    text.place(&done);
}
