//! The description of heat.

use super::conformance;
use super::workload::case;
use crate::primitive::{Data, Extent, Extents, Parameter, Primitive, Takes, Type, Variant, Work, of_type};

/// The ladder of heat.
///
/// ```
/// assert_eq!(warpwise::heat::VARIANTS.last().unwrap().name, "gpu-6-resident");
/// ```
pub const VARIANTS: &[Variant] = &[
    Variant::cpu("cpu-seq", "one loop over all cells, one thread"),
    Variant::cpu("cpu-par", "all cores and vector instructions"),
    Variant::gpu("gpu-1-separate-mirror", "a launch for each thing: update, mirror columns, largest difference")
        .teaches("the cost of a launch")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-2-merged-mirror", "whoever updates a cell at the seam writes its mirror too")
        .teaches("merging small kernels")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-3-shared-maxdiff", "differences are combined in shared memory: one atomic a block")
        .teaches("block-wide reductions before atomics")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-4-fused", "update, mirror and largest difference in one launch")
        .teaches("kernel fusion")
        .takes(Takes::BLOCK),
    Variant::gpu(
        "gpu-5-passes",
        "several steps in one pass: a warp slides down a strip, the steps between in registers",
    )
    .teaches("temporal blocking")
    .takes(Takes::BLOCK),
    Variant::gpu(
        "gpu-6-resident",
        "a grid that fits on chip stays there for all steps: blocks exchange halos (others: gpu-5-passes)",
    )
    .teaches("persistent kernels and grid-wide waiting")
    .takes(Takes::BLOCK_AND_ITEMS),
];

/// The description of heat: what lists, benchmarks, checks and pages are made from.
///
/// ```
/// assert_eq!(warpwise::heat::PRIMITIVE.name, "heat");
/// ```
pub static PRIMITIVE: Primitive = Primitive {
    name: "heat",
    about: "Spreads heat on a cylinder, step by step, until nothing changes much.",
    lesson: "Each step reads nine cells to write one, and asks for the largest change. Launches that only copy a seam \
             cost more than their work; one atomic a block costs less than one a cell; and everything in one launch \
             saves reading the grid again. Several steps in one pass read it once for all of them, and a grid that fits \
             on the chip need not be read again at all.",
    types: &[Type::F64, Type::F32],
    variants: VARIANTS,
    extents: Extents::Plane,
    watched: Extent::Plane { rows: 512, cols: 512 },
    parameters: &[Parameter::ITERATIONS],
    inputs: Data::NAMES,
    work: Work {
        operations: |_| 12.0,
        // Whether to continue is known only when a step is complete, so no step can begin earlier.
        passes: |problem| problem.steps() as f64,
        // Temperatures and conductivities are read.
        ..Work::simple(2.0, 1.0)
    },
    slowness: 3.0,
    case: |problem| of_type!(problem.ty, [f64 f32], case(problem)),
    checks: conformance::checks,
    large: |_| (),
};

include!(concat!(env!("OUT_DIR"), "/heat_rungs.rs"));
