// Twenty thousand launches of next to nothing.
#include "check.h"

__global__ void tick(int *count) { *count += 1; }

int main() {
    int *count, host;
    CHECK(cudaMalloc(&count, sizeof(int)));
    CHECK(cudaMemset(count, 0, sizeof(int)));
    for (int i = 0; i < 20000; i++) tick<<<1, 1>>>(count);
    CHECK(cudaMemcpy(&host, count, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d\n", host);
    CHECK(cudaFree(count));
}
