//! Expressions on a GPU: kernels are written for the types and steps at hand, and loaded once.

mod histogram;
mod scan;

pub(crate) use histogram::histogram;
pub(crate) use scan::scan;
pub(in crate::expression) use scan::scan_fold;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use crate::device::{Allocation, Argument, Session, Shape, Staged};
use crate::expression::kind::Kind;
use crate::expression::mapped::{Mapped, Parts, Source, host_address, kind_of};
use crate::expression::program::{Builder, Op, Program};
use crate::expression::ptx::{self, Fold, Kernel};
use crate::reduce::Extreme;
use crate::{Element, Error, Input, Operator};

/// Threads of a block of the map.
const MAP_BLOCK: u32 = 256;
/// The most blocks of the map; further elements are done in more rounds.
const MAP_BLOCKS: u64 = 1 << 20;

/// What a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Task {
    Map,
    Reduce,
    Scan(ptx::Scan),
    /// Of so many bins.
    Histogram(usize),
}

/// What a kernel is written for: what it does, the program, an operator with its identity if there is one, and the inputs'
/// types.
type Key = (Task, Program, Option<(Program, Vec<u64>, bool)>, Vec<Kind>);

/// The kernels written last, so that a call that is repeated does not write its kernel again.
static WRITTEN: LazyLock<Mutex<HashMap<Key, Arc<Kernel>>>> = LazyLock::new(Mutex::default);
/// How many are kept.
const MOST_WRITTEN: usize = 64;

fn written(key: Key, write: impl FnOnce() -> Kernel) -> Arc<Kernel> {
    let mut written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    if written.len() >= MOST_WRITTEN && !written.contains_key(&key) {
        written.clear();
    }
    Arc::clone(written.entry(key).or_insert_with(|| Arc::new(write())))
}

/// The inputs on the device, and how many of their vectors are whole and at a multiple of their size.
struct Ready {
    staged: Vec<Staged>,
    vectors: u64,
}

fn ready(parts: &Parts<'_>, session: &Session, kernel: &Kernel) -> Result<Ready, Error> {
    let staged = staged(parts, session)?;
    let vectors = vectors(kernel.width, staged.iter().map(Staged::argument).zip(parts.kinds()), parts.length);
    Ok(Ready { staged, vectors })
}

fn staged(parts: &Parts<'_>, session: &Session) -> Result<Vec<Staged>, Error> {
    parts.inputs.iter().map(|input| input.staged(session)).collect()
}

/// How many vectors are whole: none if memory is not at a multiple of one.
fn vectors(width: usize, places: impl IntoIterator<Item = (Argument, Kind)>, length: usize) -> u64 {
    let aligned = |(argument, kind): (Argument, Kind)| match argument {
        Argument::Pointer(at) => at.0.is_multiple_of((width * kind.bytes()) as u64),
        _ => false,
    };
    let whole = width > 1 && places.into_iter().all(aligned);
    if whole { (length / width) as u64 } else { 0 }
}

impl Ready {
    fn inputs(&self) -> [Argument; 2] {
        [0, 1].map(|i| self.staged.get(i).map_or(Argument::NULL, Staged::argument))
    }
}

/// The type of the result in memory.
fn kind(parts: &Parts<'_>) -> Kind {
    Kind::of(parts.program.kind(parts.program.results[0]).stored())
}

/// All elements, in device memory.
pub(crate) fn map(parts: &Parts<'_>, session: &Session) -> Result<Allocation, Error> {
    let out = session.allocate((parts.length * kind(parts).bytes()) as u64)?;
    map_into(parts, session, out.argument())?;
    Ok(out)
}

/// The same into existing memory.
pub(crate) fn map_into(parts: &Parts<'_>, session: &Session, out: Argument) -> Result<(), Error> {
    let staged = staged(parts, session)?;
    map_staged(parts, session, &staged.iter().map(Staged::argument).collect::<Vec<_>>(), out)
}

/// A byte for each element of `xs`, which are on the device already: what is tested is often what is kept, and is then
/// not copied again.
pub(crate) fn mask<T: Element>(
    mask: &Mapped<'_, u8>,
    session: &Session,
    xs: &dyn Input<T>,
    there: &Staged,
) -> Result<Staged, Error> {
    let (parts, here) = (&mask.parts, host_address(xs));
    let copy = |input: &dyn Source| {
        let same = here.is_some() && input.host_address() == here && Some(input.kind()) == kind_of::<T>();
        if same { Ok(None) } else { input.staged(session).map(Some) }
    };
    let copies: Vec<Option<Staged>> = parts.inputs.iter().map(|input| copy(&**input)).collect::<Result<_, Error>>()?;
    let inputs: Vec<Argument> = copies.iter().map(|copy| copy.as_ref().unwrap_or(there).argument()).collect();
    let out = session.allocate(parts.length as u64)?;
    map_staged(parts, session, &inputs, out.argument())?;
    Ok(out.into())
}

fn map_staged(parts: &Parts<'_>, session: &Session, inputs: &[Argument], out: Argument) -> Result<(), Error> {
    let n = parts.length as u64;
    if n == 0 {
        return Ok(());
    }
    let kinds = parts.kinds();
    let kernel = written((Task::Map, parts.program.clone(), None, kinds.clone()), || ptx::map(&parts.program, &kinds));
    let places = inputs.iter().copied().zip(kinds).chain([(out, kind(parts))]);
    let vectors = vectors(kernel.width, places, parts.length);
    let [x, y] = [0, 1].map(|i| inputs.get(i).copied().unwrap_or(Argument::NULL));
    let threads = if vectors > 0 { vectors } else { n };
    let blocks = threads.div_ceil(MAP_BLOCK.into()).min(MAP_BLOCKS);
    let shape = Shape::line(blocks as u32, MAP_BLOCK, 0);
    let arguments = [x, y, out, Argument::U64(n), Argument::U64(vectors)];
    session.launch_text("map", &kernel.text, shape, &arguments, &kernel.constants)?;
    Ok(())
}

/// Combines all elements with an operator; there is at least one.
pub(crate) fn reduce<T: Element>(mapped: &Mapped<'_, T>, session: &Session, operator: Operator) -> Result<T, Error> {
    let identity: T = crate::operator::with_operator!(operator, identity_of::<T>());
    Ok(of_bits(reduce_bits(&mapped.parts, session, operator, kind(&mapped.parts), bits(identity))?))
}

fn identity_of<T: Element, O: crate::operator::Combine>() -> T {
    O::identity()
}

fn reduce_bits(
    parts: &Parts<'_>,
    session: &Session,
    operator: Operator,
    kind: Kind,
    identity: u64,
) -> Result<u64, Error> {
    Ok(run(parts, session, &combining(stored(&parts.program, None), operator, kind, identity))?[0])
}

/// Items of one field, combined with an operator.
fn combining(item: Program, operator: Operator, kind: Kind, identity: u64) -> Fold {
    let op = match operator {
        Operator::Sum => Op::Add,
        Operator::Product => Op::Multiply,
        Operator::Min => Op::Min,
        Operator::Max => Op::Max,
    };
    let mut builder = Builder::default();
    let both = [0, 1].map(|number| builder.add(Op::Input(number), kind, &[]));
    let result = builder.add(op, kind, &both);
    Fold { item, combine: builder.finish(&[result]), identity: vec![identity], ordered: false }
}

/// The place of an extreme; there is at least one element.
pub(crate) fn place<T: Element>(mapped: &Mapped<'_, T>, session: &Session, extreme: Extreme) -> Result<usize, Error> {
    let last: T = if extreme == Extreme::Min { T::HIGHEST } else { T::LOWEST };
    place_bits(&mapped.parts, session, extreme, kind(&mapped.parts), bits(last))
}

fn place_bits(parts: &Parts<'_>, session: &Session, extreme: Extreme, kind: Kind, last: u64) -> Result<usize, Error> {
    let mut builder = Builder::default();
    let mut input = |number: usize, kind: Kind| builder.add(Op::Input(number), kind, &[]);
    let (a, i, b, j) = (input(0, kind), input(1, Kind::U64), input(2, kind), input(3, Kind::U64));
    // Whether the first wins: it is strictly better, or as good and earlier. NaN is better than any number.
    let mut better = |a: usize, b: usize| {
        let (low, high) = if extreme == Extreme::Min { (a, b) } else { (b, a) };
        let further = builder.add(Op::Less, Kind::Bool, &[low, high]);
        if !kind.is_float() {
            return further;
        }
        let yes = builder.constant(Kind::Bool, 1);
        let mut is_number = |value: usize| builder.add(Op::Equal, Kind::Bool, &[value, value]);
        let (a_is, b_is) = (is_number(a), is_number(b));
        let a_is_not = builder.add(Op::Xor, Kind::Bool, &[a_is, yes]);
        let only_a = builder.add(Op::And, Kind::Bool, &[a_is_not, b_is]);
        builder.add(Op::Or, Kind::Bool, &[further, only_a])
    };
    let (first, second) = (better(a, b), better(b, a));
    let yes = builder.constant(Kind::Bool, 1);
    let not_second = builder.add(Op::Xor, Kind::Bool, &[second, yes]);
    let earlier = builder.add(Op::Less, Kind::Bool, &[i, j]);
    let tie = builder.add(Op::And, Kind::Bool, &[not_second, earlier]);
    let wins = builder.add(Op::Or, Kind::Bool, &[first, tie]);
    let (value, index) =
        (builder.add(Op::Select, kind, &[wins, a, b]), builder.add(Op::Select, Kind::U64, &[wins, i, j]));
    let fold = Fold {
        item: stored(&parts.program, Some(parts.inputs.len())),
        combine: builder.finish(&[value, index]),
        identity: vec![last, u64::MAX],
        ordered: false,
    };
    Ok(run(parts, session, &fold)?[1] as usize)
}

/// The program with results that can be stored, and with the element's index, which is the input of that number.
fn stored(program: &Program, index: Option<usize>) -> Program {
    let mut program = program.clone();
    program.store_results();
    if let Some(number) = index {
        program.add_result(Op::Input(number), Kind::U64);
    }
    program
}

/// The bits of the fields that come out.
pub(in crate::expression) fn run(parts: &Parts<'_>, session: &Session, fold: &Fold) -> Result<Vec<u64>, Error> {
    let n = parts.length as u64;
    let kinds = parts.kinds();
    let operator = Some((fold.combine.clone(), fold.identity.clone(), fold.ordered));
    let kernel = written((Task::Reduce, fold.item.clone(), operator, kinds.clone()), || ptx::reduce(fold, &kinds));
    let ready = ready(parts, session, &kernel)?;
    let [x, y] = ready.inputs();
    let fields = fold.identity.len() as u64;
    let threads = if ready.vectors > 0 { ready.vectors } else { n };
    let most = session.tuning().reduce.blocks_per_sm * session.multiprocessors();
    let blocks = threads.div_ceil(u64::from(ptx::REDUCE_BLOCK) * ptx::TILE_VECTORS).clamp(1, most.max(1).into());
    let state = session.workspace("expression", 16 + blocks * fields * 8)?;
    let out = session.allocate_result(fields * 8)?;
    let shape = Shape::line(blocks as u32, ptx::REDUCE_BLOCK, 0);
    let arguments = [x, y, state, out.argument(), Argument::U64(n), Argument::U64(ready.vectors)];
    session.launch_text("reduce", &kernel.text, shape, &arguments, &kernel.constants)?;
    session.download_vec(out.ptr(), fields as usize)
}

fn bits<T: Element>(value: T) -> u64 {
    match size_of::<T>() {
        1 => u64::from(bytemuck::cast::<T, u8>(value)),
        2 => u64::from(bytemuck::cast::<T, u16>(value)),
        4 => u64::from(bytemuck::cast::<T, u32>(value)),
        _ => bytemuck::cast(value),
    }
}

pub(in crate::expression) fn of_bits<T: Element>(bits: u64) -> T {
    match size_of::<T>() {
        1 => bytemuck::cast(bits as u8),
        2 => bytemuck::cast(bits as u16),
        4 => bytemuck::cast(bits as u32),
        _ => bytemuck::cast(bits),
    }
}
