// Four streams that wait for nobody, then one that waits for all.
#include "check.h"

__global__ void fill(int *out, int n, int value) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = value + i;
}

__global__ void total(const int *in, int n, int *out) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += in[i];
    *out = sum;
}

int main() {
    const int n = 256, parts = 4;
    int *data, *sum, *host;
    CHECK(cudaMalloc(&data, n * parts * sizeof(int)));
    CHECK(cudaMalloc(&sum, sizeof(int)));
    CHECK(cudaMallocHost(&host, sizeof(int)));
    cudaStream_t streams[parts], last;
    cudaEvent_t done[parts];
    CHECK(cudaStreamCreateWithFlags(&last, cudaStreamNonBlocking));
    for (int i = 0; i < parts; i++) {
        CHECK(cudaStreamCreate(&streams[i]));
        CHECK(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
        fill<<<1, 64, 0, streams[i]>>>(data + i * n, n, i * 1000);
        CHECK(cudaEventRecord(done[i], streams[i]));
        CHECK(cudaStreamWaitEvent(last, done[i], 0));
    }
    total<<<1, 1, 0, last>>>(data, n * parts, sum);
    CHECK(cudaMemcpyAsync(host, sum, sizeof(int), cudaMemcpyDeviceToHost, last));
    CHECK(cudaStreamSynchronize(last));
    printf("sum %d\n", *host);
    int least, greatest, priority;
    unsigned flags;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamGetPriority(last, &priority));
    CHECK(cudaStreamGetFlags(last, &flags));
    printf("priorities in order: %d, of the last: %d, flags %u\n", least >= greatest, priority, flags);
    CHECK(cudaStreamQuery(last));
    for (int i = 0; i < parts; i++) {
        CHECK(cudaStreamDestroy(streams[i]));
        CHECK(cudaEventDestroy(done[i]));
    }
    CHECK(cudaStreamDestroy(last));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(data));
    CHECK(cudaFree(sum));
}
