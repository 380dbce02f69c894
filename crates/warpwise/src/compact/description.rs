//! What compact says of itself.

use super::conformance;
use super::workload::case;
use crate::primitive::{
    Choice, Data, Extent, Extents, Free, Parameter, Primitive, Setting, Takes, Type, Variant, Work, of_type,
};

/// The ladder of compact.
///
/// ```
/// assert_eq!(warpwise::compact::VARIANTS.last().unwrap().name, "gpu-4-look-back");
/// ```
pub const VARIANTS: &[Variant] = &[
    Variant::cpu("cpu-seq", "one loop, one thread"),
    Variant::cpu("cpu-par", "all cores, and vector registers that are compressed"),
    Variant::gpu("gpu-1-two-pass", "flags, a scan that makes places of them, then every element to its place")
        .teaches("compaction by a scan")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-2-warp-atomic", "one pass: a warp counts by a vote and asks for room at once; order is not kept")
        .free(Free { why: "it keeps no order", kernels: &[], except: &[] })
        .teaches("warp-aggregated atomics")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-3-staged", "a scan of one number a block; blocks gather in shared memory and store side by side")
        .teaches("staging in shared memory")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-4-look-back", "one pass in order: blocks post how many they keep, and add up what others posted")
        .teaches("a single pass with posted counts")
        .takes(Takes::ALL),
];

/// How elements that are kept compare with the value.
const CONDITION: Parameter = Parameter {
    name: "condition",
    about: "which elements are kept: those that compare so with a value, or those that a mask of bytes names",
    choice: Choice::Words(&["less", "greater", "equal", "not-equal", "mask"]),
    default: Setting::Word("less"),
    watched: Setting::Word("less"),
    quiet: true,
};

/// How many elements are kept.
const KEPT: Parameter = Parameter {
    name: "kept",
    about: "elements that are kept of 100 random ones, by the conditions less and greater and by masks",
    choice: Choice::Numbers(0, 100),
    default: Setting::Number(50),
    watched: Setting::Number(50),
    quiet: true,
};

/// The description of compact: what lists, benchmarks, checks and pages are made from.
///
/// ```
/// assert_eq!(warpwise::compact::PRIMITIVE.name, "compact");
/// ```
pub static PRIMITIVE: Primitive = Primitive {
    name: "compact",
    about: "Keeps the elements for which a condition holds, in order.",
    lesson: "Where an element goes depends on how many before it are kept: a scan of flags says so, at the price of \
             reading everything twice. Warps that ask a counter for room need no scan, but lose the order. Blocks that \
             gather in shared memory first store side by side; and blocks that post how many they keep do it all in one \
             pass, in order.",
    types: &[Type::I32, Type::U32, Type::F32, Type::F64],
    variants: VARIANTS,
    extents: Extents::Line,
    watched: Extent::Length(1 << 20),
    parameters: &[CONDITION, KEPT],
    inputs: Data::NAMES,
    work: Work {
        // Kept elements are written too.
        more_bytes: |problem| {
            let kept = problem.elements() as f64 * problem.number("kept") as f64 / 100.0;
            kept * problem.ty.bytes() as f64
        },
        ..Work::simple(1.0, 0.0)
    },
    slowness: 1.0,
    case: |problem| of_type!(problem.ty, [i32 u32 f32 f64], case(problem)),
    checks: conformance::checks,
    large: conformance::large,
};

include!(concat!(env!("OUT_DIR"), "/compact_rungs.rs"));
