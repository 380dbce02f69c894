// Kernels of other kinds and sizes than those of judge.cu: arithmetic. No parameter was fitted to them
// before they were timed; some rules of the model came from a look at those that it missed.
// A line `//: NAME ENTRY grid … block … ARGUMENT …` before a kernel states a launch; see predict.py.

typedef unsigned u32;
typedef unsigned long long u64;

__device__ __forceinline__ u32 mix(u32 h) {
    h ^= h >> 16;
    h *= 0x7feb352du;
    h ^= h >> 15;
    h *= 0x846ca68bu;
    return h ^ h >> 16;
}

// Arithmetic.

//: nbody-plain nbody_plain grid 32 block 128 f32[16384]:random:0:1 f32[16384]:zeros u32=4096
extern "C" __global__ void nbody_plain(const float4* bodies, float4* forces, u32 n) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 own = bodies[i];
    float x = 0, y = 0, z = 0;
    for (u32 k = 0; k < n; k++) {
        float4 o = bodies[k];
        float dx = o.x - own.x, dy = o.y - own.y, dz = o.z - own.z, d = dx * dx + dy * dy + dz * dz + 0.01f;
        float f = o.w / (d * sqrtf(d));
        x += f * dx;
        y += f * dy;
        z += f * dz;
    }
    forces[i] = make_float4(x, y, z, 0);
}

//: julia-double julia_double grid 4096 block 256 u32[2^20]:zeros u32=1024 u32=100
extern "C" __global__ void julia_double(u32* out, u32 width, u32 most) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    double r = -1.5 + 3.0 * (i % width) / width, m = -1.5 + 3.0 * (i / width) / width;
    while (k < most && r * r + m * m < 4) {
        double t = r * r - m * m - 0.8;
        m = 2 * r * m + 0.156;
        r = t;
        k++;
    }
    out[i] = k;
}

//: box-muller box_muller grid 2048 block 256 f32[524288]:zeros u32=32
extern "C" __global__ void box_muller(float* out, u32 draws) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, a = mix(i), b = mix(i + 1000003), c = mix(i ^ 0x55555555u);
    float s = 0;
    for (u32 k = 0; k < draws; k++) {
        u32 t = a ^ (a << 11);
        a = b;
        b = c;
        c = c ^ (c >> 19) ^ t ^ (t >> 8);
        float u = (b >> 8) * (1.0f / 16777216) + 1e-7f, v = (c >> 8) * (1.0f / 16777216);
        s += sqrtf(-2 * logf(u)) * cosf(6.2831853f * v);
    }
    out[i] = s;
}

//: powers powers grid 2048 block 256 f32[524288]:random:0.5:2 f32[524288]:zeros u32=16
extern "C" __global__ void powers(const float* in, float* out, u32 rounds) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], y = x;
    for (u32 k = 0; k < rounds; k++) y = powf(y, 0.75f) + x;
    out[i] = y;
}

//: exp-double exp_double grid 1024 block 256 f64[262144]:random:0:1 f64[262144]:zeros u32=8
extern "C" __global__ void exp_double(const double* in, double* out, u32 rounds) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    double x = in[i], y = 0;
    for (u32 k = 0; k < rounds; k++) y = exp(-x * y) + 0.25;
    out[i] = y;
}

//: norm-double norm_double grid 2048 block 256 f64[1572864]:random:1:2 f64[1572864]:zeros
extern "C" __global__ void norm_double(const double* in, double* out) {
    u32 i = 3 * (blockIdx.x * blockDim.x + threadIdx.x);
    double x = in[i], y = in[i + 1], z = in[i + 2], r = sqrt(x * x + y * y + z * z);
    out[i] = x / r;
    out[i + 1] = y / r;
    out[i + 2] = z / r;
}

//: digits digits grid 2048 block 256 u32[524288]:random:0:2000000000 u32[524288]:zeros
extern "C" __global__ void digits(const u32* in, u32* out) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i], s = 0;
    while (v) {
        s += v % 10;
        v /= 10;
    }
    out[i] = s;
}

//: factors factors grid 1024 block 256 u32[262144]:random:1000:1000000 u32[262144]:zeros
extern "C" __global__ void factors(const u32* in, u32* out) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i], found = 0;
    for (u32 d = 2; d < 40; d++) found += v % d == 0;
    out[i] = found;
}

//: mod-powers mod_powers grid 512 block 256 u64[131072]:random:2:2000000000 u64[131072]:zeros u64=1000000007
extern "C" __global__ void mod_powers(const u64* in, u64* out, u64 modulus) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    u64 base = in[i] % modulus, r = 1;
    for (u32 e = 12345; e; e >>= 1) {
        if (e & 1) r = r * base % modulus;
        base = base * base % modulus;
    }
    out[i] = r;
}

//: xorshift-64 xorshift_64 grid 2048 block 256 u64[524288]:zeros u32=64
extern "C" __global__ void xorshift_64(u64* out, u32 rounds) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    u64 s = 88172645463325252ull + i, h = 0;
    for (u32 k = 0; k < rounds; k++) {
        s ^= s >> 12;
        s ^= s << 25;
        s ^= s >> 27;
        h += s * 2685821657736338717ull;
    }
    out[i] = h;
}

//: hamming hamming grid 1024 block 256 u32[262144]:random:0:2000000000 u32[1024]:random:0:2000000000 u32[262144]:zeros u32=256
extern "C" __global__ void hamming(const u32* in, const u32* against, u32* out, u32 n) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i], best = 33;
    for (u32 k = 0; k < n; k++) best = min(best, (u32)__popc(v ^ against[k]));
    out[i] = best;
}

// Lanes that part, arrays of a thread's own, constants.

//: collatz collatz grid 2048 block 256 u32[524288]:random:1:100000 u32[524288]:zeros
extern "C" __global__ void collatz(const u32* in, u32* out) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i], steps = 0;
    while (v != 1) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        steps++;
    }
    out[i] = steps;
}

//: ways-by-data ways_by_data grid 4096 block 256 u32[2^20]:random:0:7 f32[2^20]:ones
extern "C" __global__ void ways_by_data(const u32* kind, float* data) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    switch (kind[i]) {
        case 0: for (int k = 0; k < 20; k++) x = sinf(x); break;
        case 1: for (int k = 0; k < 20; k++) x = x * x + 0.1f; break;
        case 2: x = expf(x) + logf(x + 2); break;
        case 3: x = sqrtf(x) / (x + 3); break;
        default: x = x + 1;
    }
    data[i] = x;
}

//: small-sort small_sort grid 512 block 128 u32[2^21]:random:0:1000000 u32[65536]:zeros
// Insertion into an array of 32 of the thread's own.
extern "C" __global__ void small_sort(const u32* in, u32* out) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, own[32];
    for (u32 k = 0; k < 32; k++) {
        u32 v = in[k * 65536 + i], at = k;
        while (at > 0 && own[at - 1] > v) {
            own[at] = own[at - 1];
            at--;
        }
        own[at] = v;
    }
    out[i] = own[16];
}

//: constant-taps constant_taps grid 8192 block 256 f32[2097216]:ones f32[2^21]:zeros
__constant__ float taps[64] = {1, 2, 3, 4, 5, 6, 7, 8};
extern "C" __global__ void constant_taps(const float* in, float* out) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (u32 k = 0; k < 31; k++) s += taps[k] * in[i + k];
    out[i] = s;
}

//: constant-by-lane constant_by_lane grid 1056 block 256 u32[270336]:random:0:63 f32[270336]:zeros u32=64
extern "C" __global__ void constant_by_lane(const u32* index, float* out, u32 rounds) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, at = index[i];
    float s = 0;
    for (u32 k = 0; k < rounds; k++) {
        s += taps[at];
        at = (at + 7) & 63;
    }
    out[i] = s;
}

//: butterfly-32 butterfly grid 1056 block 256 f32[270336]:ones f32[270336]:zeros u32=40
extern "C" __global__ void butterfly(const float* in, float* out, u32 rounds) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
    for (u32 r = 0; r < rounds; r++)
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            float o = __shfl_xor_sync(0xffffffffu, v, d);
            v = threadIdx.x & d ? o - v : o + v;
        }
    out[i] = v;
}

//: many-values many_values grid 264 block 512 f32[135168]:random:0:1 f32[135168]:zeros u32=50
// More values than a block of this size leaves registers for.
extern "C" __global__ void __launch_bounds__(512, 4) many_values(const float* in, float* out, u32 rounds) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], v[48];
#pragma unroll
    for (int k = 0; k < 48; k++) v[k] = x * k;
    for (u32 r = 0; r < rounds; r++)
#pragma unroll
        for (int k = 0; k < 48; k++) v[k] = v[k] * x + v[(k + 17) % 48];
    float s = 0;
#pragma unroll
    for (int k = 0; k < 48; k++) s += v[k];
    out[i] = s;
}
