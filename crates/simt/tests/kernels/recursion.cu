// Functions that call themselves, to a depth that differs from lane to lane.

__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ __noinline__ int ackermann(int m, int n)
{
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

// Two functions that call each other.
__device__ __noinline__ bool is_odd(unsigned n);
__device__ __noinline__ bool is_even(unsigned n)
{
    return n == 0 || is_odd(n - 1);
}
__device__ __noinline__ bool is_odd(unsigned n)
{
    return n != 0 && is_even(n - 1);
}

extern "C" __global__ void recursion_fibonacci(int *out)
{
    out[threadIdx.x] = fibonacci(threadIdx.x % 16);
}

extern "C" __global__ void recursion_ackermann(int *out)
{
    out[threadIdx.x] = ackermann(threadIdx.x % 3, threadIdx.x / 3);
}

extern "C" __global__ void recursion_mutual(int *out)
{
    out[threadIdx.x] = is_even(threadIdx.x) ? 2 : 3;
}

// Writes 1, 2, ..., n by way of an array in each frame.
__device__ __noinline__ int descend(int depth, int *above)
{
    int own[4];
    for (int i = 0; i < 4; i++) own[i] = above[(i + 1) % 4] + depth;
    if (depth == 0) return own[0] + own[1] + own[2] + own[3];
    return descend(depth - 1, own) + own[depth % 4];
}

extern "C" __global__ void recursion_frames(int *out)
{
    int first[4] = {1, 2, 3, (int)threadIdx.x};
    out[threadIdx.x] = descend(threadIdx.x % 10, first);
}
