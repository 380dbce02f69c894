// Kernels of other kinds and sizes than those of judge.cu: rows and blocks, and atomics. No parameter was fitted to them
// before they were timed; some rules of the model came from a look at those that it missed.
// A line `//: NAME ENTRY grid … block … ARGUMENT …` before a kernel states a launch; see predict.py.

typedef unsigned u32;

// Rows and blocks.

//: softmax-1024 softmax_rows grid 4096 block 256 f32[2^22]:random:-4:4 f32[2^22]:zeros u32=1024
__device__ float over_block(float v, bool largest) {
    __shared__ float part[8];
    for (int d = 16; d; d /= 2) {
        float o = __shfl_xor_sync(0xffffffffu, v, d);
        v = largest ? fmaxf(v, o) : v + o;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[0];
    for (int k = 1; k < 8; k++) v = largest ? fmaxf(v, part[k]) : v + part[k];
    return v;
}
extern "C" __global__ void softmax_rows(const float* in, float* out, u32 n) {
    const float* row = in + blockIdx.x * n;
    float most = -1e30f, sum = 0;
    for (u32 k = threadIdx.x; k < n; k += 256) most = fmaxf(most, row[k]);
    most = over_block(most, true);
    for (u32 k = threadIdx.x; k < n; k += 256) sum += expf(row[k] - most);
    sum = over_block(sum, false);
    for (u32 k = threadIdx.x; k < n; k += 256) out[blockIdx.x * n + k] = expf(row[k] - most) / sum;
}

//: layer-norm-256 layer_norm grid 4096 block 128 f32[2^22]:random:-1:1 f32[256]:ones f32[256]:zeros f32[2^22]:zeros
// A warp for each row of 256, kept in registers.
extern "C" __global__ void layer_norm(const float* in, const float* scale, const float* shift, float* out) {
    u32 row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float v[8], s = 0, q = 0;
    for (int k = 0; k < 8; k++) {
        v[k] = in[row * 256 + k * 32 + lane];
        s += v[k];
        q += v[k] * v[k];
    }
    for (int d = 16; d; d /= 2) {
        s += __shfl_xor_sync(0xffffffffu, s, d);
        q += __shfl_xor_sync(0xffffffffu, q, d);
    }
    float mean = s / 256, inverse = rsqrtf(q / 256 - mean * mean + 1e-5f);
    for (int k = 0; k < 8; k++)
        out[row * 256 + k * 32 + lane] = (v[k] - mean) * inverse * scale[k * 32 + lane] + shift[k * 32 + lane];
}

//: scan-work-efficient scan_work_efficient grid 4096 block 256 u32[2^21]:ones u32[2^21]:zeros
// Up and down a tree in shared memory, with its bank conflicts.
extern "C" __global__ void scan_work_efficient(const u32* in, u32* out) {
    __shared__ u32 s[512];
    u32 t = threadIdx.x, base = blockIdx.x * 512, apart = 1;
    s[2 * t] = in[base + 2 * t];
    s[2 * t + 1] = in[base + 2 * t + 1];
    for (u32 d = 256; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) s[apart * (2 * t + 2) - 1] += s[apart * (2 * t + 1) - 1];
        apart *= 2;
    }
    if (t == 0) s[511] = 0;
    for (u32 d = 1; d < 512; d *= 2) {
        apart >>= 1;
        __syncthreads();
        if (t < d) {
            u32 i = apart * (2 * t + 1) - 1, j = apart * (2 * t + 2) - 1, v = s[i];
            s[i] = s[j];
            s[j] += v;
        }
    }
    __syncthreads();
    out[base + 2 * t] = s[2 * t];
    out[base + 2 * t + 1] = s[2 * t + 1];
}

//: scan-shuffles scan_shuffles grid 4096 block 512 u32[2^21]:ones u32[2^21]:zeros
extern "C" __global__ void scan_shuffles(const u32* in, u32* out) {
    __shared__ u32 part[16];
    u32 i = blockIdx.x * 512 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32, v = in[i];
    for (u32 d = 1; d < 32; d *= 2) {
        u32 o = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += o;
    }
    if (lane == 31) part[warp] = v;
    __syncthreads();
    if (warp == 0) {
        u32 p = lane < 16 ? part[lane] : 0;
        for (u32 d = 1; d < 16; d *= 2) {
            u32 o = __shfl_up_sync(0xffffffffu, p, d);
            if (lane >= d) p += o;
        }
        if (lane < 16) part[lane] = p;
    }
    __syncthreads();
    out[i] = v + (warp ? part[warp - 1] : 0);
}

//: bitonic-near bitonic_near grid 4096 block 256 restore u32[2^21]:random:0:1000000 u32=4 u32=1024
extern "C" __global__ void bitonic_near(u32* data, u32 step, u32 size) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    for (u32 half = 0; half < 2; half++, i += gridDim.x * blockDim.x) {
        u32 j = i ^ step;
        if (j <= i) continue;
        u32 a = data[i], b = data[j];
        if ((a > b) == ((i & size) == 0)) {
            data[i] = b;
            data[j] = a;
        }
    }
}

//: shared-stride-4 shared_stride grid 1056 block 128 f32[135168]:zeros u32=4 u32=200
//: shared-stride-16 shared_stride grid 1056 block 128 f32[135168]:zeros u32=16 u32=200
extern "C" __global__ void shared_stride(float* out, u32 stride, u32 rounds) {
    __shared__ float s[2048];
    for (u32 k = threadIdx.x; k < 2048; k += 128) s[k] = k;
    __syncthreads();
    float v = 0;
    for (u32 r = 0; r < rounds; r++) {
        u32 at = (threadIdx.x * stride + r) & 2047;
        v += s[at];
        s[at] = v;
    }
    out[blockIdx.x * 128 + threadIdx.x] = v;
}

//: one-big-block one_big_block grid 1 block 1024 f32[2^18]:ones f32[1024]:zeros u32=262144
extern "C" __global__ void one_big_block(const float* in, float* out, u32 n) {
    float a = 0, b = 0;
    for (u32 i = threadIdx.x; i < n; i += 2048) {
        a += in[i];
        b = fmaxf(b, in[i + 1024]);
    }
    out[threadIdx.x] = a + b;
}

//: tiny-blocks tiny_blocks grid 131072 block 32 f32[2^22]:ones f32[131072]:zeros
extern "C" __global__ void tiny_blocks(const float* in, float* out) {
    float v = in[blockIdx.x * 32 + threadIdx.x];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
}

// Atomics.

//: bins-skewed-shared bins_skewed grid 264 block 512 u32[2^22]:random:0:65535 u32[256]:zeros u32=4194304
// Half of all values fall into a quarter of the bins, and most into the first ones.
extern "C" __global__ void bins_skewed(const u32* in, u32* bins, u32 n) {
    __shared__ u32 own[256];
    if (threadIdx.x < 256) own[threadIdx.x] = 0;
    __syncthreads();
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        u32 v = in[i] >> 4;
        atomicAdd(own + (v * v >> 16), 1u);
    }
    __syncthreads();
    if (threadIdx.x < 256) atomicAdd(bins + threadIdx.x, own[threadIdx.x]);
}

//: bins-skewed-global bins_skewed_global grid 2048 block 256 u32[524288]:random:0:65535 u32[4096]:zeros
extern "C" __global__ void bins_skewed_global(const u32* in, u32* bins) {
    u32 v = in[blockIdx.x * blockDim.x + threadIdx.x];
    atomicAdd(bins + (v * v >> 20), 1u);
}

//: sum-by-warps sum_by_warps grid 2112 block 256 f32[540672]:ones f32[1]:zeros
extern "C" __global__ void sum_by_warps(const float* in, float* out) {
    float v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

//: append append grid 4096 block 256 restore u32[2^20]:random:0:99 u32[2^20]:zeros u32[1]:zeros
extern "C" __global__ void append(const u32* in, u32* out, u32* count) {
    u32 v = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (v < 30) out[atomicAdd(count, 1u)] = v;
}
