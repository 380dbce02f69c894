//! The description of reduce.

use super::conformance;
use super::workload::case;
use crate::Operator;
use crate::primitive::{
    Choice, Data, Extent, Extents, Parameter, Primitive, Setting, Takes, Type, Variant, Work, of_type,
};

/// The ladder of reduce.
///
/// ```
/// assert_eq!(warpwise::reduce::VARIANTS.last().unwrap().name, "gpu-11-fixed-tree");
/// ```
pub const VARIANTS: &[Variant] = &[
    Variant::cpu("cpu-seq", "one loop, one thread"),
    Variant::cpu("cpu-par", "all cores and vector instructions, summed in a fixed tree"),
    Variant::gpu("gpu-1-interleaved", "a tree in shared memory that picks its threads by modulo: divergent warps")
        .teaches("warp divergence")
        .takes(Takes::BLOCK)
        .shown(1 << 16, 1 << 18),
    Variant::gpu("gpu-2-strided", "the first threads do the work: no divergence, but bank conflicts")
        .teaches("bank conflicts")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-3-sequential", "the upper half is added to the lower: no bank conflicts")
        .teaches("conflict-free addressing")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-4-first-add", "two elements a thread while loading: no half of the block is idle")
        .teaches("idle threads")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-5-unroll-last-warp", "the last warp needs no block barriers")
        .teaches("the cost of barriers")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-6-unrolled", "the block size is a compile-time constant: straight code")
        .teaches("loop unrolling")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-7-multi-add", "a grid-stride loop: many elements a thread, one tree a block")
        .teaches("grid-stride loops")
        .takes(Takes::BLOCK_AND_GRID),
    Variant::gpu("gpu-8-shuffle", "lanes hand values to each other in registers")
        .teaches("warp shuffles")
        .takes(Takes::BLOCK_AND_GRID),
    Variant::gpu("gpu-9-single-pass", "16-byte loads and one launch: the last block finishes")
        .teaches("the last block finishes")
        .takes(Takes::BLOCK_AND_GRID),
    Variant::gpu(
        "gpu-10-posted",
        "warps post their partials, and the last block waits for them: no fences, no atomics",
    )
    .teaches("communication without fences")
    .takes(Takes::BLOCK_AND_GRID),
    Variant::gpu(
        "gpu-11-fixed-tree",
        "floats in an order that depends on their number alone: the same bits everywhere",
    )
    .teaches("reproducible sums")
    .takes(Takes::BLOCK_AND_GRID),
];

/// The description of reduce: what lists, benchmarks, checks and pages are made from.
///
/// ```
/// assert_eq!(warpwise::reduce::PRIMITIVE.name, "reduce");
/// ```
pub static PRIMITIVE: Primitive = Primitive {
    name: "reduce",
    about: "Combines all elements into one; here, their sum.",
    lesson: "The classical ladder. Picking threads by modulo leaves warps with a few active lanes (divergence); \
             striding keeps warps whole but sends lanes to the same bank of shared memory (conflicts); adding the upper \
             half to the lower removes both. From there on it is about doing less: two elements a thread, no barriers \
             in the last warp, no loop, then many elements a thread, registers instead of shared memory, and one launch.",
    types: &[Type::I32, Type::U32, Type::I64, Type::U64, Type::F32, Type::F64],
    variants: VARIANTS,
    extents: Extents::Line,
    watched: Extent::Length(1 << 20),
    parameters: &[
        Operator::PARAMETER,
        Parameter {
            name: "finish",
            about: "who combines the partial results of the blocks of a GPU rung",
            choice: Choice::Words(&["gpu", "recursive", "cpu"]),
            default: Setting::Word("gpu"),
            watched: Setting::Word("gpu"),
            quiet: true,
        },
    ],
    inputs: Data::NAMES,
    work: Work::simple(1.0, 0.0),
    slowness: 1.0,
    case: |problem| of_type!(problem.ty, [i32 u32 i64 u64 f32 f64], case(problem)),
    checks: conformance::checks,
    large: conformance::large,
};

include!(concat!(env!("OUT_DIR"), "/reduce_rungs.rs"));
