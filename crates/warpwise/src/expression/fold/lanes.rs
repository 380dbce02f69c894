//! A fold on the CPU: a thousand lanes at a time, each of which takes neighbouring items, so that their order is kept.

use crate::Error;
use crate::expression::blocks::{BLOCK, Blocks, Bytes, Out};
use crate::expression::kind::Kind;
use crate::expression::mapped::{HostBytes, Parts};
use crate::expression::program::Op;
use crate::expression::ptx::Fold;
use crate::simd::Level;
use crate::threads;

/// Elements that one task reduces.
const TASK: usize = 32 * BLOCK;

/// A field of many items: its bytes, from the beginning of a word on.
#[derive(Clone)]
struct Column {
    words: Vec<u64>,
    size: usize,
}

impl Column {
    fn new(count: usize, size: usize) -> Self {
        Self { words: vec![0; (count * size).div_ceil(8)], size }
    }

    fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.words)
    }

    fn write(&mut self, first: usize, from: &[u8]) {
        let size = self.size;
        bytemuck::cast_slice_mut::<u64, u8>(&mut self.words)[first * size..][..from.len()].copy_from_slice(from);
    }

    fn get(&self, i: usize) -> u64 {
        let mut bits = [0; 8];
        bits[..self.size].copy_from_slice(&self.bytes()[i * self.size..][..self.size]);
        u64::from_le_bytes(bits)
    }

    fn set(&mut self, i: usize, bits: u64) {
        let size = self.size;
        self.write(i, &bits.to_le_bytes()[..size]);
    }
}

/// How two columns of items are combined.
struct Operator<'a> {
    level: Level,
    blocks: Blocks,
    fold: &'a Fold,
    sizes: Vec<usize>,
}

impl Operator<'_> {
    /// Items of `a` combined with those of `b`, a block of each.
    fn combine(&self, a: &[Column], b: &[Column]) -> Vec<Column> {
        let mut to: Vec<Column> = self.sizes.iter().map(|&size| Column::new(BLOCK, size)).collect();
        let inputs: Vec<Bytes<'_>> = a.iter().chain(b).map(|column| Bytes::new(column.bytes())).collect();
        let mut take = |first: usize, field: usize, bytes: &[u8]| to[field].write(first, bytes);
        self.blocks.evaluate(self.level, &mut self.blocks.scratch(), &inputs, 0..BLOCK, Out::Take(&mut take));
        to
    }

    /// A block of the items at these places; those beyond the end change nothing.
    fn gather(&self, items: &[Column], count: usize, place: impl Fn(usize) -> usize) -> Vec<Column> {
        let field = |(column, &identity): (&Column, &u64)| {
            let mut to = Column::new(BLOCK, column.size);
            for lane in 0..BLOCK {
                let i = place(lane);
                to.set(lane, if i < count { column.get(i) } else { identity });
            }
            to
        };
        items.iter().zip(&self.fold.identity).map(field).collect()
    }

    /// All items combined, in their order.
    fn reduce(&self, items: &[Column], count: usize) -> Vec<u64> {
        let each = count.div_ceil(BLOCK);
        let mut lanes = self.gather(items, count, |lane| lane * each);
        for i in 1..each {
            lanes = self.combine(&lanes, &self.gather(items, count, |lane| lane * each + i));
        }
        let mut width = BLOCK;
        while width > 1 {
            let (even, odd) =
                (self.gather(&lanes, width, |lane| 2 * lane), self.gather(&lanes, width, |lane| 2 * lane + 1));
            lanes = self.combine(&even, &odd);
            width /= 2;
        }
        lanes.iter().map(|column| column.get(0)).collect()
    }
}

/// The bits of the fields of all items combined; there is at least one.
pub(super) fn reduce(level: Level, parts: &Parts<'_>, fold: &Fold) -> Result<Vec<u64>, Error> {
    let kinds: Vec<Kind> = fold.item.kinds().collect();
    let sizes: Vec<usize> = kinds.iter().map(|kind| kind.bytes()).collect();
    let blocks = Blocks::new(&fold.combine, &[&kinds[..], &kinds].concat());
    let operator = Operator { level, blocks, fold, sizes: sizes.clone() };
    let inputs: Vec<HostBytes<'_>> = parts.inputs.iter().map(|input| input.on_host()).collect::<Result<_, _>>()?;
    let mut input_kinds = parts.kinds();
    let index = input_kinds.len();
    let has_index = fold.item.steps.iter().any(|step| step.op == Op::Input(index));
    if has_index {
        input_kinds.push(Kind::U64);
    }
    let items = Blocks::new(&fold.item, &input_kinds);
    let tasks = threads::in_chunks(parts.length, TASK);
    let nanoseconds = items.nanoseconds(parts.length) + operator.blocks.nanoseconds(parts.length);
    let found = threads::map(tasks.len(), nanoseconds, |task| {
        let range = tasks[task].clone();
        let places: Vec<u64> = if has_index { range.clone().map(|i| i as u64).collect() } else { Vec::new() };
        let mut own: Vec<Bytes<'_>> = inputs
            .iter()
            .zip(&input_kinds)
            .map(|(input, kind)| Bytes::new(&input.bytes()[range.start * kind.bytes()..range.end * kind.bytes()]))
            .collect();
        if has_index {
            own.push(Bytes::new(bytemuck::cast_slice(&places)));
        }
        let mut columns: Vec<Column> = sizes.iter().map(|&size| Column::new(range.len(), size)).collect();
        let mut take = |first: usize, field: usize, bytes: &[u8]| columns[field].write(first, bytes);
        items.evaluate(level, &mut items.scratch(), &own, 0..range.len(), Out::Take(&mut take));
        operator.reduce(&columns, range.len())
    });
    let mut columns: Vec<Column> = sizes.iter().map(|&size| Column::new(found.len(), size)).collect();
    for (i, fields) in found.iter().enumerate() {
        columns.iter_mut().zip(fields).for_each(|(column, &bits)| column.set(i, bits));
    }
    Ok(if found.len() == 1 { found[0].clone() } else { operator.reduce(&columns, found.len()) })
}
