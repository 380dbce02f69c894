//! The device of each thread, and its primary context.

use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::driver;
use crate::status::{Code, INVALID_DEVICE, Status, check};
use crate::types::Handle;

/// The most devices that there can be.
const DEVICES: usize = 64;

/// The primary context of each device, once it is retained.
static PRIMARY: [AtomicPtr<std::ffi::c_void>; DEVICES] = [const { AtomicPtr::new(null_mut()) }; DEVICES];

thread_local! {
    static DEVICE: Cell<i32> = const { Cell::new(0) };
}

/// Starts the driver, once.
pub(crate) fn start() -> Status {
    static STARTED: OnceLock<i32> = OnceLock::new();
    // SAFETY: the call has no pointers.
    let code = STARTED.get_or_init(|| unsafe { driver::cuInit(0) }.map_or_else(|Code(code)| code, |()| 0));
    check(*code)
}

/// How many devices there are.
pub(crate) fn count() -> Result<i32, Code> {
    start()?;
    let mut count = 0;
    // SAFETY: the driver writes one number.
    unsafe { driver::cuDeviceGetCount(&mut count)? };
    Ok(count)
}

/// Refuses numbers that name no device.
pub(crate) fn exists(device: i32) -> Status {
    if (0..count()?).contains(&device) { Ok(()) } else { Err(INVALID_DEVICE) }
}

/// The context that is current in this thread, or null.
fn current() -> Result<Handle, Code> {
    let mut context = null_mut();
    // SAFETY: the driver writes one handle.
    unsafe { driver::cuCtxGetCurrent(&mut context)? };
    Ok(context)
}

/// The primary context of a device, retained once for the process.
pub(crate) fn primary(device: i32) -> Result<Handle, Code> {
    start()?;
    let slot = usize::try_from(device).ok().and_then(|device| PRIMARY.get(device)).ok_or(INVALID_DEVICE)?;
    let known = slot.load(Ordering::Acquire);
    if !known.is_null() {
        return Ok(known);
    }
    exists(device)?;
    let mut context = null_mut();
    // SAFETY: the device exists; the driver writes one handle.
    unsafe { driver::cuDevicePrimaryCtxRetain(&mut context, device)? };
    slot.store(context, Ordering::Release);
    Ok(context)
}

/// Makes sure that the thread has a context: the one that the program made current, else the device's primary one.
pub(crate) fn ready() -> Status {
    start()?;
    if !current()?.is_null() {
        return Ok(());
    }
    let context = primary(DEVICE.get())?;
    // SAFETY: the handle is the driver's own.
    unsafe { driver::cuCtxSetCurrent(context) }
}

/// The number of the thread's device.
pub(crate) fn device() -> Result<i32, Code> {
    start()?;
    if current()?.is_null() {
        return Ok(DEVICE.get());
    }
    let mut device = 0;
    // SAFETY: the driver writes one number.
    unsafe { driver::cuCtxGetDevice(&mut device)? };
    Ok(device)
}

/// Makes a device the thread's.
pub(crate) fn select(device: i32) -> Status {
    exists(device)?;
    let context = primary(device)?;
    DEVICE.set(device);
    // SAFETY: the handle is the driver's own.
    unsafe { driver::cuCtxSetCurrent(context) }
}

/// Forgets everything that the process has on the thread's device. The next call starts afresh.
pub(crate) fn reset() -> Status {
    let device = device()?;
    // SAFETY: the device exists.
    let done = unsafe { driver::cuDevicePrimaryCtxReset_v2(device) };
    if let Some(slot) = usize::try_from(device).ok().and_then(|device| PRIMARY.get(device)) {
        slot.store(null_mut(), Ordering::Release);
    }
    DEVICE.set(device);
    // SAFETY: null leaves the thread with no context.
    unsafe { driver::cuCtxSetCurrent(null_mut())? };
    done
}
