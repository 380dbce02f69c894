// Ordinary kernels that the model of time is judged by: no parameter is fitted to them.
// A line `//: NAME ENTRY grid … block … ARGUMENT …` states a launch of the kernel below it.

typedef unsigned u32;
typedef unsigned long long u64;

// Memory.

//: saxpy saxpy grid 65536 block 256 f32[2^24]:random:0:1 f32[2^24]:ones f32=2.5 u32=16777216
//: saxpy-small saxpy grid 64 block 256 f32[2^14]:random:0:1 f32[2^14]:ones f32=2.5 u32=16384
extern "C" __global__ void saxpy(const float* x, float* y, float a, u32 n) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

//: triad-wide triad4 grid 8192 block 512 f32[2^24]:ones f32[2^24]:ones f32[2^24]:zeros u32=4194304
extern "C" __global__ void triad4(const float4* a, const float4* b, float4* c, u32 n) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 x = a[i], y = b[i];
    c[i] = make_float4(x.x + 3 * y.x, x.y + 3 * y.y, x.z + 3 * y.z, x.w + 3 * y.w);
}

//: gather gather grid 16384 block 256 u32[2^22]:random:0:16777215 f32[2^24]:ones f32[2^22]:zeros
extern "C" __global__ void gather(const u32* index, const float* in, float* out) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[index[i]];
}

//: transpose-naive transpose_naive grid 128,128 block 32,32 f32[2^24]:ones f32[2^24]:zeros u32=4096
extern "C" __global__ void transpose_naive(const float* in, float* out, u32 n) {
    u32 x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}

//: transpose-tiled transpose_tiled grid 128,128 block 32,8 f32[2^24]:ones f32[2^24]:zeros u32=4096
//: transpose-conflicts transpose_conflicts grid 128,128 block 32,8 f32[2^24]:ones f32[2^24]:zeros u32=4096
template <int PAD> __device__ void transpose_through(const float* in, float* out, u32 n) {
    __shared__ float tile[32][32 + PAD];
    u32 x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (u32 k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (u32 k = 0; k < 32; k += 8) out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}
extern "C" __global__ void transpose_tiled(const float* in, float* out, u32 n) { transpose_through<1>(in, out, n); }
extern "C" __global__ void transpose_conflicts(const float* in, float* out, u32 n) { transpose_through<0>(in, out, n); }

//: structures structures grid 16384 block 256 f32[16777216]:ones f32[2^22]:zeros u32=4194304
// One member of a structure of four.
extern "C" __global__ void structures(const float* in, float* out, u32 n) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[4 * i + 1] * 0.5f;
}

//: strided-sum strided_sum grid 1024 block 256 f32[2^25]:ones f32[262144]:zeros u32=128
// A thread sums its own row: lanes are far apart.
extern "C" __global__ void strided_sum(const float* in, float* out, u32 width) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (u32 k = 0; k < width; k++) s += in[i * width + k];
    out[i] = s;
}

// Stencils.

//: stencil-7 stencil7 grid 8,64,256 block 32,4 f32[2^24]:ones f32[2^24]:zeros u32=256
extern "C" __global__ void stencil7(const float* in, float* out, u32 n) {
    u32 x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z;
    if (x == 0 || y == 0 || z == 0 || x >= n - 1 || y >= n - 1 || z >= n - 1) return;
    u32 i = (z * n + y) * n + x;
    out[i] = 0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - n * n] + in[i + n * n]);
}

//: stencil-double stencil5d grid 64,256 block 32,8 f64[2^22]:ones f64[2^22]:zeros u32=2048
extern "C" __global__ void stencil5d(const double* in, double* out, u32 n) {
    u32 x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x == 0 || y == 0 || x >= n - 1 || y >= n - 1) return;
    u32 i = y * n + x;
    out[i] = 0.5 * in[i] + 0.125 * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
}

//: blur-shared blur_shared grid 64,64 block 32,32 f32[2^22]:ones f32[2^22]:zeros u32=2048
extern "C" __global__ void blur_shared(const float* in, float* out, u32 n) {
    __shared__ float tile[34][34];
    int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 32 - 1;
    for (u32 k = threadIdx.y * 32 + threadIdx.x; k < 34 * 34; k += 1024) {
        int x = min(max(x0 + int(k % 34), 0), int(n) - 1), y = min(max(y0 + int(k / 34), 0), int(n) - 1);
        tile[k / 34][k % 34] = in[y * n + x];
    }
    __syncthreads();
    float s = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) s += tile[threadIdx.y + i][threadIdx.x + j];
    out[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x] = s / 9;
}

// Arithmetic.

//: nbody nbody grid 64 block 256 f32[65536]:random:0:1 f32[65536]:zeros u32=16384
extern "C" __global__ void nbody(const float4* bodies, float4* forces, u32 n) {
    __shared__ float4 tile[256];
    u32 i = blockIdx.x * 256 + threadIdx.x;
    float4 own = bodies[i];
    float x = 0, y = 0, z = 0;
    for (u32 first = 0; first < n; first += 256) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 256; k++) {
            float4 o = tile[k];
            float dx = o.x - own.x, dy = o.y - own.y, dz = o.z - own.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float f = o.w * r * r * r;
            x += f * dx;
            y += f * dy;
            z += f * dz;
        }
        __syncthreads();
    }
    forces[i] = make_float4(x, y, z, 0);
}

//: mandelbrot mandelbrot grid 64,128 block 32,8 u32[2097152]:zeros u32=2048 u32=1024 u32=256
extern "C" __global__ void mandelbrot(u32* out, u32 width, u32 height, u32 most) {
    u32 x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float cr = -2.2f + 3.2f * x / width, ci = -1.2f + 2.4f * y / height, r = 0, i = 0;
    u32 k = 0;
    while (k < most && r * r + i * i < 4) {
        float t = r * r - i * i + cr;
        i = 2 * r * i + ci;
        r = t;
        k++;
    }
    out[y * width + x] = k;
}

//: monte-carlo monte_carlo grid 1024 block 256 u32[262144]:zeros u32=512
extern "C" __global__ void monte_carlo(u32* out, u32 tries) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, state = i * 747796405u + 1, hits = 0;
    for (u32 t = 0; t < tries; t++) {
        state = state * 1664525u + 1013904223u;
        float x = (state >> 8) * (1.0f / 16777216);
        state = state * 1664525u + 1013904223u;
        float y = (state >> 8) * (1.0f / 16777216);
        hits += x * x + y * y < 1;
    }
    out[i] = hits;
}

//: black-scholes black_scholes grid 16384 block 256 f32[2^22]:random:5:30 f32[2^22]:random:1:100 f32[2^22]:random:0.25:10 f32[2^22]:zeros f32[2^22]:zeros
__device__ float normal(float d) {
    float k = 1 / (1 + 0.2316419f * fabsf(d));
    float v = 0.39894228f * expf(-0.5f * d * d) *
              (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1 - v : v;
}
extern "C" __global__ void black_scholes(const float* price, const float* strike, const float* years, float* call, float* put) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = price[i], x = strike[i], t = years[i], root = sqrtf(t);
    float d1 = (logf(s / x) + (0.02f + 0.5f * 0.3f * 0.3f) * t) / (0.3f * root), d2 = d1 - 0.3f * root;
    float n1 = normal(d1), n2 = normal(d2), e = expf(-0.02f * t);
    call[i] = s * n1 - x * e * n2;
    put[i] = x * e * (1 - n2) - s * (1 - n1);
}

//: horner-double horner_double grid 2048 block 256 f64[524288]:random:0:1 f64[524288]:zeros u32=128
extern "C" __global__ void horner_double(const double* in, double* out, u32 degree) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    double x = in[i], p = 1;
    for (u32 k = 0; k < degree; k++) p = p * x + (double)k;
    out[i] = p;
}

//: sines sines grid 8192 block 256 f32[2^21]:random:0:6 f32[2^21]:zeros
extern "C" __global__ void sines(const float* in, float* out) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], s = 0;
    for (int k = 1; k <= 8; k++) s += __sinf(x * k) * __cosf(x + k) + sqrtf(x + k);
    out[i] = s;
}

//: hashes hashes grid 4096 block 256 u32[2^20]:zeros u32=64
extern "C" __global__ void hashes(u32* out, u32 rounds) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, h = i;
    for (u32 r = 0; r < rounds; r++) {
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        h *= 0xc2b2ae35u;
        h ^= h >> 16;
        h += r;
    }
    out[i] = h;
}

//: gcds gcds grid 4096 block 256 u32[2^20]:random:1:1000000 u32[2^20]:random:1:1000000 u32[2^20]:zeros
extern "C" __global__ void gcds(const u32* a, const u32* b, u32* out) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, x = a[i], y = b[i];
    while (y) {
        u32 r = x % y;
        x = y;
        y = r;
    }
    out[i] = x;
}

// Latency.

//: one-block one_block grid 1 block 256 f32[65536]:ones f32[1]:zeros u32=65536
extern "C" __global__ void one_block(const float* in, float* out, u32 n) {
    __shared__ float s[256];
    float v = 0;
    for (u32 i = threadIdx.x; i < n; i += 256) v += in[i];
    s[threadIdx.x] = v;
    __syncthreads();
    for (u32 k = 128; k > 0; k /= 2) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[0] = s[0];
}

//: lists lists grid 256 block 256 u32[2^24]:random:0:16777215 u32[65536]:zeros u32=64
extern "C" __global__ void lists(const u32* next, u32* out, u32 steps) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
    for (u32 k = 0; k < steps; k++) at = next[at];
    out[i] = at;
}

//: searches searches grid 4096 block 256 u32[2^20]:iota u32[2^20]:random:0:1048575 u32[2^20]:zeros u32=1048576
extern "C" __global__ void searches(const u32* sorted, const u32* wanted, u32* out, u32 n) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, want = wanted[i], low = 0, high = n;
    while (low < high) {
        u32 middle = (low + high) / 2;
        if (sorted[middle] < want) low = middle + 1;
        else high = middle;
    }
    out[i] = low;
}

//: recurrence recurrence grid 132 block 64 f32[8448]:ones f32[8448]:zeros u32=4096
// One dependent multiply-add after the other, in few warps.
extern "C" __global__ void recurrence(const float* in, float* out, u32 steps) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], y = 0;
    for (u32 k = 0; k < steps; k++) y = y * 0.5f + x;
    out[i] = y;
}

// Atomics.

//: histogram-global histogram_global grid 8192 block 256 u8[2^21]:random:0:255 u32[256]:zeros
extern "C" __global__ void histogram_global(const unsigned char* in, u32* bins) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(bins + in[i], 1u);
}

//: histogram-shared histogram_shared grid 528 block 512 u32[2^22]:random:0:1023 u32[1024]:zeros u32=4194304
extern "C" __global__ void histogram_shared(const u32* in, u32* bins, u32 n) {
    __shared__ u32 own[1024];
    for (u32 k = threadIdx.x; k < 1024; k += blockDim.x) own[k] = 0;
    __syncthreads();
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(own + in[i], 1u);
    __syncthreads();
    for (u32 k = threadIdx.x; k < 1024; k += blockDim.x)
        if (own[k]) atomicAdd(bins + k, own[k]);
}

//: sum-atomic sum_atomic grid 4096 block 256 f32[2^20]:ones f32[1]:zeros
extern "C" __global__ void sum_atomic(const float* in, float* out) {
    atomicAdd(out, in[blockIdx.x * blockDim.x + threadIdx.x]);
}

//: count-warps count_warps grid 16384 block 256 u32[2^22]:random:0:99 u32[1]:zeros
extern "C" __global__ void count_warps(const u32* in, u32* count) {
    u32 hits = __popc(__ballot_sync(0xffffffffu, in[blockIdx.x * blockDim.x + threadIdx.x] < 50));
    if (threadIdx.x % 32 == 0) atomicAdd(count, hits);
}

//: scatter-add scatter_add grid 4096 block 256 u32[2^20]:random:0:1048575 f32[2^20]:zeros
extern "C" __global__ void scatter_add(const u32* index, float* out) {
    atomicAdd(out + index[blockIdx.x * blockDim.x + threadIdx.x], 1.0f);
}

// Shared memory, sorting steps, scans.

//: block-sums block_sums grid 16384 block 256 f32[2^22]:ones f32[16384]:zeros
extern "C" __global__ void block_sums(const float* in, float* out) {
    __shared__ float s[8];
    float v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(0xffffffffu, v, k);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 8) {
        v = s[threadIdx.x];
        for (int k = 4; k > 0; k /= 2) v += __shfl_down_sync(0xffu, v, k);
        if (threadIdx.x == 0) out[blockIdx.x] = v;
    }
}

//: block-scans block_scans grid 2048 block 1024 u32[2^21]:ones u32[2^21]:zeros
extern "C" __global__ void block_scans(const u32* in, u32* out) {
    __shared__ u32 s[2][1024];
    u32 t = threadIdx.x, from = 0;
    s[0][t] = in[blockIdx.x * 1024 + t];
    for (u32 k = 1; k < 1024; k *= 2) {
        __syncthreads();
        s[1 - from][t] = t >= k ? s[from][t] + s[from][t - k] : s[from][t];
        from = 1 - from;
    }
    __syncthreads();
    out[blockIdx.x * 1024 + t] = s[from][t];
}

//: bitonic-blocks bitonic_blocks grid 1024 block 512 restore u32[2^20]:random:0:1000000
extern "C" __global__ void bitonic_blocks(u32* data) {
    __shared__ u32 s[1024];
    u32 t = threadIdx.x, base = blockIdx.x * 1024;
    s[t] = data[base + t];
    s[t + 512] = data[base + t + 512];
    for (u32 size = 2; size <= 1024; size *= 2)
        for (u32 step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            u32 i = 2 * t - (t & (step - 1)), j = i + step;
            u32 a = s[i], b = s[j];
            if ((a > b) == ((i & size) == 0)) {
                s[i] = b;
                s[j] = a;
            }
        }
    __syncthreads();
    data[base + t] = s[t];
    data[base + t + 512] = s[t + 512];
}

//: bitonic-step bitonic_step grid 8192 block 256 restore u32[2^22]:random:0:1000000 u32=65536
extern "C" __global__ void bitonic_step(u32* data, u32 step) {
    u32 t = blockIdx.x * blockDim.x + threadIdx.x, i = 2 * t - (t & (step - 1)), j = i + step;
    u32 a = data[i], b = data[j];
    if (a > b) {
        data[i] = b;
        data[j] = a;
    }
}

// Matrices, and lanes that part.

//: matmul-tiles matmul_tiles grid 64,64 block 16,16 f32[2^20]:ones f32[2^20]:ones f32[2^20]:zeros u32=1024
extern "C" __global__ void matmul_tiles(const float* a, const float* b, float* c, u32 n) {
    __shared__ float s[16][16], t[16][16];
    u32 x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float v = 0;
    for (u32 m = 0; m < n; m += 16) {
        s[threadIdx.y][threadIdx.x] = a[y * n + m + threadIdx.x];
        t[threadIdx.y][threadIdx.x] = b[(m + threadIdx.y) * n + x];
        __syncthreads();
        for (int k = 0; k < 16; k++) v += s[threadIdx.y][k] * t[k][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = v;
}

//: matmul-double matmul_double grid 32,32 block 16,16 f64[2^18]:ones f64[2^18]:ones f64[2^18]:zeros u32=512
extern "C" __global__ void matmul_double(const double* a, const double* b, double* c, u32 n) {
    u32 x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    double v = 0;
    for (u32 k = 0; k < n; k++) v += a[y * n + k] * b[k * n + x];
    c[y * n + x] = v;
}

//: tensor-tiles tensor_tiles grid 16,32 block 128 u32[2^19]:zeros u32[2^19]:zeros f32[2^20]:zeros u32=1024
// Halves of 1024 x 1024 matrices, the second one transposed; a warp makes 16 x 32 results from global memory.
extern "C" __global__ void tensor_tiles(const u32* a, const u32* b, float* c, u32 n) {
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, group = lane / 4, part = lane % 4;
    u32 row = blockIdx.y * 32 + warp / 2 * 16 + group, column = blockIdx.x * 64 + warp % 2 * 32 + group;
    float d[4][4] = {};
    for (u32 k = 0; k < n; k += 16) {
        u32 at = (row * n + k) / 2 + part, below = ((row + 8) * n + k) / 2 + part;
        u32 a0 = a[at], a1 = a[below], a2 = a[at + 4], a3 = a[below + 4];
        for (int q = 0; q < 4; q++) {
            u32 of = ((column + q * 8) * n + k) / 2 + part;
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                         : "+f"(d[q][0]), "+f"(d[q][1]), "+f"(d[q][2]), "+f"(d[q][3])
                         : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b[of]), "r"(b[of + 4]));
        }
    }
    for (int q = 0; q < 4; q++) {
        u32 x = blockIdx.x * 64 + warp % 2 * 32 + q * 8 + part * 2;
        c[row * n + x] = d[q][0];
        c[row * n + x + 1] = d[q][1];
        c[(row + 8) * n + x] = d[q][2];
        c[(row + 8) * n + x + 1] = d[q][3];
    }
}

//: sparse-rows sparse_rows grid 1024 block 256 f32[2^22]:ones u32[2^22]:random:0:262143 f32[262144]:ones f32[262144]:zeros u32=16
// A thread for each row of 16 entries.
extern "C" __global__ void sparse_rows(const float* values, const u32* columns, const float* x, float* y, u32 each) {
    u32 row = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (u32 k = row * each; k < (row + 1) * each; k++) s += values[k] * x[columns[k]];
    y[row] = s;
}

//: private-bins private_bins grid 512 block 256 u32[2^22]:random:0:31 u32[4194304]:zeros u32=32
// An array of a thread's own that is indexed by data lies in local memory.
extern "C" __global__ void private_bins(const u32* in, u32* out, u32 each) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, bins[32];
    for (u32 k = 0; k < 32; k++) bins[k] = 0;
    for (u32 k = 0; k < each; k++) bins[in[k * gridDim.x * blockDim.x + i]]++;
    for (u32 k = 0; k < 32; k++) out[k * gridDim.x * blockDim.x + i] = bins[k];
}

//: four-ways four_ways grid 2048 block 256 f32[524288]:random:0:1 f32[524288]:zeros u32=64
// Each lane of four goes its own way.
extern "C" __global__ void four_ways(const float* in, float* out, u32 times) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    switch (i % 4) {
        case 0: for (u32 k = 0; k < times; k++) x = x * 0.99f + 0.5f; break;
        case 1: for (u32 k = 0; k < times; k++) x = sqrtf(x + 1); break;
        case 2: for (u32 k = 0; k < times; k++) x = 1 / (x + 0.5f); break;
        default: for (u32 k = 0; k < times; k++) x = fabsf(x - 0.25f) + x * 0.5f;
    }
    out[i] = x;
}
