// Counts in shared memory, added to global memory at the end.

//: correct zero, count, merge, with a barrier between
//: grid 2 block 64
//: arg u32[128]:iota
//: arg u32[16]:zeros
//: result 1 u32 8*16
extern "C" __global__ void shared_bins(const unsigned *in, unsigned *out)
{
    __shared__ unsigned bins[16];
    unsigned t = threadIdx.x;
    if (t < 16)
        bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[in[blockIdx.x * 64 + t] % 16], 1);
    __syncthreads();
    if (t < 16)
        atomicAdd(&out[t], bins[t]);
}

//: defect no barrier after zeroing
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[16]:zeros
//: expect race error at zero with count in shared bins
//: allow uninitialized error at count in shared bins
extern "C" __global__ void no_barrier_after_zeroing(const unsigned *in, unsigned *out)
{
    __shared__ unsigned bins[16];
    unsigned t = threadIdx.x;
    if (t < 16)
        bins[t] = 0; //@ zero
    atomicAdd(&bins[in[t] % 16], 1); //@ count
    __syncthreads();
    if (t < 16)
        out[t] = bins[t];
}

//: defect no barrier before merging
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[16]:zeros
//: expect race error at count with merge in shared bins
extern "C" __global__ void no_barrier_before_merging(const unsigned *in, unsigned *out)
{
    __shared__ unsigned bins[16];
    unsigned t = threadIdx.x;
    if (t < 16)
        bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[in[t] % 16], 1); //@ count
    if (t < 16)
        out[t] = bins[t]; //@ merge
}

//: defect fewer threads than bins: the rest of the bins is not zeroed
//: grid 1 block 32
//: arg u32[32]:iota
//: arg u32[64]:zeros
//: expect uninitialized error at count|merge in shared bins
//: correct as many threads as bins
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: result 1 u32 0*32,2*32
extern "C" __global__ void bins_zeroed_by_thread(const unsigned *in, unsigned *out)
{
    __shared__ unsigned bins[64];
    unsigned t = threadIdx.x;
    bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[32 + in[t] % 32], 1); //@ count
    __syncthreads();
    for (unsigned i = t; i < 64; i += blockDim.x)
        out[i] = bins[i]; //@ merge
}

//: defect counted without atomics
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[16]:zeros
//: expect race error at count with count in shared bins
extern "C" __global__ void plain_increments(const unsigned *in, unsigned *out)
{
    __shared__ unsigned bins[16];
    unsigned t = threadIdx.x;
    if (t < 16)
        bins[t] = 0;
    __syncthreads();
    bins[in[t] % 16]++; //@ count
    __syncthreads();
    if (t < 16)
        out[t] = bins[t];
}

//: correct bins of its own for every warp, merged after a barrier
//: grid 1 block 128
//: arg u32[128]:iota
//: arg u32[16]:zeros
//: result 1 u32 8*16
extern "C" __global__ void bins_of_a_warp(const unsigned *in, unsigned *out)
{
    __shared__ unsigned bins[4][16];
    unsigned t = threadIdx.x, warp = t / 32, lane = t % 32;
    if (lane < 16)
        bins[warp][lane] = 0;
    __syncwarp();
    atomicAdd(&bins[warp][in[t] % 16], 1);
    __syncthreads();
    if (t < 16) {
        unsigned sum = 0;
        for (unsigned w = 0; w < 4; w++)
            sum += bins[w][t];
        out[t] = sum;
    }
}

//: correct bins of its own for every thread need no atomics
//: grid 1 block 64
//: arg u32[256]:iota
//: arg u32[8]:zeros
//: result 1 u32 32*8
extern "C" __global__ void bins_of_a_thread(const unsigned *in, unsigned *out)
{
    __shared__ unsigned char bins[8][64];
    unsigned t = threadIdx.x;
    for (unsigned b = 0; b < 8; b++)
        bins[b][t] = 0;
    for (unsigned i = t; i < 256; i += 64)
        bins[in[i] % 8][t]++;
    __syncthreads();
    if (t < 8) {
        unsigned sum = 0;
        for (unsigned i = 0; i < 64; i++)
            sum += bins[t][i];
        out[t] = sum;
    }
}
