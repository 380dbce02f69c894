//! The description of vecadd.

use super::conformance;
use super::workload::case;
use crate::primitive::{Data, Extent, Extents, Primitive, Takes, Type, Variant, Work, of_type};

/// The ladder of vector add.
///
/// ```
/// assert_eq!(warpwise::vecadd::VARIANTS[2].name, "gpu-blocks");
/// ```
pub const VARIANTS: &[Variant] = &[
    Variant::cpu("cpu-seq", "one loop, one thread"),
    Variant::cpu("cpu-par", "all cores and vector instructions"),
    Variant::gpu("gpu-blocks", "a block of one thread for each element: 31 of 32 lanes idle").teaches("idle lanes"),
    Variant::gpu("gpu-one-block", "one block with a thread for each element: full warps, but 1024 elements at most")
        .teaches("the limit of a block")
        .one_block(1024),
    Variant::gpu("gpu-grid", "many blocks of many threads: any length on the whole GPU")
        .teaches("blocks and grids")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-grid-stride", "a loop in each thread: a grid of any size, several loads on their way at once")
        .teaches("grid-stride loops")
        .takes(Takes::BLOCK_AND_GRID),
    Variant::gpu("gpu-vec4", "16-byte loads and stores: a quarter of the memory instructions")
        .teaches("vector loads")
        .takes(Takes::BLOCK_AND_GRID),
];

/// The description of vecadd: what lists, benchmarks, checks and pages are made from.
///
/// ```
/// assert_eq!(warpwise::vecadd::PRIMITIVE.name, "vecadd");
/// ```
pub static PRIMITIVE: Primitive = Primitive {
    name: "vecadd",
    about: "Adds two vectors, element by element.",
    lesson: "There is nothing to share and nothing to wait for, so all that matters is that every lane has work and \
             that memory is asked in large pieces. A block of one thread uses one lane of 32; a block for everything \
             ends at 1024 threads; many blocks of whole warps use the GPU, and 16-byte accesses need a quarter of the \
             instructions.",
    types: &[Type::I32, Type::F32, Type::F64],
    variants: VARIANTS,
    extents: Extents::Line,
    watched: Extent::Length(1 << 20),
    parameters: &[],
    inputs: Data::NAMES,
    work: Work::simple(2.0, 1.0),
    slowness: 1.0,
    case: |problem| of_type!(problem.ty, [i32 f32 f64], case(problem)),
    checks: conformance::checks,
    large: |_| (),
};

include!(concat!(env!("OUT_DIR"), "/vecadd_rungs.rs"));
