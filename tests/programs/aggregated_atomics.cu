// Warp-aggregated atomics: __activemask, __match_any_sync, coalesced_threads, labeled_partition, __ballot,
// __fns, lane masks.
// nvcc: -arch=compute_80
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <algorithm>
#include <cstdio>
#include <vector>
namespace cg = cooperative_groups;
__device__ int add_aggregated(int *counter) {
    auto g = cg::coalesced_threads();
    int base;
    if (g.thread_rank() == 0)
        base = atomicAdd(counter, g.size());
    return g.shfl(base, 0) + g.thread_rank();
}
__global__ void filter(const int *in, int n, int *out, int *counter) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (in[i] % 3 == 0)
            out[add_aggregated(counter)] = in[i];
}
__global__ void histogram(const int *in, int n, unsigned *bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int key = in[i] & 15;
    unsigned mask = __activemask();
    unsigned peers = __match_any_sync(mask, key);
    unsigned lt;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
    if (__popc(peers & lt) == 0)
        atomicAdd(&bins[key], __popc(peers));
}
__global__ void by_label(const int *in, int *sums, int n) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = i < n ? in[i] : 0;
    auto part = cg::labeled_partition(tile, v & 3);
    int s = cg::reduce(part, v, cg::plus<int>());
    if (part.thread_rank() == 0)
        atomicAdd(&sums[v & 3], s);
    auto odd = cg::binary_partition(tile, v & 1);
    int m = cg::reduce(odd, v, cg::greater<int>());
    if (odd.thread_rank() == 0)
        atomicMax(&sums[4 + (v & 1)], m);
    int scanned = cg::inclusive_scan(tile, 1);
    if (scanned != tile.thread_rank() + 1)
        atomicAdd(&sums[6], 1);
    int x = cg::exclusive_scan(tile, v, cg::plus<int>());
    int y = tile.shfl_up(x + v, 1);
    if (tile.thread_rank() && x != y)
        atomicAdd(&sums[6], 1);
    unsigned third = __fns(__ballot_sync(~0u, v & 1), 0, 3);
    int pred;
    unsigned all = __match_all_sync(~0u, v >> 30, &pred);
    if (!pred || all != ~0u)
        atomicAdd(&sums[6], 1);
    if (tile.thread_rank() == 0)
        atomicAdd(&sums[7], (int)third);
    if (tile.any(v < 0) || !tile.all(v >= 0))
        atomicAdd(&sums[6], 1);
    unsigned r = __reduce_or_sync(~0u, 1u << (v & 31)), q = __reduce_max_sync(~0u, (unsigned)v);
    if (tile.thread_rank() == 0) {
        atomicOr((unsigned *)&sums[8], r);
        atomicMax((unsigned *)&sums[9], q);
    }
}
int main() {
    const int n = 2048;
    std::vector<int> in(n);
    unsigned s = 9;
    for (int &v : in)
        v = (s = s * 1664525u + 1013904223u) >> 12;
    int *d, *out, *counter, *sums;
    unsigned *bins;
    cudaMalloc(&d, n * 4);
    cudaMalloc(&out, n * 4);
    cudaMalloc(&counter, 4);
    cudaMalloc(&bins, 64);
    cudaMalloc(&sums, 40);
    cudaMemcpy(d, in.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemset(counter, 0, 4);
    cudaMemset(bins, 0, 64);
    cudaMemset(sums, 0, 40);
    filter<<<4, 128>>>(d, n, out, counter);
    histogram<<<n / 256, 256>>>(d, n, bins);
    by_label<<<n / 256, 256>>>(d, sums, n);
    int kept;
    unsigned h[16];
    int t[10];
    cudaMemcpy(&kept, counter, 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(h, bins, 64, cudaMemcpyDeviceToHost);
    cudaMemcpy(t, sums, 40, cudaMemcpyDeviceToHost);
    std::vector<int> got(kept), want;
    cudaMemcpy(got.data(), out, kept * 4, cudaMemcpyDeviceToHost);
    unsigned hw[16] = {};
    int tw[10] = {};
    for (int v : in) {
        if (v % 3 == 0)
            want.push_back(v);
        hw[v & 15]++;
        tw[v & 3] += v;
        tw[4 + (v & 1)] = std::max(tw[4 + (v & 1)], v);
        tw[8] |= 1 << (v & 31);
        tw[9] = std::max(tw[9], v);
    }
    for (int b = 0; b < n; b += 32) {
        int c = 0;
        for (int i = 0; i < 32; i++)
            if (in[b + i] & 1 && ++c == 3)
                tw[7] += i;
        if (c < 3)
            tw[7] += -1;
    }
    std::sort(got.begin(), got.end());
    std::sort(want.begin(), want.end());
    printf("filter %s, histogram %s, groups %s\n", got == want ? "right" : "wrong",
           std::equal(h, h + 16, hw) ? "right" : "wrong", std::equal(t, t + 10, tw) ? "right" : "wrong");
    cudaFree(d);
    cudaFree(out);
    cudaFree(counter);
    cudaFree(bins);
    cudaFree(sums);
}
