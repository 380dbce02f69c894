// Kernels whose counters follow from their source: one kind of access each. All take an input, an output and a number;
// launches.csv says how they are launched and what is counted.

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" {

__global__ void strided(const unsigned *in, unsigned *out, unsigned k) { out[INDEX] = in[INDEX * k]; }

__global__ void shifted(const unsigned *in, unsigned *out, unsigned k) { out[INDEX] = in[INDEX + k]; }

__global__ void vector2(const uint2 *in, uint2 *out, unsigned k) { out[INDEX] = in[INDEX * k]; }

__global__ void vector4(const uint4 *in, uint4 *out, unsigned k) { out[INDEX] = in[INDEX * k]; }

__global__ void bytes(const unsigned char *in, unsigned char *out, unsigned k) { out[INDEX] = in[INDEX * k]; }

__global__ void halves(const unsigned short *in, unsigned short *out, unsigned k) { out[INDEX] = in[INDEX * k]; }

__global__ void gather(const unsigned *in, unsigned *out, unsigned k) { out[INDEX] = in[INDEX * 2654435761u >> k]; }

__global__ void broadcast(const unsigned *in, unsigned *out, unsigned k) { out[INDEX] = in[INDEX / 32 * k]; }

__global__ void partial(const unsigned *in, unsigned *out, unsigned k) {
    if (threadIdx.x % 32 < k) out[INDEX] = in[INDEX];
}

__global__ void tile(const unsigned *in, unsigned *out, unsigned k) {
    __shared__ unsigned s[32][32];
    unsigned i = (blockIdx.x * 32 + threadIdx.y) * 32 + threadIdx.x;
    s[threadIdx.y][threadIdx.x] = in[i];
    __syncthreads();
    out[i] = s[threadIdx.x][threadIdx.y] + k;
}

__global__ void tile_padded(const unsigned *in, unsigned *out, unsigned k) {
    __shared__ unsigned s[32][33];
    unsigned i = (blockIdx.x * 32 + threadIdx.y) * 32 + threadIdx.x;
    s[threadIdx.y][threadIdx.x] = in[i];
    __syncthreads();
    out[i] = s[threadIdx.x][threadIdx.y] + k;
}

__global__ void shared1(const unsigned char *in, unsigned char *out, unsigned k) {
    __shared__ unsigned char s[256];
    s[threadIdx.x] = in[INDEX];
    __syncthreads();
    out[INDEX] = s[threadIdx.x * k % 256];
}

__global__ void shared4(const unsigned *in, unsigned *out, unsigned k) {
    __shared__ unsigned s[256];
    s[threadIdx.x] = in[INDEX];
    __syncthreads();
    out[INDEX] = s[threadIdx.x * k % 256];
}

__global__ void shared8(const uint2 *in, uint2 *out, unsigned k) {
    __shared__ uint2 s[256];
    s[threadIdx.x] = in[INDEX];
    __syncthreads();
    out[INDEX] = s[threadIdx.x * k % 256];
}

__global__ void shared16(const uint4 *in, uint4 *out, unsigned k) {
    __shared__ uint4 s[256];
    s[threadIdx.x] = in[INDEX];
    __syncthreads();
    out[INDEX] = s[threadIdx.x * k % 256];
}

__global__ void shared4_scatter(const unsigned *in, unsigned *out, unsigned k) {
    __shared__ unsigned s[256];
    s[threadIdx.x * k % 256] = in[INDEX];
    __syncthreads();
    out[INDEX] = s[threadIdx.x / 32 * 32 * k % 256];
}

__global__ void global_atomic(const unsigned *in, unsigned *out, unsigned k) { atomicAdd(&out[INDEX % k], in[INDEX]); }

__global__ void shared_atomic(const unsigned *in, unsigned *out, unsigned k) {
    __shared__ unsigned s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[threadIdx.x % k], in[INDEX]);
    __syncthreads();
    out[INDEX] = s[threadIdx.x];
}

__global__ void divergent(const unsigned *in, unsigned *out, unsigned k) {
    unsigned v = in[INDEX];
#pragma unroll 1
    for (unsigned j = 0; j < (threadIdx.x & k); j++) v = v * v + j;
    out[INDEX] = v;
}

__global__ void copy_async(const uint4 *in, uint4 *out, unsigned k) {
    __shared__ uint4 s[256];
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;\n"
                 "cp.async.wait_all;" ::"r"((unsigned)__cvta_generic_to_shared(&s[threadIdx.x])),
                 "l"(in + INDEX)
                 : "memory");
    __syncthreads();
    out[INDEX] = s[threadIdx.x * k % 256];
}

__global__ void local_array(const unsigned *in, unsigned *out, unsigned k) {
    volatile unsigned a[4];
    unsigned v = in[INDEX];
    for (unsigned j = 0; j < 4; j++) a[j] = v + j;
    out[INDEX] = a[threadIdx.x * k % 4];
}
}
