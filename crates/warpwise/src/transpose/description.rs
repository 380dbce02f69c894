//! What transpose says of itself.

use super::conformance;
use super::workload::case;
use crate::primitive::{Data, Extent, Extents, Primitive, Takes, Type, Variant, Work, of_type};

/// The ladder of transpose.
///
/// ```
/// assert_eq!(warpwise::transpose::VARIANTS[4].name, "gpu-3-tile");
/// ```
pub const VARIANTS: &[Variant] = &[
    Variant::cpu("cpu-seq", "two loops, one thread"),
    Variant::cpu("cpu-par", "all cores, blocks that stay in the cache, squares turned in vector registers"),
    Variant::gpu(
        "gpu-1-naive-read",
        "a thread an element: reads are coalesced, every store of a warp touches 32 sectors",
    )
    .teaches("uncoalesced stores")
    .takes(Takes::BLOCK),
    Variant::gpu("gpu-2-naive-write", "the other way round: writes are coalesced, and caches help with the loads")
        .teaches("uncoalesced loads")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-3-tile", "a tile of 32 x 32 in shared memory: both sides coalesced, columns in a single bank")
        .teaches("bank conflicts")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-4-padded", "a 33rd column that nobody uses: no bank conflicts")
        .teaches("padding against bank conflicts")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-5-swizzled", "columns change places by an exclusive or: no conflicts, and no gaps")
        .teaches("swizzling")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-6-vector", "large tiles, 16 bytes at a time: many loads under way, squares turned in registers")
        .teaches("vector accesses and loads in flight")
        .takes(Takes::BLOCK_AND_ITEMS),
];

/// The description of transpose: what lists, benchmarks, checks and pages are made from.
///
/// ```
/// assert_eq!(warpwise::transpose::PRIMITIVE.name, "transpose");
/// ```
pub static PRIMITIVE: Primitive = Primitive {
    name: "transpose",
    about: "Turns the rows of a matrix into columns.",
    lesson: "Nothing is computed, so memory is all there is to it. A warp that reads along a row writes down a column, \
             and every store touches 32 sectors; the other way round it is the loads. A tile in shared memory makes both \
             sides coalesced, at the price of a column of the tile that lies in one bank; a padding column, or columns \
             that change places, removes the conflicts. Large tiles of 16-byte vectors then keep enough loads in flight.",
    types: &[Type::U8, Type::F32, Type::F64],
    variants: VARIANTS,
    extents: Extents::Plane,
    watched: Extent::Plane { rows: 512, cols: 512 },
    parameters: &[],
    inputs: Data::NAMES,
    work: Work { operations: |_| 0.0, ..Work::simple(1.0, 1.0) },
    slowness: 1.0,
    case: |problem| of_type!(problem.ty, [u8 f32 f64], case(problem)),
    checks: conformance::checks,
    large: |_| (),
};

include!(concat!(env!("OUT_DIR"), "/transpose_rungs.rs"));
