// The last block finishes: __threadfence and a counter; a spin lock; a double atomicAdd by atomicCAS; float
// max by int atomics; decoupled look-back with volatile flags.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>
__device__ unsigned arrived = 0;
__device__ volatile float partial[64];
__global__ void sum(const float *in, int n, float *out) {
    __shared__ float s[256];
    __shared__ bool last;
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        v += in[i];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int o = blockDim.x / 2; o; o /= 2) {
        if (threadIdx.x < o)
            s[threadIdx.x] += s[threadIdx.x + o];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        v = threadIdx.x < gridDim.x ? partial[threadIdx.x] : 0;
        s[threadIdx.x] = v;
        __syncthreads();
        for (int o = blockDim.x / 2; o; o /= 2) {
            if (threadIdx.x < o)
                s[threadIdx.x] += s[threadIdx.x + o];
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            *out = s[0];
            arrived = 0;
        }
    }
}
struct Lock {
    int held;
    __device__ void take() {
        while (atomicCAS(&held, 0, 1) != 0)
            __nanosleep(20);
        __threadfence();
    }
    __device__ void drop() {
        __threadfence();
        atomicExch(&held, 0);
    }
};
__global__ void locked(Lock *lock, int *count, int *log) {
    if (threadIdx.x == 0) {
        lock->take();
        int at = *(volatile int *)count;
        log[at] = blockIdx.x;
        *(volatile int *)count = at + 1;
        lock->drop();
    }
}
__device__ double add(double *at, double v) {
    unsigned long long *p = (unsigned long long *)at, old = *(volatile unsigned long long *)p, seen;
    do {
        seen = old;
        old = atomicCAS(p, seen, __double_as_longlong(v + __longlong_as_double(seen)));
    } while (seen != old);
    return __longlong_as_double(old);
}
__device__ float most(float *at, float v) {
    return v >= 0 ? __int_as_float(atomicMax((int *)at, __float_as_int(v)))
                  : __uint_as_float(atomicMin((unsigned *)at, __float_as_uint(v)));
}
__global__ void emulated(const float *in, int n, double *total, float *max) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        add(total, in[i]);
        most(max, in[i]);
    }
}
__global__ void lookback(const int *in, int *out, volatile int *flag, volatile int *prefix,
                         unsigned *ticket) {
    __shared__ int s[128], tile, before;
    if (threadIdx.x == 0)
        tile = atomicAdd(ticket, 1);
    __syncthreads();
    int i = tile * 128 + threadIdx.x;
    s[threadIdx.x] = in[i];
    __syncthreads();
    for (int o = 1; o < 128; o <<= 1) {
        int v = threadIdx.x >= o ? s[threadIdx.x - o] : 0;
        __syncthreads();
        s[threadIdx.x] += v;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        int b = 0;
        if (tile) {
            while (flag[tile - 1] == 0) {
            }
            __threadfence();
            b = prefix[tile - 1];
        }
        prefix[tile] = b + s[127];
        __threadfence();
        flag[tile] = 1;
        before = b;
    }
    __syncthreads();
    out[i] = before + s[threadIdx.x];
}
int main() {
    const int n = 128 * 24;
    std::vector<float> f(n);
    std::vector<int> k(n);
    for (int i = 0; i < n; i++)
        f[i] = (i * 31 % 97) - 40, k[i] = i * 17 % 23;
    float *df, *out;
    int *dk, *scan, *count, *log, *flag;
    Lock *lock;
    double *total;
    unsigned *ticket;
    cudaMalloc(&df, n * 4);
    cudaMalloc(&out, 8);
    cudaMalloc(&dk, n * 4);
    cudaMalloc(&scan, n * 4);
    cudaMalloc(&count, 4);
    cudaMalloc(&log, 64 * 4);
    cudaMalloc(&flag, 64 * 4);
    cudaMalloc(&lock, sizeof(Lock));
    cudaMalloc(&total, 8);
    cudaMalloc(&ticket, 4);
    cudaMemcpy(df, f.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dk, k.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemset(count, 0, 4);
    cudaMemset(lock, 0, sizeof(Lock));
    cudaMemset(total, 0, 8);
    cudaMemset(ticket, 0, 4);
    cudaMemset(flag, 0, 64 * 4);
    float start[2] = {0, -INFINITY};
    cudaMemcpy(out, start, 8, cudaMemcpyHostToDevice);
    float s;
    bool ok = true;
    float want = std::accumulate(f.begin(), f.end(), 0.f);
    for (int t = 0; t < 2; t++) {
        sum<<<10, 256>>>(df, n, out);
        cudaMemcpy(&s, out, 4, cudaMemcpyDeviceToHost);
        ok = ok && s == want;
    }
    printf("sum: %s\n", ok ? "right" : "wrong");
    locked<<<16, 32>>>(lock, count, log);
    std::vector<int> l(16);
    cudaMemcpy(l.data(), log, 64, cudaMemcpyDeviceToHost);
    std::sort(l.begin(), l.end());
    ok = true;
    for (int i = 0; i < 16; i++)
        ok = ok && l[i] == i;
    printf("lock: %s\n", ok ? "right" : "wrong");
    emulated<<<n / 128, 128>>>(df, n, total, out + 1);
    double t;
    cudaMemcpy(&t, total, 8, cudaMemcpyDeviceToHost);
    cudaMemcpy(&s, out + 1, 4, cudaMemcpyDeviceToHost);
    printf("atomics: %s\n", t == want && s == *std::max_element(f.begin(), f.end()) ? "right" : "wrong");
    int *prefix;
    cudaMalloc(&prefix, 64 * 4);
    lookback<<<n / 128, 128>>>(dk, scan, flag, prefix, ticket);
    std::vector<int> g(n), w(n);
    cudaMemcpy(g.data(), scan, n * 4, cudaMemcpyDeviceToHost);
    std::partial_sum(k.begin(), k.end(), w.begin());
    printf("scan: %s\n", g == w ? "right" : "wrong");
    for (void *p : {(void *)df, (void *)out, (void *)dk, (void *)scan, (void *)count, (void *)log,
                    (void *)flag, (void *)lock, (void *)total, (void *)ticket, (void *)prefix})
        cudaFree(p);
}
