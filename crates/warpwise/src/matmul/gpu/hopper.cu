// C = A B on compute capability 9.0: f32 on tensor cores, by way of narrower numbers; f64 is in double.cuh, and what is for
// few elements in few.cuh.
//
// Two launches. The first reads A and B once and writes them again as the tensor cores want them; the second
// multiplies. What lies between them is the workspace: for each matrix, tiles of 128 rows (of A, or columns of B), tile
// after tile, each in chunks along k. A chunk is, for each part of its numbers (one for tf32, three for the split),
// four columns of 16 bytes a row: 4 numbers of tf32, 8 of bf16. Rows and columns beyond the matrix are zeros, so that
// the second launch looks at no edges until it writes C. m, n >= 1; k may be 0.
#include "double.cuh"
#include "few.cuh"
#include "packing.cuh"
#include "sharing.cuh"
#include "tensor_cores.cuh"

// ---- Products of what is in shared memory --------------------------------------------------------------------------

// Rung gpu-9-tensor-tf32: numbers are rounded to the 11 bits that tensor cores multiply, so that about three decimal
// digits of the result are right.
struct Tf32Product {
    using Format = Tf32;
    enum : u32 { ACROSS = 2, CHUNKS = 2, STAGES = 4, PENDING = 1 };
    Sums sums[ACROSS];

    // Starts to add what is in shared memory at a and b, times each other, and waits until no more than PENDING of
    // these are under way.
    __device__ void add(u64 a, u64 b) {
#pragma unroll
        for (u32 j = 0; j < ACROSS; j++) hold(sums[j]);
        before_products();
#pragma unroll
        for (u32 i = 0; i < CHUNKS * COLUMNS / 2; i++) {
#pragma unroll
            for (u32 j = 0; j < ACROSS; j++) {
                u64 at = i * 2 * COLUMN_BYTES >> 4;
                start_tf32(sums[j], a + at, b + at + (j * CHUNKS * Format::CHUNK_BYTES >> 4), true);
            }
        }
        group_products();
        wait_for_all_but<PENDING>();
    }
    __device__ void finish() {
        wait_for_all_but<0>();
#pragma unroll
        for (u32 j = 0; j < ACROSS; j++) hold(sums[j]);
    }
    __device__ void clear() {
#pragma unroll
        for (u32 i = 0; i < 64 * ACROSS; i++) sums[i / 64][i % 64] = 0.0f;
    }
};

// Rung gpu-10-tensor-split: numbers are split into three, high, middle and low, and six of the nine products of parts
// are made: the others are smaller than the last bit. Tensor cores do not round, they cut off. So they add up 32 steps
// at a time, the small products first, and ordinary additions, which round, add that to the rest: those of the first
// half of a stage while the tensor cores do the second.
struct SplitProduct {
    using Format = Split;
    enum : u32 { ACROSS = 1, CHUNKS = 2, STAGES = 2, PENDING = 0 };
    Sums sums[ACROSS], few[CHUNKS];

    __device__ void add(u64 a, u64 b) {
        constexpr u32 A_PART[6] = {2, 0, 1, 1, 0, 0}, B_PART[6] = {0, 2, 1, 0, 1, 0};
#pragma unroll
        for (u32 chunk = 0; chunk < CHUNKS; chunk++) hold(few[chunk]);
        before_products();
#pragma unroll
        for (u32 chunk = 0; chunk < CHUNKS; chunk++) {
#pragma unroll
            for (u32 i = 0; i < 6 * COLUMNS / 2; i++) {
                u32 pair = i / (COLUMNS / 2), at = chunk * Format::CHUNK_BYTES + i % (COLUMNS / 2) * 2 * COLUMN_BYTES;
                u64 a_at = (at + A_PART[pair] * PART_BYTES) >> 4, b_at = (at + B_PART[pair] * PART_BYTES) >> 4;
                start_bf16(few[chunk], a + a_at, b + b_at, i > 0);
            }
            group_products();
        }
        wait_for_all_but<1>();
        take(0);
        wait_for_all_but<0>();
        take(1);
    }
    __device__ void finish() {}
    __device__ void take(u32 chunk) {
        hold(few[chunk]);
#pragma unroll
        for (u32 e = 0; e < 64; e++) sums[0][e] += few[chunk][e];
    }
    __device__ void clear() {
#pragma unroll
        for (u32 e = 0; e < 64; e++) sums[0][e] = few[0][e] = few[1][e] = 0.0f;
    }
};

// ---- The second launch ---------------------------------------------------------------------------------------------

// C, with rows that are ld apart.
struct Target {
    f32* c;
    u64 ld;
    u32 m, n;

    __device__ void set(u32 row, u32 column, f32 x) const {
        if (row < m && column < n) c[row * ld + column] = x;
    }
};

// Shared memory in which a warp has eight rows of 128 elements, so far apart that what lanes write at once is in different
// banks.
enum : u32 { STAGING_ROW = ROWS + 8, STAGING = 8 * STAGING_ROW };

// The warp's 16 rows of a tile, from `row` and `column` on. A lane has pairs of elements. If those of C are not aligned,
// they go through `staging`, so that lanes store neighbours.
template <class Product>
__device__ void store(Target target, const Product& product, u32 row, u32 column, f32* staging) {
    u32 lane = threadIdx.x % WARP, lane_row = lane / 4, lane_column = lane % 4 * 2;
#pragma unroll
    for (u32 part = 0; part < 2 * Product::ACROSS; part++) {
        const f32* sums = product.sums[part / 2] + part % 2 * 2;
        u32 first_row = row + part % 2 * 8, first = column + part / 2 * ROWS;
        if (staging == nullptr) {
            u32 r = first_row + lane_row;
#pragma unroll
            for (u32 i = 0; i < 16; i++) {
                u32 col = first + lane_column + i * 8;
                if (r < target.m && col + 1 < target.n) {
                    *reinterpret_cast<float2*>(target.c + r * target.ld + col) = make_float2(sums[4 * i], sums[4 * i + 1]);
                } else {
                    target.set(r, col, sums[4 * i]);
                }
            }
            continue;
        }
        __syncwarp();
#pragma unroll
        for (u32 i = 0; i < 16; i++) {
            f32* to = staging + lane_row * STAGING_ROW + lane_column + i * 8;
            *reinterpret_cast<float2*>(to) = make_float2(sums[4 * i], sums[4 * i + 1]);
        }
        __syncwarp();
#pragma unroll 1
        for (u32 r = 0; r < 8; r++) {
#pragma unroll
            for (u32 i = lane; i < ROWS; i += WARP) target.set(first_row + r, first + i, staging[r * STAGING_ROW + i]);
        }
    }
}

// Sums of a product in the threads after those that copy, as pieces of tiles are added up.
template <class Product> struct Fours {
    using Vector = float4;
    enum : u32 { FIRST_THREAD = 128, THREADS = 256, VECTORS = 16 * Product::ACROSS };
    Product& product;

    __device__ f32* four(u32 i) const { return product.sums[i / 16] + i % 16 * 4; }
    __device__ float4 vector(u32 i) const {
        const f32* x = four(i);
        return make_float4(x[0], x[1], x[2], x[3]);
    }
    __device__ void add(u32 i, float4 x) const {
        f32* to = four(i);
        to[0] += x.x, to[1] += x.y, to[2] += x.z, to[3] += x.w;
    }
    __device__ void clear() const { product.clear(); }
    __device__ static void wait_for_all() { asm volatile("bar.sync 1, 256;" ::: "memory"); }
};

// A block makes tiles of 128 x (128 * ACROSS) elements of C, or pieces of them, one after the other. Its first four warps
// only start copies of the workspace to a ring of stages in shared memory; the others are two groups of four, 64 rows
// each, that multiply what has come. `chunks` is a multiple of CHUNKS. Rows of C are ldc apart.
// Launch: grid any (a block a multiprocessor) of at least `shares`, block 384, dynamic shared memory
// (1 + ACROSS) * CHUNKS * STAGES * CHUNK_BYTES + 8 * STAGING * sizeof(f32).
template <class Product>
__device__ void multiply(const u8* a, const u8* b, f32* c, u32 m, u32 n, u32 chunks, u64 ldc, Sharing sharing,
                         Partials partials) {
    constexpr u32 ACROSS = Product::ACROSS, STAGES = Product::STAGES, CHUNK_BYTES = Product::Format::CHUNK_BYTES;
    constexpr u32 TILE_BYTES = Product::CHUNKS * CHUNK_BYTES, STAGE_BYTES = (1 + ACROSS) * TILE_BYTES;
    constexpr u32 WIDTH = ACROSS * ROWS;
    __shared__ __align__(8) u64 barriers[2 * STAGES];
    u32 stages = shared_address(stage_memory()), full = shared_address(barriers), empty = full + 8 * STAGES;
    // These are worth keeping in registers, which the compiler would not know.
    asm volatile("" : "+r"(stages), "+r"(full), "+r"(empty));
    u32 t = threadIdx.x, group = uniform(t / 128), lane = t % WARP, warp = t / WARP % 4;
    if (t == 0) {
        for (u32 i = 0; i < STAGES; i++) {
            make_barrier(full + 8 * i, 1);
            make_barrier(empty + 8 * i, 8);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    u32 rows = (m + ROWS - 1) / ROWS, columns = (n + WIDTH - 1) / WIDTH;
    u32 stage = 0, turn = 0;
    auto next_stage = [&] {
        if (++stage == STAGES) stage = 0, turn ^= 1;
    };
    Pieces pieces(sharing, rows * columns, chunks / Product::CHUNKS, blockIdx.x);
    Piece piece;
    if (group == 0) {
        // Registers that this group does not need, for the others.
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (t == 0) {
            while (pieces.next(piece)) {
                TilePlace place = grouped(piece.tile, rows, columns);
                const u8* a_from = a + u64(place.row) * chunks * CHUNK_BYTES;
                const u8* b_from = b + u64(place.column) * ACROSS * chunks * CHUNK_BYTES;
                for (u32 i = piece.first; i < piece.end; i++, next_stage()) {
                    u32 to = stages + stage * STAGE_BYTES, barrier = full + 8 * stage;
                    wait(empty + 8 * stage, turn ^ 1);
                    arrive_and_announce(barrier, STAGE_BYTES);
                    copy_bulk(to, a_from + u64(i) * TILE_BYTES, TILE_BYTES, barrier);
#pragma unroll
                    for (u32 j = 0; j < ACROSS; j++) {
                        const u8* from = b_from + u64(j) * chunks * CHUNK_BYTES + u64(i) * TILE_BYTES;
                        copy_bulk(to + (1 + j) * TILE_BYTES, from, TILE_BYTES, barrier);
                    }
                }
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        bool pairs = reinterpret_cast<u64>(c) % 8 == 0 && ldc % 2 == 0;
        u64 a_first = describe(stages + (group - 1) * 64 * 16), b_first = describe(stages + TILE_BYTES);
        f32* staging = reinterpret_cast<f32*>(stage_memory() + STAGES * STAGE_BYTES) + (t / WARP - 4) * STAGING;
        Product product;
        while (uniform(pieces.next(piece))) {
            product.clear();
            u32 before = empty, first_step = uniform(piece.first), end_step = uniform(piece.end);
#pragma unroll 1
            for (u32 i = first_step; i < end_step; i++, next_stage()) {
                wait(full + 8 * stage, turn);
                u32 at = stage * STAGE_BYTES >> 4;
                product.add(a_first + at, b_first + at);
                if (Product::PENDING == 0) before = empty + 8 * stage;
                if (lane == 0 && (Product::PENDING == 0 || i > first_step)) arrive(before);
                before = empty + 8 * stage;
            }
            product.finish();
            if (lane == 0 && Product::PENDING > 0 && first_step < end_step) arrive(before);
            bool is_whole = end_step - first_step == pieces.steps;
            Fours<Product> fours{product};
            if (!is_whole && !partials.combine(fours, pieces, piece)) continue;
            TilePlace place = grouped(piece.tile, rows, columns);
            u32 row = place.row * ROWS + (group - 1) * 64 + warp * 16;
            store(Target{c, ldc, m, n}, product, row, place.column * WIDTH, pairs ? nullptr : staging);
        }
    }
}

// ---- Instances -----------------------------------------------------------------------------------------------------

#define PACK(name, format) \
    extern "C" __global__ void __launch_bounds__(256) matmul_##name##_pack_f32( \
        const f32* a, const f32* b, u8* a_to, u8* b_to, u32 m, u32 n, u32 k, u32 chunks, u64 lda, u64 ldb, \
        u32* sizes) { \
        u32 a_tiles = (m + ROWS - 1) / ROWS; \
        pack_both<format>(Source{a, lda, m, k}, Source{b, ldb, n, k}, a_to, b_to, chunks, a_tiles, sizes); \
    }
PACK(9_tensor_tf32, Tf32)
PACK(10_tensor_split, Split)

extern "C" __global__ void __launch_bounds__(384, 1)
    matmul_9_tensor_tf32_f32(const u8* a, const u8* b, f32* c, u32 m, u32 n, u32 chunks, u64 ldc, u32 whole, u32 shares,
                             void* sums, u32* arrivals) {
    multiply<Tf32Product>(a, b, c, m, n, chunks, ldc, Sharing{whole, shares}, Partials{sums, arrivals});
}

// Does nothing for numbers that are not in range; `done` says whether it did something.
extern "C" __global__ void __launch_bounds__(384, 1) matmul_10_tensor_split_f32(
    const u8* a, const u8* b, f32* c, u32 m, u32 n, u32 chunks, u64 ldc, u32 whole, u32 shares, void* sums,
    u32* arrivals, const u32* sizes, u32* done) {
    bool fits = in_range(sizes);
    if (blockIdx.x == 0 && threadIdx.x == 0) *done = fits;
    if (fits) multiply<SplitProduct>(a, b, c, m, n, chunks, ldc, Sharing{whole, shares}, Partials{sums, arrivals});
}

// Launch: grid (whole tiles + shares), block 64 * WARPS, dynamic shared memory for three stages, or for four with four
// WARPS, of (rows of a tile + 32 * WARPS + 2) * 16 * 8 bytes. C has as many rows and columns as a tile, unless the kernel is
// for small ones.
#define DOUBLES(name, WARPS, ...) \
    extern "C" __global__ void __launch_bounds__(64 * WARPS, 4 / WARPS) matmul_11_tensor_f64##name##_f64( \
        const f64* a, const f64* b, f64* c, u32 m, u32 n, u32 k, u64 lda, u64 ldb, u64 ldc, u32 whole, u32 shares, \
        void* sums, u32* arrivals) { \
        Doubles left = {a, lda, m, k}, right = {b, ldb, k, n}; \
        Sharing sharing = {whole, shares}; \
        Partials partials = {sums, arrivals}; \
        __VA_ARGS__ \
    }
#define MAKE(...) DoubleProduct<__VA_ARGS__>::make(left, right, c, ldc, sharing, partials);
#define PAIRS_OR_NOT(DOWN, WHOLE) \
    if (left.has_pairs() && right.has_pairs()) { \
        MAKE(DOWN, 2, 2, WHOLE) \
    } else { \
        MAKE(DOWN, 2, 1, WHOLE) \
    }
// Only for factors whose rows are all pairs that begin at 16 bytes.
DOUBLES(_128x128, 4, MAKE(8, 4, 2, true))
DOUBLES(_128x64, 2, PAIRS_OR_NOT(8, true))
DOUBLES(_96x64, 2, PAIRS_OR_NOT(6, true))
DOUBLES(_64x64, 2, PAIRS_OR_NOT(4, true))
DOUBLES(_small, 2, PAIRS_OR_NOT(4, false))

// Rung gpu-12-shared-sums: a product of few elements has few tiles, and its long sums are waited for by few blocks. Here
// the blocks of a cluster, two or eight, add a part of every sum each, and read each other's parts from shared memory.
#define SHARED_SUMS(part, aligned, otherwise) \
    extern "C" __global__ void __cluster_dims__(aligned::SHARERS, 1, 1) __launch_bounds__(aligned::THREADS) \
        matmul_12_shared_sums_##part##_f32( \
            const f32* a, const f32* b, f32* c, u32 m, u32 n, u32 k, u64 lda, u64 ldb, u64 ldc) { \
        Problem<f32> p{a, b, c, m, n, k, lda, ldb, ldc}; \
        if (rows_aligned(a, lda) && rows_aligned(b, ldb)) { \
            aligned::make(p); \
        } else { \
            otherwise::make(p); \
        } \
    }
#define FEW_ROWS(rows) \
    using Narrow##rows = FewRows<rows, NARROW, true>; \
    using NarrowAnywhere##rows = FewRows<rows, NARROW, false>; \
    using Wide##rows = FewRows<rows, WIDE, true>; \
    using WideAnywhere##rows = FewRows<rows, WIDE, false>; \
    SHARED_SUMS(rows_##rows, Narrow##rows, NarrowAnywhere##rows) \
    SHARED_SUMS(wide_rows_##rows, Wide##rows, WideAnywhere##rows)
FEW_ROWS(1)
FEW_ROWS(2)
FEW_ROWS(4)
SHARED_SUMS(squares, SmallSquares<4>, SmallSquares<1>)
