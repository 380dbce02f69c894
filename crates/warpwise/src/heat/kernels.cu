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

// The cell after a step.
template <class T> __device__ T stepped(const T* from, const T* conductivity, u32 row, u32 col, u32 cols) {
    constexpr f64 ROOT2 = 1.41421356237309504880;
    constexpr T DIRECT = T(0.25 * ROOT2 / (ROOT2 + 1.0)), DIAGONAL = T(0.25 / (ROOT2 + 1.0));
    const T* above = from + cell(row - 1, col, cols);
    const T* here = from + cell(row, col, cols);
    const T* below = from + cell(row + 1, col, cols);
    T w = conductivity[u64(row - 1) * cols + (col - 1)];
    T direct = above[0] + below[0] + here[-1] + here[1];
    T diagonal = above[-1] + above[1] + below[-1] + below[1];
    return w * here[0] + (T(1) - w) * DIRECT * direct + (T(1) - w) * DIAGONAL * diagonal;
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
