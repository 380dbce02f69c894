//! The description of convolve2d.

use super::conformance;
use super::workload::case;
use crate::primitive::{Data, Extent, Extents, Primitive, Takes, Type, Variant, Work, of_type};

/// The ladder of 2-D convolution.
///
/// ```
/// assert_eq!(warpwise::convolve2d::VARIANTS[2].name, "gpu-1-naive");
/// ```
pub const VARIANTS: &[Variant] = &[
    Variant::cpu("cpu-seq", "four loops, one thread"),
    Variant::cpu("cpu-par", "all cores and vector instructions"),
    Variant::gpu("gpu-1-naive", "a thread a pixel; image and filter in global memory")
        .teaches("redundant loads")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-2-constant", "the filter in constant memory, which serves all lanes at once")
        .teaches("constant memory")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-3-tiled-serial-load", "a tile with its halo in shared memory, filled by one thread")
        .teaches("idle threads while a tile is loaded")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-4-tiled", "all threads fill the tile and its halo")
        .teaches("cooperative loading of halos")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-5-register", "four pixels a thread: a weight and a pixel, once loaded, are used four times")
        .teaches("register tiling")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-6-streamed", "a warp slides down a strip: every pixel is loaded once, sums wait in registers")
        .teaches("streaming through registers")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-7-structured", "filters that are a column times a row, or symmetric, take fewer multiplications")
        .teaches("structure saves arithmetic")
        .takes(Takes::BLOCK),
];

/// The description of convolve2d: what lists, benchmarks, checks and pages are made from.
///
/// ```
/// assert_eq!(warpwise::convolve2d::PRIMITIVE.name, "convolve2d");
/// ```
pub static PRIMITIVE: Primitive = Primitive {
    name: "convolve2d",
    about: "Smooths an image with a 5 x 5 filter.",
    lesson: "As in one dimension, and with more to lose: a tile that one thread fills leaves all others waiting; filled \
             by all of them it pays; several pixels a thread use what is loaded several times. A warp that slides down \
             the image needs no tile at all, and a filter with a structure needs fewer multiplications.",
    types: &[Type::U8, Type::F32],
    variants: VARIANTS,
    extents: Extents::Plane,
    watched: Extent::Plane { rows: 512, cols: 512 },
    parameters: &[],
    inputs: Data::NAMES,
    work: Work { operations: |_| 2.0 * 25.0, ..Work::simple(1.0, 1.0) },
    slowness: 1.0,
    case: |problem| of_type!(problem.ty, [u8 f32], case(problem)),
    checks: conformance::checks,
    large: |_| (),
};

include!(concat!(env!("OUT_DIR"), "/convolve2d_rungs.rs"));
