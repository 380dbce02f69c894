// What a launch costs: a million launches of a kernel that does nothing.
//
//     taskset -c 0 warpwise exec --quiet scripts/driver/launches.cu

#include <chrono>
#include <cstdio>

__global__ void nothing() {}

int main() {
    const int launches = 1000000;
    nothing<<<1, 1>>>();
    cudaDeviceSynchronize();
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; i++) nothing<<<1, 1>>>();
    cudaError_t error = cudaDeviceSynchronize();
    std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    printf("%d launches: %s, %.2f us each\n", launches, cudaGetErrorString(error), time.count() / launches);
    return error != cudaSuccess;
}
