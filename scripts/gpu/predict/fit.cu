// Kernels that each load one part of a GPU: the parameters of the model of time are fitted to their times.
// A line `//: NAME ENTRY grid … block … ARGUMENT …` states a launch of the kernel below it.

typedef unsigned u32;
typedef unsigned long long u64;

//: empty-1 empty grid 1 block 32
//: empty-132 empty grid 132 block 256
//: empty-2^17-32 empty grid 131072 block 32
//: empty-2^17-256 empty grid 131072 block 256
//: empty-2^15-1024 empty grid 32768 block 1024
//: empty-2^20-1 empty grid 1048576 block 1
//: empty-132-x10 empty grid 132 block 256 times 10
extern "C" __global__ void empty() {}

//: chase-16k chase grid 1 block 1 u32[4096]:iota u32[1]:zeros u32=4095 u32=8192
//: chase-1M chase grid 1 block 1 u32[2^18]:iota u32[1]:zeros u32=262143 u32=8192
//: chase-16M chase grid 1 block 1 u32[2^22]:iota u32[1]:zeros u32=4194303 u32=8192
//: chase-512M chase grid 1 block 1 u32[2^27]:iota u32[1]:zeros u32=134217727 u32=8192
// A dependent load for each step, each from another line.
extern "C" __global__ void chase(const u32* next, u32* out, u32 mask, u32 steps) {
    u32 at = 0;
    for (u32 i = 0; i < steps; i++) at = (next[at] + 1000003u) & mask;
    out[0] = at;
}

//: read-1M read4 grid 528 block 512 f32[2^18]:ones f32[2^20]:zeros u32=65536 u32=64
//: read-8M read4 grid 528 block 512 f32[2^21]:ones f32[2^20]:zeros u32=524288 u32=16
//: read-24M read4 grid 528 block 512 f32[6291456]:ones f32[2^20]:zeros u32=1572864 u32=8
//: read-40M read4 grid 528 block 512 f32[10485760]:ones f32[2^20]:zeros u32=2621440 u32=8
//: read-64M read4 grid 528 block 512 f32[2^24]:ones f32[2^20]:zeros u32=4194304 u32=4
//: read-512M read4 grid 528 block 512 f32[2^27]:ones f32[2^20]:zeros u32=33554432 u32=1
// Everything is read `times` times by a grid that fills the GPU.
extern "C" __global__ void read4(const float4* in, float* out, u32 n, u32 times) {
    float s = 0;
    for (u32 t = 0; t < times; t++)
        for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
            float4 v = __ldcg(in + i);
            s += v.x + v.y + v.z + v.w;
        }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

//: write-8M write4 grid 2048 block 256 f32[2^21]:zeros u32=524288
//: write-512M write4 grid 131072 block 256 f32[2^27]:zeros u32=33554432
extern "C" __global__ void write4(float4* out, u32 n) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = make_float4(1, 2, 3, 4);
}

//: copy1-16M copy1 grid 16384 block 256 f32[2^22]:ones f32[2^22]:zeros u32=4194304
//: copy1-16M-x10 copy1 grid 16384 block 256 times 10 f32[2^22]:ones f32[2^22]:zeros u32=4194304
//: copy1-512M copy1 grid 262144 block 256 f32[2^26]:ones f32[2^26]:zeros u32=67108864
//: copy1-512M-1024 copy1 grid 65536 block 1024 f32[2^26]:ones f32[2^26]:zeros u32=67108864
//: copy1-512M-64 copy1 grid 1048576 block 64 f32[2^26]:ones f32[2^26]:zeros u32=67108864
extern "C" __global__ void copy1(const float* in, float* out, u32 n) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

//: columns-2 columns grid 16384 block 256 f32[2^22]:ones f32[2^23]:zeros u32=2
//: columns-8 columns grid 16384 block 256 f32[2^22]:ones f32[2^25]:zeros u32=8
// Stores `stride` words apart.
extern "C" __global__ void columns(const float* in, float* out, u32 stride) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i * stride] = in[i];
}

//: columns-far columns_far grid 64,256 block 32,8 f32[2^22]:ones f32[2^22]:zeros u32=2048
// A matrix read by rows and written by columns.
extern "C" __global__ void columns_far(const float* in, float* out, u32 n) {
    u32 x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}

//: l1-read l1_read grid 1056 block 256 f32[2^20]:ones f32[270336]:zeros u32=256
// Each block reads its own 4 KiB again and again: the first-level cache.
extern "C" __global__ void l1_read(const float* in, float* out, u32 times) {
    const float* own = in + (blockIdx.x % 256) * 1024;
    float s = 0, r = 0;
    for (u32 t = 0; t < times; t++) {
        s += own[(threadIdx.x + t * 32) & 1023];
        r += own[(threadIdx.x + t * 32 + 512) & 1023];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s + r;
}

//: l1-column l1_column grid 1056 block 256 f32[2^20]:ones f32[270336]:zeros u32=64
// A sector for each lane, in the first-level cache.
extern "C" __global__ void l1_column(const float* in, float* out, u32 times) {
    const float* own = in + (blockIdx.x % 128) * 8192;
    float s = 0;
    for (u32 t = 0; t < times; t++) s += own[(threadIdx.x * 32 + t) & 8191];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

//: atomic-1 spread grid 4096 block 256 u32[2^22]:zeros u32=1
//: atomic-32 spread grid 4096 block 256 u32[2^22]:zeros u32=32
//: atomic-1024 spread grid 4096 block 256 u32[2^22]:zeros u32=1024
//: atomic-2^20 spread grid 4096 block 256 u32[2^22]:zeros u32=1048576
extern "C" __global__ void spread(u32* out, u32 addresses) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(out + (i & (addresses - 1)), 1u);
}

//: scattered-256 scattered grid 4096 block 256 u32[2^22]:zeros u32=256
//: scattered-2^16 scattered grid 4096 block 256 u32[2^22]:zeros u32=65536
//: scattered-2^22 scattered grid 4096 block 256 u32[2^22]:zeros u32=4194304
extern "C" __global__ void scattered(u32* out, u32 addresses) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    u32 h = i * 2654435761u;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    atomicAdd(out + (h & (addresses - 1)), 1u);
}

//: atomic-float-1 float_one grid 1024 block 256 f32[1]:zeros
extern "C" __global__ void float_one(float* out) { atomicAdd(out, 1.0f); }

//: atomic-double-1 double_one grid 1024 block 256 f64[1]:zeros
extern "C" __global__ void double_one(double* out) { atomicAdd(out, 1.0); }

//: atomic-returns returns grid 1024 block 256 u32[1]:zeros u32[262144]:zeros
extern "C" __global__ void returns(u32* counter, u32* out) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 == 0) out[i] = atomicAdd(counter, 1u);
}

//: shared-atomic-1 shared_atomic grid 528 block 256 u32[528]:zeros u32=1 u32=256
//: shared-atomic-32 shared_atomic grid 528 block 256 u32[528]:zeros u32=32 u32=256
//: shared-atomic-1024 shared_atomic grid 528 block 256 u32[528]:zeros u32=1024 u32=256
extern "C" __global__ void shared_atomic(u32* out, u32 addresses, u32 times) {
    __shared__ u32 s[1024];
    for (u32 i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = 0;
    __syncthreads();
    for (u32 t = 0; t < times; t++) {
        u32 h = (threadIdx.x + t * 7) * 2654435761u >> 16;
        atomicAdd(s + (h & (addresses - 1)), 1u);
    }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

//: shared-float-atomic shared_float grid 528 block 256 f32[528]:zeros u32=64
extern "C" __global__ void shared_float(float* out, u32 times) {
    __shared__ float s[1024];
    for (u32 i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = 0;
    __syncthreads();
    for (u32 t = 0; t < times; t++) {
        u32 h = (threadIdx.x + t * 7) * 2654435761u >> 16;
        atomicAdd(s + (h & 1023), 1.0f);
    }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

//: bank-1 banks grid 528 block 256 f32[135168]:zeros u32=1 u32=512
//: bank-2 banks grid 528 block 256 f32[135168]:zeros u32=2 u32=512
//: bank-8 banks grid 528 block 256 f32[135168]:zeros u32=8 u32=512
//: bank-32 banks grid 528 block 256 f32[135168]:zeros u32=32 u32=128
extern "C" __global__ void banks(float* out, u32 stride, u32 times) {
    __shared__ float s[2048];
    for (u32 i = threadIdx.x; i < 2048; i += blockDim.x) s[i] = i;
    __syncthreads();
    float a = 0, b = 0;
    u32 at = threadIdx.x * stride;
    for (u32 t = 0; t < times; t++) {
        a += s[(at + t) & 2047];
        b += s[(at + t + 32) & 2047];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = a + b;
}

//: barriers-256 barriers grid 528 block 256 u32[528]:zeros u32=1024
//: barriers-1024 barriers grid 132 block 1024 u32[528]:zeros u32=1024
extern "C" __global__ void barriers(u32* out, u32 times) {
    for (u32 t = 0; t < times; t++) __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = times;
}

#define PIPE(NAME, TYPE, START, STEP)                                                        \
    extern "C" __global__ void NAME(TYPE* out, TYPE k, u32 times) {                          \
        TYPE a = START + threadIdx.x, b = a + k, c = b + k, d = c + k;                       \
        for (u32 t = 0; t < times; t += 4) {                                                 \
            for (int u = 0; u < 4; u++) {                                                    \
                { TYPE& x = a; STEP; } { TYPE& x = b; STEP; } { TYPE& x = c; STEP; } { TYPE& x = d; STEP; } \
            }                                                                                \
        }                                                                                    \
        out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;                          \
    }

//: fma32 pipe_fma32 grid 1056 block 256 f32[270336]:zeros f32=1.5 u32=1024
//: fma32-warp pipe_fma32 grid 1 block 32 f32[270336]:zeros f32=1.5 u32=4096
PIPE(pipe_fma32, float, 1, x = x * k + k)
//: add32 pipe_add32 grid 1056 block 256 f32[270336]:zeros f32=1.5 u32=1024
PIPE(pipe_add32, float, 1, x = x + k)
//: mad-int pipe_mad grid 1056 block 256 u32[270336]:zeros u32=3 u32=1024
PIPE(pipe_mad, u32, 1, x = x * k + k)
//: xor-add pipe_xor grid 1056 block 256 u32[270336]:zeros u32=3 u32=1024
PIPE(pipe_xor, u32, 1, x = (x ^ k) + t)
//: shift-int pipe_shift grid 1056 block 256 u32[270336]:zeros u32=3 u32=1024
PIPE(pipe_shift, u32, 1, x = x ^ (x << 5) ^ (x >> 7))
//: mul64 pipe_mul64 grid 1056 block 256 u64[270336]:zeros u64=3 u32=256
PIPE(pipe_mul64, u64, 1, x = x * k + k)
//: add64 pipe_add64 grid 1056 block 256 u64[270336]:zeros u64=3 u32=512
PIPE(pipe_add64, u64, 1, x = (x ^ k) + t)
//: fma64 pipe_fma64 grid 1056 block 256 f64[270336]:zeros f64=1.5 u32=512
//: fma64-warp pipe_fma64 grid 1 block 32 f64[270336]:zeros f64=1.5 u32=2048
PIPE(pipe_fma64, double, 1, x = x * k + k)
//: div64f pipe_div64f grid 1056 block 256 f64[270336]:zeros f64=1.5 u32=64
PIPE(pipe_div64f, double, 1, x = x / k)
//: rsqrt pipe_rsqrt grid 1056 block 256 f32[270336]:zeros f32=1.5 u32=256
PIPE(pipe_rsqrt, float, 1, x = rsqrtf(x) + k)
//: exp-fast pipe_exp grid 1056 block 256 f32[270336]:zeros f32=0.5 u32=256
PIPE(pipe_exp, float, 1, x = __expf(x) * k)
//: exp pipe_expf grid 1056 block 256 f32[270336]:zeros f32=0.5 u32=256
PIPE(pipe_expf, float, 1, x = expf(x) * k)
//: log pipe_logf grid 1056 block 256 f32[270336]:zeros f32=0.5 u32=256
PIPE(pipe_logf, float, 1, x = logf(x) + k)
//: sin pipe_sinf grid 1056 block 256 f32[270336]:zeros f32=0.5 u32=128
PIPE(pipe_sinf, float, 1, x = sinf(x) + k)
//: sqrt pipe_sqrt grid 1056 block 256 f32[270336]:zeros f32=0.5 u32=256
PIPE(pipe_sqrt, float, 1, x = sqrtf(x) + k)
//: div32f pipe_div32f grid 1056 block 256 f32[270336]:zeros f32=1.5 u32=256
PIPE(pipe_div32f, float, 1, x = x / k + k)
//: div-int pipe_div grid 1056 block 256 u32[270336]:zeros u32=3 u32=128
PIPE(pipe_div, u32, 1, x = x / k + 0x7fffffff)
//: rem-int pipe_rem grid 1056 block 256 u32[270336]:zeros u32=77 u32=128
PIPE(pipe_rem, u32, 1, x = x % k + 0x7fffffff)
//: div-long pipe_divl grid 528 block 256 u64[270336]:zeros u64=7777777777 u32=32
PIPE(pipe_divl, u64, 1, x = x / k + 0x7fffffffffffffffull)
//: popc pipe_popc grid 1056 block 256 u32[270336]:zeros u32=3 u32=512
PIPE(pipe_popc, u32, 1, x = __popc(x) * k)
//: select pipe_select grid 1056 block 256 u32[270336]:zeros u32=3 u32=512
PIPE(pipe_select, u32, 1, x = x > k * t ? x - k : x + t)
//: shuffle pipe_shuffle grid 1056 block 256 u32[270336]:zeros u32=3 u32=512
PIPE(pipe_shuffle, u32, 1, x = __shfl_xor_sync(0xffffffffu, x, 5) + k)
//: vote pipe_vote grid 1056 block 256 u32[270336]:zeros u32=3 u32=512
PIPE(pipe_vote, u32, 1, x = __ballot_sync(0xffffffffu, x & 1) + x)
//: convert pipe_convert grid 1056 block 256 f32[270336]:zeros f32=1.5 u32=512
PIPE(pipe_convert, float, 1, x = (float)(int)(x * k))
//: min-max pipe_fmin grid 1056 block 256 f32[270336]:zeros f32=1.5 u32=512
PIPE(pipe_fmin, float, 1, x = fminf(x, k) + fmaxf(x, 0.5f))

//: mma-half mma_half grid 528 block 256 f32[135168]:zeros u32=512
// Four independent products of 16 x 8 x 16 a step, from registers.
extern "C" __global__ void mma_half(float* out, u32 times) {
    float c[4][4] = {};
    u32 a0 = threadIdx.x, a1 = a0 + 1, a2 = a0 + 2, a3 = a0 + 3, b0 = 0x3c003c00, b1 = 0x3c003c00;
    for (u32 t = 0; t < times; t++)
        for (int q = 0; q < 4; q++)
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                         : "+f"(c[q][0]), "+f"(c[q][1]), "+f"(c[q][2]), "+f"(c[q][3])
                         : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    float s = 0;
    for (int q = 0; q < 4; q++) s += c[q][0] + c[q][1] + c[q][2] + c[q][3];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

//: mma-tf32 mma_tf32 grid 528 block 256 f32[135168]:zeros u32=512
extern "C" __global__ void mma_tf32(float* out, u32 times) {
    float c[4][4] = {};
    u32 a0 = threadIdx.x, a1 = a0 + 1, a2 = a0 + 2, a3 = a0 + 3, b0 = 0x3f800000, b1 = 0x3f800000;
    for (u32 t = 0; t < times; t++)
        for (int q = 0; q < 4; q++)
            asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                         : "+f"(c[q][0]), "+f"(c[q][1]), "+f"(c[q][2]), "+f"(c[q][3])
                         : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    float s = 0;
    for (int q = 0; q < 4; q++) s += c[q][0] + c[q][1] + c[q][2] + c[q][3];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

//: shared-chase shared_chase grid 1 block 32 u32[32]:zeros u32=4096
extern "C" __global__ void shared_chase(u32* out, u32 steps) {
    __shared__ u32 s[1024];
    for (u32 i = threadIdx.x; i < 1024; i += 32) s[i] = (i + 32) & 1023;
    __syncthreads();
    u32 at = threadIdx.x;
    for (u32 i = 0; i < steps; i++) at = s[at];
    out[threadIdx.x] = at;
}

//: constant-read constant_read grid 1056 block 256 f32[270336]:zeros u32=1024
__constant__ float table[1024];
extern "C" __global__ void constant_read(float* out, u32 times) {
    float s = 0;
    for (u32 t = 0; t < times; t++) s += table[t & 1023] * s;
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
