// Heat on a cylinder of rows x cols cells. f64 and f32.
//
// A step: T' = w T + (1 - w) d (the 4 direct neighbours) + (1 - w) g (the 4 diagonal ones), with w the cell's
// conductivity, d = sqrt(2) / (sqrt(2) + 1) / 4, g = 1 / (sqrt(2) + 1) / 4. Columns wrap. The rows above the first and
// below the last are fixed: they are the initial first and last row. Each step also gives the largest |T' - T|.
//
// Grids are padded: (rows + 2) x (cols + 2), with the fixed rows at top and bottom, and with the mirror columns left
// and right, copies of the last and first column, so that no thread computes a wrap. Conductivities are rows x cols.
//
// The largest difference is taken as the bits of a float, which for numbers from 0 up are ordered as integers are:
// u64 for f64, u32 for f32. Its word is 0 before a step (for instance an array of zeros with one word for each step).
//
// Launches before the first step: heat_pad_<type>, for both of two grids (steps read one and write the other; the fixed
//   rows are never written again). Afterwards heat_unpad_<type> gives the cells of the grid written last.
// The y dimension of a grid is at most 65535.
#include "../kernels.cuh"

// A cell of the padded grid, by its row and column there.
__device__ inline u64 cell(u32 row, u32 col, u32 cols) { return u64(row) * (cols + 2) + col; }

// Row and column of the thread's cell in the padded grid, where cells begin at (1, 1).
__device__ inline u32 own_row() { return blockIdx.y * blockDim.y + threadIdx.y + 1; }
__device__ inline u32 own_col() { return blockIdx.x * blockDim.x + threadIdx.x + 1; }

__device__ inline u32 bits(f32 x) { return __float_as_uint(x); }
__device__ inline u64 bits(f64 x) { return u64(__double_as_longlong(x)); }
__device__ inline f32 from_bits(u32 x) { return __uint_as_float(x); }
__device__ inline f64 from_bits(u64 x) { return __longlong_as_double(i64(x)); }
__device__ inline f32 magnitude(f32 x) { return fabsf(x); }
__device__ inline f64 magnitude(f64 x) { return fabs(x); }
template <class T> struct Bits;
template <> struct Bits<f32> { using Word = u32; };
template <> struct Bits<f64> { using Word = u64; };

// Every operation rounded by itself, and never two joined into one: all rungs, and the CPU, give the same bits.
__device__ inline f32 plus(f32 a, f32 b) { return __fadd_rn(a, b); }
__device__ inline f64 plus(f64 a, f64 b) { return __dadd_rn(a, b); }
__device__ inline f32 times(f32 a, f32 b) { return __fmul_rn(a, b); }
__device__ inline f64 times(f64 a, f64 b) { return __dmul_rn(a, b); }

// A cell after a step, from the sums of its neighbours.
template <class T> __device__ T mean(T w, T here, T direct, T diagonal) {
    constexpr f64 ROOT2 = 1.41421356237309504880;
    constexpr T DIRECT = T(0.25 * ROOT2 / (ROOT2 + 1.0)), DIAGONAL = T(0.25 / (ROOT2 + 1.0));
    T around = plus(times(direct, DIRECT), times(diagonal, DIAGONAL));
    return plus(times(w, here), times(plus(T(1), -w), around));
}

// The cell after a step.
template <class T> __device__ T stepped(const T* from, const T* conductivity, u32 row, u32 col, u32 cols) {
    const T* above = from + cell(row - 1, col, cols);
    const T* here = from + cell(row, col, cols);
    const T* below = from + cell(row + 1, col, cols);
    T w = conductivity[u64(row - 1) * cols + (col - 1)];
    T direct = plus(plus(above[0], below[0]), plus(here[-1], here[1]));
    T diagonal = plus(plus(above[-1], below[-1]), plus(above[1], below[1]));
    return mean(w, here[0], direct, diagonal);
}

// Writes a cell, and its copy in the mirror column if it has one. (With one column it has two.)
template <class T> __device__ void set_mirrored(T* to, u32 row, u32 col, u32 cols, T x) {
    to[cell(row, col, cols)] = x;
    if (col == 1) to[cell(row, cols + 1, cols)] = x;
    if (col == cols) to[cell(row, 0, cols)] = x;
}

// Builds a padded grid from rows x cols initial cells.
// Launch: grid (ceil((cols + 2) / block.x), ceil((rows + 2) / block.y)), any 2-D block.
// Arguments: initial, padded (written), rows, cols.
template <class T> __device__ void heat_pad(const T* initial, T* padded, u32 rows, u32 cols) {
    u32 row = own_row() - 1, col = own_col() - 1;
    if (row >= rows + 2 || col >= cols + 2) return;
    u32 from_row = row == 0 ? 0 : row > rows ? rows - 1 : row - 1;
    u32 from_col = (col + cols - 1) % cols;
    padded[cell(row, col, cols)] = initial[u64(from_row) * cols + from_col];
}

// The cells of a padded grid without their border.
// Launch: grid (ceil(cols / block.x), ceil(rows / block.y)), any 2-D block. Arguments: padded, cells (written), rows,
// cols.
template <class T> __device__ void heat_unpad(const T* padded, T* cells, u32 rows, u32 cols) {
    u32 row = own_row(), col = own_col();
    if (row <= rows && col <= cols) cells[u64(row - 1) * cols + (col - 1)] = padded[cell(row, col, cols)];
}

// Rung gpu-1-separate-mirror: one launch for each thing to do: update, mirror columns, largest difference.
// Launches a step, grid (ceil(cols / block.x), ceil(rows / block.y)) and any 2-D block unless said otherwise:
//   heat_1_separate_mirror_update_<type>: from, to (written), conductivity, rows, cols
//   heat_1_separate_mirror_mirror_<type>: to (changed), rows, cols; grid ceil(rows / block), any 1-D block
//   heat_1_separate_mirror_maxdiff_<type>: from, to, word, rows, cols; every thread takes part in one atomic maximum
template <class T>
__device__ void heat_1_separate_mirror_update(const T* from, T* to, const T* conductivity, u32 rows, u32 cols) {
    u32 row = own_row(), col = own_col();
    if (row <= rows && col <= cols) to[cell(row, col, cols)] = stepped(from, conductivity, row, col, cols);
}
template <class T> __device__ void heat_1_separate_mirror_mirror(T* to, u32 rows, u32 cols) {
    u32 row = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (row > rows) return;
    to[cell(row, 0, cols)] = to[cell(row, cols, cols)];
    to[cell(row, cols + 1, cols)] = to[cell(row, 1, cols)];
}
template <class T>
__device__ void heat_1_separate_mirror_maxdiff(
    const T* from, const T* to, typename Bits<T>::Word* word, u32 rows, u32 cols) {
    u32 row = own_row(), col = own_col();
    if (row > rows || col > cols) return;
    u64 i = cell(row, col, cols);
    atomicMax(word, bits(magnitude(to[i] - from[i])));
}

// Rung gpu-2-merged-mirror: whoever updates a cell at the seam writes its copy too: one launch less, and no second trip
// through memory.
// Launches a step: heat_2_merged_mirror_update_<type> (arguments and geometry as in rung 1), then the maxdiff of rung
// 1.
template <class T>
__device__ void heat_2_merged_mirror_update(const T* from, T* to, const T* conductivity, u32 rows, u32 cols) {
    u32 row = own_row(), col = own_col();
    if (row <= rows && col <= cols) set_mirrored(to, row, col, cols, stepped(from, conductivity, row, col, cols));
}

// Adds a block's largest difference to the word: a tree in shared memory, then one atomic a block. Every thread of the
// block calls it; difference is not negative.
template <class T> __device__ void add_maximum(T difference, typename Bits<T>::Word* word) {
    T* tile = dynamic_shared<T>();
    u32 t = threadIdx.y * blockDim.x + threadIdx.x, size = blockDim.x * blockDim.y;
    tile[t] = difference;
    __syncthreads();
#pragma unroll 1
    while (size > 1) {
        // The upper part to the lower part; the middle element of an odd number stays.
        u32 half = (size + 1) / 2;
        if (t + half < size) {
            // Compared as integers, as the atomic does it: a NaN is larger than all numbers.
            auto a = bits(tile[t]), b = bits(tile[t + half]);
            tile[t] = from_bits(a > b ? a : b);
        }
        size = half;
        __syncthreads();
    }
    if (t == 0) atomicMax(word, bits(tile[0]));
}

// Rung gpu-3-shared-maxdiff: the differences of a block are combined in shared memory, and one atomic a block is left.
// Launches a step: heat_2_merged_mirror_update_<type>, then heat_3_shared_maxdiff_<type>: arguments and geometry of
//   rung 1's maxdiff, dynamic shared block.x * block.y * sizeof(T).
template <class T>
__device__ void heat_3_shared_maxdiff(const T* from, const T* to, typename Bits<T>::Word* word, u32 rows, u32 cols) {
    u32 row = own_row(), col = own_col();
    T difference = 0;
    if (row <= rows && col <= cols) {
        u64 i = cell(row, col, cols);
        difference = magnitude(to[i] - from[i]);
    }
    add_maximum(difference, word);
}

// Rung gpu-4-fused: update, mirror and difference in one launch: the old and the new value are at hand anyway.
// Launch a step: heat_4_fused_<type>: from, to (written), conductivity, word, rows, cols; geometry and dynamic shared
//   memory as in rung 3.
template <class T>
__device__ void heat_4_fused(
    const T* from, T* to, const T* conductivity, typename Bits<T>::Word* word, u32 rows, u32 cols) {
    u32 row = own_row(), col = own_col();
    T difference = 0;
    if (row <= rows && col <= cols) {
        T x = stepped(from, conductivity, row, col, cols);
        set_mirrored(to, row, col, cols, x);
        difference = magnitude(x - from[cell(row, col, cols)]);
    }
    add_maximum(difference, word);
}

// Rung gpu-5-passes: several steps in one pass over the grid, which is read and written once for all of them. A warp
// slides down a strip of columns, a vector of them a lane. As soon as row p is there, row p - 1 can take its first step,
// row p - 2 its second, and so on: of every step, only the last two rows are kept, in registers. The columns beside a
// lane's own come from its neighbours by shuffle. A strip needs columns beyond its sides, one more for every step, and a
// band of rows needs rows beyond its ends; both are computed twice.
// Grids have the fixed rows above and below, but no mirror columns: lanes know which column is next to the seam. Their
// rows, and those of the conductivities, begin at multiples of 16 bytes: pitch elements each, a multiple of SIZE.
// Launches: heat_5_passes_lay_<type> for both grids (edge 1) and the conductivities (edge 0); then, for STEPS or fewer
//   steps at a time, heat_5_passes_<type>: grid (ceil(strips / warps of a block), ceil(rows / height)) where a strip is
//   (32 - 2 * ceil(STEPS / SIZE)) * SIZE columns, SIZE = 16 / sizeof(T); block a multiple of 32 up to 128; then
//   heat_5_passes_cells_<type>.
// Arguments: from, to (written), conductivity, words (one for each step), before, done, threshold (f64), rows, cols,
//   pitch, height, steps. before: the words of the pass before; where one of the first done of them is below the
//   threshold, or was left 0 because that pass did nothing either, the pass does nothing.
template <class T> struct Rung5;
template <> struct Rung5<f64> { enum : i32 { STEPS = 6 }; };
template <> struct Rung5<f32> { enum : i32 { STEPS = 8 }; };

// The last two rows of a step in a lane's columns, and the sums of what is left and right of the last one.
template <class T> struct Rows {
    Vec16<T> above, here, beside;
};

// Sums of the values left and right of a lane's columns.
template <class T> __device__ Vec16<T> sides(const Vec16<T>& x) {
    constexpr i32 SIZE = Vec16<T>::SIZE;
    T left = __shfl_up_sync(ALL_LANES, x.at[SIZE - 1], 1), right = __shfl_down_sync(ALL_LANES, x.at[0], 1);
    Vec16<T> sums;
#pragma unroll
    for (i32 k = 0; k < SIZE; k++) sums.at[k] = plus(k == 0 ? left : x.at[k - 1], k == SIZE - 1 ? right : x.at[k + 1]);
    return sums;
}

// The row after the step, and the largest difference so far, once the row below is there.
template <class T>
__device__ Vec16<T> next_row(const Rows<T>& rows, const Vec16<T>& below, const Vec16<T>& w, typename Bits<T>::Word& most) {
    constexpr i32 SIZE = Vec16<T>::SIZE;
    Vec16<T> over, next;
#pragma unroll
    for (i32 k = 0; k < SIZE; k++) over.at[k] = plus(rows.above.at[k], below.at[k]);
    Vec16<T> diagonal = sides(over);
#pragma unroll
    for (i32 k = 0; k < SIZE; k++) {
        T here = rows.here.at[k];
        next.at[k] = mean(w.at[k], here, plus(over.at[k], rows.beside.at[k]), diagonal.at[k]);
        auto difference = bits(magnitude(plus(next.at[k], -here)));
        most = difference > most ? difference : most;
    }
    return next;
}

template <class T>
__device__ void heat_5_passes(const T* __restrict__ from, T* __restrict__ to, const T* __restrict__ conductivity,
    typename Bits<T>::Word* words, const typename Bits<T>::Word* before, u32 done, f64 threshold, i32 rows, i32 cols, u32 pitch, i32 height, i32 steps) {
    using Word = typename Bits<T>::Word;
    constexpr i32 STEPS = Rung5<T>::STEPS, SIZE = Vec16<T>::SIZE;
    constexpr i32 RIM = (STEPS + SIZE - 1) / SIZE, STRIP = (i32(WARP) - 2 * RIM) * SIZE;
#pragma unroll 1
    for (u32 i = 0; i < done; i++) {
        if (f64(from_bits(before[i])) < threshold) return;
    }
    i32 lane = threadIdx.x % WARP;
    i64 strip = (i64(blockIdx.x) * (blockDim.x / WARP) + threadIdx.x / WARP) * STRIP;
    if (strip >= cols) return;
    // The rows of this band, as rows of the grid with its fixed rows.
    i32 first = 1 + i32(blockIdx.y) * height, end = min(first + height, rows + 1);
    i32 col = i32(strip) + (lane - RIM) * SIZE;
    bool owner = lane >= RIM && lane < i32(WARP) - RIM, whole = col >= 0 && col + SIZE <= cols;
    // Beyond the seam the columns begin again.
    i32 at[SIZE];
#pragma unroll
    for (i32 k = 0; k < SIZE; k++) {
        i32 rest = (col + k) % cols;
        at[k] = rest < 0 ? rest + cols : rest;
    }
    auto load = [&](const T* line) {
        if (whole) return load16(line + col);
        Vec16<T> v;
#pragma unroll
        for (i32 k = 0; k < SIZE; k++) v.at[k] = line[at[k]];
        return v;
    };
    auto temperatures = [&](i32 row) { return load(from + u64(min(max(row, 0), rows + 1)) * pitch); };
    auto conductivities = [&](i32 row) { return load(conductivity + u64(min(max(row, 1), rows) - 1) * pitch); };

    // w[s]: of the row that takes step s + 1.
    Rows<T> of[STEPS] = {};
    Vec16<T> w[STEPS] = {};
    Word most[STEPS] = {};
    Vec16<T> coming = temperatures(first - STEPS), coming_w = conductivities(first - STEPS - 1);
    auto take = [&](i32 p, bool inside) {
        Vec16<T> row = coming;
#pragma unroll
        for (i32 s = STEPS - 1; s > 0; s--) w[s] = w[s - 1];
        w[0] = coming_w;
        coming = temperatures(p + 1);
        coming_w = conductivities(p);
#pragma unroll
        for (i32 s = 0; s < STEPS; s++) {
            i32 q = p - 1 - s;
            // Rows before are not known well enough yet; fixed rows stay; so do all from the last step on.
            bool moves = inside || (q >= max(1, first - STEPS + 1 + s) && q <= rows && s < steps);
            Vec16<T> next = moves ? next_row(of[s], row, w[s], most[s]) : of[s].here;
            of[s] = Rows<T>{of[s].here, row, sides(row)};
            row = next;
        }
        if ((!inside && p - STEPS < first) || !owner) return;
        T* out = to + u64(p - STEPS) * pitch + col;
        if (col + SIZE <= cols) {
            store16(out, row);
        } else {
#pragma unroll
            for (i32 k = 0; k < SIZE; k++) {
                if (col + k < cols) out[k] = row.at[k];
            }
        }
    };
    // Most rows take all steps, and no questions.
    i32 p = first - STEPS, last = end - 1 + STEPS, calm = steps == STEPS ? first + STEPS : last + 1;
#pragma unroll 1
    for (; p <= last && p < calm; p++) take(p, false);
#pragma unroll 1
    for (; p <= last && p <= rows + 1; p++) take(p, true);
#pragma unroll 1
    for (; p <= last; p++) take(p, false);

#pragma unroll
    for (i32 s = 0; s < STEPS; s++) {
        Word largest = owner ? most[s] : 0;
#pragma unroll
        for (i32 distance = WARP / 2; distance > 0; distance /= 2) {
            Word other = __shfl_xor_sync(ALL_LANES, largest, distance);
            largest = other > largest ? other : largest;
        }
        if (lane == 0 && s < steps) atomicMax(words + s, largest);
    }
}

// rows x cols cells to rows that begin at multiples of 16 bytes, with edge copies of the first and of the last row.
// Launch: grid (ceil(cols / block.x), ceil((rows + 2 * edge) / block.y)), any 2-D block.
// Arguments: cells, laid (written), rows, cols, pitch, edge.
template <class T> __device__ void heat_5_passes_lay(const T* cells, T* laid, u32 rows, u32 cols, u32 pitch, u32 edge) {
    u32 row = own_row() - 1, col = own_col() - 1;
    if (row >= rows + 2 * edge || col >= cols) return;
    u32 from = row < edge ? 0 : row >= rows + edge ? rows - 1 : row - edge;
    laid[u64(row) * pitch + col] = cells[u64(from) * cols + col];
}

// The cells of such a grid, without the fixed rows.
// Launch: grid (ceil(cols / block.x), ceil(rows / block.y)), any 2-D block. Arguments: laid, cells (written), rows,
// cols, pitch.
template <class T> __device__ void heat_5_passes_cells(const T* laid, T* cells, u32 rows, u32 cols, u32 pitch) {
    u32 row = own_row() - 1, col = own_col() - 1;
    if (row < rows && col < cols) cells[u64(row) * cols + col] = laid[u64(row + 1) * pitch + col];
}

// Rung gpu-6-resident: the grid stays on chip for all steps of a launch. A block has a tile of it: a warp LINES rows, a
// lane SPAN columns, in registers. Conductivities are in shared memory, and so are the rows that the warps of a block
// show each other in every step. Around a tile is a halo of `depth` cells: what is wrong at its rim moves inwards by a
// cell a step, so after `depth` steps blocks write their outermost cells to memory, raise a flag, wait for the flags of
// the tiles around them and read their halos anew. All blocks must run at once: a cooperative launch.
// Launch: heat_6_resident_<SPAN>_<LINES>_<type>, grid (ceil(cols / width), ceil(rows / height)), block 32 * warps up to
//   512 (384 for the most lines) with LINES * warps >= height + 2 * depth and 32 * SPAN >= width + 2 * depth, dynamic
//   shared (32 * SPAN * sizeof(T) * (LINES + 4) + 8 * depth) * warps. width and depth are multiples of SPAN; depth is at
//   most 32. Where there are several tiles in a direction, each has at least `depth` cells in it.
// Arguments: from, to (written), conductivity (rows x cols each), fixed (2 x cols: what is above and below), faces (2 x
//   rows x pitch, for cells that blocks show each other; pitch a multiple of SPAN, at least cols), flags (8 words a
//   block), words (for the largest differences from step `measured` on), rows, cols, pitch, width, height, depth, steps,
//   measured, epoch (what the flags are before the launch; after it they are ceil(steps / depth) - 1 more).
__device__ inline u32 load_acquire(const u32* p) {
    u32 x;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(__cvta_generic_to_global(p)) : "memory");
    return x;
}
__device__ inline void store_release(u32* p, u32 x) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" : : "l"(__cvta_generic_to_global(p)), "r"(x) : "memory");
}

// A lane's columns of a row: vectors, `apart` elements from each other in memory.
template <i32 SPAN, class T> struct Cells {
    enum : i32 { SIZE = Vec16<T>::SIZE };
    T at[SPAN];
    __device__ void load(const T* p, i32 apart) {
#pragma unroll
        for (i32 k = 0; k < SPAN; k += SIZE) {
            Vec16<T> v = load16(p + k / SIZE * apart);
#pragma unroll
            for (i32 e = 0; e < SIZE; e++) at[k + e] = v.at[e];
        }
    }
    __device__ void store(T* p, i32 apart) const {
#pragma unroll
        for (i32 k = 0; k < SPAN; k += SIZE) {
            Vec16<T> v;
#pragma unroll
            for (i32 e = 0; e < SIZE; e++) v.at[e] = at[k + e];
            store16(p + k / SIZE * apart, v);
        }
    }
    // With those left and right of them.
    __device__ Cells<SPAN + 2, T> widened() const {
        Cells<SPAN + 2, T> wide;
#pragma unroll
        for (i32 k = 0; k < SPAN; k++) wide.at[k + 1] = at[k];
        wide.at[0] = __shfl_up_sync(ALL_LANES, at[SPAN - 1], 1);
        wide.at[SPAN + 1] = __shfl_down_sync(ALL_LANES, at[0], 1);
        return wide;
    }
};

// A step of a warp's rows, with the rows above and below; the first of them is row `row` of the grid. w: the lane's
// conductivities. most: the largest difference in each column, of the rows from `first` to before `end`.
template <bool MEASURE, i32 SPAN, i32 LINES, class T>
__device__ void step_lines(Cells<SPAN, T> (&x)[LINES], const Cells<SPAN, T>& top, const Cells<SPAN, T>& bottom,
    const T* w, i32 row, i32 rows, i32 first, i32 end, typename Bits<T>::Word (&most)[SPAN]) {
    constexpr i32 LINE = i32(WARP) * SPAN, APART = i32(WARP) * i32(Vec16<T>::SIZE);
    // The compiler must not know the row, or it keeps all that follows from it in registers, and has too few of them.
    asm volatile("" : "+r"(row));
    Cells<SPAN + 2, T> above = top.widened(), here = x[0].widened();
#pragma unroll
    for (i32 r = 0; r < LINES; r++) {
        Cells<SPAN + 2, T> below = (r + 1 < LINES ? x[r + 1] : bottom).widened();
        Cells<SPAN, T> weight;
        weight.load(w + r * LINE, APART);
        // Fixed rows stay, and do so without a branch, across which rows could not be worked on together.
        bool moves = u32(row + r) < u32(rows), own = row + r >= first && row + r < end;
        T over[SPAN + 2];
#pragma unroll
        for (i32 k = 0; k < SPAN + 2; k++) over[k] = plus(above.at[k], below.at[k]);
#pragma unroll
        for (i32 k = 0; k < SPAN; k++) {
            T direct = plus(over[k + 1], plus(here.at[k], here.at[k + 2])), was = here.at[k + 1];
            T next = mean(weight.at[k], was, direct, plus(over[k], over[k + 2]));
            x[r].at[k] = moves ? next : was;
            if (MEASURE) {
                auto difference = bits(plus(next, -was)) << 1 >> 1; // Without its sign.
                if (own && difference > most[k]) most[k] = difference;
            }
        }
        above = here;
        here = below;
    }
}

template <i32 SPAN, i32 LINES, class T>
__device__ void heat_6_resident(const T* from, T* to, const T* conductivity, const T* fixed, T* faces, u32* flags,
    typename Bits<T>::Word* words, i32 rows, i32 cols, u32 pitch, i32 width, i32 height, i32 depth, i32 steps,
    i32 measured, u32 epoch) {
    using Word = typename Bits<T>::Word;
    constexpr i32 SIZE = Vec16<T>::SIZE, LINE = i32(WARP) * SPAN, APART = i32(WARP) * SIZE;
    i32 t = threadIdx.x, lane = t % i32(WARP), warp = t / i32(WARP), warps = blockDim.x / WARP;
    // The tile without its halo; the lane's first column and the warp's first row.
    i32 left = i32(blockIdx.x) * width, right = min(left + width, cols);
    i32 first = i32(blockIdx.y) * height, end = min(first + height, rows);
    i32 col = left - depth + lane * SPAN, row = first - depth + warp * LINES;
    // Lines of shared memory have the first vectors of all lanes, then the second ones.
    T* w = dynamic_shared<T>() + warp * LINES * LINE + lane * SIZE;
    T* edges = dynamic_shared<T>() + warps * LINES * LINE + lane * SIZE;
    Word* largest = reinterpret_cast<Word*>(edges - lane * SIZE + 4 * warps * LINE);
    // Columns beyond the seam begin again.
    auto column = [&](i32 k) { return ((col + k) % cols + cols) % cols; };

    Cells<SPAN, T> x[LINES];
#pragma unroll
    for (i32 r = 0; r < LINES; r++) {
        i32 here = row + r;
        const T* line = here < 0 ? fixed : here < rows ? from + u64(here) * cols : fixed + cols;
        const T* weights = conductivity + u64(min(max(here, 0), rows - 1)) * cols;
        Cells<SPAN, T> weight;
#pragma unroll
        for (i32 k = 0; k < SPAN; k++) {
            x[r].at[k] = line[column(k)];
            weight.at[k] = weights[column(k)];
        }
        weight.store(w + r * LINE, APART);
    }

    i32 done = 0, exchanges = 0;
#pragma unroll 1
    while (true) {
        i32 some = min(depth, steps - done);
#pragma unroll 1
        for (i32 s = 0; s < some; s++) {
            // Two sets that change places: one barrier a step is enough.
            T* edge = edges + (done + s) % 2 * 2 * warps * LINE;
            x[0].store(edge + 2 * warp * LINE, APART);
            x[LINES - 1].store(edge + (2 * warp + 1) * LINE, APART);
            __syncthreads();
            // Beyond the halo anything will do.
            Cells<SPAN, T> top, bottom;
            top.load(edge + max(2 * warp - 1, 0) * LINE, APART);
            bottom.load(edge + min(2 * warp + 2, 2 * warps - 1) * LINE, APART);
            Word most[SPAN] = {};
            if (done + s < measured) {
                step_lines<false>(x, top, bottom, w, row, rows, first, end, most);
                continue;
            }
            step_lines<true>(x, top, bottom, w, row, rows, first, end, most);
            Word mine = 0;
#pragma unroll
            for (i32 k = 0; k < SPAN; k++) {
                if (col + k >= left && col + k < right && most[k] > mine) mine = most[k];
            }
#pragma unroll
            for (i32 distance = WARP / 2; distance > 0; distance /= 2) {
                Word other = __shfl_xor_sync(ALL_LANES, mine, distance);
                mine = other > mine ? other : mine;
            }
            if (lane == 0) largest[s * warps + warp] = mine;
        }
        bool last = done + some == steps, side = col < left + depth || col + SPAN > right - depth;
        // The tile's outermost cells.
        T* face = faces + u64(exchanges % 2) * rows * pitch;
        asm volatile("" : "+r"(row));
#pragma unroll
        for (i32 r = 0; r < LINES; r++) {
            i32 here = row + r;
            bool outer = side || here < first + depth || here >= end - depth;
            bool own = here >= first && here < end && col >= left && col < right;
            if (own && outer && !last) x[r].store(face + u64(here) * pitch + col, SIZE);
        }
        __syncthreads();
        exchanges++;
        if (!last && t == 0) store_release(flags + 8 * (blockIdx.y * gridDim.x + blockIdx.x), epoch + u32(exchanges));
        // While the flag is on its way: the differences of the last steps.
        i32 step = done + t;
        done += some;
        if (step < done && step >= measured) {
            Word mine = 0;
#pragma unroll 1
            for (i32 i = 0; i < warps; i++) mine = max(mine, largest[t * warps + i]);
            atomicMax(words + (step - measured), mine);
        }
        if (last) break;
        if (t < 9) {
            // The tiles around, which may be fewer, or this one: columns are a ring.
            u32 beside = (blockIdx.x + u32(t % 3) + gridDim.x - 1) % gridDim.x, below = blockIdx.y + u32(t / 3) - 1;
            const u32* flag = flags + 8 * (below * gridDim.x + beside);
            while (below < gridDim.y && i32(load_acquire(flag) - epoch) < exchanges) {}
        }
        __syncthreads();
        bool aside = col < left || col + SPAN > right, whole = col >= 0 && col + SPAN <= cols;
        asm volatile("" : "+r"(row));
#pragma unroll
        for (i32 r = 0; r < LINES; r++) {
            i32 here = row + r;
            bool beyond = aside || here < first || here >= end;
            if (here < 0 || here >= min(rows, end + depth) || col >= right + depth || !beyond) continue;
            const T* line = face + u64(here) * pitch;
            if (whole) {
                x[r].load(line + col, SIZE);
            } else {
#pragma unroll
                for (i32 k = 0; k < SPAN; k++) {
                    if (col + k < right + depth) x[r].at[k] = line[column(k)];
                }
            }
        }
    }
#pragma unroll
    for (i32 r = 0; r < LINES; r++) {
        bool own = row + r >= first && row + r < end;
#pragma unroll
        for (i32 k = 0; k < SPAN; k++) {
            if (own && col + k >= left && col + k < right) to[u64(row + r) * cols + col + k] = x[r].at[k];
        }
    }
}

// ---- Instances -----------------------------------------------------------------------------------------------------

#define KERNELS(t) \
    extern "C" __global__ void heat_pad_##t(const t* initial, t* padded, u32 rows, u32 cols) { \
        heat_pad(initial, padded, rows, cols); \
    } \
    extern "C" __global__ void heat_unpad_##t(const t* padded, t* cells, u32 rows, u32 cols) { \
        heat_unpad(padded, cells, rows, cols); \
    } \
    UPDATE(1_separate_mirror_update, t) \
    extern "C" __global__ void heat_1_separate_mirror_mirror_##t(t* to, u32 rows, u32 cols) { \
        heat_1_separate_mirror_mirror(to, rows, cols); \
    } \
    MAXDIFF(1_separate_mirror_maxdiff, t) \
    UPDATE(2_merged_mirror_update, t) \
    MAXDIFF(3_shared_maxdiff, t) \
    extern "C" __global__ void heat_4_fused_##t( \
        const t* from, t* to, const t* conductivity, Bits<t>::Word* word, u32 rows, u32 cols) { \
        heat_4_fused(from, to, conductivity, word, rows, cols); \
    } \
    extern "C" __global__ void __launch_bounds__(128) heat_5_passes_##t(const t* __restrict__ from, \
        t* __restrict__ to, const t* __restrict__ conductivity, Bits<t>::Word* words, \
        const Bits<t>::Word* before, u32 done, f64 threshold, u32 rows, u32 cols, u32 pitch, \
        u32 height, u32 steps) { \
        heat_5_passes(from, to, conductivity, words, before, done, threshold, i32(rows), i32(cols), pitch, \
            i32(height), i32(steps)); \
    } \
    extern "C" __global__ void heat_5_passes_lay_##t( \
        const t* cells, t* laid, u32 rows, u32 cols, u32 pitch, u32 edge) { \
        heat_5_passes_lay(cells, laid, rows, cols, pitch, edge); \
    } \
    extern "C" __global__ void heat_5_passes_cells_##t(const t* laid, t* cells, u32 rows, u32 cols, u32 pitch) { \
        heat_5_passes_cells(laid, cells, rows, cols, pitch); \
    }
#define UPDATE(rung, t) \
    extern "C" __global__ void heat_##rung##_##t(const t* from, t* to, const t* conductivity, u32 rows, u32 cols) { \
        heat_##rung(from, to, conductivity, rows, cols); \
    }
#define MAXDIFF(rung, t) \
    extern "C" __global__ void heat_##rung##_##t( \
        const t* from, const t* to, Bits<t>::Word* word, u32 rows, u32 cols) { \
        heat_##rung(from, to, word, rows, cols); \
    }

#define RESIDENT(span, lines, threads, t) \
    extern "C" __global__ void __launch_bounds__(threads, 1) heat_6_resident_##span##_##lines##_##t(const t* from, \
        t* to, const t* conductivity, const t* fixed, t* faces, u32* flags, Bits<t>::Word* words, u32 rows, u32 cols, \
        u32 pitch, u32 width, u32 height, u32 depth, u32 steps, u32 measured, u32 epoch) { \
        heat_6_resident<span, lines>(from, to, conductivity, fixed, faces, flags, words, i32(rows), i32(cols), pitch, \
            i32(width), i32(height), i32(depth), i32(steps), i32(measured), epoch); \
    }

KERNELS(f64)
KERNELS(f32)
RESIDENT(2, 2, 512, f64) RESIDENT(2, 4, 512, f64)
RESIDENT(4, 4, 512, f64) RESIDENT(4, 6, 512, f64) RESIDENT(4, 8, 512, f64) RESIDENT(4, 12, 384, f64)
RESIDENT(4, 2, 512, f32) RESIDENT(4, 4, 512, f32) RESIDENT(4, 8, 512, f32)
RESIDENT(4, 12, 512, f32) RESIDENT(4, 24, 384, f32)
