// C = A B on the tensor cores of compute capability 9.0: f32, by way of narrower numbers.
//
// Two launches. The first reads A and B once and writes them again as the tensor cores want them; the second
// multiplies. What lies between them is the workspace: for each matrix, tiles of 128 rows (of A, or columns of B), tile
// after tile, each in chunks along k. A chunk is, for each part of its numbers (one for tf32, three for the split),
// four columns of 16 bytes a row: 4 numbers of tf32, 8 of bf16. Rows and columns beyond the matrix are zeros, so that
// the second launch looks at no edges until it writes C. m, n >= 1; k may be 0.
#include "../kernels.cuh"

enum : u32 { ROWS = 128, COLUMNS = 4, COLUMN_BYTES = ROWS * 16, PART_BYTES = COLUMNS * COLUMN_BYTES };

// ---- First launch: making the workspace ----------------------------------------------------------------------------

struct alignas(16) Words {
    u32 at[4];
};

// How a number is stored: as a tf32 number, or as the sum of three bf16 numbers. Three times 8 bits are the 24 bits of
// an f32, so that nothing is lost of numbers that are not near the ends of the range.
struct Tf32 {
    enum : u32 { PARTS = 1, NUMBERS = 4, CHUNK_BYTES = PARTS * PART_BYTES };

    __device__ static void store(const f32* x, u8* to) {
        Words words;
#pragma unroll
        for (u32 i = 0; i < 4; i++) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(words.at[i]) : "f"(x[i]));
        *reinterpret_cast<Words*>(to) = words;
    }
};

struct Split {
    enum : u32 { PARTS = 3, NUMBERS = 8, CHUNK_BYTES = PARTS * PART_BYTES };

    // The bits of the nearest bf16 number; of what is not finite, nonsense that nobody will use.
    __device__ static u32 nearest(f32 x) {
        u32 bits = __float_as_uint(x);
        return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    }
    __device__ static void store(const f32* x, u8* to) {
        f32 rest[8];
#pragma unroll
        for (u32 i = 0; i < 8; i++) rest[i] = x[i];
#pragma unroll
        for (u32 part = 0; part < 3; part++) {
            Words words;
#pragma unroll
            for (u32 i = 0; i < 8; i++) {
                u32 bits = nearest(rest[i]);
                rest[i] -= __uint_as_float(bits << 16);
                words.at[i / 2] = i % 2 ? words.at[i / 2] | bits << 16 : bits;
            }
            *reinterpret_cast<Words*>(to + part * PART_BYTES) = words;
        }
    }
};

// What sizes the numbers of a matrix have: the bits of the largest, and how far those of the smallest, zeros left out,
// are below the bits of infinity.
struct Sizes {
    u32 largest, smallest;

    __device__ void add(f32 x) {
        u32 bits = __float_as_uint(x) & 0x7fffffff;
        largest = max(largest, bits);
        smallest = max(smallest, bits ? 0x7f800000 - min(bits, 0x7f800000) : 0);
    }
};

// A matrix with element (row, i) at x[row * ld + i] or, if it is B, x[i * ld + row].
struct Source {
    const f32* x;
    u64 ld;
    u32 rows, k;
};

// Four chunks of a tile. Neighbouring threads read neighbouring numbers: along k in A, along the rows of the tile in B.
template <class Format, bool IS_B>
__device__ void pack(Source s, u8* to, u32 chunks, u32 tile, u32 first, Sizes& sizes) {
    constexpr u32 NUMBERS = Format::NUMBERS, THREADS = 256;
    bool aligned = (reinterpret_cast<u64>(s.x) | s.ld * sizeof(f32)) % 16 == 0;
#pragma unroll 1
    for (u32 item = threadIdx.x; item < 4 * COLUMNS * ROWS; item += THREADS) {
        u32 row = IS_B ? item % ROWS : item % (COLUMNS * ROWS) / COLUMNS;
        u32 column = IS_B ? item / ROWS : item / (COLUMNS * ROWS) * COLUMNS + item % COLUMNS;
        u32 chunk = first + column / COLUMNS;
        if (chunk >= chunks) continue;
        u32 at = tile * ROWS + row, i = (first * COLUMNS + column) * NUMBERS;
        f32 x[NUMBERS];
        if (!IS_B && aligned && at < s.rows && i + NUMBERS <= s.k) {
#pragma unroll
            for (u32 e = 0; e < NUMBERS; e += 4) {
                Vec16<f32> v = load16(s.x + at * s.ld + i + e);
#pragma unroll
                for (u32 j = 0; j < 4; j++) x[e + j] = v.at[j];
            }
        } else {
#pragma unroll
            for (u32 e = 0; e < NUMBERS; e++) {
                bool there = at < s.rows && i + e < s.k;
                x[e] = there ? s.x[IS_B ? (i + e) * s.ld + at : at * s.ld + i + e] : 0.0f;
            }
        }
#pragma unroll
        for (u32 e = 0; e < NUMBERS; e++) sizes.add(x[e]);
        u64 place = (u64(tile) * chunks + chunk) * Format::CHUNK_BYTES + column % COLUMNS * COLUMN_BYTES + row * 16;
        Format::store(x, to + place);
    }
}

// Both matrices: the first a_tiles * ceil(chunks / 4) blocks do A. `sizes`, zero before, gets those of A and B.
// Launch: grid (tiles of A and B) * ceil(chunks / 4), block 256, no dynamic shared memory.
template <class Format>
__device__ void pack_both(Source a, Source b, u8* a_to, u8* b_to, u32 chunks, u32 a_tiles, u32* sizes) {
    __shared__ u32 largest, smallest;
    if (threadIdx.x == 0) largest = smallest = 0;
    __syncthreads();
    Sizes own = {0, 0};
    u32 across = (chunks + 3) / 4, tile = blockIdx.x / across, first = blockIdx.x % across * 4;
    bool is_b = tile >= a_tiles;
    if (is_b) {
        pack<Format, true>(b, b_to, chunks, tile - a_tiles, first, own);
    } else {
        pack<Format, false>(a, a_to, chunks, tile, first, own);
    }
    u32 high = __reduce_max_sync(ALL_LANES, own.largest), low = __reduce_max_sync(ALL_LANES, own.smallest);
    if (threadIdx.x % WARP == 0) {
        atomicMax(&largest, high);
        atomicMax(&smallest, low);
    }
    __syncthreads();
    if (threadIdx.x < 2) atomicMax(sizes + is_b * 2 + threadIdx.x, threadIdx.x == 0 ? largest : smallest);
}

// Whether products of such numbers are far from both ends of the range: then parts of numbers and of products are all
// normal numbers, and no sum of few of them is infinite. Infinities and NaNs are not in range.
__device__ inline bool in_range(const u32* sizes) {
    constexpr u32 BIAS = 127, INFINITE = 255;
    u32 high[2], low[2];
#pragma unroll
    for (u32 i = 0; i < 2; i++) {
        high[i] = sizes[2 * i] >> 23;
        low[i] = sizes[2 * i + 1] ? (0x7f800000 - sizes[2 * i + 1]) >> 23 : BIAS;
    }
    return high[0] < INFINITE && high[1] < INFINITE && high[0] + high[1] < 2 * BIAS + 120 && low[0] >= BIAS - 100 &&
           low[1] >= BIAS - 100 && low[0] + low[1] >= 2 * BIAS - 100;
}

// ---- Second launch: the engines ------------------------------------------------------------------------------------

__device__ inline u32 shared_address(const void* p) { return u32(__cvta_generic_to_shared(p)); }

// Barriers in shared memory: a phase is over when as many threads have arrived as it was made for, and as many bytes
// have come as were announced.
__device__ inline void make_barrier(u32 barrier, u32 arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
__device__ inline void arrive(u32 barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
__device__ inline void arrive_and_announce(u32 barrier, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ inline void wait(u32 barrier, u32 parity) {
    u32 over = 0;
    while (!over) {
        asm volatile(
            "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
            : "=r"(over)
            : "r"(barrier), "r"(parity)
            : "memory");
    }
}
__device__ inline void copy_bulk(u32 to, const u8* from, u32 bytes, u32 barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

// A matrix in shared memory as the tensor cores are told of it: columns of 16 bytes a row, groups of eight rows.
__device__ inline u64 describe(u32 address) {
    return u64(address >> 4) | u64(COLUMN_BYTES >> 4) << 16 | u64(8 * 16 >> 4) << 32;
}

#define ACCUMULATOR \
    "{" \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63" \
    "}"
#define EIGHT(i) \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
        "+f"(d[i + 7])
#define ALL_EIGHTS EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24), EIGHT(32), EIGHT(40), EIGHT(48), EIGHT(56)
#define IF_ADDING "{\n.reg .pred p;\nsetp.ne.u32 p, %66, 0;\n"

// 64 x 128 elements of C over the four warps of a group: d = a b, or d += a b. Done some time after this.
using Sums = f32[64];
__device__ inline void start_bf16(Sums& d, u64 a, u64 b, bool add) {
    asm volatile(IF_ADDING "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 " ACCUMULATOR
                           ", %64, %65, p, 1, 1, 0, 0;\n}"
                 : ALL_EIGHTS
                 : "l"(a), "l"(b), "r"(u32(add)));
}
__device__ inline void start_tf32(Sums& d, u64 a, u64 b, bool add) {
    asm volatile(IF_ADDING "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 " ACCUMULATOR ", %64, %65, p, 1, 1;\n}"
                 : ALL_EIGHTS
                 : "l"(a), "l"(b), "r"(u32(add)));
}
// Products that are started write to registers behind the compiler's back: it must not move anything over these.
__device__ inline void hold(Sums& d) { asm volatile("" : ALL_EIGHTS : : "memory"); }
__device__ inline void before_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void group_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <u32 GROUPS> __device__ inline void wait_for_all_but() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(GROUPS) : "memory");
}

// ---- Second launch: multiplying ------------------------------------------------------------------------------------

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

// Which tile of C comes when: down GROUP rows of tiles before the next column, so that blocks that run together share
// what the second-level cache holds.
struct TilePlace {
    u32 row, column;
};
__device__ inline TilePlace grouped(u32 id, u32 rows, u32 columns) {
    constexpr u32 GROUP = 8;
    u32 all = GROUP * columns, first = id / all * GROUP, height = min(GROUP, rows - first);
    return {first + id % all % height, id % all / height};
}

// A block makes tiles of 128 x (128 * ACROSS) elements of C, one after the other. Its first four warps only start
// copies of the workspace to a ring of stages in shared memory; the others are two groups of four, 64 rows each, that
// multiply what has come. `chunks` is a multiple of CHUNKS. Rows of C are ldc apart.
// Launch: grid any (a block a multiprocessor), block 384, dynamic shared memory
// (1 + ACROSS) * CHUNKS * STAGES * CHUNK_BYTES.
template <class Product> __device__ void multiply(const u8* a, const u8* b, f32* c, u32 m, u32 n, u32 chunks, u64 ldc) {
    constexpr u32 ACROSS = Product::ACROSS, STAGES = Product::STAGES, CHUNK_BYTES = Product::Format::CHUNK_BYTES;
    constexpr u32 TILE_BYTES = Product::CHUNKS * CHUNK_BYTES, STAGE_BYTES = (1 + ACROSS) * TILE_BYTES;
    constexpr u32 WIDTH = ACROSS * ROWS;
    __shared__ __align__(8) u64 barriers[2 * STAGES];
    u32 stages = shared_address(dynamic_shared<u8>()), full = shared_address(barriers), empty = full + 8 * STAGES;
    // These are worth keeping in registers, which the compiler would not know.
    asm volatile("" : "+r"(stages), "+r"(full), "+r"(empty));
    u32 t = threadIdx.x, group = t / 128, lane = t % WARP, warp = t / WARP % 4;
    if (t == 0) {
        for (u32 i = 0; i < STAGES; i++) {
            make_barrier(full + 8 * i, 1);
            make_barrier(empty + 8 * i, 8);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    u32 rows = (m + ROWS - 1) / ROWS, columns = (n + WIDTH - 1) / WIDTH, steps = chunks / Product::CHUNKS;
    u32 stage = 0, turn = 0;
    auto next_stage = [&] {
        if (++stage == STAGES) stage = 0, turn ^= 1;
    };
    if (group == 0) {
        // Registers that this group does not need, for the others.
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (t == 0) {
            for (u32 tile = blockIdx.x; tile < rows * columns; tile += gridDim.x) {
                TilePlace place = grouped(tile, rows, columns);
                const u8* a_from = a + u64(place.row) * chunks * CHUNK_BYTES;
                const u8* b_from = b + u64(place.column) * ACROSS * chunks * CHUNK_BYTES;
                for (u32 i = 0; i < steps; i++, next_stage()) {
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
        asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
        bool pairs = reinterpret_cast<u64>(c) % 8 == 0 && ldc % 2 == 0;
        u64 a_first = describe(stages + (group - 1) * 64 * 16), b_first = describe(stages + TILE_BYTES);
        Product product;
        for (u32 tile = blockIdx.x; tile < rows * columns; tile += gridDim.x) {
            product.clear();
            u32 before = empty;
#pragma unroll 1
            for (u32 i = 0; i < steps; i++, next_stage()) {
                wait(full + 8 * stage, turn);
                u32 at = stage * STAGE_BYTES >> 4;
                product.add(a_first + at, b_first + at);
                if (Product::PENDING == 0) before = empty + 8 * stage;
                if (lane == 0 && (Product::PENDING == 0 || i > 0)) arrive(before);
                before = empty + 8 * stage;
            }
            product.finish();
            if (lane == 0 && Product::PENDING > 0 && steps > 0) arrive(before);
            TilePlace place = grouped(tile, rows, columns);
            u32 row = place.row * ROWS + (group - 1) * 64 + warp * 16 + lane / 4;
            u32 first = place.column * WIDTH + lane % 4 * 2;
#pragma unroll
            for (u32 i = 0; i < 64 * ACROSS; i += 2) {
                u32 r = row + i / 2 % 2 * 8, col = first + i / 4 * 8;
                f32 *to = c + r * ldc + col, x = product.sums[i / 64][i % 64], y = product.sums[i / 64][i % 64 + 1];
                if (r < m && col + 1 < n && pairs) {
                    *reinterpret_cast<float2*>(to) = make_float2(x, y);
                } else if (r < m) {
                    if (col < n) to[0] = x;
                    if (col + 1 < n) to[1] = y;
                }
            }
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
    matmul_9_tensor_tf32_f32(const u8* a, const u8* b, f32* c, u32 m, u32 n, u32 chunks, u64 ldc) {
    multiply<Tf32Product>(a, b, c, m, n, chunks, ldc);
}

// Does nothing for numbers that are not in range; `done` says whether it did something.
extern "C" __global__ void __launch_bounds__(384, 1) matmul_10_tensor_split_f32(
    const u8* a, const u8* b, f32* c, u32 m, u32 n, u32 chunks, u64 ldc, const u32* sizes, u32* done) {
    bool fits = in_range(sizes);
    if (blockIdx.x == 0 && threadIdx.x == 0) *done = fits;
    if (fits) multiply<SplitProduct>(a, b, c, m, n, chunks, ldc);
}
