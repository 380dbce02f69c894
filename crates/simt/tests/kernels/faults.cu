// Kernels that must not end well; each goes wrong in one known place.

extern "C" __global__ void fault_assert(const int *in)
{
    assert(in[threadIdx.x] != 13);
}

extern "C" __global__ void fault_past_end(int *data, int n)
{
    data[threadIdx.x + n] = 1;
}

extern "C" __global__ void fault_null(int *data)
{
    data[threadIdx.x] = 1;
}

extern "C" __global__ void fault_misaligned(char *data)
{
    *(int *)(data + 1) = 5;
}

extern "C" __global__ void fault_endless(volatile int *flag)
{
    while (*flag == 0) {
    }
}

// One warp waits for two.
extern "C" __global__ void fault_barrier(int *out)
{
    if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;" ::: "memory");
    out[threadIdx.x] = 1;
}

extern "C" __global__ void fault_trap(int *out)
{
    if (threadIdx.x == 5) __trap();
    out[threadIdx.x] = 1;
}

__device__ __noinline__ int deeper(int depth)
{
    volatile int room[64];
    room[depth % 64] = depth;
    return deeper(depth + 1) + room[(depth + 1) % 64];
}

extern "C" __global__ void fault_stack(int *out)
{
    out[threadIdx.x] = deeper(threadIdx.x);
}
