// out[c][r] = in[r][c].
//
// Arguments of every kernel: in (read), out (written), rows, columns of `in`, and the strides of both: elements from
// one row to the next, at least as many as a row has. in and out may not overlap. rows, columns >= 1. One launch, no
// temporary memory. The grid is a line of tiles: row after row of them, for rung 6 column after column.
#include "../kernels.cuh"

// A matrix and what becomes of it.
template <class T> struct Matrices {
    const T* in;
    T* out;
    u64 rows, columns, in_stride, out_stride;

    __device__ const T* from(u64 row, u64 column) const { return in + row * in_stride + column; }
    __device__ T* to(u64 row, u64 column) const { return out + column * out_stride + row; }
    __device__ bool has(u64 row, u64 column) const { return row < rows && column < columns; }
};

// Where a tile begins in the input.
struct Tile {
    u64 row, column;
};

// The tile of this block, if tiles are so large.
template <class T> __device__ Tile own_tile(const Matrices<T>& m, u32 rows, u32 columns) {
    u32 across = u32((m.columns + columns - 1) / columns);
    return {u64(blockIdx.x / across) * rows, u64(blockIdx.x % across) * columns};
}

// The same, column after column of tiles: blocks that run at the same time write next to each other, so that a cache can
// put together what two of them write to one sector.
template <class T> __device__ Tile own_tile_down(const Matrices<T>& m, u32 rows, u32 columns) {
    u32 down = u32((m.rows + rows - 1) / rows);
    return {u64(blockIdx.x % down) * rows, u64(blockIdx.x / down) * columns};
}

// Rung gpu-1-naive-read: a thread an element. Neighbouring lanes read neighbouring elements, and write a whole row
// apart: every store of a warp touches 32 sectors.
// Launch: block (32, y), grid a block for every tile of y x 32 elements. No dynamic shared memory.
template <class T> __device__ void transpose_1_naive_read(Matrices<T> m) {
    Tile tile = own_tile(m, blockDim.y, WARP);
    u64 row = tile.row + threadIdx.y, column = tile.column + threadIdx.x;
    if (m.has(row, column)) *m.to(row, column) = *m.from(row, column);
}

// Rung gpu-2-naive-write: the other way round. Neighbouring lanes write neighbouring elements. Loads are a row apart,
// but what a warp leaves of a line the next one finds in a cache.
// Launch: block (32, y), grid a block for every tile of 32 x y elements. No dynamic shared memory.
template <class T> __device__ void transpose_2_naive_write(Matrices<T> m) {
    Tile tile = own_tile(m, WARP, blockDim.y);
    u64 row = tile.row + threadIdx.x, column = tile.column + threadIdx.y;
    if (m.has(row, column)) *m.to(row, column) = *m.from(row, column);
}

// A square tile goes through shared memory, so that both sides are read and written in rows. `place` says where an
// element of it is.
template <class T, class Place> __device__ void through_shared(Matrices<T> m, T* items, Place place) {
    Tile tile = own_tile(m, WARP, WARP);
    u32 x = threadIdx.x;
#pragma unroll 4
    for (u32 y = threadIdx.y; y < WARP; y += blockDim.y) {
        u64 row = tile.row + y, column = tile.column + x;
        if (m.has(row, column)) items[place(y, x)] = *m.from(row, column);
    }
    __syncthreads();
#pragma unroll 4
    for (u32 y = threadIdx.y; y < WARP; y += blockDim.y) {
        u64 row = tile.row + x, column = tile.column + y;
        if (m.has(row, column)) *m.to(row, column) = items[place(x, y)];
    }
}

// Rung gpu-3-tile: a tile of 32 x 32 in shared memory. Both loads and stores are coalesced now, but a column of the
// tile lies in one bank: reading it takes 32 passes.
// Launch of rungs 3 to 5: block (32, y), grid a block for every tile of 32 x 32 elements. No dynamic shared memory.
template <class T> __device__ void transpose_3_tile(Matrices<T> m) {
    __shared__ T items[WARP * WARP];
    through_shared(m, items, [](u32 row, u32 column) { return row * WARP + column; });
}

// Rung gpu-4-padded: a 33rd column that nobody uses. The elements of a column are in different banks.
template <class T> __device__ void transpose_4_padded(Matrices<T> m) {
    __shared__ T items[WARP * (WARP + 1)];
    through_shared(m, items, [](u32 row, u32 column) { return row * (WARP + 1) + column; });
}

// Rung gpu-5-swizzled: the columns of every row change places, by an exclusive or with the row's number. As free of
// conflicts as padding, without the gaps, and rows begin where vectors may begin.
template <class T> __device__ void transpose_5_swizzled(Matrices<T> m) {
    __shared__ T items[WARP * WARP];
    through_shared(m, items, [](u32 row, u32 column) { return row * WARP + (row ^ column); });
}

// ---- Rung 6 --------------------------------------------------------------------------------------------------------

// Whether every row begins at a multiple of so many bytes.
template <class T> __device__ bool rows_begin_at(const T* first, u64 stride, u32 bytes) {
    return (reinterpret_cast<u64>(first) | stride * sizeof(T)) % bytes == 0;
}

// A tile in shared memory: as it is written, column after column of the input, swizzled. A vector of 16 bytes stays
// together, with its elements in another order.
template <class T, u32 ROWS, u32 COLUMNS, u32 THREADS> struct Turned {
    enum : u32 {
        SIZE = Vec16<T>::SIZE,
        BANKS = 128 / sizeof(T),
        WARPS = THREADS / WARP,
        SQUARES = ROWS * COLUMNS / (SIZE * SIZE) / THREADS,
        EACH = ROWS * COLUMNS / THREADS
    };
    static_assert(ROWS % BANKS == 0 && ROWS % WARPS == 0 && COLUMNS % WARPS == 0, "whole rows for a warp");
    static_assert(COLUMNS % WARP == 0 && SQUARES * SIZE * SIZE * THREADS == ROWS * COLUMNS, "no thread is idle");
    T* items;

    __device__ u32 place(u32 row, u32 column) const { return column * ROWS + (row ^ column % BANKS); }
    // Of the vector that has rows `group * SIZE` and on of a column `square * SIZE` and on.
    __device__ Vec16<T>* vector(u32 group, u32 square, u32 column) const {
        u32 swizzled = group ^ square % (BANKS / SIZE);
        return reinterpret_cast<Vec16<T>*>(items + (square * SIZE + column) * ROWS + swizzled * SIZE);
    }

    // A thread has squares of as many rows as a vector has elements: it turns them in registers.
    __device__ void load_vectors(const T* from, u64 stride) const {
        Vec16<T> x[SQUARES][SIZE];
#pragma unroll
        for (u32 s = 0; s < SQUARES; s++) {
            u32 i = s * THREADS + threadIdx.x, square = i % (COLUMNS / SIZE), group = i / (COLUMNS / SIZE);
#pragma unroll
            for (u32 r = 0; r < SIZE; r++) x[s][r] = load16(from + (group * SIZE + r) * stride + square * SIZE);
        }
#pragma unroll
        for (u32 s = 0; s < SQUARES; s++) {
            u32 i = s * THREADS + threadIdx.x, square = i % (COLUMNS / SIZE), group = i / (COLUMNS / SIZE);
#pragma unroll
            for (u32 c = 0; c < SIZE; c++) {
                Vec16<T> turned;
#pragma unroll
                for (u32 r = 0; r < SIZE; r++) turned.at[r ^ c] = x[s][r].at[c];
                *vector(group, square, c) = turned;
            }
        }
    }
    __device__ void store_vectors(T* to, u64 stride) const {
#pragma unroll
        for (u32 s = 0; s < SQUARES; s++) {
            u32 i = s * THREADS + threadIdx.x, group = i % (ROWS / SIZE), square = i / (ROWS / SIZE);
#pragma unroll
            for (u32 c = 0; c < SIZE; c++) {
                Vec16<T> swizzled = *vector(group, square, c), straight;
#pragma unroll
                for (u32 r = 0; r < SIZE; r++) straight.at[r] = swizzled.at[r ^ c];
                store16(to + (square * SIZE + c) * stride + group * SIZE, straight);
            }
        }
    }
    // Rows that begin anywhere: neighbouring lanes have neighbouring elements. All loads are under way together.
    __device__ void load_items(const T* from, u64 stride) const {
        T x[EACH];
        u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
#pragma unroll
        for (u32 k = 0; k < EACH; k++) {
            u32 row = k / (COLUMNS / WARP) * WARPS + warp, column = k % (COLUMNS / WARP) * WARP + lane;
            x[k] = from[row * stride + column];
        }
#pragma unroll
        for (u32 k = 0; k < EACH; k++) {
            u32 row = k / (COLUMNS / WARP) * WARPS + warp, column = k % (COLUMNS / WARP) * WARP + lane;
            items[place(row, column)] = x[k];
        }
    }
    __device__ void store_items(T* to, u64 stride) const {
        u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
#pragma unroll
        for (u32 k = 0; k < EACH; k++) {
            u32 column = k / (ROWS / WARP) * WARPS + warp, row = k % (ROWS / WARP) * WARP + lane;
            to[column * stride + row] = items[place(row, column)];
        }
    }
    // The same of a tile of which only so many rows and columns are there.
    __device__ void load_some(const T* from, u64 stride, u64 rows, u64 columns) const {
        for (u32 row = threadIdx.x / WARP; row < ROWS && row < rows; row += WARPS) {
            for (u32 column = threadIdx.x % WARP; column < COLUMNS && column < columns; column += WARP) {
                items[place(row, column)] = from[row * stride + column];
            }
        }
    }
    __device__ void store_some(T* to, u64 stride, u64 rows, u64 columns) const {
        for (u32 column = threadIdx.x / WARP; column < COLUMNS && column < columns; column += WARPS) {
            for (u32 row = threadIdx.x % WARP; row < ROWS && row < rows; row += WARP) {
                to[column * stride + row] = items[place(row, column)];
            }
        }
    }
};

// A whole tile of words whose rows begin at a boundary on both sides: squares of 4 x 4 are turned in registers, and go
// through shared memory as vectors, swizzled.
template <u32 ROWS, u32 COLUMNS, u32 THREADS>
__device__ void turn_squares(const f32* from, u64 in_stride, f32* to, u64 out_stride, float4* squares) {
    enum : u32 { ACROSS = COLUMNS / 4, DOWN = ROWS / 4, EACH = ACROSS * DOWN / THREADS };
    static_assert(EACH * THREADS == ACROSS * DOWN, "no thread is idle");
    float4 x[EACH][4];
#pragma unroll
    for (u32 s = 0; s < EACH; s++) {
        u32 i = s * THREADS + threadIdx.x, column = i % ACROSS, group = i / ACROSS;
#pragma unroll
        for (u32 r = 0; r < 4; r++) {
            x[s][r] = *reinterpret_cast<const float4*>(from + (4 * group + r) * in_stride + 4 * column);
        }
    }
#pragma unroll
    for (u32 s = 0; s < EACH; s++) {
        u32 i = s * THREADS + threadIdx.x, column = i % ACROSS, group = i / ACROSS;
        const float4 &a = x[s][0], &b = x[s][1], &c = x[s][2], &d = x[s][3];
        float4* place = squares + 4 * column * DOWN + (group ^ column % DOWN);
        place[0] = make_float4(a.x, b.x, c.x, d.x);
        place[DOWN] = make_float4(a.y, b.y, c.y, d.y);
        place[2 * DOWN] = make_float4(a.z, b.z, c.z, d.z);
        place[3 * DOWN] = make_float4(a.w, b.w, c.w, d.w);
    }
    __syncthreads();
#pragma unroll
    for (u32 s = 0; s < 4 * EACH; s++) {
        u32 i = s * THREADS + threadIdx.x, group = i % DOWN, column = i / DOWN;
        *reinterpret_cast<float4*>(to + column * out_stride + 4 * group) =
            squares[column * DOWN + (group ^ column / 4 % DOWN)];
    }
}
template <u32 ROWS, u32 COLUMNS, u32 THREADS, class T>
__device__ void turn_squares(const T*, u64, T*, u64, float4*) {}

// Rung gpu-6-vector: vectors of 16 bytes and many elements a thread, all on their way at once. Where rows begin at no
// boundary, single elements of as large a tile.
// Launch: block THREADS, grid a block for every tile of ROWS x COLUMNS elements. No dynamic shared memory.
template <u32 ROWS, u32 COLUMNS, u32 THREADS, class T> __device__ void transpose_6_vector(Matrices<T> m, Tile tile) {
    __shared__ __align__(16) T items[ROWS * COLUMNS];
    Turned<T, ROWS, COLUMNS, THREADS> turned{items};
    const T* from = m.from(tile.row, tile.column);
    T* to = m.to(tile.row, tile.column);
    u64 rows = m.rows - tile.row, columns = m.columns - tile.column;
    bool whole = rows >= ROWS && columns >= COLUMNS;
    if (sizeof(T) == 4 && whole && rows_begin_at(m.in, m.in_stride, 16) && rows_begin_at(m.out, m.out_stride, 16)) {
        turn_squares<ROWS, COLUMNS, THREADS>(from, m.in_stride, to, m.out_stride, reinterpret_cast<float4*>(items));
        return;
    }
    if (!whole) {
        turned.load_some(from, m.in_stride, rows, columns);
    } else if (rows_begin_at(m.in, m.in_stride, 16)) {
        turned.load_vectors(from, m.in_stride);
    } else {
        turned.load_items(from, m.in_stride);
    }
    __syncthreads();
    if (!whole) {
        turned.store_some(to, m.out_stride, rows, columns);
    } else if (rows_begin_at(m.out, m.out_stride, 16)) {
        turned.store_vectors(to, m.out_stride);
    } else {
        turned.store_items(to, m.out_stride);
    }
}

// A tile of single elements, neighbouring lanes have neighbouring ones. It has ROWS elements of every column, from where
// a sector of the result begins: which rows these are depends on the column. So nothing but the ends of rows is written
// by two blocks, which the memory would have to put together.
template <class T, u32 ROWS, u32 COLUMNS, u32 THREADS> struct Slanted {
    enum : u32 {
        SECTOR = 32 / sizeof(T),
        WARPS = THREADS / WARP,
        ACROSS = COLUMNS / WARP,
        DOWN = ROWS / WARP,
        EACH = ROWS * COLUMNS / THREADS
    };
    static_assert(EACH * THREADS == ROWS * COLUMNS && EACH % ACROSS == 0 && EACH % DOWN == 0, "no thread is idle");
    T (&items)[COLUMNS][ROWS + 1];
    T* to;
    u64 out_stride;

    // The first row that is the tile's. Before it there are those which it has in other columns, and after the last one
    // too: either row i < SECTOR belongs to the tile or row ROWS + i, and both have the same place.
    __device__ u32 begin(u32 column) const {
        return SECTOR - u32(reinterpret_cast<u64>(to + column * out_stride) / sizeof(T)) % SECTOR;
    }
    // Place, row and column of a thread's k-th element, as it is read.
    template <class F> __device__ void as_read(u32 k, F f) const {
        u32 place = k / ACROSS * WARPS + threadIdx.x / WARP, column = k % ACROSS * WARP + threadIdx.x % WARP;
        bool later = k / ACROSS * WARPS < SECTOR && place < begin(column);
        f(place, later ? ROWS + place : place, column);
    }
    // The same, as it is written.
    template <class F> __device__ void as_written(u32 k, F f) const {
        u32 column = k / DOWN * WARPS + threadIdx.x / WARP;
        u32 row = begin(column) + k % DOWN * WARP + threadIdx.x % WARP;
        f(row < ROWS ? row : row - ROWS, row, column);
    }
    __device__ void load(const T* from, u64 stride) const {
        T x[EACH];
#pragma unroll
        for (u32 k = 0; k < EACH; k++) {
            as_read(k, [&](u32, u32 row, u32 column) { x[k] = from[row * stride + column]; });
        }
#pragma unroll
        for (u32 k = 0; k < EACH; k++) {
            as_read(k, [&](u32 place, u32, u32 column) { items[column][place] = x[k]; });
        }
    }
    __device__ void store() const {
#pragma unroll
        for (u32 k = 0; k < EACH; k++) {
            as_written(k, [&](u32 place, u32 row, u32 column) { to[column * out_stride + row] = items[column][place]; });
        }
    }
    // Of a tile at the edge, what `has` says is there.
    template <class F> __device__ void load_some(const T* from, u64 stride, F has) const {
        for (u32 k = 0; k < EACH; k++) {
            as_read(k, [&](u32 place, u32 row, u32 column) {
                if (has(row, column)) items[column][place] = from[row * stride + column];
            });
        }
    }
    template <class F> __device__ void store_some(F has) const {
        for (u32 k = 0; k < EACH; k++) {
            as_written(k, [&](u32 place, u32 row, u32 column) {
                if (has(row, column)) to[column * out_stride + row] = items[column][place];
            });
        }
    }
};

// The same for rows that begin at no boundary of a vector.
// Launch: block THREADS, grid a block for every COLUMNS columns and ROWS of rows + SECTOR - 1 rows. No dynamic shared
// memory.
template <u32 ROWS, u32 COLUMNS, u32 THREADS, class T> __device__ void transpose_6_vector_odd(Matrices<T> m) {
    using S = Slanted<T, ROWS, COLUMNS, THREADS>;
    __shared__ T items[COLUMNS][ROWS + 1];
    u32 tiles = u32((m.rows + S::SECTOR - 1 + ROWS - 1) / ROWS);
    // Rows are counted from here on, which may be before the first.
    i64 first_row = i64(blockIdx.x % tiles) * ROWS - S::SECTOR;
    u64 first_column = u64(blockIdx.x / tiles) * COLUMNS;
    const T* from = m.in + first_row * i64(m.in_stride) + first_column;
    S tile{items, m.out + first_column * m.out_stride + first_row, m.out_stride};
    if (first_row >= 0 && u64(first_row) + ROWS + S::SECTOR <= m.rows && first_column + COLUMNS <= m.columns) {
        tile.load(from, m.in_stride);
        __syncthreads();
        tile.store();
    } else {
        auto has = [=](u32 row, u32 column) { return m.has(u64(first_row + row), first_column + column); };
        tile.load_some(from, m.in_stride, has);
        __syncthreads();
        tile.store_some(has);
    }
}

// Four rows of four bytes become four columns.
__device__ inline void turn_bytes(u32 (&x)[4]) {
    u32 low_01 = __byte_perm(x[0], x[1], 0x5140), high_01 = __byte_perm(x[0], x[1], 0x7362);
    u32 low_23 = __byte_perm(x[2], x[3], 0x5140), high_23 = __byte_perm(x[2], x[3], 0x7362);
    x[0] = __byte_perm(low_01, low_23, 0x5410), x[1] = __byte_perm(low_01, low_23, 0x7632);
    x[2] = __byte_perm(high_01, high_23, 0x5410), x[3] = __byte_perm(high_01, high_23, 0x7632);
}

// Bytes: a tile of words, each four rows of a column.
template <u32 ROWS, u32 COLUMNS, u32 THREADS> struct TurnedBytes {
    enum : u32 { WORDS = ROWS / 4, WARPS = THREADS / WARP, SQUARES = WORDS / WARPS };
    static_assert(COLUMNS == 4 * WARP && ROWS % 128 == 0 && SQUARES * WARPS == WORDS, "a row of words is a warp's");
    u32* words;

    __device__ u32 place(u32 group, u32 column) const { return column * WORDS + (group ^ column / 4 % WARP); }
    __device__ u8* byte(u32 row, u32 column) const {
        return reinterpret_cast<u8*>(words + place(row / 4, column)) + row % 4;
    }

    // A lane has four columns; `word` gives what is there in a row.
    template <class F> __device__ void load(F word) const {
        u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
        u32 x[SQUARES][4];
#pragma unroll
        for (u32 s = 0; s < SQUARES; s++) {
#pragma unroll
            for (u32 r = 0; r < 4; r++) x[s][r] = word((s * WARPS + warp) * 4 + r, 4 * lane);
        }
#pragma unroll
        for (u32 s = 0; s < SQUARES; s++) {
            turn_bytes(x[s]);
#pragma unroll
            for (u32 c = 0; c < 4; c++) words[place(s * WARPS + warp, 4 * lane + c)] = x[s][c];
        }
    }
    __device__ void load_words(const u8* from, u64 stride) const {
        load([=](u32 row, u32 column) { return *reinterpret_cast<const u32*>(from + row * stride + column); });
    }
    // Words that begin anywhere are parts of two that begin at a boundary, both of which are in the row.
    __device__ void load_shifted(const u8* from, u64 stride) const {
        load([=](u32 row, u32 column) {
            const u8* p = from + row * stride + column;
            u32 skipped = u32(reinterpret_cast<u64>(p) % 4);
            const u32* aligned = reinterpret_cast<const u32*>(p - skipped);
            return __funnelshift_r(aligned[0], aligned[1], 8 * skipped);
        });
    }
    __device__ void load_some(const u8* from, u64 stride, u64 rows, u64 columns) const {
        load([=](u32 row, u32 column) {
            u32 word = 0;
#pragma unroll
            for (u32 b = 0; b < 4; b++) {
                if (row < rows && column + b < columns) word |= u32(from[row * stride + column + b]) << 8 * b;
            }
            return word;
        });
    }

    __device__ void store_words(u8* to, u64 stride) const {
        u32 lane = threadIdx.x % WARP;
#pragma unroll 8
        for (u32 column = threadIdx.x / WARP; column < COLUMNS; column += WARPS) {
#pragma unroll
            for (u32 group = lane; group < WORDS; group += WARP) {
                *reinterpret_cast<u32*>(to + column * stride + 4 * group) = words[place(group, column)];
            }
        }
    }
    // Every word but the last is stored where a boundary is, with bytes of the next one. What is left are four bytes:
    // some before the first boundary, the others after the last.
    __device__ void store_shifted(u8* to, u64 stride) const {
        u32 lane = threadIdx.x % WARP;
#pragma unroll 4
        for (u32 column = threadIdx.x / WARP; column < COLUMNS; column += WARPS) {
            u8* row = to + column * stride;
            u32 head = u32((4 - reinterpret_cast<u64>(row) % 4) % 4);
#pragma unroll
            for (u32 group = lane; group < WORDS; group += WARP) {
                if (group + 1 < WORDS) {
                    u32 word = __funnelshift_r(words[place(group, column)], words[place(group + 1, column)], 8 * head);
                    *reinterpret_cast<u32*>(row + head + 4 * group) = word;
                }
            }
            u32 at = lane < head ? lane : ROWS - 4 + lane;
            if (lane < 4) row[at] = *byte(at, column);
        }
    }
    __device__ void store_some(u8* to, u64 stride, u64 rows, u64 columns) const {
        for (u32 column = threadIdx.x / WARP; column < COLUMNS && column < columns; column += WARPS) {
            for (u32 row = threadIdx.x % WARP; row < ROWS && row < rows; row += WARP) {
                to[column * stride + row] = *byte(row, column);
            }
        }
    }
};

// The same for bytes: words of four, shifted where rows begin at no boundary.
template <u32 ROWS, u32 COLUMNS, u32 THREADS> __device__ void transpose_6_vector(Matrices<u8> m, Tile tile) {
    __shared__ u32 words[ROWS * COLUMNS / 4];
    TurnedBytes<ROWS, COLUMNS, THREADS> turned{words};
    const u8* from = m.from(tile.row, tile.column);
    u8* to = m.to(tile.row, tile.column);
    u64 rows = m.rows - tile.row, columns = m.columns - tile.column;
    bool whole = rows >= ROWS && columns >= COLUMNS;
    // What is shifted needs up to four bytes before and after the tile, in the same row.
    if (whole && rows_begin_at(m.in, m.in_stride, 4)) {
        turned.load_words(from, m.in_stride);
    } else if (whole && tile.column > 0 && columns >= COLUMNS + 4) {
        turned.load_shifted(from, m.in_stride);
    } else {
        turned.load_some(from, m.in_stride, rows, columns);
    }
    __syncthreads();
    if (!whole) {
        turned.store_some(to, m.out_stride, rows, columns);
    } else if (rows_begin_at(m.out, m.out_stride, 4)) {
        turned.store_words(to, m.out_stride);
    } else {
        turned.store_shifted(to, m.out_stride);
    }
}

// ---- Instances -----------------------------------------------------------------------------------------------------

#define ARGUMENTS(t) const t *in, t *out, u64 rows, u64 columns, u64 in_stride, u64 out_stride
#define MATRICES(t) Matrices<t>{in, out, rows, columns, in_stride, out_stride}
#define INSTANCE(rung, t) \
    extern "C" __global__ void transpose_##rung##_##t(ARGUMENTS(t)) { transpose_##rung(MATRICES(t)); }
#define TYPES(rung) INSTANCE(rung, u8) INSTANCE(rung, f32) INSTANCE(rung, f64)
#define INSTANCE_6(rows_, columns_, threads, t) \
    extern "C" __global__ void __launch_bounds__(threads) \
        transpose_6_vector_##rows_##_##columns_##_##threads##_##t(ARGUMENTS(t)) { \
        auto m = MATRICES(t); \
        transpose_6_vector<rows_, columns_, threads>(m, own_tile_down(m, rows_, columns_)); \
    }

#define INSTANCE_6_ODD(rows_, columns_, threads, t) \
    extern "C" __global__ void __launch_bounds__(threads) \
        transpose_6_vector_odd_##rows_##_##columns_##_##threads##_##t(ARGUMENTS(t)) { \
        transpose_6_vector_odd<rows_, columns_, threads>(MATRICES(t)); \
    }

TYPES(1_naive_read)
TYPES(2_naive_write)
TYPES(3_tile)
TYPES(4_padded)
TYPES(5_swizzled)
INSTANCE_6(128, 128, 256, u8)
INSTANCE_6(256, 128, 256, u8)
INSTANCE_6(64, 64, 256, f32)
INSTANCE_6(128, 64, 512, f32)
INSTANCE_6(128, 64, 256, f32)
INSTANCE_6(64, 32, 256, f64)
INSTANCE_6(64, 64, 256, f64)
INSTANCE_6(64, 64, 512, f64)
INSTANCE_6_ODD(96, 64, 512, f32)
INSTANCE_6_ODD(96, 32, 256, f64)
