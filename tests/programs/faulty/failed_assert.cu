// Finds: trap
// Options: --check none

#include <cassert>
#include <cstdio>
#include <cuda_runtime.h>

__global__ void check(int n) {
    assert(threadIdx.x < n);  // here
}

int main(int argc, char **) {
    check<<<1, 32>>>(argc > 1 ? 32 : 31);
    if (cudaDeviceSynchronize() != cudaSuccess) printf("failed\n");
}
