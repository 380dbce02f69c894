// A sort by many launches over global memory.
#include "check.h"

__global__ void exchange(unsigned *data, int k, int j) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
    if (other > i) {
        bool up = (i & k) == 0;
        unsigned a = data[i], b = data[other];
        if ((a > b) == up) data[i] = b, data[other] = a;
    }
}

int main() {
    const int n = 2048;
    unsigned host[n], *data, seed = 3, launches = 0;
    unsigned long long before = 0, after = 0;
    for (int i = 0; i < n; i++) seed = seed * 1664525 + 1013904223, host[i] = seed, before += seed;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) exchange<<<n / 256, 256>>>(data, k, j), launches++;
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; i++) after += host[i], wrong += i && host[i - 1] > host[i];
    printf("%u launches, %d out of order, same sum: %d\n", launches, wrong, before == after);
    CHECK(cudaFree(data));
}
