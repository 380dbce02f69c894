//! Checks of the device itself: failures are reported as errors, and the next call works.

use super::{Check, Verdict};
use crate::device::Shape;
use crate::kernels::KernelModule;
use crate::{Buffer, Device, Error, reduce};

/// A kernel that stores to an unmapped address.
static FAULTY: KernelModule = KernelModule::plain(
    "faulty",
    ".version 6.0
.target sm_70
.address_size 64
.visible .entry store_nowhere()
{
    .reg .b32 %r;
    .reg .b64 %rd;
    mov.u64 %rd, 16;
    mov.u32 %r, 1;
    st.global.u32 [%rd], %r;
    ret;
}
",
);

/// The checks of a GPU.
pub(super) fn checks() -> Vec<Check> {
    let check = |what: &str, run: fn(&Device) -> Result<(), String>| Check {
        primitive: "device",
        variant: "gpu",
        what: what.to_owned(),
        seed: 0,
        run: Box::new(move |device, _| {
            Ok(match run(device).and_then(|()| works(device)) {
                Ok(()) => Verdict::Passed { max_error: 0.0 },
                Err(problem) => Verdict::Error(problem),
            })
        }),
    };
    vec![
        check("too much memory is refused, less is given", out_of_memory),
        check("a kernel that fails takes no later call down", fault),
        check("a warm loop takes no more memory", warm_loop),
    ]
}

/// A plain call works.
fn works(device: &Device) -> Result<(), String> {
    match reduce::sum(device, &[1_i32, 2, 3, 4]) {
        Ok(10) => Ok(()),
        Ok(other) => Err(format!("1 + 2 + 3 + 4 is {other} afterwards")),
        Err(error) => Err(format!("the next call fails: {error}")),
    }
}

fn out_of_memory(device: &Device) -> Result<(), String> {
    let session = device.session().ok_or("it is no GPU")?;
    let most = 1 << 46;
    match session.allocate(most).map(drop) {
        Err(error @ Error::OutOfMemory { .. }) if error.to_string().contains(&most.to_string()) => Ok(()),
        other => Err(format!("allocating {most} bytes gives {other:?}")),
    }
}

fn fault(device: &Device) -> Result<(), String> {
    let session = device.session().ok_or("it is no GPU")?;
    let before = Buffer::from_slice(device, &[1, 2, 3]).map_err(|error| error.to_string())?;
    let shape = Shape::line(1, 1, 0);
    let outcome = session.launch(&FAULTY, "store_nowhere", shape, &[]).and_then(|_| session.synchronize());
    match outcome {
        Err(Error::Kernel(_)) => {}
        other => return Err(format!("a store to nowhere gives {other:?}")),
    }
    // A real GPU loses its memory with the context; whatever survives must be right.
    match before.to_vec() {
        Err(Error::Lost) => Ok(()),
        Ok(values) if values == [1, 2, 3] => Ok(()),
        other => Err(format!("a buffer from before is {other:?}")),
    }
}

fn warm_loop(device: &Device) -> Result<(), String> {
    let session = device.session().ok_or("it is no GPU")?;
    let numbers: Vec<i32> = (0..100_000).collect();
    let call = || reduce::sum(device, &numbers).map_err(|error| error.to_string());
    call()?;
    let before = session.memory_held();
    for _ in 0..10 {
        call()?;
    }
    match session.memory_held() {
        after if after == before => Ok(()),
        after => Err(format!("{before} bytes are held before ten calls, {after} after them")),
    }
}
