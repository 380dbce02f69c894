//! Loads, stores and asynchronous copies.
//!
//! Most accesses of a warp are one of two shapes: neighbouring lanes touch neighbouring elements, or all touch the same
//! one. Each half of the warp is tested for both (tiles of 16 columns are common), and handled with one check and one
//! copy; anything else goes lane by lane.
//!
//! A bad address ends the instruction at its lane: lower lanes are done, higher ones are not, and the lane's registers
//! are zero. Whoever lets a kernel go on past it executes the instruction for the rest.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m128i, _mm_set_epi32};
use std::marker::PhantomData;

use super::pure::conjure;
use super::region::{AddressWord, Addressing, Global, Region, Shared, bad_access, pointer};
use super::simd::{Body, portable, up_to_avx2};
use super::{FULL, Flow, Handler, Lane, Level, Op, lanes_of};
use crate::image::event::CopyLanes;
use crate::memory;
use crate::warp::{AsyncCopy, Copies, Warp};

/// Lanes that are tested together.
const HALF: usize = 16;

/// The shape of a half warp's addresses.
enum Shape {
    Contiguous,
    Uniform,
    Other,
}

#[inline(always)]
fn shape<W: AddressWord>(addresses: &[W; 32], first: usize, size: usize) -> Shape {
    let (base, last) = (addresses[first], addresses[first + HALF - 1]);
    if !base.wide().is_multiple_of(size as u64) {
        return Shape::Other;
    }
    // The last address decides which shape it can be; differences are or-ed, because that becomes vector code.
    let mut apart = W::default();
    if last == base.plus(W::small((HALF - 1) * size)) {
        for i in 0..HALF {
            apart |= addresses[first + i] ^ base.plus(W::small(i * size));
        }
        if apart == W::default() { Shape::Contiguous } else { Shape::Other }
    } else if last == base {
        for i in 0..HALF {
            apart |= addresses[first + i] ^ base;
        }
        if apart == W::default() { Shape::Uniform } else { Shape::Other }
    } else {
        Shape::Other
    }
}

/// Loads a `T` and makes it a register's `D`.
struct Load<A, S, T, D, F>(PhantomData<(A, S, T, D, F)>);
impl<A, S, T, D, F> Body for Load<A, S, T, D, F>
where
    A: Addressing,
    S: Region,
    T: Lane,
    D: Lane,
    F: Fn(T) -> D + Copy + 'static,
{
    #[inline(always)]
    unsafe fn run<const WIDE: bool>(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
        let f = conjure::<F>();
        let size = size_of::<T>();
        // SAFETY: the decoder chose this handler for slots of these types, and `Region` gives pointers to as many
        // bytes as it is asked for. Device memory may be written by other blocks at the same time, as on a GPU; the
        // value read is then either one.
        unsafe {
            let addresses = A::addresses(warp, op);
            let d = warp.slot::<D>(op.d);
            for first in [0, HALF] {
                if mask == FULL {
                    let base = addresses[first].wide();
                    match shape(&addresses, first, size) {
                        Shape::Contiguous => {
                            if let Some(p) = S::range(warp, base, (size * HALF) as u64) {
                                let values = p.cast::<[T; HALF]>().read_unaligned();
                                let mut result = [D::default(); HALF];
                                for i in 0..HALF {
                                    result[i] = f(values[i]);
                                }
                                *d.add(first).cast::<[D; HALF]>() = result;
                                continue;
                            }
                        }
                        Shape::Uniform => {
                            if let Some(p) = S::range(warp, base, size as u64) {
                                *d.add(first).cast::<[D; HALF]>() = [f(p.cast::<T>().read_unaligned()); HALF];
                                continue;
                            }
                        }
                        Shape::Other => {}
                    }
                }
                for lane in lanes_of(mask & (0xffff << first)) {
                    match pointer::<S, T>(warp, lane, addresses[lane].wide(), "load") {
                        Ok(p) => *d.add(lane) = f(p.read_unaligned()),
                        Err(flow) => {
                            *d.add(lane) = D::default();
                            return flow;
                        }
                    }
                }
            }
        }
        if op.b != 0 {
            warp.poll();
        }
        Flow::Next
    }
}

/// Stores a register's `D` as a `T`.
struct Store<A, S, T, D, F>(PhantomData<(A, S, T, D, F)>);
impl<A, S, T, D, F> Body for Store<A, S, T, D, F>
where
    A: Addressing,
    S: Region,
    T: Lane,
    D: Lane,
    F: Fn(D) -> T + Copy + 'static,
{
    #[inline(always)]
    unsafe fn run<const WIDE: bool>(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
        let f = conjure::<F>();
        let size = size_of::<T>();
        // SAFETY: as for loads.
        unsafe {
            let addresses = A::addresses(warp, op);
            let d = warp.slot::<D>(op.d);
            for first in [0, HALF] {
                if mask == FULL
                    && let Shape::Contiguous = shape(&addresses, first, size)
                    && let Some(p) = S::range(warp, addresses[first].wide(), (size * HALF) as u64)
                {
                    let values = *d.add(first).cast::<[D; HALF]>();
                    let mut result = [T::default(); HALF];
                    for i in 0..HALF {
                        result[i] = f(values[i]);
                    }
                    p.cast::<[T; HALF]>().write_unaligned(result);
                    continue;
                }
                for lane in lanes_of(mask & (0xffff << first)) {
                    match pointer::<S, T>(warp, lane, addresses[lane].wide(), "store") {
                        Ok(p) => p.write_unaligned(f(*d.add(lane))),
                        Err(flow) => return flow,
                    }
                }
            }
        }
        Flow::Next
    }
}

/// The shape of a transfer that has no handler of its own, packed into `c`: bytes of an element in memory and in its
/// register, number of elements, whether loads extend the sign.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    pub(crate) size: u32,
    pub(crate) width: u32,
    pub(crate) count: u32,
    pub(crate) signed: bool,
}

impl Transfer {
    pub(crate) fn pack(self) -> u32 {
        self.size | self.width << 8 | self.count << 16 | u32::from(self.signed) << 24
    }

    #[inline(always)]
    fn unpack(packed: u32) -> Self {
        let byte = |n: u32| packed >> n & 0xff;
        Self { size: byte(0), width: byte(8), count: byte(16), signed: byte(24) != 0 }
    }
}

/// Any load or store: vectors, and registers wider than what they hold. `aux` is where the slots start.
struct Any<A, S, const STORE: bool>(PhantomData<(A, S)>);
impl<A: Addressing, S: Region, const STORE: bool> Body for Any<A, S, STORE> {
    #[inline(always)]
    unsafe fn run<const WIDE: bool>(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
        let Transfer { size, width, count, signed } = Transfer::unpack(op.c);
        let (size, width) = (size as usize, width as usize);
        let bytes = u64::from(count) * size as u64;
        let slots = &warp.launch.image.slots[op.aux as usize..][..count as usize];
        // SAFETY: the decoder chose slots of that width, and `Region` vouches for all bytes of the access. See loads
        // for races.
        unsafe {
            let addresses = A::addresses(warp, op);
            for lane in lanes_of(mask) {
                let address = addresses[lane].wide();
                let host = S::host(warp, lane, address, bytes).filter(|_| address % bytes == 0);
                let Some(host) = host else {
                    for &slot in slots.iter().filter(|_| !STORE) {
                        warp.slot::<u8>(slot).add(lane * width).write_bytes(0, width);
                    }
                    return bad_access::<S>(warp, lane, address, bytes, if STORE { "store" } else { "load" });
                };
                let register = |k: usize| warp.slot::<u8>(slots[k]).add(lane * width);
                // As on a GPU, other blocks see all of it or nothing: CUB's tiles post a state and a value that way.
                match (STORE, size, width, count) {
                    (true, 4, 4, 2) => {
                        let word = |k: usize| register(k).cast::<u32>().read_unaligned();
                        write_8(host, [word(0), word(1)]);
                    }
                    (true, 4, 4, 4) => {
                        let word = |k: usize| register(k).cast::<u32>().read_unaligned();
                        write_16(host, [word(0), word(1), word(2), word(3)]);
                    }
                    (true, ..) if bytes <= 16 => {
                        let mut whole = [0; 16];
                        for k in 0..slots.len() {
                            std::ptr::copy_nonoverlapping(register(k), whole.as_mut_ptr().add(k * size), size);
                        }
                        write_whole(host, whole, bytes as usize);
                    }
                    (true, ..) => {
                        for k in 0..slots.len() {
                            std::ptr::copy_nonoverlapping(register(k), host.add(k * size), size);
                        }
                    }
                    (false, ..) => {
                        let mut whole = [0; 64];
                        read_whole(host, &mut whole, bytes as usize);
                        for k in 0..slots.len() {
                            let (element, register) = (&whole[k * size..][..size], register(k));
                            if (size, width) == (4, 4) {
                                register.cast::<u32>().write_unaligned(element.as_ptr().cast::<u32>().read_unaligned());
                                continue;
                            }
                            std::ptr::copy_nonoverlapping(element.as_ptr(), register, size);
                            let negative = signed && element[size - 1] & 0x80 != 0;
                            register.add(size).write_bytes(if negative { 0xff } else { 0 }, width - size);
                        }
                    }
                }
            }
        }
        if op.b != 0 {
            warp.poll();
        }
        Flow::Next
    }
}

/// Writes two words: at once where they are aligned, as those of memory that blocks share are.
///
/// # Safety
/// The place must be valid.
#[inline(always)]
unsafe fn write_8(to: *mut u8, [low, high]: [u32; 2]) {
    let both = (u64::from(high) << 32 | u64::from(low)).to_le();
    let to = to.cast::<u64>();
    // SAFETY: guaranteed by the caller.
    unsafe { if to.is_aligned() { to.write_volatile(both) } else { to.write_unaligned(both) } }
}

/// Writes four words: at once where they are aligned. (Processors with AVX do so with aligned vectors; others may tear
/// them in the middle.)
///
/// # Safety
/// The place must be valid.
#[inline(always)]
unsafe fn write_16(to: *mut u8, words: [u32; 4]) {
    #[cfg(target_arch = "x86_64")]
    if to.cast::<__m128i>().is_aligned() {
        let [a, b, c, d] = words.map(|word| word as i32);
        // SAFETY: guaranteed by the caller, and aligned. Volatile, so that it stays one store.
        return unsafe { to.cast::<__m128i>().write_volatile(_mm_set_epi32(d, c, b, a)) };
    }
    // SAFETY: guaranteed by the caller.
    unsafe { to.cast::<[u32; 4]>().write_unaligned(words.map(u32::to_le)) }
}

/// Writes up to 16 bytes; 8 and 16 of them as [`write_8`] and [`write_16`] do.
///
/// # Safety
/// The place must be valid.
unsafe fn write_whole(to: *mut u8, whole: [u8; 16], bytes: usize) {
    let word = |k: usize| u32::from_le_bytes([whole[k], whole[k + 1], whole[k + 2], whole[k + 3]]);
    // SAFETY: guaranteed by the caller.
    unsafe {
        match bytes {
            16 => write_16(to, [word(0), word(4), word(8), word(12)]),
            8 => write_8(to, [word(0), word(4)]),
            _ => std::ptr::copy_nonoverlapping(whole.as_ptr(), to, bytes),
        }
    }
}

/// Reads up to 64 bytes; 8 and 16 of them at once where they are aligned.
///
/// # Safety
/// The place must be valid.
#[inline(always)]
unsafe fn read_whole(from: *const u8, whole: &mut [u8; 64], bytes: usize) {
    let to = whole.as_mut_ptr();
    // SAFETY: guaranteed by the caller; there is room for all of it.
    unsafe {
        match bytes {
            #[cfg(target_arch = "x86_64")]
            16 if from.cast::<__m128i>().is_aligned() => {
                to.cast::<__m128i>().write_unaligned(from.cast::<__m128i>().read_volatile());
            }
            8 if from.cast::<u64>().is_aligned() => {
                to.cast::<u64>().write_unaligned(from.cast::<u64>().read_volatile());
            }
            _ => std::ptr::copy_nonoverlapping(from, to, bytes),
        }
    }
}

/// A scalar load with a copy for each SIMD level.
pub(crate) fn load<A, S, T, D, F>(level: Level, _: F) -> Handler
where
    A: Addressing,
    S: Region,
    T: Lane,
    D: Lane,
    F: Fn(T) -> D + Copy + 'static,
{
    up_to_avx2::<Load<A, S, T, D, F>>(level)
}

/// A scalar store with a copy for each SIMD level.
pub(crate) fn store<A, S, T, D, F>(level: Level, _: F) -> Handler
where
    A: Addressing,
    S: Region,
    T: Lane,
    D: Lane,
    F: Fn(D) -> T + Copy + 'static,
{
    up_to_avx2::<Store<A, S, T, D, F>>(level)
}

/// Any load; see [`Transfer`].
pub(crate) fn load_any<A: Addressing, S: Region>() -> Handler {
    portable::<Any<A, S, false>>()
}

/// Any store; see [`Transfer`].
pub(crate) fn store_any<A: Addressing, S: Region>() -> Handler {
    portable::<Any<A, S, true>>()
}

/// `cp.async`: `a` holds global addresses (64-bit), `b` shared ones, `c` the bytes to read (32-bit); `imm` is the size,
/// plus 256 where shared addresses are 64-bit; `d` is added to the shared address and `aux` to the global one.
///
/// # Safety
/// As for [`Handler`].
pub(crate) unsafe fn copy_async(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    for lane in lanes_of(mask) {
        // SAFETY: the decoder chose slots of these types.
        let (from, to, valid) = unsafe {
            (
                (*warp.slot::<u64>(op.a).add(lane)).wrapping_add_signed(i64::from(op.aux as i32)),
                shared_address(warp, op, lane).wrapping_add_signed(i64::from(op.d as i32)),
                *warp.slot::<u32>(op.c).add(lane),
            )
        };
        let bytes = op.imm as u32 & 0xff;
        let pc = warp.pc;
        warp.copies.pending.push(AsyncCopy {
            pc,
            lane: lane as u8,
            group: None,
            to,
            from,
            bytes,
            valid: valid.min(bytes),
        });
    }
    Flow::Next
}

/// The addresses of the copies that a `cp.async` starts.
///
/// # Safety
/// As for [`copy_async`].
pub(crate) unsafe fn copy_lanes(warp: &Warp<'_>, op: &Op) -> CopyLanes {
    let mut copies = CopyLanes { from: [0; 32], to: [0; 32], valid: [0; 32] };
    for lane in 0..32 {
        // SAFETY: the decoder chose slots of these types.
        unsafe {
            copies.from[lane] = (*warp.slot::<u64>(op.a).add(lane)).wrapping_add_signed(i64::from(op.aux as i32));
            let to = shared_address(warp, op, lane).wrapping_add_signed(i64::from(op.d as i32));
            copies.to[lane] = if to >= memory::SHARED { to - memory::SHARED } else { to };
            copies.valid[lane] = (*warp.slot::<u32>(op.c).add(lane)).min(op.imm as u32 & 0xff);
        }
    }
    copies
}

/// # Safety
/// As for [`copy_async`].
unsafe fn shared_address(warp: &Warp<'_>, op: &Op, lane: usize) -> u64 {
    // SAFETY: the decoder says how wide the operand is.
    unsafe {
        if op.imm & 256 != 0 { *warp.slot::<u64>(op.b).add(lane) } else { (*warp.slot::<u32>(op.b).add(lane)).into() }
    }
}

/// `cp.async.commit_group`.
///
/// # Safety
/// As for [`Handler`].
pub(crate) unsafe fn copy_commit(warp: &mut Warp<'_>, _: &Op, mask: u32) -> Flow {
    let Copies { pending, committed } = &mut warp.copies;
    for copy in pending.iter_mut().filter(|c| c.group.is_none() && mask >> c.lane & 1 == 1) {
        copy.group = Some(committed[usize::from(copy.lane)]);
    }
    for lane in lanes_of(mask) {
        committed[lane] += 1;
    }
    Flow::Next
}

/// `cp.async.wait_group N` (`imm` = N) and `cp.async.wait_all` (`imm` < 0): the copies happen now.
///
/// # Safety
/// As for [`Handler`].
pub(crate) unsafe fn copy_wait(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    let pending = std::mem::take(&mut warp.copies.pending);
    let committed = warp.copies.committed;
    let due = |copy: &AsyncCopy| {
        let done_groups = i64::from(committed[usize::from(copy.lane)]) - op.imm;
        mask >> copy.lane & 1 == 1 && (op.imm < 0 || copy.group.is_some_and(|g| i64::from(g) < done_groups))
    };
    let mut pending = pending.into_iter();
    while let Some(copy) = pending.next() {
        if !due(&copy) {
            warp.copies.pending.push(copy);
            continue;
        }
        let mut bytes = [0u8; 16];
        if copy.valid > 0 {
            let Some(from) = Global::range(warp, copy.from, copy.valid.into()) else {
                let all = u64::from(copy.valid);
                warp.copies.pending.extend(pending);
                return bad_copy::<Global>(warp, &copy, copy.from, all, "asynchronous load");
            };
            // SAFETY: `range` vouches for `valid` bytes, at most 16.
            unsafe { std::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), copy.valid as usize) };
        }
        let misaligned = copy.to % u64::from(copy.bytes) != 0 || copy.from % u64::from(copy.bytes) != 0;
        let to = Shared::range(warp, copy.to, copy.bytes.into());
        let (Some(to), false) = (to, misaligned) else {
            let all = u64::from(copy.bytes);
            let (address, from) = (copy.to, copy.from % all != 0);
            warp.copies.pending.extend(pending);
            if from && to.is_some() && copy.to % all == 0 {
                return bad_copy::<Global>(warp, &copy, copy.from, all, "asynchronous load");
            }
            return bad_copy::<Shared>(warp, &copy, address, all, "asynchronous store");
        };
        // SAFETY: `range` vouches for `bytes` bytes, at most 16.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, copy.bytes as usize) };
    }
    Flow::Next
}

/// Records a copy that cannot be made, at the instruction that started it.
#[cold]
fn bad_copy<S: Region>(warp: &mut Warp<'_>, copy: &AsyncCopy, address: u64, bytes: u64, what: &str) -> Flow {
    let wait = std::mem::replace(&mut warp.pc, copy.pc);
    let flow = bad_access::<S>(warp, usize::from(copy.lane), address, bytes, what);
    warp.pc = wait;
    flow
}
