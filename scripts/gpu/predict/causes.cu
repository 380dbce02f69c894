// Pairs of kernels that do the same work, the first of each with one planted cause of slowness. `predict.py causes`
// asks `explain` for the cause, and holds what it would save against the second kernel of the pair.
// A line `//: CAUSE ENTRY grid … block … ARGUMENT …` states the launch with the cause, `//: CAUSE-without …` the other.

typedef unsigned u32;

//: uncoalesced stride_copy grid 16384 block 256 f32[2^22]:ones f32[2^22]:zeros u32=2048
//: uncoalesced-without plain_copy grid 16384 block 256 f32[2^22]:ones f32[2^22]:zeros u32=2048
extern "C" __global__ void stride_copy(const float* in, float* out, u32 n) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i % n * n + i / n];
}
extern "C" __global__ void plain_copy(const float* in, float* out, u32 n) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i / n * n + i % n];
}

//: bank_conflicts columns32 grid 1056 block 256 f32[2^20]:ones f32[270336]:zeros u32=64
//: bank_conflicts-without columns33 grid 1056 block 256 f32[2^20]:ones f32[270336]:zeros u32=64
template <int WIDTH> __device__ void columns(const float* in, float* out, u32 rounds) {
    __shared__ float tile[32 * WIDTH];
    for (u32 k = threadIdx.x; k < 1024; k += 256) tile[k / 32 * WIDTH + k % 32] = in[blockIdx.x * 256 % 4096 + k];
    __syncthreads();
    float sum = 0;
    for (u32 r = 0; r < rounds; r++) sum += tile[threadIdx.x % 32 * WIDTH + (r + threadIdx.x / 32) % 32];
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
extern "C" __global__ void columns32(const float* in, float* out, u32 rounds) { columns<32>(in, out, rounds); }
extern "C" __global__ void columns33(const float* in, float* out, u32 rounds) { columns<33>(in, out, rounds); }

//: divergence by_lane grid 2112 block 256 f32[540672]:ones u32=200
//: divergence-without by_warp grid 2112 block 256 f32[540672]:ones u32=200
__device__ void two_ways(float* data, u32 rounds, bool first) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    if (first) {
        for (u32 r = 0; r < rounds; r++) x = x * 1.0001f + 0.5f;
    } else {
        for (u32 r = 0; r < rounds; r++) x = x * 0.9999f - 0.25f;
    }
    data[i] = x;
}
extern "C" __global__ void by_lane(float* data, u32 rounds) { two_ways(data, rounds, threadIdx.x % 2); }
extern "C" __global__ void by_warp(float* data, u32 rounds) { two_ways(data, rounds, threadIdx.x / 32 % 2); }

//: atomic_contention same_counter grid 1024 block 256 u32[2^18]:random:0:255 u32[262144]:zeros
//: atomic_contention-without own_counter grid 1024 block 256 u32[2^18]:random:0:255 u32[262144]:zeros
extern "C" __global__ void same_counter(const u32* in, u32* bins) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicMax(&bins[in[i] % 4], i);
}
extern "C" __global__ void own_counter(const u32* in, u32* bins) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicMax(&bins[i ^ in[i] % 4], i);
}

//: partial_warps polynomial grid 65536 block 8 f32[2^19]:ones u32=300
//: partial_warps-without polynomial grid 2048 block 256 f32[2^19]:ones u32=300
extern "C" __global__ void polynomial(float* data, u32 rounds) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i], y = x;
    for (u32 r = 0; r < rounds; r++) y = y * x + 0.125f;
    data[i] = y;
}

//: idle_threads tree_of_one grid 16384 block 256 f32[2^22]:ones f32[16384]:zeros
//: idle_threads-without tree_of_two grid 8192 block 256 f32[2^22]:ones f32[16384]:zeros
extern "C" __global__ void tree_of_one(const float* in, float* out) {
    __shared__ float part[256];
    u32 t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (u32 s = 128; s > 0; s /= 2) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
extern "C" __global__ void tree_of_two(const float* in, float* out) {
    __shared__ float part[256];
    u32 t = threadIdx.x;
    part[t] = in[blockIdx.x * 512 + t] + in[blockIdx.x * 512 + 256 + t];
    __syncthreads();
    for (u32 s = 128; s > 0; s /= 2) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

//: instruction_overhead short_loop grid 2112 block 256 f32[540672]:ones u32=1024
//: instruction_overhead-without unrolled_loop grid 2112 block 256 f32[540672]:ones u32=1024
extern "C" __global__ void short_loop(float* data, u32 rounds) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i], y = x, z = x;
#pragma unroll 1
    for (u32 r = 0; r < rounds; r += 2) {
        y = y * x + 0.5f;
        z = z * x + 0.25f;
    }
    data[i] = y + z;
}
extern "C" __global__ void unrolled_loop(float* data, u32 rounds) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i], y = x, z = x;
#pragma unroll 1
    for (u32 r = 0; r < rounds; r += 64) {
#pragma unroll
        for (u32 k = 0; k < 32; k++) {
            y = y * x + 0.5f;
            z = z * x + 0.25f;
        }
    }
    data[i] = y + z;
}

//: barriers neighbours_block grid 528 block 1024 f32[540672]:ones u32=128
//: barriers-without neighbours_warp grid 528 block 1024 f32[540672]:ones u32=128
extern "C" __global__ void neighbours_block(float* data, u32 rounds) {
    __shared__ float line[1024];
    u32 t = threadIdx.x, i = blockIdx.x * 1024 + t;
    float x = data[i];
    for (u32 r = 0; r < rounds; r++) {
        line[t] = x;
        __syncthreads();
        x = 0.5f * (x + line[t ^ 1]);
        __syncthreads();
    }
    data[i] = x;
}
extern "C" __global__ void neighbours_warp(float* data, u32 rounds) {
    u32 i = blockIdx.x * 1024 + threadIdx.x;
    float x = data[i];
    for (u32 r = 0; r < rounds; r++) x = 0.5f * (x + __shfl_xor_sync(0xffffffffu, x, 1));
    data[i] = x;
}

//: work_per_thread one_each grid 65536 block 256 f32[2^24]:ones f32[65536]:zeros u32=16777216
//: work_per_thread-without many_each grid 1056 block 256 f32[2^24]:ones f32[65536]:zeros u32=16777216
__device__ float block_sum(float x) {
    __shared__ float part[8];
    for (int s = 16; s > 0; s /= 2) x += __shfl_down_sync(0xffffffffu, x, s);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x < 32) {
        x = threadIdx.x < 8 ? part[threadIdx.x] : 0;
        for (int s = 4; s > 0; s /= 2) x += __shfl_down_sync(0xffffffffu, x, s);
    }
    return x;
}
extern "C" __global__ void one_each(const float* in, float* out, u32 n) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = block_sum(i < n ? in[i] : 0);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
extern "C" __global__ void many_each(const float* in, float* out, u32 n) {
    float sum = 0;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

//: loads_in_flight one_load grid 132 block 128 f32[2^23]:ones f32[16896]:zeros u32=8388608
//: loads_in_flight-without four_loads grid 132 block 128 f32[2^23]:ones f32[16896]:zeros u32=8388608
extern "C" __global__ void one_load(const float* in, float* out, u32 n) {
    u32 first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    float sum = 0;
#pragma unroll 1
    for (u32 i = first; i < n; i += stride) sum = sum * 0.5f + in[i];
    out[first] = sum;
}
extern "C" __global__ void four_loads(const float* in, float* out, u32 n) {
    u32 first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    float sum = 0;
    u32 i = first;
#pragma unroll 1
    for (; i + 3 * stride < n; i += 4 * stride) {
        float a = in[i], b = in[i + stride], c = in[i + 2 * stride], d = in[i + 3 * stride];
        sum = (((sum * 0.5f + a) * 0.5f + b) * 0.5f + c) * 0.5f + d;
    }
#pragma unroll 1
    for (; i < n; i += stride) sum = sum * 0.5f + in[i];
    out[first] = sum;
}

//: occupancy much_shared grid 2112 block 128 f32[2^21]:ones f32[270336]:zeros u32=60
//: occupancy-without little_shared grid 2112 block 128 f32[2^21]:ones f32[270336]:zeros u32=60
template <int WORDS> __device__ void chase(const float* in, float* out, u32 rounds) {
    __shared__ float keep[WORDS];
    keep[threadIdx.x] = threadIdx.x;
    u32 i = blockIdx.x * 128 + threadIdx.x;
    float x = 0;
    for (u32 r = 0; r < rounds; r++) x += in[(i + (u32)x * 33 + r * 270336) & 2097151];
    keep[threadIdx.x] += x;
    out[blockIdx.x * 128 + threadIdx.x] = keep[threadIdx.x];
}
extern "C" __global__ void much_shared(const float* in, float* out, u32 rounds) { chase<12000>(in, out, rounds); }
extern "C" __global__ void little_shared(const float* in, float* out, u32 rounds) { chase<128>(in, out, rounds); }

//: small_grid chunks grid 16 block 256 f32[2^22]:ones u32=1024
//: small_grid-without chunks grid 264 block 256 f32[2^22]:ones u32=62
extern "C" __global__ void chunks(float* data, u32 rounds) {
    u32 threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (u32 r = 0; r < rounds; r++) {
        u32 at = (i + r * threads) & 4194303;
        data[at] = data[at] * 0.5f + 1.0f;
    }
}
