// Kernels with mistakes, for what is said about them.

extern "C" __global__ void hidden(const int *a, int *out)
{
    int v = a[(int)threadIdx.x - 1];
    out[0] += v;
}

extern "C" __global__ void bins(const int *data, int *counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    counts[data[i]]++;
}

extern "C" __global__ void hits(int *count)
{
    count[0]++;
}

extern "C" __global__ void best(const int *data, int *most)
{
    most[0] = max(most[0], data[threadIdx.x]);
}

extern "C" __global__ void rounds(const int *in, int *out, int n)
{
    __shared__ int tile[64];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < n; i++) {
        tile[t] = in[i * 64 + t];
        __syncthreads();
        sum += tile[63 - t];
    }
    out[t] = sum;
}

extern "C" __global__ void dynamic(int *out)
{
    extern __shared__ int room[];
    room[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = room[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void last_warp(const int *in, int *out)
{
    __shared__ int sums[64];
    int tid = threadIdx.x;
    sums[tid] = in[tid];
    __syncthreads();
    if (tid < 32) {
        volatile int *s = sums;
        s[tid] += s[tid + 32];
        s[tid] += s[tid + 16];
        s[tid] += s[tid + 8];
        s[tid] += s[tid + 4];
        s[tid] += s[tid + 2];
        s[tid] += s[tid + 1];
    }
    if (tid == 0)
        *out = sums[0];
}

extern "C" __global__ void quotient(const int *in, int *out)
{
    out[threadIdx.x] = 100 / in[threadIdx.x];
}
