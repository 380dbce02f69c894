//! A kernel that combines all items up to each one, in one pass.
//!
//! Blocks take tiles in the order in which they start. A warp has neighbouring rows of a tile, and a lane a vector of
//! each row: vectors are combined in their lane, lanes by shuffles, rows from the first to the last, and warps through
//! shared memory. Blocks post what their tile gives, and look back at what those before them posted.

use super::items::{FIELD, Fold, Item, Shuffle};
use super::text::{Class, Operand, Text, immediate, line};
use super::{Kernel, width};
use crate::expression::kind::Kind;
use crate::expression::program::Op;

/// Threads of a block.
pub(crate) const BLOCK: u32 = 256;
const WARPS: usize = BLOCK as usize / 32;
/// The most rows of a warp, and the most words of items in the registers of a thread.
const MOST_ROWS: usize = 4;
const MOST_WORDS: usize = 48;
/// Programs with more steps have fewer rows.
const MANY_STEPS: usize = 24;
/// What a tile posted: its own items combined, or all up to its end.
const TOTAL: u64 = 1;
const PREFIX: u64 = 2;

/// Which prefixes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scan {
    /// With the item of the element itself.
    Inclusive,
    /// Without it.
    Exclusive,
}

/// Parameters: three inputs, the state (a ticket, and from byte 16 on a word for every tile, all of which are 0; then 8
/// bytes for every field of the tiles' totals, and of their prefixes), the number of elements, how many whole vectors
/// there are (none where memory is not at a multiple of a vector), the number of tiles, four outputs (one for each
/// field), and the constants. A block for each tile.
pub(crate) fn scan(fold: &Fold, what: Scan, inputs: &[Kind]) -> Kernel {
    let kinds: Vec<Kind> = fold.item.kinds().collect();
    let width = width(inputs.iter().chain(&kinds).copied());
    let words: usize = kinds.iter().map(|kind| kind.bytes().div_ceil(4)).sum();
    let most = if fold.item.steps.len() + fold.combine.steps.len() > MANY_STEPS { 1 } else { MOST_ROWS };
    let rows = (MOST_WORDS / (width * words)).clamp(1, most);
    let mut writer = Writer::new(fold, what, inputs, width, rows);
    writer.run();
    let fields = kinds.len() * FIELD;
    let shared = format!(
        "\t.shared .align 8 .b8 items[{}];\n\t.shared .align 8 .b8 before[{fields}];\n\t.shared .align 4 .b8 drawn[4];\n",
        WARPS * fields
    );
    let parameters = ["x", "y", "z", "state", "n", "vectors", "tiles", "out0", "out1", "out2", "out3"];
    let (text, constants) = writer.text.finish("scan", &parameters, &shared);
    Kernel { text, constants, width, tile: WARPS * rows * 32 * width }
}

fn int(value: usize) -> Operand {
    Operand::Int(value as i64)
}

struct Writer<'a> {
    text: Text,
    fold: &'a Fold,
    what: Scan,
    inputs: &'a [Kind],
    kinds: Vec<Kind>,
    width: usize,
    rows: usize,
    lane: Operand,
    warp: Operand,
    tile: Operand,
    /// The number of the thread's first element.
    first: Operand,
    /// Which of its elements there are, row by row.
    there: Vec<Operand>,
    /// Whether all of the tile's are there, as vectors.
    whole: Operand,
}

/// What a row gives, before other warps are known.
struct Row {
    /// The vector's items, combined up to each one.
    own: Vec<Item>,
    /// What comes before the vector in its warp.
    before: Item,
}

impl<'a> Writer<'a> {
    fn new(fold: &'a Fold, what: Scan, inputs: &'a [Kind], width: usize, rows: usize) -> Self {
        let mut text = Text::default();
        let thread = text.special("tid.x");
        let lane = text.op(Class::Word, "and.b32", &[thread, Operand::Int(31)]);
        let warp = text.op(Class::Word, "shr.u32", &[thread, Operand::Int(5)]);
        let kinds = fold.item.kinds().collect();
        let (tile, first, whole) = (text.register(Class::Long), text.register(Class::Long), text.register(Class::Flag));
        Self { text, fold, what, inputs, kinds, width, rows, lane, warp, tile, first, there: Vec::new(), whole }
    }

    fn long(&mut self, instruction: &str, from: &[Operand]) -> Operand {
        self.text.op(Class::Long, instruction, from)
    }

    fn combine(&mut self, a: &Item, b: &Item) -> Item {
        self.text.combine(self.fold, a, b)
    }

    /// Copies an item into registers of its own.
    fn copied(&mut self, item: &Item) -> Item {
        let own: Item = self.kinds.iter().map(|&kind| self.text.register(Class::of(kind))).collect();
        own.iter().zip(item).for_each(|(&to, &from)| self.text.copy(to, from));
        own
    }

    fn assign(&mut self, to: &Item, from: &Item) {
        to.iter().zip(from).for_each(|(&to, &from)| self.text.copy(to, from));
    }

    fn run(&mut self) {
        self.draw();
        self.place();
        let loaded = self.load();
        let items = self.items(&loaded);
        let (rows, total) = self.in_warp(&items);
        let (before, total) = self.in_block(&total);
        let before_tile = self.between_blocks(&total);
        let before = self.combine(&before_tile, &before);
        self.store(&rows, &before);
        line!(self.text, "ret;");
    }

    /// The tile of this block: blocks that start later have later ones, so that nobody waits for one that may not start.
    fn draw(&mut self) {
        let (drawn, is_drawn) = (self.text.register(Class::Word), self.text.label());
        let thread = self.text.special("tid.x");
        let others = self.text.op(Class::Flag, "setp.ne.u32", &[thread, Operand::Int(0)]);
        line!(self.text, "@{others} bra {is_drawn};");
        let state = self.text.address("state");
        line!(self.text, "atom.global.add.u32 {drawn}, [{state}], 1;");
        line!(self.text, "st.shared.u32 [drawn], {drawn};");
        self.text.place(&is_drawn);
        line!(self.text, "bar.sync 0;");
        line!(self.text, "ld.shared.u32 {drawn}, [drawn];");
        line!(self.text, "cvt.u64.u32 {}, {drawn};", self.tile);
    }

    /// Where the thread's elements are, and which of them there are.
    fn place(&mut self) {
        let (row, rows, width) = (32 * self.width, self.rows, self.width);
        let (n, vectors) = (self.text.parameter("n"), self.text.parameter("vectors"));
        let of_warp = self.text.op(Class::Word, "mul.lo.u32", &[self.warp, int(rows * row)]);
        let of_lane = self.text.op(Class::Word, "mad.lo.u32", &[self.lane, int(width), of_warp]);
        let within = self.long("cvt.u64.u32", &[of_lane]);
        let tile = WARPS * rows * row;
        line!(self.text, "mad.lo.u64 {}, {}, {tile}, {within};", self.first, self.tile);
        let after = self.long("add.u64", &[self.tile, Operand::Int(1)]);
        let after = self.long("mul.lo.u64", &[after, int(tile / width)]);
        line!(self.text, "setp.le.u64 {}, {after}, {vectors};", self.whole);
        let end = self.long("max.u64", &[n, self.first]);
        let left = self.long("sub.u64", &[end, self.first]);
        let left = self.long("min.u64", &[left, int(tile)]);
        let left = self.text.op(Class::Word, "cvt.u32.u64", &[left]);
        for place in (0..rows).flat_map(|r| (0..width).map(move |e| r * row + e)) {
            let flag = self.text.op(Class::Flag, "setp.gt.u32", &[left, int(place)]);
            self.there.push(flag);
        }
    }

    /// The thread's elements of every input: as vectors, or one by one where not all are there.
    fn load(&mut self) -> Vec<Vec<Operand>> {
        let (rows, width) = (self.rows, self.width);
        let mut loaded = Vec::new();
        let mut addresses = Vec::new();
        for (name, &kind) in ["x", "y", "z"].into_iter().zip(self.inputs) {
            let base = self.text.address(name);
            addresses.push(self.long("mad.lo.u64", &[self.first, int(kind.bytes()), base]));
            loaded.push((0..rows * width).map(|_| self.text.register(Class::of(kind))).collect::<Vec<_>>());
        }
        let (vectors, done) = (self.text.label(), self.text.label());
        line!(self.text, "@{} bra {vectors};", self.whole);
        for ((to, &at), &kind) in loaded.iter().zip(&addresses).zip(self.inputs) {
            for (i, &to) in to.iter().enumerate() {
                let offset = (i / width * 32 * width + i % width) * kind.bytes();
                self.text.copy(to, immediate(kind, 0));
                line!(self.text, "@{} ld.global.{} {to}, [{at}+{offset}];", self.there[i], Text::memory(kind));
            }
        }
        line!(self.text, "bra {done};");
        self.text.place(&vectors);
        for ((to, &at), &kind) in loaded.iter().zip(&addresses).zip(self.inputs) {
            for (row, to) in to.chunks(width).enumerate() {
                self.text.load_into(kind, "", to, at, row * 32 * width * kind.bytes());
            }
        }
        self.text.place(&done);
        loaded
    }

    /// The items of the thread's elements; where there is none, one that changes nothing.
    fn items(&mut self, loaded: &[Vec<Operand>]) -> Vec<Item> {
        let index = Op::Input(self.inputs.len());
        let has_index = self.fold.item.steps.iter().any(|step| step.op == index);
        let nothing = self.text.identity(self.fold);
        let mut items = Vec::new();
        for i in 0..self.rows * self.width {
            let mut values: Vec<Operand> = loaded.iter().map(|input| input[i]).collect();
            if has_index {
                let place = i / self.width * 32 * self.width + i % self.width;
                values.push(self.long("add.u64", &[self.first, int(place)]));
            }
            let item = self.text.program(&self.fold.item, &values);
            items.push(self.text.chosen(self.there[i], &item, &nothing));
        }
        items
    }

    /// Every row within its warp, and the warp's items combined.
    fn in_warp(&mut self, items: &[Item]) -> (Vec<Row>, Item) {
        let distances = [1, 2, 4, 8, 16];
        let far = distances.map(|by| self.text.op(Class::Flag, "setp.ge.u32", &[self.lane, Operand::Int(by)]));
        let nothing = self.text.identity(self.fold);
        let mut so_far: Option<Item> = None;
        let mut rows = Vec::new();
        for row in items.chunks(self.width) {
            let mut own = vec![row[0].clone()];
            for item in &row[1..] {
                let next = self.combine(&own[own.len() - 1], item);
                own.push(next);
            }
            let mut lanes = own[own.len() - 1].clone();
            for (by, flag) in distances.into_iter().zip(far) {
                let other = self.text.shuffled(&lanes, Shuffle::Up(by as u32));
                let both = self.combine(&other, &lanes);
                lanes = self.text.chosen(flag, &both, &lanes);
            }
            let below = self.text.shuffled(&lanes, Shuffle::Up(1));
            let below = self.text.chosen(far[0], &below, &nothing);
            let all = self.text.shuffled(&lanes, Shuffle::Of(31));
            let (before, next) = match &so_far {
                None => (below, all),
                Some(so_far) => (self.combine(so_far, &below), self.combine(so_far, &all)),
            };
            so_far = Some(next);
            rows.push(Row { own, before });
        }
        (rows, so_far.unwrap_or(nothing))
    }

    /// What comes before the warp in its block, and the block's items combined.
    fn in_block(&mut self, total: &Item) -> (Item, Item) {
        let bytes = self.kinds.len() * FIELD;
        let items = self.text.register(Class::Long);
        line!(self.text, "mov.u64 {items}, items;");
        let (written, again) = (self.text.label(), self.text.label());
        let others = self.text.op(Class::Flag, "setp.ne.u32", &[self.lane, Operand::Int(0)]);
        line!(self.text, "@{others} bra {written};");
        let warp = self.long("cvt.u64.u32", &[self.warp]);
        let at = self.long("mad.lo.u64", &[warp, int(bytes), items]);
        let total = self.copied(total);
        self.text.access("st.shared", &total, at);
        self.text.place(&written);
        line!(self.text, "bar.sync 0;");
        let (so_far, before) = (self.text.identity(self.fold), self.text.identity(self.fold));
        let (number, other) = (self.text.register(Class::Word), self.copied(&so_far));
        line!(self.text, "mov.u32 {number}, 0;");
        self.text.place(&again);
        let own = self.text.op(Class::Flag, "setp.eq.u32", &[number, self.warp]);
        let here = self.text.chosen(own, &so_far, &before);
        self.assign(&before, &here);
        self.text.access("ld.shared", &other, items);
        let both = self.combine(&so_far, &other);
        self.assign(&so_far, &both);
        line!(self.text, "add.u64 {items}, {items}, {bytes};");
        line!(self.text, "add.u32 {number}, {number}, 1;");
        let more = self.text.op(Class::Flag, "setp.lt.u32", &[number, int(WARPS)]);
        line!(self.text, "@{more} bra {again};");
        (before, so_far)
    }

    /// Posts what the tile gives; returns what comes before it. The first warp looks back at 32 tiles at a time, from
    /// the nearest on, as far as one that already knows all that comes before it.
    fn between_blocks(&mut self, total: &Item) -> Item {
        let bytes = int(self.kinds.len() * FIELD);
        let known = self.text.label();
        let others = self.text.op(Class::Flag, "setp.ne.u32", &[self.warp, Operand::Int(0)]);
        line!(self.text, "@{others} bra {known};");
        let (state, tiles) = (self.text.address("state"), self.text.parameter("tiles"));
        let statuses = self.long("add.u64", &[state, Operand::Int(16)]);
        let totals = self.long("mad.lo.u64", &[tiles, Operand::Int(8), statuses]);
        let prefixes = self.long("mad.lo.u64", &[tiles, bytes, totals]);
        let status_at = self.long("mad.lo.u64", &[self.tile, Operand::Int(8), statuses]);
        let prefix_at = self.long("mad.lo.u64", &[self.tile, bytes, prefixes]);
        let not_first_lane = self.text.op(Class::Flag, "setp.ne.u32", &[self.lane, Operand::Int(0)]);
        let not_first = self.text.op(Class::Flag, "setp.ne.u64", &[self.tile, Operand::Int(0)]);
        let posted = self.text.label();
        line!(self.text, "@{not_first_lane} bra {posted};");
        let total_at = self.long("mad.lo.u64", &[self.tile, bytes, totals]);
        let at = self.long("selp.b64", &[total_at, prefix_at, not_first]);
        let status = self.long("selp.b64", &[Operand::Int(TOTAL as i64), Operand::Int(PREFIX as i64), not_first]);
        self.text.access("st.global", total, at);
        line!(self.text, "st.release.gpu.global.u64 [{status_at}], {status};");
        self.text.place(&posted);

        let before = self.text.identity(self.fold);
        let nearest = self.text.register(Class::Long);
        line!(self.text, "mov.b64 {nearest}, {};", self.tile);
        let lane = self.long("cvt.u64.u32", &[self.lane]);
        let (again, done, seen, spin) = (self.text.label(), self.text.label(), self.text.label(), self.text.label());
        self.text.place(&again);
        let none = self.text.op(Class::Flag, "setp.eq.u64", &[nearest, Operand::Int(0)]);
        line!(self.text, "@{none} bra {done};");
        // Before the first tile there is nothing.
        let (item, status) = (self.text.identity(self.fold), self.text.register(Class::Long));
        line!(self.text, "mov.u64 {status}, {PREFIX};");
        let beyond = self.text.op(Class::Flag, "setp.ge.u64", &[lane, nearest]);
        line!(self.text, "@{beyond} bra {seen};");
        let other = self.long("sub.u64", &[nearest, lane]);
        let other = self.long("sub.u64", &[other, Operand::Int(1)]);
        let at = self.long("mad.lo.u64", &[other, Operand::Int(8), statuses]);
        self.text.place(&spin);
        line!(self.text, "ld.acquire.gpu.global.u64 {status}, [{at}];");
        let empty = self.text.op(Class::Flag, "setp.eq.u64", &[status, Operand::Int(0)]);
        line!(self.text, "@{empty} bra {spin};");
        let is_prefix = self.text.op(Class::Flag, "setp.eq.u64", &[status, Operand::Int(PREFIX as i64)]);
        let base = self.long("selp.b64", &[prefixes, totals, is_prefix]);
        let at = self.long("mad.lo.u64", &[other, bytes, base]);
        self.text.access("ld.global", &item, at);
        self.text.place(&seen);
        line!(self.text, "bar.warp.sync -1;");
        let is_prefix = self.text.op(Class::Flag, "setp.eq.u64", &[status, Operand::Int(PREFIX as i64)]);
        let mask = self.text.register(Class::Word);
        line!(self.text, "vote.sync.ballot.b32 {mask}, {is_prefix}, -1;");
        let reversed = self.text.op(Class::Word, "brev.b32", &[mask]);
        let nearest_prefix = self.text.op(Class::Word, "clz.b32", &[reversed]);
        let beyond = self.text.op(Class::Flag, "setp.gt.u32", &[self.lane, nearest_prefix]);
        let nothing = self.text.identity(self.fold);
        let mut all = self.text.chosen(beyond, &nothing, &item);
        for distance in [1, 2, 4, 8, 16] {
            let earlier = self.text.shuffled(&all, Shuffle::Down(distance));
            all = self.combine(&earlier, &all);
        }
        let both = self.combine(&all, &before);
        self.assign(&before, &both);
        let found = self.text.op(Class::Flag, "setp.ne.u32", &[mask, Operand::Int(0)]);
        line!(self.text, "sub.u64 {nearest}, {nearest}, 32;");
        line!(self.text, "@!{found} bra {again};");
        self.text.place(&done);

        line!(self.text, "@{not_first_lane} bra {known};");
        let at = self.text.register(Class::Long);
        line!(self.text, "mov.u64 {at}, before;");
        self.text.access("st.shared", &before, at);
        let prefix = self.combine(&before, total);
        line!(self.text, "@!{not_first} bra {known};");
        self.text.access("st.global", &prefix, prefix_at);
        line!(self.text, "st.release.gpu.global.u64 [{status_at}], {PREFIX};");
        self.text.place(&known);
        line!(self.text, "bar.sync 0;");
        let (item, at) = (self.copied(&before), self.text.register(Class::Long));
        line!(self.text, "mov.u64 {at}, before;");
        self.text.access("ld.shared", &item, at);
        item
    }

    /// What comes before every element of a row, and with the last one.
    fn prefixes(&mut self, row: &Row, before: &Item) -> Vec<Item> {
        let before = self.combine(before, &row.before);
        let mut all = vec![before.clone()];
        for own in &row.own {
            let next = self.combine(&before, own);
            all.push(next);
        }
        all
    }

    /// Writes prefixes.
    fn store(&mut self, rows: &[Row], before: &Item) {
        let width = self.width;
        let skip = usize::from(self.what == Scan::Inclusive);
        let mut all: Vec<Item> = Vec::new();
        for row in rows {
            all.extend(self.prefixes(row, before).into_iter().skip(skip).take(width));
        }
        let addresses: Vec<Operand> = ["out0", "out1", "out2", "out3"]
            .into_iter()
            .zip(self.kinds.clone())
            .map(|(name, kind)| {
                let base = self.text.address(name);
                self.long("mad.lo.u64", &[self.first, int(kind.bytes()), base])
            })
            .collect();
        let (vectors, done) = (self.text.label(), self.text.label());
        line!(self.text, "@{} bra {vectors};", self.whole);
        for (field, (&at, kind)) in addresses.iter().zip(self.kinds.clone()).enumerate() {
            for (i, item) in all.iter().enumerate() {
                let offset = (i / width * 32 * width + i % width) * kind.bytes();
                let (there, memory) = (self.there[i], Text::memory(kind));
                line!(self.text, "@{there} st.global.{memory} [{at}+{offset}], {};", item[field]);
            }
        }
        line!(self.text, "bra {done};");
        self.text.place(&vectors);
        for (field, (&at, kind)) in addresses.iter().zip(self.kinds.clone()).enumerate() {
            for (row, items) in all.chunks(width).enumerate() {
                let values: Vec<Operand> = items.iter().map(|item| item[field]).collect();
                let at = self.long("add.u64", &[at, int(row * 32 * width * kind.bytes())]);
                self.text.store(kind, &values, at);
            }
        }
        self.text.place(&done);
    }
}
