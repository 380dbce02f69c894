// Copies to shared memory that go on while the block works, and a barrier where threads arrive first and wait later.
// nvcc: -arch=compute_80
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/std/utility>
namespace cg = cooperative_groups;

__global__ void sums(const int *in, int *out, int tiles) {
    __shared__ int tile[2][128];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    cg::thread_block block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&barrier, block.size());
    block.sync();
    cg::memcpy_async(block, tile[0], in, sizeof tile[0]);
    cg::wait(block);
    int sum = 0;
    for (int t = 0; t < tiles; t++) {
        if (t + 1 < tiles) cg::memcpy_async(block, tile[(t + 1) % 2], in + (t + 1) * 128, sizeof tile[0]);
        sum += tile[t % 2][(threadIdx.x + t) % 128];
        // Nobody's tile is overwritten before all have read it.
        auto arrived = barrier.arrive();
        cg::wait(block);
        barrier.wait(cuda::std::move(arrived));
    }
    out[threadIdx.x] = sum;
}

int main() {
    const int tiles = 6;
    int host[128 * tiles], out[128], *in, *device;
    for (int i = 0; i < 128 * tiles; i++) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&device, sizeof out));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    sums<<<1, 128>>>(in, device, tiles);
    CHECK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < 128; i++) {
        int sum = 0;
        for (int t = 0; t < tiles; t++) sum += t * 128 + (i + t) % 128;
        wrong += out[i] != sum;
    }
    printf("%d tiles, %d wrong\n", tiles, wrong);
    CHECK(cudaFree(in));
    CHECK(cudaFree(device));
}
