//! A kernel that writes the result for every element.

use super::text::{Class, Operand, Text, line};
use super::{Kernel, width};
use crate::expression::kind::Kind;
use crate::expression::program::Program;

/// Parameters: the inputs, the output, the number of elements, and how many whole vectors are to be done at once (none
/// where memory is not at a multiple of a vector), then the constants. Any grid, blocks of up to 256 threads.
pub(crate) fn map(program: &Program, inputs: &[Kind]) -> Kernel {
    let kind = program.kind(program.results[0]);
    let width = width(inputs.iter().copied().chain([kind]));
    let mut text = Text::default();
    let addresses: Vec<Operand> = ["x", "y"][..inputs.len()].iter().map(|name| text.address(name)).collect();
    let out = text.address("out");
    let (n, vectors) = (text.parameter("n"), text.parameter("vectors"));
    let (first, step) = text.grid_stride();
    // Vectors, then what is left.
    let singles = text.op(Class::Long, "mul.lo.u64", &[vectors, Operand::Int(width as i64)]);
    let singles = text.op(Class::Long, "add.u64", &[singles, first]);
    for (start, end, count) in [(first, vectors, width), (singles, n, 1)] {
        let (again, done) = (text.label(), text.label());
        let i = text.register(Class::Long);
        text.copy(i, start);
        text.place(&again);
        let flag = text.op(Class::Flag, "setp.ge.u64", &[i, end]);
        line!(text, "@{flag} bra {done};");
        let element = |text: &mut Text, base: Operand, kind: Kind| {
            text.op(Class::Long, "mad.lo.u64", &[i, Operand::Int((count * kind.bytes()) as i64), base])
        };
        let mut loaded = Vec::new();
        for (&base, &kind) in addresses.iter().zip(inputs) {
            let at = element(&mut text, base, kind);
            loaded.push(text.load(kind, "", count, at, 0));
        }
        let mut results = Vec::new();
        for e in 0..count {
            let inputs: Vec<Operand> = loaded.iter().map(|input| input[e]).collect();
            results.push(text.program(program, &inputs)[0]);
        }
        let at = element(&mut text, out, kind);
        text.store(kind, &results, at);
        line!(text, "add.u64 {i}, {i}, {step};");
        line!(text, "bra {again};");
        text.place(&done);
    }
    line!(text, "ret;");
    let (text, constants) = text.finish("map", &["x", "y", "out", "n", "vectors"], "");
    Kernel { text, constants, width, tile: 0 }
}

impl Text {
    /// The value of a parameter.
    pub(super) fn parameter(&mut self, name: &str) -> Operand {
        let to = self.register(Class::Long);
        line!(self, "ld.param.u64 {to}, [{name}];");
        to
    }

    /// An address in global memory that is a parameter.
    pub(super) fn address(&mut self, name: &str) -> Operand {
        let generic = self.parameter(name);
        self.op(Class::Long, "cvta.to.global.u64", &[generic])
    }

    /// The value of a special register.
    pub(super) fn special(&mut self, name: &str) -> Operand {
        let to = self.register(Class::Word);
        line!(self, "mov.u32 {to}, %{name};");
        to
    }

    /// The number of this thread in the grid, and how many there are.
    pub(super) fn grid_stride(&mut self) -> (Operand, Operand) {
        let [thread, block, threads, blocks] =
            ["tid.x", "ctaid.x", "ntid.x", "nctaid.x"].map(|name| self.special(name));
        let first = self.op(Class::Long, "cvt.u64.u32", &[thread]);
        (
            self.op(Class::Long, "mad.wide.u32", &[block, threads, first]),
            self.op(Class::Long, "mul.wide.u32", &[blocks, threads]),
        )
    }
}
