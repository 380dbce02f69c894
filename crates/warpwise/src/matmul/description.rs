//! The description of matmul.

use super::conformance;
use super::workload::case;
use crate::primitive::{Data, Extent, Extents, Free, Primitive, Takes, Type, Variant, Work, of_type};

/// What tensor cores do with sums.
const TRUNCATED: Free =
    Free { why: "tensor cores truncate sums that the emulator rounds", kernels: &[], except: &["_pack_"] };

/// The ladder of matrix multiply.
///
/// ```
/// assert_eq!(warpwise::matmul::VARIANTS[3].name, "gpu-2-naive");
/// ```
pub const VARIANTS: &[Variant] = &[
    Variant::cpu("cpu-seq", "three loops, one thread, rows of B in order"),
    Variant::cpu("cpu-par", "all cores, packed panels, tiles in vector registers"),
    Variant::gpu("gpu-1-uncoalesced", "a thread an element, neighbouring threads a row apart")
        .teaches("uncoalesced loads")
        .takes(Takes::BLOCK)
        .shown(64, 128),
    Variant::gpu("gpu-2-naive", "a thread an element, neighbouring threads next to each other in memory")
        .teaches("coalescing")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-3-tiled", "square tiles in shared memory, each element used by a row or column of threads")
        .teaches("tiles in shared memory")
        .takes(Takes::BLOCK),
    Variant::gpu("gpu-4-register-1d", "8 elements of a column a thread: a value of B is used 8 times")
        .teaches("register tiling"),
    Variant::gpu("gpu-5-register-2d", "a square of elements a thread: values of A are used again too")
        .teaches("arithmetic intensity"),
    Variant::gpu("gpu-6-vectorized", "16-byte loads, and two buffers so that loading and multiplying overlap")
        .teaches("vector loads and double buffering"),
    Variant::gpu("gpu-7-warp-tiled", "the lanes of a warp make a compact part: fewer values, no bank conflicts")
        .teaches("warp tiles"),
    Variant::gpu("gpu-8-wide-tiles", "8 x 16 elements a thread, loaded a step ahead; tiles that suit the size")
        .teaches("large register tiles and prefetching"),
    Variant::gpu("gpu-9-tensor-tf32", "tensor cores, f32 rounded to 11 bits: fast, about three digits right")
        .free(TRUNCATED)
        .teaches("tensor cores and their precision"),
    Variant::gpu("gpu-10-tensor-split", "tensor cores, f32 split into three bf16: as accurate as f32")
        .free(TRUNCATED)
        .teaches("accuracy from split numbers"),
    Variant::gpu("gpu-11-tensor-f64", "tensor cores that multiply f64 as they are")
        .teaches("tensor cores in double precision"),
    Variant::gpu("gpu-12-shared-sums", "for few elements: the blocks of a cluster share every sum")
        .teaches("clusters and split sums"),
];

/// The description of matmul: what lists, benchmarks, checks and pages are made from.
///
/// ```
/// assert_eq!(warpwise::matmul::PRIMITIVE.name, "matmul");
/// ```
pub static PRIMITIVE: Primitive = Primitive {
    name: "matmul",
    about: "Multiplies square matrices.",
    lesson: "Each element of the result needs a whole row and a whole column, so the question is how often a value is \
             used once it was loaded. Neighbouring threads on neighbouring columns load together; tiles in shared \
             memory use a value for many threads; registers use it for many results of one thread. Tensor cores \
             multiply whole tiles at once, in numbers with few digits: rounded, about three digits of the result are \
             right; split in three parts each, all that f32 has.",
    types: &[Type::F32, Type::F64],
    variants: VARIANTS,
    extents: Extents::Square,
    watched: Extent::Side(256),
    parameters: &[],
    inputs: Data::NAMES,
    work: Work {
        // A product and a sum for each element of a row.
        operations: |problem| 2.0 * problem.extent.plane().0 as f64,
        ..Work::simple(2.0, 1.0)
    },
    slowness: 2.0,
    case: |problem| of_type!(problem.ty, [f32 f64], case(problem)),
    checks: conformance::checks,
    large: |_| (),
};

include!(concat!(env!("OUT_DIR"), "/matmul_rungs.rs"));
