// Every segment combined: elements offsets[s] to offsets[s + 1] - 1 of the input.
//
// Offsets beyond the end are taken for it, and a segment that ends before it begins has nothing in it.
#include "../kernels.cuh"

enum : u32 { BLOCK = 256, LONG_BLOCK = 1024, LONG = 1 << 14 };

// The share of one of `threads` threads of elements begin to end - 1: 16 bytes at a time, up to eight of them under way.
template <class T, class Op> __device__ T fold(const T* in, u64 begin, u64 end, u32 own, u32 threads) {
    enum : u32 { SIZE = Vec16<T>::SIZE, AHEAD = 8 };
    T x = Op::identity();
    u64 head = begin + elements_to_boundary(in + begin);
    if (head > end) head = end;
    u64 tail = end - (end - head) % SIZE;
    for (u64 i = begin + own; i < head; i += threads) x = Op::combine(x, in[i]);
#pragma unroll 1
    for (u64 first = head + own * SIZE; first < tail; first += u64(AHEAD) * threads * SIZE) {
        Vec16<T> loaded[AHEAD];
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) {
            if (first + u64(k) * threads * SIZE < tail) loaded[k] = load16(in + first + u64(k) * threads * SIZE);
        }
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) {
            if (first + u64(k) * threads * SIZE < tail) {
#pragma unroll
                for (u32 e = 0; e < SIZE; e++) x = Op::combine(x, loaded[k].at[e]);
            }
        }
    }
    for (u64 i = tail + own; i < end; i += threads) x = Op::combine(x, in[i]);
    return x;
}

template <class T, class Op> __device__ inline T warp_fold(T x) {
#pragma unroll
    for (u32 distance = WARP / 2; distance > 0; distance /= 2) {
        x = Op::combine(x, __shfl_down_sync(ALL_LANES, x, distance));
    }
    return x;
}

struct Segment {
    u64 begin, end;
    __device__ Segment(const u64* offsets, u64 s, u64 n) {
        begin = offsets[s], end = offsets[s + 1];
        if (begin > n) begin = n;
        if (end > n) end = n;
        if (end < begin) end = begin;
    }
};

// A warp for each segment; long ones are left for segmented_long.
// Launch: any grid of blocks of 256. Arguments: in, offsets (one more than segments), out (written), segments, n, which
// (written: the long ones, room for n / 16384), longs (how many, a zero).
template <class T, class Op>
__device__ void segmented(const T* in, const u64* offsets, T* out, u64 segments, u64 n, u64* which, u64* longs) {
    u32 lane = threadIdx.x % WARP;
#pragma unroll 1
    for (u64 s = global_thread() / WARP; s < segments; s += global_threads() / WARP) {
        Segment segment(offsets, s, n);
        if (segment.end - segment.begin > LONG) {
            if (lane == 0) which[atomicAdd(longs, 1ull) % (n / LONG)] = s;
            continue;
        }
        T x = warp_fold<T, Op>(fold<T, Op>(in, segment.begin, segment.end, lane, WARP));
        if (lane == 0) out[s] = x;
    }
}

// A block for each long segment. Launch: any grid of blocks of 1024. Arguments: as above.
template <class T, class Op>
__device__ void segmented_long(const T* in, const u64* offsets, T* out, u64 n, const u64* which, const u64* longs) {
    __shared__ T warps[LONG_BLOCK / WARP];
    u32 t = threadIdx.x, lane = t % WARP;
    u64 count = *longs < n / LONG ? *longs : n / LONG;
#pragma unroll 1
    for (u64 i = blockIdx.x; i < count; i += gridDim.x) {
        Segment segment(offsets, which[i], n);
        T x = warp_fold<T, Op>(fold<T, Op>(in, segment.begin, segment.end, t, LONG_BLOCK));
        if (lane == 0) warps[t / WARP] = x;
        __syncthreads();
        if (t < WARP) {
            x = warp_fold<T, Op>(warps[lane]);
            if (lane == 0) out[which[i]] = x;
        }
        __syncthreads();
    }
}

#define SEGMENTED(name, Op, t) \
    extern "C" __global__ void __launch_bounds__(BLOCK) segmented_##name##_##t( \
        const t* in, const u64* offsets, t* out, u64 segments, u64 n, u64* which, u64* longs) { \
        segmented<t, Op<t>>(in, offsets, out, segments, n, which, longs); \
    } \
    extern "C" __global__ void __launch_bounds__(LONG_BLOCK) segmented_long_##name##_##t( \
        const t* in, const u64* offsets, t* out, u64 n, const u64* which, const u64* longs) { \
        segmented_long<t, Op<t>>(in, offsets, out, n, which, longs); \
    }
// Sums and products of integers wrap, so that those with a sign have the bits of those without.
#define BOTH(t) SEGMENTED(sum, Sum, t) SEGMENTED(product, Product, t)
#define ENDS(t) SEGMENTED(min, Min, t) SEGMENTED(max, Max, t)
BOTH(u32)
BOTH(u64)
BOTH(f32)
BOTH(f64)
ENDS(i32)
ENDS(u32)
ENDS(i64)
ENDS(u64)
ENDS(f32)
ENDS(f64)
