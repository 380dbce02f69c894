// Threads of the host, each with work and errors of its own.
#include "check.h"
#include <thread>
#include <vector>

__global__ void power(int *data, int times) {
    for (int i = 0; i < times; i++) data[threadIdx.x] = data[threadIdx.x] * 3 % 1009;
}

static int results[8];
static cudaError_t last[8];

static void work(int number) {
    CHECK(cudaSetDevice(0));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    int *data, host[32];
    for (int i = 0; i < 32; i++) host[i] = i + number;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpyAsync(data, host, sizeof host, cudaMemcpyHostToDevice, stream));
    for (int i = 0; i < 10; i++) power<<<1, 32, 0, stream>>>(data, number + 1);
    CHECK(cudaMemcpyAsync(host, data, sizeof host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    int sum = 0;
    for (int v : host) sum += v;
    results[number] = sum;
    if (number % 2) cudaSetDevice(-1);
    last[number] = cudaGetLastError();
    CHECK(cudaFree(data));
    CHECK(cudaStreamDestroy(stream));
}

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; i++) threads.emplace_back(work, i);
    for (auto &thread : threads) thread.join();
    int wrong = 0;
    for (int number = 0; number < 8; number++) {
        int sum = 0;
        for (int i = 0; i < 32; i++) {
            int v = i + number;
            for (int k = 0; k < 10 * (number + 1); k++) v = v * 3 % 1009;
            sum += v;
        }
        wrong += sum != results[number];
        wrong += last[number] != (number % 2 ? cudaErrorInvalidDevice : cudaSuccess);
    }
    printf("8 threads, %d wrong\n", wrong);
}
