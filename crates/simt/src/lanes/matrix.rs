//! Matrix instructions of a warp: fragments are collected from the lanes, the product is computed, and spread again.

use super::region::{Addressing, Generic, Reg32, Reg64, Region, bad_access};
use super::wgmma;
use super::{FULL, Flow, Op};
use crate::image::MatrixOp;
use crate::image::event::Access;
use crate::memory;
use crate::mma::{Layout, WmmaFragment, ldmatrix};
use crate::report::FaultKind;
use crate::warp::Warp;

/// Where a matrix lies: added to addresses of the shared window's offsets.
pub(crate) const IN_SHARED: u32 = 1;
/// The address is a 32-bit register.
pub(crate) const ADDRESS_32: u32 = 2;

/// Executes a matrix instruction: `aux` is its number, `a` the address, `d` says where that is (see above), `c` the
/// slot of the stride.
///
/// # Safety
/// As for [`super::Handler`].
pub(crate) unsafe fn matrix(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    let image = warp.launch.image;
    if mask != FULL {
        // All 32 lanes take part, including those that have diverged. They are gathered as for any warp-wide operation.
        match warp.gather(mask, FULL, false) {
            None => return Flow::Leave,
            Some(lanes) if lanes == FULL => {}
            Some(_) => {
                let message = "a matrix instruction needs all 32 lanes of the warp".to_owned();
                return warp.fault(FaultKind::Deadlock, mask.trailing_zeros() as usize, message);
            }
        }
    }
    let slots = &image.slots[op.b as usize..];
    // SAFETY: the decoder listed slots of the widths that these instructions have.
    unsafe {
        match &image.matrix_ops[op.aux as usize] {
            MatrixOp::Mma(spec) => {
                let r = spec.registers();
                let counts = [r.d, r.a, r.b, r.c];
                if spec.is_f64() {
                    product::<u64>(warp, slots, counts, |d, a, b, c| spec.execute_f64(d, a, b, c));
                } else {
                    product::<u32>(warp, slots, counts, |d, a, b, c| spec.execute(d, a, b, c));
                }
                Flow::Next
            }
            MatrixOp::WmmaMma(mma) => {
                let counts = [mma.d.registers, mma.a.registers, mma.b.registers, mma.c.registers];
                if mma.is_f64() {
                    product::<u64>(warp, slots, counts, |d, a, b, c| mma.execute_f64(d, a, b, c));
                } else {
                    product::<u32>(warp, slots, counts, |d, a, b, c| mma.execute(d, a, b, c));
                }
                Flow::Next
            }
            MatrixOp::WmmaLoad { fragment, layout } => wmma_transfer::<false>(warp, op, slots, fragment, *layout),
            MatrixOp::WmmaStore { fragment, layout } => wmma_transfer::<true>(warp, op, slots, fragment, *layout),
            MatrixOp::LoadMatrix { count, transposed } => load_matrix(warp, op, slots, *count, *transposed),
            MatrixOp::StoreMatrix { count, transposed } => store_matrix(warp, op, slots, *count, *transposed),
            MatrixOp::Warpgroup(mma) => wgmma::multiply(warp, op, slots, mma),
            MatrixOp::Transpose => {
                let moved = ldmatrix::movmatrix(&*warp.slot::<[u32; 32]>(slots[1]));
                *warp.slot::<[u32; 32]>(slots[0]) = moved;
                Flow::Next
            }
        }
    }
}

/// Collects three fragments, computes, and spreads the fourth.
///
/// # Safety
/// The slots must hold lanes of type `T`: those of d, a, b and c, in that order.
unsafe fn product<T: super::Lane + Default>(
    warp: &mut Warp<'_>,
    slots: &[u32],
    [d, a, b, c]: [usize; 4],
    f: impl FnOnce(&mut [[T; 32]], &[[T; 32]], &[[T; 32]], &[[T; 32]]),
) {
    // SAFETY: by contract.
    unsafe {
        let collect = |slots: &[u32]| slots.iter().map(|&s| *warp.slot::<[T; 32]>(s)).collect::<Vec<_>>();
        let mut result = vec![[T::default(); 32]; d];
        let (fa, rest) = slots[d..].split_at(a);
        let (fb, rest) = rest.split_at(b);
        f(&mut result, &collect(fa), &collect(fb), &collect(&rest[..c]));
        for (&slot, lanes) in slots.iter().zip(result) {
            *warp.slot::<[T; 32]>(slot) = lanes;
        }
    }
}

/// The generic addresses of the instruction's address operand.
///
/// # Safety
/// As for [`super::Handler`].
unsafe fn addresses(warp: &Warp<'_>, op: &Op) -> [u64; 32] {
    // SAFETY: the decoder says how wide the operand is.
    let raw = unsafe {
        if op.d & ADDRESS_32 != 0 { Reg32::addresses(warp, op).map(u64::from) } else { Reg64::addresses(warp, op) }
    };
    raw.map(|a| if op.d & IN_SHARED != 0 && a < memory::SHARED { a + memory::SHARED } else { a })
}

/// Tells `f` which addresses a matrix access touches: those of rows, or of the fragment's registers if the elements of
/// one are contiguous, else of its elements. Offsets in shared memory if the instruction says shared.
///
/// # Safety
/// As for [`super::Handler`].
pub(crate) unsafe fn accesses(warp: &Warp<'_>, op: &Op, access: &Access, mut f: impl FnMut([u64; 32], u32)) {
    // SAFETY: passed on to the caller.
    let base = unsafe { access.addresses(warp, op) };
    let (fragment, layout) = match &warp.launch.image.matrix_ops[op.aux as usize] {
        MatrixOp::WmmaLoad { fragment, layout } | MatrixOp::WmmaStore { fragment, layout } => (fragment, *layout),
        _ => return f(base, access.bytes),
    };
    let size = u64::from(access.element);
    let offset = |lane: usize, index: usize| {
        let stride = match op.c {
            0 => fragment.default_stride(layout),
            // SAFETY: the decoder chose a 32-bit slot.
            slot => (unsafe { *warp.slot::<u32>(slot).add(lane) }) as usize,
        };
        (fragment.offset(layout, lane, index, stride) as u64).wrapping_mul(size)
    };
    let together = fragment.elements() / fragment.registers;
    let adjacent = (0..32).all(|lane| (1..together).all(|k| offset(lane, k) == offset(lane, 0) + k as u64 * size));
    let step = if adjacent { together } else { 1 };
    for index in (0..fragment.elements()).step_by(step) {
        f(std::array::from_fn(|lane| base[lane].wrapping_add(offset(lane, index))), step as u32 * access.element);
    }
}

/// # Safety
/// As for [`super::Handler`].
unsafe fn wmma_transfer<const STORE: bool>(
    warp: &mut Warp<'_>,
    op: &Op,
    slots: &[u32],
    fragment: &WmmaFragment,
    layout: Layout,
) -> Flow {
    let bits = fragment.element.bits() as usize;
    let (size, wide) = (bits.div_ceil(8), bits == 64);
    let per_register = if wide { 1 } else { 32 / bits };
    // SAFETY: the decoder chose the slots so; pointers are vouched for by the region.
    unsafe {
        let base = addresses(warp, op);
        for (lane, base) in base.into_iter().enumerate() {
            let stride = match op.c {
                0 => fragment.default_stride(layout),
                slot => *warp.slot::<u32>(slot).add(lane) as usize,
            };
            for index in 0..fragment.elements() {
                let offset = fragment.offset(layout, lane, index, stride);
                let address = base.wrapping_add((offset * size) as u64);
                let host =
                    Generic::host(warp, lane, address, size as u64).filter(|_| address.is_multiple_of(size as u64));
                let Some(host) = host else {
                    let what = if STORE { "matrix store" } else { "matrix load" };
                    return bad_access::<Generic>(warp, lane, address, size as u64, what);
                };
                let slot = slots[index / per_register];
                let part = lane * if wide { 8 } else { 4 } + index % per_register * size;
                let register = warp.slot::<u8>(slot).add(part);
                let (from, to) = if STORE { (register, host) } else { (host, register) };
                std::ptr::copy_nonoverlapping(from, to, size);
            }
        }
    }
    Flow::Next
}

/// The host's pointer to a row of eight 16-bit elements.
///
/// # Safety
/// As for [`super::Handler`].
unsafe fn row(
    warp: &mut Warp<'_>,
    addresses: &[u64; 32],
    matrix: usize,
    row: usize,
    what: &str,
) -> Result<*mut [u16; 8], Flow> {
    let lane = ldmatrix::row_address_lane(matrix, row);
    let address = addresses[lane];
    match Generic::host(warp, lane, address, 16).filter(|_| address.is_multiple_of(16)) {
        Some(host) => Ok(host.cast()),
        None => Err(bad_access::<Generic>(warp, lane, address, 16, what)),
    }
}

/// # Safety
/// As for [`super::Handler`].
unsafe fn load_matrix(warp: &mut Warp<'_>, op: &Op, slots: &[u32], count: usize, transposed: bool) -> Flow {
    // SAFETY: the decoder chose 32-bit slots; `row` vouches for 16 bytes.
    unsafe {
        let addresses = addresses(warp, op);
        for (matrix, &slot) in slots[..count].iter().enumerate() {
            let mut rows = [[0u16; 8]; 8];
            for (r, values) in rows.iter_mut().enumerate() {
                match row(warp, &addresses, matrix, r, "matrix load") {
                    Ok(p) => *values = p.read_unaligned(),
                    Err(flow) => return flow,
                }
            }
            *warp.slot::<[u32; 32]>(slot) = ldmatrix::distribute(&rows, transposed);
        }
    }
    Flow::Next
}

/// # Safety
/// As for [`super::Handler`].
unsafe fn store_matrix(warp: &mut Warp<'_>, op: &Op, slots: &[u32], count: usize, transposed: bool) -> Flow {
    // SAFETY: the decoder chose 32-bit slots; `row` vouches for 16 bytes.
    unsafe {
        let addresses = addresses(warp, op);
        for (matrix, &slot) in slots[..count].iter().enumerate() {
            let rows = ldmatrix::collect(&*warp.slot::<[u32; 32]>(slot), transposed);
            for (r, values) in rows.iter().enumerate() {
                match row(warp, &addresses, matrix, r, "matrix store") {
                    Ok(p) => p.write_unaligned(*values),
                    Err(flow) => return flow,
                }
            }
        }
    }
    Flow::Next
}
