//! Segments on a GPU. See `kernels.cu` for what the kernels do.

use crate::by_key::kernel;
use crate::device::{Argument, Session, Shape, Staged};
use crate::kernels::{self, KernelModule};
use crate::scan::Scannable;
use crate::sort::{Key, Sort, Value};
use crate::{Buffer, Device, Error, Input, Operator};

const KERNELS: &KernelModule = &kernels::SEGMENTED;

/// Threads of a block, and of one for long segments.
const BLOCK: u32 = 256;
const LONG_BLOCK: u32 = 1024;
/// Elements from which on a segment is a block's.
const LONG: u64 = 1 << 14;
/// Blocks of a multiprocessor.
const BLOCKS_PER_SM: u32 = 32;

pub(super) fn reduce<T: Scannable>(
    device: &Device,
    session: &Session,
    operator: Operator,
    xs: &dyn Input<T>,
    offsets: &dyn Input<u64>,
) -> Result<Buffer<T>, Error> {
    let (n, segments) = (xs.length() as u64, offsets.length().saturating_sub(1));
    let out = Buffer::uninit(device, segments)?;
    if segments == 0 {
        return Ok(out);
    }
    let (xs, offsets) = (Staged::new(session, xs)?, Staged::new(session, offsets)?);
    let mut out = out;
    let landing = crate::device::Landing::new(session, crate::Output::as_target(&mut out))?;
    let (longs, which) = (session.allocate_zeroed::<u64>(1)?, session.allocate(8 * (n / LONG))?);
    let [input, places, to, n_] = [xs.argument(), offsets.argument(), landing.argument(), Argument::U64(n)];
    let (which, longs) = (which.argument(), longs.argument());
    let most = u64::from(session.multiprocessors() * BLOCKS_PER_SM);
    let warps = (segments as u64).div_ceil(u64::from(BLOCK / 32)).min(most);
    let arguments = [input, places, to, Argument::U64(segments as u64), n_, which, longs];
    session.launch(KERNELS, &kernel::<T>("segmented", operator), Shape::line(warps as u32, BLOCK, 0), &arguments)?;
    if n > LONG {
        let blocks = (n / LONG).min(u64::from(2 * session.multiprocessors()));
        let shape = Shape::line(blocks as u32, LONG_BLOCK, 0);
        let arguments = [input, places, to, n_, which, longs];
        session.launch(KERNELS, &kernel::<T>("segmented_long", operator), shape, &arguments)?;
    }
    landing.finish()?;
    Ok(out)
}

/// Sorted as a whole, and then by the segment: stable, so that every segment stays sorted.
pub(super) fn sort<K: Key + Value>(device: &Device, xs: &dyn Input<K>, offsets: &[u64]) -> Result<Vec<K>, Error> {
    let n = xs.length();
    // Elements of no segment are segments of their own.
    let (first, last) = match offsets {
        [first, .., last] => (*first as usize, *last as usize),
        _ => return Ok(xs.on_host()?.into_owned()),
    };
    let mut numbers = vec![0_u32; n];
    for (number, pair) in (first as u32..).zip(offsets.windows(2)) {
        numbers[pair[0] as usize..pair[1] as usize].fill(number);
    }
    let after = first + offsets.len();
    numbers[..first].iter_mut().zip(0..).for_each(|(to, number)| *to = number);
    numbers[last..].iter_mut().zip(after as u32..).for_each(|(to, number)| *to = number);
    let (keys, numbers) = Sort::new().run_pairs(device, &xs, &numbers)?;
    Ok(Sort::new().run_pairs(device, &numbers, &keys)?.1)
}
