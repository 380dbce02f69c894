// Blocks that wait for all others: a sum in two phases of one launch.
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void total(const int *data, int n, int *parts, int *out) {
    cg::grid_group grid = cg::this_grid();
    int own = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) own += data[i];
    parts[grid.thread_rank()] = own;
    grid.sync();
    if (grid.thread_rank() == 0) {
        int sum = 0;
        for (int i = 0; i < grid.size(); i++) sum += parts[i];
        *out = sum;
    }
}

int main() {
    int supported, n = 5000, blocks;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, total, 64, 0));
    printf("supported %d, at least one block fits %d\n", supported, blocks > 0);
    int *data, *parts, *out, result;
    CHECK(cudaMallocManaged(&data, n * sizeof(int)));
    for (int i = 0; i < n; i++) data[i] = i % 11;
    CHECK(cudaMalloc(&parts, 8 * 64 * sizeof(int)));
    CHECK(cudaMalloc(&out, sizeof(int)));
    void *arguments[] = {&data, &n, &parts, &out};
    CHECK(cudaLaunchCooperativeKernel((void *)total, dim3(8), dim3(64), arguments, 0, 0));
    CHECK(cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost));
    printf("sum %d\n", result);
    cudaError_t code = cudaLaunchCooperativeKernel((void *)total, dim3(1000000), dim3(64), arguments, 0, 0);
    printf("too many: %s\n", cudaGetErrorName(code));
    CHECK(cudaFree(data));
    CHECK(cudaFree(parts));
    CHECK(cudaFree(out));
}
