// What every kernel of heat does with a cell: the order of its operations, and floats as ordered words.
#pragma once
#include "../../kernels.cuh"

__device__ inline u32 bits(f32 x) { return __float_as_uint(x); }
__device__ inline u64 bits(f64 x) { return u64(__double_as_longlong(x)); }
__device__ inline f32 from_bits(u32 x) { return __uint_as_float(x); }
__device__ inline f64 from_bits(u64 x) { return __longlong_as_double(i64(x)); }
__device__ inline f32 magnitude(f32 x) { return fabsf(x); }
__device__ inline f64 magnitude(f64 x) { return fabs(x); }
template <class T> struct Bits;
template <> struct Bits<f32> { using Word = u32; };
template <> struct Bits<f64> { using Word = u64; };

// Every operation rounded by itself, and never two joined into one: all rungs, and the CPU, give the same bits.
__device__ inline f32 plus(f32 a, f32 b) { return __fadd_rn(a, b); }
__device__ inline f64 plus(f64 a, f64 b) { return __dadd_rn(a, b); }
__device__ inline f32 times(f32 a, f32 b) { return __fmul_rn(a, b); }
__device__ inline f64 times(f64 a, f64 b) { return __dmul_rn(a, b); }

// A cell after a step, from the sums of its neighbours.
template <class T> __device__ T mean(T w, T here, T direct, T diagonal) {
    constexpr f64 ROOT2 = 1.41421356237309504880;
    constexpr T DIRECT = T(0.25 * ROOT2 / (ROOT2 + 1.0)), DIAGONAL = T(0.25 / (ROOT2 + 1.0));
    T around = plus(times(direct, DIRECT), times(diagonal, DIAGONAL));
    return plus(times(w, here), times(plus(T(1), -w), around));
}
