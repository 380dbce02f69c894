// Device code in three files: functions and variables of one are used in another.
// nvcc: -rdc=true
#include "../check.h"
#include "shared.h"

__global__ void run(int *out) {
    out[threadIdx.x] = scaled(threadIdx.x) + base;
    if (threadIdx.x == 0) calls_of_main = 1;
}

static __device__ int hidden() { return 1; }
__global__ void own(int *out) { *out = hidden(); }

int main() {
    int *data, host[8], one, two, value = 1000;
    CHECK(cudaMalloc(&data, sizeof host));
    run<<<1, 8>>>(data);
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d %d\n", host[0], host[7]);
    CHECK(cudaMemcpyToSymbol(base, &value, sizeof value));
    run<<<1, 8>>>(data);
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d %d\n", host[0], host[7]);
    own<<<1, 1>>>(data);
    CHECK(cudaMemcpy(&one, data, sizeof one, cudaMemcpyDeviceToHost));
    other_own(data);
    CHECK(cudaMemcpy(&two, data, sizeof two, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyFromSymbol(&value, calls_of_main, sizeof value));
    printf("hidden %d %d, shared %d\n", one, two, value);
    CHECK(cudaFree(data));
}
