//! Two 16-bit values in one 32-bit register.

/// Joins two halves.
#[inline(always)]
pub(crate) fn pack(low: u16, high: u16) -> u32 {
    u32::from(low) | u32::from(high) << 16
}

/// The two halves, low first.
#[inline(always)]
pub(crate) fn split(bits: u32) -> [u16; 2] {
    [bits as u16, (bits >> 16) as u16]
}

/// Joins the halves that [`split`] gives.
#[inline(always)]
fn join([low, high]: [u16; 2]) -> u32 {
    pack(low, high)
}

/// Applies a function to each half.
#[inline(always)]
pub(crate) fn map(a: u32, f: impl Fn(u16) -> u16) -> u32 {
    join(split(a).map(f))
}

/// Applies a function to each pair of halves.
#[inline(always)]
pub(crate) fn map2(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    let (a, b) = (split(a), split(b));
    join(std::array::from_fn(|half| f(a[half], b[half])))
}

/// Applies a function to each triple of halves.
#[inline(always)]
pub(crate) fn map3(a: u32, b: u32, c: u32, f: impl Fn(u16, u16, u16) -> u16) -> u32 {
    let (a, b, c) = (split(a), split(b), split(c));
    join(std::array::from_fn(|half| f(a[half], b[half], c[half])))
}

#[cfg(test)]
mod tests {
    use super::{
        super::{F16, Half16, HalfMode},
        *,
    };

    #[test]
    fn halves_stay_apart() {
        let mode = HalfMode::default();
        // 1 + 1 in the low half, inf - inf in the high one.
        let sum = map2(0x7c00_3c00, 0xfc00_3c00, |a, b| F16::add(a, b, mode));
        assert_eq!(sum, 0x7fff_4000);
        assert_eq!(map(0x0001_8002, |a| F16::neg(a, false)), 0x8001_0002);
        let fused = map3(0x4000_3c00, 0x4000_3c00, 0x3c00_0000, |a, b, c| F16::fma(a, b, c, mode));
        assert_eq!(split(fused), [0x3c00, 0x4500]);
        assert_eq!(F16::fma2(0x4000_3c00, 0x4000_3c00, 0x3c00_0000, mode), fused);
        assert_eq!(F16::add2(0x7c00_3c00, 0xfc00_3c00, mode), sum);
        assert_eq!(F16::sub2(0x4000_3c00, 0x3c00_3c00, mode), 0x3c00_0000);
        assert_eq!(F16::mul2(0x4000_3c00, 0x4000_bc00, mode), 0x4400_bc00);
    }
}
