// A filter of odd height and width, up to 31 x 31, over an image of rows x cols, row-major without gaps: every output
// is the sum of the pixels around it, times the weights. The filter is not mirrored. u8 and f32 images; weights are f32
// and sums are made in f32; for u8 they are rounded to the nearest integer (ties to even) and kept within 0 .. 255.
//
// Borders: 0 zero, 1 replicate, 2 reflect (dcb|abcd|cba), 3 wrap, as for convolve1d, and
//   4 valid: only outputs whose pixels all exist: (rows - height + 1) x (cols - width + 1) of them; rows >= height and
//     cols >= width. With the other borders the output is as large as the image, which may be smaller than the filter.
//
// Arguments of every kernel: in, [rung 1: filter (row-major),] out, rows, cols, height, width, border (u32 each).
// From rung 2 on, the host writes the filter to the module's variable `convolve2d_filter` (f32) before the launch.
// One launch: grid (ceil(output cols / block.x), ceil(output rows / block.y)), any 2-D block. in and out don't overlap.
#include "../kernels.cuh"

__constant__ f32 convolve2d_filter[31 * 31];

struct Image {
    i32 rows, cols;      // of the input
    i32 height, width;   // of the filter
    u32 border;

    __device__ i32 out_rows() const { return border == BORDER_VALID ? rows - height + 1 : rows; }
    __device__ i32 out_cols() const { return border == BORDER_VALID ? cols - width + 1 : cols; }
    // The first row and column that the output at (0, 0) looks at.
    __device__ i32 top() const { return border == BORDER_VALID ? 0 : -(height / 2); }
    __device__ i32 left() const { return border == BORDER_VALID ? 0 : -(width / 2); }

    template <class T> __device__ f32 sample(const T* in, i32 row, i32 col) const {
        row = resolve_border(row, rows, border);
        col = resolve_border(col, cols, border);
        return row < 0 || col < 0 ? 0.0f : f32(in[i64(row) * cols + col]);
    }
    __device__ void store(f32* out, i32 row, i32 col, f32 x) const { out[i64(row) * out_cols() + col] = x; }
    __device__ void store(u8* out, i32 row, i32 col, f32 x) const {
        out[i64(row) * out_cols() + col] = u8(fminf(fmaxf(rintf(x), 0.0f), 255.0f));
    }
};

// One output, straight from the definition.
template <class T> __device__ void filter_direct(const T* in, const f32* filter, T* out, Image image) {
    i32 row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= image.out_rows() || col >= image.out_cols()) return;
    f32 sum = 0;
#pragma unroll 1
    for (i32 r = 0; r < image.height; r++) {
#pragma unroll 1
        for (i32 c = 0; c < image.width; c++) {
            sum += filter[r * image.width + c] * image.sample(in, row + image.top() + r, col + image.left() + c);
        }
    }
    image.store(out, row, col, sum);
}

// Rung gpu-1-naive: a thread an output; pixels and filter in global memory.
template <class T> __device__ void convolve2d_1_naive(const T* in, const f32* filter, T* out, Image image) {
    filter_direct(in, filter, out, image);
}

// Rung gpu-2-constant: the filter in constant memory.
template <class T> __device__ void convolve2d_2_constant(const T* in, T* out, Image image) {
    filter_direct(in, convolve2d_filter, out, image);
}

// The pixels that a block of outputs needs, in shared memory: the outputs' own and a halo of half a filter around them.
// Kept as f32, so that they are converted once.
struct PixelTile {
    f32* pixels;
    i32 rows, cols;           // of the tile
    i32 first_row, first_col; // of the block's outputs

    __device__ PixelTile(Image image, u32 outputs_a_thread) : pixels(dynamic_shared<f32>()) {
        rows = blockDim.y * outputs_a_thread + image.height - 1;
        cols = blockDim.x + image.width - 1;
        first_row = blockIdx.y * blockDim.y * outputs_a_thread;
        first_col = blockIdx.x * blockDim.x;
    }
    // Fills every `step`-th pixel from `begin` on. Past the last output's halo there may be no pixel to read: 0.
    template <class T> __device__ void fill(const T* in, Image image, u32 begin, u32 step) {
        i32 last_row = image.out_rows() + image.height - 1, last_col = image.out_cols() + image.width - 1;
#pragma unroll 1
        for (u32 i = begin; i < u32(rows * cols); i += step) {
            i32 row = first_row + i32(i) / cols, col = first_col + i32(i) % cols;
            bool needed = row < last_row && col < last_col;
            pixels[i] = needed ? image.sample(in, row + image.top(), col + image.left()) : 0.0f;
        }
    }
};

// One output from the tile.
template <class T> __device__ void filter_tile(const PixelTile& tile, T* out, Image image) {
    i32 row = tile.first_row + threadIdx.y, col = tile.first_col + threadIdx.x;
    if (row >= image.out_rows() || col >= image.out_cols()) return;
    f32 sum = 0;
#pragma unroll 1
    for (i32 r = 0; r < image.height; r++) {
        const f32* pixels = tile.pixels + (threadIdx.y + r) * tile.cols + threadIdx.x;
#pragma unroll 4
        for (i32 c = 0; c < image.width; c++) sum += convolve2d_filter[r * image.width + c] * pixels[c];
    }
    image.store(out, row, col, sum);
}

// Rung gpu-3-tiled-serial-load: the block's pixels in shared memory, so that each is read from global memory once; but
// thread 0 fetches them all, while the others wait.
// Launch: dynamic shared 4 * (block.y + height - 1) * (block.x + width - 1).
template <class T> __device__ void convolve2d_3_tiled_serial_load(const T* in, T* out, Image image) {
    PixelTile tile(image, 1);
    if (threadIdx.x == 0 && threadIdx.y == 0) tile.fill(in, image, 0, 1);
    __syncthreads();
    filter_tile(tile, out, image);
}

// Rung gpu-4-tiled: all threads fill the tile together, halo included.
// Launch: as rung 3.
template <class T> __device__ void convolve2d_4_tiled(const T* in, T* out, Image image) {
    PixelTile tile(image, 1);
    tile.fill(in, image, threadIdx.y * blockDim.x + threadIdx.x, blockDim.x * blockDim.y);
    __syncthreads();
    filter_tile(tile, out, image);
}

// Rung gpu-5-register: a thread makes 4 outputs below each other. Going down a column of the tile, the 4 pixels it
// needs are in registers, and each step brings one new: a pixel and a weight are read once for 4 multiplications.
// Launch: grid (ceil(output cols / block.x), ceil(output rows / (4 * block.y))), any 2-D block, dynamic shared
//   4 * (4 * block.y + height - 1) * (block.x + width - 1).
template <class T> __device__ void convolve2d_5_register(const T* in, T* out, Image image) {
    constexpr i32 OUTPUTS = 4;
    PixelTile tile(image, OUTPUTS);
    tile.fill(in, image, threadIdx.y * blockDim.x + threadIdx.x, blockDim.x * blockDim.y);
    __syncthreads();
    i32 row = tile.first_row + i32(threadIdx.y) * OUTPUTS, col = tile.first_col + threadIdx.x;
    if (row >= image.out_rows() || col >= image.out_cols()) return;
    f32 sum[OUTPUTS] = {};
#pragma unroll 1
    for (i32 c = 0; c < image.width; c++) {
        const f32* pixel = tile.pixels + threadIdx.y * OUTPUTS * tile.cols + threadIdx.x + c;
        f32 window[OUTPUTS];
#pragma unroll
        for (i32 k = 1; k < OUTPUTS; k++, pixel += tile.cols) window[k] = *pixel;
#pragma unroll 4
        for (i32 r = 0; r < image.height; r++, pixel += tile.cols) {
#pragma unroll
            for (i32 k = 1; k < OUTPUTS; k++) window[k - 1] = window[k];
            window[OUTPUTS - 1] = *pixel;
            f32 weight = convolve2d_filter[r * image.width + c];
#pragma unroll
            for (i32 k = 0; k < OUTPUTS; k++) sum[k] += weight * window[k];
        }
    }
#pragma unroll
    for (i32 k = 0; k < OUTPUTS; k++) {
        if (row + k < image.out_rows()) image.store(out, row + k, col, sum[k]);
    }
}

// ---- Instances -----------------------------------------------------------------------------------------------------

#define NAIVE(t) \
    extern "C" __global__ void convolve2d_1_naive_##t(const t* in, const f32* filter, t* out, u32 rows, u32 cols, \
        u32 height, u32 width, u32 border) { \
        convolve2d_1_naive(in, filter, out, Image{i32(rows), i32(cols), i32(height), i32(width), border}); \
    }
#define KERNEL(rung, t) \
    extern "C" __global__ void convolve2d_##rung##_##t( \
        const t* in, t* out, u32 rows, u32 cols, u32 height, u32 width, u32 border) { \
        convolve2d_##rung(in, out, Image{i32(rows), i32(cols), i32(height), i32(width), border}); \
    }
#define TYPES(rung) KERNEL(rung, u8) KERNEL(rung, f32)

NAIVE(u8) NAIVE(f32)
TYPES(2_constant)
TYPES(3_tiled_serial_load)
TYPES(4_tiled)
TYPES(5_register)
