//! `wgmma.mma_async`: a product of four warps whose matrices lie in shared memory.
//!
//! Each warp makes 16 of the 64 rows, and here each does so by itself, at once: the rows of A that are its own, all of
//! B. Kernels must not look at the result before `wgmma.wait_group`; the emulator does not notice if they do.

use super::region::{Region, Shared, bad_access};
use super::{Flow, Op};
use crate::image::Wgmma;
use crate::mma::{Element, Shape, layout, product};
use crate::report::FaultKind;
use crate::warp::Warp;

/// Rows of A that one warp multiplies.
const ROWS: usize = 16;
/// Columns that are multiplied at a time: a group of eight rows of the transposed B.
const GROUP: usize = 8;
/// Bytes of a row of a core matrix.
const PIECE: u64 = 16;

/// What a 64-bit matrix descriptor says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Descriptor {
    start: u64,
    /// From one core matrix to the next along k.
    along: u64,
    /// From one group of eight rows to the next.
    down: u64,
}

impl Descriptor {
    /// Reads a descriptor; the reason where the emulator cannot follow it.
    fn unpack(bits: u64) -> Result<Self, String> {
        let field = |at: u32| (bits >> at & 0x3fff) << 4;
        match bits >> 62 {
            0 => Ok(Self { start: field(0), along: field(16), down: field(32) }),
            mode => Err(format!("the emulator reads matrices without swizzling (mode 0), not in mode {mode}")),
        }
    }

    /// The offset in shared memory of the 16 bytes of a row that are the n-th along k.
    fn piece(&self, row: usize, n: u64) -> u64 {
        self.start + (row / 8) as u64 * self.down + n * self.along + (row % 8) as u64 * PIECE
    }
}

/// The descriptors of A (where it is in shared memory) and B, the same in all lanes.
///
/// # Safety
/// As for [`super::Handler`].
unsafe fn descriptors(warp: &Warp<'_>, op: &Op, mma: &Wgmma) -> Result<(Option<Descriptor>, Descriptor), String> {
    // SAFETY: the decoder chose 64-bit slots.
    let read = |slot: u32| Descriptor::unpack(unsafe { *warp.slot::<u64>(slot) });
    let a = if mma.a_in_registers { None } else { Some(read(op.a)?) };
    Ok((a, read(op.d)?))
}

/// Tells `f` which 16-byte pieces of shared memory a product reads, 32 at a time.
///
/// # Safety
/// As for [`super::Handler`].
pub(crate) unsafe fn pieces(warp: &Warp<'_>, op: &Op, mma: &Wgmma, mut f: impl FnMut(u32, [u64; 32])) {
    // SAFETY: passed on to the caller.
    let Ok((a, b)) = (unsafe { descriptors(warp, op, mma) }) else { return };
    let pieces = mma.row_bytes() / PIECE;
    let mut all = Vec::with_capacity((ROWS + mma.n) * pieces as usize);
    let first = warp.index as usize % 4 * ROWS;
    for (descriptor, rows) in a.map(|a| (a, first..first + ROWS)).into_iter().chain([(b, 0..mma.n)]) {
        for n in 0..pieces {
            all.extend(rows.clone().map(|row| descriptor.piece(row, n)));
        }
    }
    for chunk in all.chunks(32) {
        let mut addresses = [0; 32];
        addresses[..chunk.len()].copy_from_slice(chunk);
        f(u32::MAX >> (32 - chunk.len()), addresses);
    }
}

/// The elements of rows of a matrix in shared memory, row after row.
fn rows(
    warp: &mut Warp<'_>,
    mma: &Wgmma,
    descriptor: Descriptor,
    rows: std::ops::Range<usize>,
    negate: bool,
) -> Result<Vec<f64>, Flow> {
    let size = mma.element.bits() as usize / 8;
    let per_piece = PIECE as usize / size;
    let mut values = Vec::with_capacity(rows.len() * mma.k);
    for row in rows {
        for n in 0..mma.row_bytes() / PIECE {
            let address = descriptor.piece(row, n);
            let Some(host) = Shared::range(warp, address, PIECE) else {
                return Err(bad_access::<Shared>(warp, 0, address, PIECE, "matrix load"));
            };
            for e in 0..per_piece {
                // SAFETY: `range` vouches for 16 bytes; an element has two or four.
                let bits = unsafe {
                    match size {
                        2 => host.add(e * 2).cast::<u16>().read_unaligned().into(),
                        _ => host.add(e * 4).cast::<u32>().read_unaligned(),
                    }
                };
                let value = mma.element.to_f64(bits);
                values.push(if negate { -value } else { value });
            }
        }
    }
    Ok(values)
}

/// Executes a product: `a` and `d` are the descriptors of A and B, `c` the predicate that says whether the accumulator
/// counts; `slots` are those of the accumulator, then of A where it is in registers.
///
/// # Safety
/// As for [`super::Handler`].
pub(crate) unsafe fn multiply(warp: &mut Warp<'_>, op: &Op, slots: &[u32], mma: &Wgmma) -> Flow {
    // SAFETY: passed on to the caller; the decoder listed 32-bit slots.
    unsafe {
        let (a, b) = match descriptors(warp, op, mma) {
            Ok(found) => found,
            Err(message) => return warp.fault(FaultKind::Unsupported, 0, message),
        };
        let first = warp.index as usize % 4 * ROWS;
        let a = match a {
            Some(a) => rows(warp, mma, a, first..first + ROWS, mma.negate_a),
            None => Ok(from_registers(warp, mma, &slots[mma.accumulators()..])),
        };
        let (a, columns) = match (a, rows(warp, mma, b, 0..mma.n, mma.negate_b)) {
            (Ok(a), Ok(columns)) => (a, columns),
            (Err(flow), _) | (_, Err(flow)) => return flow,
        };
        let adds = warp.pred(op.c) & 1 != u32::from(mma.unless);
        let shape = Shape { m: ROWS, n: GROUP, k: mma.k };
        for (columns, slots) in columns.chunks_exact(GROUP * mma.k).zip(slots[..mma.accumulators()].chunks_exact(4)) {
            let mut b = vec![0.0; GROUP * mma.k];
            for (n, column) in columns.chunks_exact(mma.k).enumerate() {
                for (k, &value) in column.iter().enumerate() {
                    b[k * GROUP + n] = value;
                }
            }
            let mut sums = [0.0; ROWS * GROUP];
            let place = |lane: usize, index: usize| {
                let (row, column) = layout::c(lane, index);
                row * GROUP + column
            };
            for (index, &slot) in slots.iter().enumerate().filter(|_| adds) {
                for (lane, &bits) in (*warp.slot::<[u32; 32]>(slot)).iter().enumerate() {
                    sums[place(lane, index)] = Element::F32.to_f64(bits);
                }
            }
            product::float(shape, &a, &b, &mut sums);
            for (index, &slot) in slots.iter().enumerate() {
                *warp.slot::<[u32; 32]>(slot) =
                    std::array::from_fn(|lane| Element::F32.round_f64(sums[place(lane, index)]));
            }
        }
    }
    Flow::Next
}

/// The rows of A that are in the registers of the lanes.
///
/// # Safety
/// The slots must be those of four registers of 32-bit lanes.
unsafe fn from_registers(warp: &Warp<'_>, mma: &Wgmma, slots: &[u32]) -> Vec<f64> {
    let per = mma.element.per_register();
    let mut values = vec![0.0; ROWS * mma.k];
    for index in 0..4 * per {
        // SAFETY: by contract.
        let lanes = unsafe { *warp.slot::<[u32; 32]>(slots[index / per]) };
        for (lane, &bits) in lanes.iter().enumerate() {
            let (row, k) = layout::a(mma.element, true, lane, index);
            let value = mma.element.to_f64(mma.element.extract(bits, index % per));
            values[row * mma.k + k] = if mma.negate_a { -value } else { value };
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_say_where_pieces_are() {
        let bits = 0x1000 >> 4 | (2048 >> 4) << 16 | (128 >> 4) << 32;
        let descriptor = Descriptor::unpack(bits).expect("no swizzling");
        assert_eq!(descriptor.piece(0, 0), 0x1000);
        assert_eq!(descriptor.piece(9, 1), 0x1000 + 128 + 16 + 2048);
        assert!(Descriptor::unpack(bits | 1 << 62).is_err());
    }
}
