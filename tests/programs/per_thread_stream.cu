// Programs whose default stream is one a thread.
// nvcc: --default-stream per-thread
#include "check.h"
#include <thread>

__global__ void add(int *data, int value) { data[threadIdx.x] += value; }

static int sums[4];

static void work(int number) {
    int *data, host[16];
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemset(data, 0, sizeof host));
    for (int i = 0; i < 5; i++) add<<<1, 16>>>(data, number);
    CHECK(cudaMemcpyAsync(host, data, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    for (int v : host) sums[number] += v;
    CHECK(cudaFree(data));
}

int main() {
    std::thread threads[4];
    for (int i = 0; i < 4; i++) threads[i] = std::thread(work, i);
    for (auto &thread : threads) thread.join();
    for (int i = 0; i < 4; i++) printf("%d%c", sums[i], i < 3 ? ' ' : '\n');
}
