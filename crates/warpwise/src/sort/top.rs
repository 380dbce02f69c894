//! The largest elements.

use std::cmp::Reverse;

use super::{Key, Sort};
use crate::{Buffer, Device, Error, Input, threads};

/// Elements of a task.
const TASK: usize = 1 << 16;

/// The `k` largest elements, the largest first: the first ones of a [`Sort`] with the highest first, where NaNs come before
/// all numbers. All elements, if there are fewer.
///
/// ```
/// use warpwise::{Device, sort};
///
/// assert_eq!(sort::top_k(&Device::best(), &[3, 1, 4, 1, 5, 9], 2)?, [9, 5]);
/// assert_eq!(sort::top_k(&Device::emulator(), &[0.5, -1.0], 9)?, [0.5, -1.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn top_k<K: Key>(device: &Device, xs: &(impl Input<K> + ?Sized), k: usize) -> Result<Vec<K>, Error> {
    let input: &dyn Input<K> = &xs;
    if device.is_cpu() {
        return on_cpu(&input.for_cpu()?, k);
    }
    let mut top = vec![K::ZERO; k.min(input.length())];
    Sort::new().descending(true).run_buffer(device, xs)?.view(..top.len())?.download_into(&mut top)?;
    Ok(top)
}

/// Like [`top_k`], but the result stays on the device.
///
/// ```
/// use warpwise::{Device, reduce, sort};
///
/// let device = Device::emulator();
/// let top = sort::top_k_buffer(&device, &[3_i32, 1, 4, 1, 5, 9], 3)?;
/// assert_eq!(reduce::sum(&device, &top)?, 18);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn top_k_buffer<K: Key>(device: &Device, xs: &(impl Input<K> + ?Sized), k: usize) -> Result<Buffer<K>, Error> {
    if device.is_cpu() {
        return Ok(Buffer::from_vec(top_k(device, xs, k)?));
    }
    let sorted = Sort::new().descending(true).run_buffer(device, xs)?;
    sorted.view(..k.min(sorted.len()))?.to(device)
}

/// The largest of each task, and of these the largest.
fn on_cpu<K: Key>(xs: &[K], k: usize) -> Result<Vec<K>, Error> {
    let tasks = xs.len().div_ceil(TASK);
    let mut few = if k.saturating_mul(4 * tasks) < xs.len() {
        let of_tasks = threads::map(tasks, xs.len(), |task| {
            let mut own: Vec<K::Word> =
                xs[task * TASK..xs.len().min((task + 1) * TASK)].iter().map(|x| x.ordered()).collect();
            if k < own.len() {
                own.select_nth_unstable_by_key(k, |&word| Reverse(word));
            }
            own.truncate(k);
            own
        });
        of_tasks.concat().into_iter().map(K::restored).collect()
    } else {
        xs.to_vec()
    };
    few = Sort::new().descending(true).run(&Device::cpu(), &few)?;
    few.truncate(k);
    Ok(few)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn the_first_of_all_sorted() {
        for device in [Device::cpu(), Device::emulator()] {
            for n in [0, 1, 10, 1000, 200_000] {
                if n > 1000 && !device.is_cpu() {
                    continue;
                }
                let mut random = Random::new(n as u64);
                let mut xs: Vec<f32> = (0..n).map(|_| random.below(50_000) as f32 - 25_000.0).collect();
                xs.extend([f32::NAN, f32::NEG_INFINITY, -0.0, 0.0]);
                let right = Sort::new().descending(true).run(&Device::cpu(), &xs).unwrap();
                for k in [0, 1, 5, 100, usize::MAX] {
                    let top = top_k(&device, &xs, k).unwrap();
                    let bits = |values: &[f32]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                    assert_eq!(bits(&top), bits(&right[..k.min(xs.len())]), "{k} of {n}");
                    assert_eq!(bits(&top_k_buffer(&device, &xs, k).unwrap().to_vec().unwrap()), bits(&top));
                }
            }
        }
    }
}
