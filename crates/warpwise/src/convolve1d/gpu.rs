//! The GPU rungs: one launch each. See `kernels.cu` for what each rung does.

use crate::device::{Allocation, Argument, KernelModule, Session, Shape};
use crate::{Border, Element, Error, Geometry};

pub(crate) const KERNELS: KernelModule = KernelModule { name: "convolve1d", ptx: include_str!("kernels.ptx") };

/// Threads of a block where the caller does not say. With half of them, tiles of f64 leave room for more blocks, which
/// pays until a wide mask makes the halo large (measured on an H200).
fn usual_block(name: &str, size: u32, width: u32) -> u32 {
    if name == "gpu-4-register" && size == 8 && width < 64 { 128 } else { 256 }
}

/// Elements that a thread of `gpu-4-register` makes.
const ITEMS: u32 = 8;

/// Elements of shared memory that so many take up with the gaps of `gpu-4-register`: one after every 128 bytes.
fn with_gaps(elements: u32, size: u32) -> u32 {
    elements.saturating_add(elements / (128 / size))
}

/// How kernels call a border.
pub(crate) fn number(border: Border) -> u32 {
    match border {
        Border::Zero => 0,
        Border::Replicate => 1,
        Border::Reflect => 2,
        Border::Wrap => 3,
    }
}

/// The convolution of `n` elements at `input`; `n` is not 0, and the mask has been checked.
pub(super) fn convolve<T: Element>(
    session: &Session,
    name: &'static str,
    filter: (&[T], Border),
    input: Argument,
    n: usize,
    geometry: Geometry,
) -> Result<Allocation, Error> {
    let out = session.allocate((n * size_of::<T>()) as u64)?;
    convolve_into(session, name, filter, [input, out.argument()], n, geometry)?;
    Ok(out)
}

/// As [`convolve`], into memory that is there.
pub(super) fn convolve_into<T: Element>(
    session: &Session,
    name: &'static str,
    (mask, border): (&[T], Border),
    [input, out]: [Argument; 2],
    n: usize,
    geometry: Geometry,
) -> Result<(), Error> {
    let (size, width) = (size_of::<T>() as u32, mask.len() as u32);
    let block = geometry.block.unwrap_or(usual_block(name, size, width));
    if block == 0 {
        return Err(Error::Block { variant: name.to_owned(), block, needs: "at least 1" });
    }
    // A block that the device does not allow is refused by the device, so its tile may be any size until then.
    let (items, elements) = match name {
        "gpu-3-tiled" => (1, block.saturating_add(width - 1)),
        "gpu-4-register" => (ITEMS, with_gaps(block.saturating_mul(ITEMS).saturating_add(width - 1), size)),
        _ => (1, 0),
    };
    let shape = Shape::cover(n as u64, u64::from(block) * u64::from(items), block, elements.saturating_mul(size));
    let kernel = format!("convolve1d_{}_{}", name.trim_start_matches("gpu-").replace('-', "_"), T::NAME);
    let [n, width, border] = [Argument::U64(n as u64), Argument::U32(width), Argument::U32(number(border))];
    if name == "gpu-1-basic" {
        let weights = session.allocate_copy(mask)?;
        let arguments = [input, weights.argument(), out, n, width, border];
        session.launch(KERNELS, &kernel, shape, &arguments)?;
    } else {
        let constant = format!("convolve1d_mask_{}", T::NAME);
        let arguments = [input, out, n, width, border];
        session.launch_with_constant(KERNELS, (&constant, mask), &kernel, shape, &arguments)?;
    }
    Ok(())
}
