#pragma once
#include <iostream>
#include "deep.cuh"
#define TILE 16
inline void describe() { std::cout << TILE << std::endl; }
__global__ void transpose(const float *in, float *out, int n) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < n && y < n) tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    if (x < n && y < n) out[y * n + x] = deeper(tile[threadIdx.x][threadIdx.y]);
}
