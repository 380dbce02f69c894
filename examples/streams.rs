//! The same calls on one stream, on two and on four. On a GPU they overlap: data of one call goes up while another one is
//! computed and a third comes down, and products too small to fill a GPU run side by side. On the CPU they take turns.
//!
//! ```text
//! cargo run --release -p warpwise --example streams
//! ```

use std::sync::Arc;
use std::time::Instant;

use warpwise::matmul::{Matmul, Matrix};
use warpwise::{Buffer, Device, Error, Pending, Stream, reduce, scan};

/// Sums of vectors in host memory: each goes to the device and back.
fn sums(stream: &Stream, xs: &Arc<Vec<f32>>) -> Pending<f32> {
    let xs = Arc::clone(xs);
    stream.call(move |device| Ok(scan::inclusive(device, &*xs)?.last().copied().unwrap_or(0.0)))
}

/// Products of small matrices, which stay on the device.
fn products(stream: &Stream, a: &Arc<Buffer<f32>>) -> Pending<f32> {
    let a = Arc::clone(a);
    stream.call(move |device| {
        let a = Matrix::new(&*a, 256, 256)?;
        let mut c = Matmul::new().run_buffer(device, &a, &a)?;
        for _ in 0..20 {
            c = Matmul::new().run_buffer(device, &Matrix::new(&c, 256, 256)?, &a)?;
        }
        reduce::max(device, &c)
    })
}

/// Milliseconds for that many calls, dealt out to the streams, and what they gave.
fn time(streams: &[Stream], calls: usize, call: impl Fn(&Stream) -> Pending<f32>) -> Result<(f64, Vec<f32>), Error> {
    let since = Instant::now();
    let pending: Vec<_> = (0..calls).map(|i| call(&streams[i % streams.len()])).collect();
    let found = pending.into_iter().map(Pending::wait).collect::<Result<_, _>>()?;
    Ok((since.elapsed().as_secs_f64() * 1e3, found))
}

fn main() -> Result<(), Error> {
    let device = Device::best();
    let len = if device.is_cpu() { 1 << 16 } else { 8 << 20 };
    let xs = Arc::new(vec![1.0; len]);
    // A permutation: products of it are permutations, too.
    let mut cycle = vec![0.0; 256 * 256];
    (0..256).for_each(|i| cycle[i * 256 + (i + 1) % 256] = 1.0);
    let a = Arc::new(Buffer::from_slice(&device, &cycle)?);
    println!("on the {}, milliseconds for 16 calls", device.name());
    for count in [1, 2, 4] {
        let streams = (0..count).map(|_| device.stream()).collect::<Result<Vec<_>, _>>()?;
        // Once before, so that kernels are compiled and memory is there.
        time(&streams, 2 * count, |stream| sums(stream, &xs))?;
        time(&streams, 2 * count, |stream| products(stream, &a))?;
        let (up_and_down, last) = time(&streams, 16, |stream| sums(stream, &xs))?;
        let (small, largest) = time(&streams, 16, |stream| products(stream, &a))?;
        assert!(last.iter().all(|&sum| sum == len as f32) && largest.iter().all(|&one| one == 1.0));
        println!("streams {count}: sums up and down {up_and_down:.2}, small products {small:.2}");
    }
    Ok(())
}
