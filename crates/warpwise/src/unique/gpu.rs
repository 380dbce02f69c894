//! Runs on a GPU: how many begin in each tile, the sums of these, and where they begin.

use crate::device::{Argument, Session, Shape, Staged};
use crate::kernels::{self, KernelModule};
use crate::scan::{Kind, Scan};
use crate::sort::Key;
use crate::{Buffer, Device, Error, Input};

const KERNELS: &KernelModule = &kernels::UNIQUE;

/// Threads of a block, and elements of a tile.
const BLOCK: u32 = 256;
const TILE: u64 = 2048;

pub(super) fn run_lengths<K: Key>(
    device: &Device,
    session: &Session,
    xs: &dyn Input<K>,
) -> Result<(Buffer<K>, Buffer<u64>), Error> {
    let n = xs.length();
    if n == 0 {
        return Ok((Buffer::uninit(device, 0)?, Buffer::uninit(device, 0)?));
    }
    let xs = Staged::new(session, xs)?;
    let (starts, runs) = starts(device, session, xs.argument(), n as u64, size_of::<K>(), K::IS_FLOAT)?;
    let starts = Staged::new(session, &starts)?;
    let (elements, lengths) = (session.allocate((runs * size_of::<K>()) as u64)?, session.allocate(8 * runs as u64)?);
    let most = u64::from(session.multiprocessors()) * 8;
    let shape = Shape::line((runs as u64).div_ceil(BLOCK.into()).min(most) as u32, BLOCK, 0);
    let count = Argument::U64(runs as u64);
    let arguments = [xs.argument(), starts.argument(), elements.argument(), count];
    session.launch(KERNELS, &format!("unique_gather_u{}", 8 * size_of::<K>()), shape, &arguments)?;
    let arguments = [starts.argument(), lengths.argument(), count, Argument::U64(n as u64)];
    session.launch(KERNELS, "unique_lengths", shape, &arguments)?;
    Ok((Buffer::from_allocation(device, elements, runs), Buffer::from_allocation(device, lengths, runs)))
}

/// Where runs begin, in memory for as many as there are elements, and how many there are.
fn starts(
    device: &Device,
    session: &Session,
    xs: Argument,
    n: u64,
    bytes: usize,
    floats: bool,
) -> Result<(Buffer<u64>, usize), Error> {
    let (tiles, floats) = (n.div_ceil(TILE), Argument::U32(floats.into()));
    let shape = Shape::cover(n, TILE, BLOCK, 0);
    let counts = session.allocate(8 * tiles)?;
    let arguments = [xs, counts.argument(), Argument::U64(n), floats];
    session.launch(KERNELS, &format!("unique_count_u{}", 8 * bytes), shape, &arguments)?;
    let counts = Buffer::<u64>::from_allocation(device, counts, tiles as usize);
    let last = counts.view(tiles as usize - 1..)?.to_host()?[0];
    let before = Scan::new().kind(Kind::Exclusive).run_buffer(device, &counts)?;
    let runs = before.view(tiles as usize - 1..)?.to_host()?[0] + last;
    let starts = session.allocate(8 * runs)?;
    let before = Staged::new(session, &before)?;
    let arguments = [xs, before.argument(), starts.argument(), Argument::U64(n), floats];
    session.launch(KERNELS, &format!("unique_starts_u{}", 8 * bytes), shape, &arguments)?;
    Ok((Buffer::from_allocation(device, starts, runs as usize), runs as usize))
}
