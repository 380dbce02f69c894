// One value from n: sum, product, min, max, argmin, argmax.
//
// Rungs 1 to 8 give one partial result a block. The host finishes: it launches again on the partials until one is
// left (into another buffer each time: blocks read what others would overwrite), recursively, or on the CPU. n >= 1.
//
// Arguments, values (sum, product, min, max):  in, out (one value a block), n.
//   Dynamic shared memory: block * sizeof(T), none for rungs 8 and 9.
// Arguments, positions (argmin, argmax):       values, indices, out_values, out_indices (one of each a block), n.
//   `indices` is null in the first launch, where an element's index is its position, and the partial indices (u64)
//   in the launches after it. Dynamic shared memory: block * (8 + sizeof(T)), none for rungs 8 and 9.
//
// Ties of argmin and argmax go to the smallest index. NaN wins over every number, as in NumPy: the first NaN's index is
// the result. Sums and products of floats depend on the order, which each rung fixes for a given grid and block.
#include "items.cuh"

// tile[i] = tile[i] combined with tile[i + distance].
template <class S> __device__ void fold(typename S::Tile& tile, u32 i, u32 distance) {
    tile.set(i, S::combine(tile.get(i), tile.get(i + distance)));
}

// Rung gpu-1-interleaved: a tree in shared memory, where the threads whose number divides by 2, 4, 8, ... go on. Within
// every warp some threads work and others don't: divergence.
// Launch: grid ceil(n / block), any block.
template <class S> __device__ void reduce_1_interleaved(S s, u64 n) {
    typename S::Tile tile;
    u32 t = threadIdx.x;
    tile.set(t, load_or_identity(s, global_thread(), n));
    __syncthreads();
#pragma unroll 1
    for (u32 distance = 1; distance < blockDim.x; distance *= 2) {
        if (t % (2 * distance) == 0 && t + distance < blockDim.x) fold<S>(tile, t, distance);
        __syncthreads();
    }
    if (t == 0) s.store(blockIdx.x, tile.get(0));
}

// Rung gpu-2-strided: the same tree, but the first threads do all the work, so whole warps go idle. Their elements are
// 2, 4, 8, ... apart: bank conflicts.
// Launch: grid ceil(n / block), any block.
template <class S> __device__ void reduce_2_strided(S s, u64 n) {
    typename S::Tile tile;
    u32 t = threadIdx.x;
    tile.set(t, load_or_identity(s, global_thread(), n));
    __syncthreads();
#pragma unroll 1
    for (u32 distance = 1; distance < blockDim.x; distance *= 2) {
        u32 i = 2 * distance * t;
        if (i + distance < blockDim.x) fold<S>(tile, i, distance);
        __syncthreads();
    }
    if (t == 0) s.store(blockIdx.x, tile.get(0));
}

// Half of the smallest power of two that is not less than the block: where a tree over any block size starts.
__device__ inline u32 half_block() { return blockDim.x == 1 ? 0 : 1u << (31 - __clz(blockDim.x - 1)); }

// Rung gpu-3-sequential: the upper half is added to the lower half, so that threads use consecutive banks.
// Launch: grid ceil(n / block), any block.
template <class S> __device__ void reduce_3_sequential(S s, u64 n) {
    typename S::Tile tile;
    u32 t = threadIdx.x;
    tile.set(t, load_or_identity(s, global_thread(), n));
    __syncthreads();
#pragma unroll 1
    for (u32 distance = half_block(); distance > 0; distance /= 2) {
        if (t < distance && t + distance < blockDim.x) fold<S>(tile, t, distance);
        __syncthreads();
    }
    if (t == 0) s.store(blockIdx.x, tile.get(0));
}

// The item of a block that takes two elements a thread.
template <class S> __device__ typename S::Item first_add(S s, u64 n) {
    u64 i = u64(blockIdx.x) * blockDim.x * 2 + threadIdx.x;
    return S::combine(load_or_identity(s, i, n), load_or_identity(s, i + blockDim.x, n));
}

// Rung gpu-4-first-add: every thread combines two elements while loading, so that no thread is idle in the first step.
// Launch: grid ceil(n / (2 * block)), any block.
template <class S> __device__ void reduce_4_first_add(S s, u64 n) {
    typename S::Tile tile;
    u32 t = threadIdx.x;
    tile.set(t, first_add(s, n));
    __syncthreads();
#pragma unroll 1
    for (u32 distance = half_block(); distance > 0; distance /= 2) {
        if (t < distance && t + distance < blockDim.x) fold<S>(tile, t, distance);
        __syncthreads();
    }
    if (t == 0) s.store(blockIdx.x, tile.get(0));
}

// The last six steps, within one warp: a warp barrier orders each step's reads before its writes, and those before the
// reads of the next. Lanes past the distance compute what nobody reads, which is cheaper than a test.
template <class S> __device__ void fold_last_warp(typename S::Tile& tile) {
    u32 t = threadIdx.x;
    if (t >= WARP) return;
    typename S::Item x = tile.get(t);
#pragma unroll
    for (u32 distance = WARP; distance > 0; distance /= 2) {
        x = S::combine(x, tile.get(t + distance));
        __syncwarp();
        tile.set(t, x);
        __syncwarp();
    }
}

// Rung gpu-5-unroll-last-warp: once a single warp is left, block barriers and the loop are not needed.
// Launch: grid ceil(n / (2 * block)), block a power of two from 64.
template <class S> __device__ void reduce_5_unroll_last_warp(S s, u64 n) {
    typename S::Tile tile;
    u32 t = threadIdx.x;
    tile.set(t, first_add(s, n));
    __syncthreads();
#pragma unroll 1
    for (u32 distance = blockDim.x / 2; distance > WARP; distance /= 2) {
        if (t < distance) fold<S>(tile, t, distance);
        __syncthreads();
    }
    fold_last_warp<S>(tile);
    if (t == 0) s.store(blockIdx.x, tile.get(0));
}

// Rung gpu-6-unrolled: the block size is a compile-time constant, so the whole tree is straight code.
// Launch: grid ceil(n / (2 * block)), block as in the kernel's name: 64, 128, 256, 512 or 1024.
template <u32 BLOCK, class S> __device__ void reduce_6_unrolled(S s, u64 n) {
    typename S::Tile tile;
    u32 t = threadIdx.x;
    tile.set(t, first_add(s, n));
    __syncthreads();
#pragma unroll
    for (u32 distance = BLOCK / 2; distance > WARP; distance /= 2) {
        if (t < distance) fold<S>(tile, t, distance);
        __syncthreads();
    }
    fold_last_warp<S>(tile);
    if (t == 0) s.store(blockIdx.x, tile.get(0));
}

// Rung gpu-7-multi-add: a grid-stride loop. A fixed number of blocks goes over all elements, and the tree is climbed
// once for many of them; so seldom that the block size can be a run-time number again.
// Launch: any grid (as many blocks as run at once, no more than ceil(n / (2 * block))), block a power of two from 64.
template <class S> __device__ void reduce_7_multi_add(S s, u64 n) {
    typename S::Tile tile;
    u32 t = threadIdx.x;
    typename S::Item x = S::identity();
#pragma unroll 1
    for (u64 i = u64(blockIdx.x) * blockDim.x * 2 + t; i < n; i += global_threads() * 2) {
        x = S::combine(x, S::combine(s.load(i), load_or_identity(s, i + blockDim.x, n)));
    }
    tile.set(t, x);
    __syncthreads();
#pragma unroll 1
    for (u32 distance = blockDim.x / 2; distance > WARP; distance /= 2) {
        if (t < distance) fold<S>(tile, t, distance);
        __syncthreads();
    }
    fold_last_warp<S>(tile);
    if (t == 0) s.store(blockIdx.x, tile.get(0));
}

// Rung gpu-8-shuffle: lanes hand values to each other in registers; shared memory only carries one item a warp.
// Launch: any grid, as for rung 7; block a multiple of 32. No dynamic shared memory.
template <class S> __device__ void reduce_8_shuffle(S s, u64 n) {
    __shared__ typename S::WarpItems partials;
    typename S::Item x = S::identity();
#pragma unroll 1
    for (u64 i = u64(blockIdx.x) * blockDim.x * 2 + threadIdx.x; i < n; i += global_threads() * 2) {
        x = S::combine(x, S::combine(s.load(i), load_or_identity(s, i + blockDim.x, n)));
    }
    x = block_fold<S>(partials, x);
    if (threadIdx.x == 0) s.store(blockIdx.x, x);
}

// Rung gpu-9-single-pass: one launch does everything, with 16-byte loads. The block that draws the last ticket knows
// that all partials are written, and combines them.
// Launch: any grid (as many blocks as run at once), block a multiple of 32. No dynamic shared memory.
// Arguments: in, partials (one value a block), out (one value), ticket, n; for argmin and argmax: values,
// partial_values, partial_indices (one of each a block), out_value, out_index, ticket, n.
// `ticket` is a u32 that is 0 before the first launch; every launch leaves it at 0. Launches that may overlap need
// tickets and partials of their own.
template <class S> __device__ void reduce_9_single_pass(S all, S partial, u32* ticket, u64 n) {
    using Vector = Vec16<typename S::Value>;
    constexpr u32 SIZE = Vector::SIZE;
    __shared__ typename S::WarpItems warps;
    __shared__ bool last;
    typename S::Item x = S::identity();
    u64 head = elements_to_boundary(all.in);
    if (head > n) head = n;
    u64 vectors = (n - head) / SIZE;
    u64 step = global_threads();
    u64 v = global_thread();
    // Four loads are under way before the first is needed.
    constexpr u32 AHEAD = 4;
#pragma unroll 1
    for (; v + (AHEAD - 1) * step < vectors; v += AHEAD * step) {
        Vector loaded[AHEAD];
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) loaded[k] = load16(all.in + head + (v + k * step) * SIZE);
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) {
#pragma unroll
            for (u32 e = 0; e < SIZE; e++) {
                x = S::combine(x, all.item(loaded[k].at[e], head + (v + k * step) * SIZE + e));
            }
        }
    }
#pragma unroll 1
    for (; v < vectors; v += step) {
        Vector loaded = load16(all.in + head + v * SIZE);
#pragma unroll
        for (u32 e = 0; e < SIZE; e++) x = S::combine(x, all.item(loaded.at[e], head + v * SIZE + e));
    }
    // What lies before the first and after the last vector: fewer than eight elements in all.
    u64 tail = head + vectors * SIZE;
#pragma unroll 1
    for (u64 i = global_thread(); i < head + (n - tail); i += step) {
        x = S::combine(x, all.load(i < head ? i : i - head + tail));
    }

    x = block_fold<S>(warps, x);
    if (threadIdx.x == 0) {
        partial.store(blockIdx.x, x);
        // The partial is visible to the GPU before the ticket says so.
        __threadfence();
        last = atomicAdd(ticket, 1) == gridDim.x - 1;
        // And whoever sees all tickets drawn sees all partials.
        __threadfence();
    }
    __syncthreads();
    if (!last) return;

    x = S::identity();
#pragma unroll 1
    for (u32 b = threadIdx.x; b < gridDim.x; b += blockDim.x) x = S::combine(x, partial.load(b));
    x = block_fold<S>(warps, x);
    if (threadIdx.x == 0) {
        all.store(0, x);
        atomicExch(ticket, 0);
    }
}

// ---- Instances -----------------------------------------------------------------------------------------------------

#define VALUES(rung, op, Op, t) \
    extern "C" __global__ void reduce_##rung##_##op##_##t(const t* in, t* out, u64 n) { \
        reduce_##rung(Values<t, Op<t>>{in, out}, n); \
    }
#define POSITIONS(rung, op, Op, t) \
    extern "C" __global__ void reduce_##rung##_##op##_##t( \
        const t* values, const u64* indices, t* out_values, u64* out_indices, u64 n) { \
        reduce_##rung(Positions<t, Op<t>>{values, indices, out_values, out_indices}, n); \
    }
#define VALUES_6(block, op, Op, t) \
    extern "C" __global__ void __launch_bounds__(block) \
        reduce_6_unrolled_##block##_##op##_##t(const t* in, t* out, u64 n) { \
        reduce_6_unrolled<block>(Values<t, Op<t>>{in, out}, n); \
    }
#define POSITIONS_6(block, op, Op, t) \
    extern "C" __global__ void __launch_bounds__(block) reduce_6_unrolled_##block##_##op##_##t( \
        const t* values, const u64* indices, t* out_values, u64* out_indices, u64 n) { \
        reduce_6_unrolled<block>(Positions<t, Op<t>>{values, indices, out_values, out_indices}, n); \
    }
#define VALUES_9(rung, op, Op, t) \
    extern "C" __global__ void reduce_##rung##_##op##_##t(const t* in, t* partials, t* out, u32* ticket, u64 n) { \
        using Stream = Values<t, Op<t>>; \
        reduce_##rung(Stream{in, out}, Stream{partials, partials}, ticket, n); \
    }
#define POSITIONS_9(rung, op, Op, t) \
    extern "C" __global__ void reduce_##rung##_##op##_##t( \
        const t* values, t* partial_values, u64* partial_indices, t* out_value, u64* out_index, u32* ticket, u64 n) { \
        using Stream = Positions<t, Op<t>>; \
        reduce_##rung(Stream{values, nullptr, out_value, out_index}, \
            Stream{partial_values, partial_indices, partial_values, partial_indices}, ticket, n); \
    }

OPERATORS(VALUES, POSITIONS, 1_interleaved)
OPERATORS(VALUES, POSITIONS, 2_strided)
OPERATORS(VALUES, POSITIONS, 3_sequential)
OPERATORS(VALUES, POSITIONS, 4_first_add)
OPERATORS(VALUES, POSITIONS, 5_unroll_last_warp)
OPERATORS(VALUES_6, POSITIONS_6, 64)
OPERATORS(VALUES_6, POSITIONS_6, 128)
OPERATORS(VALUES_6, POSITIONS_6, 256)
OPERATORS(VALUES_6, POSITIONS_6, 512)
OPERATORS(VALUES_6, POSITIONS_6, 1024)
OPERATORS(VALUES, POSITIONS, 7_multi_add)
OPERATORS(VALUES, POSITIONS, 8_shuffle)
OPERATORS(VALUES_9, POSITIONS_9, 9_single_pass)
