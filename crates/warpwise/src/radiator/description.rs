//! The description of radiator.

use super::conformance;
use super::workload::case;
use crate::primitive::{Extent, Extents, Parameter, Primitive, Takes, Type, Variant, Work, of_type};

/// The ladder of the radiator.
///
/// ```
/// assert_eq!(warpwise::radiator::VARIANTS.last().unwrap().name, "gpu-4-shuffled");
/// ```
pub const VARIANTS: &[Variant] = &[
    Variant::cpu("cpu-seq", "one element after the other, one thread"),
    Variant::cpu("cpu-par", "all cores and vector instructions, a row through all steps before the next"),
    Variant::gpu("gpu-1-naive", "a thread an element; the grid is copied up and stays in global memory")
        .teaches("global memory in every step")
        .takes(Takes::BLOCK),
    Variant::gpu(
        "gpu-2-registers",
        "a window slides along in registers; vector loads; no division; starts on the device",
    )
    .teaches("sliding windows in registers")
    .takes(Takes::BLOCK_AND_ITEMS),
    Variant::gpu("gpu-3-resident", "a whole row stays on chip for all iterations")
        .teaches("data that stays on chip")
        .takes(Takes::BLOCK_AND_ITEMS),
    Variant::gpu("gpu-4-shuffled", "neighbours by shuffle; warps meet only every few steps; long rows in windows")
        .teaches("warp shuffles instead of barriers")
        .takes(Takes::BLOCK_AND_ITEMS),
];

/// The description of radiator: what lists, benchmarks, checks and pages are made from.
///
/// ```
/// assert_eq!(warpwise::radiator::PRIMITIVE.name, "radiator");
/// ```
pub static PRIMITIVE: Primitive = Primitive {
    name: "radiator",
    about: "Sends heat along rows that are rings, step by step.",
    lesson: "Rows have nothing to do with each other. Going back to global memory in every step is the naive way; a \
             window in registers reads each value once a step; a row that stays on chip reads it once in all, and lanes \
             that hand values to each other need no barriers.",
    types: &[Type::F32, Type::F64],
    variants: VARIANTS,
    extents: Extents::Plane,
    watched: Extent::Plane { rows: 64, cols: 1024 },
    parameters: &[Parameter::ITERATIONS],
    inputs: &["2019", "2023", "2025"],
    work: Work {
        // Five products, four sums, one division. Rows are independent: each can stay on chip for all steps, so one
        // pass is enough.
        operations: |_| 10.0,
        ..Work::simple(1.0, 1.0)
    },
    slowness: 2.0,
    case: |problem| of_type!(problem.ty, [f32 f64], case(problem)),
    checks: conformance::checks,
    large: |_| (),
};

include!(concat!(env!("OUT_DIR"), "/radiator_rungs.rs"));
