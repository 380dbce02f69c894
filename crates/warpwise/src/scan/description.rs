//! The description of scan.

use super::conformance;
use super::workload::case;
use crate::Operator;
use crate::primitive::{Data, Extent, Extents, Free, Primitive, Takes, Type, Variant, Work, of_type};

/// The ladder of scan.
///
/// ```
/// assert_eq!(warpwise::scan::VARIANTS.last().unwrap().name, "gpu-8-gather");
/// ```
pub const VARIANTS: &[Variant] = &[
    Variant::cpu("cpu-seq", "one loop, one thread"),
    Variant::cpu("cpu-par", "all cores and vector instructions: totals of blocks, then the blocks behind them"),
    Variant::gpu("gpu-1-hillis-steele", "log n steps, each adding the element 2^step to the left, in place")
        .teaches("step-efficient scans")
        .takes(Takes::BLOCK)
        .one_block(1024),
    Variant::gpu("gpu-2-double-buffer", "two buffers change places: one barrier a step instead of two")
        .teaches("double buffering")
        .takes(Takes::BLOCK)
        .one_block(1024),
    Variant::gpu("gpu-3-blelloch", "up and down a tree: 2n operations instead of n log n")
        .teaches("work-efficient scans")
        .takes(Takes::BLOCK)
        .one_block(1024)
        .shown(1024, 1024),
    Variant::gpu("gpu-4-blelloch-padded", "gaps in the tile: no bank conflicts")
        .teaches("padding against bank conflicts")
        .takes(Takes::BLOCK)
        .one_block(1024),
    Variant::gpu("gpu-5-three-phase", "any length: scan blocks, scan their totals, add those back")
        .teaches("scan, scan, add")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-6-warp-shuffle", "lanes hand values to each other in registers")
        .teaches("warp shuffles")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-7-look-back", "a single pass: blocks look back at what earlier ones have published")
        .free(Free { why: "its order of operations is not fixed", kernels: &["_sum_f", "_product_f"], except: &[] })
        .teaches("decoupled look-back")
        .takes(Takes::BLOCK),
    Variant::gpu(
        "gpu-8-gather",
        "no chain: blocks add up all totals themselves, while their next tiles are on the way",
    )
    .teaches("hiding latency behind the next tile")
    .takes(Takes::BLOCK_AND_GRID),
];

/// The description of scan: what lists, benchmarks, checks and pages are made from.
///
/// ```
/// assert_eq!(warpwise::scan::PRIMITIVE.name, "scan");
/// ```
pub static PRIMITIVE: Primitive = Primitive {
    name: "scan",
    about: "Gives every element the sum of all up to it.",
    lesson: "A running sum looks sequential. Hillis and Steele do log n steps of n additions; Blelloch goes up and down \
             a tree with 2n, at the price of bank conflicts, which padding removes. These take one block. Beyond it: \
             scan blocks, scan their totals, add them back; or a single pass in which blocks look back at what earlier \
             ones have published, or gather all of it themselves while the next tile is on its way.",
    types: &[Type::I32, Type::U32, Type::I64, Type::U64, Type::F32, Type::F64],
    variants: VARIANTS,
    extents: Extents::Line,
    watched: Extent::Length(1 << 20),
    parameters: &[Operator::PARAMETER],
    inputs: Data::NAMES,
    work: Work::simple(1.0, 1.0),
    slowness: 1.0,
    case: |problem| of_type!(problem.ty, [i32 u32 i64 u64 f32 f64], case(problem)),
    checks: conformance::checks,
    large: conformance::large,
};

include!(concat!(env!("OUT_DIR"), "/scan_rungs.rs"));
