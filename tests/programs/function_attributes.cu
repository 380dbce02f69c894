// What is known of a kernel.
#include "check.h"
#include <string.h>

__global__ void plain(int *out) { *out = 1; }
__global__ void __launch_bounds__(128) bounded(int *out, char c, double d) {
    __shared__ int tile[256];
    tile[threadIdx.x] = c + (int)d;
    __syncthreads();
    out[threadIdx.x] = tile[127 - threadIdx.x];
}

int main() {
    cudaFuncAttributes a;
    CHECK(cudaFuncGetAttributes(&a, plain));
    printf("plain: shared %zu, most threads %d, registers %d\n", a.sharedSizeBytes, a.maxThreadsPerBlock,
           a.numRegs > 0);
    CHECK(cudaFuncGetAttributes(&a, bounded));
    printf("bounded: shared %zu, most threads %d\n", a.sharedSizeBytes, a.maxThreadsPerBlock);
    size_t offset, size;
    for (int i = 0; i < 3; i++) {
        CHECK(cudaFuncGetParamInfo((const void *)bounded, i, &offset, &size));
        printf("parameter %d: at %zu, %zu bytes\n", i, offset, size);
    }
    printf("a fourth: %s\n", cudaGetErrorName(cudaFuncGetParamInfo((const void *)bounded, 3, &offset, &size)));
    const char *name;
    CHECK(cudaFuncGetName(&name, (const void *)plain));
    printf("name has plain: %d\n", strstr(name, "plain") != nullptr);
    CHECK(cudaFuncSetAttribute(plain, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    CHECK(cudaFuncGetAttributes(&a, plain));
    printf("carveout %d\n", a.preferredShmemCarveout);
}
