//! The bits of NaN results, one rule per type, so that each can be compared with hardware and corrected alone.

/// The one NaN that f32 arithmetic delivers.
pub(crate) const F32: f32 = f32::from_bits(0x7fff_ffff);
/// The one NaN that f16 and bf16 arithmetic delivers.
pub(crate) const HALF: u16 = 0x7fff;
/// The NaN of an invalid f64 operation without a NaN operand.
pub(crate) const F64_INVALID: f64 = f64::from_bits(0xfff8_0000_0000_0000);
/// The NaN that `rcp.approx.ftz.f64` and `rsqrt.approx.ftz.f64` deliver.
pub(crate) const F64_APPROX: f64 = f64::from_bits(0x7fff_ffff_0000_0000);
/// The quiet bit of an f64 NaN.
const F64_QUIET: u64 = 1 << 51;

/// Replaces any NaN by the canonical one. A select, so that loops over lanes vectorise.
#[inline(always)]
pub(crate) fn canonical_f32(result: f32) -> f32 {
    // On integers throughout: to the optimiser one NaN is as good as another, and it drops a floating-point select.
    let bits = result.to_bits();
    f32::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 { F32.to_bits() } else { bits })
}

/// Applies the f64 rule to the result of an operation: the first NaN operand, made quiet, or else the NaN of an
/// invalid operation.
#[inline(always)]
pub(crate) fn propagate_f64<const N: usize>(result: f64, operands: [f64; N]) -> f64 {
    let is_nan = |bits: u64| bits & !(1 << 63) > 0x7ff0_0000_0000_0000;
    let mut payload = F64_INVALID.to_bits();
    for operand in operands.into_iter().rev() {
        payload = if is_nan(operand.to_bits()) { operand.to_bits() } else { payload };
    }
    // On integers throughout, as for f32.
    let bits = result.to_bits();
    f64::from_bits(if is_nan(bits) { payload | F64_QUIET } else { bits })
}

/// The result of `neg.f64` and `abs.f64`, given with its sign changed: a NaN operand passes unchanged.
#[inline(always)]
pub(crate) fn sign_f64(operand: f64, changed: u64) -> f64 {
    let bits = operand.to_bits();
    f64::from_bits(if bits & !(1 << 63) > 0x7ff0_0000_0000_0000 { bits } else { changed })
}

/// The f64 that a NaN f32 widens to: its payload moved up, made quiet.
#[inline]
pub(crate) fn widen_f32(bits: u32) -> u64 {
    let sign = u64::from(bits >> 31) << 63;
    sign | 0x7ff0_0000_0000_0000 | F64_QUIET | u64::from(bits & 0x007f_ffff) << 29
}

/// The f32 that a NaN bf16 widens to. Machines widen by moving the bits, so the payload stays.
#[inline]
pub(crate) fn widen_bf16(bits: u16) -> u32 {
    u32::from(bits) << 16
}

/// The f32 that a NaN f16 widens to.
#[inline]
pub(crate) fn widen_f16(_bits: u16) -> u32 {
    F32.to_bits()
}

/// The f64 that a NaN f16 or bf16 widens to.
#[inline]
pub(crate) fn widen_half_f64(_bits: u16) -> u64 {
    widen_f32(F32.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f64_prefers_the_first_operand() {
        let first = f64::from_bits(0x7ff0_0000_0000_0123);
        let second = f64::from_bits(0xfff8_0000_0000_0456);
        assert_eq!(propagate_f64(first + second, [first, second]).to_bits(), 0x7ff8_0000_0000_0123);
        assert_eq!(propagate_f64(1.0 + second, [1.0, second]).to_bits(), 0xfff8_0000_0000_0456);
        assert_eq!(propagate_f64(f64::NAN, [1.0, 2.0]).to_bits(), 0xfff8_0000_0000_0000);
        assert_eq!(propagate_f64(3.0, [1.0, 2.0]), 3.0);
    }

    #[test]
    fn widening_keeps_nans() {
        assert_eq!(widen_f32(0x7fff_ffff), 0x7fff_ffff_e000_0000);
        assert!(f64::from_bits(widen_f32(0xff80_0001)).is_nan());
    }
}
