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
// The y dimension of a grid is at most 65535. Rung 6 is in `resident.cu`.
#include "cell.cuh"

// A cell of the padded grid, by its row and column there.
__device__ inline u64 cell(u32 row, u32 col, u32 cols) { return u64(row) * (cols + 2) + col; }

// Row and column of the thread's cell in the padded grid, where cells begin at (1, 1).
__device__ inline u32 own_row() { return blockIdx.y * blockDim.y + threadIdx.y + 1; }
__device__ inline u32 own_col() { return blockIdx.x * blockDim.x + threadIdx.x + 1; }

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
// heat_5_passes_slab_<type> leaves out the first and last rows, above and below of them: others compute these.
//   Arguments: from, to (written), conductivity, words, rows, cols, pitch, height, steps, above, below; grid (...,
//   ceil((rows - above - below) / height)).
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

template <bool SLAB, class T>
__device__ void heat_5_passes(const T* __restrict__ from, T* __restrict__ to, const T* __restrict__ conductivity,
    typename Bits<T>::Word* words, const typename Bits<T>::Word* before, u32 done, f64 threshold, i32 rows, i32 cols, u32 pitch, i32 height, i32 steps, i32 above, i32 below) {
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
    i32 first = 1 + i32(blockIdx.y) * height + above, end = min(first + height, rows + 1 - below);
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
            bool moves = inside || (q >= max(1, first - (SLAB ? steps : STEPS) + 1 + s) && q <= rows && s < steps);
            // Nor are all rows behind, where others compute them.
            if (SLAB && !inside && q > end - 2 + steps - s) moves = false;
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
        heat_5_passes<false>(from, to, conductivity, words, before, done, threshold, i32(rows), i32(cols), pitch, \
            i32(height), i32(steps), 0, 0); \
    } \
    extern "C" __global__ void heat_5_passes_lay_##t( \
        const t* cells, t* laid, u32 rows, u32 cols, u32 pitch, u32 edge) { \
        heat_5_passes_lay(cells, laid, rows, cols, pitch, edge); \
    } \
    extern "C" __global__ void heat_5_passes_cells_##t(const t* laid, t* cells, u32 rows, u32 cols, u32 pitch) { \
        heat_5_passes_cells(laid, cells, rows, cols, pitch); \
    } \
    extern "C" __global__ void __launch_bounds__(128) heat_5_passes_slab_##t(const t* __restrict__ from, \
        t* __restrict__ to, const t* __restrict__ conductivity, Bits<t>::Word* words, u32 rows, u32 cols, \
        u32 pitch, u32 height, u32 steps, u32 above, u32 below) { \
        heat_5_passes<true>(from, to, conductivity, words, words, 0, 0.0, i32(rows), i32(cols), pitch, i32(height), \
            i32(steps), i32(above), i32(below)); \
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

KERNELS(f64)
KERNELS(f32)
