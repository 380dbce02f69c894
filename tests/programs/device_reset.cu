// After a reset everything is as at the start, and kernels still launch.
#include "check.h"

__device__ int counter = 1;
__global__ void count() { counter += 10; }

static int read() {
    int value;
    CHECK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
    return value;
}

int main() {
    count<<<1, 1>>>();
    printf("%d\n", read());
    CHECK(cudaDeviceReset());
    printf("%d\n", read());
    count<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    printf("%d\n", read());
    CHECK(cudaDeviceReset());
}
