// What the kernels of matmul are given.
#pragma once
#include "../../kernels.cuh"

template <class T> struct Problem {
    const T* a;
    const T* b;
    T* c;
    u32 m, n, k;
    u64 lda, ldb, ldc;

    // Elements outside a matrix are 0, which changes no sum.
    __device__ T a_at(u32 row, u32 col) const { return row < m && col < k ? a[row * lda + col] : T(0); }
    __device__ T b_at(u32 row, u32 col) const { return row < k && col < n ? b[row * ldb + col] : T(0); }
    __device__ void set(u32 row, u32 col, T x) const {
        if (row < m && col < n) c[row * ldc + col] = x;
    }
};

// Whether every row starts at a 16-byte boundary.
template <class T> __device__ bool rows_aligned(const T* matrix, u64 stride) {
    return reinterpret_cast<u64>(matrix) % 16 == 0 && stride % Vec16<T>::SIZE == 0;
}
