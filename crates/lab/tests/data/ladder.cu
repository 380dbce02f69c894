// Seven ways to sum, as people write them after the well-known lecture on parallel reduction: what `explain` says about
// them has to follow from what they do, not from what they are called.

// Every second, fourth, eighth, ... thread adds.
__global__ void maple(const float* in, float* out, unsigned n) {
    extern __shared__ float s[];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    s[tid] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (unsigned k = 1; k < blockDim.x; k *= 2) {
        if (tid % (2 * k) == 0) {
            s[tid] += s[tid + k];
        }
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = s[0];
}

// The first threads add, at ever larger strides.
__global__ void oak(const float* in, float* out, unsigned n) {
    extern __shared__ float s[];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    s[tid] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (unsigned k = 1; k < blockDim.x; k *= 2) {
        unsigned index = 2 * k * tid;
        if (index < blockDim.x) {
            s[index] += s[index + k];
        }
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = s[0];
}

// The first threads add the upper half to the lower.
__global__ void birch(const float* in, float* out, unsigned n) {
    extern __shared__ float s[];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    s[tid] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
        if (tid < k) {
            s[tid] += s[tid + k];
        }
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = s[0];
}

// Two elements a thread to begin with.
__global__ void elm(const float* in, float* out, unsigned n) {
    extern __shared__ float s[];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    s[tid] = in[i] + in[i + blockDim.x];
    __syncthreads();
    for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
        if (tid < k) {
            s[tid] += s[tid + k];
        }
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = s[0];
}

__device__ void last_warp(float* s, unsigned tid) {
    float x = s[tid];
    x += s[tid + 32]; __syncwarp(); s[tid] = x; __syncwarp();
    x += s[tid + 16]; __syncwarp(); s[tid] = x; __syncwarp();
    x += s[tid + 8]; __syncwarp(); s[tid] = x; __syncwarp();
    x += s[tid + 4]; __syncwarp(); s[tid] = x; __syncwarp();
    x += s[tid + 2]; __syncwarp(); s[tid] = x; __syncwarp();
    x += s[tid + 1]; __syncwarp(); s[tid] = x; __syncwarp();
}

// The last warp without loop and barriers.
__global__ void ash(const float* in, float* out, unsigned n) {
    extern __shared__ float s[];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    s[tid] = in[i] + in[i + blockDim.x];
    __syncthreads();
    for (unsigned k = blockDim.x / 2; k > 32; k >>= 1) {
        if (tid < k) {
            s[tid] += s[tid + k];
        }
        __syncthreads();
    }
    if (tid < 32) last_warp(s, tid);
    if (tid == 0) out[blockIdx.x] = s[0];
}

// No loop at all: the block size is known.
template <unsigned B> __device__ void unrolled(const float* in, float* out, unsigned n) {
    extern __shared__ float s[];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * (B * 2) + threadIdx.x;
    s[tid] = in[i] + in[i + B];
    __syncthreads();
    if (B >= 1024) { if (tid < 512) { s[tid] += s[tid + 512]; } __syncthreads(); }
    if (B >= 512) { if (tid < 256) { s[tid] += s[tid + 256]; } __syncthreads(); }
    if (B >= 256) { if (tid < 128) { s[tid] += s[tid + 128]; } __syncthreads(); }
    if (B >= 128) { if (tid < 64) { s[tid] += s[tid + 64]; } __syncthreads(); }
    if (tid < 32) last_warp(s, tid);
    if (tid == 0) out[blockIdx.x] = s[0];
}

__global__ void pine128(const float* in, float* out, unsigned n) { unrolled<128>(in, out, n); }
__global__ void pine256(const float* in, float* out, unsigned n) { unrolled<256>(in, out, n); }
__global__ void pine512(const float* in, float* out, unsigned n) { unrolled<512>(in, out, n); }

// Many elements a thread.
__global__ void larch(const float* in, float* out, unsigned n) {
    extern __shared__ float s[];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    unsigned stride = blockDim.x * 2 * gridDim.x;
    float sum = 0.0f;
    while (i < n) {
        sum += in[i] + in[i + blockDim.x];
        i += stride;
    }
    s[tid] = sum;
    __syncthreads();
    for (unsigned k = blockDim.x / 2; k > 32; k >>= 1) {
        if (tid < k) {
            s[tid] += s[tid + k];
        }
        __syncthreads();
    }
    if (tid < 32) last_warp(s, tid);
    if (tid == 0) out[blockIdx.x] = s[0];
}
