//! `wmma`: matrices loaded, multiplied and stored by a warp.
//!
//! Which lane holds which element of a fragment is the machine's own affair: programs may only pass fragments from
//! one `wmma` instruction to another and treat all their elements alike. Here the elements lie in row-major order,
//! lane after lane. Where a fragment has more places than its matrix has elements (f16 factors always have eight
//! registers), the matrix repeats.

use super::{
    element::{Element, Lanes, Layout, Shape, WideLanes},
    product,
    spec::{first, first_mut, gather, gather_f64, gather_floats, scatter, scatter_f64},
};
use crate::float::Rounding;

/// The role of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operand {
    /// The first factor, m×k.
    A,
    /// The second factor, k×n.
    B,
    /// The addend or the result, m×n.
    Accumulator,
}

/// A matrix spread over the registers of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct WmmaFragment {
    /// Rows of the matrix.
    pub(crate) rows: usize,
    /// Columns of the matrix.
    pub(crate) columns: usize,
    /// Type of its elements.
    pub(crate) element: Element,
    /// Registers in every lane: 64-bit ones for f64, else 32-bit ones.
    pub(crate) registers: usize,
}

impl WmmaFragment {
    /// The fragment of an operand; None where the instruction set has none.
    pub(crate) fn new(operand: Operand, shape: Shape, element: Element) -> Option<WmmaFragment> {
        let Shape { m, n, k } = shape;
        let (rows, columns) = match operand {
            Operand::A => (m, k),
            Operand::B => (k, n),
            Operand::Accumulator => (m, n),
        };
        let large = matches!((m, n, k), (16, 16, 16) | (32, 8, 16) | (8, 32, 16));
        let exists = match (operand, element) {
            (Operand::Accumulator, Element::F16 | Element::S32) => large,
            (Operand::Accumulator, Element::F32) => large || (m, n, k) == (16, 16, 8),
            (Operand::A | Operand::B, Element::F16 | Element::Bf16 | Element::Int { bits: 8, .. }) => large,
            (Operand::A | Operand::B, Element::Tf32) => (m, n, k) == (16, 16, 8),
            (_, Element::F64) => (m, n, k) == (8, 8, 4),
            _ => false,
        };
        let registers = match (operand, element) {
            (Operand::A | Operand::B, Element::F16) => 8,
            _ => rows * columns / 32 / element.per_register(),
        };
        exists.then_some(WmmaFragment { rows, columns, element, registers })
    }

    /// Elements in every lane. Element `i` is part `i % per_register` of register `i / per_register`, counted from
    /// the low bits, where `per_register` is [`Element::per_register`].
    pub(crate) fn elements(&self) -> usize {
        self.registers * self.element.per_register()
    }

    /// The matrix element, as (row, column), at place `index` of a lane.
    #[inline]
    pub(crate) fn element(&self, lane: usize, index: usize) -> (usize, usize) {
        // All sizes are powers of two, which spares divisions.
        let place = (lane * self.elements() + index) & (self.rows * self.columns - 1);
        (place >> self.columns.trailing_zeros(), place & (self.columns - 1))
    }

    /// Where that element lies in memory, in elements from the base, rows (or columns) being `stride` apart.
    #[inline]
    pub(crate) fn offset(&self, layout: Layout, lane: usize, index: usize, stride: usize) -> usize {
        let (row, column) = self.element(lane, index);
        match layout {
            Layout::Row => row.wrapping_mul(stride).wrapping_add(column),
            Layout::Col => column.wrapping_mul(stride).wrapping_add(row),
        }
    }

    /// The stride of an instruction that names none: the matrix is dense.
    pub(crate) fn default_stride(&self, layout: Layout) -> usize {
        match layout {
            Layout::Row => self.columns,
            Layout::Col => self.rows,
        }
    }

    fn fill_f64(&self, fragment: &[Lanes], matrix: &mut [f64]) {
        gather_floats(self.element, first(fragment, self.registers), |lane, index, value| {
            let (row, column) = self.element(lane, index);
            matrix[row * self.columns + column] = value;
        });
    }

    fn fill_i32(&self, fragment: &[Lanes], matrix: &mut [i32]) {
        gather(self.element, first(fragment, self.registers), |lane, index, bits| {
            let (row, column) = self.element(lane, index);
            matrix[row * self.columns + column] = self.element.to_i32(bits);
        });
    }

    fn fill_wide(&self, fragment: &[WideLanes], matrix: &mut [f64]) {
        gather_f64(first(fragment, self.registers), |lane, index, value| {
            let (row, column) = self.element(lane, index);
            matrix[row * self.columns + column] = value;
        });
    }
}

/// A `wmma` instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Wmma {
    /// `wmma.load`
    Load {
        /// What is loaded.
        fragment: WmmaFragment,
        /// How it lies in memory.
        layout: Layout,
    },
    /// `wmma.store`
    Store {
        /// What is stored.
        fragment: WmmaFragment,
        /// How it lies in memory.
        layout: Layout,
    },
    /// `wmma.mma`
    Mma(WmmaMma),
}

impl Wmma {
    /// Parses the modifiers of an instruction, with or without their dots; state spaces are skipped. None for a form
    /// that does not exist or is not covered (sub-byte elements).
    pub(crate) fn parse(opcode: &str, modifiers: &[Box<str>]) -> Option<Wmma> {
        if opcode != "wmma" {
            return None;
        }
        let mut words = modifiers.iter().map(|modifier| modifier.trim_start_matches('.'));
        let kind = words.next()?;
        let operand = match kind {
            "load" => match words.next()? {
                "a" => Some(Operand::A),
                "b" => Some(Operand::B),
                "c" => Some(Operand::Accumulator),
                _ => return None,
            },
            "store" => (words.next()? == "d").then_some(Operand::Accumulator),
            _ => None,
        };
        let mut shape = None;
        let mut layouts = Vec::new();
        let mut elements = Vec::new();
        let mut satfinite = false;
        let mut rounding = None;
        for word in words {
            if let Some(layout) = Layout::parse(word) {
                layouts.push(layout);
            } else if let Some(element) = Element::parse(word) {
                elements.push(element);
            } else {
                match word {
                    "rn" | "rz" | "rm" | "rp" => rounding = Rounding::parse(word),
                    "sync" | "aligned" | "global" | "shared" | "shared::cta" => {}
                    "satfinite" => satfinite = true,
                    _ => shape = Some(Shape::parse(word)?),
                }
            }
        }
        let shape = shape?;
        match (kind, layouts.as_slice(), elements.as_slice()) {
            ("load", &[layout], &[element]) => {
                Some(Wmma::Load { fragment: WmmaFragment::new(operand?, shape, element)?, layout })
            }
            ("store", &[layout], &[element]) => {
                Some(Wmma::Store { fragment: WmmaFragment::new(operand?, shape, element)?, layout })
            }
            ("mma", &[_, _], &[d, c]) => {
                WmmaMma::new(shape, [d, Element::F16, Element::F16, c], satfinite, rounding).map(Wmma::Mma)
            }
            ("mma", &[_, _], &[d, a, b, c]) => WmmaMma::new(shape, [d, a, b, c], satfinite, rounding).map(Wmma::Mma),
            _ => None,
        }
    }
}

/// `wmma.mma`: `D = A * B + C`. The arithmetic is that of [`product`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct WmmaMma {
    shape: Shape,
    /// The result.
    pub(crate) d: WmmaFragment,
    /// The first factor.
    pub(crate) a: WmmaFragment,
    /// The second factor.
    pub(crate) b: WmmaFragment,
    /// The addend.
    pub(crate) c: WmmaFragment,
    satfinite: bool,
    rounding: Rounding,
}

impl WmmaMma {
    fn new(shape: Shape, [d, a, b, c]: [Element; 4], satfinite: bool, rounding: Option<Rounding>) -> Option<WmmaMma> {
        let sums = |allowed: &[Element]| allowed.contains(&c) && allowed.contains(&d);
        let exists = match a {
            Element::F16 => b == a && sums(&[Element::F16, Element::F32]),
            Element::Bf16 | Element::Tf32 => b == a && sums(&[Element::F32]) && !satfinite,
            Element::Int { .. } => matches!(b, Element::Int { .. }) && sums(&[Element::S32]),
            Element::F64 => b == a && sums(&[Element::F64]) && !satfinite,
            _ => false,
        };
        // Only f64 has a choice of directions.
        if !exists || rounding.is_some() && a != Element::F64 {
            return None;
        }
        Some(WmmaMma {
            shape,
            d: WmmaFragment::new(Operand::Accumulator, shape, d)?,
            a: WmmaFragment::new(Operand::A, shape, a)?,
            b: WmmaFragment::new(Operand::B, shape, b)?,
            c: WmmaFragment::new(Operand::Accumulator, shape, c)?,
            satfinite,
            rounding: rounding.unwrap_or_default(),
        })
    }

    /// Whether operands are 64-bit registers, to be executed by [`execute_f64`](WmmaMma::execute_f64).
    pub(crate) fn is_f64(&self) -> bool {
        self.a.element == Element::F64
    }

    /// Executes on 32-bit registers. Registers missing from an operand count as zeros, those beyond the fragments'
    /// sizes are left alone.
    pub(crate) fn execute(&self, d: &mut [Lanes], a: &[Lanes], b: &[Lanes], c: &[Lanes]) {
        let Shape { m, n, k } = self.shape;
        let d = first_mut(d, self.d.registers);
        if self.a.element.is_float() {
            let (mut left, mut right, mut sums) = ([0f64; 512], [0f64; 512], [0f64; 256]);
            self.a.fill_f64(a, &mut left);
            self.b.fill_f64(b, &mut right);
            self.c.fill_f64(c, &mut sums);
            product::float(self.shape, &left[..m * k], &right[..k * n], &mut sums[..m * n]);
            scatter(self.d.element, d, |lane, index| {
                let (row, column) = self.d.element(lane, index);
                Some(self.finish_float(sums[row * n + column]))
            });
        } else {
            let (mut left, mut right, mut addend) = ([0i32; 512], [0i32; 512], [0i32; 256]);
            self.a.fill_i32(a, &mut left);
            self.b.fill_i32(b, &mut right);
            self.c.fill_i32(c, &mut addend);
            let mut sums = addend.map(i64::from);
            product::integer(self.shape, &left[..m * k], &right[..k * n], &mut sums[..m * n]);
            scatter(self.d.element, d, |lane, index| {
                let (row, column) = self.d.element(lane, index);
                Some(product::finish_integer(sums[row * n + column], self.satfinite))
            });
        }
    }

    /// Rounds a sum. For floats `.satfinite` turns infinities into the largest finite value and NaN into +0.
    fn finish_float(&self, sum: f64) -> u32 {
        let bits = self.d.element.round_f64(sum);
        if !self.satfinite {
            return bits;
        }
        let (infinity, sign) = if self.d.element == Element::F16 { (0x7c00, 0x8000) } else { (0x7f80_0000, 1 << 31) };
        match bits & !sign {
            magnitude if magnitude > infinity => 0,
            magnitude if magnitude == infinity => bits - 1,
            _ => bits,
        }
    }

    /// Executes on f64 registers.
    pub(crate) fn execute_f64(&self, d: &mut [WideLanes], a: &[WideLanes], b: &[WideLanes], c: &[WideLanes]) {
        let (mut left, mut right, mut sums) = ([0f64; 32], [0f64; 32], [0f64; 64]);
        self.a.fill_wide(a, &mut left);
        self.b.fill_wide(b, &mut right);
        self.c.fill_wide(c, &mut sums);
        product::fused(self.shape, &left, &right, &mut sums, self.rounding);
        scatter_f64(first_mut(d, self.d.registers), |lane, index| {
            let (row, column) = self.d.element(lane, index);
            sums[row * self.d.columns + column]
        });
    }
}
