//! The description of hello.

use super::conformance;
use super::workload;
use crate::primitive::{Extent, Extents, Primitive, Variant, Work};

/// The ladder of hello: a single rung.
///
/// ```
/// assert_eq!(warpwise::hello::VARIANTS[0].name, "gpu-hello");
/// ```
pub const VARIANTS: &[Variant] =
    &[Variant::gpu("gpu-hello", "every thread prints its block and thread number").teaches("threads and blocks")];

/// The description of hello: what lists, benchmarks, checks and pages are made from.
///
/// ```
/// assert_eq!(warpwise::hello::PRIMITIVE.name, "hello");
/// ```
pub static PRIMITIVE: Primitive = Primitive {
    name: "hello",
    about: "Lets every thread print its block and thread number.",
    lesson: "The first kernel anybody writes: it shows that a launch is many threads, and that each knows its place.",
    types: &[],
    variants: VARIANTS,
    extents: Extents::Line,
    watched: Extent::Length(1024),
    parameters: &[],
    inputs: &[],
    // A line of about 30 bytes from every thread.
    work: Work { more_bytes: |problem| 30.0 * problem.elements() as f64, ..Work::simple(0.0, 0.0) },
    slowness: 1.0,
    case: workload::case,
    checks: conformance::checks,
    large: |_| (),
};
