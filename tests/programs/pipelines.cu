// A pipeline of the block, whose copies tell objects in shared memory when they have ended; groups that reduce, scan
// and part; atomics of references.
// nvcc: -arch=compute_90 -std=c++17 -diag-suppress=20054
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

const int THREADS = 128, ROUNDS = 8;

struct Best {
    int value;
    char tag;
};

struct Greater {
    __device__ Best operator()(const Best &a, const Best &b) const { return a.value >= b.value ? a : b; }
};

__global__ void stages(const int *in, int *out) {
    __shared__ int tiles[2][THREADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    cg::thread_block block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int next = 0, now = 0; now < ROUNDS; now++) {
        for (; next < ROUNDS && next < now + 2; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tiles[next % 2], in + next * THREADS, sizeof(int) * THREADS, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += tiles[now % 2][(threadIdx.x + 1) % THREADS];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

__global__ void groups(const int *in, int *out, Best *best, int *counts) {
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto eight = cg::tiled_partition<8>(warp);
    int t = block.thread_rank(), x = in[t];
    out[t] = cg::reduce(warp, x, cg::plus<int>()) + cg::exclusive_scan(warp, x);
    out[THREADS + t] = cg::reduce(eight, x, cg::greater<int>());
    Best found = cg::reduce(warp, Best{x, (char)(x % 26)}, Greater());
    if (warp.thread_rank() == 0) best[warp.meta_group_rank()] = found;
    auto alike = cg::labeled_partition(warp, x & 3);
    int sum = cg::reduce(alike, x, cg::plus<int>());
    cuda::atomic_ref<int, cuda::thread_scope_device> total(counts[x & 3]);
    if (alike.thread_rank() == 0) total.fetch_add(sum, cuda::memory_order_relaxed);
}

int main() {
    const int n = THREADS * ROUNDS, warps = THREADS / 32;
    int *in, *out, *counts;
    Best *best;
    CHECK(cudaMallocManaged(&in, n * sizeof(int)));
    CHECK(cudaMallocManaged(&out, 2 * THREADS * sizeof(int)));
    CHECK(cudaMallocManaged(&best, warps * sizeof(Best)));
    CHECK(cudaMallocManaged(&counts, 4 * sizeof(int)));
    for (int i = 0; i < n; i++) in[i] = i * 37 % 1009;
    stages<<<1, THREADS>>>(in, out);
    CHECK(cudaDeviceSynchronize());
    int wrong = 0;
    for (int i = 0; i < THREADS; i++) {
        int sum = 0;
        for (int round = 0; round < ROUNDS; round++) sum += in[round * THREADS + (i + 1) % THREADS];
        wrong += out[i] != sum;
    }
    printf("pipeline, %d wrong\n", wrong);
    for (int i = 0; i < 4; i++) counts[i] = 0;
    groups<<<1, THREADS>>>(in, out, best, counts);
    CHECK(cudaDeviceSynchronize());
    int totals[4] = {};
    wrong = 0;
    for (int w = 0; w < warps; w++) {
        int sum = 0, most = 0, before = 0;
        for (int i = w * 32; i < w * 32 + 32; i++) {
            sum += in[i];
            most = in[i] > most ? in[i] : most;
            totals[in[i] & 3] += in[i];
        }
        for (int i = w * 32; i < w * 32 + 32; i++) wrong += out[i] != sum + before, before += in[i];
        wrong += best[w].value != most || best[w].tag != most % 26;
    }
    for (int e = 0; e < THREADS; e += 8) {
        int most = 0;
        for (int i = e; i < e + 8; i++) most = in[i] > most ? in[i] : most;
        for (int i = e; i < e + 8; i++) wrong += out[THREADS + i] != most;
    }
    for (int i = 0; i < 4; i++) wrong += totals[i] != counts[i];
    printf("groups, %d wrong\n", wrong);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(best));
    CHECK(cudaFree(counts));
}
