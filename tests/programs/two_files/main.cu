// Two files, each with its own device code, and names that both have.
#include "../check.h"

void other(int *data);

static __device__ int bias = 1;
static __global__ void run(int *data) { data[threadIdx.x] += bias; }
__constant__ int factor = 10;
__global__ void scale(int *data) { data[threadIdx.x] *= factor; }

int main() {
    int *data, host[2] = {1, 2};
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    run<<<1, 2>>>(data);
    other(data);
    scale<<<1, 2>>>(data);
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d %d\n", host[0], host[1]);
    CHECK(cudaFree(data));
}
