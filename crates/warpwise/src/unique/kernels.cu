// Runs of equal elements: where they begin, what is in them, and how long they are.
//
// Elements are equal if their bits are; of floats also zeros of both signs, and all NaNs. n >= 1.
#include "../kernels.cuh"

using u16 = unsigned short;

enum : u32 { BLOCK = 256, ROWS = 8, TILE = BLOCK * ROWS };

// Whether elements are equal: of floats where `floats` is not 0.
template <class T> __device__ inline bool same(T a, T b, u32 floats) {
    // Without the sign: zero, or above infinity.
    constexpr T INFINITY_BITS = sizeof(T) == 8 ? T(0x7ff0000000000000ull) : T(0x7f800000);
    constexpr T MAGNITUDE = T(~T(0)) >> 1;
    if (a == b) return true;
    if (!floats) return false;
    T x = a & MAGNITUDE, y = b & MAGNITUDE;
    return (x == 0 && y == 0) || (x > INFINITY_BITS && y > INFINITY_BITS);
}

// Whether a run begins at element i.
template <class T> __device__ inline bool begins(const T* in, u64 i, u64 n, u32 floats) {
    return i < n && (i == 0 || !same(in[i - 1], in[i], floats));
}

// How many runs begin in each tile of 2048 elements.
// Launch: ceil(n / 2048) blocks of 256. Arguments: in, counts (written), n, floats.
template <class T> __device__ void unique_count(const T* in, u64* counts, u64 n, u32 floats) {
    u64 first = u64(blockIdx.x) * TILE + threadIdx.x;
    u32 count = 0;
#pragma unroll 1
    for (u32 r = 0; r < ROWS; r++) count += __syncthreads_count(begins(in, first + r * BLOCK, n, floats));
    if (threadIdx.x == 0) counts[blockIdx.x] = count;
}

// Where runs begin, in order.
// Launch: as above. Arguments: in, before (how many runs begin before each tile), starts (written), n, floats.
template <class T> __device__ void unique_starts(const T* in, const u64* before, u64* starts, u64 n, u32 floats) {
    __shared__ u32 warps[BLOCK / WARP];
    u32 t = threadIdx.x, lane = t % WARP, warp = t / WARP;
    u64 at = before[blockIdx.x], first = u64(blockIdx.x) * TILE + t;
#pragma unroll 1
    for (u32 r = 0; r < ROWS; r++) {
        bool one = begins(in, first + r * BLOCK, n, floats);
        u32 votes = __ballot_sync(ALL_LANES, one);
        if (lane == 0) warps[warp] = __popc(votes);
        __syncthreads();
        u32 left = __popc(votes & ((1u << lane) - 1)), all = 0;
#pragma unroll
        for (u32 w = 0; w < BLOCK / WARP; w++) {
            if (w < warp) left += warps[w];
            all += warps[w];
        }
        if (one) starts[at + left] = first + r * BLOCK;
        at += all;
        __syncthreads();
    }
}

// The first element of each run. Launch: any grid and block. Arguments: in, starts, out (written), runs.
template <class T> __device__ void unique_gather(const T* in, const u64* starts, T* out, u64 runs) {
#pragma unroll 1
    for (u64 i = global_thread(); i < runs; i += global_threads()) out[i] = in[starts[i]];
}

// How long runs are. Launch: any grid and block. Arguments: starts, lengths (written), runs, n.
extern "C" __global__ void unique_lengths(const u64* starts, u64* lengths, u64 runs, u64 n) {
#pragma unroll 1
    for (u64 i = global_thread(); i < runs; i += global_threads()) {
        lengths[i] = (i + 1 < runs ? starts[i + 1] : n) - starts[i];
    }
}

#define WIDTH(t) \
    extern "C" __global__ void __launch_bounds__(BLOCK) unique_count_##t(const t* in, u64* counts, u64 n, u32 floats) { \
        unique_count(in, counts, n, floats); \
    } \
    extern "C" __global__ void __launch_bounds__(BLOCK) unique_starts_##t( \
        const t* in, const u64* before, u64* starts, u64 n, u32 floats) { \
        unique_starts(in, before, starts, n, floats); \
    } \
    extern "C" __global__ void unique_gather_##t(const t* in, const u64* starts, t* out, u64 runs) { \
        unique_gather(in, starts, out, runs); \
    }
WIDTH(u8)
WIDTH(u16)
WIDTH(u32)
WIDTH(u64)
