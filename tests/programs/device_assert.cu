// An assertion that fails ends everything on the device, and stays.
// finds: trap
#include "check.h"
#include <assert.h>

__global__ void check_positive(const int *data, int n) {
    int i = threadIdx.x;
    if (i < n) assert(data[i] > 0);
}

int main() {
    int host[4] = {1, 2, 0, 4}, *data;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    check_positive<<<1, 2>>>(data, 2);
    printf("two: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    check_positive<<<1, 4>>>(data, 4);
    printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("four: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("later: %s\n", cudaGetErrorName(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost)));
}
