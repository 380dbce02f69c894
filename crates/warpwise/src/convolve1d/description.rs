//! The description of convolve1d.

use super::conformance;
use super::workload::case;
use crate::primitive::{
    Choice, Data, Extent, Extents, Parameter, Primitive, Setting, Takes, Type, Variant, Work, of_type,
};

/// The ladder of 1-D convolution.
///
/// ```
/// assert_eq!(warpwise::convolve1d::VARIANTS[4].name, "gpu-3-tiled");
/// ```
pub const VARIANTS: &[Variant] = &[
    Variant::cpu("cpu-seq", "two loops, one thread"),
    Variant::cpu("cpu-par", "all cores, many elements at a time in vector registers"),
    Variant::gpu("gpu-1-basic", "a thread an element; input and mask in global memory")
        .teaches("redundant loads")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-2-constant", "the mask in constant memory, which serves all lanes at once")
        .teaches("constant memory")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-3-tiled", "a tile of the input with its halo in shared memory")
        .teaches("halos in shared memory")
        .takes(Takes::BLOCK),
    Variant::gpu(
        "gpu-4-register",
        "4 to 16 elements a thread: a weight and an element, once loaded, are used as often",
    )
    .teaches("sliding windows in registers")
    .takes(Takes::BLOCK_AND_ITEMS),
];

/// The description of convolve1d: what lists, benchmarks, checks and pages are made from.
///
/// ```
/// assert_eq!(warpwise::convolve1d::PRIMITIVE.name, "convolve1d");
/// ```
pub static PRIMITIVE: Primitive = Primitive {
    name: "convolve1d",
    about: "Weights every element with its neighbours.",
    lesson: "All threads read the same mask at the same time, which is what constant memory is for; neighbouring \
             threads read nearly the same elements, which is what a tile in shared memory is for. Several elements a \
             thread keep more loads under way and use each of them several times.",
    types: &[Type::I32, Type::F32, Type::F64],
    variants: VARIANTS,
    extents: Extents::Line,
    watched: Extent::Length(1 << 20),
    parameters: &[Parameter {
        name: "mask",
        about: "weights of the mask, an odd number",
        choice: Choice::Numbers(1, 1023),
        default: Setting::Number(5),
        watched: Setting::Number(9),
        quiet: true,
    }],
    inputs: Data::NAMES,
    work: Work { operations: |problem| 2.0 * problem.number("mask") as f64, ..Work::simple(1.0, 1.0) },
    slowness: 2.0,
    case: |problem| of_type!(problem.ty, [i32 f32 f64], case(problem)),
    checks: conformance::checks,
    large: |_| (),
};

include!(concat!(env!("OUT_DIR"), "/convolve1d_rungs.rs"));
