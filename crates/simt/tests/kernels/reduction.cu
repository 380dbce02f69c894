// Sums of a block of 256: a tree in shared memory, and shuffles within warps.

extern "C" __global__ void reduce_tree(const int *in, int *out, unsigned n)
{
    __shared__ int tile[256];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) tile[threadIdx.x] += tile[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = tile[0];
}

// The divergent form: every second, fourth, ... thread works on.
extern "C" __global__ void reduce_interleaved(const int *in, int *out, unsigned n)
{
    __shared__ int tile[256];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (threadIdx.x % (2 * stride) == 0) tile[threadIdx.x] += tile[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = tile[0];
}

// A grid-stride loop, shuffles, and one atomic a block; f32 with whole numbers, so that any order gives the same.
extern "C" __global__ void reduce_shuffle(const float *in, float *out, unsigned n)
{
    __shared__ float sums[8];
    float sum = 0.0f;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 8) {
        sum = sums[threadIdx.x];
        for (int offset = 4; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffu, sum, offset);
        if (threadIdx.x == 0) atomicAdd(out, sum);
    }
}

__device__ unsigned int finished;

// The block that finishes last adds up what the others left in memory.
extern "C" __global__ void reduce_last_block(const int *in, int *partial, int *out, unsigned n)
{
    __shared__ int tile[256];
    __shared__ bool last;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) tile[threadIdx.x] += tile[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = tile[0];
        __threadfence();
        last = atomicInc(&finished, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned block = 0; block < gridDim.x; block++) sum += ((volatile int *)partial)[block];
        *out = sum;
        finished = 0;
    }
}
