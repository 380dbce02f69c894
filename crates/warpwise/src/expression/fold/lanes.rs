//! Folds and scans on the CPU: a thousand lanes at a time, each of which takes neighbouring items, so that their order is kept.

use crate::expression::blocks::{BLOCK, Blocks, Out};
use crate::expression::kind::Kind;
use crate::expression::mapped::{HostBytes, Parts};
use crate::expression::program::Op;
use crate::expression::ptx::Fold;
use crate::simd::Level;
use crate::{Error, scan, threads};

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
        let inputs: Vec<&[u8]> = a.iter().chain(b).map(Column::bytes).collect();
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

impl<'a> Operator<'a> {
    fn new(level: Level, fold: &'a Fold) -> Self {
        let kinds: Vec<Kind> = fold.item.kinds().collect();
        let blocks = Blocks::new(&fold.combine, &[&kinds[..], &kinds].concat());
        Self { level, blocks, fold, sizes: kinds.iter().map(|kind| kind.bytes()).collect() }
    }

    /// Room for so many items.
    fn room(&self, count: usize) -> Vec<Column> {
        self.sizes.iter().map(|&size| Column::new(count, size)).collect()
    }
}

/// What tasks make of their items, in the order of the tasks.
fn of_tasks<R: Send + Sync>(
    operator: &Operator<'_>,
    parts: &Parts<'_>,
    one: impl Fn(Vec<Column>, usize) -> R + Sync,
) -> Result<Vec<R>, Error> {
    let (level, fold) = (operator.level, operator.fold);
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
        let mut own: Vec<&[u8]> = inputs
            .iter()
            .zip(&input_kinds)
            .map(|(input, kind)| &input.bytes()[range.start * kind.bytes()..range.end * kind.bytes()])
            .collect();
        if has_index {
            own.push(bytemuck::cast_slice(&places));
        }
        let mut columns = operator.room(range.len());
        let mut take = |first: usize, field: usize, bytes: &[u8]| columns[field].write(first, bytes);
        items.evaluate(level, &mut items.scratch(), &own, 0..range.len(), Out::Take(&mut take));
        one(columns, range.len())
    });
    Ok(found)
}

/// The bits of the fields of all items combined; there is at least one.
pub(super) fn reduce(level: Level, parts: &Parts<'_>, fold: &Fold) -> Result<Vec<u64>, Error> {
    let operator = Operator::new(level, fold);
    let found = of_tasks(&operator, parts, |items, count| operator.reduce(&items, count))?;
    let mut columns = operator.room(found.len());
    for (i, fields) in found.iter().enumerate() {
        columns.iter_mut().zip(fields).for_each(|(column, &bits)| column.set(i, bits));
    }
    Ok(if found.len() == 1 { found[0].clone() } else { operator.reduce(&columns, found.len()) })
}

/// Neighbouring items of many lanes: each combined with those before it in its lane, and what comes before each lane.
struct Scan {
    items: Vec<Column>,
    count: usize,
    /// Items of a lane.
    each: usize,
    before: Vec<Column>,
    /// All items combined.
    total: Vec<u64>,
}

impl Operator<'_> {
    fn scan(&self, items: &[Column], count: usize) -> Scan {
        let each = count.div_ceil(BLOCK).max(1);
        let mut within = self.room(count);
        let mut lanes = self.gather(items, count, |lane| lane * each);
        put(&mut within, count, &lanes, |lane| lane * each);
        for i in 1..each {
            lanes = self.combine(&lanes, &self.gather(items, count, |lane| lane * each + i));
            put(&mut within, count, &lanes, |lane| lane * each + i);
        }
        // Lanes with all before them, in twice as many with every step.
        let mut distance = 1;
        while distance < BLOCK {
            let earlier = self.gather(&lanes, BLOCK, |lane| lane.checked_sub(distance).unwrap_or(BLOCK));
            lanes = self.combine(&earlier, &lanes);
            distance *= 2;
        }
        let total = lanes.iter().map(|column| column.get(BLOCK - 1)).collect();
        let before = self.gather(&lanes, BLOCK, |lane| lane.checked_sub(1).unwrap_or(BLOCK));
        Scan { items: within, count, each, before, total }
    }

    /// Combines everything with what comes before all of it.
    fn finish(&self, scan: &mut Scan, before: &[u64]) {
        let mut first = self.room(BLOCK);
        for (column, &bits) in first.iter_mut().zip(before) {
            (0..BLOCK).for_each(|lane| column.set(lane, bits));
        }
        let before = self.combine(&first, &scan.before);
        for i in 0..scan.each {
            let place = |lane: usize| lane * scan.each + i;
            let all = self.combine(&before, &self.gather(&scan.items, scan.count, place));
            put(&mut scan.items, scan.count, &all, place);
        }
    }
}

/// Writes a block of items to places, as far as these are there.
fn put(to: &mut [Column], count: usize, lanes: &[Column], place: impl Fn(usize) -> usize) {
    for (to, from) in to.iter_mut().zip(lanes) {
        for (lane, i) in (0..BLOCK).map(|lane| (lane, place(lane))).filter(|&(_, i)| i < count) {
            to.set(i, from.get(lane));
        }
    }
}

/// The fields of the items combined up to each one, each from the beginning of a word on.
pub(super) fn scan(level: Level, parts: &Parts<'_>, fold: &Fold, way: scan::Kind) -> Result<Vec<Vec<u64>>, Error> {
    let operator = Operator::new(level, fold);
    let mut tasks = of_tasks(&operator, parts, |items, count| operator.scan(&items, count))?;
    let mut totals = operator.room(tasks.len());
    for (i, task) in tasks.iter().enumerate() {
        totals.iter_mut().zip(&task.total).for_each(|(column, &bits)| column.set(i, bits));
    }
    let mut ends = operator.scan(&totals, tasks.len());
    operator.finish(&mut ends, &fold.identity);
    let nanoseconds = operator.blocks.nanoseconds(parts.length);
    let ranges = threads::in_chunks(tasks.len(), 1);
    threads::for_each_part(&mut tasks, &ranges, nanoseconds, |range, own| {
        let before: Vec<u64> = match range.start.checked_sub(1) {
            Some(last) => ends.items.iter().map(|column| column.get(last)).collect(),
            None => fold.identity.clone(),
        };
        own.iter_mut().for_each(|task| operator.finish(task, &before));
    });
    // Without the element itself, everything is one place further.
    let shift = usize::from(way == scan::Kind::Exclusive);
    let n = parts.length;
    let field = |(field, &size): (usize, &usize)| {
        let mut all = Column::new(n + shift, size);
        if shift == 1 {
            all.set(0, fold.identity[field]);
        }
        let mut at = shift;
        for task in &tasks {
            all.write(at, &task.items[field].bytes()[..task.count * size]);
            at += task.count;
        }
        all.words.truncate((n * size).div_ceil(8));
        all.words
    };
    Ok(operator.sizes.iter().enumerate().map(field).collect())
}
