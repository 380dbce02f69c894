// Rungs gpu-9-tensor-tf32 and gpu-10-tensor-split, the first launch: what their workspace is like, and how A and B get
// there.
#pragma once
#include "../../kernels.cuh"

enum : u32 { ROWS = 128, COLUMNS = 4, COLUMN_BYTES = ROWS * 16, PART_BYTES = COLUMNS * COLUMN_BYTES };

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

// A chunk of a tile. Neighbouring threads read neighbouring numbers: along k in A, along the rows of the tile in B.
template <class Format, bool IS_B>
__device__ void pack(Source s, u8* to, u32 chunks, u32 tile, u32 chunk, Sizes& sizes) {
    constexpr u32 NUMBERS = Format::NUMBERS, THREADS = 256;
    bool aligned = (reinterpret_cast<u64>(s.x) | s.ld * sizeof(f32)) % 16 == 0;
#pragma unroll
    for (u32 item = threadIdx.x; item < COLUMNS * ROWS; item += THREADS) {
        u32 row = IS_B ? item % ROWS : item / COLUMNS, column = IS_B ? item / ROWS : item % COLUMNS;
        u32 at = tile * ROWS + row, i = (chunk * COLUMNS + column) * NUMBERS;
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
        u64 place = (u64(tile) * chunks + chunk) * Format::CHUNK_BYTES + column * COLUMN_BYTES + row * 16;
        Format::store(x, to + place);
    }
}

// Both matrices: the first a_tiles * chunks blocks do A. `sizes`, zero before, gets those of A and B.
// Launch: grid (tiles of A and B) * chunks, block 256, no dynamic shared memory.
template <class Format>
__device__ void pack_both(Source a, Source b, u8* a_to, u8* b_to, u32 chunks, u32 a_tiles, u32* sizes) {
    __shared__ u32 largest, smallest;
    if (threadIdx.x == 0) largest = smallest = 0;
    __syncthreads();
    Sizes own = {0, 0};
    u32 tile = blockIdx.x / chunks, chunk = blockIdx.x % chunks;
    bool is_b = tile >= a_tiles;
    if (is_b) {
        pack<Format, true>(b, b_to, chunks, tile - a_tiles, chunk, own);
    } else {
        pack<Format, false>(a, a_to, chunks, tile, chunk, own);
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
