// Kernels that launch kernels.
// nvcc: -rdc=true -lcudadevrt
#include "check.h"

__global__ void child(int *data, int from, int n) {
    int i = threadIdx.x;
    if (i < n) data[from + i] = (from + i) * 2;
}

__global__ void parent(int *data, int n) {
    int from = threadIdx.x * 8;
    if (from < n) child<<<1, 8>>>(data, from, n - from < 8 ? n - from : 8);
}

int main() {
    const int n = 50;
    int *data, host[n];
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemset(data, 0, sizeof host));
    parent<<<1, 32>>>(data, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += host[i] != 2 * i;
    printf("%d numbers, %d wrong\n", n, wrong);
    CHECK(cudaFree(data));
}
