// Groups of threads smaller than a block.
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void groups(int *out) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    int sum = cg::reduce(tile, (int)block.thread_rank(), cg::plus<int>());
    int most = cg::reduce(tile, (int)block.thread_rank() % 5, cg::greater<int>());
    if (tile.thread_rank() == 0) out[2 * tile.meta_group_rank()] = sum, out[2 * tile.meta_group_rank() + 1] = most;
    if (block.thread_rank() % 3 == 0) {
        cg::coalesced_group active = cg::coalesced_threads();
        if (active.thread_rank() == 0 && block.thread_rank() < 32) out[8] = active.size();
    }
}

int main() {
    int *device, out[9];
    CHECK(cudaMalloc(&device, sizeof out));
    groups<<<1, 32>>>(device);
    CHECK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++) printf("tile %d: sum %d, most %d\n", i, out[2 * i], out[2 * i + 1]);
    printf("%d threads together\n", out[8]);
    CHECK(cudaFree(device));
}
