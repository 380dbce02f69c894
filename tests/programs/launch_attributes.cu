// Launches with attributes: a cluster whose blocks read each other's shared memory.
// nvcc: -arch=compute_90
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void neighbours(int *out) {
    __shared__ int own;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) own = 10 * (blockIdx.x + 1);
    cluster.sync();
    int next = (cluster.block_rank() + 1) % cluster.num_blocks();
    if (threadIdx.x == 0) out[blockIdx.x] = *cluster.map_shared_rank(&own, next);
    cluster.sync();
}

__global__ void plain(int *out, int value) { out[threadIdx.x] = value; }

int main() {
    int *out, host[8];
    CHECK(cudaMalloc(&out, sizeof host));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(8), config.blockDim = dim3(32);
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = 4, attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    config.attrs = attribute, config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, neighbours, out));
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++) printf("%d%c", host[i], i < 7 ? ' ' : '\n');
    config.numAttrs = 0, config.gridDim = dim3(1), config.blockDim = dim3(8);
    CHECK(cudaLaunchKernelEx(&config, plain, out, 77));
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d %d\n", host[0], host[7]);
    config.blockDim = dim3(4096);
    printf("too large: %s\n", cudaGetErrorName(cudaLaunchKernelEx(&config, plain, out, 1)));
    CHECK(cudaFree(out));
}
