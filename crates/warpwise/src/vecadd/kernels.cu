// c[i] = a[i] + b[i].
//
// Arguments of every kernel: a, b (read), c (written), n. c may be a or b. Integers wrap. One launch, no temporary
// memory, no dynamic shared memory.
#include "../kernels.cuh"

// Rung gpu-blocks: one block for each element. The simplest use of the grid, and a waste: 31 of 32 lanes idle.
// Launch: grid (x, y) with x * y >= n (y = 1 up to n = 2^31 - 1), block 1.
template <class T> __device__ void vecadd_blocks(const T* a, const T* b, T* c, u64 n) {
    u64 i = u64(blockIdx.y) * gridDim.x + blockIdx.x;
    if (i < n) c[i] = add(a[i], b[i]);
}

// Rung gpu-one-block: threads instead of blocks. Full warps, but one multiprocessor, and 1024 elements at most.
// Launch: grid 1, block n.
template <class T> __device__ void vecadd_one_block(const T* a, const T* b, T* c, u64 n) {
    u64 i = threadIdx.x;
    if (i < n) c[i] = add(a[i], b[i]);
}

// Rung gpu-grid: blocks and threads, so that any n uses the whole GPU.
// Launch: grid ceil(n / block), any block (128 by default).
template <class T> __device__ void vecadd_grid(const T* a, const T* b, T* c, u64 n) {
    u64 i = global_thread();
    if (i < n) c[i] = add(a[i], b[i]);
}

// Rung gpu-grid-stride: each thread takes element after element, a whole grid apart. The grid can be as large as the
// GPU and no larger, and a thread has several loads on their way at once.
// Launch: any grid (ceil(n / (block * 16 / sizeof(T))) by default: four elements a thread, two of f64), any block.
template <class T> __device__ void vecadd_grid_stride(const T* a, const T* b, T* c, u64 n) {
    u64 step = global_threads();
#pragma unroll 4
    for (u64 i = global_thread(); i < n; i += step) c[i] = add(a[i], b[i]);
}

// Rung gpu-vec4: 16-byte loads and stores, a quarter (for f64 half) of the memory instructions.
// Elements before the first 16-byte boundary and after the last are done singly. That needs a, b and c to be equally
// far from a boundary; where they are not, everything is done singly.
// Launch: any grid (ceil(n / (block * 16 / sizeof(T))) by default: a vector a thread), any block.
template <class T> __device__ void vecadd_vec4(const T* a, const T* b, T* c, u64 n) {
    constexpr u32 SIZE = Vec16<T>::SIZE;
    u64 first = global_thread();
    u64 step = global_threads();
    u64 head = elements_to_boundary(a);
    if (head != elements_to_boundary(b) || head != elements_to_boundary(c) || head > n) head = n;
    u64 vectors = (n - head) / SIZE;
#pragma unroll 1
    for (u64 v = first; v < vectors; v += step) {
        u64 i = head + v * SIZE;
        Vec16<T> x = load16(a + i), y = load16(b + i);
#pragma unroll
        for (u32 e = 0; e < SIZE; e++) x.at[e] = add(x.at[e], y.at[e]);
        store16(c + i, x);
    }
    u64 tail = head + vectors * SIZE;
#pragma unroll 1
    for (u64 i = first; i < head + (n - tail); i += step) {
        u64 j = i < head ? i : i - head + tail;
        c[j] = add(a[j], b[j]);
    }
}

#define INSTANCE(rung, t) \
    extern "C" __global__ void vecadd_##rung##_##t(const t* a, const t* b, t* c, u64 n) { vecadd_##rung(a, b, c, n); }
#define TYPES(rung) INSTANCE(rung, i32) INSTANCE(rung, f32) INSTANCE(rung, f64)

TYPES(blocks)
TYPES(one_block)
TYPES(grid)
TYPES(grid_stride)
TYPES(vec4)
