//! Element types of matrices and how registers hold them.

use crate::float::{Bf16, F16, Fp8, Half16, nan};

/// One register of every lane.
pub(crate) type Lanes = [u32; 32];
/// One 64-bit register of every lane.
pub(crate) type WideLanes = [u64; 32];

/// The type of a matrix element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Element {
    /// IEEE binary16.
    F16,
    /// bfloat16.
    Bf16,
    /// TensorFloat-32: an f32 whose low 13 bits do not count.
    Tf32,
    /// IEEE binary32, of accumulators.
    F32,
    /// IEEE binary64.
    F64,
    /// An 8-bit float.
    Fp8(Fp8),
    /// An integer of 4 or 8 bits, or of 32 in accumulators.
    Int {
        /// Width.
        bits: u32,
        /// Two's complement.
        signed: bool,
    },
    /// A single bit.
    B1,
}

impl Element {
    /// Accumulators of integer products.
    pub(crate) const S32: Element = Element::Int { bits: 32, signed: true };

    /// The type a modifier names, without its dot.
    pub(crate) fn parse(modifier: &str) -> Option<Element> {
        Some(match modifier {
            "f16" => Element::F16,
            "bf16" => Element::Bf16,
            "tf32" => Element::Tf32,
            "f32" => Element::F32,
            "f64" => Element::F64,
            "e4m3" => Element::Fp8(Fp8::E4m3),
            "e5m2" => Element::Fp8(Fp8::E5m2),
            "s8" => Element::Int { bits: 8, signed: true },
            "u8" => Element::Int { bits: 8, signed: false },
            "s4" => Element::Int { bits: 4, signed: true },
            "u4" => Element::Int { bits: 4, signed: false },
            "s32" => Element::S32,
            "b1" => Element::B1,
            _ => return None,
        })
    }

    /// Width in bits.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            Element::F16 | Element::Bf16 => 16,
            Element::Tf32 | Element::F32 => 32,
            Element::F64 => 64,
            Element::Fp8(_) => 8,
            Element::Int { bits, .. } => bits,
            Element::B1 => 1,
        }
    }

    /// Elements in one register: f64 has registers of its own width.
    pub(crate) const fn per_register(self) -> usize {
        match self.bits() {
            1 => 32,
            4 => 8,
            8 => 4,
            16 => 2,
            _ => 1,
        }
    }

    /// Whether products of this type are formed in floating point (f64 apart).
    pub(crate) const fn is_float(self) -> bool {
        matches!(self, Element::F16 | Element::Bf16 | Element::Tf32 | Element::F32 | Element::Fp8(_))
    }

    /// The bits of an element within a register.
    #[inline]
    pub(crate) fn extract(self, register: u32, index: usize) -> u32 {
        let bits = self.bits();
        if bits >= 32 { register } else { register >> (index as u32 * bits) & ((1 << bits) - 1) }
    }

    /// Puts the bits of an element into a register.
    #[inline]
    pub(crate) fn insert(self, register: &mut u32, index: usize, value: u32) {
        let bits = self.bits();
        if bits >= 32 {
            *register = value;
            return;
        }
        let (shift, mask) = (index as u32 * bits, (1u32 << bits) - 1);
        *register = *register & !(mask << shift) | (value & mask) << shift;
    }

    /// The value of a floating-point element, exact in f64.
    #[inline]
    pub(crate) fn to_f64(self, bits: u32) -> f64 {
        match self {
            Element::F16 => F16::to_f32(bits as u16).into(),
            Element::Bf16 => Bf16::to_f32(bits as u16).into(),
            Element::Tf32 => f32::from_bits(bits & 0xffff_e000).into(),
            Element::F32 => f32::from_bits(bits).into(),
            Element::Fp8(format) => format.to_f32(bits as u8).into(),
            Element::F64 | Element::Int { .. } | Element::B1 => f64::from(self.to_i32(bits)),
        }
    }

    /// The values of every lane in a part of a register. The type is dispatched once, so the lanes vectorise.
    #[inline]
    pub(crate) fn lanes_to_f64(self, register: &Lanes, index: usize) -> [f64; 32] {
        let shift = index as u32 * self.bits() % 32;
        match self {
            Element::F16 => each(register, |word| F16::to_f32((word >> shift) as u16).into()),
            Element::Bf16 => each(register, |word| Bf16::to_f32((word >> shift) as u16).into()),
            Element::Tf32 | Element::F32 => each(register, |word| self.to_f64(word)),
            Element::Fp8(format) => each(register, |word| format.to_f32((word >> shift) as u8).into()),
            Element::F64 | Element::Int { .. } | Element::B1 => {
                each(register, |word| self.to_f64(self.extract(word, index)))
            }
        }
    }

    /// The value of an integer element.
    #[inline]
    pub(crate) fn to_i32(self, bits: u32) -> i32 {
        match self {
            Element::Int { bits: width, signed: true } => {
                let shift = 32 - width;
                ((bits << shift) as i32) >> shift
            }
            _ => bits as i32,
        }
    }

    /// Rounds a sum to an accumulator of this type.
    #[inline]
    pub(crate) fn round_f64(self, sum: f64) -> u32 {
        match self {
            Element::F16 => F16::from_f64(sum).into(),
            _ => nan::canonical_f32(sum as f32).to_bits(),
        }
    }
}

/// A plain loop: `map` on arrays of this size is compiled element by element.
#[inline(always)]
fn each(register: &Lanes, value: impl Fn(u32) -> f64) -> [f64; 32] {
    let mut values = [0.0; 32];
    for (result, &word) in values.iter_mut().zip(register) {
        *result = value(word);
    }
    values
}

/// How a matrix lies in memory or, for `mma.m8n8k4`, in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Layout {
    /// Rows are contiguous.
    Row,
    /// Columns are contiguous.
    Col,
}

impl Layout {
    /// The layout a modifier names, without its dot.
    pub(crate) fn parse(modifier: &str) -> Option<Layout> {
        match modifier {
            "row" => Some(Layout::Row),
            "col" => Some(Layout::Col),
            _ => None,
        }
    }
}

/// The sizes of a product: an m×k matrix times a k×n one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// Rows of A and of the result.
    pub(crate) m: usize,
    /// Columns of B and of the result.
    pub(crate) n: usize,
    /// Columns of A, rows of B.
    pub(crate) k: usize,
}

impl Shape {
    /// The shape a modifier such as `m16n8k16` names, without its dot.
    pub(crate) fn parse(modifier: &str) -> Option<Shape> {
        let (m, rest) = modifier.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        Some(Shape { m: m.parse().ok()?, n: n.parse().ok()?, k: k.parse().ok()? })
    }
}
