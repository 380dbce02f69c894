//! What there is: every primitive with its types and its ladder.

use crate::Variant;

/// A primitive as lists show it.
///
/// ```
/// let scan: &warpwise::Primitive = &warpwise::PRIMITIVES[2];
/// assert_eq!(scan.name, "scan");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Primitive {
    /// The name that the command line uses.
    pub name: &'static str,
    /// Element types, as the command line spells them.
    pub types: &'static [&'static str],
    /// The ladder: CPU variants, then GPU rungs in order.
    pub variants: &'static [Variant],
}

/// Every primitive, in the order of the documentation.
///
/// ```
/// let reduce = warpwise::PRIMITIVES.iter().find(|p| p.name == "reduce").expect("there is one");
/// assert_eq!(reduce.variants[0].name, "cpu-seq");
/// assert!(reduce.types.contains(&"f32"));
/// ```
pub const PRIMITIVES: &[Primitive] = &[
    Primitive { name: "vecadd", types: &["i32", "f32", "f64"], variants: crate::vecadd::VARIANTS },
    Primitive { name: "reduce", types: &["i32", "u32", "i64", "u64", "f32", "f64"], variants: crate::reduce::VARIANTS },
    Primitive { name: "scan", types: &["i32", "u32", "i64", "u64", "f32", "f64"], variants: crate::scan::VARIANTS },
    Primitive { name: "histogram", types: &["u8", "u32", "i32", "f32", "f64"], variants: crate::histogram::VARIANTS },
    Primitive { name: "matmul", types: &["f32", "f64"], variants: crate::matmul::VARIANTS },
    Primitive { name: "convolve1d", types: &["i32", "f32", "f64"], variants: crate::convolve1d::VARIANTS },
    Primitive { name: "convolve2d", types: &["u8", "f32"], variants: crate::convolve2d::VARIANTS },
    Primitive { name: "heat", types: &["f64", "f32"], variants: crate::heat::VARIANTS },
    Primitive { name: "radiator", types: &["f32", "f64"], variants: crate::radiator::VARIANTS },
    Primitive { name: "hello", types: &[], variants: crate::hello::VARIANTS },
];
