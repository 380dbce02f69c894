//! The GPU rungs: one launch each. See `kernels.cu` for what each rung does.

use super::MAX_WIDTH;
use crate::device::{Argument, Session, Shape};
use crate::kernels::{self, KernelModule};
use crate::{Border, Element, Error, Geometry, tuning};

const KERNELS: &KernelModule = &kernels::CONVOLVE1D;

/// The default number of threads in a block.
const BLOCK: u32 = 256;

/// The default number of elements per thread of `gpu-4-register`. With more elements, a thread loads less for each.
/// That pays if there are enough weights for loads to matter, and enough elements to keep threads on the whole GPU
/// busy. The crossing points were measured.
fn usual_items(tuning: &tuning::Convolve1d, size: u32, n: usize, width: u32) -> u32 {
    let (n, weights) = (n as u64, u64::from(width));
    let &tuning::Crossing { narrow, few, many } = tuning.of_size(size);
    if weights <= narrow || n.saturating_mul(weights * u64::from(size)) <= tuning.few_loads {
        4
    } else if n.saturating_mul(weights.saturating_sub(few)) <= many {
        8
    } else {
        16
    }
}

/// The default number of threads in a block of `gpu-4-register`.
fn usual_block(size: u32, items: u32) -> u32 {
    match items {
        4 => 128,
        8 => 512 / size,
        _ => 64,
    }
}

/// Elements of shared memory for a block of `gpu-4-register`: its tile and halo, with 16-byte gaps after every 128
/// bytes.
fn tile(size: u32, block: u32, items: u32, width: u32) -> u32 {
    let elements = block.saturating_mul(items).saturating_add(width.next_multiple_of(items));
    elements.saturating_add(elements / (128 / size) * (16 / size))
}

/// Threads of a block, and elements per thread, of `gpu-4-register`, given the size and number of elements and the
/// number of weights.
fn register_geometry(
    session: &Session,
    name: &'static str,
    geometry: Geometry,
    (size, n, width): (u32, usize, u32),
) -> Result<(u32, u32), Error> {
    if let Some(items) = geometry.items {
        if ![4, 8, 16].contains(&items) {
            let (value, needs) = (items as usize, "4, 8 or 16");
            return Err(Error::Choice { variant: name, what: "items", value, needs });
        }
        return Ok((geometry.block.unwrap_or(usual_block(size, items)), items));
    }
    let usual = usual_items(&session.tuning().convolve1d, size, n, width);
    let Some(block) = geometry.block else { return Ok((usual_block(size, usual), usual)) };
    // A large block gets as many as fit in shared memory.
    let fits = |items: u32| tile(size, block, items, width).saturating_mul(size) <= session.shared_limit();
    Ok((block, [16, 8].into_iter().find(|&items| items <= usual && fits(items)).unwrap_or(4)))
}

/// The number that kernels use for a border.
pub(crate) fn number(border: Border) -> u32 {
    match border {
        Border::Zero => 0,
        Border::Replicate => 1,
        Border::Reflect => 2,
        Border::Wrap => 3,
    }
}

/// The convolution of `n` elements from the first address to the second; `n` is not 0.
pub(super) fn convolve_into<T: Element>(
    session: &Session,
    name: &'static str,
    (mask, border): (&[T], Border),
    [input, out]: [Argument; 2],
    n: usize,
    geometry: Geometry,
) -> Result<(), Error> {
    let (size, width) = (size_of::<T>() as u32, mask.len() as u32);
    let (block, items) = match name {
        "gpu-4-register" => register_geometry(session, name, geometry, (size, n, width))?,
        _ => (geometry.block.unwrap_or(BLOCK), 1),
    };
    if block == 0 {
        return Err(Error::Block { variant: name.to_owned(), block, needs: "at least 1" });
    }
    // A block that the device does not allow is refused by the device, so its tile may be any size until then.
    let elements = match name {
        "gpu-3-tiled" => block.saturating_add(width - 1),
        "gpu-4-register" => tile(size, block, items, width),
        _ => 0,
    };
    let shape = Shape::cover(n as u64, u64::from(block) * u64::from(items), block, elements.saturating_mul(size));
    let rung = name.trim_start_matches("gpu-").replace('-', "_");
    let kernel = format!("convolve1d_{rung}_{}", T::NAME);
    let [n, width, border] = [Argument::U64(n as u64), Argument::U32(width), Argument::U32(number(border))];
    let arguments = [input, out, n, width, border];
    match name {
        "gpu-1-basic" => {
            let weights = session.allocate_copy(mask)?;
            session.launch(KERNELS, &kernel, shape, &[input, weights.argument(), out, n, width, border])?;
        }
        "gpu-4-register" => {
            let mut weights = [T::ZERO; MAX_WIDTH];
            weights[..mask.len()].copy_from_slice(mask);
            let kernel = format!("convolve1d_{rung}_{items}_{}", T::NAME);
            session.launch_with_array(KERNELS, &kernel, shape, &arguments, &weights)?;
        }
        _ => {
            let constant = format!("convolve1d_mask_{}", T::NAME);
            session.launch_with_constant(KERNELS, (&constant, mask), &kernel, shape, &arguments)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::Tuning;

    fn usual(size: u32, n: usize, width: u32) -> u32 {
        usual_items(&Tuning::of((9, 0)).convolve1d, size, n, width)
    }

    #[test]
    fn more_elements_a_thread_for_wide_masks_and_long_signals() {
        for size in [4, 8] {
            let along = |n: usize| (1..=129).step_by(2).map(move |width| usual(size, n, width));
            assert!(along(1 << 12).all(|items| items == 4), "few elements take many threads");
            for n in [1 << 16, 1 << 20, 1 << 22, 1 << 26, usize::MAX] {
                assert!(along(n).is_sorted(), "{size} {n}");
            }
            assert_eq!(usual(size, 1 << 26, 129), 16);
        }
        assert_eq!((usual(4, 1 << 26, 5), usual(8, 1 << 26, 5)), (8, 4));
    }
}
