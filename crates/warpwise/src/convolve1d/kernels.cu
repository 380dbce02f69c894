// out[i] = sum over j of mask[j] * in[i + j - width / 2], for i in 0 .. n - 1; the mask is not mirrored. i32 (wraps),
// f32, f64. width is odd, up to 129; n >= 1 and may be smaller than the mask. in and out don't overlap.
//
// Beyond its ends, the input is (`border`):
//   0 zero        0
//   1 replicate   the nearest element          aaa|abcd|ddd
//   2 reflect     mirrored at the end element  dcb|abcd|cba
//   3 wrap        periodic                     bcd|abcd|abc
#include "../kernels.cuh"

// An element of the input, or what stands for it beyond the ends.
template <class T> __device__ T sample(const T* in, i64 i, i64 n, u32 border) {
    i64 at = resolve_border(i, n, border);
    return at < 0 ? T(0) : in[at];
}

// One output, straight from the definition.
template <class T> __device__ void convolve_direct(const T* in, const T* mask, T* out, u64 n, u32 width, u32 border) {
    i64 i = i64(global_thread());
    if (i >= i64(n)) return;
    T sum = 0;
#pragma unroll 1
    for (u32 j = 0; j < width; j++) {
        sum = add(sum, multiply(mask[j], sample(in, i + j - width / 2, i64(n), border)));
    }
    out[i] = sum;
}

// Rung gpu-1-basic: a thread an element; input and mask in global memory.
// Launch: grid ceil(n / block), any block, one launch. Arguments: in, mask, out, n, width, border.
template <class T>
__device__ void convolve1d_1_basic(const T* in, const T* mask, T* out, u64 n, u32 width, u32 border) {
    convolve_direct(in, mask, out, n, width, border);
}

// Rung gpu-2-constant: the mask in constant memory, which gives all lanes of a warp the same word in one cycle.
// Launch: as rung 1. The host writes the mask to the module's variable `convolve1d_mask_<type>` first.
// Arguments: in, out, n, width, border.
template <class T>
__device__ void convolve1d_2_constant(const T* in, const T* mask, T* out, u64 n, u32 width, u32 border) {
    convolve_direct(in, mask, out, n, width, border);
}

// Rung gpu-3-tiled: a block loads its part of the input once, with half a mask on either side (the halo), and borders
// are dealt with only while loading.
// Launch: as rung 2, dynamic shared (block + width - 1) * sizeof(T).
template <class T>
__device__ void convolve1d_3_tiled(const T* in, const T* mask, T* out, u64 n, u32 width, u32 border) {
    T* tile = dynamic_shared<T>();
    i64 first = i64(blockIdx.x) * blockDim.x;
    u32 size = blockDim.x + width - 1;
    // The last block's tile ends with the halo of the last element: what lies beyond is not needed, nor written.
    i64 needed = i64(n) - first + width - 1;
    if (needed < size) size = u32(needed);
    for (u32 t = threadIdx.x; t < size; t += blockDim.x) {
        tile[t] = sample(in, first + t - width / 2, i64(n), border);
    }
    __syncthreads();
    i64 i = first + threadIdx.x;
    if (i >= i64(n)) return;
    T sum = 0;
#pragma unroll 4
    for (u32 j = 0; j < width; j++) sum = add(sum, multiply(mask[j], tile[threadIdx.x + j]));
    out[i] = sum;
}

// Rung gpu-4-register: a thread makes ITEMS elements next to each other. What it needs of the input slides through its
// registers, so that an element, once loaded from shared memory, meets ITEMS weights, and a weight ITEMS elements. Shared
// memory is read 16 bytes at a time. The results go through it too: lanes store neighbours. The mask is a parameter of
// the kernel, which lies in constant memory and needs no copy before the launch.
// ITEMS is 4, 8 or 16: the fewer, the more threads there are; the more, the fewer loads a wide mask takes.
// Launch: grid ceil(n / (block * ITEMS)), any block, dynamic shared gaps(block * ITEMS + groups) * sizeof(T), where
// groups is width rounded up to a multiple of ITEMS. Arguments: in, out, n, width, border, the mask.
template <class T> struct alignas(16) Mask {
    T weights[129];
};

// A place in shared memory with a gap of 16 bytes after every 128: vectors of lanes that are ITEMS apart are in
// different banks.
template <class T> __device__ u32 gaps(u32 i) { return i + i / (128 / sizeof(T)) * Vec16<T>::SIZE; }

// Loads the input of a block, with the halo, into its tile: `needed` elements from `left` on, and zeros up to `size`,
// which are read but never used.
template <u32 ITEMS, class T>
__device__ void load_tile(T* tile, const T* in, i64 left, u64 n, u32 needed, u32 size, u32 width, u32 border) {
    u32 threads = blockDim.x, t = threadIdx.x;
    if (threads % WARP == 0 && left >= 0 && left + needed <= i64(n)) {
        // A warp loads a row of its own, so that all addresses are a constant apart.
        u32 at = t / WARP * (WARP * ITEMS) + t % WARP, i = ITEMS * threads + t;
        const T *from = in + left, *row = from + at;
        T* to = tile + gaps<T>(at);
        T x[ITEMS], halo = i < needed ? from[i] : T(0);
#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) x[k] = row[k * WARP];
#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) to[gaps<T>(k * WARP)] = x[k];
        if (i < size) tile[gaps<T>(i)] = halo;
#pragma unroll 1
        for (i += threads; i < size; i += threads) tile[gaps<T>(i)] = i < needed ? from[i] : T(0);
    } else {
        // Beyond the halo of the last element nothing is needed.
        i64 end = i64(n) + width / 2;
#pragma unroll 1
        for (u32 i = t; i < size; i += threads) {
            tile[gaps<T>(i)] = i < needed && left + i < end ? sample(in, left + i, i64(n), border) : T(0);
        }
    }
}

template <u32 ITEMS, class T>
__device__ void convolve1d_4_register(const T* in, T* out, u64 n, u32 width, u32 border, const Mask<T>& mask) {
    enum : u32 { SIZE = Vec16<T>::SIZE };
    T* tile = dynamic_shared<T>();
    u32 threads = blockDim.x, t = threadIdx.x, made = threads * ITEMS;
    i64 first = i64(blockIdx.x) * made;
    u32 groups = (width + ITEMS - 1) / ITEMS * ITEMS;
    load_tile<ITEMS>(tile, in, first - width / 2, n, made + width - 1, made + groups, width, border);
    __syncthreads();
    // ITEMS elements of the tile: a gap never lies among them.
    auto load = [&](T(&x)[ITEMS], u32 skipped) {
        const T* from = tile + gaps<T>(t * ITEMS + skipped);
#pragma unroll
        for (u32 c = 0; c < ITEMS; c += SIZE) {
            Vec16<T> v = load16(from + c);
#pragma unroll
            for (u32 e = 0; e < SIZE; e++) x[c + e] = v.at[e];
        }
    };
    T sum[ITEMS] = {};
    // ITEMS weights from j on, or those that there are: an odd number.
    auto step = [&](const T(&here)[ITEMS], const T(&next)[ITEMS], u32 j, bool all) {
#pragma unroll
        for (u32 q = 0; q < ITEMS; q++) {
            if (!all && q % 2 == 1 && j + q >= width) return;
            T weight = mask.weights[j + q];
#pragma unroll
            for (u32 k = 0; k < ITEMS; k++) {
                sum[k] = add(sum[k], multiply(weight, q + k < ITEMS ? here[(q + k) % ITEMS] : next[(q + k) % ITEMS]));
            }
        }
    };
    T here[ITEMS], next[ITEMS];
    load(here, 0);
    u32 j = 0;
#pragma unroll 1
    for (; j + 2 * ITEMS < width; j += 2 * ITEMS) {
        load(next, j + ITEMS);
        step(here, next, j, true);
        load(here, j + 2 * ITEMS);
        step(next, here, j + ITEMS, true);
    }
    if (j + ITEMS < width) {
        load(next, j + ITEMS);
        step(here, next, j, true);
        j += ITEMS;
#pragma unroll
        for (u32 c = 0; c < ITEMS; c++) here[c] = next[c];
    }
    load(next, j + ITEMS);
    step(here, next, j, false);
    __syncthreads();
    T* to = tile + gaps<T>(t * ITEMS);
#pragma unroll
    for (u32 c = 0; c < ITEMS; c += SIZE) {
        Vec16<T> v;
#pragma unroll
        for (u32 e = 0; e < SIZE; e++) v.at[e] = sum[c + e];
        store16(to + c, v);
    }
    u64 rest = n - u64(first);
    out += first;
    if (threads % WARP == 0 && rest >= made && elements_to_boundary(out) == 0) {
        // A warp stores what it made.
        __syncwarp();
        u32 at = t / WARP * (WARP * ITEMS) + t % WARP * SIZE;
        const T* from = tile + gaps<T>(at);
#pragma unroll
        for (u32 k = 0; k < ITEMS; k += SIZE) store16(out + at + k * WARP, load16(from + gaps<T>(k * WARP)));
    } else {
        __syncthreads();
#pragma unroll 1
        for (u32 i = t; i < made && i < rest; i += threads) out[i] = tile[gaps<T>(i)];
    }
}

// ---- Instances -----------------------------------------------------------------------------------------------------

#define BASIC(t) \
    extern "C" __global__ void convolve1d_1_basic_##t( \
        const t* in, const t* mask, t* out, u64 n, u32 width, u32 border) { \
        convolve1d_1_basic(in, mask, out, n, width, border); \
    }
#define MASK(t) __constant__ t convolve1d_mask_##t[129];
#define KERNEL(rung, t) \
    extern "C" __global__ void convolve1d_##rung##_##t(const t* in, t* out, u64 n, u32 width, u32 border) { \
        convolve1d_##rung(in, convolve1d_mask_##t, out, n, width, border); \
    }
#define REGISTER(items, t) \
    extern "C" __global__ void convolve1d_4_register_##items##_##t( \
        const t* in, t* out, u64 n, u32 width, u32 border, Mask<t> mask) { \
        convolve1d_4_register<items>(in, out, n, width, border, mask); \
    }
#define SLIDING(t) REGISTER(4, t) REGISTER(8, t) REGISTER(16, t)
#define TYPES(rung) KERNEL(rung, i32) KERNEL(rung, f32) KERNEL(rung, f64)

MASK(i32) MASK(f32) MASK(f64)
BASIC(i32) BASIC(f32) BASIC(f64)
TYPES(2_constant)
TYPES(3_tiled)
SLIDING(i32) SLIDING(f32) SLIDING(f64)
