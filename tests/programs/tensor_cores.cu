// Matrices of two-byte numbers, multiplied by the tensor cores.
#include "check.h"
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void multiply(const __half *a, const __half *b, float *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 1.0f);
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, b, 16);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

int main() {
    __half a[256], b[256], *da, *db;
    float c[256], *dc;
    for (int i = 0; i < 256; i++) a[i] = __float2half(i % 7), b[i] = __float2half(i % 5);
    CHECK(cudaMalloc(&da, sizeof a));
    CHECK(cudaMalloc(&db, sizeof b));
    CHECK(cudaMalloc(&dc, sizeof c));
    CHECK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
    multiply<<<1, 32>>>(da, db, dc);
    CHECK(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            float sum = 1;
            for (int k = 0; k < 16; k++) sum += (float)((i * 16 + k) % 7) * ((j * 16 + k) % 5);
            wrong += c[i * 16 + j] != sum;
        }
    printf("256 products, %d wrong\n", wrong);
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
}
