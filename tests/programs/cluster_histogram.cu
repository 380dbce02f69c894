// Clusters: a histogram in the shared memory of several blocks, a ring, and a launch that begins before
// another ends.
// nvcc: -arch=compute_90
#include "check.h"
#include <cooperative_groups.h>
#include <vector>
namespace cg = cooperative_groups;
__global__ void histogram(const int* in, int n, int* bins, int per) {
    extern __shared__ int part[];
    auto cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < per; i += blockDim.x) part[i] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int b = in[i], owner = b / per;
        int* far = cluster.map_shared_rank(part, owner);
        atomicAdd(far + b % per, 1);
    }
    cluster.sync();
    int* to = bins + cluster.block_rank() * per;
    for (int i = threadIdx.x; i < per; i += blockDim.x) atomicAdd(to + i, part[i]);
}
__global__ void __cluster_dims__(4, 1, 1) ring(int* out) {
    __shared__ int mine[64];
    auto cluster = cg::this_cluster();
    unsigned r = cluster.block_rank();
    mine[threadIdx.x] = r * 100 + threadIdx.x;
    auto token = cluster.barrier_arrive();
    cluster.barrier_wait(static_cast<decltype(token)&&>(token));
    int* next = cluster.map_shared_rank(mine, (r + 1) % cluster.num_blocks());
    int v = next[63 - threadIdx.x];
    unsigned back = cluster.query_shared_rank(next);
    cluster.sync();
    out[blockIdx.x * 64 + threadIdx.x] = v * 10 + back;
}
__global__ void first(int* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = i * 3;
    cudaTriggerProgrammaticLaunchCompletion();
}
__global__ void second(const int* data, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaGridDependencySynchronize();
    if (i < n) out[i] = data[n - 1 - i] + 1;
}
int main() {
    const int N = 5000, BINS = 256, SIZE = 4;
    std::vector<int> in(N), want(BINS), got(BINS);
    for (int i = 0; i < N; i++) {
        in[i] = (i * 7919 >> 3) & (BINS - 1);
        want[in[i]]++;
    }
    int *a, *b;
    CHECK(cudaMalloc(&a, N * 4));
    CHECK(cudaMalloc(&b, BINS * 4));
    CHECK(cudaMemcpy(a, in.data(), N * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(b, 0, BINS * 4));
    cudaLaunchConfig_t c = {};
    c.gridDim = 8;
    c.blockDim = 128;
    c.dynamicSmemBytes = BINS / SIZE * 4;
    cudaLaunchAttribute at[1];
    at[0].id = cudaLaunchAttributeClusterDimension;
    at[0].val.clusterDim = {SIZE, 1, 1};
    c.attrs = at;
    c.numAttrs = 1;
    int most = 0;
    CHECK(cudaOccupancyMaxActiveClusters(&most, histogram, &c));
    printf("some clusters fit: %d\n", most > 0);
    CHECK(cudaLaunchKernelEx(&c, histogram, (const int*)a, N, b, BINS / SIZE));
    CHECK(cudaMemcpy(got.data(), b, BINS * 4, cudaMemcpyDeviceToHost));
    printf("histogram: %s\n", got == want ? "right" : "wrong");
    int* o;
    CHECK(cudaMalloc(&o, 8 * 64 * 4));
    std::vector<int> v(512);
    ring<<<8, 64>>>(o);
    CHECK(cudaMemcpy(v.data(), o, 2048, cudaMemcpyDeviceToHost));
    long long sum = 0;
    for (int i = 0; i < 512; i++) sum += (long long)v[i] * (i + 1);
    printf("ring: %lld\n", sum);
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    int *d, *e;
    CHECK(cudaMalloc(&d, 1000 * 4));
    CHECK(cudaMalloc(&e, 1000 * 4));
    cudaLaunchConfig_t p = {};
    p.gridDim = 8;
    p.blockDim = 128;
    p.stream = s;
    first<<<8, 128, 0, s>>>(d, 1000);
    cudaLaunchAttribute pa[1];
    pa[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    pa[0].val.programmaticStreamSerializationAllowed = 1;
    p.attrs = pa;
    p.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&p, second, (const int*)d, e, 1000));
    std::vector<int> w(1000);
    CHECK(cudaMemcpyAsync(w.data(), e, 4000, cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamSynchronize(s));
    int wrong = 0;
    for (int i = 0; i < 1000; i++) wrong += w[i] != (999 - i) * 3 + 1;
    printf("dependent launch: %d wrong\n", wrong);
    cudaFree(a);
    cudaFree(b);
    cudaFree(o);
    cudaFree(d);
    cudaFree(e);
    cudaStreamDestroy(s);
    cudaLaunchConfig_t bad = c;
    at[0].val.clusterDim = {3, 1, 1};
    cudaError_t code = cudaLaunchKernelEx(&bad, histogram, (const int*)a, 0, b, 1);
    printf("grid of 8 in clusters of 3: %s\n", cudaGetErrorName(code));
    cudaGetLastError();
}
