// Products of f64 on tensor cores: the rung gpu-11-tensor-f64.
#pragma once
#include "sharing.cuh"

// Starts to copy SIZE bytes from global to shared memory, of which the first `there` are in the matrix and the others 0.
// 16 bytes go around the first-level cache, which is then all shared memory.
template <u32 SIZE> __device__ inline void start_copy(u32 to, const f64* from, u32 there) {
    u64 source = __cvta_generic_to_global(from);
    if (SIZE == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(source), "r"(there) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(source), "n"(SIZE), "r"(there)
                     : "memory");
    }
}
__device__ inline void group_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <u32 GROUPS> __device__ inline void wait_for_copies_but() {
    asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS) : "memory");
}

// 16 x 8 elements of a product over a warp: d += a b, of 16 x 8 of the left factor and 8 x 8 of the right one. Stays where
// it is among loads and copies.
__device__ inline void multiply_add(f64 (&d)[4], const f64 (&a)[4], const f64 (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                 : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

// Two neighbours in shared memory. Stays where it is, too.
__device__ inline void load_pair(f64& x, f64& y, u32 from) {
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(x), "=d"(y) : "r"(from) : "memory");
}

// A factor in global memory.
struct Doubles {
    const f64* x;
    u64 ld;
    u32 rows, columns;

    // Whether pairs of elements start at 16 bytes, and no row ends within one.
    __device__ bool has_pairs() const { return reinterpret_cast<u64>(x) % 16 == 0 && ld % 2 == 0 && columns % 2 == 0; }
};

// HEIGHT x WIDTH elements of a matrix, which are copied to rows of shared memory that are STRIDE apart, COUNT elements at a
// time. In odd rows, groups of SWAP elements and the next SWAP change places.
template <u32 HEIGHT, u32 WIDTH, u32 STRIDE, u32 SWAP, u32 THREADS, u32 COUNT> struct Window {
    enum : u32 { SIZE = COUNT * sizeof(f64), ACROSS = WIDTH / COUNT, AT_ONCE = THREADS / ACROSS };
    enum : u32 { COPIES = HEIGHT / AT_ONCE };
    static_assert(SWAP == 0 || AT_ONCE % 2 == 0, "a thread's rows are all odd or all even");
    const f64 *first, *next;
    u64 ld;
    u32 place;

    __device__ static u32 row() { return threadIdx.x / ACROSS; }
    __device__ static u32 column() { return threadIdx.x % ACROSS * COUNT; }

    __device__ Window(Doubles matrix, u32 first_row, u32 first_column, u32 to) : ld(matrix.ld) {
        first = matrix.x + (first_row + row()) * ld + first_column + column();
        place = to + (row() * STRIDE + (column() ^ row() % 2 * SWAP)) * u32(sizeof(f64));
    }
    // Starts this thread's copy `i` of COPIES, to a stage. They are started in order. What is not there becomes 0.
    __device__ void start(u32 i, u32 stage, bool there) {
        if (i == 0) next = first;
        start_copy<SIZE>(place + stage + i * AT_ONCE * STRIDE * u32(sizeof(f64)), next, there ? SIZE : 0);
        next += AT_ONCE * ld;
    }
    // Whether copy `i` is of the first so many rows and columns of the window.
    __device__ static bool is_in(u32 i, u32 rows, u32 columns) { return row() + i * AT_ONCE < rows && column() < columns; }
};

// DOWN x ACROSS pieces of 8 x 16 elements of C, over each warp of a block.
template <u32 DOWN, u32 ACROSS, u32 BLOCK> struct DoubleSums {
    using Vector = double2;
    enum : u32 { FIRST_THREAD = 0, THREADS = BLOCK, VECTORS = 2 * DOWN * ACROSS };
    f64 at[DOWN][ACROSS][4];

    __device__ f64* two(u32 i) { return at[i / 2 / ACROSS][i / 2 % ACROSS] + i % 2 * 2; }
    __device__ double2 vector(u32 i) { return make_double2(two(i)[0], two(i)[1]); }
    __device__ void add(u32 i, double2 x) { two(i)[0] += x.x, two(i)[1] += x.y; }
    __device__ void clear() {
#pragma unroll
        for (u32 i = 0; i < VECTORS; i++) two(i)[0] = two(i)[1] = 0.0;
    }
    __device__ static void wait_for_all() { __syncthreads(); }
};

// Rung gpu-11-tensor-f64: the tensor cores multiply f64 as they are, with every product and sum rounded as by fma. They
// take 16 rows and 8 columns; here the 16 rows are columns of B, and the 8 columns rows of A. A lane's part of either is
// then neighbours in shared memory, which one load brings into the registers that the tensor cores read.
//
// A block is 2 x WARPS warps that each make DOWN x 2 pieces of 8 x 16 elements of C: the more, the fewer bytes come from
// the second-level cache, which takes energy, and where power is what limits the GPU, time. Slices of A and B, 16 along k, come to a
// ring of stages in shared memory by copies that run by themselves, of COUNT elements each: two where all pairs lie at 16
// bytes. Copies and loads are woven between the products, which keep the tensor cores busy meanwhile.
//
// Edges cost nothing in the loop. Where k is no multiple of 16, the first slice is the smaller one, and the last tiles of
// a row and a column begin earlier, so that they are WHOLE, too; what their neighbours store, they leave out. Only where C
// is smaller than a tile every copy has to be looked at.
// Launch: grid (whole tiles of C + shares), block THREADS, dynamic shared memory STAGES * STAGE bytes.
template <u32 DOWN, u32 WARPS, u32 COUNT, bool WHOLE> struct DoubleProduct {
    enum : u32 { ACROSS = 2, DEPTH = 16, STAGES = WARPS == 2 ? 3 : 4 };
    enum : u32 { TILE_M = 2 * 8 * DOWN, TILE_N = WARPS * 16 * ACROSS, THREADS = 2 * WARPS * WARP, BYTES = sizeof(f64) };
    // What lanes read at once is in different banks: two rows of A, whose halves change places in odd rows, and rows of B
    // that are so far apart.
    enum : u32 { A_SWAP = 8, B_ROW = TILE_N + 2, A_SIZE = TILE_M * DEPTH, STAGE = (A_SIZE + DEPTH * B_ROW) * BYTES };
    using Sums = DoubleSums<DOWN, ACROSS, THREADS>;
    using Left = Window<TILE_M, DEPTH, DEPTH, A_SWAP, THREADS, COUNT>;
    using Right = Window<DEPTH, TILE_N, B_ROW, 0, THREADS, COUNT>;
    enum : u32 { COPIES = Left::COPIES + Right::COPIES, LOADS = DOWN + 2 * ACROSS, PIECES = DOWN * ACROSS };

    // Tiles down and across.
    __device__ static u32 rows(Doubles a) { return (a.rows + TILE_M - 1) / TILE_M; }
    __device__ static u32 columns(Doubles b) { return (b.columns + TILE_N - 1) / TILE_N; }

    // Where a tile begins, and where what it stores begins.
    struct Place {
        u32 row, column, own_row, own_column;

        __device__ Place(Doubles a, Doubles b, u32 tile) {
            TilePlace place = grouped(tile, rows(a), columns(b));
            own_row = place.row * TILE_M, own_column = place.column * TILE_N;
            row = WHOLE ? min(own_row, a.rows - TILE_M) : own_row;
            column = WHOLE ? min(own_column, b.columns - TILE_N) : own_column;
        }
    };

    __device__ static u32 after(u32 stage) { return stage == (STAGES - 1) * STAGE ? 0 : stage + STAGE; }

    __device__ static void make(Doubles a, Doubles b, f64* c, u64 ldc, Sharing sharing, Partials partials) {
        u32 steps = (a.columns + DEPTH - 1) / DEPTH;
        Piece piece = {blockIdx.x, 0, steps};
        // Most blocks have a tile to themselves. What the others have to keep in mind would cost these registers.
        if (COUNT == 2 && WHOLE && blockIdx.x < sharing.whole) {
            Sums sums;
            Place place(a, b, piece.tile);
            sums.clear();
            add(sums, a, b, place, piece);
            store(sums, c, ldc, a.rows, b.columns, place);
            return;
        }
        // Blocks after those with a whole tile have a share.
        Pieces pieces(sharing, rows(a) * columns(b), steps, blockIdx.x - sharing.whole);
#pragma unroll 1
        while (pieces.next(piece)) {
            Sums sums;
            Place place(a, b, piece.tile);
            sums.clear();
            add(sums, a, b, place, piece);
            // Until others are done, too, and what was not needed has come, the stages are not free.
            wait_for_copies_but<0>();
            __syncthreads();
            bool is_whole = piece.end - piece.first == steps;
            if (is_whole || partials.combine(sums, pieces, piece)) store(sums, c, ldc, a.rows, b.columns, place);
        }
    }

    // Adds the products of a piece.
    __device__ static void add(Sums& sums, Doubles a, Doubles b, Place place, Piece piece) {
        u32 stages = u32(__cvta_generic_to_shared(dynamic_shared<f64>()));
        u32 m = a.rows, n = b.columns, k = a.columns;
        u32 steps = (k + DEPTH - 1) / DEPTH, first_depth = k - (steps - 1) * DEPTH;
        u32 from = piece.first == 0 ? 0 : first_depth + (piece.first - 1) * DEPTH;
        Left left(a, place.row, from, stages);
        Right right(b, from, place.column, stages + A_SIZE * BYTES);
        u32 filled = 0, used = 0;
        // Copy `i` of a slice, of which there are so many elements along k.
        auto copy = [&](u32 i, u32 depth) {
            u32 rows = WHOLE ? TILE_M : m - place.row, columns = WHOLE ? TILE_N : n - place.column;
            if (i < Left::COPIES) {
                left.start(i, filled, WHOLE && depth == DEPTH || Left::is_in(i, rows, depth));
            } else if (i < COPIES) {
                u32 j = i - Left::COPIES;
                right.start(j, filled, WHOLE && depth == DEPTH || Right::is_in(j, depth, columns));
            }
        };
        auto copied = [&](u32 depth) {
            left.first += depth, right.first += depth * right.ld;
            filled = after(filled);
            group_copies();
        };
        u32 warp = threadIdx.x / WARP, lane = threadIdx.x % WARP, group = lane / 4, pair = lane % 4 * 2;
        u32 warp_row = warp / WARPS * (8 * DOWN), warp_column = warp % WARPS * (16 * ACROSS);
        u32 b_from = stages + (A_SIZE + pair * B_ROW + warp_column + 2 * group) * BYTES;
        u32 a_from[2];
#pragma unroll
        for (u32 part = 0; part < 2; part++) {
            a_from[part] = stages + ((warp_row + group) * DEPTH + (8 * part + pair ^ group % 2 * A_SWAP)) * BYTES;
        }
        // Eight elements along k are multiplied at a time, while the next eight are loaded.
        f64 a_parts[2][DOWN][2], b_parts[2][ACROSS][4];
        auto load = [&](u32 part, u32 i) {
            if (i < 2 * ACROSS) {
                f64(&x)[4] = b_parts[part][i / 2];
                u32 from = b_from + used + ((part * 8 + i % 2) * B_ROW + i / 2 * 16) * BYTES;
                load_pair(x[i % 2 * 2], x[i % 2 * 2 + 1], from);
            } else if (i < LOADS) {
                f64(&x)[2] = a_parts[part][i - 2 * ACROSS];
                load_pair(x[0], x[1], a_from[part] + used + (i - 2 * ACROSS) * 8 * DEPTH * BYTES);
            }
        };
        // Multiplies a part, while the other is loaded and, with the first, copies of a slice are started.
        auto multiply = [&](u32 part, u32 depth) {
#pragma unroll
            for (u32 at = 0; at < PIECES; at++) {
                // There and back, so that one operand stays.
                u32 i = at / ACROSS, j = i % 2 ? ACROSS - 1 - at % ACROSS : at % ACROSS;
                multiply_add(sums.at[i][j], b_parts[part][j], a_parts[part][i]);
#pragma unroll
                for (u32 l = at; l < LOADS; l += PIECES) load(1 - part, l);
#pragma unroll
                for (u32 l = at; part == 0 && l < COPIES; l += PIECES) copy(l, depth);
            }
        };
#pragma unroll
        for (u32 i = 0; i < STAGES - 1; i++) {
            u32 step = piece.first + i, depth = step >= piece.end ? 0 : step == 0 ? first_depth : DEPTH;
#pragma unroll
            for (u32 j = 0; j < COPIES; j++) copy(j, depth);
            copied(depth);
        }
        wait_for_copies_but<STAGES - 2>();
        __syncthreads();
#pragma unroll
        for (u32 i = 0; i < LOADS; i++) load(0, i);
#pragma unroll 1
        for (u32 left_over = piece.end - piece.first; left_over > 0; left_over--) {
            u32 depth = left_over >= STAGES ? DEPTH : 0;
            multiply(0, depth);
            copied(depth);
            wait_for_copies_but<STAGES - 2>();
            __syncthreads();
            used = after(used);
            multiply(1, depth);
        }
    }

    __device__ static void store(Sums& sums, f64* c, u64 ldc, u32 m, u32 n, Place place) {
        u32 warp = threadIdx.x / WARP, lane = threadIdx.x % WARP, group = lane / 4, pair = lane % 4 * 2;
        u32 warp_row = warp / WARPS * (8 * DOWN), warp_column = warp % WARPS * (16 * ACROSS);
        bool pairs = reinterpret_cast<u64>(c + place.column) % 16 == 0 && ldc % 2 == 0 && n % 2 == 0;
#pragma unroll
        for (u32 i = 0; i < DOWN; i++) {
#pragma unroll
            for (u32 j = 0; j < ACROSS; j++) {
#pragma unroll
                for (u32 half = 0; half < 2; half++) {
                    u32 row = place.row + warp_row + 8 * i + pair + half;
                    u32 column = place.column + warp_column + 16 * j + 2 * group;
                    f64 *to = c + row * ldc + column, x = sums.at[i][j][half], y = sums.at[i][j][2 + half];
                    if (row < place.own_row || row >= m) continue;
                    if (pairs && column >= place.own_column && column < n) {
                        *reinterpret_cast<double2*>(to) = make_double2(x, y);
                    } else if (!pairs) {
                        if (column >= place.own_column && column < n) to[0] = x;
                        if (column + 1 >= place.own_column && column + 1 < n) to[1] = y;
                    }
                }
            }
        }
    }
};
