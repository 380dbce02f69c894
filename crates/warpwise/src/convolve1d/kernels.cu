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
// registers, so that an element, once loaded from shared memory, meets ITEMS weights, and a weight ITEMS elements. The
// results go through shared memory too: lanes store neighbours.
// Launch: grid ceil(n / (block * ITEMS)), any block, dynamic shared gaps(block * ITEMS + width - 1) * sizeof(T).
// Arguments: as rung 2.
enum : u32 { ITEMS = 8 };

// A place in shared memory with a gap after every 128 bytes: lanes that are ITEMS apart are in different banks.
template <class T> __device__ u32 gaps(u32 i) { return i + i / (128 / sizeof(T)); }

template <class T>
__device__ void convolve1d_4_register(const T* in, const T* mask, T* out, u64 n, u32 width, u32 border) {
    T* tile = dynamic_shared<T>();
    u32 threads = blockDim.x, t = threadIdx.x, size = threads * ITEMS + width - 1;
    i64 first = i64(blockIdx.x) * (threads * ITEMS), left = first - width / 2;
    if (left >= 0 && left + size <= i64(n)) {
        const T* from = in + left;
        T x[ITEMS];
#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) x[k] = from[k * threads + t];
#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) tile[gaps<T>(k * threads + t)] = x[k];
#pragma unroll 1
        for (u32 i = ITEMS * threads + t; i < size; i += threads) tile[gaps<T>(i)] = from[i];
    } else {
        // Beyond the halo of the last element nothing is needed.
        i64 end = i64(n) + width / 2;
#pragma unroll 1
        for (u32 i = t; i < size; i += threads) {
            tile[gaps<T>(i)] = left + i < end ? sample(in, left + i, i64(n), border) : T(0);
        }
    }
    __syncthreads();
    // ITEMS elements of the tile: a gap never lies among them.
    auto load = [&](T(&x)[ITEMS], u32 skipped) {
        const T* from = tile + gaps<T>(t * ITEMS + skipped);
#pragma unroll
        for (u32 c = 0; c < ITEMS; c++) {
            if (skipped + c < width - 1 + ITEMS) x[c] = from[c];
        }
    };
    T sum[ITEMS] = {}, here[ITEMS], next[ITEMS] = {};
    load(here, 0);
#pragma unroll 1
    for (u32 j = 0; j < width; j += ITEMS) {
        load(next, j + ITEMS);
#pragma unroll
        for (u32 q = 0; q < ITEMS; q++) {
            if (j + q >= width) break;
            T weight = mask[j + q];
#pragma unroll
            for (u32 k = 0; k < ITEMS; k++) {
                sum[k] = add(sum[k], multiply(weight, q + k < ITEMS ? here[(q + k) % ITEMS] : next[(q + k) % ITEMS]));
            }
        }
#pragma unroll
        for (u32 c = 0; c < ITEMS; c++) here[c] = next[c];
    }
    __syncthreads();
    T* to = tile + gaps<T>(t * ITEMS);
#pragma unroll
    for (u32 k = 0; k < ITEMS; k++) to[k] = sum[k];
    __syncthreads();
    u64 rest = n - u64(first);
#pragma unroll
    for (u32 k = 0; k < ITEMS; k++) {
        u32 i = k * threads + t;
        if (i < rest) out[first + i] = tile[gaps<T>(i)];
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
#define TYPES(rung) KERNEL(rung, i32) KERNEL(rung, f32) KERNEL(rung, f64)

MASK(i32) MASK(f32) MASK(f64)
BASIC(i32) BASIC(f32) BASIC(f64)
TYPES(2_constant)
TYPES(3_tiled)
TYPES(4_register)
