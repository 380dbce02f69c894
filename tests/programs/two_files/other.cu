#include "../check.h"

static __device__ int bias = 100;
static __global__ void run(int *data) { data[threadIdx.x] += bias; }

void other(int *data) {
    int twenty = 20;
    CHECK(cudaMemcpyToSymbol(bias, &twenty, sizeof twenty));
    run<<<1, 2>>>(data);
    CHECK(cudaGetLastError());
}
