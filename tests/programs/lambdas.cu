// Kernels that run a function which the host wrote in place.
// nvcc: --extended-lambda
#include "check.h"

template <typename Function> __global__ void each(int n, Function function) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) function(i);
}

template <typename Function> void for_each(int n, Function function) {
    each<<<(n + 127) / 128, 128>>>(n, function);
    CHECK(cudaGetLastError());
}

int main() {
    const int n = 300;
    int *data, offset = 5;
    long long *sum;
    CHECK(cudaMallocManaged(&data, n * sizeof(int)));
    CHECK(cudaMallocManaged(&sum, sizeof *sum));
    *sum = 0;
    for_each(n, [=] __device__(int i) { data[i] = i * i + offset; });
    for_each(n, [=] __device__(int i) {
        if (data[i] % 2) atomicAdd((unsigned long long *)sum, (unsigned long long)data[i]);
    });
    CHECK(cudaDeviceSynchronize());
    printf("%d %d, odd ones %lld\n", data[0], data[n - 1], *sum);
    CHECK(cudaFree(data));
    CHECK(cudaFree(sum));
}
