// libcu++: a pipeline and a barrier that asynchronous copies complete, atomics with scopes, and types of the
// standard library.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/variant>
#include <cooperative_groups.h>
#include <complex>
#include <cstdio>
#include <vector>
namespace cg = cooperative_groups;
__global__ void pipelined(const int *in, int *out, int tiles) {
    constexpr int STAGES = 2;
    __shared__ int buffer[STAGES][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int fetch = 0, use = 0; use < tiles; use++) {
        for (; fetch < tiles && fetch < use + STAGES; fetch++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, buffer[fetch % STAGES], in + fetch * 128, cuda::aligned_size_t<16>(512),
                               pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        out[use * 128 + threadIdx.x] = buffer[use % STAGES][127 - threadIdx.x] * 2;
        pipe.consumer_release();
    }
}
__global__ void barriers(const int *in, int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[128];
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(&s[threadIdx.x], &in[threadIdx.x], sizeof(int), bar);
    auto token = bar.arrive();
    int mine = threadIdx.x * 3;
    bar.wait(std::move(token));
    out[threadIdx.x] = s[(threadIdx.x + 1) % 128] + mine;
    bar.arrive_and_wait();
    if (threadIdx.x < 64)
        bar.arrive_and_drop();
    else {
        bar.arrive_and_wait();
        out[threadIdx.x] += 1;
    }
}
__device__ cuda::atomic<int, cuda::thread_scope_device> tickets{0};
__global__ void atomics(int *plain, unsigned long long *wide, float *f, int *order) {
    cuda::atomic_ref<int, cuda::thread_scope_device> a(*plain);
    a.fetch_add(threadIdx.x, cuda::memory_order_relaxed);
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_system> w(*wide);
    unsigned long long old = w.load();
    while (!w.compare_exchange_weak(old, old * 1 + 3)) {
    }
    cuda::atomic_ref<float> r(*f);
    r.fetch_max((float)(blockIdx.x * 100 + threadIdx.x));
    int t = tickets.fetch_add(1, cuda::memory_order_acq_rel);
    order[t] = 1;
}
__global__ void producer_consumer(int *data, cuda::atomic<int, cuda::thread_scope_device> *flag, int *got) {
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            *data = 42;
            flag->store(1, cuda::memory_order_release);
            flag->notify_all();
        }
    } else if (threadIdx.x == 0) {
        flag->wait(0, cuda::memory_order_acquire);
        *got = *data;
    }
}
__global__ void types(const float *re, double *out) {
    using namespace cuda::std;
    cuda::std::complex<float> z(re[threadIdx.x], 1.f),
        w = exp(z) * conj(z) / cuda::std::complex<float>(1.f, 2.f);
    cuda::std::array<float, 3> a = {1, 2, 3};
    cuda::std::span<float> s(a);
    float sum = 0;
    for (float v : s)
        sum += v;
    cuda::std::optional<int> o;
    if (threadIdx.x % 2)
        o = threadIdx.x;
    auto t = cuda::std::make_tuple(1, 2.5);
    cuda::std::variant<int, float> v = 3.5f;
    out[threadIdx.x] = abs(w) + sum + o.value_or(-1) + cuda::std::get<1>(t) + cuda::std::get<float>(v) +
                       (cuda::std::numeric_limits<short>::max)();
}
int main() {
    const int tiles = 5, n = tiles * 128;
    std::vector<int> in(n);
    for (int i = 0; i < n; i++)
        in[i] = i * 7 % 1000;
    int *d, *out;
    cudaMalloc(&d, n * 4);
    cudaMallocManaged(&out, n * 4);
    cudaMemcpy(d, in.data(), n * 4, cudaMemcpyHostToDevice);
    pipelined<<<1, 128>>>(d, out, tiles);
    cudaDeviceSynchronize();
    bool ok = true;
    for (int i = 0; i < n; i++)
        ok = ok && out[i] == 2 * in[i / 128 * 128 + 127 - i % 128];
    printf("pipeline: %s\n", ok ? "right" : "wrong");
    barriers<<<1, 128>>>(d, out);
    cudaDeviceSynchronize();
    ok = true;
    for (int i = 0; i < 128; i++)
        ok = ok && out[i] == in[(i + 1) % 128] + 3 * i + (i >= 64);
    printf("barrier: %s\n", ok ? "right" : "wrong");
    int *plain;
    unsigned long long *wide;
    float *f;
    int *order;
    cudaMallocManaged(&plain, 4);
    cudaMallocManaged(&wide, 8);
    cudaMallocManaged(&f, 4);
    cudaMallocManaged(&order, 256 * 4);
    *plain = 0;
    *wide = 1;
    *f = 0;
    for (int i = 0; i < 256; i++)
        order[i] = 0;
    atomics<<<4, 64>>>(plain, wide, f, order);
    cudaDeviceSynchronize();
    ok = *plain == 4 * 63 * 32 && *wide == 1 + 256 * 3 && *f == 363;
    for (int i = 0; i < 256; i++)
        ok = ok && order[i];
    printf("atomics: %s\n", ok ? "right" : "wrong");
    cuda::atomic<int, cuda::thread_scope_device> *flag;
    cudaMallocManaged(&flag, sizeof *flag);
    new (flag) cuda::atomic<int, cuda::thread_scope_device>(0);
    producer_consumer<<<2, 32>>>(plain, flag, order);
    cudaDeviceSynchronize();
    printf("flag: %d\n", order[0]);
    double *v;
    cudaMallocManaged(&v, 256);
    float *re;
    cudaMallocManaged(&re, 128);
    for (int i = 0; i < 32; i++)
        re[i] = i / 16.f;
    types<<<1, 32>>>(re, v);
    cudaDeviceSynchronize();
    ok = true;
    for (int i = 0; i < 32; i++) {
        std::complex<float> z(re[i], 1), w = std::exp(z) * std::conj(z) / std::complex<float>(1, 2);
        ok = ok && fabs(v[i] - (std::abs(w) + 6 + (i % 2 ? i : -1) + 6 + 32767)) < 0.01;
    }
    printf("types: %s\n", ok ? "right" : "wrong");
    for (void *p : {(void *)d, (void *)out, (void *)plain, (void *)wide, (void *)f, (void *)order,
                    (void *)flag, (void *)v, (void *)re})
        cudaFree(p);
}
