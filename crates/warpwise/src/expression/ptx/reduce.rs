//! A kernel that combines the items of all elements.
//!
//! Every thread combines the elements of its vectors, one partial result for each place in a vector, so that additions
//! do not wait for each other. Warps combine theirs by shuffles and blocks through shared memory. Every block stores
//! one partial result and draws a ticket; the one that draws the last combines them.

use super::items::{FIELD, Fold, Item, Shuffle};
use super::text::{Class, Operand, Text, line};
use super::{Kernel, width};
use crate::expression::kind::Kind;

/// Threads of a block.
pub(crate) const BLOCK: u32 = 256;
const WARPS: u32 = BLOCK / 32;
/// Vectors of a thread that are on their way at once; a power of two.
pub(crate) const TILE_VECTORS: u64 = 8;
/// Programs with more steps are in fewer copies.
const MANY_STEPS: usize = 24;

/// Parameters: the inputs, the state (a ticket, which is 0, and from byte 16 on 8 bytes for every field of a block's
/// partial result), the output (8 bytes for every field), the number of elements, how many whole vectors there are
/// (none where memory is not at a multiple of a vector), and the constants. Any grid, blocks of 256 threads.
pub(crate) fn reduce(fold: &Fold, inputs: &[Kind]) -> Kernel {
    let width = if fold.ordered { 1 } else { width(inputs.iter().copied()) };
    let mut writer = Writer::new(fold, inputs, width);
    if fold.ordered {
        writer.in_order();
    } else {
        let copies = if fold.item.steps.len() > MANY_STEPS { TILE_VECTORS / 4 } else { TILE_VECTORS };
        writer.tiles(copies);
        writer.vectors(copies);
        writer.singles();
    }
    writer.finish();
    let fields = fold.identity.len();
    let shared = format!(
        "\t.shared .align 8 .b8 items[{}];\n\t.shared .align 4 .b8 last[4];\n",
        WARPS as usize * fields * FIELD
    );
    let parameters = ["x", "y", "state", "out", "n", "vectors"];
    let (text, constants) = writer.text.finish("reduce", &parameters, &shared);
    Kernel { text, constants, width, tile: 0 }
}

struct Writer<'a> {
    text: Text,
    fold: &'a Fold,
    inputs: &'a [Kind],
    kinds: Vec<Kind>,
    width: usize,
    addresses: Vec<Operand>,
    thread: Operand,
    block: Operand,
    blocks: Operand,
    n: Operand,
    vectors: Operand,
    /// One for each place in a vector.
    so_far: Vec<Item>,
}

fn int(value: u64) -> Operand {
    Operand::Int(value as i64)
}

impl<'a> Writer<'a> {
    fn new(fold: &'a Fold, inputs: &'a [Kind], width: usize) -> Self {
        let mut text = Text::default();
        let kinds: Vec<Kind> = fold.item.kinds().collect();
        let addresses = ["x", "y"][..inputs.len()].iter().map(|name| text.address(name)).collect();
        let [thread, block, blocks] = ["tid.x", "ctaid.x", "nctaid.x"].map(|name| text.special(name));
        let (n, vectors) = (text.parameter("n"), text.parameter("vectors"));
        let mut writer =
            Self { text, fold, inputs, kinds, width, addresses, thread, block, blocks, n, vectors, so_far: Vec::new() };
        writer.so_far = (0..width).map(|_| writer.identity()).collect();
        writer
    }

    fn identity(&mut self) -> Item {
        self.text.identity(self.fold)
    }

    fn combine(&mut self, a: &Item, b: &Item) -> Item {
        self.text.combine(self.fold, a, b)
    }

    /// Combines into the registers of an item.
    fn take(&mut self, so_far: &Item, item: &Item) {
        let combined = self.combine(so_far, item);
        so_far.iter().zip(combined).for_each(|(&to, from)| self.text.copy(to, from));
    }

    fn long(&mut self, instruction: &str, from: &[Operand]) -> Operand {
        self.text.op(Class::Long, instruction, from)
    }

    /// Loads the vectors whose numbers are in registers, all of them before the first is used, and takes them.
    fn load_and_take(&mut self, at: &[Operand], count: usize) {
        let mut loaded: Vec<Vec<Vec<Operand>>> = Vec::new();
        for &i in at {
            let mut inputs = Vec::new();
            for (place, &kind) in self.inputs.iter().enumerate() {
                let bytes = int((count * kind.bytes()) as u64);
                let address = self.long("mad.lo.u64", &[i, bytes, self.addresses[place]]);
                inputs.push(self.text.load(kind, if count > 1 { ".cs" } else { "" }, count, address, 0));
            }
            loaded.push(inputs);
        }
        for (&i, inputs) in at.iter().zip(&loaded) {
            for e in 0..count {
                let mut values: Vec<Operand> = inputs.iter().map(|input| input[e]).collect();
                let index = self.long("mad.lo.u64", &[i, int(count as u64), int(e as u64)]);
                values.push(index);
                let item = self.text.program(&self.fold.item, &values);
                let so_far = self.so_far[e].clone();
                self.take(&so_far, &item);
            }
        }
    }

    /// Leaves a loop if the number is not below the end.
    fn leave(&mut self, i: Operand, end: Operand, to: &str) {
        let flag = self.text.op(Class::Flag, "setp.ge.u64", &[i, end]);
        line!(self.text, "@{flag} bra {to};");
    }

    /// Whole tiles: every thread of a block loads some vectors, a block apart.
    fn tiles(&mut self, copies: u64) {
        let tile = u64::from(BLOCK) * copies;
        let (again, done) = (self.text.label(), self.text.label());
        let tiles = self.long("shr.u64", &[self.vectors, int(tile.trailing_zeros().into())]);
        let i = self.long("cvt.u64.u32", &[self.block]);
        let step = self.long("cvt.u64.u32", &[self.blocks]);
        let thread = self.long("cvt.u64.u32", &[self.thread]);
        self.text.place(&again);
        self.leave(i, tiles, &done);
        let first = self.long("mad.lo.u64", &[i, int(tile), thread]);
        let at: Vec<Operand> =
            (0..copies).map(|copy| self.long("add.u64", &[first, int(copy * u64::from(BLOCK))])).collect();
        self.load_and_take(&at, self.width);
        line!(self.text, "add.u64 {i}, {i}, {step};");
        line!(self.text, "bra {again};");
        self.text.place(&done);
    }

    /// Vectors that do not make up a tile.
    fn vectors(&mut self, copies: u64) {
        let tile = u64::from(BLOCK) * copies;
        let done = self.long("and.b64", &[self.vectors, Operand::Int(-(tile as i64))]);
        self.one_by_one(done, self.vectors, self.width);
    }

    /// Elements that do not make up a vector.
    fn singles(&mut self) {
        let done = self.long("mul.lo.u64", &[self.vectors, int(self.width as u64)]);
        self.one_by_one(done, self.n, 1);
    }

    /// Every thread takes neighbouring elements, from the first to the last.
    fn in_order(&mut self) {
        let (thread, threads) = self.text.grid_stride();
        let (i, end) = self.share(thread, threads, self.n);
        let (again, done) = (self.text.label(), self.text.label());
        self.text.place(&again);
        self.leave(i, end, &done);
        self.load_and_take(&[i], 1);
        line!(self.text, "add.u64 {i}, {i}, 1;");
        line!(self.text, "bra {again};");
        self.text.place(&done);
    }

    /// The share of a thread in so many things: where it begins and ends.
    fn share(&mut self, thread: Operand, threads: Operand, count: Operand) -> (Operand, Operand) {
        let more = self.long("add.u64", &[count, threads]);
        let more = self.long("sub.u64", &[more, int(1)]);
        let share = self.long("div.u64", &[more, threads]);
        let begin = self.long("mul.lo.u64", &[thread, share]);
        let end = self.long("add.u64", &[begin, share]);
        (begin, self.long("min.u64", &[end, count]))
    }

    fn one_by_one(&mut self, begin: Operand, end: Operand, count: usize) {
        let (again, done) = (self.text.label(), self.text.label());
        let (first, step) = self.text.grid_stride();
        let i = self.long("add.u64", &[begin, first]);
        self.text.place(&again);
        self.leave(i, end, &done);
        self.load_and_take(&[i], count);
        line!(self.text, "add.u64 {i}, {i}, {step};");
        line!(self.text, "bra {again};");
        self.text.place(&done);
    }

    fn fold_warp(&mut self, item: &Item) {
        // Neighbours first: so every item is combined with the one after it.
        for distance in [1, 2, 4, 8, 16] {
            let other = self.text.shuffled(item, Shuffle::Down(distance));
            self.take(item, &other);
        }
    }

    /// Thread 0 gets the item of the whole block.
    fn fold_block(&mut self, item: &Item) {
        self.fold_warp(item);
        let bytes = int((self.kinds.len() * FIELD) as u64);
        let (lane, warp) = (
            self.text.op(Class::Word, "and.b32", &[self.thread, Operand::Int(31)]),
            self.text.op(Class::Word, "shr.u32", &[self.thread, Operand::Int(5)]),
        );
        let items = self.text.register(Class::Long);
        line!(self.text, "mov.u64 {items}, items;");
        let (written, skipped, done) = (self.text.label(), self.text.label(), self.text.label());
        let others = self.text.op(Class::Flag, "setp.ne.u32", &[lane, Operand::Int(0)]);
        line!(self.text, "@{others} bra {written};");
        let warp_long = self.long("cvt.u64.u32", &[warp]);
        let at = self.long("mad.lo.u64", &[warp_long, bytes, items]);
        self.text.access("st.shared", item, at);
        self.text.place(&written);
        line!(self.text, "bar.sync 0;");
        let others = self.text.op(Class::Flag, "setp.ne.u32", &[warp, Operand::Int(0)]);
        line!(self.text, "@{others} bra {done};");
        let nothing = self.identity();
        item.iter().zip(nothing).for_each(|(&to, from)| self.text.copy(to, from));
        let beyond = self.text.op(Class::Flag, "setp.ge.u32", &[lane, Operand::Int(WARPS.into())]);
        line!(self.text, "@{beyond} bra {skipped};");
        let lane_long = self.long("cvt.u64.u32", &[lane]);
        let at = self.long("mad.lo.u64", &[lane_long, bytes, items]);
        self.text.access("ld.shared", item, at);
        self.text.place(&skipped);
        self.fold_warp(item);
        self.text.place(&done);
    }

    fn finish(&mut self) {
        let so_far = std::mem::take(&mut self.so_far);
        let item = so_far[0].clone();
        for other in &so_far[1..] {
            self.take(&item, other);
        }
        self.fold_block(&item);
        let bytes = int((self.kinds.len() * FIELD) as u64);
        let (state, out) = (self.text.address("state"), self.text.address("out"));
        let partials = self.long("add.u64", &[state, int(16)]);
        let (drawn, end) = (self.text.label(), self.text.label());
        let others = self.text.op(Class::Flag, "setp.ne.u32", &[self.thread, Operand::Int(0)]);
        line!(self.text, "@{others} bra {drawn};");
        let block = self.long("cvt.u64.u32", &[self.block]);
        let at = self.long("mad.lo.u64", &[block, bytes, partials]);
        self.text.access("st.global", &item, at);
        // The partial result is there before the ticket says so, and whoever sees all tickets sees all of them.
        line!(self.text, "membar.gl;");
        let ticket = self.text.register(Class::Word);
        line!(self.text, "atom.global.add.u32 {ticket}, [{state}], 1;");
        line!(self.text, "membar.gl;");
        let most = self.text.op(Class::Word, "sub.u32", &[self.blocks, Operand::Int(1)]);
        let is_last = self.text.op(Class::Flag, "setp.eq.u32", &[ticket, most]);
        let word = self.text.op(Class::Word, "selp.u32", &[Operand::Int(1), Operand::Int(0), is_last]);
        line!(self.text, "st.shared.u32 [last], {word};");
        self.text.place(&drawn);
        line!(self.text, "bar.sync 0;");
        let word = self.text.register(Class::Word);
        line!(self.text, "ld.shared.u32 {word}, [last];");
        let others = self.text.op(Class::Flag, "setp.eq.u32", &[word, Operand::Int(0)]);
        line!(self.text, "@{others} bra {end};");

        let nothing = self.identity();
        item.iter().zip(nothing).for_each(|(&to, from)| self.text.copy(to, from));
        let (again, done) = (self.text.label(), self.text.label());
        let thread = self.long("cvt.u64.u32", &[self.thread]);
        let blocks = self.long("cvt.u64.u32", &[self.blocks]);
        let (i, end_of_share) = self.share(thread, int(BLOCK.into()), blocks);
        self.text.place(&again);
        self.leave(i, end_of_share, &done);
        let at = self.long("mad.lo.u64", &[i, bytes, partials]);
        let other: Item = self.kinds.iter().map(|&kind| self.text.register(Class::of(kind))).collect();
        self.text.access("ld.global", &other, at);
        self.take(&item, &other);
        line!(self.text, "add.u64 {i}, {i}, 1;");
        line!(self.text, "bra {again};");
        self.text.place(&done);
        self.fold_block(&item);
        let others = self.text.op(Class::Flag, "setp.ne.u32", &[self.thread, Operand::Int(0)]);
        line!(self.text, "@{others} bra {end};");
        self.text.access("st.global", &item, out);
        let old = self.text.register(Class::Word);
        line!(self.text, "atom.global.exch.b32 {old}, [{state}], 0;");
        self.text.place(&end);
        line!(self.text, "ret;");
    }
}
