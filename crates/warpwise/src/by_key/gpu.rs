//! Runs of equal keys on a GPU. See `kernels.cu` for what the kernels do.

use crate::device::{Allocation, Argument, Session, Shape, Staged};
use crate::kernels::{self, KernelModule};
use crate::scan::{self, Kind, Scannable};
use crate::sort::Key;
use crate::{Buffer, Device, Element, Error, Input, Operator};

const KERNELS: &KernelModule = &kernels::BY_KEY;

/// Threads of a block, and bytes of values of a thread.
const BLOCK: u32 = 256;
const OWN: u64 = 64;
/// Keys that a thread looks at in one go.
const HEADS_OWN: u64 = 16;
/// Blocks of a multiprocessor, where warps take tile after tile.
const BLOCKS_PER_SM: u32 = 8;

/// The kernel of that name. Sums and products of integers wrap, whether they have signs or not.
pub(crate) fn kernel<T: Scannable>(name: &str, operator: Operator) -> String {
    kernel_of(name, operator, T::NAME)
}

fn kernel_of(name: &str, operator: Operator, values: &str) -> String {
    let of = match (operator, values) {
        (Operator::Sum | Operator::Product, "i32") => "u32",
        (Operator::Sum | Operator::Product, "i64") => "u64",
        (_, own) => own,
    };
    format!("{name}_{}_{of}", operator.name())
}

/// A vector on the device, whatever the type of its elements.
struct Column {
    staged: Staged,
    /// The name of the type.
    name: &'static str,
    /// Bytes of an element.
    bytes: u64,
    is_float: bool,
    length: u64,
}

impl Column {
    fn new<T: Element>(session: &Session, values: &dyn Input<T>) -> Result<Self, Error> {
        let (bytes, length) = (size_of::<T>() as u64, values.length() as u64);
        Ok(Self { staged: Staged::new(session, values)?, name: T::NAME, bytes, is_float: T::IS_FLOAT, length })
    }
}

/// Keys and values on the device, and where runs begin.
struct Pairs {
    keys: Column,
    values: Column,
    bits: Allocation,
    n: u64,
    tiles: u64,
}

impl Pairs {
    fn new(session: &Session, keys: Column, values: Column) -> Result<Self, Error> {
        let n = keys.length;
        let bits = session.allocate(4 * n.div_ceil(32))?;
        let floats = Argument::U32(keys.is_float.into());
        let arguments = [keys.staged.argument(), bits.argument(), Argument::U64(n), floats];
        let most = u64::from(session.multiprocessors()) * 16;
        let shape = Shape::line(n.div_ceil(u64::from(BLOCK) * HEADS_OWN).min(most) as u32, BLOCK, 0);
        session.launch(KERNELS, &format!("by_key_heads_u{}", 8 * keys.bytes), shape, &arguments)?;
        let tiles = n.div_ceil(tile(values.bytes));
        Ok(Self { keys, values, bits, n, tiles })
    }

    /// Arguments that begin with the bits and the values.
    fn arguments(&self, more: &[Argument]) -> Vec<Argument> {
        [&[self.bits.argument(), self.values.staged.argument()], more].concat()
    }

    /// How many runs begin up to the end of each tile, and in all.
    fn ends(&self, device: &Device, session: &Session) -> Result<(Buffer<u64>, u64), Error> {
        let (tiles, words) = (self.tiles as usize, tile(self.values.bytes) / 32);
        let counts = session.allocate(8 * self.tiles)?;
        let arguments = [self.bits.argument(), counts.argument(), Argument::U64(self.n), Argument::U32(words as u32)];
        session.launch(KERNELS, "by_key_counts", self.warps(session), &arguments)?;
        let ends = scan::inclusive_buffer(device, &Buffer::<u64>::from_allocation(device, counts, tiles))?;
        let runs = ends.view(tiles - 1..)?.to_host()?[0];
        Ok((ends, runs))
    }

    /// A warp for each tile.
    fn warps(&self, session: &Session) -> Shape {
        let most = u64::from(BLOCKS_PER_SM * session.multiprocessors());
        Shape::line(self.tiles.div_ceil(u64::from(BLOCK / 32)).min(most) as u32, BLOCK, 0)
    }

    /// A block for each tile.
    fn shape(&self) -> Shape {
        Shape::cover(self.tiles, 1, BLOCK, 0)
    }

    fn kernel(&self, name: &str, operator: Operator) -> String {
        kernel_of(name, operator, self.values.name)
    }
}

/// Values of so many bytes in a tile.
fn tile(bytes: u64) -> u64 {
    u64::from(BLOCK) * (OWN / bytes)
}

pub(super) fn reduce<K: Key, T: Scannable>(
    device: &Device,
    session: &Session,
    operator: Operator,
    keys: &dyn Input<K>,
    values: &dyn Input<T>,
) -> Result<(Buffer<K>, Buffer<T>), Error> {
    if keys.length() == 0 {
        return Ok((Buffer::uninit(device, 0)?, Buffer::uninit(device, 0)?));
    }
    let (keys, values) = (Column::new(session, keys)?, Column::new(session, values)?);
    let (keys, values, runs) = reduce_columns(device, session, operator, keys, values)?;
    Ok((Buffer::from_allocation(device, keys, runs), Buffer::from_allocation(device, values, runs)))
}

/// The keys, the values, and how many there are.
fn reduce_columns(
    device: &Device,
    session: &Session,
    operator: Operator,
    keys: Column,
    values: Column,
) -> Result<(Allocation, Allocation, usize), Error> {
    let pairs = Pairs::new(session, keys, values)?;
    let (ends, runs) = pairs.ends(device, session)?;
    let ends = Staged::new(session, &ends)?;
    let (size, key_size) = (pairs.values.bytes, pairs.keys.bytes);
    let (out_keys, out) = (session.allocate(runs * key_size)?, session.allocate(runs * size)?);
    let (leads, tails) = (session.allocate(pairs.tiles * size)?, session.allocate(pairs.tiles * size)?);
    let [leads_at, tails_at] = [leads.argument(), tails.argument()];
    let of_keys = [pairs.keys.staged.argument(), Argument::U32(key_size as u32), out_keys.argument()];
    let rest = [out.argument(), leads_at, tails_at, ends.argument(), Argument::U64(pairs.n)];
    let arguments = pairs.arguments(&[&of_keys[..], &rest].concat());
    session.launch(KERNELS, &pairs.kernel("by_key_reduce", operator), pairs.shape(), &arguments)?;
    let arguments = [leads_at, tails_at, ends.argument(), out.argument(), Argument::U32(pairs.tiles as u32)];
    session.launch(KERNELS, &pairs.kernel("by_key_edges", operator), pairs.warps(session), &arguments)?;
    Ok((out_keys, out, runs as usize))
}

pub(super) fn scan<K: Key, T: Scannable>(
    device: &Device,
    session: &Session,
    (operator, kind): (Operator, Kind),
    keys: &dyn Input<K>,
    values: &dyn Input<T>,
) -> Result<Buffer<T>, Error> {
    let n = keys.length();
    if n == 0 {
        return Buffer::uninit(device, 0);
    }
    let (keys, values) = (Column::new(session, keys)?, Column::new(session, values)?);
    let out = scan_columns(session, (operator, kind), Pairs::new(session, keys, values)?)?;
    Ok(Buffer::from_allocation(device, out, n))
}

fn scan_columns(session: &Session, (operator, kind): (Operator, Kind), pairs: Pairs) -> Result<Allocation, Error> {
    let out = session.allocate(pairs.n * pairs.values.bytes)?;
    let (tails, ends) = (session.allocate(pairs.tiles * pairs.values.bytes)?, session.allocate(8 * pairs.tiles)?);
    let (open, ends, n) = (tails.argument(), ends.argument(), Argument::U64(pairs.n));
    let launch = |name: &str, shape: Shape, arguments: &[Argument]| {
        session.launch(KERNELS, &pairs.kernel(name, operator), shape, arguments).map(drop)
    };
    launch("by_key_totals", pairs.shape(), &pairs.arguments(&[open, ends, n]))?;
    launch("by_key_carries", Shape::line(1, BLOCK, 0), &[open, ends, Argument::U32(pairs.tiles as u32)])?;
    let exclusive = Argument::U32((kind == Kind::Exclusive).into());
    launch("by_key_scan", pairs.shape(), &pairs.arguments(&[open, out.argument(), n, exclusive]))?;
    Ok(out)
}
