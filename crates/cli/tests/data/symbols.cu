// A constant table that host code fills, and stores that only an unoptimised build keeps.
#include <cstdio>

__constant__ float weights[4];

struct Job {
    unsigned n;
    float factor;
    const float *x;
};

__global__ void weigh(Job job, float *y) {
    unsigned i = threadIdx.x;
    if (i < job.n) y[i] = job.factor * job.x[i] * weights[i % 4];
}

__global__ void overwritten(int *y) {
    y[0] = threadIdx.x;
    y[0] = 7;
    y[threadIdx.x + 1] = threadIdx.x;
}

__global__ void endless(volatile int *flag) {
    while (*flag == 0) {
    }
}

int main() {
    float host[4] = {1, 2, 3, 4};
    cudaMemcpyToSymbol(weights, host, sizeof host);
    weigh<<<1, 32>>>(Job{8, 2.0f, nullptr}, nullptr);
    return 0;
}
