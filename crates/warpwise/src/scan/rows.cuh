// Rows of a warp, which are 512 bytes and have 16 in a lane, scanned in registers.
#pragma once
#include "instances.cuh"

// Scans every vector by itself, and finds what comes before each of them: `before` and all lanes and rows before it.
// Returns what comes before the rows after these.
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

// Both: what comes before the rows is given, and what comes before the next ones returned.
template <bool INCLUSIVE, u32 ROWS, class T, class Op> __device__ T scan_rows(Vec16<T> (&rows)[ROWS], T before) {
    T left[ROWS];
    T after = scan_vectors<ROWS, T, Op>(rows, left, before);
#pragma unroll
    for (u32 r = 0; r < ROWS; r++) follow<INCLUSIVE, T, Op>(rows[r], left[r]);
    return after;
}
