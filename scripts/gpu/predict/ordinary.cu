// Ordinary kernels, as people write them, by which the model is judged. A line `//: NAME ENTRY ...` states a launch; see
// predict.py.

typedef unsigned u32;
typedef unsigned char u8;

//: sobel sobel grid 128,128 block 16,16 u8[4194304]:random:0:255 u8[4194304]:zeros u32=2048
extern "C" __global__ void sobel(const u8* in, u8* out, u32 n) {
    u32 x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x == 0 || y == 0 || x >= n - 1 || y >= n - 1) return;
    const u8* p = in + y * n + x;
    int gx = p[1 - (int)n] - p[-1 - (int)n] + 2 * (p[1] - p[-1]) + p[n + 1] - p[n - 1];
    int gy = p[n - 1] - p[-1 - (int)n] + 2 * (p[n] - p[-(int)n]) + p[n + 1] - p[1 - (int)n];
    int g = abs(gx) + abs(gy);
    out[y * n + x] = g > 255 ? 255 : g;
}

//: waves waves grid 64,256 block 32,8 f32[4194304]:random:0:1 f32[4194304]:random:0:1 f32[4194304]:zeros u32=2048
extern "C" __global__ void waves(const float* now, const float* before, float* next, u32 n) {
    u32 x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, i = y * n + x;
    if (x == 0 || y == 0 || x >= n - 1 || y >= n - 1) return;
    float sum = now[i - 1] + now[i + 1] + now[i - n] + now[i + n] - 4 * now[i];
    next[i] = 2 * now[i] - before[i] + 0.2f * sum;
}

//: ell ell grid 512 block 256 u32[2097152]:random:0:131071 f32[2097152]:ones f32[131072]:ones f32[131072]:zeros u32=131072
extern "C" __global__ void ell(const u32* column, const float* value, const float* x, float* y, u32 rows) {
    u32 row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (u32 k = 0; k < 16; k++) sum += value[k * rows + row] * x[column[k * rows + row]];
    y[row] = sum;
}

//: nearest nearest grid 1024 block 256 f32[1048576]:random:0:1 f32[256]:random:0:1 u32[262144]:zeros
extern "C" __global__ void nearest(const float4* points, const float4* centres, u32* which) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    float4 p = points[i];
    float least = 1e30f;
    for (u32 k = 0; k < 64; k++) {
        float4 c = centres[k];
        float dx = p.x - c.x, dy = p.y - c.y, dz = p.z - c.z, dw = p.w - c.w;
        float d = dx * dx + dy * dy + dz * dz + dw * dw;
        if (d < least) {
            least = d;
            best = k;
        }
    }
    which[i] = best;
}

//: prefix-naive prefix_naive grid 2048 block 512 f32[1048576]:ones f32[1048576]:zeros
extern "C" __global__ void prefix_naive(const float* in, float* out) {
    __shared__ float s[2][512];
    u32 t = threadIdx.x, i = blockIdx.x * 512 + t, from = 0;
    s[0][t] = in[i];
    __syncthreads();
    for (u32 d = 1; d < 512; d *= 2) {
        s[1 - from][t] = t >= d ? s[from][t] + s[from][t - d] : s[from][t];
        from = 1 - from;
        __syncthreads();
    }
    out[i] = s[from][t];
}

//: digit-counts digit_counts grid 1024 block 256 u32[4194304]:random:0:1000000000 u32[16384]:zeros u32=8
extern "C" __global__ void digit_counts(const u32* keys, u32* counts, u32 shift) {
    __shared__ u32 own[16];
    if (threadIdx.x < 16) own[threadIdx.x] = 0;
    __syncthreads();
    for (u32 k = 0; k < 16; k++) atomicAdd(own + (keys[blockIdx.x * 4096 + k * 256 + threadIdx.x] >> shift & 15), 1u);
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = own[threadIdx.x];
}

//: find-word find_word grid 4096 block 256 u8[1048592]:random:97:122 u32[1]:zeros
extern "C" __global__ void find_word(const u8* text, u32* found) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    const char word[] = "kernel";
    for (u32 k = 0; k < 6; k++)
        if (text[i + k] != word[k]) return;
    atomicAdd(found, 1u);
}

//: gelu gelu grid 8192 block 256 f32[2097152]:random:0:1 f32[2097152]:zeros
extern "C" __global__ void gelu(const float* in, float* out) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    out[i] = 0.5f * x * (1 + tanhf(0.7978845f * (x + 0.044715f * x * x * x)));
}

//: embed embed grid 16384 block 128 u32[16384]:random:0:49999 f32[6400000]:ones f32[2097152]:zeros
extern "C" __global__ void embed(const u32* word, const float* table, float* out) {
    out[blockIdx.x * 128 + threadIdx.x] = table[word[blockIdx.x] * 128 + threadIdx.x];
}

//: rows-dot rows_dot grid 256 block 256 f32[1048576]:ones f32[4096]:ones f32[256]:zeros u32=4096
extern "C" __global__ void rows_dot(const float* a, const float* x, float* y, u32 n) {
    __shared__ float s[256];
    u32 t = threadIdx.x;
    float sum = 0;
    for (u32 k = t; k < n; k += 256) sum += a[blockIdx.x * n + k] * x[k];
    s[t] = sum;
    __syncthreads();
    for (u32 d = 128; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) y[blockIdx.x] = s[0];
}

//: columns-sum columns_sum grid 32 block 128 f32[16777216]:ones f32[4096]:zeros u32=4096
extern "C" __global__ void columns_sum(const float* a, float* sums, u32 n) {
    u32 column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (u32 row = 0; row < n; row++) sum += a[row * n + column];
    sums[column] = sum;
}

//: rows-sum rows_sum grid 32 block 128 f32[4194304]:ones f32[4096]:zeros u32=1024
extern "C" __global__ void rows_sum(const float* a, float* sums, u32 n) {
    u32 row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (u32 k = 0; k < n; k++) sum += a[row * n + k];
    sums[row] = sum;
}

//: matmul-naive matmul_naive grid 32,32 block 32,32 f32[1048576]:ones f32[1048576]:ones f32[1048576]:zeros u32=1024
extern "C" __global__ void matmul_naive(const float* a, const float* b, float* c, u32 n) {
    u32 x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    float sum = 0;
    for (u32 k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

//: pi-drops pi_drops grid 1024 block 256 u32[1]:zeros u32=200
extern "C" __global__ void pi_drops(u32* inside, u32 times) {
    u32 state = blockIdx.x * blockDim.x + threadIdx.x + 1, hits = 0;
    for (u32 k = 0; k < times; k++) {
        state = state * 1664525u + 1013904223u;
        float x = (state >> 8) * (1.0f / 16777216);
        state = state * 1664525u + 1013904223u;
        float y = (state >> 8) * (1.0f / 16777216);
        hits += x * x + y * y < 1;
    }
    atomicAdd(inside, hits);
}

//: complex-times complex_times grid 4096 block 256 f32[2097152]:ones f32[2097152]:ones f32[2097152]:zeros
extern "C" __global__ void complex_times(const float2* a, const float2* b, float2* c) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 x = a[i], y = b[i];
    c[i] = make_float2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}

//: fft-stage fft_stage grid 4096 block 256 f32[4194304]:random:0:1 u32=64
extern "C" __global__ void fft_stage(float2* data, u32 half) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, j = i % half, at = i / half * 2 * half + j;
    float s, c;
    sincosf(-3.14159265f * j / half, &s, &c);
    float2 a = data[at], b = data[at + half];
    float2 w = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
    data[at] = make_float2(a.x + w.x, a.y + w.y);
    data[at + half] = make_float2(a.x - w.x, a.y - w.y);
}

//: eliminate eliminate grid 64,64 block 16,16 restore f32[1048576]:random:1:2 u32=1024 u32=5
extern "C" __global__ void eliminate(float* a, u32 n, u32 k) {
    u32 x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x > k && y > k && x < n && y < n) a[y * n + x] -= a[y * n + k] / a[k * n + k] * a[k * n + x];
}

//: primes primes grid 256 block 256 u32[65536]:zeros
extern "C" __global__ void primes(u32* prime) {
    u32 n = blockIdx.x * blockDim.x + threadIdx.x;
    bool is = n > 1;
    for (u32 d = 2; d * d <= n && is; d++) is = n % d != 0;
    prime[n] = is;
}

//: newton newton grid 2048 block 256 f64[524288]:random:1:100 f64[524288]:zeros
extern "C" __global__ void newton(const double* in, double* out) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = in[i], x = a;
    for (int k = 0; k < 8; k++) x = 0.5 * (x + a / x);
    out[i] = x;
}

//: visit visit grid 512 block 256 u32[131073]:iota u32[1048576]:random:0:131071 u32[131072]:zeros u32[131072]:zeros
extern "C" __global__ void visit(const u32* first, const u32* edges, const u32* level, u32* next) {
    u32 v = blockIdx.x * blockDim.x + threadIdx.x;
    if (level[v] != 0) return;
    for (u32 e = 8 * first[v]; e < 8 * first[v] + 8; e++)
        if (level[edges[e]] == 0) next[edges[e]] = 1;
}

//: letters letters grid 512 block 256 u8[4194304]:random:97:122 u32[26]:zeros u32=4194304
extern "C" __global__ void letters(const u8* text, u32* counts, u32 n) {
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(counts + text[i] - 'a', 1u);
}

//: dilate dilate grid 64,64 block 32,32 u8[4194304]:random:0:255 u8[4194304]:zeros u32=2048
extern "C" __global__ void dilate(const u8* in, u8* out, u32 n) {
    __shared__ u8 tile[36][36];
    int x0 = blockIdx.x * 32 - 2, y0 = blockIdx.y * 32 - 2;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 36 * 36; k += 1024) {
        int x = x0 + k % 36, y = y0 + k / 36;
        tile[k / 36][k % 36] = x >= 0 && y >= 0 && x < (int)n && y < (int)n ? in[y * n + x] : 0;
    }
    __syncthreads();
    u8 most = 0;
    for (int j = 0; j < 5; j++)
        for (int i = 0; i < 5; i++) most = max(most, tile[threadIdx.y + j][threadIdx.x + i]);
    out[(y0 + 2 + threadIdx.y) * n + x0 + 2 + threadIdx.x] = most;
}

//: dot-shuffles dot_shuffles grid 1024 block 256 f32[16777216]:ones f32[16777216]:ones f32[1]:zeros u32=16777216
extern "C" __global__ void dot_shuffles(const float* a, const float* b, float* out, u32 n) {
    float sum = 0;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += a[i] * b[i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

//: rotate-90 rotate_90 grid 128,128 block 16,16 u32[4194304]:iota u32[4194304]:zeros u32=2048
extern "C" __global__ void rotate_90(const u32* in, u32* out, u32 n) {
    u32 x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    out[x * n + n - 1 - y] = in[y * n + x];
}

//: interpolate interpolate grid 4096 block 256 f32[1048576]:random:0:4094 f32[4096]:random:0:1 f32[1048576]:zeros
extern "C" __global__ void interpolate(const float* at, const float* table, float* out) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = at[i], low = floorf(x);
    u32 k = (u32)low;
    out[i] = table[k] + (x - low) * (table[k + 1] - table[k]);
}

//: odd-even odd_even grid 1024 block 256 restore u32[524288]:random:0:1000000 u32=1 u32=524288
extern "C" __global__ void odd_even(u32* data, u32 odd, u32 n) {
    u32 i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + odd;
    if (i + 1 < n && data[i] > data[i + 1]) {
        u32 t = data[i];
        data[i] = data[i + 1];
        data[i + 1] = t;
    }
}
