//! The calls that copy to the host: passed on, and then what came is kept.

use std::ffi::{c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::forward::{Name, SYMBOLS, in_place_of, real};
use crate::keep::Ticket;
use crate::shape::{DEVICE, HOST, Shape};

/// `CU_POINTER_ATTRIBUTE_MEMORY_TYPE`.
const MEMORY_TYPE: c_int = 2;

/// A function of ours in the place of one of the driver's.
type Ours = (Name, *const ());

/// Addresses of functions, which any thread may call.
pub(crate) struct Kept(&'static [Ours]);
// SAFETY: the addresses of functions never change.
unsafe impl Sync for Kept {}

impl std::ops::Deref for Kept {
    type Target = [Ours];

    fn deref(&self) -> &[Ours] {
        self.0
    }
}

/// A list of functions with the names that they stand for.
macro_rules! kept {
    ($($function:ident: $($name:ident)*;)*) => {
        Kept(&[$($((Name::$name, $function::<{ Name::$name as usize }> as *const ()),)*)*])
    };
}

/// All functions of ours.
pub(crate) static KEPT: Kept = kept! {
    any: cuMemcpy cuMemcpy_ptds;
    any_later: cuMemcpyAsync cuMemcpyAsync_ptsz;
    to_host: cuMemcpyDtoH_v2 cuMemcpyDtoH_v2_ptds;
    to_host_later: cuMemcpyDtoHAsync_v2 cuMemcpyDtoHAsync_v2_ptsz;
    array_to_host: cuMemcpyAtoH_v2 cuMemcpyAtoH_v2_ptds;
    array_to_host_later: cuMemcpyAtoHAsync_v2 cuMemcpyAtoHAsync_v2_ptsz;
    flat: cuMemcpy2D_v2 cuMemcpy2D_v2_ptds cuMemcpy2DUnaligned_v2 cuMemcpy2DUnaligned_v2_ptds;
    flat_later: cuMemcpy2DAsync_v2 cuMemcpy2DAsync_v2_ptsz;
    deep: cuMemcpy3D_v2 cuMemcpy3D_v2_ptds;
    deep_later: cuMemcpy3DAsync_v2 cuMemcpy3DAsync_v2_ptsz;
    address: cuGetProcAddress;
    address_with_status: cuGetProcAddress_v2;
};

/// Calls a function of the driver's.
macro_rules! call {
    ($at:expr, fn($($type:ty),*), $($argument:expr),*) => {{
        type Function = unsafe extern "C" fn($($type),*) -> u32;
        // SAFETY: the driver's function of this name has these arguments, and the caller's are passed on as they are.
        unsafe { std::mem::transmute::<*mut c_void, Function>(real($at))($($argument),*) }
    }};
}

extern "C" fn any<const AT: usize>(to: u64, from: u64, bytes: usize) -> u32 {
    let code = call!(AT, fn(u64, u64, usize), to, from, bytes);
    now(code, || comes_back(to, from).then(|| Shape::line(to, bytes)))
}

extern "C" fn any_later<const AT: usize>(to: u64, from: u64, bytes: usize, stream: u64) -> u32 {
    let code = call!(AT, fn(u64, u64, usize, u64), to, from, bytes, stream);
    later::<AT>(code, stream, || comes_back(to, from).then(|| Shape::line(to, bytes)))
}

extern "C" fn to_host<const AT: usize>(to: u64, from: u64, bytes: usize) -> u32 {
    let code = call!(AT, fn(u64, u64, usize), to, from, bytes);
    now(code, || Some(Shape::line(to, bytes)))
}

extern "C" fn to_host_later<const AT: usize>(to: u64, from: u64, bytes: usize, stream: u64) -> u32 {
    let code = call!(AT, fn(u64, u64, usize, u64), to, from, bytes, stream);
    later::<AT>(code, stream, || Some(Shape::line(to, bytes)))
}

extern "C" fn array_to_host<const AT: usize>(to: u64, array: u64, offset: usize, bytes: usize) -> u32 {
    let code = call!(AT, fn(u64, u64, usize, usize), to, array, offset, bytes);
    now(code, || Some(Shape::line(to, bytes)))
}

extern "C" fn array_to_host_later<const AT: usize>(
    to: u64,
    array: u64,
    offset: usize,
    bytes: usize,
    stream: u64,
) -> u32 {
    let code = call!(AT, fn(u64, u64, usize, usize, u64), to, array, offset, bytes, stream);
    later::<AT>(code, stream, || Some(Shape::line(to, bytes)))
}

extern "C" fn flat<const AT: usize>(copy: *const [u64; 16]) -> u32 {
    let code = call!(AT, fn(*const [u64; 16]), copy);
    // SAFETY: the driver has accepted it.
    now(code, || Shape::flat(unsafe { &*copy }, kind))
}

extern "C" fn flat_later<const AT: usize>(copy: *const [u64; 16], stream: u64) -> u32 {
    let code = call!(AT, fn(*const [u64; 16], u64), copy, stream);
    // SAFETY: the driver has accepted it.
    later::<AT>(code, stream, || Shape::flat(unsafe { &*copy }, kind))
}

extern "C" fn deep<const AT: usize>(copy: *const [u64; 25]) -> u32 {
    let code = call!(AT, fn(*const [u64; 25]), copy);
    // SAFETY: the driver has accepted it.
    now(code, || Shape::deep(unsafe { &*copy }, kind))
}

extern "C" fn deep_later<const AT: usize>(copy: *const [u64; 25], stream: u64) -> u32 {
    let code = call!(AT, fn(*const [u64; 25], u64), copy, stream);
    // SAFETY: the driver has accepted it.
    later::<AT>(code, stream, || Shape::deep(unsafe { &*copy }, kind))
}

extern "C" fn address<const AT: usize>(
    symbol: *const c_char,
    place: *mut *mut c_void,
    version: c_int,
    flags: u64,
) -> u32 {
    let code = call!(AT, fn(*const c_char, *mut *mut c_void, c_int, u64), symbol, place, version, flags);
    replace(code, place);
    code
}

extern "C" fn address_with_status<const AT: usize>(
    symbol: *const c_char,
    place: *mut *mut c_void,
    version: c_int,
    flags: u64,
    status: *mut c_int,
) -> u32 {
    let code =
        call!(AT, fn(*const c_char, *mut *mut c_void, c_int, u64, *mut c_int), symbol, place, version, flags, status);
    replace(code, place);
    code
}

/// Puts ours in the place of the driver's function.
fn replace(code: u32, place: *mut *mut c_void) {
    if code == 0 && !place.is_null() {
        // SAFETY: the driver has written there.
        unsafe { *place = in_place_of(*place) };
    }
}

/// Keeps what a copy has brought that is done.
fn now(code: u32, shape: impl FnOnce() -> Option<Shape>) -> u32 {
    if code == 0 {
        quietly(|| {
            if let Some(shape) = shape().filter(|shape| shape.bytes() > 0) {
                // SAFETY: the driver has written there.
                unsafe { Ticket::next().keep(&shape) };
            }
        });
    }
    code
}

/// Keeps what a copy will have brought, with a function in the order of its stream. In a graph it would be seen: copies
/// that are captured are not kept.
fn later<const AT: usize>(code: u32, stream: u64, shape: impl FnOnce() -> Option<Shape>) -> u32 {
    if code == 0 {
        quietly(|| {
            let of_thread = SYMBOLS[AT].ends_with("_ptsz");
            let pick = |plain: Name, per_thread: Name| if of_thread { per_thread as usize } else { plain as usize };
            let mut capturing: c_int = 0;
            let asked = pick(Name::cuStreamIsCapturing, Name::cuStreamIsCapturing_ptsz);
            let asked = call!(asked, fn(u64, *mut c_int), stream, &raw mut capturing);
            let Some(shape) = shape().filter(|shape| shape.bytes() > 0 && asked == 0 && capturing == 0) else { return };
            let data = Box::into_raw(Box::new((Ticket::next(), shape)));
            let launch = pick(Name::cuLaunchHostFunc, Name::cuLaunchHostFunc_ptsz);
            let launched = call!(
                launch,
                fn(u64, extern "C" fn(*mut (Ticket, Shape)), *mut (Ticket, Shape)),
                stream,
                arrived,
                data
            );
            if launched != 0 {
                // SAFETY: made above, and nobody else has it.
                drop(unsafe { Box::from_raw(data) });
            }
        });
    }
    code
}

/// Called by the driver after a copy.
extern "C" fn arrived(data: *mut (Ticket, Shape)) {
    quietly(|| {
        // SAFETY: made for this call, which is the only one.
        let (ticket, shape) = *unsafe { Box::from_raw(data) };
        // SAFETY: the driver has written there, and the program must not free it before it has waited.
        unsafe { ticket.keep(&shape) };
    });
}

/// Whether a copy is one from the device to the host.
fn comes_back(to: u64, from: u64) -> bool {
    kind(to) == HOST && kind(from) == DEVICE
}

/// Whether an address is the host's or the device's; what the driver does not know is the host's.
fn kind(address: u64) -> u64 {
    let mut kind: u32 = 0;
    let at = Name::cuPointerGetAttribute as usize;
    let asked = call!(at, fn(*mut u32, c_int, u64), &raw mut kind, MEMORY_TYPE, address);
    if asked == 0 { u64::from(kind) } else { HOST }
}

/// A panic must not leave through C; what was to be kept is then missing.
fn quietly(body: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(body));
}
