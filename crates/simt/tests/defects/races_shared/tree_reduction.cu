// A sum of one block by halving in shared memory.

//: defect no barrier between the steps: a warp adds what another warp has not written yet
//: grid 1 block 64
//: arg u32[64]:ones
//: arg u32[1]:zeros
//: expect race error at read with write in shared sums
//: correct with two threads there is one step only, and nothing to wait for
//: grid 1 block 2
//: arg u32[2]:list:3,4
//: arg u32[1]:zeros
//: result 1 u32 7
extern "C" __global__ void steps_without_barrier(const unsigned *in, unsigned *out)
{
    __shared__ unsigned sums[64];
    unsigned t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) {
            unsigned other = sums[t + half]; //@ read
            sums[t] += other;                //@ write
        }
    }
    if (t == 0)
        *out = sums[0];
}

//: defect no barrier between filling the array and the first step
//: grid 1 block 64
//: arg u32[64]:ones
//: arg u32[1]:zeros
//: expect race error at fill with read in shared sums
//: allow uninitialized error at read in shared sums
extern "C" __global__ void fill_without_barrier(const unsigned *in, unsigned *out)
{
    __shared__ unsigned sums[64];
    unsigned t = threadIdx.x;
    sums[t] = in[t]; //@ fill
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) {
            unsigned other = sums[t + half]; //@ read
            sums[t] += other;
        }
        __syncthreads();
    }
    if (t == 0)
        *out = sums[0];
}

//: defect the barrier comes before the write of a step, not after it
//: grid 1 block 64
//: arg u32[64]:ones
//: arg u32[1]:zeros
//: expect race error at read with write in shared sums
extern "C" __global__ void barrier_before_the_write(const unsigned *in, unsigned *out)
{
    __shared__ unsigned sums[64];
    unsigned t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        unsigned other = 0;
        if (t < half)
            other = sums[t + half]; //@ read
        __syncthreads();
        if (t < half)
            sums[t] += other; //@ write
    }
    if (t == 0)
        *out = sums[0];
}

//: correct one barrier a step
//: grid 1 block 64
//: arg u32[64]:ones
//: arg u32[1]:zeros
//: result 1 u32 64
//: correct more blocks, each with its own shared memory
//: grid 3 block 128
//: arg u32[128]:ones
//: arg u32[3]:zeros
//: result 1 u32 128*3
extern "C" __global__ void barrier_at_each_step(const unsigned *in, unsigned *out)
{
    __shared__ unsigned sums[128];
    unsigned t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half)
            sums[t] += sums[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = sums[0];
}

//: correct neighbours first, with one barrier a step
//: grid 1 block 64
//: arg u32[64]:ones
//: arg u32[1]:zeros
//: result 1 u32 64
extern "C" __global__ void interleaved(const unsigned *in, unsigned *out)
{
    __shared__ unsigned sums[64];
    unsigned t = threadIdx.x;
    sums[t] = in[t];
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();
        if (t % (2 * stride) == 0)
            sums[t] += sums[t + stride];
    }
    if (t == 0)
        *out = sums[0];
}
