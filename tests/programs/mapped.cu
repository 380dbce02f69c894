// A kernel that works on the host's memory in place.
#include "check.h"

__global__ void square(int *data, int n) {
    int i = threadIdx.x;
    if (i < n) data[i] *= data[i];
}

int main() {
    const int n = 10;
    int *host, *device;
    CHECK(cudaHostAlloc(&host, n * sizeof(int), cudaHostAllocMapped));
    for (int i = 0; i < n; i++) host[i] = i;
    CHECK(cudaHostGetDevicePointer(&device, host, 0));
    square<<<1, 32>>>(device, n);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) printf("%d%c", host[i], i + 1 < n ? ' ' : '\n');
    unsigned flags;
    CHECK(cudaHostGetFlags(&flags, host));
    printf("mapped: %d\n", (flags & cudaHostAllocMapped) != 0);
    CHECK(cudaFreeHost(host));
}
