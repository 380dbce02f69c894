//! Atomics: read-modify-write, lane by lane, lowest lane first.

use std::marker::PhantomData;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};

use super::region::{AddressWord, Addressing, Generic, Region, Shared, pointer};
use super::simd::{Body, portable};
use super::{Flow, Handler, Lane, Op, lanes_of};
use crate::memory::{self, Window};
use crate::warp::Warp;

/// A word that can be changed atomically.
pub(crate) trait Word: Lane + Eq {
    /// Replaces the word by `f` of it, atomically among host threads; returns the old value.
    ///
    /// # Safety
    /// `p` must be valid and aligned.
    unsafe fn update(p: *mut Self, f: impl Fn(Self) -> Self) -> Self;
}

macro_rules! word {
    ($word:ty, $atomic:ty) => {
        impl Word for $word {
            #[inline(always)]
            unsafe fn update(p: *mut Self, f: impl Fn(Self) -> Self) -> Self {
                // SAFETY: valid and aligned by contract; other host threads change it through the same type.
                let cell = unsafe { <$atomic>::from_ptr(p) };
                let mut old = cell.load(Ordering::SeqCst);
                loop {
                    match cell.compare_exchange_weak(old, f(old), Ordering::SeqCst, Ordering::SeqCst) {
                        Ok(_) => return old,
                        Err(now) => old = now,
                    }
                }
            }
        }
    };
}
word!(u16, AtomicU16);
word!(u32, AtomicU32);
word!(u64, AtomicU64);

impl Word for u128 {
    unsafe fn update(p: *mut Self, f: impl Fn(Self) -> Self) -> Self {
        // The host may have no 128-bit atomics; these are rare enough for one lock.
        static LOCK: Mutex<()> = Mutex::new(());
        let _guard = LOCK.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // SAFETY: valid by contract, and under the lock.
        unsafe {
            let old = p.read();
            p.write(f(old));
            old
        }
    }
}

/// What an atomic does with the word, given its two operands.
pub(crate) type Operation<T> = fn(T, T, T) -> T;

/// Words that operations are defined on; the number of an operation is its place in the table.
pub(crate) trait Operand: Word {
    /// The operation of that number.
    fn operation(number: u32) -> Operation<Self>;
}

/// `d = [a]; [a] = operation([a], b, c)`: `aux` is where the slots start (destinations, operands, second operands),
/// `c` how many elements there are, `b` the number of the operation, `d` whether it may be polling.
struct Atomic<A, S, T>(PhantomData<(A, S, T)>);
impl<A: Addressing, S: Region, T: Operand> Body for Atomic<A, S, T> {
    #[inline(always)]
    unsafe fn run<const WIDE: bool>(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
        let count = op.c as usize;
        let slots = &warp.launch.image.slots[op.aux as usize..][..3 * count];
        let operation = T::operation(op.b);
        // SAFETY: the decoder chose this handler for slots of these types.
        unsafe {
            let addresses = A::addresses(warp, op);
            for lane in lanes_of(mask) {
                for k in 0..count {
                    let [d, b, c] = [slots[k], slots[count + k], slots[2 * count + k]];
                    let (b, c) = (*warp.slot::<T>(b).add(lane), *warp.slot::<T>(c).add(lane));
                    let address = addresses[lane].wide().wrapping_add((k * size_of::<T>()) as u64);
                    match update::<S, T>(warp, lane, address, |old| operation(old, b, c)) {
                        Ok(old) => *warp.slot::<T>(d).add(lane) = old,
                        Err(flow) => {
                            slots[..count].iter().for_each(|&d| *warp.slot::<T>(d).add(lane) = T::default());
                            return flow;
                        }
                    }
                }
            }
        }
        if op.d != 0 {
            warp.poll();
        }
        Flow::Next
    }
}

/// Changes a word of memory; block-private memory needs no host atomics.
///
/// # Safety
/// As for [`Handler`].
#[inline(always)]
unsafe fn update<S: Region, T: Word>(
    warp: &mut Warp<'_>,
    lane: usize,
    address: u64,
    f: impl Fn(T) -> T,
) -> Result<T, Flow> {
    let p = pointer::<S, T>(warp, lane, address, "atomic")?;
    let private = S::NAME == Shared::NAME
        || S::NAME == Generic::NAME && matches!(memory::window(address), Window::Shared | Window::Local);
    // SAFETY: `pointer` vouches for the word and its alignment.
    unsafe {
        if private || !warp.launch.parallel {
            let old = p.read();
            p.write(f(old));
            Ok(old)
        } else {
            Ok(T::update(p, f))
        }
    }
}

/// An atomic on words of type `T`.
pub(crate) fn atomic<A: Addressing, S: Region, T: Operand>() -> Handler {
    portable::<Atomic<A, S, T>>()
}
