//! The bandwidth of a copy: the yardstick for everything bound by memory.

use crate::machine::memory;
use crate::measure::stats::{Clock, Monotonic, Probe, Rule, measure};
use rayon::prelude::*;
use std::convert::Infallible;
use std::sync::OnceLock;
use warpwise_gpu::cuda::{CudaDevice, MemoryPolicy};
use warpwise_gpu::{Device, DeviceError, DevicePtr};

/// Bytes that are copied: many times the size of caches.
const BYTES: usize = 256 << 20;
/// Maximum bytes that a GPU copies, if its memory allows.
const GPU_BYTES: u64 = 2 << 30;

/// Gigabytes per second, read plus written, of a copy on a device: measured once, however often it is requested.
pub(crate) fn rate(device: &str, interrupted: &dyn Fn() -> bool) -> Option<f64> {
    static CPU: OnceLock<Option<f64>> = OnceLock::new();
    static GPU: OnceLock<Option<f64>> = OnceLock::new();
    match device {
        "cpu" => *CPU.get_or_init(|| cpu(interrupted)),
        "cuda" => *GPU.get_or_init(|| gpu(interrupted)),
        _ => None,
    }
}

/// The rate of all cores together.
fn cpu(interrupted: &dyn Fn() -> bool) -> Option<f64> {
    let bytes = BYTES.min(usize::try_from(memory::free() / 4).unwrap_or(BYTES));
    let clock = Monotonic::default();
    let mut probe = Copy { from: vec![1; bytes], to: vec![0; bytes], clock };
    let rule = Rule { time_limit: 0.5, ..Rule::default() };
    let measured = measure(&clock, &rule, interrupted, &mut probe);
    let Ok(measured) = measured;
    #[allow(clippy::cast_precision_loss, reason = "a few hundred million")]
    measured.map(|m| 2.0 * bytes as f64 / m.summary.median / 1e9)
}

/// The rate of the GPU within its memory; nothing if there is not enough memory.
fn gpu(interrupted: &dyn Fn() -> bool) -> Option<f64> {
    let mut device = CudaDevice::open(0, MemoryPolicy::default()).ok()?;
    on(&mut device, GPU_BYTES, interrupted).ok().flatten()
}

fn on(device: &mut dyn Device, most: u64, interrupted: &dyn Fn() -> bool) -> Result<Option<f64>, DeviceError> {
    let mut bytes = most;
    let (from, to) = loop {
        match (device.allocate(bytes), device.allocate(bytes)) {
            (Ok(from), Ok(to)) => break (from, to),
            (Ok(one), Err(error)) | (Err(error), Ok(one)) => {
                device.free(one)?;
                bytes = smaller(bytes).ok_or(error)?;
            }
            (Err(error), Err(_)) => bytes = smaller(bytes).ok_or(error)?,
        }
    };
    device.fill(from, 1, bytes)?;
    let rule = Rule { time_limit: 0.5, ..Rule::default() };
    let measured = measure(&Monotonic::default(), &rule, interrupted, &mut Within { device, from, to, bytes });
    device.free(from)?;
    device.free(to)?;
    #[allow(clippy::cast_precision_loss, reason = "far below 2^53")]
    Ok(measured?.map(|m| 2.0 * bytes as f64 / m.summary.median / 1e9))
}

/// A quarter, as long as that is more than caches hold.
fn smaller(bytes: u64) -> Option<u64> {
    (bytes >= 1 << 22).then_some(bytes / 4)
}

/// A copy from buffer to buffer, timed on the device's clock.
struct Within<'a> {
    device: &'a mut dyn Device,
    from: DevicePtr,
    to: DevicePtr,
    bytes: u64,
}

impl Probe for Within<'_> {
    type Error = DeviceError;

    fn sample(&mut self, calls: u32) -> Result<f64, DeviceError> {
        let begin = self.device.mark()?;
        for _ in 0..calls {
            self.device.copy(self.from, self.to, self.bytes)?;
        }
        let end = self.device.mark()?;
        let took = self.device.elapsed_ms(begin, end)? / 1e3;
        self.device.clear_marks();
        Ok(took)
    }
}

struct Copy {
    from: Vec<u8>,
    to: Vec<u8>,
    clock: Monotonic,
}

impl Probe for Copy {
    type Error = Infallible;

    fn sample(&mut self, calls: u32) -> Result<f64, Infallible> {
        let begin = self.clock.seconds();
        for _ in 0..calls {
            // One piece per thread: only long copies bypass the caches.
            let piece = self.from.len().div_ceil(rayon::current_num_threads()).max(1);
            let pairs = self.to.par_chunks_mut(piece).zip(self.from.par_chunks(piece));
            pairs.for_each(|(to, from)| to.copy_from_slice(from));
            std::hint::black_box(&mut self.to);
        }
        Ok(self.clock.seconds() - begin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpwise_gpu::{Gpu, emulated::EmulatedDevice};

    /// The emulator stands in for a GPU: the code path is tested, not the rate.
    #[test]
    fn a_device_copies_and_gives_its_memory_back() {
        let mut device = EmulatedDevice::new(Gpu::named("h200").unwrap());
        for _ in 0..3 {
            let rate = on(&mut device, 1 << 16, &|| false).unwrap();
            assert!(rate.is_some_and(|rate| rate > 0.0));
        }
        assert_eq!(on(&mut device, 1 << 16, &|| true).unwrap(), None, "an interrupt is heard");
        assert_eq!(
            [smaller(1 << 30), smaller(1 << 21)],
            [Some(1 << 28), None],
            "less where memory is short, to a point"
        );
    }
}
