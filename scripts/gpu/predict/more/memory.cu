// Kernels of other kinds and sizes than those of judge.cu: streams, and indices that come from data. No parameter was fitted to them
// before they were timed; some rules of the model came from a look at those that it missed.
// A line `//: NAME ENTRY grid … block … ARGUMENT …` before a kernel states a launch; see predict.py.

typedef unsigned u32;
typedef unsigned char u8;

__device__ __forceinline__ u32 mix(u32 h) {
    h ^= h >> 16;
    h *= 0x7feb352du;
    h ^= h >> 15;
    h *= 0x846ca68bu;
    return h ^ h >> 16;
}

// Streams.

//: copy-4K copy grid 4 block 256 f32[1024]:ones f32[1024]:zeros
//: copy-4M copy grid 4096 block 256 f32[2^20]:ones f32[2^20]:zeros
//: copy-1G copy grid 262144 block 512 f32[2^27]:ones f32[2^27]:zeros
extern "C" __global__ void copy(const float* in, float* out) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

//: axpy-stride-3 axpy_stride grid 16384 block 256 f32[12582912]:ones f32[12582912]:ones f32=2.5 u32=3 u32=0
//: axpy-offset axpy_stride grid 65536 block 128 f32[8388672]:ones f32[8388672]:ones f32=2.5 u32=1 u32=5
extern "C" __global__ void axpy_stride(const float* x, float* y, float a, u32 stride, u32 offset) {
    u32 i = (blockIdx.x * blockDim.x + threadIdx.x) * stride + offset;
    y[i] = a * x[i] + y[i];
}

//: add-double2 add_double2 grid 8192 block 256 f64[2^22]:ones f64[2^22]:ones f64[2^22]:zeros
extern "C" __global__ void add_double2(const double2* a, const double2* b, double2* c) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    double2 p = a[i], q = b[i];
    c[i] = make_double2(p.x + q.x, p.y + q.y);
}

//: invert-bytes invert_bytes grid 65536 block 256 u8[2^24]:random:0:255 u8[2^24]:zeros
extern "C" __global__ void invert_bytes(const u8* in, u8* out) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 255 - in[i];
}

//: grey grey grid 8192 block 256 u8[6291456]:random:0:255 u8[2^21]:zeros
extern "C" __global__ void grey(const u8* rgb, u8* out) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float y = 0.299f * rgb[3 * i] + 0.587f * rgb[3 * i + 1] + 0.114f * rgb[3 * i + 2];
    out[i] = (u8)y;
}

//: particles particles grid 8192 block 256 f32[2^24]:random:0:1 f32=0.01
struct Particle { float x, y, z, mass, vx, vy, vz, charge; };
extern "C" __global__ void particles(Particle* all, float dt) {
    Particle& p = all[blockIdx.x * blockDim.x + threadIdx.x];
    p.x += p.vx * dt;
    p.y += p.vy * dt;
    p.z += p.vz * dt;
}

//: particles-arrays particles_arrays grid 8192 block 256 f32[6291456]:random:0:1 f32[6291456]:random:0:1 u32=2097152 f32=0.01
extern "C" __global__ void particles_arrays(float* at, const float* speed, u32 n, float dt) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    at[i] += speed[i] * dt;
    at[n + i] += speed[n + i] * dt;
    at[2 * n + i] += speed[2 * n + i] * dt;
}

//: passes-4M passes grid 264 block 512 f32[2^20]:ones f32[135168]:zeros u32=2^20 u32=20
//: passes-20M passes grid 264 block 512 f32[5242880]:ones f32[135168]:zeros u32=5242880 u32=6
extern "C" __global__ void passes(const float* in, float* out, u32 n, u32 times) {
    u32 first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
    float s = 0;
    for (u32 t = 0; t < times; t++)
        for (u32 i = first; i < n; i += step) s += in[i] * (t + 1);
    out[first] = s;
}

// Indices from data.

//: gather-256K gather grid 8192 block 256 u32[2^21]:random:0:65535 f32[65536]:ones f32[2^21]:zeros
//: gather-16M gather grid 8192 block 256 u32[2^21]:random:0:4194303 f32[2^22]:ones f32[2^21]:zeros
//: gather-512M gather grid 8192 block 256 u32[2^21]:random:0:134217727 f32[2^27]:ones f32[2^21]:zeros
extern "C" __global__ void gather(const u32* index, const float* table, float* out) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = table[index[i]];
}

//: scatter-1M scatter grid 4096 block 256 u32[2^20]:random:0:262143 f32[2^20]:ones f32[2^18]:zeros
//: scatter-128M scatter grid 8192 block 256 u32[2^21]:random:0:33554431 f32[2^21]:ones f32[2^25]:zeros
extern "C" __global__ void scatter(const u32* index, const float* in, float* out) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    out[index[i]] = in[i];
}

//: csr-scalar csr_scalar grid 512 block 128 u32[2^21]:random:0:65535 f32[2^21]:ones f32[65536]:ones f32[65536]:zeros
// A thread for a row of 1 to 32 entries, in room for 32.
extern "C" __global__ void csr_scalar(const u32* column, const float* value, const float* x, float* y) {
    u32 row = blockIdx.x * blockDim.x + threadIdx.x, first = row * 32, end = first + 1 + mix(row) % 32;
    float s = 0;
    for (u32 k = first; k < end; k++) s += value[k] * x[column[k]];
    y[row] = s;
}

//: csr-vector csr_vector grid 8192 block 256 u32[2^23]:random:0:65535 f32[2^23]:ones f32[65536]:ones f32[65536]:zeros
// A warp for a row of 1 to 128 entries.
extern "C" __global__ void csr_vector(const u32* column, const float* value, const float* x, float* y) {
    u32 row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    u32 first = row * 128, end = first + 1 + mix(row) % 128;
    float s = 0;
    for (u32 k = first + lane; k < end; k += 32) s += value[k] * x[column[k]];
    for (int d = 16; d; d /= 2) s += __shfl_xor_sync(0xffffffffu, s, d);
    if (lane == 0) y[row] = s;
}

//: chase-256K chase grid 132 block 32 u32[65536]:random:0:65535 u32[4224]:zeros u32=256
extern "C" __global__ void chase(const u32* next, u32* out, u32 steps) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, at = i % 65536;
    for (u32 k = 0; k < steps; k++) at = (next[at] + k) & 65535;
    out[i] = at;
}

//: lower-bound-64K lower_bound grid 2048 block 256 f32[65536]:iota f32[524288]:random:0:65535 u32[524288]:zeros u32=65536
extern "C" __global__ void lower_bound(const float* sorted, const float* wanted, u32* out, u32 n) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, low = 0, length = n;
    float want = wanted[i];
    while (length > 0) {
        u32 half = length / 2;
        if (sorted[low + half] < want) {
            low += half + 1;
            length -= half + 1;
        } else {
            length = half;
        }
    }
    out[i] = low;
}

//: hash-inserts hash_inserts grid 2048 block 256 restore u32[2^19]:random:1:2000000000 u32[2^20]:zeros u32=1048575
extern "C" __global__ void hash_inserts(const u32* keys, u32* table, u32 mask) {
    u32 key = keys[blockIdx.x * blockDim.x + threadIdx.x], at = mix(key) & mask;
    while (true) {
        u32 before = atomicCAS(table + at, 0u, key);
        if (before == 0 || before == key) return;
        at = (at + 1) & mask;
    }
}
