// C = A B, row-major: A is m x k, B is k x n, C is m x n. f32 and f64.
//
// Arguments of every kernel: a, b (read), c (written, whatever was there), m, n, k (u32), lda, ldb, ldc (u64: elements
// from one row to the next, so that parts of larger matrices work). C overlaps neither A nor B. m, n >= 1; k may be 0.
// One launch, no temporary memory. The y dimension of a grid is at most 65535.
#include "wide.cuh"

// One element of C, straight from the definition.
template <class T> __device__ void dot(Problem<T> p, u32 row, u32 col) {
    if (row >= p.m || col >= p.n) return;
    T sum = 0;
#pragma unroll 1
    for (u32 i = 0; i < p.k; i++) sum += p.a[row * p.lda + i] * p.b[i * p.ldb + col];
    p.c[row * p.ldc + col] = sum;
}

// Rung gpu-1-uncoalesced: a thread an element, with neighbouring threads in neighbouring rows: the lanes of a warp are
// a whole row apart, in A and in C.
// Launch: grid (ceil(m / block.x), ceil(n / block.y)), any 2-D block.
template <class T> __device__ void matmul_1_uncoalesced(Problem<T> p) {
    dot(p, blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y);
}

// Rung gpu-2-naive: the same with rows and columns exchanged: neighbouring threads are neighbours in memory.
// Launch: grid (ceil(n / block.x), ceil(m / block.y)), any 2-D block.
template <class T> __device__ void matmul_2_naive(Problem<T> p) {
    dot(p, blockIdx.y * blockDim.y + threadIdx.y, blockIdx.x * blockDim.x + threadIdx.x);
}

// Rung gpu-3-tiled: a block loads a square tile of A and of B into shared memory, where each element is used by a whole
// row or column of threads.
// Launch: grid (ceil(n / tile), ceil(m / tile)), block (tile, tile), dynamic shared 2 * tile * tile * sizeof(T).
template <class T> __device__ void matmul_3_tiled(Problem<T> p) {
    u32 tile = blockDim.x, x = threadIdx.x, y = threadIdx.y;
    T* a_tile = dynamic_shared<T>();
    T* b_tile = a_tile + tile * tile;
    u32 row = blockIdx.y * tile + y, col = blockIdx.x * tile + x;
    T sum = 0;
#pragma unroll 1
    for (u32 first = 0; first < p.k; first += tile) {
        a_tile[y * tile + x] = p.a_at(row, first + x);
        b_tile[y * tile + x] = p.b_at(first + y, col);
        __syncthreads();
#pragma unroll 4
        for (u32 i = 0; i < tile; i++) sum += a_tile[y * tile + i] * b_tile[i * tile + x];
        __syncthreads();
    }
    p.set(row, col, sum);
}

// Rung gpu-4-register-1d: a thread makes 8 elements of a column, so that a value of B, once in a register, is used 8
// times.
// Launch: grid (ceil(n / 64), ceil(m / 64)), block 512, no dynamic shared memory.
template <class T> __device__ void matmul_4_register_1d(Problem<T> p) {
    constexpr u32 TILE = 64, DEPTH = 8, ROWS = 8;
    __shared__ T a_tile[TILE][DEPTH];
    __shared__ T b_tile[DEPTH][TILE];
    u32 t = threadIdx.x, col = t % TILE, first_row = t / TILE * ROWS;
    u32 block_row = blockIdx.y * TILE, block_col = blockIdx.x * TILE;
    T sum[ROWS] = {};
#pragma unroll 1
    for (u32 first = 0; first < p.k; first += DEPTH) {
        a_tile[t / DEPTH][t % DEPTH] = p.a_at(block_row + t / DEPTH, first + t % DEPTH);
        b_tile[t / TILE][t % TILE] = p.b_at(first + t / TILE, block_col + t % TILE);
        __syncthreads();
#pragma unroll
        for (u32 i = 0; i < DEPTH; i++) {
            T b = b_tile[i][col];
#pragma unroll
            for (u32 r = 0; r < ROWS; r++) sum[r] += a_tile[first_row + r][i] * b;
        }
        __syncthreads();
    }
#pragma unroll
    for (u32 r = 0; r < ROWS; r++) p.set(block_row + first_row + r, block_col + col, sum[r]);
}

// Rung gpu-5-register-2d: a thread makes a square of C, 8 x 8 (f64: 4 x 4), so that values of A are used again too: the
// loads from shared memory per multiplication go down once more.
// Launch: grid (ceil(n / tile), ceil(m / tile)) with tile 128 (f64: 64), block 256, no dynamic shared memory.
template <class T> __device__ void matmul_5_register_2d(Problem<T> p) {
    constexpr u32 SIDE = 32 / sizeof(T), TILE = 16 * SIDE, DEPTH = 8, THREADS = 256;
    __shared__ T a_tile[TILE][DEPTH];
    __shared__ T b_tile[DEPTH][TILE];
    u32 t = threadIdx.x, row = t / 16 * SIDE, col = t % 16 * SIDE;
    u32 block_row = blockIdx.y * TILE, block_col = blockIdx.x * TILE;
    T sum[SIDE][SIDE] = {};
#pragma unroll 1
    for (u32 first = 0; first < p.k; first += DEPTH) {
#pragma unroll
        for (u32 i = t; i < TILE * DEPTH; i += THREADS) {
            a_tile[i / DEPTH][i % DEPTH] = p.a_at(block_row + i / DEPTH, first + i % DEPTH);
            b_tile[i / TILE][i % TILE] = p.b_at(first + i / TILE, block_col + i % TILE);
        }
        __syncthreads();
#pragma unroll 2
        for (u32 i = 0; i < DEPTH; i++) {
            T a[SIDE], b[SIDE];
#pragma unroll
            for (u32 s = 0; s < SIDE; s++) a[s] = a_tile[row + s][i], b[s] = b_tile[i][col + s];
#pragma unroll
            for (u32 r = 0; r < SIDE; r++) {
#pragma unroll
                for (u32 s = 0; s < SIDE; s++) sum[r][s] += a[r] * b[s];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (u32 r = 0; r < SIDE; r++) {
#pragma unroll
        for (u32 s = 0; s < SIDE; s++) p.set(block_row + row + r, block_col + col + s, sum[r][s]);
    }
}

// ---- Rungs 6 and 7 -------------------------------------------------------------------------------------------------

// 16 bytes of a matrix with `rows` rows and `cols` columns; 0 outside.
template <class T>
__device__ Vec16<T> load_vector(const T* matrix, u64 stride, u32 rows, u32 cols, u32 row, u32 col, bool aligned) {
    constexpr u32 SIZE = Vec16<T>::SIZE;
    const T* p = matrix + row * stride + col;
    if (aligned && row < rows && col + SIZE <= cols) return load16(p);
    Vec16<T> v;
#pragma unroll
    for (u32 e = 0; e < SIZE; e++) v.at[e] = row < rows && col + e < cols ? p[e] : T(0);
    return v;
}

// Which rows and columns of the block's tile a thread makes: two groups of 16 bytes' worth in each direction.
template <class T> struct ThreadSquares {  // side by side: one square a thread
    enum : u32 { SIZE = Vec16<T>::SIZE };
    __device__ static u32 row(u32 group) { return threadIdx.x / 16 * 2 * SIZE + group * SIZE; }
    __device__ static u32 col(u32 group) { return threadIdx.x % 16 * 2 * SIZE + group * SIZE; }
};
template <class T> struct WarpSquares {  // 2 x 4 warps, each of 8 x 4 lanes, whose groups are interleaved
    enum : u32 { SIZE = Vec16<T>::SIZE };
    __device__ static u32 row(u32 group) {
        u32 warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
        return ((warp / 4 * 2 + group) * 8 + lane / 4) * SIZE;
    }
    __device__ static u32 col(u32 group) {
        u32 warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
        return ((warp % 4 * 2 + group) * 4 + lane % 4) * SIZE;
    }
};

// The tile of C of one block of 256 threads. While a slice of A and B is being multiplied, the next one is on its way
// from global memory into registers; it then goes to the other of two buffers, so that one barrier a slice is enough.
template <class T, class Squares> __device__ void multiply_buffered(Problem<T> p) {
    constexpr u32 SIZE = Vec16<T>::SIZE, TILE = 32 * SIZE, DEPTH = 8, SIDE = 2 * SIZE;
    // A is stored transposed, so that both fragments are read along rows; padding keeps the transposing writes apart.
    __shared__ __align__(16) T a_tile[2][DEPTH][TILE + SIZE];
    __shared__ __align__(16) T b_tile[2][DEPTH][TILE];
    u32 t = threadIdx.x;
    u32 block_row = blockIdx.y * TILE, block_col = blockIdx.x * TILE;
    u32 a_row = t / (DEPTH / SIZE), a_col = t % (DEPTH / SIZE) * SIZE;
    u32 b_row = t / (TILE / SIZE), b_col = t % (TILE / SIZE) * SIZE;
    bool a_aligned = rows_aligned(p.a, p.lda), b_aligned = rows_aligned(p.b, p.ldb);

    Vec16<T> a_next, b_next;
    auto fetch = [&](u32 first) {
        a_next = load_vector(p.a, p.lda, p.m, p.k, block_row + a_row, first + a_col, a_aligned);
        b_next = load_vector(p.b, p.ldb, p.k, p.n, first + b_row, block_col + b_col, b_aligned);
    };
    auto keep = [&](u32 buffer) {
#pragma unroll
        for (u32 e = 0; e < SIZE; e++) a_tile[buffer][a_col + e][a_row] = a_next.at[e];
        store16(&b_tile[buffer][b_row][b_col], b_next);
    };

    T sum[SIDE][SIDE] = {};
    fetch(0);
    keep(0);
    __syncthreads();
    u32 buffer = 0;
#pragma unroll 1
    for (u32 first = 0; first < p.k; first += DEPTH) {
        bool more = first + DEPTH < p.k;
        if (more) fetch(first + DEPTH);
#pragma unroll
        for (u32 i = 0; i < DEPTH; i++) {
            Vec16<T> a[2], b[2];
#pragma unroll
            for (u32 g = 0; g < 2; g++) {
                a[g] = load16(&a_tile[buffer][i][Squares::row(g)]);
                b[g] = load16(&b_tile[buffer][i][Squares::col(g)]);
            }
#pragma unroll
            for (u32 r = 0; r < SIDE; r++) {
#pragma unroll
                for (u32 s = 0; s < SIDE; s++) {
                    sum[r][s] += a[r / SIZE].at[r % SIZE] * b[s / SIZE].at[s % SIZE];
                }
            }
        }
        buffer ^= 1;
        if (more) keep(buffer);
        __syncthreads();
    }

    bool c_aligned = rows_aligned(p.c, p.ldc);
#pragma unroll
    for (u32 r = 0; r < SIDE; r++) {
        u32 row = block_row + Squares::row(r / SIZE) + r % SIZE;
#pragma unroll
        for (u32 g = 0; g < 2; g++) {
            u32 col = block_col + Squares::col(g);
            Vec16<T> v;
#pragma unroll
            for (u32 e = 0; e < SIZE; e++) v.at[e] = sum[r][g * SIZE + e];
            if (c_aligned && row < p.m && col + SIZE <= p.n) {
                store16(p.c + row * p.ldc + col, v);
            } else {
#pragma unroll
                for (u32 e = 0; e < SIZE; e++) p.set(row, col + e, v.at[e]);
            }
        }
    }
}

// Rung gpu-6-vectorized: loads of 16 bytes, from global and from shared memory, and two buffers, so that loading and
// multiplying overlap. Matrices whose rows don't start at 16-byte boundaries are loaded singly.
// Launch: as rung 5.
template <class T> __device__ void matmul_6_vectorized(Problem<T> p) { multiply_buffered<T, ThreadSquares<T>>(p); }

// Rung gpu-7-warp-tiled: the 32 lanes of a warp make a compact part of C, with interleaved groups: they read few
// different values of A and B, and those without bank conflicts.
// Launch: as rung 5.
template <class T> __device__ void matmul_7_warp_tiled(Problem<T> p) { multiply_buffered<T, WarpSquares<T>>(p); }

// ---- Instances -----------------------------------------------------------------------------------------------------

#define KERNEL(rung, bounds, t) \
    extern "C" __global__ void bounds matmul_##rung##_##t( \
        const t* a, const t* b, t* c, u32 m, u32 n, u32 k, u64 lda, u64 ldb, u64 ldc) { \
        matmul_##rung(Problem<t>{a, b, c, m, n, k, lda, ldb, ldc}); \
    }
// 128 registers a thread, so that two blocks fit a multiprocessor.
#define TWO_BLOCKS __launch_bounds__(256, 2)
#define TYPES(rung, bounds) KERNEL(rung, bounds, f32) KERNEL(rung, bounds, f64)

TYPES(1_uncoalesced, )
TYPES(2_naive, )
TYPES(3_tiled, )
TYPES(4_register_1d, __launch_bounds__(512))
TYPES(5_register_2d, __launch_bounds__(256))
TYPES(6_vectorized, TWO_BLOCKS)
TYPES(7_warp_tiled, TWO_BLOCKS)

// Rung 8, which is in wide.cuh: its tiles are groups of 16 bytes that a lane has down and across, and warps down,
// across and along k. One is large, and three give small products more blocks. Where `done` is given and says so, there
// is nothing left to do (rung 10 in hopper.cu leaves some products undone).
#define WIDE(name, rows_16, columns_16, warps_m, warps_n, warps_k, depth, blocks, t) \
    extern "C" __global__ void __launch_bounds__(WARP* warps_m* warps_n* warps_k, blocks) \
        matmul_8_wide_tiles_##name##_##t( \
            const t* a, const t* b, t* c, u32 m, u32 n, u32 k, u64 lda, u64 ldb, u64 ldc, const u32* done) { \
        if (done != nullptr && *done != 0) return; \
        matmul_8_wide_tiles<Wide<t, rows_16, columns_16, warps_m, warps_n, warps_k, depth>>( \
            Problem<t>{a, b, c, m, n, k, lda, ldb, ldc}); \
    }
#define WIDE_TYPES(...) WIDE(__VA_ARGS__, f32) WIDE(__VA_ARGS__, f64)

WIDE_TYPES(2x4x1, 2, 4, 2, 4, 1, 16, 1)
WIDE_TYPES(1x2x4, 2, 4, 1, 2, 4, 32, 1)
WIDE_TYPES(half_1x1x4, 2, 2, 1, 1, 4, 32, 3)
WIDE_TYPES(quarter_1x1x4, 1, 2, 1, 1, 4, 32, 4)
