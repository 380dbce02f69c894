//! Lanes: the threads of a warp.

/// Threads of a warp.
pub(crate) const LANES: usize = 32;
/// The mask of a whole warp.
pub(crate) const FULL: u32 = u32::MAX;

/// A value that a register lane can hold.
pub(crate) trait Lane: Copy + Default + Send + Sync + 'static {}
impl Lane for u8 {}
impl Lane for i8 {}
impl Lane for u16 {}
impl Lane for i16 {}
impl Lane for u32 {}
impl Lane for i32 {}
impl Lane for u64 {}
impl Lane for i64 {}
impl Lane for u128 {}
impl Lane for f32 {}
impl Lane for f64 {}

/// The lanes of a mask, lowest first.
#[inline(always)]
pub(crate) fn lanes_of(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let lane = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        Some(lane)
    })
}
