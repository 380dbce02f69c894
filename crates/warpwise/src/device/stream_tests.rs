use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use super::*;
use crate::device::lazy_gpu::LazyGpu;
use crate::{Buffer, map, reduce, scan, sort};

const N: usize = 1000;

fn lazy() -> Device {
    Device::on(Box::new(LazyGpu::new()))
}

fn ones(device: &Device) -> Buffer<i32> {
    Buffer::from_slice(device, &vec![1; N]).unwrap()
}

#[test]
fn streams_can_be_shared() {
    fn shared<T: Send + Sync>() {}
    shared::<Stream>();
    shared::<Pending<Buffer<f32>>>();
}

#[test]
fn a_lazy_gpu_does_nothing_that_nobody_waits_for() {
    let device = lazy();
    let (one, two) = (device.stream().unwrap(), device.stream().unwrap());
    // Two lanes that know nothing of each other: the address alone carries no order.
    let xs = one.call(|device| Ok(ones(device))).wait().unwrap();
    let session = two.device().session().unwrap();
    let there: Vec<i32> = session.download_vec(xs.view(..).unwrap().place().unwrap().1, N).unwrap();
    assert_ne!(there, vec![1; N]);
    assert_eq!(xs.to_vec().unwrap(), vec![1; N]);
}

#[test]
fn what_one_stream_writes_another_reads() {
    let device = lazy();
    let (one, two) = (device.stream().unwrap(), device.stream().unwrap());
    let xs = ones(&device);
    let sums = one.call(move |device| scan::inclusive_buffer(device, &xs));
    let twice = two.call(move |device| scan::inclusive_buffer(device, &sums.wait()?));
    let total = one.call(move |device| reduce::max(device, &twice.wait()?));
    assert_eq!(total.wait().unwrap(), (N * (N + 1) / 2) as i32);
}

#[test]
fn what_is_read_is_written_afterwards() {
    let device = lazy();
    let stream = device.stream().unwrap();
    let xs = Arc::new(ones(&device));
    let reader = Arc::clone(&xs);
    let sums = stream.call(move |device| scan::inclusive_buffer(device, &reader)).wait().unwrap();
    stream.call(|_| Ok(())).wait().unwrap();
    let mut xs = Arc::into_inner(xs).expect("the call is over");
    xs.upload_from(&vec![7; N]).unwrap();
    // The upload is waited for first.
    assert_eq!(xs.to_vec().unwrap(), vec![7; N]);
    assert_eq!(sums.to_vec().unwrap()[N - 1], N as i32);
}

#[test]
fn memory_that_is_dropped_early_is_not_used_again_too_early() {
    let device = lazy();
    let stream = device.stream().unwrap();
    let xs = ones(&device);
    let sums = stream.call(move |device| scan::inclusive_buffer(device, &xs)).wait().unwrap();
    // The same memory, for something else.
    let others = Buffer::from_slice(&device, &vec![9; N]).unwrap();
    assert_eq!(others.to_vec().unwrap(), vec![9; N]);
    assert_eq!(sums.to_vec().unwrap()[N - 1], N as i32);
}

#[test]
fn a_buffer_waits_for_its_own_call_only() {
    let device = lazy();
    let (one, two) = (device.stream().unwrap(), device.stream().unwrap());
    let xs = one.call(|device| Ok(ones(device))).wait().unwrap();
    // The lane is held until the second stream is done with what the first call made.
    let (done, until_done) = mpsc::channel();
    let held = one.call(move |device| {
        let held = device.session().unwrap().lock();
        until_done.recv().unwrap();
        drop(held);
        Ok(())
    });
    let sums = two.call(move |device| {
        let sums = scan::inclusive_buffer(device, &xs)?;
        // It belongs to the lane that is held.
        std::mem::forget(xs);
        Ok(sums)
    });
    let sums = sums.wait().unwrap().to_vec().unwrap();
    done.send(()).unwrap();
    held.wait().unwrap();
    assert_eq!(sums[N - 1], N as i32);
}

#[test]
fn every_kind_of_call_works_on_every_device() {
    for device in [Device::cpu(), Device::emulator(), lazy()] {
        let (one, two) = (device.stream().unwrap(), device.stream().unwrap());
        let xs = Arc::new(Buffer::from_slice(&device, &[3.0_f32, 1.0, 2.0]).unwrap());
        let [a, b, c] = [0; 3].map(|_| Arc::clone(&xs));
        let sorted = one.call(move |device| sort::sort(device, &a));
        let sum = two.call(move |device| reduce::sum(device, &b));
        let squares = one.call(move |device| {
            let squares = crate::expression::x().power(2);
            map::run::<f32>(device, &squares.of(&*c)?)
        });
        assert_eq!(sorted.wait().unwrap(), [1.0, 2.0, 3.0]);
        assert_eq!((sum.wait().unwrap(), squares.wait().unwrap()), (6.0, vec![9.0, 1.0, 4.0]));
        // A buffer of a call is one of the device.
        let zeros = two.call(|device| Buffer::<f32>::zeros(device, 3)).wait().unwrap();
        assert_eq!(reduce::max(&device, &zeros).unwrap(), 0.0);
        let error = one.call(|device| reduce::max::<f32>(device, &[0.0; 0])).wait().unwrap_err();
        assert!(matches!(error, Error::Empty { .. }));
    }
}

#[test]
fn streams_of_one_order_take_turns() {
    for device in [Device::cpu(), Device::emulator()] {
        let streams = [device.stream().unwrap(), device.stream().unwrap()];
        let seen = Arc::new(Mutex::new(Vec::new()));
        for turn in 0..20 {
            let seen = Arc::clone(&seen);
            streams[turn % 2].call(move |_| {
                seen.lock().unwrap().push(turn);
                Ok(())
            });
        }
        streams.iter().for_each(|stream| stream.wait().unwrap());
        assert_eq!(*seen.lock().unwrap(), (0..20).collect::<Vec<_>>());
    }
}

#[test]
fn anything_may_be_dropped_early() {
    for device in [Device::cpu(), Device::emulator(), lazy()] {
        let made = Arc::new(AtomicU32::new(0));
        let (ended, end) = mpsc::channel();
        let stream = device.stream().unwrap();
        for _ in 0..10 {
            let (made, ended) = (Arc::clone(&made), ended.clone());
            // Nobody keeps the result.
            drop(stream.call(move |device| {
                let sums = scan::inclusive_buffer(device, &ones(device))?;
                made.fetch_add(1, Ordering::Relaxed);
                ended.send(()).unwrap();
                Ok(sums)
            }));
        }
        drop((stream, device, ended));
        assert_eq!((end.iter().count(), made.load(Ordering::Relaxed)), (10, 10));
    }
}

#[test]
fn a_call_that_panics_stops_only_itself() {
    for device in [Device::cpu(), lazy()] {
        let stream = device.stream().unwrap();
        let panics = stream.call(|_| -> Result<(), Error> { panic!("on purpose") });
        let after = stream.call(|device| reduce::max(device, &[1, 5]));
        assert_eq!(after.wait().unwrap(), 5);
        let panic = catch_unwind(AssertUnwindSafe(|| panics.wait())).unwrap_err();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"on purpose"));
    }
}

#[test]
fn a_call_within_a_call_is_made_at_once() {
    for device in [Device::cpu(), Device::emulator(), lazy()] {
        let stream = Arc::new(device.stream().unwrap());
        let inner = Arc::clone(&stream);
        let outer = stream.call(move |_| inner.call(|device| reduce::max(device, &[2, 3])).wait());
        assert_eq!(outer.wait().unwrap(), 3);
    }
}
