// Events around a kernel: time goes forward, and queries know what has happened.
#include "check.h"

__global__ void work(int *out) {
    int sum = 0;
    for (int i = 0; i < 1000; i++) sum += i * threadIdx.x;
    out[threadIdx.x] = sum;
}

int main() {
    int *out;
    CHECK(cudaMalloc(&out, 64 * sizeof(int)));
    cudaEvent_t start, end, never;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventCreateWithFlags(&never, cudaEventDisableTiming));
    CHECK(cudaEventRecord(start));
    work<<<1, 64>>>(out);
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms = -1;
    CHECK(cudaEventElapsedTime(&ms, start, end));
    printf("time went forward: %d\n", ms >= 0);
    printf("query: %s\n", cudaGetErrorName(cudaEventQuery(end)));
    printf("without timing: %s\n", cudaGetErrorName(cudaEventElapsedTime(&ms, start, never)));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaEventDestroy(never));
    CHECK(cudaFree(out));
}
