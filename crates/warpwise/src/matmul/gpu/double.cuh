// Products of f64 on tensor cores: the rung gpu-11-tensor-f64.
#pragma once
#include "order.cuh"

// Starts to copy SIZE bytes from global to shared memory, of which the first `there` are in the matrix and the others 0.
// 16 bytes go around the first-level cache, which is then all shared memory.
template <u32 SIZE> __device__ inline void start_copy(void* to, const f64* from, u32 there) {
    u32 place = u32(__cvta_generic_to_shared(to));
    u64 source = __cvta_generic_to_global(from);
    if (SIZE == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(place), "l"(source), "r"(there) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(place), "l"(source), "n"(SIZE), "r"(there)
                     : "memory");
    }
}
__device__ inline void group_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <u32 GROUPS> __device__ inline void wait_for_copies_but() {
    asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS) : "memory");
}

// 16 x 8 elements of C over a warp: d += a b, of 16 x 8 of A and 8 x 8 of B.
__device__ inline void multiply_add(f64 (&d)[4], const f64 (&a)[4], const f64 (&b)[2]) {
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

// A factor in global memory.
struct Doubles {
    const f64* x;
    u64 ld;
    u32 rows, columns;

    __device__ bool is_aligned() const { return reinterpret_cast<u64>(x) % 16 == 0 && ld % 2 == 0; }
};

// HEIGHT x WIDTH elements of a matrix, which are copied to rows of shared memory that are STRIDE apart, COUNT elements at a
// time. What lies outside of the matrix is 0. In odd rows, groups of SWAP elements and the next SWAP change places.
template <u32 HEIGHT, u32 WIDTH, u32 STRIDE, u32 SWAP, u32 THREADS, u32 COUNT> struct Window {
    enum : u32 { ACROSS = WIDTH / COUNT, AT_ONCE = THREADS / ACROSS };
    static_assert(SWAP == 0 || AT_ONCE % 2 == 0, "a thread's rows are all odd or all even");
    const f64* from;
    u64 ld;
    u32 rows, columns, place;  // left, from the first element of this thread on; where it goes

    __device__ Window(Doubles matrix, u32 first_row, u32 first_column) : ld(matrix.ld) {
        u32 row = threadIdx.x / ACROSS, column = threadIdx.x % ACROSS * COUNT;
        from = matrix.x + (first_row + row) * ld + first_column + column;
        rows = max(matrix.rows, first_row + row) - (first_row + row);
        columns = max(matrix.columns, first_column + column) - (first_column + column);
        place = row * STRIDE + (column ^ row % 2 * SWAP);
    }
    __device__ void start(f64* to) const {
        u32 bytes = min(columns, COUNT) * u32(sizeof(f64));
#pragma unroll
        for (u32 i = 0; i < HEIGHT / AT_ONCE; i++) {
            u32 there = i * AT_ONCE < rows ? bytes : 0;
            start_copy<COUNT * sizeof(f64)>(to + place + i * AT_ONCE * STRIDE, from + i * AT_ONCE * ld, there);
        }
    }
    __device__ void move_across() { from += WIDTH, columns = max(columns, WIDTH) - WIDTH; }
    __device__ void move_down() { from += HEIGHT * ld, rows = max(rows, HEIGHT) - HEIGHT; }
};

// Rung gpu-11-tensor-f64: the tensor cores multiply f64 as they are, with every product and sum rounded as by fma. A block
// is M x N warps that each make DOWN x ACROSS pieces of 16 x 8 elements of C. Slices of A and B come to a ring of stages
// in shared memory by copies that run by themselves, of COUNT elements each: two where all rows start at 16 bytes.
// Launch: grid (tiles of C), block 32 * M * N, dynamic shared memory STAGES * STAGE * 8 bytes.
template <u32 M, u32 N, u32 DOWN, u32 ACROSS, u32 STAGES, u32 COUNT> struct DoubleProduct {
    enum : u32 { TILE_M = 16 * M * DOWN, TILE_N = 8 * N * ACROSS, DEPTH = 16, THREADS = WARP * M * N };
    // What lanes read at once is in different banks: two rows of A, whose halves change places in odd rows, and rows of B
    // that are so far apart.
    enum : u32 { A_SWAP = 8, B_ROW = TILE_N + 2, A_SIZE = TILE_M * DEPTH, STAGE = A_SIZE + DEPTH * B_ROW };

    __device__ static void make_tile(Doubles a, Doubles b, f64* c, u64 ldc) {
        f64* stages = dynamic_shared<f64>();
        u32 m = a.rows, n = b.columns;
        TilePlace place = grouped(blockIdx.x, (m + TILE_M - 1) / TILE_M, (n + TILE_N - 1) / TILE_N);
        u32 block_row = place.row * TILE_M, block_column = place.column * TILE_N;
        u32 steps = (a.columns + DEPTH - 1) / DEPTH;
        Window<TILE_M, DEPTH, DEPTH, A_SWAP, THREADS, COUNT> a_window(a, block_row, 0);
        Window<DEPTH, TILE_N, B_ROW, 0, THREADS, COUNT> b_window(b, 0, block_column);
        auto start = [&](u32 step) {
            f64* to = stages + step % STAGES * STAGE;
            if (step < steps) {
                a_window.start(to);
                b_window.start(to + A_SIZE);
                a_window.move_across();
                b_window.move_down();
            }
            group_copies();
        };
        u32 warp = threadIdx.x / WARP, lane = threadIdx.x % WARP, group = lane / 4, pair = lane % 4 * 2;
        u32 warp_row = warp / N * (16 * DOWN), warp_column = warp % N * (8 * ACROSS);
        // What the tensor cores multiply: eight steps along k, and the next eight, which are loaded meanwhile.
        f64 sums[DOWN][ACROSS][4] = {}, a_parts[2][DOWN][4], b_parts[2][ACROSS][2];
        auto load = [&](u32 to, u32 step, u32 first) {
            const f64* stage = stages + step % STAGES * STAGE;
            const f64* a_from = stage + (warp_row + group) * DEPTH + (first + pair ^ group % 2 * A_SWAP);
            const f64* b_from = stage + A_SIZE + (first + pair) * B_ROW + warp_column + group;
            // Steps along k are exchanged, in A and B alike: the two of a lane are neighbours.
#pragma unroll
            for (u32 i = 0; i < 2 * DOWN; i++) {
                Vec16<f64> v = load16(a_from + 8 * i * DEPTH);
                a_parts[to][i / 2][i % 2] = v.at[0], a_parts[to][i / 2][i % 2 + 2] = v.at[1];
            }
#pragma unroll
            for (u32 j = 0; j < ACROSS; j++) {
                b_parts[to][j][0] = b_from[8 * j], b_parts[to][j][1] = b_from[8 * j + B_ROW];
            }
        };
        auto multiply = [&](u32 from) {
#pragma unroll
            for (u32 i = 0; i < DOWN; i++) {
#pragma unroll
                for (u32 there = 0; there < ACROSS; there++) {
                    // There and back, so that one operand stays.
                    u32 j = i % 2 ? ACROSS - 1 - there : there;
                    multiply_add(sums[i][j], a_parts[from][i], b_parts[from][j]);
                }
            }
        };
#pragma unroll
        for (u32 step = 0; step < STAGES - 1; step++) start(step);
        wait_for_copies_but<STAGES - 2>();
        __syncthreads();
        if (steps > 0) load(0, 0, 0);
#pragma unroll 1
        for (u32 step = 0; step < steps; step++) {
            load(1, step, 8);
            start(step + STAGES - 1);
            multiply(0);
            wait_for_copies_but<STAGES - 2>();
            __syncthreads();
            if (step + 1 < steps) load(0, step + 1, 0);
            multiply(1);
        }
        bool pairs = reinterpret_cast<u64>(c) % 16 == 0 && ldc % 2 == 0;
#pragma unroll
        for (u32 i = 0; i < DOWN; i++) {
#pragma unroll
            for (u32 j = 0; j < ACROSS; j++) {
#pragma unroll
                for (u32 half = 0; half < 2; half++) {
                    u32 row = block_row + warp_row + 16 * i + 8 * half + group;
                    u32 column = block_column + warp_column + 8 * j + pair;
                    f64 *to = c + row * ldc + column, x = sums[i][j][2 * half], y = sums[i][j][2 * half + 1];
                    if (row < m && column + 1 < n && pairs) {
                        *reinterpret_cast<double2*>(to) = make_double2(x, y);
                    } else if (row < m) {
                        if (column < n) to[0] = x;
                        if (column + 1 < n) to[1] = y;
                    }
                }
            }
        }
    }
};
