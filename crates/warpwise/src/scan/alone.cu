// Rung gpu-8-gather where one block is enough: there is nothing to gather.
//
// `gather.cu` has the rung for any length. n >= 1. in and out may be the same buffer.
#include "instances.cuh"

// Scans every vector of some rows of a warp, which are 512 bytes, by itself, and finds what comes before each: `before`
// and all lanes and rows before it. Returns what comes before the rows after these.
template <u32 ROWS, class T, class Op> __device__ T scan_vectors(Vec16<T> (&rows)[ROWS], T (&left)[ROWS], T before) {
    constexpr u32 SIZE = Vec16<T>::SIZE;
    u32 lane = threadIdx.x % WARP;
    T sums[ROWS];
#pragma unroll
    for (u32 r = 0; r < ROWS; r++) {
#pragma unroll
        for (u32 e = 1; e < SIZE; e++) rows[r].at[e] = Op::combine(rows[r].at[e - 1], rows[r].at[e]);
        sums[r] = rows[r].at[SIZE - 1];
    }
    // All rows together, so that they don't wait for each other's shuffles.
#pragma unroll
    for (u32 distance = 1; distance < WARP; distance *= 2) {
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            T other = __shfl_up_sync(ALL_LANES, sums[r], distance);
            if (lane >= distance) sums[r] = Op::combine(other, sums[r]);
        }
    }
#pragma unroll
    for (u32 r = 0; r < ROWS; r++) {
        T other = __shfl_up_sync(ALL_LANES, sums[r], 1);
        left[r] = lane == 0 ? before : Op::combine(before, other);
        before = Op::combine(before, __shfl_sync(ALL_LANES, sums[r], WARP - 1));
    }
    return before;
}

// Puts what comes before a scanned vector in front of its elements.
template <bool INCLUSIVE, class T, class Op> __device__ void follow(Vec16<T>& vector, T before) {
    T last = before;
#pragma unroll
    for (u32 e = 0; e < Vec16<T>::SIZE; e++) {
        T next = Op::combine(before, vector.at[e]);
        vector.at[e] = INCLUSIVE ? next : last;
        last = next;
    }
}

// Rows that a warp has, and the most threads of a block.
enum : u32 { ALONE_ROWS = 4, ALONE_BLOCK = 1024 };

// The whole input in the registers of one block: a barrier, at which warps leave their totals for each other, and no
// word to other blocks. Vectors of which elements are missing go element by element.
// Launch: grid 1, block a multiple of 32 up to 1024, at least (n + 16 / sizeof(T) - 1) / (64 / sizeof(T)). No dynamic
//   shared memory.
// Arguments: in, out, n.
template <bool INCLUSIVE, class T, class Op> __device__ void scan_8_gather_alone(const T* from, T* to, u64 n) {
    enum : u32 { SIZE = Vec16<T>::SIZE, ROW = WARP * SIZE };
    __shared__ T warps[WARP];
    u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    // Elements are numbered from a 16-byte boundary of the input on, so that there are none before number `low`.
    u32 low = u32(reinterpret_cast<u64>(from) % 16 / sizeof(T)), high = low + u32(n);
    const T* in = from - low;
    T* out = to - low;
    u32 first = warp * (ALONE_ROWS * ROW) + lane * SIZE;
    auto has = [=](u32 i) { return i >= low && i < high; };
    auto has_all = [=](u32 i) { return i >= low && i + SIZE <= high; };
    Vec16<T> rows[ALONE_ROWS];
#pragma unroll
    for (u32 r = 0; r < ALONE_ROWS; r++) {
        u32 i = first + r * ROW;
        if (has_all(i)) {
            rows[r] = load16(in + i);
        } else {
#pragma unroll
            for (u32 e = 0; e < SIZE; e++) rows[r].at[e] = has(i + e) ? in[i + e] : Op::identity();
        }
    }
    T left[ALONE_ROWS];
    T total = scan_vectors<ALONE_ROWS, T, Op>(rows, left, Op::identity());
    if (lane == 0) warps[warp] = total;
    __syncthreads();
    T before = lane < warp ? warps[lane] : Op::identity();
#pragma unroll
    for (u32 distance = WARP / 2; distance > 0; distance /= 2) {
        before = Op::combine(before, __shfl_xor_sync(ALL_LANES, before, distance));
    }
    bool aligned = reinterpret_cast<u64>(out) % 16 == 0;
#pragma unroll
    for (u32 r = 0; r < ALONE_ROWS; r++) {
        u32 i = first + r * ROW;
        follow<INCLUSIVE, T, Op>(rows[r], Op::combine(before, left[r]));
        if (aligned && has_all(i)) {
            store16(out + i, rows[r]);
        } else {
#pragma unroll
            for (u32 e = 0; e < SIZE; e++) {
                if (has(i + e)) out[i + e] = rows[r].at[e];
            }
        }
    }
}

// ---- Instances -----------------------------------------------------------------------------------------------------

#define KERNEL_ALONE(rung, kind, INCLUSIVE, op, Op, t) \
    extern "C" __global__ void __launch_bounds__(ALONE_BLOCK) \
        scan_##rung##_##kind##_##op##_##t(const t* in, t* out, u64 n) { \
        scan_##rung<INCLUSIVE, t, Op<t>>(in, out, n); \
    }

KINDS(KERNEL_ALONE, 8_gather_alone)
