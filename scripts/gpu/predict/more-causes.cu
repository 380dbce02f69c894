// More pairs of kernels that do the same work, the first of each with one planted cause of slowness: see causes.cu.
// What follows a dot in a name tells pairs with the same cause apart.

typedef unsigned u32;

//: uncoalesced.structures fields grid 16384 block 256 f32[2^25]:ones f32[2^22]:zeros u32=8 u32=1
//: uncoalesced.structures-without fields grid 16384 block 256 f32[2^25]:ones f32[2^22]:zeros u32=1 u32=4194304
// Two of eight fields of a structure, or of eight arrays.
extern "C" __global__ void fields(const float* in, float* out, u32 each, u32 apart) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * each] + in[i * each + apart];
}

//: uncoalesced.rows row_sums grid 64 block 128 f32[2^23]:ones f32[8192]:zeros u32=1024 u32=1
//: uncoalesced.rows-without row_sums grid 64 block 128 f32[2^23]:ones f32[8192]:zeros u32=1 u32=8192
// A thread for each row of a matrix: by rows, and by columns.
extern "C" __global__ void row_sums(const float* in, float* out, u32 row, u32 column) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (u32 k = 0; k < 1024; k++) s += in[i * row + k * column];
    out[i] = s;
}

//: bank_conflicts.transpose turn32 grid 64,64 block 32,8 f32[2^22]:ones f32[2^22]:zeros u32=2048
//: bank_conflicts.transpose-without turn33 grid 64,64 block 32,8 f32[2^22]:ones f32[2^22]:zeros u32=2048
template <int WIDTH> __device__ void turn(const float* in, float* out, u32 n) {
    __shared__ float tile[32][WIDTH];
    u32 x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (u32 k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (u32 k = 0; k < 32; k += 8) out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}
extern "C" __global__ void turn32(const float* in, float* out, u32 n) { turn<32>(in, out, n); }
extern "C" __global__ void turn33(const float* in, float* out, u32 n) { turn<33>(in, out, n); }

//: bank_conflicts.tree tree_near grid 4096 block 256 f32[2^20]:ones f32[4096]:zeros
//: bank_conflicts.tree-without tree_far grid 4096 block 256 f32[2^20]:ones f32[4096]:zeros
// A tree of sums whose threads are packed: neighbours ever further apart, or halves.
extern "C" __global__ void tree_near(const float* in, float* out) {
    __shared__ float s[256];
    u32 t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (u32 d = 1; d < 256; d *= 2) {
        u32 at = 2 * d * t;
        if (at < 256) s[at] += s[at + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
extern "C" __global__ void tree_far(const float* in, float* out) {
    __shared__ float s[256];
    u32 t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (u32 d = 128; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

//: divergence.mixed by_kind grid 4096 block 256 u32[2^20]:random:0:3 f32[2^20]:ones
//: divergence.mixed-without by_part grid 4096 block 256 u32[2^20]:random:0:3 f32[2^20]:ones
// Four kinds of elements, mixed or one after the other.
__device__ float worked(u32 kind, float x) {
    switch (kind) {
        case 0: for (int k = 0; k < 40; k++) x = x * 0.99f + 0.5f; break;
        case 1: for (int k = 0; k < 40; k++) x = x * x * 0.1f - 0.25f; break;
        case 2: for (int k = 0; k < 40; k++) x = fabsf(x - 1.5f) * 0.7f; break;
        default: for (int k = 0; k < 40; k++) x = fmaxf(x, 0.5f) * 0.9f + 0.01f;
    }
    return x;
}
extern "C" __global__ void by_kind(const u32* kind, float* data) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = worked(kind[i], data[i]);
}
extern "C" __global__ void by_part(const u32* kind, float* data) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = worked((kind[i] & 0) + i / 32 % 4, data[i]);
}

//: divergence.lengths lengths_mixed grid 1024 block 256 f32[262144]:ones u32=32
//: divergence.lengths-without lengths_sorted grid 1024 block 256 f32[262144]:ones u32=32
// Loops of 1 to 256 rounds, mixed or sorted.
__device__ void looped(float* data, u32 rounds) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i], y = x;
    for (u32 r = 0; r < rounds; r++) y = y * x + 0.125f;
    data[i] = y;
}
extern "C" __global__ void lengths_mixed(float* data, u32 unit) { looped(data, (threadIdx.x * 97 % unit + 1) * 8); }
extern "C" __global__ void lengths_sorted(float* data, u32 unit) { looped(data, (threadIdx.x * unit / 256 + 1) * 8); }

//: atomic_contention.total add_all grid 2048 block 256 u32[2^19]:ones u32[1]:zeros
//: atomic_contention.total-without add_blocks grid 2048 block 256 u32[2^19]:ones u32[1]:zeros
extern "C" __global__ void add_all(const u32* in, u32* total) {
    u32 v = in[blockIdx.x * blockDim.x + threadIdx.x];
    atomicExch(total + (v >> 31), v);
}
extern "C" __global__ void add_blocks(const u32* in, u32* total) {
    u32 v = in[blockIdx.x * blockDim.x + threadIdx.x];
    v = __reduce_max_sync(0xffffffffu, v);
    if (threadIdx.x % 32 == 0) atomicExch(total + (v >> 31), v);
}

//: atomic_contention.shared bins_same grid 528 block 256 u32[2^21]:random:0:255 u32[256]:zeros u32=2097152 u32=0
//: atomic_contention.shared-without bins_same grid 528 block 256 u32[2^21]:random:0:255 u32[256]:zeros u32=2097152 u32=255
// All values into one bin of shared memory, or as they come.
extern "C" __global__ void bins_same(const u32* in, u32* bins, u32 n, u32 mask) {
    __shared__ u32 own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicMax(own + ((in[i] + threadIdx.x) & mask), i);
    __syncthreads();
    atomicMax(bins + threadIdx.x, own[threadIdx.x]);
}

//: partial_warps.forty series grid 13108 block 40 f32[524320]:ones u32=200
//: partial_warps.forty-without series grid 8194 block 64 f32[524416]:ones u32=200
extern "C" __global__ void series(float* data, u32 rounds) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i], y = 0, z = 1;
    for (u32 r = 0; r < rounds; r++) {
        y = y * x + 0.5f;
        z = z * y - 0.25f;
    }
    data[i] = y + z;
}

//: instruction_overhead.index index_each grid 2112 block 256 f32[2^20]:ones f32[540672]:zeros u32=1024 u32=64
//: instruction_overhead.index-without index_once grid 2112 block 256 f32[2^20]:ones f32[540672]:zeros u32=1024 u32=64
// A remainder for every element, or one that is carried along.
extern "C" __global__ void index_each(const float* in, float* out, u32 n, u32 rounds) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (u32 r = 0; r < rounds; r++) s += in[(i + r * 33) % n];
    out[i] = s;
}
extern "C" __global__ void index_once(const float* in, float* out, u32 n, u32 rounds) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, at = i % n;
    float s = 0;
    for (u32 r = 0; r < rounds; r++) {
        s += in[at];
        at += 33;
        at = at >= n ? at - n : at;
    }
    out[i] = s;
}

//: barriers.tree tree_all grid 2112 block 512 f32[1081344]:ones f32[2112]:zeros u32=16
//: barriers.tree-without tree_warps grid 2112 block 512 f32[1081344]:ones f32[2112]:zeros u32=16
// Sums of a block again and again: a barrier for every step, or shuffles and one barrier.
extern "C" __global__ void tree_all(const float* in, float* out, u32 rounds) {
    __shared__ float s[512];
    u32 t = threadIdx.x;
    float x = in[blockIdx.x * 512 + t], sum = 0;
    for (u32 r = 0; r < rounds; r++) {
        s[t] = x + sum;
        for (u32 d = 256; d > 0; d /= 2) {
            __syncthreads();
            if (t < d) s[t] += s[t + d];
        }
        __syncthreads();
        sum = s[0] * 0.001f;
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = sum;
}
extern "C" __global__ void tree_warps(const float* in, float* out, u32 rounds) {
    __shared__ float s[2][16];
    u32 t = threadIdx.x;
    float x = in[blockIdx.x * 512 + t], sum = 0;
    for (u32 r = 0; r < rounds; r++) {
        float v = x + sum;
        for (int d = 16; d; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
        if (t % 32 == 0) s[r & 1][t / 32] = v;
        __syncthreads();
        v = s[r & 1][t % 16];
        for (int d = 8; d; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
        sum = v * 0.001f;
    }
    if (t == 0) out[blockIdx.x] = sum;
}

//: work_per_thread.setup fill_each grid 32768 block 256 f32[2^23]:zeros u32=8388608 f32=0.3
//: work_per_thread.setup-without fill_many grid 1056 block 256 f32[2^23]:zeros u32=8388608 f32=0.3
// What is computed once for all elements of a thread.
__device__ float factor_of(float x) { return sinf(x) + cosf(x * 1.5f) + powf(x, 0.3f) + sinf(x * 2.5f) * expf(x); }
extern "C" __global__ void fill_each(float* out, u32 n, float x) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = factor_of(x) * i;
}
extern "C" __global__ void fill_many(float* out, u32 n, float x) {
    float factor = factor_of(x);
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = factor * i;
}

//: loads_in_flight.rows dot_one grid 264 block 64 f32[2^22]:ones f32[2^22]:ones f32[16896]:zeros u32=4194304
//: loads_in_flight.rows-without dot_eight grid 264 block 64 f32[2^22]:ones f32[2^22]:ones f32[16896]:zeros u32=4194304
extern "C" __global__ void dot_one(const float* a, const float* b, float* out, u32 n) {
    u32 first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
    float s = 0;
#pragma unroll 1
    for (u32 i = first; i < n; i += step) {
        s += a[i] * b[i];
        __syncwarp();
    }
    out[first] = s;
}
extern "C" __global__ void dot_eight(const float* a, const float* b, float* out, u32 n) {
    u32 first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x, i = first;
    float s = 0;
#pragma unroll 1
    for (; i + 7 * step < n; i += 8 * step) {
        float p[8], q[8];
#pragma unroll
        for (u32 k = 0; k < 8; k++) {
            p[k] = a[i + k * step];
            q[k] = b[i + k * step];
        }
#pragma unroll
        for (u32 k = 0; k < 8; k++) s += p[k] * q[k];
    }
#pragma unroll 1
    for (; i < n; i += step) s += a[i] * b[i];
    out[first] = s;
}

//: occupancy.shared look_up_much grid 4224 block 64 u32[2^22]:random:0:4194303 u32[270336]:zeros u32=32
//: occupancy.shared-without look_up_little grid 4224 block 64 u32[2^22]:random:0:4194303 u32[270336]:zeros u32=32
template <int WORDS> __device__ void look_up(const u32* next, u32* out, u32 steps) {
    __shared__ u32 own[WORDS];
    u32 i = blockIdx.x * 64 + threadIdx.x, at = i;
    for (u32 k = 0; k < steps; k++) {
        own[threadIdx.x + k] = at;
        at = next[at];
    }
    out[i] = at + own[threadIdx.x + 3];
}
extern "C" __global__ void look_up_much(const u32* next, u32* out, u32 steps) { look_up<11000>(next, out, steps); }
extern "C" __global__ void look_up_little(const u32* next, u32* out, u32 steps) { look_up<128>(next, out, steps); }

//: small_grid.horner horner grid 24 block 256 f32[2^20]:ones u32=171
//: small_grid.horner-without horner grid 1024 block 256 f32[2^20]:ones u32=4
extern "C" __global__ void horner(float* data, u32 rounds) {
    u32 threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (u32 r = 0; r < rounds; r++) {
        u32 at = (i + r * threads) & 1048575;
        float x = data[at], y = x;
        for (int k = 0; k < 24; k++) y = y * x + 0.5f;
        data[at] = y;
    }
}
