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
// Rungs 6 and 7 have their own arguments and geometry.
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

// ---- Filters that move along ----------------------------------------------------------------------------------------

// A filter of 2 R + 1 rows and columns that meets the rows of an image one after the other. Every column of the output
// has 2 R + 1 sums under way: sum[j] is the one that is through with row j of the filter, so that a new row makes
// sum[j] out of sum[j - 1]. x: the 2 R + 1 pixels of the new row that the column looks at.
template <i32 R> struct Direct {
    enum : i32 { SIDE = 2 * R + 1 };
    f32 weight[SIDE * SIDE];
    __device__ static f32 prepared(f32 pixel) { return pixel; }
    __device__ void meet(const f32* x, f32 (&sum)[SIDE]) const {
#pragma unroll
        for (i32 j = SIDE - 1; j >= 0; j--) {
            f32 made = j == 0 ? 0.0f : sum[j - 1];
#pragma unroll
            for (i32 c = 0; c < SIDE; c++) made += weight[j * SIDE + c] * x[c];
            sum[j] = made;
        }
    }
};
// A column of weights times a row of weights: the row is summed once for all rows of the filter.
template <i32 R> struct Separable {
    enum : i32 { SIDE = 2 * R + 1 };
    f32 column[SIDE], row[SIDE];
    __device__ static f32 prepared(f32 pixel) { return pixel; }
    __device__ void meet(const f32* x, f32 (&sum)[SIDE]) const {
        f32 across = 0;
#pragma unroll
        for (i32 c = 0; c < SIDE; c++) across += row[c] * x[c];
#pragma unroll
        for (i32 j = SIDE - 1; j > 0; j--) sum[j] = sum[j - 1] + column[j] * across;
        sum[0] = column[0] * across;
    }
};
// The same from above and below, and from left and right (as sums of boxes around the middle are): a quarter of the
// weights. For bytes, whose pairs are exact.
template <i32 R> struct Symmetric {
    enum : i32 { SIDE = 2 * R + 1, HALF = R + 1 };
    f32 weight[HALF * HALF];
    __device__ static f32 prepared(f32 pixel) { return pixel; }
    __device__ void meet(const f32* x, f32 (&sum)[SIDE]) const {
        f32 across[HALF];
#pragma unroll
        for (i32 j = 0; j < HALF; j++) across[j] = weight[j * HALF + R] * x[R];
#pragma unroll
        for (i32 c = 0; c < R; c++) {
            f32 pair = x[c] + x[SIDE - 1 - c];
#pragma unroll
            for (i32 j = 0; j < HALF; j++) across[j] += weight[j * HALF + c] * pair;
        }
#pragma unroll
        for (i32 j = SIDE - 1; j > 0; j--) sum[j] = sum[j - 1] + across[j < HALF ? j : SIDE - 1 - j];
        sum[0] = across[0];
    }
};

// The same for f32: with halves of pixels, and weights that are twice as large, no pair is larger than its pixels.
template <i32 R> struct Halved : Symmetric<R> {
    __device__ static f32 prepared(f32 pixel) { return 0.5f * pixel; }
};

// Four pixels next to each other, as they are loaded: bytes are one word if they begin at a word (`whole`).
template <class T> struct Pixels;
template <> struct Pixels<f32> {
    f32 at[4];
    __device__ void load(const f32* p) {
        Vec16<f32> v = load16(p);
#pragma unroll
        for (i32 k = 0; k < 4; k++) at[k] = v.at[k];
    }
    __device__ f32 get(i32 k, bool) const { return at[k]; }
};
template <> struct Pixels<u8> {
    u32 at[4];
    __device__ void load(const u8* p) { at[0] = *reinterpret_cast<const u32*>(p); }
    // The byte is put into the lowest bits of 2^23, which is subtracted again: cheaper than a conversion.
    __device__ f32 get(i32 k, bool whole) const {
        u32 word = whole ? __byte_perm(at[0], 0x4b000000, 0x7540 + k) : at[k] | 0x4b000000;
        return __uint_as_float(word) - 8388608.0f;
    }
};

// Four outputs next to each other.
template <class T> struct Outputs;
template <> struct Outputs<f32> {
    f32 at[4];
    __device__ explicit Outputs(const f32* sums) {
#pragma unroll
        for (i32 k = 0; k < 4; k++) at[k] = sums[k];
    }
    __device__ f32 get(i32 k) const { return at[k]; }
    // Outputs are not read again, and should not take the place of rows that are.
    __device__ void store(f32* p) const { __stcs(reinterpret_cast<float4*>(p), float4{at[0], at[1], at[2], at[3]}); }
    // The last `by` outputs of the lane before, then the first of this one; by is 1, 2 or 3.
    __device__ void shift(u32 by) {
        f32 b = __shfl_up_sync(ALL_LANES, at[1], 1), c = __shfl_up_sync(ALL_LANES, at[2], 1);
        f32 d = __shfl_up_sync(ALL_LANES, at[3], 1);
        f32 shifted[4] = {by == 1 ? d : by == 2 ? c : b, by == 1 ? at[0] : by == 2 ? d : c,
            by == 1 ? at[1] : by == 2 ? at[0] : d, by == 1 ? at[2] : by == 2 ? at[1] : at[0]};
#pragma unroll
        for (i32 k = 0; k < 4; k++) at[k] = shifted[k];
    }
};
template <> struct Outputs<u8> {
    u32 word;
    // Rounding to an integer leaves it in the lowest bits of 1.5 * 2^23.
    __device__ explicit Outputs(const f32* sums) {
        u32 at[4];
#pragma unroll
        for (i32 k = 0; k < 4; k++) at[k] = __float_as_uint(fminf(fmaxf(sums[k], 0.0f), 255.0f) + 12582912.0f);
        word = __byte_perm(__byte_perm(at[0], at[1], 0x0040), __byte_perm(at[2], at[3], 0x0040), 0x5410);
    }
    __device__ u8 get(i32 k) const { return u8(word >> 8 * k); }
    __device__ void store(u8* p) const { *reinterpret_cast<u32*>(p) = word; }
    __device__ void shift(u32 by) { word = __funnelshift_l(__shfl_up_sync(ALL_LANES, word, 1), word, 8 * by); }
};

// What a warp has under way: the sums of each lane's 4 columns.
template <i32 R, class T, class Filter> struct Strip {
    f32 sum[4][2 * R + 1];

    // The next row of the image, 4 pixels a lane.
    __device__ void meet(const Pixels<T>& pixels, bool whole, const Filter& filter) {
        f32 x[4 + 2 * R];
#pragma unroll
        for (i32 k = 0; k < 4; k++) x[R + k] = Filter::prepared(pixels.get(k, whole));
#pragma unroll
        for (i32 k = 0; k < R; k++) {
            x[k] = __shfl_up_sync(ALL_LANES, x[4 + k], 1);
            x[R + 4 + k] = __shfl_down_sync(ALL_LANES, x[R + k], 1);
        }
#pragma unroll
        for (i32 k = 0; k < 4; k++) filter.meet(x + k, sum[k]);
    }
    // The sums that are through with the filter.
    __device__ Outputs<T> made() const {
        f32 last[4];
#pragma unroll
        for (i32 k = 0; k < 4; k++) last[k] = sum[k][2 * R];
        return Outputs<T>(last);
    }
};

// Lanes that have outputs: the first and the last only have pixels for their neighbours.
enum : i32 { FIRST_OWNER = 1, LAST_OWNER = 30 };

// Asks for memory that is read soon; it comes into the second-level cache, and no register has to wait for it.
__device__ inline void prefetch(const void* p) {
    asm volatile("prefetch.global.L2 [%0];" : : "l"(__cvta_generic_to_global(p)));
}

// Rows that are asked for before the next one is loaded.
enum : i32 { AHEAD = 2 };

// Whether rows begin where vectors may; p is in one of them.
template <class T> __device__ bool whole_rows(const T* p, i32 cols) {
    return (reinterpret_cast<u64>(p) / sizeof(T) | cols) % 4 == 0;
}

// A strip with all its pixels in the image, in more rows than AHEAD. from: the lane's columns in the first of them; to:
// its outputs in the first row. WHOLE: all rows of both begin where vectors may.
template <bool WHOLE, i32 R, class T, class Filter>
__device__ void slide(const T* from, T* to, const Image& image, i32 rows, const Filter& filter) {
    i32 lane = threadIdx.x % WARP;
    bool owner = lane >= FIRST_OWNER && lane <= LAST_OWNER;
    Strip<R, T, Filter> strip;
    auto load = [&] {
        Pixels<T> pixels;
        if (WHOLE) {
            pixels.load(from);
        } else {
#pragma unroll
            for (i32 k = 0; k < 4; k++) pixels.at[k] = from[k];
        }
        from += image.cols;
        return pixels;
    };
#pragma unroll
    for (i32 row = 1; row <= AHEAD; row++) prefetch(from + i64(row) * image.cols);
    Pixels<T> coming = load();
#pragma unroll 1
    for (i32 row = 0; row < rows; row++) {
        Pixels<T> pixels = coming;
        if (row + 1 < rows) coming = load();
        if (row + 1 + AHEAD < rows) prefetch(from + i64(AHEAD - 1) * image.cols);
        strip.meet(pixels, WHOLE, filter);
        if (row < 2 * R) continue;
        Outputs<T> made = strip.made();
        if (WHOLE) {
            if (owner) made.store(to);
        } else {
            // Vectors that begin where they may: the lanes' outputs move on, and the two ends are stored singly.
            u32 by = u32(reinterpret_cast<u64>(to) / sizeof(T)) % 4;
            if (lane == FIRST_OWNER || lane == LAST_OWNER) {
#pragma unroll
                for (i32 k = 0; k < 4; k++) {
                    bool single = lane == FIRST_OWNER ? by != 0 && k + by < 4 : k + by >= 4;
                    if (single) to[k] = made.get(k);
                }
            }
            if (by != 0) made.shift(by);
            if (owner && (lane > FIRST_OWNER || by == 0)) made.store(to - by);
        }
        to += image.out_cols();
    }
}

// A strip at an edge of the image, whose columns begin at `col`, its outputs at `out_col`; from row `top` on.
template <i32 R, class T, class Filter>
__device__ void slide_edge(
    const T* in, T* to, const Image& image, i32 top, i32 col, i32 out_col, i32 rows, const Filter& filter) {
    i32 lane = threadIdx.x % WARP;
    i32 outputs = lane >= FIRST_OWNER && lane <= LAST_OWNER ? image.out_cols() - out_col : 0;
    Strip<R, T, Filter> strip;
    // Columns beyond what the last output looks at may be anything.
    i32 at[4];
#pragma unroll
    for (i32 k = 0; k < 4; k++) {
        i32 c = col + k < image.cols + R ? col + k : image.cols + R - 1;
        at[k] = resolve_border(c, image.cols, image.border);
    }
    // Most lanes' columns are in the image. They are read and written as everywhere, so that edges take no longer.
    bool vectors = col >= 0 && col + 4 <= image.cols && whole_rows(in + col, image.cols);
    bool together = outputs >= 4 && whole_rows(to, image.out_cols());
    auto load = [&](i32 row) {
        Pixels<T> pixels;
        i32 r = resolve_border(row, image.rows, image.border);
        const T* line = in + i64(r) * image.cols;
#pragma unroll
        for (i32 k = 0; k < 4; k++) pixels.at[k] = 0;
        if (r < 0) return pixels;
        if (vectors) {
            pixels.load(line + col);
        } else {
#pragma unroll
            for (i32 k = 0; k < 4; k++) {
                if (at[k] >= 0) pixels.at[k] = line[at[k]];
            }
        }
        return pixels;
    };
    auto ask = [&](i32 row) {
        bool there = row >= 0 && row < image.rows && row < top + rows && at[0] >= 0;
        if (there) prefetch(in + i64(row) * image.cols + at[0]);
    };
#pragma unroll
    for (i32 row = 1; row <= AHEAD; row++) ask(top + row);
    Pixels<T> coming = load(top);
#pragma unroll 1
    for (i32 row = 0; row < rows; row++) {
        Pixels<T> pixels = coming;
        if (row + 1 < rows) coming = load(top + row + 1);
        ask(top + row + 1 + AHEAD);
        strip.meet(pixels, vectors, filter);
        if (row < 2 * R) continue;
        Outputs<T> made = strip.made();
        if (together) {
            made.store(to);
        } else {
#pragma unroll
            for (i32 k = 0; k < 4; k++) {
                if (k < outputs) to[k] = made.get(k);
            }
        }
        to += image.out_cols();
    }
}

// Rung gpu-6-streamed: a warp slides down a strip of the image, 4 columns a lane, for `height` rows of the output. A
// row is loaded once, 16 bytes a lane for f32, while those before are worked on. The pixels beside a lane's own come
// from its neighbours by shuffle, and the row goes at once into all sums that it is part of, which wait in registers.
// No shared memory, no barrier. Outputs are added up in the order of rung 1.
// Filters of 3 x 3, 5 x 5 and 7 x 7; for others this rung is rung 5.
// Launch: convolve2d_6_streamed_<side>_<type>, grid (ceil(output cols / 120), ceil(output rows / (height *
// warps of a block))), block a multiple of 32 up to 128.
// Arguments: in, out, rows, cols, border, height (u32 each), the weights (f32 each).
//
// Rung gpu-7-structured: filters with a structure need fewer multiplications: 2 * side an output if they are a column
// times a row, about a third of side * side if they are symmetric; for others this rung is rung 6.
// Launch: convolve2d_7_separable_<side>_<type>, convolve2d_7_symmetric_<side>_<type>; the rest as rung 6. The weights
// are those of the column and those of the row, or the upper left quarter with the middle (f32: twice that).
template <i32 R, class T, class Filter>
__device__ void stream(const T* in, T* out, const Image& image, i32 height, const Filter& filter) {
    constexpr i32 OUTPUTS = 4 * (LAST_OWNER - FIRST_OWNER + 1);
    i32 out_rows = image.out_rows(), out_cols = image.out_cols();
    // Warps of a block are below each other: what two of them read is still near.
    i64 begin = i64(blockIdx.x) * OUTPUTS, band = i64(blockIdx.y) * (blockDim.x / WARP) + threadIdx.x / WARP;
    if (band * height >= out_rows) return;
    i32 lane = threadIdx.x % WARP;
    i32 out_col = i32(begin) + 4 * (lane - FIRST_OWNER), first = i32(band) * height;
    i32 end = out_rows - first < height ? out_rows : first + height;
    // Of the image: the column in the middle of the filter, the first row and how many there are.
    i32 col = out_col + R + image.left(), top = first + image.top(), rows = end - first + 2 * R;
    i32 left = i32(begin) - 4 + R + image.left();
    T* to = out + i64(first) * out_cols + out_col;
    bool inside = left >= 0 && left + 4 * i32(WARP) <= image.cols && begin + OUTPUTS <= out_cols && top >= 0 &&
        top + rows <= image.rows;
    if (!inside) return slide_edge<R>(in, to, image, top, col, out_col, rows, filter);
    const T* from = in + i64(top) * image.cols + col;
    if (whole_rows(from, image.cols) && whole_rows(to, out_cols)) slide<true, R>(from, to, image, rows, filter);
    else slide<false, R>(from, to, image, rows, filter);
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

#define STREAM(name, filter, radius, side, t) \
    extern "C" __global__ void __launch_bounds__(128) convolve2d_##name##_##side##_##t( \
        const t* in, t* out, u32 rows, u32 cols, u32 border, u32 height, filter<radius> weights) { \
        stream<radius>(in, out, Image{i32(rows), i32(cols), side, side, border}, i32(height), weights); \
    }
#define SIDES(name, filter, t) \
    STREAM(name, filter, 1, 3, t) STREAM(name, filter, 2, 5, t) STREAM(name, filter, 3, 7, t)

NAIVE(u8) NAIVE(f32)
TYPES(2_constant)
TYPES(3_tiled_serial_load)
TYPES(4_tiled)
TYPES(5_register)
SIDES(6_streamed, Direct, u8)
SIDES(6_streamed, Direct, f32)
SIDES(7_separable, Separable, u8)
SIDES(7_separable, Separable, f32)
SIDES(7_symmetric, Symmetric, u8)
SIDES(7_symmetric, Halved, f32)
