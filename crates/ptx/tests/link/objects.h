#pragma once
#include <cstdio>
extern __device__ int shared_counter;
extern __device__ int table[4];
__device__ int far(int x);
template <class T> __device__ __noinline__ T tmpl(T x) { static __device__ T memory; return memory += x; }
inline __device__ __noinline__ int inl(int x) { return tmpl(x) + 1; }
