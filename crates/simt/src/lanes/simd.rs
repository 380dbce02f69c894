//! SIMD levels: the same lane loops, compiled for what the host has.

use super::{Flow, Handler, Level, Op};
use crate::warp::Warp;

/// The body of a handler, to be compiled once for every level.
pub(super) trait Body: 'static {
    /// Executes the instruction; must be `#[inline(always)]`. `WIDE` says that lanes are handled in groups, for vector
    /// instructions, and not one by one.
    ///
    /// # Safety
    /// As for [`Handler`].
    unsafe fn run<const WIDE: bool>(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow;
}

/// Whether the base level handles lanes in groups. That of x86-64 has no gather, no 64-bit comparison and no variable
/// shift: vector code for it takes long to compile, and hosts without AVX2 are rare.
const WIDE_BASE: bool = !cfg!(target_arch = "x86_64");

unsafe fn base<B: Body>(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: passed on to the caller.
    unsafe { B::run::<WIDE_BASE>(warp, op, mask) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
unsafe fn avx2<B: Body>(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: passed on to the caller.
    unsafe { B::run::<true>(warp, op, mask) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
unsafe fn avx512<B: Body>(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: passed on to the caller.
    unsafe { B::run::<true>(warp, op, mask) }
}

/// The instance of a body for a level that the host was found to have.
pub(super) fn instance<B: Body>(level: Level) -> Handler {
    match level {
        Level::Base => base::<B>,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => avx2::<B>,
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => avx512::<B>,
    }
}

/// The same for instructions that wider registers help little, or that are not in every loop: AVX2 serves hosts with
/// AVX-512 too.
pub(super) fn up_to_avx2<B: Body>(level: Level) -> Handler {
    match level {
        Level::Base => base::<B>,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 | Level::Avx512 => avx2::<B>,
    }
}

/// The portable instance, for instructions too rare to be worth more copies.
pub(super) fn portable<B: Body>() -> Handler {
    base::<B>
}
