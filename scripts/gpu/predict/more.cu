// Kernels of other kinds and sizes than those of judge.cu. No parameter was fitted to them before they were timed; some
// rules of the model came from a look at those that it missed.
// A line `//: NAME ENTRY grid … block … ARGUMENT …` before a kernel states a launch; see predict.py.

typedef unsigned u32;
typedef unsigned long long u64;
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

// Matrices.

//: gemv-warps gemv_warps grid 512 block 256 f32[2^24]:ones f32[4096]:ones f32[4096]:zeros u32=4096
extern "C" __global__ void gemv_warps(const float* a, const float* x, float* y, u32 n) {
    u32 row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float s = 0;
    for (u32 k = lane; k < n; k += 32) s += a[row * n + k] * x[k];
    for (int d = 16; d; d /= 2) s += __shfl_down_sync(0xffffffffu, s, d);
    if (lane == 0) y[row] = s;
}

//: batched-8 batched_8 grid 8192 block 256 f32[2^21]:ones f32[2^21]:ones f32[2^21]:zeros
// Products of 8 x 8 matrices, four in a block, from shared memory.
extern "C" __global__ void batched_8(const float* a, const float* b, float* c) {
    __shared__ float s[256], t[256];
    u32 i = blockIdx.x * 256 + threadIdx.x, own = threadIdx.x / 64 * 64;
    u32 row = threadIdx.x % 64 / 8, column = threadIdx.x % 8;
    s[threadIdx.x] = a[i];
    t[threadIdx.x] = b[i];
    __syncthreads();
    float v = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) v += s[own + row * 8 + k] * t[own + k * 8 + column];
    c[i] = v;
}

//: matmul-tile-32 matmul_tile_32 grid 24,24 block 32,32 f32[589824]:ones f32[589824]:ones f32[589824]:zeros u32=768
extern "C" __global__ void matmul_tile_32(const float* a, const float* b, float* c, u32 n) {
    __shared__ float s[32][32], t[32][32];
    u32 x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    float v = 0;
    for (u32 m = 0; m < n; m += 32) {
        s[threadIdx.y][threadIdx.x] = a[y * n + m + threadIdx.x];
        t[threadIdx.y][threadIdx.x] = b[(m + threadIdx.y) * n + x];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k++) v += s[threadIdx.y][k] * t[k][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = v;
}

//: matmul-4x4 matmul_4x4 grid 16,16 block 16,16 f32[2^20]:ones f32[2^20]:ones f32[2^20]:zeros u32=1024
// A thread makes 4 x 4 results of a tile of 64 x 64.
extern "C" __global__ void matmul_4x4(const float* a, const float* b, float* c, u32 n) {
    __shared__ float s[16][64], t[16][64];
    u32 tx = threadIdx.x, ty = threadIdx.y, id = ty * 16 + tx, x0 = blockIdx.x * 64, y0 = blockIdx.y * 64;
    float v[4][4] = {};
    for (u32 m = 0; m < n; m += 16) {
        for (u32 k = id; k < 1024; k += 256) {
            s[k % 16][k / 16] = a[(y0 + k / 16) * n + m + k % 16];
            t[k / 64][k % 64] = b[(m + k / 64) * n + x0 + k % 64];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float p[4], q[4];
            for (int i = 0; i < 4; i++) {
                p[i] = s[k][ty * 4 + i];
                q[i] = t[k][tx * 4 + i];
            }
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) v[i][j] += p[i] * q[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) c[(y0 + ty * 4 + i) * n + x0 + tx * 4 + j] = v[i][j];
}

//: matmul-double-tiles matmul_double_tiles grid 32,32 block 16,16 f64[2^18]:ones f64[2^18]:ones f64[2^18]:zeros u32=512
extern "C" __global__ void matmul_double_tiles(const double* a, const double* b, double* c, u32 n) {
    __shared__ double s[16][17], t[16][17];
    u32 x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    double v = 0;
    for (u32 m = 0; m < n; m += 16) {
        s[threadIdx.y][threadIdx.x] = a[y * n + m + threadIdx.x];
        t[threadIdx.y][threadIdx.x] = b[(m + threadIdx.y) * n + x];
        __syncthreads();
        for (int k = 0; k < 16; k++) v += s[threadIdx.y][k] * t[k][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = v;
}

//: wmma-tiles wmma_tiles grid 32,32 block 128 u16[2^20]:zeros u16[2^20]:zeros f32[2^20]:zeros u32=1024
// A warp makes 16 x 16 results with tensor cores, its fragments from global memory; halves as bits.
extern "C" __global__ void wmma_tiles(const unsigned short* a, const unsigned short* b, float* c, u32 n) {
    u32 warp = threadIdx.x / 32, row = blockIdx.y * 32 + warp / 2 * 16, column = blockIdx.x * 32 + warp % 2 * 16;
    float d0 = 0, d1 = 0, d2 = 0, d3 = 0, d4 = 0, d5 = 0, d6 = 0, d7 = 0;
    for (u32 k = 0; k < n; k += 16) {
        u32 p0, p1, p2, p3, p4, p5, p6, p7, q0, q1, q2, q3, q4, q5, q6, q7;
        asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], %9;"
                     : "=r"(p0), "=r"(p1), "=r"(p2), "=r"(p3), "=r"(p4), "=r"(p5), "=r"(p6), "=r"(p7)
                     : "l"(a + row * n + k), "r"(n));
        asm volatile("wmma.load.b.sync.aligned.row.m16n16k16.global.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], %9;"
                     : "=r"(q0), "=r"(q1), "=r"(q2), "=r"(q3), "=r"(q4), "=r"(q5), "=r"(q6), "=r"(q7)
                     : "l"(b + k * n + column), "r"(n));
        asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, "
                     "{%8,%9,%10,%11,%12,%13,%14,%15}, {%16,%17,%18,%19,%20,%21,%22,%23}, {%0,%1,%2,%3,%4,%5,%6,%7};"
                     : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3), "+f"(d4), "+f"(d5), "+f"(d6), "+f"(d7)
                     : "r"(p0), "r"(p1), "r"(p2), "r"(p3), "r"(p4), "r"(p5), "r"(p6), "r"(p7), "r"(q0), "r"(q1),
                       "r"(q2), "r"(q3), "r"(q4), "r"(q5), "r"(q6), "r"(q7));
    }
    asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%0], {%1,%2,%3,%4,%5,%6,%7,%8}, %9;" ::"l"(
                     c + row * n + column),
                 "f"(d0), "f"(d1), "f"(d2), "f"(d3), "f"(d4), "f"(d5), "f"(d6), "f"(d7), "r"(n)
                 : "memory");
}

//: transpose-double transpose_double grid 64,64 block 32,8 f64[2^22]:ones f64[2^22]:zeros u32=2048
extern "C" __global__ void transpose_double(const double* in, double* out, u32 n) {
    __shared__ double tile[32][33];
    u32 x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (u32 k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (u32 k = 0; k < 32; k += 8) out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}

// Stencils.

//: stencil-27 stencil_27 grid 5,20,160 block 32,8 f32[4096000]:ones f32[4096000]:zeros u32=160
extern "C" __global__ void stencil_27(const float* in, float* out, u32 n) {
    u32 x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1) return;
    float s = 0;
#pragma unroll
    for (int k = -1; k <= 1; k++)
#pragma unroll
        for (int j = -1; j <= 1; j++)
#pragma unroll
            for (int i = -1; i <= 1; i++) s += in[((z + k) * n + y + j) * n + x + i];
    out[(z * n + y) * n + x] = s * (1.0f / 27);
}

//: stencil-march stencil_march grid 8,32 block 32,8 f32[4194304]:ones f32[4194304]:zeros u32=256 u32=64
// Seven points; a thread goes along z with three values in registers, a layer in shared memory.
extern "C" __global__ void stencil_march(const float* in, float* out, u32 n, u32 depth) {
    __shared__ float layer[10][34];
    u32 tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    u32 at = y * n + x, area = n * n;
    float below = 0, here = in[at];
    for (u32 z = 0; z < depth; z++, at += area) {
        float above = z + 1 < depth ? in[at + area] : 0;
        layer[ty][tx] = here;
        if (tx == 1) layer[ty][0] = x > 0 ? in[at - 1] : 0;
        if (tx == 32) layer[ty][33] = x + 1 < n ? in[at + 1] : 0;
        if (ty == 1) layer[0][tx] = y > 0 ? in[at - n] : 0;
        if (ty == 8) layer[9][tx] = y + 1 < n ? in[at + n] : 0;
        __syncthreads();
        float beside = layer[ty][tx - 1] + layer[ty][tx + 1] + layer[ty - 1][tx] + layer[ty + 1][tx];
        out[at] = 0.4f * here + 0.1f * (below + above + beside);
        __syncthreads();
        below = here;
        here = above;
    }
}

//: blur-rows-9 blur_rows grid 8192 block 256 f32[2^21]:ones f32[2^21]:zeros i32=2048
extern "C" __global__ void blur_rows(const float* in, float* out, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, y = i / width, x = i % width;
    float s = 0;
    for (int d = -4; d <= 4; d++) s += in[y * width + min(max(x + d, 0), width - 1)] * (5 - abs(d));
    out[i] = s * 0.04f;
}

//: life life grid 128,256 block 16,16 u8[2^23]:random:0:1 u8[2^23]:zeros u32=2048 u32=4096
extern "C" __global__ void life(const u8* in, u8* out, u32 width, u32 height) {
    u32 x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    u32 l = (x + width - 1) % width, r = (x + 1) % width, u = (y + height - 1) % height, d = (y + 1) % height;
    u32 n = in[u * width + l] + in[u * width + x] + in[u * width + r] + in[y * width + l] + in[y * width + r] +
            in[d * width + l] + in[d * width + x] + in[d * width + r];
    out[y * width + x] = n == 3 || (n == 2 && in[y * width + x]);
}

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
