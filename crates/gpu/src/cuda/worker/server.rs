//! The worker's side: a device, and a loop that serves calls.

use super::wire::{Call, Message, Parcel, bad, good};
use crate::cuda::local::LocalDevice;
use crate::{Device, DeviceError, Launch, Mark, Module, PtxText};
use std::io::{Read, Write};
use std::sync::Arc;

/// Serves until the other side closes its end.
pub(super) fn serve() {
    let mut from = std::io::stdin().lock();
    let mut to = answers();
    serve_with(&mut from, &mut to, |parcel| {
        let (ordinal, policy) = (parcel.small()?, parcel.policy()?);
        Some(LocalDevice::open(ordinal, policy).map_err(|why| DeviceError::Worker(why.to_string())))
    });
}

/// Where answers go: standard output. Kernels would print there too, so their output is redirected.
#[cfg(unix)]
fn answers() -> impl Write {
    use std::os::fd::FromRawFd;
    // SAFETY: standard output and error are open; the copy is owned by the file.
    unsafe {
        let copy = libc::dup(1);
        libc::dup2(2, 1);
        std::fs::File::from_raw_fd(copy)
    }
}

#[cfg(not(unix))]
fn answers() -> impl Write {
    std::io::stdout()
}

/// The loop, for any device.
fn serve_with<D: Device>(
    from: &mut impl Read,
    to: &mut impl Write,
    mut open: impl FnMut(&mut Parcel) -> Option<Result<D, DeviceError>>,
) {
    let mut device: Option<D> = None;
    while let Some(mut parcel) = Parcel::receive(from) {
        let Some(call) = parcel.call() else { return };
        let answer = match (call, &mut device) {
            (Call::Open, _) => match open(&mut parcel) {
                None => return,
                Some(opened) => opened.map(|opened| {
                    device = Some(opened);
                    good()
                }),
            },
            (_, None) => Err(DeviceError::Worker("no device is open".into())),
            (call, Some(device)) => match answer(call, &mut parcel, device) {
                None => return,
                Some(answer) => answer,
            },
        };
        if answer.unwrap_or_else(|error| bad(&error)).send(to).is_err() {
            return;
        }
    }
}

/// Executes a call; `None` if it makes no sense.
fn answer(call: Call, parcel: &mut Parcel, device: &mut impl Device) -> Option<Result<Message, DeviceError>> {
    let done = |result: Result<(), DeviceError>| result.map(|()| good());
    Some(match call {
        Call::Open => return None,
        Call::Allocate => device.allocate(parcel.word()?).map(|at| good().word(at.0)),
        Call::Free => done(device.free(parcel.pointer()?)),
        Call::Upload => done(device.upload(parcel.pointer()?, parcel.bytes()?)),
        Call::Download => {
            let (from, count) = (parcel.pointer()?, parcel.word()?);
            let mut bytes = vec![0; usize::try_from(count).ok()?];
            device.download(from, &mut bytes).map(|()| good().bytes(&bytes))
        }
        Call::Fill => {
            let (to, byte, bytes) = (parcel.pointer()?, parcel.word()?, parcel.word()?);
            done(device.fill(to, u8::try_from(byte).ok()?, bytes))
        }
        Call::Copy => done(device.copy(parcel.pointer()?, parcel.pointer()?, parcel.word()?)),
        Call::Load => {
            let source = PtxText::new(parcel.text()?);
            device.load(Arc::new(source)).map(|module| good().word(module.0.into()))
        }
        Call::Prepare => done(device.prepare(Module(parcel.small()?), &parcel.text()?)),
        Call::Launch => {
            let (module, kernel) = (Module(parcel.small()?), parcel.text()?);
            let (grid, block) = (parcel.shape()?, parcel.shape()?);
            let (shared, cooperative) = (parcel.small()?, parcel.small()? != 0);
            let cluster = Some(parcel.shape()?).filter(|&cluster| cluster != [0; 3]);
            let mut launch = Launch::new(grid, block, parcel.bytes()?.to_vec());
            (launch.shared_bytes, launch.cooperative, launch.cluster) = (shared, cooperative, cluster);
            device.launch(module, &kernel, &launch).map(|report| good().bytes(report.printed.as_bytes()))
        }
        Call::Variable => {
            let (at, bytes) =
                device.variable(Module(parcel.small()?), &parcel.text()?).map_or((0, 0), |(p, n)| (p.0, n));
            Ok(good().word(at).word(bytes))
        }
        Call::Synchronize => done(device.synchronize()),
        Call::Mark => device.mark().map(|mark| good().word(mark.0.into())),
        Call::Elapsed => {
            let (from, to) = (Mark(parcel.small()?), Mark(parcel.small()?));
            device.elapsed_ms(from, to).map(|ms| good().word(ms.to_bits()))
        }
        Call::ClearMarks => {
            device.clear_marks();
            Ok(good())
        }
        Call::Held => Ok(good().word(device.memory_held())),
    })
}

#[cfg(all(test, feature = "emulator"))]
mod tests {
    use super::*;
    use crate::Gpu;
    use crate::emulated::EmulatedDevice;

    const TWICE: &str = ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry twice(.param .u64 p)\n{\n\
        .reg .b32 %r;\n.reg .b64 %rd;\nld.param.u64 %rd, [p];\nld.global.u32 %r, [%rd];\nadd.u32 %r, %r, %r;\n\
        st.global.u32 [%rd], %r;\nret;\n}\n";

    /// What the worker answers to these calls, on an emulated device.
    fn answers_to(calls: &[Message]) -> Vec<Result<Parcel, DeviceError>> {
        let (mut from, mut to) = (Vec::new(), Vec::new());
        for call in calls {
            call.send(&mut from).expect("a vector takes everything");
        }
        serve_with(&mut from.as_slice(), &mut to, |_| {
            Some(Ok(EmulatedDevice::new(Gpu::named("h200").expect("it is in the table"))))
        });
        let mut pipe = to.as_slice();
        std::iter::from_fn(|| Parcel::receive(&mut pipe)).map(Parcel::answer).collect()
    }

    #[test]
    fn a_kernel_runs_through_the_pipe() {
        let open = || Message::call(Call::Open);
        let first = answers_to(&[open(), Message::call(Call::Allocate).word(4)]).pop().expect("two answers");
        let at = first.expect("there is memory").word().expect("an address");
        let one = |message: Message| message.word(1).word(1).word(1);
        let launch = Message::call(Call::Launch).word(0).bytes(b"twice");
        let mut answers = answers_to(&[
            open(),
            Message::call(Call::Allocate).word(4),
            Message::call(Call::Upload).word(at).bytes(&21u32.to_le_bytes()),
            Message::call(Call::Load).bytes(TWICE.as_bytes()),
            one(one(launch)).word(0).word(1).word(0).word(0).word(0).bytes(&at.to_le_bytes()),
            Message::call(Call::Download).word(at).word(4),
        ]);
        let mut value = answers.pop().expect("six answers").expect("it is there");
        assert_eq!(value.bytes(), Some(&42u32.to_le_bytes()[..]));
        assert!(answers.into_iter().all(|answer| answer.is_ok()));
    }

    #[test]
    fn mistakes_are_answered_and_nonsense_ends_it() {
        let answers = answers_to(&[
            Message::call(Call::Mark),
            Message::call(Call::Open),
            Message::call(Call::Free).word(77),
            Message::call(Call::Free),
            Message::call(Call::Mark),
        ]);
        assert_eq!(answers.iter().map(Result::is_ok).collect::<Vec<_>>(), [false, true, false]);
    }
}
