//! The description of sort.

use super::conformance;
use super::workload::case;
use crate::primitive::{
    Choice, Data, Extent, Extents, Parameter, Primitive, Setting, Takes, Type, Variant, Work, of_type,
};

/// The ladder of sort.
///
/// ```
/// assert_eq!(warpwise::sort::VARIANTS[2].name, "gpu-1-bitonic");
/// ```
pub const VARIANTS: &[Variant] = &[
    Variant::cpu("cpu-seq", "by digits, from the lowest to the highest, on one thread"),
    Variant::cpu("cpu-par", "spread over buckets that fit the caches, which all cores sort"),
    Variant::gpu("gpu-1-bitonic", "a network of comparisons, with a launch for each step")
        .teaches("sorting networks")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-2-bitonic-shared", "steps of short distances in one launch, on a tile in shared memory")
        .teaches("launches that are fused by shared memory"),
    Variant::gpu("gpu-3-radix-scan", "four bits at a time: a scan of counts says where every key goes")
        .teaches("radix sorting"),
    Variant::gpu("gpu-4-radix-ranked", "eight bits at a time: warps rank their keys, and tiles are stored in order")
        .teaches("ranking within warps"),
    Variant::gpu("gpu-5-one-sweep", "keys are read once a digit: tiles post their counts and look back at others'")
        .teaches("decoupled look-back for every digit"),
    Variant::gpu("gpu-6-together", "all digits in one launch, for keys that fit a tile on each multiprocessor")
        .teaches("exchanges between blocks instead of launches"),
];

/// What goes along with keys.
const ALONG: Parameter = Parameter {
    name: "along",
    about: "what goes along with keys: nothing, values of four or of eight bytes, or their numbers (argsort)",
    choice: Choice::Words(&["nothing", "b32", "b64", "numbers"]),
    default: Setting::Word("nothing"),
    watched: Setting::Word("nothing"),
    quiet: true,
};

/// The description of sort: what lists, benchmarks, checks and pages are made from.
///
/// ```
/// assert_eq!(warpwise::sort::PRIMITIVE.name, "sort");
/// ```
pub static PRIMITIVE: Primitive = Primitive {
    name: "sort",
    about: "Puts keys in order, with values that go along with them.",
    lesson: "A network of comparisons is the same for all data, but needs many steps: shared memory takes most of them \
             out of the launches. Sorting by digits needs no comparisons: a key goes behind all that have lower digits, \
             or the same and come before it. Where that is, a scan says; larger digits make fewer passes, if warps can \
             rank their keys; and tiles that post their counts leave one pass a digit to read and write.",
    types: &[Type::U32, Type::U8, Type::I32, Type::I64, Type::U64, Type::F32, Type::F64],
    variants: VARIANTS,
    extents: Extents::Line,
    watched: Extent::Length(1 << 14),
    parameters: &[ALONG],
    inputs: Data::NAMES,
    work: Work {
        // Values are read and written too.
        more_bytes: |problem| {
            let bytes = match problem.word("along") {
                "nothing" => 0.0,
                "b32" => 8.0,
                "b64" => 16.0,
                _ => 4.0,
            };
            bytes * problem.elements() as f64
        },
        ..Work::simple(1.0, 1.0)
    },
    slowness: 2.0,
    case: |problem| of_type!(problem.ty, [u32 u8 i32 i64 u64 f32 f64], case(problem)),
    checks: conformance::checks,
    large: conformance::large,
};

include!(concat!(env!("OUT_DIR"), "/sort_rungs.rs"));
