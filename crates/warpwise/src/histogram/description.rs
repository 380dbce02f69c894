//! The description of histogram.

use super::conformance;
use super::workload::case;
use crate::primitive::{
    Choice, Data, Extent, Extents, Parameter, Primitive, Setting, Takes, Type, Variant, Work, of_type,
};

/// The ladder of histogram.
///
/// ```
/// assert_eq!(warpwise::histogram::VARIANTS.len(), 9);
/// ```
pub const VARIANTS: &[Variant] = &[
    Variant::cpu("cpu-seq", "one loop, one thread"),
    Variant::cpu("cpu-par", "all cores, each with counters of its own"),
    Variant::gpu("gpu-1-partitioned", "each thread its own section of the input: uncoalesced loads")
        .teaches("uncoalesced loads")
        .takes(Takes::BLOCK_AND_GRID),
    Variant::gpu("gpu-2-interleaved", "neighbouring threads take neighbouring elements; atomics in global memory")
        .teaches("coalescing and global atomics")
        .takes(Takes::BLOCK_AND_GRID),
    Variant::gpu("gpu-3-shared", "each block counts in shared memory, and adds to the global bins once")
        .teaches("privatisation in shared memory")
        .takes(Takes::BLOCK_AND_GRID),
    Variant::gpu("gpu-4-tree", "no global atomics: blocks store their histograms, and launches halve their number")
        .teaches("atomics or launches")
        .takes(Takes::BLOCK_AND_GRID),
    Variant::gpu("gpu-5-replicated", "several copies of the bins against contention, and 16-byte loads")
        .teaches("contention")
        .takes(Takes::BLOCK_AND_GRID),
    Variant::gpu(
        "gpu-6-pipelined",
        "four 16-byte loads under way; bytes are counted by value, their bins found at the end",
    )
    .teaches("loads in flight")
    .takes(Takes::BLOCK_AND_GRID),
    Variant::gpu(
        "gpu-7-cached",
        "bins in global memory behind a cache in shared memory, which takes those that come often",
    )
    .teaches("caching hot bins")
    .takes(Takes::BLOCK_AND_GRID),
];

/// The description of histogram: what lists, benchmarks, checks and pages are made from.
///
/// ```
/// assert_eq!(warpwise::histogram::PRIMITIVE.name, "histogram");
/// ```
pub static PRIMITIVE: Primitive = Primitive {
    name: "histogram",
    about: "Counts how many elements fall into each of 256 bins.",
    lesson: "Threads that share counters need atomics. Sections of the input for each thread scatter the loads of a \
             warp; neighbouring threads on neighbouring elements bring them together. Counting in shared memory first \
             leaves few global atomics, and copies of the bins leave few collisions; loads that are asked for long \
             before they are counted keep the memory busy.",
    types: &[Type::U8, Type::U32, Type::I32, Type::F32, Type::F64],
    variants: VARIANTS,
    extents: Extents::Picture,
    watched: Extent::Length(1 << 20),
    parameters: &[Parameter {
        name: "bins",
        about: "bins; without it, bytes are counted by value",
        choice: Choice::Numbers(1, 1 << 20),
        default: Setting::Number(256),
        watched: Setting::Number(256),
        quiet: false,
    }],
    inputs: Data::NAMES,
    work: Work { more_bytes: |problem| 8.0 * problem.number("bins") as f64, ..Work::simple(1.0, 0.0) },
    slowness: 1.0,
    case: |problem| of_type!(problem.ty, [u8 u32 i32 f32 f64], case(problem)),
    checks: conformance::checks,
    large: conformance::large,
};

include!(concat!(env!("OUT_DIR"), "/histogram_rungs.rs"));
