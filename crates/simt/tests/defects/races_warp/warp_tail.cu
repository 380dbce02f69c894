// The last steps of a reduction, done by one warp. Lanes do not run in lock step: each needs to be waited for.

//: defect plain shared memory, no barrier of the warp
//: grid 1 block 32
//: arg u32[64]:ones
//: arg u32[1]:zeros
//: expect race error at read with write in shared sums
extern "C" __global__ void plain(const unsigned *in, unsigned *out)
{
    __shared__ unsigned sums[64];
    unsigned t = threadIdx.x;
    sums[t] = in[t];
    sums[t + 32] = in[t + 32];
    __syncthreads();
    for (unsigned half = 32; half > 0; half /= 2) {
        unsigned other = sums[t + half]; //@ read
        sums[t] += other;                //@ write
    }
    if (t == 0)
        *out = sums[0];
}

//: defect volatile accesses do not race, but what a lane sees depends on lanes that run in step
//: expect race warning at read with write in shared sums
//: grid 1 block 32
//: arg u32[64]:ones
//: arg u32[1]:zeros
extern "C" __global__ void with_volatile(const unsigned *in, unsigned *out)
{
    __shared__ volatile unsigned sums[64];
    unsigned t = threadIdx.x;
    sums[t] = in[t];
    sums[t + 32] = in[t + 32];
    __syncthreads();
    for (unsigned half = 32; half > 0; half /= 2) {
        unsigned other = sums[t + half]; //@ read
        sums[t] = sums[t] + other;       //@ write
    }
    if (t == 0)
        *out = sums[0];
}

//: defect one barrier a step, and all lanes take part: lane 16 writes what lane 0 reads
//: grid 1 block 32
//: arg u32[64]:ones
//: arg u32[1]:zeros
//: expect race error at read with write in shared sums
extern "C" __global__ void one_barrier_all_lanes(const unsigned *in, unsigned *out)
{
    __shared__ unsigned sums[64];
    unsigned t = threadIdx.x;
    sums[t] = in[t];
    sums[t + 32] = in[t + 32];
    __syncwarp();
    for (unsigned half = 32; half > 0; half /= 2) {
        unsigned other = sums[t + half]; //@ read
        sums[t] += other;                //@ write
        __syncwarp();
    }
    if (t == 0)
        *out = sums[0];
}

//: correct a barrier of the warp between reading and writing, and one after
//: grid 1 block 32
//: arg u32[64]:ones
//: arg u32[1]:zeros
//: result 1 u32 64
extern "C" __global__ void two_barriers(const unsigned *in, unsigned *out)
{
    __shared__ unsigned sums[64];
    unsigned t = threadIdx.x;
    sums[t] = in[t];
    sums[t + 32] = in[t + 32];
    __syncwarp();
    for (unsigned half = 32; half > 0; half /= 2) {
        unsigned other = sums[t + half];
        __syncwarp();
        sums[t] += other;
        __syncwarp();
    }
    if (t == 0)
        *out = sums[0];
}

//: correct the same with volatile
//: grid 1 block 32
//: arg u32[64]:ones
//: arg u32[1]:zeros
//: result 1 u32 64
extern "C" __global__ void two_barriers_volatile(const unsigned *in, unsigned *out)
{
    __shared__ volatile unsigned sums[64];
    unsigned t = threadIdx.x;
    sums[t] = in[t];
    sums[t + 32] = in[t + 32];
    __syncwarp();
    for (unsigned half = 32; half > 0; half /= 2) {
        unsigned other = sums[t + half];
        __syncwarp();
        sums[t] = sums[t] + other;
        __syncwarp();
    }
    if (t == 0)
        *out = sums[0];
}

//: correct only the lanes whose sum matters take part: one barrier a step
//: grid 1 block 32
//: arg u32[64]:ones
//: arg u32[1]:zeros
//: result 1 u32 64
extern "C" __global__ void one_barrier_half_the_lanes(const unsigned *in, unsigned *out)
{
    __shared__ unsigned sums[64];
    unsigned t = threadIdx.x;
    sums[t] = in[t];
    sums[t + 32] = in[t + 32];
    __syncwarp();
    for (unsigned half = 32; half > 0; half /= 2) {
        if (t < half)
            sums[t] += sums[t + half];
        __syncwarp();
    }
    if (t == 0)
        *out = sums[0];
}

//: correct a tree in shared memory down to one warp, then shuffles
//: grid 1 block 128
//: arg u32[128]:ones
//: arg u32[1]:zeros
//: result 1 u32 128
extern "C" __global__ void shuffles(const unsigned *in, unsigned *out)
{
    __shared__ unsigned sums[128];
    unsigned t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    if (t < 64)
        sums[t] += sums[t + 64];
    __syncthreads();
    if (t < 32) {
        unsigned sum = sums[t] + sums[t + 32];
        for (unsigned half = 16; half > 0; half /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, half);
        if (t == 0)
            *out = sum;
    }
}
