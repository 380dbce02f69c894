//! Runs of equal keys on a GPU. See `kernels.cu` for what the kernels do.

use crate::device::{Allocation, Argument, Session, Shape, Staged};
use crate::kernels::{self, KernelModule};
use crate::scan::{self, Kind, Scannable};
use crate::sort::Key;
use crate::{Buffer, Device, Error, Input, Operator};

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
    let of = match (operator, T::NAME) {
        (Operator::Sum | Operator::Product, "i32") => "u32",
        (Operator::Sum | Operator::Product, "i64") => "u64",
        (_, own) => own,
    };
    format!("{name}_{}_{of}", operator.name())
}

/// Values of a tile.
fn tile<T>() -> u64 {
    u64::from(BLOCK) * (OWN / size_of::<T>() as u64)
}

/// Keys and values on the device, and where runs begin.
struct Pairs {
    keys: Staged,
    values: Staged,
    bits: Allocation,
    n: u64,
    tiles: u64,
}

impl Pairs {
    fn new<K: Key, T: Scannable>(session: &Session, keys: &dyn Input<K>, values: &dyn Input<T>) -> Result<Self, Error> {
        let n = keys.length() as u64;
        let (keys, values) = (Staged::new(session, keys)?, Staged::new(session, values)?);
        let bits = session.allocate(4 * n.div_ceil(32))?;
        let arguments = [keys.argument(), bits.argument(), Argument::U64(n), Argument::U32(K::IS_FLOAT.into())];
        let most = u64::from(session.multiprocessors()) * 16;
        let shape = Shape::line(n.div_ceil(u64::from(BLOCK) * HEADS_OWN).min(most) as u32, BLOCK, 0);
        session.launch(KERNELS, &format!("by_key_heads_u{}", 8 * size_of::<K>()), shape, &arguments)?;
        Ok(Self { keys, values, bits, n, tiles: n.div_ceil(tile::<T>()) })
    }

    /// Arguments that begin with the bits and the values.
    fn arguments(&self, more: &[Argument]) -> Vec<Argument> {
        [&[self.bits.argument(), self.values.argument()], more].concat()
    }

    /// How many runs begin up to the end of each tile, and in all.
    fn ends<T: Scannable>(&self, device: &Device, session: &Session) -> Result<(Buffer<u64>, usize), Error> {
        let (tiles, words) = (self.tiles as usize, tile::<T>() / 32);
        let counts = session.allocate(8 * self.tiles)?;
        let arguments = [self.bits.argument(), counts.argument(), Argument::U64(self.n), Argument::U32(words as u32)];
        session.launch(KERNELS, "by_key_counts", self.warps(session), &arguments)?;
        let ends = scan::inclusive_buffer(device, &Buffer::<u64>::from_allocation(device, counts, tiles))?;
        let runs = ends.view(tiles - 1..)?.to_host()?[0] as usize;
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
}

pub(super) fn reduce<K: Key, T: Scannable>(
    device: &Device,
    session: &Session,
    operator: Operator,
    keys: &dyn Input<K>,
    values: &dyn Input<T>,
) -> Result<(Buffer<K>, Buffer<T>), Error> {
    let n = keys.length();
    if n == 0 {
        return Ok((Buffer::uninit(device, 0)?, Buffer::uninit(device, 0)?));
    }
    let (size, pairs) = (size_of::<T>() as u64, Pairs::new(session, keys, values)?);
    let (ends, runs) = pairs.ends::<T>(device, session)?;
    let ends = Staged::new(session, &ends)?;
    let (out_keys, out) = (session.allocate((runs * size_of::<K>()) as u64)?, session.allocate(runs as u64 * size)?);
    let (leads, tails) = (session.allocate(pairs.tiles * size)?, session.allocate(pairs.tiles * size)?);
    let [leads_at, tails_at] = [leads.argument(), tails.argument()];
    let of_keys = [pairs.keys.argument(), Argument::U32(size_of::<K>() as u32), out_keys.argument()];
    let rest = [out.argument(), leads_at, tails_at, ends.argument(), Argument::U64(pairs.n)];
    let arguments = pairs.arguments(&[&of_keys[..], &rest].concat());
    session.launch(KERNELS, &kernel::<T>("by_key_reduce", operator), pairs.shape(), &arguments)?;
    let arguments = [leads_at, tails_at, ends.argument(), out.argument(), Argument::U32(pairs.tiles as u32)];
    session.launch(KERNELS, &kernel::<T>("by_key_edges", operator), pairs.warps(session), &arguments)?;
    Ok((Buffer::from_allocation(device, out_keys, runs), Buffer::from_allocation(device, out, runs)))
}

pub(super) fn scan<K: Key, T: Scannable>(
    device: &Device,
    session: &Session,
    (operator, kind): (Operator, Kind),
    keys: &dyn Input<K>,
    values: &dyn Input<T>,
) -> Result<Buffer<T>, Error> {
    let n = keys.length();
    let out = session.allocate((n * size_of::<T>()) as u64)?;
    if n > 0 {
        let pairs = Pairs::new(session, keys, values)?;
        let (tails, ends) =
            (session.allocate(pairs.tiles * size_of::<T>() as u64)?, session.allocate(8 * pairs.tiles)?);
        let (open, ends, n) = (tails.argument(), ends.argument(), Argument::U64(pairs.n));
        let launch = |name: &str, shape: Shape, arguments: &[Argument]| {
            session.launch(KERNELS, &kernel::<T>(name, operator), shape, arguments).map(drop)
        };
        launch("by_key_totals", pairs.shape(), &pairs.arguments(&[open, ends, n]))?;
        launch("by_key_carries", Shape::line(1, BLOCK, 0), &[open, ends, Argument::U32(pairs.tiles as u32)])?;
        let exclusive = Argument::U32((kind == Kind::Exclusive).into());
        launch("by_key_scan", pairs.shape(), &pairs.arguments(&[open, out.argument(), n, exclusive]))?;
    }
    Ok(Buffer::from_allocation(device, out, n))
}
