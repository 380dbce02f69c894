//! `mma.sync`: parsed from its modifiers, and executed.

use super::{
    element::{Element, Lanes, Layout, Shape, WideLanes},
    layout::{self, Position, quad_pairs},
    product,
};
use crate::float::Rounding;

/// How single bits multiply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BitProduct {
    /// `.xor.popc`
    Xor,
    /// `.and.popc`
    And,
}

/// A matrix multiply-accumulate, `D = A * B + C`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MmaSpec {
    shape: Shape,
    a_layout: Layout,
    b_layout: Layout,
    d: Element,
    a: Element,
    b: Element,
    c: Element,
    satfinite: bool,
    bit_product: BitProduct,
    rounding: Rounding,
}

/// Registers of each operand of an `mma` in every lane: 64-bit ones where [`MmaSpec::is_f64`], else 32-bit ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MmaRegisters {
    /// Of the destination.
    pub(crate) d: usize,
    /// Of the first factor.
    pub(crate) a: usize,
    /// Of the second factor.
    pub(crate) b: usize,
    /// Of the addend.
    pub(crate) c: usize,
}

impl MmaSpec {
    /// Parses the modifiers of an instruction, with or without their dots: for
    /// `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32` the opcode is `mma`. None for a form that does not exist
    /// or is not covered (sparse, block-scaled).
    pub(crate) fn parse(opcode: &str, modifiers: &[Box<str>]) -> Option<MmaSpec> {
        if opcode != "mma" {
            return None;
        }
        let mut shape = None;
        let mut layouts = Vec::new();
        let mut elements = Vec::new();
        let mut satfinite = false;
        let mut bit_product = None;
        let mut popc = false;
        let mut rounding = None;
        for modifier in modifiers {
            let modifier = modifier.trim_start_matches('.');
            if let Some(layout) = Layout::parse(modifier) {
                layouts.push(layout);
            } else if let Some(element) = Element::parse(modifier) {
                elements.push(element);
            } else if let Some(direction) = Rounding::parse(modifier) {
                rounding = Some(direction);
            } else {
                match modifier {
                    "sync" | "aligned" => {}
                    "satfinite" => satfinite = true,
                    "popc" => popc = true,
                    "xor" => bit_product = Some(BitProduct::Xor),
                    "and" => bit_product = Some(BitProduct::And),
                    _ => shape = Some(Shape::parse(modifier)?),
                }
            }
        }
        let (&[a_layout, b_layout], &[d, a, b, c]) = (layouts.as_slice(), elements.as_slice()) else {
            return None;
        };
        if popc != bit_product.is_some() || (a == Element::B1) != popc {
            return None;
        }
        // Only f64 has a choice of directions.
        if rounding.is_some() && a != Element::F64 {
            return None;
        }
        let bit_product = bit_product.unwrap_or(BitProduct::Xor);
        let rounding = rounding.unwrap_or_default();
        let spec = MmaSpec { shape: shape?, a_layout, b_layout, d, a, b, c, satfinite, bit_product, rounding };
        spec.exists().then_some(spec)
    }

    /// Whether the instruction set has this combination.
    fn exists(&self) -> bool {
        let Shape { m, n, k } = self.shape;
        let integer = |width| {
            let fits = |element| matches!(element, Element::Int { bits, .. } if bits == width);
            fits(self.a) && fits(self.b) && self.d == Element::S32 && self.c == Element::S32
        };
        let accumulates = |element| {
            let is = |sum: Element| sum == Element::F32 || sum == element;
            is(self.c) && is(self.d)
        };
        let sizes = (m, n, k);
        let plain = match self.a {
            Element::F16 => {
                let known = matches!(sizes, (8, 8, 4) | (16, 8, 8) | (16, 8, 16));
                known && self.b == Element::F16 && accumulates(Element::F16)
            }
            Element::Bf16 => matches!(sizes, (16, 8, 8) | (16, 8, 16)) && self.b == self.a && accumulates(Element::F32),
            Element::Tf32 => matches!(sizes, (16, 8, 4) | (16, 8, 8)) && self.b == self.a && accumulates(Element::F32),
            Element::Fp8(_) => {
                let known = matches!(sizes, (16, 8, 16) | (16, 8, 32));
                known && matches!(self.b, Element::Fp8(_)) && accumulates(Element::F16)
            }
            Element::F64 => {
                let known = matches!(sizes, (8, 8, 4) | (16, 8, 4 | 8 | 16));
                known && [self.b, self.c, self.d] == [Element::F64; 3]
            }
            Element::Int { bits: 8, .. } => matches!(sizes, (8, 8, 16) | (16, 8, 16 | 32)) && integer(8),
            Element::Int { bits: 4, .. } => matches!(sizes, (8, 8, 32) | (16, 8, 32 | 64)) && integer(4),
            Element::B1 => {
                let known = matches!(sizes, (8, 8, 128) | (16, 8, 128 | 256));
                known && self.b == Element::B1 && [self.c, self.d] == [Element::S32; 2]
            }
            Element::F32 | Element::Int { .. } => false,
        };
        let layouts = self.is_quad_pairs() || (self.a_layout, self.b_layout) == (Layout::Row, Layout::Col);
        plain && layouts && (!self.satfinite || matches!(self.a, Element::Int { .. }))
    }

    /// Whether this is the form that computes four products at once.
    fn is_quad_pairs(&self) -> bool {
        self.a == Element::F16 && self.shape == Shape { m: 8, n: 8, k: 4 }
    }

    /// Whether operands are 64-bit registers, to be executed by [`execute_f64`](MmaSpec::execute_f64).
    pub(crate) fn is_f64(&self) -> bool {
        self.a == Element::F64
    }

    /// How many registers each operand has in every lane.
    pub(crate) fn registers(&self) -> MmaRegisters {
        let Shape { m, n, k } = self.shape;
        let products = if self.is_quad_pairs() { 4 } else { 1 };
        let count = |elements: usize, element: Element| elements * products / 32 / element.per_register();
        MmaRegisters {
            d: count(m * n, self.d),
            a: count(m * k, self.a),
            b: count(k * n, self.b),
            c: count(m * n, self.c),
        }
    }

    /// Executes on 32-bit registers. Registers missing from an operand count as zeros, those beyond what
    /// [`registers`](MmaSpec::registers) says are left alone.
    pub(crate) fn execute(&self, d: &mut [Lanes], a: &[Lanes], b: &[Lanes], c: &[Lanes]) {
        let registers = self.registers();
        let d = first_mut(d, registers.d);
        let (a, b, c) = (first(a, registers.a), first(b, registers.b), first(c, registers.c));
        if self.is_quad_pairs() {
            for pair in 0..4 {
                self.execute_quad_pair(pair, d, a, b, c);
            }
        } else if self.a == Element::B1 {
            self.execute_bits(d, a, b, c);
        } else if self.a.is_float() {
            let tall = self.shape.m == 16;
            self.execute_float(
                d,
                (a, |lane, index| Some(layout::a(self.a, tall, lane, index))),
                (b, |lane, index| Some(layout::b(self.b, lane, index))),
                (c, |_, lane, index| Some(layout::c(lane, index))),
            );
        } else {
            self.execute_integer(d, a, b, c);
        }
    }

    fn execute_quad_pair(&self, pair: usize, d: &mut [Lanes], a: &[Lanes], b: &[Lanes], c: &[Lanes]) {
        let mine = |lane| quad_pairs::of(lane) == pair;
        self.execute_float(
            d,
            (a, |lane, index| mine(lane).then(|| quad_pairs::a(self.a_layout, lane, index))),
            (b, |lane, index| mine(lane).then(|| quad_pairs::b(self.b_layout, lane, index))),
            (c, |element, lane, index| mine(lane).then(|| quad_pairs::c(element, lane, index))),
        );
    }

    /// Gathers by the given positions, multiplies, scatters. Lanes without a position take no part.
    fn execute_float(
        &self,
        d: &mut [Lanes],
        (a, a_at): (&[Lanes], impl Fn(usize, usize) -> Option<Position>),
        (b, b_at): (&[Lanes], impl Fn(usize, usize) -> Option<Position>),
        (c, c_at): (&[Lanes], impl Fn(Element, usize, usize) -> Option<Position>),
    ) {
        let Shape { m, n, k } = self.shape;
        let (mut left, mut right, mut sums) = ([0f64; 16 * 32], [0f64; 32 * 8], [0f64; 16 * 8]);
        gather_floats(self.a, a, |lane, index, value| {
            if let Some((row, column)) = a_at(lane, index) {
                left[row * k + column] = value;
            }
        });
        gather_floats(self.b, b, |lane, index, value| {
            if let Some((row, column)) = b_at(lane, index) {
                right[row * n + column] = value;
            }
        });
        gather_floats(self.c, c, |lane, index, value| {
            if let Some((row, column)) = c_at(self.c, lane, index) {
                sums[row * n + column] = value;
            }
        });
        product::float(self.shape, &left[..m * k], &right[..k * n], &mut sums[..m * n]);
        scatter(self.d, d, |lane, index| {
            c_at(self.d, lane, index).map(|(row, column)| self.d.round_f64(sums[row * n + column]))
        });
    }

    fn execute_integer(&self, d: &mut [Lanes], a: &[Lanes], b: &[Lanes], c: &[Lanes]) {
        let Shape { m, n, k } = self.shape;
        let (mut left, mut right, mut sums) = ([0i32; 16 * 64], [0i32; 64 * 8], [0i64; 16 * 8]);
        gather(self.a, a, |lane, index, bits| {
            let (row, column) = layout::a(self.a, m == 16, lane, index);
            left[row * k + column] = self.a.to_i32(bits);
        });
        gather(self.b, b, |lane, index, bits| {
            let (row, column) = layout::b(self.b, lane, index);
            right[row * n + column] = self.b.to_i32(bits);
        });
        gather(self.c, c, |lane, index, bits| {
            let (row, column) = layout::c(lane, index);
            sums[row * n + column] = i64::from(bits as i32);
        });
        product::integer(self.shape, &left[..m * k], &right[..k * n], &mut sums[..m * n]);
        scatter(self.d, d, |lane, index| {
            let (row, column) = layout::c(lane, index);
            Some(product::finish_integer(sums[row * n + column], self.satfinite))
        });
    }

    /// Bits multiply a register at a time: 32 neighbours along k.
    fn execute_bits(&self, d: &mut [Lanes], a: &[Lanes], b: &[Lanes], c: &[Lanes]) {
        let words = self.shape.k / 32;
        let (mut left, mut right) = ([0u32; 16 * 8], [0u32; 8 * 8]);
        for (register, lanes) in a.iter().enumerate() {
            for (lane, &bits) in lanes.iter().enumerate() {
                let (row, column) = layout::a(Element::B1, self.shape.m == 16, lane, register * 32);
                left[row * words + column / 32] = bits;
            }
        }
        for (register, lanes) in b.iter().enumerate() {
            for (lane, &bits) in lanes.iter().enumerate() {
                let (row, column) = layout::b(Element::B1, lane, register * 32);
                right[column * words + row / 32] = bits;
            }
        }
        scatter(self.d, d, |lane, index| {
            let (row, column) = layout::c(lane, index);
            let pairs = left[row * words..].iter().zip(&right[column * words..]).take(words);
            let count: u32 = match self.bit_product {
                BitProduct::Xor => pairs.map(|(x, y)| (x ^ y).count_ones()).sum(),
                BitProduct::And => pairs.map(|(x, y)| (x & y).count_ones()).sum(),
            };
            Some(c.get(index).map_or(0, |lanes| lanes[lane]).wrapping_add(count))
        });
    }

    /// Executes on f64 registers.
    pub(crate) fn execute_f64(&self, d: &mut [WideLanes], a: &[WideLanes], b: &[WideLanes], c: &[WideLanes]) {
        let Shape { m, n, k } = self.shape;
        let registers = self.registers();
        let (mut left, mut right, mut sums) = ([0f64; 16 * 16], [0f64; 16 * 8], [0f64; 16 * 8]);
        gather_f64(first(a, registers.a), |lane, index, value| {
            let (row, column) = layout::a(Element::F64, m == 16, lane, index);
            left[row * k + column] = value;
        });
        gather_f64(first(b, registers.b), |lane, index, value| {
            let (row, column) = layout::b(Element::F64, lane, index);
            right[row * n + column] = value;
        });
        gather_f64(first(c, registers.c), |lane, index, value| {
            let (row, column) = layout::c(lane, index);
            sums[row * n + column] = value;
        });
        product::fused(self.shape, &left[..m * k], &right[..k * n], &mut sums[..m * n], self.rounding);
        scatter_f64(first_mut(d, registers.d), |lane, index| {
            let (row, column) = layout::c(lane, index);
            sums[row * n + column]
        });
    }
}

/// At most `count` registers of an operand.
pub(super) fn first<T>(fragment: &[T], count: usize) -> &[T] {
    &fragment[..count.min(fragment.len())]
}

/// At most `count` registers of a destination.
pub(super) fn first_mut<T>(fragment: &mut [T], count: usize) -> &mut [T] {
    let count = count.min(fragment.len());
    &mut fragment[..count]
}

/// Hands out every element of a fragment: lane, index, bits.
#[inline]
pub(super) fn gather(element: Element, fragment: &[Lanes], mut put: impl FnMut(usize, usize, u32)) {
    let per = element.per_register();
    for (register, lanes) in fragment.iter().enumerate() {
        for (lane, &word) in lanes.iter().enumerate() {
            for within in 0..per {
                put(lane, register * per + within, element.extract(word, within));
            }
        }
    }
}

/// Hands out the value of every element of a floating-point fragment: lane, index, value.
#[inline]
pub(super) fn gather_floats(element: Element, fragment: &[Lanes], mut put: impl FnMut(usize, usize, f64)) {
    let per = element.per_register();
    for (register, lanes) in fragment.iter().enumerate() {
        for within in 0..per {
            for (lane, value) in element.lanes_to_f64(lanes, within).into_iter().enumerate() {
                put(lane, register * per + within, value);
            }
        }
    }
}

/// Fills every element of a fragment from lane and index; None leaves it as it is.
#[inline]
pub(super) fn scatter(element: Element, fragment: &mut [Lanes], get: impl Fn(usize, usize) -> Option<u32>) {
    let per = element.per_register();
    for (register, lanes) in fragment.iter_mut().enumerate() {
        for (lane, word) in lanes.iter_mut().enumerate() {
            for within in 0..per {
                if let Some(bits) = get(lane, register * per + within) {
                    element.insert(word, within, bits);
                }
            }
        }
    }
}

/// Hands out every value of an f64 fragment: lane, index, value.
pub(super) fn gather_f64(fragment: &[WideLanes], mut put: impl FnMut(usize, usize, f64)) {
    for (index, lanes) in fragment.iter().enumerate() {
        for (lane, &bits) in lanes.iter().enumerate() {
            put(lane, index, f64::from_bits(bits));
        }
    }
}

/// Fills an f64 fragment from lane and index.
pub(super) fn scatter_f64(fragment: &mut [WideLanes], get: impl Fn(usize, usize) -> f64) {
    for (index, lanes) in fragment.iter_mut().enumerate() {
        for (lane, bits) in lanes.iter_mut().enumerate() {
            *bits = get(lane, index).to_bits();
        }
    }
}
