// What comes after a product that is scaled, or added to what is there.
#include "../kernels.cuh"

// Products and sums that the compiler does not fuse.
__device__ inline f32 times(f32 a, f32 b) { return __fmul_rn(a, b); }
__device__ inline f64 times(f64 a, f64 b) { return __dmul_rn(a, b); }
__device__ inline f32 plus(f32 a, f32 b) { return __fadd_rn(a, b); }
__device__ inline f64 plus(f64 a, f64 b) { return __dadd_rn(a, b); }

// C = alpha P + beta C. Each of the three operations is rounded by itself, as on the CPU. With beta = 0, C is not read.
// Launch: any grid and block. Arguments: P, whose rows follow each other, C, alpha, beta, columns, elements of P, and
// the elements from one row of C to the next.
template <class T> __device__ void scale(const T* p, T* c, T alpha, T beta, u64 columns, u64 count, u64 stride) {
    for (u64 i = global_thread(); i < count; i += global_threads()) {
        u64 row = i / columns;
        T* to = c + row * stride + (i - row * columns);
        T x = times(alpha, p[i]);
        *to = beta == T(0) ? x : plus(x, times(beta, *to));
    }
}

#define SCALE(t) \
    extern "C" __global__ void matmul_scale_##t( \
        const t* p, t* c, t alpha, t beta, u64 columns, u64 count, u64 stride) { \
        scale(p, c, alpha, beta, columns, count, stride); \
    }

SCALE(f32)
SCALE(f64)
