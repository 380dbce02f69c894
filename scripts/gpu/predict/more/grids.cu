// Kernels of other kinds and sizes than those of judge.cu: matrices and stencils. No parameter was fitted to them
// before they were timed; some rules of the model came from a look at those that it missed.
// A line `//: NAME ENTRY grid … block … ARGUMENT …` before a kernel states a launch; see predict.py.

typedef unsigned u32;
typedef unsigned char u8;

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
