//! Jobs in parts on the emulator: in order, and with three threads as on a device that copies while it computes.

use super::{Part, Rows};
use crate::device::{Device, Session};
use crate::{Error, Geometry, vecadd};
use std::sync::atomic::{AtomicUsize, Ordering};
use warpwise_gpu::{Copier, DeviceError, DevicePtr, Fence};

/// Copies through the session, and fails at one of the copies.
struct Through {
    session: Session,
    left: AtomicUsize,
}

impl Through {
    fn count(&self) -> Result<(), DeviceError> {
        let left = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        left.map(drop).map_err(|_| DeviceError::Lost)
    }
}

impl Copier for Through {
    fn upload(&self, pieces: &[(DevicePtr, &[u8])], arrived: &(dyn Fn(usize) + Sync)) -> Result<(), DeviceError> {
        // Pairs arrive in reverse order: only parts that are complete may be used.
        let mut order: Vec<usize> = (0..pieces.len()).collect();
        order.chunks_mut(2).for_each(<[usize]>::reverse);
        order.into_iter().try_for_each(|index| {
            self.count()?;
            let (to, bytes) = pieces[index];
            self.session.upload(to, bytes).map_err(|_| DeviceError::Lost)?;
            arrived(index);
            Ok(())
        })
    }

    fn download(
        &self,
        pieces: Vec<(DevicePtr, &mut [u8])>,
        computed: &(dyn Fn(usize) -> bool + Sync),
    ) -> Result<(), DeviceError> {
        for (index, (from, bytes)) in pieces.into_iter().enumerate() {
            if !computed(index) {
                break;
            }
            self.count()?;
            self.session.download(from, bytes).map_err(|_| DeviceError::Lost)?;
        }
        Ok(())
    }

    fn fence(&self) -> Result<Box<dyn Fence>, DeviceError> {
        Ok(Box::new(Now))
    }
}

struct Now;

impl Fence for Now {
    fn wait(&self) -> Result<(), DeviceError> {
        Ok(())
    }
}

/// The sums of two vectors in parts of that many elements, with a halo that is computed for nothing.
fn sums(session: &Session, copier: Option<&dyn Copier>, n: usize, part: usize, halo: usize) -> Result<(), Error> {
    let a: Vec<i32> = (0..n as i32).collect();
    let b: Vec<i32> = (0..n as i32).map(|i| i.wrapping_mul(77)).collect();
    let mut out = vec![-1_i32; n];
    let mut seen = 0;
    let job = Rows {
        inputs: vec![(bytemuck::cast_slice(&a), 4), (bytemuck::cast_slice(&b), 4)],
        output: (bytemuck::cast_slice_mut(&mut out), 4),
        count: n,
        halo,
    };
    session.in_parts_by(copier, job, part, |Part { inputs, output, rows }| {
        seen += rows;
        vecadd::gpu::add_into::<i32>(session, "gpu-grid", [inputs[0], inputs[1], output], rows, Geometry::default())
    })?;
    let parts = n.div_ceil(part);
    assert!(seen >= n && seen <= n + 2 * halo * parts, "{seen} rows");
    assert!(out.iter().enumerate().all(|(i, &sum)| sum == a[i].wrapping_add(b[i])), "{n} in parts of {part}");
    Ok(())
}

#[test]
fn every_row_is_computed_once_whoever_copies() {
    let device = Device::emulator();
    let session = device.session().unwrap();
    let copier = Through { session: session.clone(), left: AtomicUsize::new(usize::MAX) };
    for (n, part, halo) in [(1, 1, 0), (100, 32, 0), (96, 32, 0), (1000, 7, 0), (100, 10, 3), (64, 16, 20), (33, 32, 5)]
    {
        sums(session, None, n, part, halo).unwrap();
        sums(session, Some(&copier), n, part, halo).unwrap();
    }
}

#[test]
fn a_copy_that_fails_ends_the_job_with_its_error() {
    let device = Device::emulator();
    let session = device.session().unwrap();
    for left in [0, 1, 5, 17] {
        let copier = Through { session: session.clone(), left: AtomicUsize::new(left) };
        let ended = sums(session, Some(&copier), 1000, 100, 0);
        assert!(matches!(ended, Err(Error::Lost)), "{left}: {ended:?}");
    }
    sums(session, None, 1000, 100, 0).unwrap();
}

#[test]
fn a_launch_that_fails_ends_the_job_with_its_error() {
    let device = Device::emulator();
    let session = device.session().unwrap();
    let copier = Through { session: session.clone(), left: AtomicUsize::new(usize::MAX) };
    let (xs, mut out) = ([1_u8; 64], [0_u8; 64]);
    let job = Rows { inputs: vec![(&xs, 1)], output: (&mut out, 1), count: 64, halo: 0 };
    let mut left = 3;
    let ended = session.in_parts_by(Some(&copier), job, 8, |_| {
        left -= 1;
        if left == 0 { Err(Error::Lost) } else { Ok(()) }
    });
    assert!(matches!(ended, Err(Error::Lost)), "{ended:?}");
    assert_eq!(left, 0);
}

#[test]
fn only_large_jobs_on_devices_that_can_are_cut() {
    let device = Device::emulator();
    let xs = vec![0_u8; 80 << 20];
    let mut out = vec![0_u8; 80 << 20];
    let job = Rows { inputs: vec![(&xs, 1024)], output: (&mut out, 1024), count: 80 << 10, halo: 0 };
    assert_eq!(job.worth_cutting(device.session().unwrap()), None);
    assert_eq!(job.part_rows(), Some(8 << 10));
    let mut little = [0_u8; 4096];
    let job = Rows { inputs: vec![(&xs[..4096], 4)], output: (&mut little, 4), count: 1024, halo: 0 };
    assert_eq!(job.part_rows(), None);
}
