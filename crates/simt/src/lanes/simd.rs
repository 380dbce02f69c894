//! SIMD levels: the same lane loops, compiled for what the host has.

use super::{Flow, Handler, Level, Op};
use crate::warp::Warp;

/// The body of a handler, to be compiled once for every level.
pub(super) trait Body: 'static {
    /// Executes the instruction; must be `#[inline(always)]`.
    ///
    /// # Safety
    /// As for [`Handler`].
    unsafe fn run(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow;
}

unsafe fn base<B: Body>(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: passed on to the caller.
    unsafe { B::run(warp, op, mask) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
unsafe fn avx2<B: Body>(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: passed on to the caller.
    unsafe { B::run(warp, op, mask) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
unsafe fn avx512<B: Body>(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: passed on to the caller.
    unsafe { B::run(warp, op, mask) }
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

/// The portable instance, for instructions too rare to be worth three copies.
pub(super) fn portable<B: Body>() -> Handler {
    base::<B>
}
