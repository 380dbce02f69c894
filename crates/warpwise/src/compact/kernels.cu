// out = the elements of in that are kept, one after the other.
//
// Rungs 1 to 3; `look_back.cu` has the last. Elements are kept that compare with a value in one of four ways, or whose
// byte in a mask is not zero: `keep` stands for the arguments `condition, value` of the kernels of a type, and `mask` of
// those called mask_b32 and mask_b64, for elements of 32 and 64 bits. n >= 1. in and out may not overlap.
#include "keeping.cuh"

// Rung gpu-1-two-pass: a one for every element that is kept. The inclusive sums of these, which `scan` makes, are the
// places where elements go. All of that is written to memory and read again.
// Launch: any block, grid ceil(n / block); then a scan of `flags`; then the next kernel.
// Arguments: in, keep, flags, n; without `in` for a mask.
template <class T, class Keep> __device__ void compact_1_two_pass_flags(const T* in, Keep keep, u32* flags, u64 n) {
    u64 i = global_thread();
    if (i < n) flags[i] = keep(in[i], i);
}
__device__ void compact_1_two_pass_flags(const u8* mask, u32* flags, u64 n) {
    u64 i = global_thread();
    if (i < n) flags[i] = mask[i] != 0;
}

// The second pass: an element is kept where the sums grow.
// Launch: any block, grid ceil(n / block). Arguments: in, sums, out, n.
template <class T> __device__ void compact_1_two_pass_scatter(const T* in, const u32* sums, T* out, u64 n) {
    u64 i = global_thread();
    if (i >= n) return;
    u32 before = i == 0 ? 0 : sums[i - 1];
    if (sums[i] != before) out[before] = in[i];
}

// Rung gpu-2-warp-atomic: a single pass. The lanes of a warp count those that are kept by a vote, and one of them asks
// for room for all: an atomic operation a warp instead of one an element. Warps come in any order, and so do elements.
// Launch: block a multiple of 32, grid ceil(n / block). Arguments: in, keep, out, count, n. count is zero before.
template <class T, class Keep> __device__ void compact_2_warp_atomic(const T* in, Keep keep, T* out, u64* count, u64 n) {
    u64 i = global_thread();
    T x = T(0);
    bool kept = false;
    if (i < n) {
        x = in[i];
        kept = keep(x, i);
    }
    u32 votes = __ballot_sync(ALL_LANES, kept);
    if (votes == 0) return;
    u64 first = 0;
    if (threadIdx.x % WARP == 0) first = atomicAdd(count, u64(__popc(votes)));
    first = __shfl_sync(ALL_LANES, first, 0);
    if (kept) out[first + votes_before(votes)] = x;
}

// A warp's part of a tile: rows of 32 elements, so many of them.
enum : u32 { STAGED_ROWS = 8 };

// Rung gpu-3-staged, how many elements each tile keeps: what a scan of these makes of them is where tiles go. One number
// for a block instead of one an element, and the order is the input's again.
// Launch: block a multiple of 32, grid ceil(n / (8 * block)). Arguments: in, keep, counts, n.
template <class T, class Keep> __device__ void compact_3_staged_count(const T* in, Keep keep, u64* counts, u64 n) {
    __shared__ u32 total;
    u32 t = threadIdx.x, lane = t % WARP;
    if (t == 0) total = 0;
    __syncthreads();
    u64 i = global_thread() / WARP * (WARP * STAGED_ROWS) + lane;
    u32 kept = 0;
#pragma unroll
    for (u32 r = 0; r < STAGED_ROWS; r++, i += WARP) kept += __popc(__ballot_sync(ALL_LANES, i < n && keep(in[i], i)));
    if (lane == 0) atomicAdd(&total, kept);
    __syncthreads();
    if (t == 0) counts[blockIdx.x] = total;
}

// The second pass: a block gathers what it keeps in shared memory, and copies it from there: neighbouring lanes store
// neighbouring elements.
// Launch: as before, dynamic shared 8 * block * sizeof(T). Arguments: in, keep, ends, out, n. ends[b] is how many
//   elements the tiles up to b keep.
template <class T, class Keep>
__device__ void compact_3_staged(const T* in, Keep keep, const u64* ends, T* out, u64 n) {
    __shared__ u32 warps[WARP];
    T* staged = dynamic_shared<T>();
    u32 t = threadIdx.x, lane = t % WARP, warp = t / WARP;
    u64 i = global_thread() / WARP * (WARP * STAGED_ROWS) + lane;
    T x[STAGED_ROWS];
    u32 votes[STAGED_ROWS], kept = 0;
#pragma unroll
    for (u32 r = 0; r < STAGED_ROWS; r++, i += WARP) {
        x[r] = i < n ? in[i] : T(0);
        votes[r] = __ballot_sync(ALL_LANES, i < n && keep(x[r], i));
        kept += __popc(votes[r]);
    }
    if (lane == 0) warps[warp] = kept;
    __syncthreads();
    u32 place = 0, total = 0;
    for (u32 w = 0; w < blockDim.x / WARP; w++) {
        if (w == warp) place = total;
        total += warps[w];
    }
#pragma unroll
    for (u32 r = 0; r < STAGED_ROWS; r++) {
        if (votes[r] >> lane & 1) staged[place + votes_before(votes[r])] = x[r];
        place += __popc(votes[r]);
    }
    __syncthreads();
    out += ends[blockIdx.x] - total;
    for (u32 k = t; k < total; k += blockDim.x) out[k] = staged[k];
}

// ---- Instances -----------------------------------------------------------------------------------------------------

#define KERNELS(suffix, t, Keep, VALUES, KEEP) \
    extern "C" __global__ void compact_2_warp_atomic_##suffix(const t* in, VALUES, t* out, u64* count, u64 n) { \
        compact_2_warp_atomic(in, Keep KEEP, out, count, n); \
    } \
    extern "C" __global__ void compact_3_staged_count_##suffix(const t* in, VALUES, u64* counts, u64 n) { \
        compact_3_staged_count(in, Keep KEEP, counts, n); \
    } \
    extern "C" __global__ void compact_3_staged_##suffix(const t* in, VALUES, const u64* ends, t* out, u64 n) { \
        compact_3_staged(in, Keep KEEP, ends, out, n); \
    }
#define COMMA ,
#define WHERE(t) \
    extern "C" __global__ void compact_1_two_pass_flags_##t(const t* in, u32 condition, t value, u32* flags, u64 n) { \
        compact_1_two_pass_flags(in, Where<t>{condition, value}, flags, n); \
    } \
    KERNELS(t, t, Where<t>, u32 condition COMMA t value, {condition COMMA value})
#define MASKED(suffix, t) \
    extern "C" __global__ void compact_1_two_pass_scatter_##suffix(const t* in, const u32* sums, t* out, u64 n) { \
        compact_1_two_pass_scatter(in, sums, out, n); \
    } \
    KERNELS(mask_##suffix, t, Masked<t>, const u8* mask, {mask})

extern "C" __global__ void compact_1_two_pass_flags_mask(const u8* mask, u32* flags, u64 n) {
    compact_1_two_pass_flags(mask, flags, n);
}
WHERE(i32)
WHERE(u32)
WHERE(f32)
WHERE(f64)
MASKED(b32, u32)
MASKED(b64, u64)
