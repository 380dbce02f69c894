//! What the tests share: numbers worth trying and the processor's own directed rounding as an oracle.

/// A small generator (xorshift with a multiplier) whose floats favour edge cases.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A pattern of a format: special values, sparse significands, near-equal exponents, and plain noise.
    pub(super) fn bits(&mut self, exponent: u32, significand: u32) -> u64 {
        let total = exponent + significand;
        let noise = self.next();
        let sign = (noise & 1) << total;
        let all_exponents = (1u64 << exponent) - 1;
        let middle = all_exponents >> 1;
        let infinity = all_exponents << significand;
        let choice = self.next() % 16;
        let fraction = self.next() & ((1 << significand) - 1);
        let magnitude = match choice {
            0 => [0, 1, (1 << significand) - 1, 1 << significand, infinity - 1, infinity, infinity | 1, infinity + 2]
                [(noise >> 8) as usize % 8],
            1 => fraction,
            2 => (middle << significand) | 1 << ((noise >> 8) % u64::from(significand)),
            3 => ((middle + (noise >> 8) % 4) << significand) | (fraction & 7),
            4 | 5 => ((middle - 2 + (noise >> 8) % 5) << significand) | fraction,
            6 => infinity - 1 - (fraction & 3),
            7 => ((1 + (noise >> 8) % 30).min(all_exponents - 1) << significand) | fraction,
            8 => {
                ((middle + (noise >> 8) % 64).min(all_exponents - 1) << significand)
                    | (fraction >> ((noise >> 40) % u64::from(significand))) << ((noise >> 48) % 4)
            }
            _ => self.next() & ((1 << total) - 1),
        };
        sign | magnitude & ((1 << total) - 1)
    }

    pub(super) fn f32(&mut self) -> f32 {
        f32::from_bits(self.bits(8, 23) as u32)
    }

    pub(super) fn f64(&mut self) -> f64 {
        f64::from_bits(self.bits(11, 52))
    }
}

/// Scalar SSE arithmetic under a chosen rounding field of MXCSR.
#[cfg(target_arch = "x86_64")]
pub(super) mod oracle {
    use super::super::rounding::Rounding;
    use std::arch::asm;

    /// The directions the processor has, besides the default.
    pub(in super::super) const DIRECTIONS: [Rounding; 3] = [Rounding::TowardZero, Rounding::Down, Rounding::Up];

    fn control(rounding: Rounding) -> u32 {
        let field = match rounding {
            Rounding::Down => 1,
            Rounding::Up => 2,
            Rounding::TowardZero => 3,
            _ => 0,
        };
        0x1f80 | field << 13
    }

    macro_rules! binary {
        ($name:ident, $type:ty, $instruction:literal) => {
            pub(in super::super) fn $name(mut a: $type, b: $type, rounding: Rounding) -> $type {
                let (new, usual) = (control(rounding), 0x1f80u32);
                // SAFETY: only the rounding field of MXCSR changes, and it is back before the block ends.
                unsafe {
                    asm!("ldmxcsr [{new}]", concat!($instruction, " {a}, {b}"), "ldmxcsr [{usual}]",
                        new = in(reg) &new, usual = in(reg) &usual, a = inout(xmm_reg) a, b = in(xmm_reg) b,
                        options(nostack));
                }
                a
            }
        };
    }

    macro_rules! root {
        ($name:ident, $type:ty, $instruction:literal) => {
            pub(in super::super) fn $name(a: $type, rounding: Rounding) -> $type {
                let (new, usual) = (control(rounding), 0x1f80u32);
                let result: $type;
                // SAFETY: only the rounding field of MXCSR changes, and it is back before the block ends.
                unsafe {
                    asm!("ldmxcsr [{new}]", concat!($instruction, " {r}, {a}"), "ldmxcsr [{usual}]",
                        new = in(reg) &new, usual = in(reg) &usual, a = in(xmm_reg) a, r = out(xmm_reg) result,
                        options(nostack));
                }
                result
            }
        };
    }

    macro_rules! fused {
        ($name:ident, $type:ty, $instruction:literal) => {
            /// None where the processor has no fused multiply-add.
            pub(in super::super) fn $name(mut a: $type, b: $type, c: $type, rounding: Rounding) -> Option<$type> {
                if !std::arch::is_x86_feature_detected!("fma") {
                    return None;
                }
                let (new, usual) = (control(rounding), 0x1f80u32);
                // SAFETY: the instruction exists, and MXCSR is back to its usual value before the block ends.
                unsafe {
                    asm!("ldmxcsr [{new}]", concat!($instruction, " {a}, {b}, {c}"), "ldmxcsr [{usual}]",
                        new = in(reg) &new, usual = in(reg) &usual, a = inout(xmm_reg) a, b = in(xmm_reg) b,
                        c = in(xmm_reg) c, options(nostack));
                }
                Some(a)
            }
        };
    }

    binary!(add32, f32, "addss");
    binary!(sub32, f32, "subss");
    binary!(mul32, f32, "mulss");
    binary!(div32, f32, "divss");
    root!(sqrt32, f32, "sqrtss");
    fused!(fma32, f32, "vfmadd213ss");
    binary!(add64, f64, "addsd");
    binary!(sub64, f64, "subsd");
    binary!(mul64, f64, "mulsd");
    binary!(div64, f64, "divsd");
    root!(sqrt64, f64, "sqrtsd");
    fused!(fma64, f64, "vfmadd213sd");
}
