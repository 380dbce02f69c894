// Rung gpu-8-wide-tiles: a lane makes 8 x 16 elements (f64: 4 x 8), as many as its registers hold: 128 multiplications
// for 6 loads from shared memory, and those are made one step ahead. A block is M x N x K warps, each with a tile of
// 64 x 64 (f64: 32 x 32), or with a half or a quarter of one; the K groups of warps share the steps along k between
// them and add up in the end. That is how a small product keeps many warps busy.
//
// The loop has no branch but the one to its beginning and, at most, one around the loads of the next slice, so that
// loads and multiplications are issued between each other. What would need more is done outside: the first slice is the
// one that may be short, how rows are loaded is decided before (`Vectors`, `Singles`), and edges that are only a row or
// two wide are left to other code (`thin_rows`, `thin_columns`).
#pragma once
#include "order.cuh"
#include "problem.cuh"

// Loads where `yes`, and leaves x as it is otherwise. A predicate in any case: where the compiler makes a branch of it,
// loads and what is around them stay apart.
__device__ inline void load_if(bool yes, const f32* from, f32& x) {
    asm volatile("{ .reg .pred yes; setp.ne.u32 yes, %2, 0; @yes ld.global.f32 %0, [%1]; }"
        : "+f"(x) : "l"(__cvta_generic_to_global(from)), "r"(u32(yes)));
}
__device__ inline void load_if(bool yes, const f64* from, f64& x) {
    asm volatile("{ .reg .pred yes; setp.ne.u32 yes, %2, 0; @yes ld.global.f64 %0, [%1]; }"
        : "+d"(x) : "l"(__cvta_generic_to_global(from)), "r"(u32(yes)));
}
__device__ inline void load_if(bool yes, const f32* from, Vec16<f32>& v) {
    asm volatile("{ .reg .pred yes; setp.ne.u32 yes, %5, 0; @yes ld.global.v4.f32 {%0, %1, %2, %3}, [%4]; }"
        : "+f"(v.at[0]), "+f"(v.at[1]), "+f"(v.at[2]), "+f"(v.at[3])
        : "l"(__cvta_generic_to_global(from)), "r"(u32(yes)));
}
__device__ inline void load_if(bool yes, const f64* from, Vec16<f64>& v) {
    asm volatile("{ .reg .pred yes; setp.ne.u32 yes, %3, 0; @yes ld.global.v2.f64 {%0, %1}, [%2]; }"
        : "+d"(v.at[0]), "+d"(v.at[1]) : "l"(__cvta_generic_to_global(from)), "r"(u32(yes)));
}
// The same for stores, of single elements and of vectors, which the compiler would take apart.
__device__ inline void store_if(bool yes, u64 at, f32 x) {
    asm volatile("{ .reg .pred yes; setp.ne.u32 yes, %2, 0; @yes st.global.f32 [%1], %0; }"
        : : "f"(x), "l"(at), "r"(u32(yes)) : "memory");
}
__device__ inline void store_if(bool yes, u64 at, f64 x) {
    asm volatile("{ .reg .pred yes; setp.ne.u32 yes, %2, 0; @yes st.global.f64 [%1], %0; }"
        : : "d"(x), "l"(at), "r"(u32(yes)) : "memory");
}
__device__ inline void store_if(bool yes, u64 at, const Vec16<f32>& v) {
    asm volatile("{ .reg .pred yes; setp.ne.u32 yes, %5, 0; @yes st.global.v4.f32 [%4], {%0, %1, %2, %3}; }"
        : : "f"(v.at[0]), "f"(v.at[1]), "f"(v.at[2]), "f"(v.at[3]), "l"(at), "r"(u32(yes)) : "memory");
}
__device__ inline void store_if(bool yes, u64 at, const Vec16<f64>& v) {
    asm volatile("{ .reg .pred yes; setp.ne.u32 yes, %3, 0; @yes st.global.v2.f64 [%2], {%0, %1}; }"
        : : "d"(v.at[0]), "d"(v.at[1]), "l"(at), "r"(u32(yes)) : "memory");
}

// Edges of so many rows or columns are thin.
enum : u32 { THIN = 2 };

// Where the block is whose number is `id` in the order that blocks start in. Thin edges come last, where they fill up
// multiprocessors that have less to do.
__device__ inline TilePlace thin_last(u32 id, u32 rows, u32 columns, bool thin_row, bool thin_column) {
    if (thin_row) rows--;
    if (thin_column) columns--;
    if (id < rows * columns) return grouped(id, rows, columns);
    id -= rows * columns;
    // The last row of tiles to the corner, then the last column.
    u32 across = thin_row ? columns + thin_column : 0;
    return id < across ? TilePlace{rows, id} : TilePlace{id - across, columns};
}

// The tile of a block and how it is shared out. A warp is 8 x 4 lanes, each with ROWS_16 x COLUMNS_16 groups of 16
// bytes' worth of rows and of columns, which are interleaved. DEPTH steps along k are a slice.
template <class Type, u32 ROWS_16, u32 COLUMNS_16, u32 WARPS_M, u32 WARPS_N, u32 WARPS_K, u32 SLICE> struct Wide {
    using T = Type;
    enum : u32 {
        SIZE = Vec16<T>::SIZE, AV = ROWS_16, BV = COLUMNS_16, M = WARPS_M, N = WARPS_N, K = WARPS_K, DEPTH = SLICE,
        SPAN = 8 * SIZE, HEIGHT = AV * SPAN, WIDTH = BV * 4 * SIZE, TILE_M = M * HEIGHT, TILE_N = N * WIDTH,
        THREADS = WARP * M * N * K, STEPS = DEPTH / K,
        // Two slices of A, then two of B, in shared memory.
        B_TILES = 2 * DEPTH * TILE_M, ROOM = B_TILES + 2 * DEPTH * TILE_N,
        // Groups of 16 bytes along a row of A, rows that all threads load at once, and how often they do.
        A_ACROSS = DEPTH / SIZE, A_DOWN = THREADS / A_ACROSS, A_TIMES = TILE_M / A_DOWN,
        // A is stored transposed. Rows are exchanged in each group of columns, differently, so that the writes of a
        // warp are in different banks; vectors stay whole.
        TWIST = SPAN / A_ACROSS > SIZE ? SPAN / A_ACROSS : SIZE,
    };
    // Whether a slice is asked for as soon as the one before it is in shared memory, and not only when that one's turn
    // comes. Either way there is time enough; but the compiler spreads loads differently, and each is the faster one
    // where it is used.
    enum : bool { EARLY = K == 1 && sizeof(T) == 4 };
    u32 lane, warp_m, warp_n, warp_k;

    __device__ Wide() {
        u32 warp = threadIdx.x / WARP;
        lane = threadIdx.x % WARP, warp_n = warp % N, warp_m = warp / N % M, warp_k = warp / (N * M);
    }
};

// What a thread loads of A: SIZE elements of some rows, `apart` from those of its neighbour. Beyond the last row that
// one is loaded again, for sums that nobody stores.
template <class W> struct RowsOfA {
    using T = typename W::T;
    u32 row, group, to;
    const T* at[W::A_TIMES];

    __device__ RowsOfA(const Problem<T>& p, u32 block_row, u32 apart) {
        row = threadIdx.x / W::A_ACROSS, group = threadIdx.x % W::A_ACROSS, to = group * W::SIZE * W::TILE_M;
#pragma unroll
        for (u32 i = 0; i < W::A_TIMES; i++) {
            u32 inside = min(block_row + row + i * W::A_DOWN, p.m - 1);
            at[i] = p.a + inside * p.lda + group * apart;
        }
    }
    __device__ void advance(u32 steps) {
#pragma unroll
        for (u32 i = 0; i < W::A_TIMES; i++) at[i] += steps;
    }
    __device__ void keep(T* memory, const Vec16<T> (&next)[W::A_TIMES]) const {
        u32 twist = group * W::TWIST % W::SPAN;
#pragma unroll
        for (u32 i = 0; i < W::A_TIMES; i++) {
            T* into = W::A_DOWN % W::SPAN == 0 ? memory + (to + (row ^ twist)) + i * W::A_DOWN
                                               : memory + (to + (row + i * W::A_DOWN ^ twist));
#pragma unroll
            for (u32 e = 0; e < W::SIZE; e++) into[e * W::TILE_M] = next[i].at[e];
        }
    }
};

// Slices on their way from global memory to shared memory, 16 bytes at a time: for rows that start at 16-byte
// boundaries and are whole vectors long.
template <class W> struct Vectors {
    using T = typename W::T;
    enum : u32 { ACROSS = W::TILE_N / W::SIZE, DOWN = W::THREADS / ACROSS, TIMES = W::DEPTH / DOWN };
    RowsOfA<W> a;
    Vec16<T> a_next[W::A_TIMES], b_next[TIMES];
    const T* b;
    u64 stride;
    u32 b_row, b_to;

    __device__ static bool fit(const Problem<T>& p) {
        bool aligned = rows_aligned(p.a, p.lda) && rows_aligned(p.b, p.ldb) && rows_aligned(p.c, p.ldc);
        return aligned && p.n % W::SIZE == 0 && p.k % W::SIZE == 0;
    }
    __device__ Vectors(const Problem<T>& p, u32 block_row, u32 block_col)
        : a(p, block_row, W::SIZE), a_next(), b_next() {
        u32 col = threadIdx.x % ACROSS * W::SIZE;
        b_row = threadIdx.x / ACROSS, b_to = W::B_TILES + b_row * W::TILE_N + col, stride = p.ldb;
        b = p.b + b_row * p.ldb + min(block_col + col, p.n - W::SIZE);
    }
    // The first slice, of so many steps; the rest of it is 0.
    __device__ void first(u32 steps) {
#pragma unroll
        for (u32 i = 0; i < W::A_TIMES; i++) load_if(a.group * W::SIZE < steps, a.at[i], a_next[i]);
#pragma unroll
        for (u32 i = 0; i < TIMES; i++) load_if(b_row + i * DOWN < steps, b + i * DOWN * stride, b_next[i]);
        advance(steps);
    }
    // The next slice, if there is one.
    __device__ void fetch(bool more) {
        if (W::EARLY && !more) return;
#pragma unroll
        for (u32 i = 0; i < W::A_TIMES; i++) load_if(more, a.at[i], a_next[i]);
#pragma unroll
        for (u32 i = 0; i < TIMES; i++) load_if(more, b + i * DOWN * stride, b_next[i]);
        advance(W::DEPTH);
    }
    __device__ void advance(u32 steps) {
        a.advance(steps);
        b += steps * stride;
    }
    __device__ void keep(T* memory) const {
        a.keep(memory, a_next);
#pragma unroll
        for (u32 i = 0; i < TIMES; i++) store16(memory + b_to + i * DOWN * W::TILE_N, b_next[i]);
    }
};

// The same element by element, for all others, so that neighbouring lanes load neighbours. Element e of group q of a
// row of A is then that of step e * A_ACROSS + q and not q * SIZE + e: steps change places inside of a slice, and rows
// of B go where theirs went.
template <class W> struct Singles {
    using T = typename W::T;
    enum : u32 {
        // Columns and rows that a warp loads at once, how often it does across, the rows that are its own, and how
        // often it loads for those.
        ACROSS = W::TILE_N < WARP ? W::TILE_N : WARP, LINES = WARP / ACROSS, TIMES_ACROSS = W::TILE_N / ACROSS,
        ROWS = W::DEPTH * WARP / W::THREADS, TIMES_DOWN = ROWS / LINES,
    };
    RowsOfA<W> a;
    Vec16<T> a_next[W::A_TIMES];
    T b_next[TIMES_DOWN][TIMES_ACROSS];
    const T* b;
    u64 stride;
    u32 b_row, b_to;
    // How many there are from the lane's first one on.
    u32 columns;

    __device__ Singles(const Problem<T>& p, u32 block_row, u32 block_col) : a(p, block_row, 1), a_next(), b_next() {
        static_assert(W::A_ACROSS % ROWS == 0, "rows of a warp have to be SIZE rows apart in shared memory");
        u32 lane = threadIdx.x % WARP, col = lane % ACROSS, left = p.n - block_col;
        b_row = threadIdx.x / WARP * ROWS + lane / ACROSS, columns = left > col ? left - col : 0;
        b_to = W::B_TILES + (b_row % W::A_ACROSS * W::SIZE + b_row / W::A_ACROSS) * W::TILE_N + col;
        b = p.b + b_row * p.ldb + block_col + col, stride = p.ldb;
    }
    __device__ void first(u32 steps) {
#pragma unroll
        for (u32 i = 0; i < W::A_TIMES; i++) {
#pragma unroll
            for (u32 e = 0; e < W::SIZE; e++) {
                u32 k = e * W::A_ACROSS;
                load_if(a.group + k < steps, a.at[i] + k, a_next[i].at[e]);
            }
        }
#pragma unroll
        for (u32 j = 0; j < TIMES_DOWN; j++) load_row(j, b_row + j * LINES < steps ? columns : 0);
        advance(steps);
    }
    __device__ void fetch(bool more) {
        if (W::EARLY && !more) return;
#pragma unroll
        for (u32 i = 0; i < W::A_TIMES; i++) {
#pragma unroll
            for (u32 e = 0; e < W::SIZE; e++) load_if(more, a.at[i] + e * W::A_ACROSS, a_next[i].at[e]);
        }
        u32 there = more ? columns : 0;
#pragma unroll
        for (u32 j = 0; j < TIMES_DOWN; j++) load_row(j, there);
        advance(W::DEPTH);
    }
    // Loads so many columns of one of the warp's rows of B.
    __device__ void load_row(u32 j, u32 there) {
#pragma unroll
        for (u32 c = 0; c < TIMES_ACROSS; c++) {
            load_if(c * ACROSS < there, b + j * LINES * stride + c * ACROSS, b_next[j][c]);
        }
    }
    __device__ void advance(u32 steps) {
        a.advance(steps);
        b += steps * stride;
    }
    __device__ void keep(T* memory) const {
        a.keep(memory, a_next);
#pragma unroll
        for (u32 j = 0; j < TIMES_DOWN; j++) {
#pragma unroll
            for (u32 c = 0; c < TIMES_ACROSS; c++) {
                (memory + b_to)[j * LINES * W::SIZE * W::TILE_N + c * ACROSS] = b_next[j][c];
            }
        }
    }
};

// Adds up the products along k.
template <class W, class Slices, class T>
__device__ void accumulate(W wide, Slices slices, u32 k, T* memory, T (&sum)[W::AV * W::SIZE][W::BV * W::SIZE]) {
    constexpr u32 SIZE = W::SIZE, DEPTH = W::DEPTH, STEPS = W::STEPS;
    // Where the buffers are that are written and read, to change places after every slice: all accesses are a constant
    // away from these.
    u32 a_swap = DEPTH * W::TILE_M, b_swap = DEPTH * W::TILE_N;
    u32 a_from[STEPS / SIZE], first_row = wide.lane / 4 * SIZE;
    u32 b_from = W::B_TILES + wide.warp_k * STEPS * W::TILE_N + wide.warp_n * W::WIDTH + wide.lane % 4 * SIZE;
#pragma unroll
    for (u32 i = 0; i < STEPS / SIZE; i++) {
        u32 row = first_row ^ (wide.warp_k * (STEPS / SIZE) + i) * W::TWIST % W::SPAN;
        a_from[i] = wide.warp_k * STEPS * W::TILE_M + wide.warp_m * W::HEIGHT + row;
    }
    Vec16<T> a[2][W::AV], b[2][W::BV];
    // The values of one of the group's steps.
    auto load = [&](u32 to, u32 step) {
#pragma unroll
        for (u32 g = 0; g < W::BV; g++) b[to][g] = load16(memory + b_from + step * W::TILE_N + g * 4 * SIZE);
#pragma unroll
        for (u32 g = 0; g < W::AV; g++) {
            a[to][g] = load16(memory + a_from[step / SIZE] + step * W::TILE_M + g * W::SPAN);
        }
    };

    u32 rest = k % DEPTH, left = k / DEPTH + (rest != 0 || k == 0);
    slices.first(rest != 0 || k == 0 ? rest : DEPTH);
    slices.keep(memory);
    if (W::EARLY) slices.fetch(left > 1);
    __syncthreads();
    slices.a.to += a_swap;
    slices.b_to += b_swap;
    load(0, 0);
#pragma unroll 1
    do {
        if (!W::EARLY) {
            left--;
            slices.fetch(left != 0);
        }
        // Rolled up, this loop would take a quarter longer.
#pragma unroll
        for (u32 step = 0; step < STEPS; step++) {
            if (step + 1 < STEPS) {
                load((step + 1) % 2, step + 1);
            } else {
                // After the last slice this is what was there before, which nobody uses.
                slices.keep(memory);
                if (W::EARLY) slices.fetch(left > 2);
                __syncthreads();
#pragma unroll
                for (u32 i = 0; i < STEPS / SIZE; i++) a_from[i] += a_swap;
                b_from += b_swap;
                slices.a.to -= a_swap;
                slices.b_to -= b_swap;
                a_swap = -a_swap;
                b_swap = -b_swap;
                load(0, 0);
            }
#pragma unroll
            for (u32 r = 0; r < W::AV * SIZE; r++) {
#pragma unroll
                for (u32 i = 0; i < W::BV * SIZE; i++) {
                    // There and back, which uses values again that are still at hand.
                    u32 s = W::EARLY && r % 2 == 1 ? W::BV * SIZE - 1 - i : i;
                    sum[r][s] += a[step % 2][r / SIZE].at[r % SIZE] * b[step % 2][s / SIZE].at[s % SIZE];
                }
            }
        }
        if (W::EARLY) left--;
    } while (left != 0);
}

template <class T> __device__ void add_to(T& x, T y) { x += y; }
template <class T> __device__ void add_to(Vec16<T>& x, const Vec16<T>& y) {
#pragma unroll
    for (u32 e = 0; e < Vec16<T>::SIZE; e++) x.at[e] += y.at[e];
}
template <class T> __device__ void load_part(const T* from, T& x) { x = *from; }
template <class T> __device__ void load_part(const T* from, Vec16<T>& x) { x = load16(from); }

// Stores the sums of a tile, in parts of so many bytes as `Part` has: a few rows of every lane at a time go through
// shared memory, where those of the K groups are added up, and leave it row by row.
template <class Part, class W, class T>
__device__ void store_sums(
    W wide, const Problem<T>& p, u32 block_row, u32 block_col, T* memory,
    const T (&sum)[W::AV * W::SIZE][W::BV * W::SIZE]) {
    constexpr u32 SIZE = W::SIZE, TILE_N = W::TILE_N, FIT = W::ROOM / (W::THREADS * W::BV * SIZE);
    constexpr u32 LINES = FIT >= SIZE ? SIZE : FIT >= 2 ? 2 : 1, ROWS = W::M * 8 * LINES;
    constexpr u32 COUNT = sizeof(Part) / sizeof(T), UNROLL = COUNT == 1 ? 4 : 2;
    static_assert(FIT >= 1, "sums have to fit");
    u64 c = __cvta_generic_to_global(p.c + block_col);
    // Lanes of odd rows exchange groups of columns, so that writes are in different banks.
    u32 line = wide.lane / 4, odd = line % 2;
    T* to = memory + (wide.warp_k * ROWS + (wide.warp_m * 8 + line) * LINES) * TILE_N + wide.warp_n * W::WIDTH +
        wide.lane % 4 * SIZE;
#pragma unroll
    for (u32 first = 0; first < W::AV * SIZE; first += LINES) {
        __syncthreads();
#pragma unroll
        for (u32 i = 0; i < LINES; i++) {
#pragma unroll
            for (u32 g = 0; g < W::BV; g++) {
                Vec16<T> v;
#pragma unroll
                for (u32 e = 0; e < SIZE; e++) v.at[e] = sum[first + i][g * SIZE + e];
                store16(to + i * TILE_N + (g ^ odd) * 4 * SIZE, v);
            }
        }
        __syncthreads();
#pragma unroll UNROLL
        for (u32 at = threadIdx.x * COUNT; at < ROWS * TILE_N; at += W::THREADS * COUNT) {
            u32 row = at / TILE_N, from = row / LINES, col = at % TILE_N;
            const T* place = memory + (at ^ from % 2 * (4 * SIZE));
            Part x;
            load_part(place, x);
#pragma unroll
            for (u32 g = 1; g < W::K; g++) {
                Part y;
                load_part(place + g * (ROWS * TILE_N), y);
                add_to(x, y);
            }
            u32 out = (from / 8 * W::AV + first / SIZE) * W::SPAN + from % 8 * SIZE + first % SIZE + row % LINES;
            u64 index = (block_row + out) * p.ldc + col;
            store_if(block_row + out < p.m && block_col + col < p.n, c + index * sizeof(T), x);
        }
    }
}

// Stores whole vectors straight away, where nothing is to be added up.
template <class W, class T>
__device__ void store_vectors(
    W wide, const Problem<T>& p, u32 block_row, u32 block_col, const T (&sum)[W::AV * W::SIZE][W::BV * W::SIZE]) {
    constexpr u32 SIZE = W::SIZE;
    u64 c = __cvta_generic_to_global(p.c + block_col);
#pragma unroll
    for (u32 r = 0; r < W::AV * SIZE; r++) {
        u32 row = block_row + wide.warp_m * W::HEIGHT + r / SIZE * W::SPAN + wide.lane / 4 * SIZE + r % SIZE;
#pragma unroll
        for (u32 g = 0; g < W::BV; g++) {
            u32 col = wide.warp_n * W::WIDTH + wide.lane % 4 * SIZE + g * 4 * SIZE;
            Vec16<T> v;
#pragma unroll
            for (u32 e = 0; e < SIZE; e++) v.at[e] = sum[r][g * SIZE + e];
            store_if(row < p.m && block_col + col < p.n, c + (row * p.ldc + col) * sizeof(T), v);
        }
    }
}

// The last columns, if they are few: warps share the rows between them, and lanes are neighbours along k.
template <class W, class T> __device__ void thin_columns(const Problem<T>& p, u32 block_row, u32 block_col) {
    constexpr u32 ROWS = W::TILE_M * WARP / W::THREADS, UNROLL = 32 / ROWS;
    u32 lane = threadIdx.x % WARP, first = block_row + threadIdx.x / WARP * ROWS;
    T sum[ROWS][THIN] = {};
#pragma unroll UNROLL
    for (u64 k = lane; k < p.k; k += WARP) {
        T b[THIN];
#pragma unroll
        for (u32 c = 0; c < THIN; c++) b[c] = p.b[k * p.ldb + min(block_col + c, p.n - 1)];
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            T a = p.a[min(first + r, p.m - 1) * p.lda + k];
#pragma unroll
            for (u32 c = 0; c < THIN; c++) sum[r][c] += a * b[c];
        }
    }
#pragma unroll
    for (u32 r = 0; r < ROWS; r++) {
#pragma unroll
        for (u32 c = 0; c < THIN; c++) {
            T x = sum[r][c];
#pragma unroll
            for (u32 half = WARP / 2; half > 0; half /= 2) x += __shfl_xor_sync(ALL_LANES, x, half);
            if (lane == r * THIN + c) p.set(first + r, block_col + c, x);
        }
    }
}

// The last rows, if they are few: lanes are neighbours in a row, and warps share the steps along k between them.
template <class W, class T> __device__ void thin_rows(const Problem<T>& p, u32 block_row, u32 block_col, T* memory) {
    constexpr u32 COLUMNS = W::TILE_N > WARP ? W::TILE_N / WARP : 1, WARPS = W::THREADS / WARP, UNROLL = 16 / COLUMNS;
    constexpr u32 WIDTH = COLUMNS * WARP;
    static_assert(WARPS * THIN * WIDTH <= W::ROOM, "sums have to fit");
    u32 warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    T sum[THIN][COLUMNS] = {};
#pragma unroll UNROLL
    for (u64 k = warp; k < p.k; k += WARPS) {
        T a[THIN];
#pragma unroll
        for (u32 r = 0; r < THIN; r++) a[r] = p.a[min(block_row + r, p.m - 1) * p.lda + k];
#pragma unroll
        for (u32 c = 0; c < COLUMNS; c++) {
            T b = p.b[k * p.ldb + min(block_col + c * WARP + lane, p.n - 1)];
#pragma unroll
            for (u32 r = 0; r < THIN; r++) sum[r][c] += a[r] * b;
        }
    }
#pragma unroll
    for (u32 r = 0; r < THIN; r++) {
#pragma unroll
        for (u32 c = 0; c < COLUMNS; c++) memory[(warp * THIN + r) * WIDTH + c * WARP + lane] = sum[r][c];
    }
    __syncthreads();
#pragma unroll 1
    for (u32 i = threadIdx.x; i < THIN * WIDTH; i += W::THREADS) {
        T x = memory[i];
#pragma unroll
        for (u32 w = 1; w < WARPS; w++) x += memory[w * (THIN * WIDTH) + i];
        if (i % WIDTH < W::TILE_N) p.set(block_row + i / WIDTH, block_col + i % WIDTH, x);
    }
}

// Launch: grid (ceil(n / TILE_N), ceil(m / TILE_M)), block THREADS, no dynamic shared memory.
template <class W> __device__ void matmul_8_wide_tiles(Problem<typename W::T> p) {
    using T = typename W::T;
    __shared__ __align__(16) T memory[W::ROOM];
    bool thin_row = (p.m - 1) % W::TILE_M < THIN, thin_column = (p.n - 1) % W::TILE_N < THIN;
    u32 id = blockIdx.y * gridDim.x + blockIdx.x;
    TilePlace place = thin_last(id, gridDim.y, gridDim.x, thin_row, thin_column);
    u32 block_row = place.row * W::TILE_M, block_col = place.column * W::TILE_N;
    if (p.n - block_col <= THIN) {
        thin_columns<W>(p, block_row, block_col);
    } else if (p.m - block_row <= THIN) {
        thin_rows<W>(p, block_row, block_col, memory);
    } else if (Vectors<W>::fit(p)) {
        T sum[W::AV * W::SIZE][W::BV * W::SIZE] = {};
        accumulate(W(), Vectors<W>(p, block_row, block_col), p.k, memory, sum);
        if (W::K == 1) {
            store_vectors(W(), p, block_row, block_col, sum);
        } else {
            store_sums<Vec16<T>>(W(), p, block_row, block_col, memory, sum);
        }
    } else {
        T sum[W::AV * W::SIZE][W::BV * W::SIZE] = {};
        accumulate(W(), Singles<W>(p, block_row, block_col), p.k, memory, sum);
        if (W::K == 1 && rows_aligned(p.c, p.ldc) && p.n % W::SIZE == 0) {
            store_vectors(W(), p, block_row, block_col, sum);
        } else {
            store_sums<T>(W(), p, block_row, block_col, memory, sum);
        }
    }
}
