// Kernels print when the host waits for them, in order with what the host prints.
#include "check.h"

__global__ void hello(int launch) {
    if (threadIdx.x == 0)
        printf("launch %d: %s, %5.2f, %x, %c, %lld, %%\n", launch, "text", 3.14159, 255u, 'z', 1LL << 40);
}

__global__ void count() { printf("thread %d of %d\n", threadIdx.x, blockDim.x); }

int main() {
    printf("before\n");
    hello<<<1, 32>>>(1);
    CHECK(cudaDeviceSynchronize());
    printf("between\n");
    hello<<<1, 32>>>(2);
    count<<<1, 3>>>();
    CHECK(cudaDeviceSynchronize());
    printf("after\n");
}
