//! The radiator: every rank has some of the rows, which are independent of each other.

use warpwise::Device;
use warpwise::radiator::{Radiate, Radiator, Temperature, cpu};

use crate::Error;
use crate::parts::Parts;
use crate::redistribute::zeros;

/// This rank's rows before the first step.
///
/// ```
/// use warpwise::radiator::{Preset, Radiator};
/// use warpwise_cluster::{Parts, radiator};
///
/// let whole = Radiator::new(Preset::Year2025, 5, 8)?;
/// let rows = radiator::start::<f32>(&whole, Parts::new(5, 2), 1);
/// assert_eq!(rows, whole.start::<f32>()[24..]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn start<T: Temperature>(radiator: &Radiator, parts: Parts, rank: usize) -> Vec<T> {
    let (n, m) = (radiator.rows(), radiator.columns());
    let rows = parts.of(rank);
    let mut grid = zeros::<T>(rows.len() * m);
    for (row, i) in grid.chunks_mut(m.max(1)).zip(rows) {
        for (j, x) in row.iter_mut().enumerate() {
            *x = T::from_f64(radiator.preset().start(i, j, n, m));
        }
    }
    grid
}

/// Takes this rank's rows through that many steps.
///
/// # Errors
///
/// A number of elements that is no whole number of rows, and what the device says.
///
/// ```
/// use warpwise::Device;
/// use warpwise::radiator::{Preset, Radiator, cpu};
/// use warpwise_cluster::{Communicator, Parts, Threads, radiator};
///
/// let whole = Radiator::new(Preset::Year2019, 40, 100)?;
/// let parts = Threads::run(3, |ranks| {
///     let mut rows = radiator::start::<f64>(&whole, Parts::new(40, 3), ranks.rank());
///     radiator::advance(&Device::cpu(), &whole, 20, &mut rows).unwrap();
///     rows
/// });
/// let mut alone = whole.start::<f64>();
/// cpu::par(&whole, 20, &mut alone)?;
/// assert_eq!(parts.concat(), alone);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn advance<T: Temperature>(
    device: &Device,
    radiator: &Radiator,
    iterations: usize,
    rows: &mut [T],
) -> Result<(), Error> {
    if device.is_cpu() {
        return Ok(cpu::par_rows(radiator, iterations, rows)?);
    }
    let mine = Radiator::new(radiator.preset(), rows.len() / radiator.columns().max(1), radiator.columns())?;
    let mut simulation = Radiate::new().start(device, mine)?;
    simulation.set_values(rows)?;
    simulation.run(iterations)?;
    rows.copy_from_slice(&simulation.values()?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Communicator, Threads};
    use warpwise::radiator::Preset;

    fn same<T: Temperature>(device: &Device, numbers: &[usize], rows: usize, columns: usize) {
        for preset in Preset::ALL {
            let whole = Radiator::new(preset, rows, columns).unwrap();
            let alone = Radiate::new().run::<T>(device, whole, 13).unwrap();
            for &ranks in numbers {
                let parts = Threads::run(ranks, |comm| {
                    let mut mine = start::<T>(&whole, Parts::new(rows, ranks), comm.rank());
                    // In two pieces, as between checkpoints.
                    advance(device, &whole, 6, &mut mine).unwrap();
                    advance(device, &whole, 7, &mut mine).unwrap();
                    mine
                });
                let found = parts.concat();
                let [a, b]: [&[u8]; 2] = [&alone, &found].map(|xs| bytemuck::cast_slice(xs));
                assert!(a == b, "{} {rows}x{columns} {ranks}", T::NAME);
            }
        }
    }

    #[test]
    fn rows_have_the_bits_of_one_machine() {
        for (rows, columns) in [(0, 5), (1, 40), (5, 3), (7, 17), (40, 33), (33, 130), (64, 16)] {
            same::<f32>(&Device::cpu(), &[1, 2, 3, 4, 7, 8], rows, columns);
            same::<f64>(&Device::cpu(), &[1, 2, 3, 4, 7, 8], rows, columns);
        }
    }

    #[test]
    fn gpus_give_the_bits_of_one_gpu() {
        for (rows, columns) in [(0, 5), (2, 40), (33, 130)] {
            same::<f32>(&Device::emulator(), &[1, 3], rows, columns);
            same::<f64>(&Device::emulator(), &[1, 3], rows, columns);
        }
    }
}
