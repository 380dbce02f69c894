// Several threads write one word.

//: defect all write the same value: it does no harm on today's hardware, but it is a race
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[1]:zeros
//: expect race warning at write with write in shared found
extern "C" __global__ void all_write_one(const unsigned *in, unsigned *out)
{
    __shared__ unsigned found;
    if (threadIdx.x == 0)
        found = 0;
    __syncthreads();
    if (in[threadIdx.x] > 3)
        found = 1; //@ write
    __syncthreads();
    if (threadIdx.x == 0)
        *out = found;
}

//: defect all lanes of one warp write the same value
//: grid 1 block 32
//: arg u32[32]:zeros
//: expect race warning at write with write in shared value
extern "C" __global__ void all_lanes_write_one(unsigned *out)
{
    __shared__ unsigned value;
    value = blockDim.x; //@ write
    __syncthreads();
    out[threadIdx.x] = value;
}

//: defect they write different values: nobody knows who wins
//: grid 1 block 64
//: arg u32[1]:zeros
//: expect race error at write with write in shared winner
extern "C" __global__ void last_one_wins(unsigned *out)
{
    __shared__ unsigned winner;
    winner = threadIdx.x; //@ write
    __syncthreads();
    if (threadIdx.x == 0)
        *out = winner;
}

//: defect zero and one are written at the same time
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[1]:zeros
//: expect race error at zero with one in shared found
//: allow race warning at one with one in shared found
extern "C" __global__ void zero_without_barrier(const unsigned *in, unsigned *out)
{
    __shared__ unsigned found;
    if (threadIdx.x == 0)
        found = 0; //@ zero
    if (in[threadIdx.x] > 3)
        found = 1; //@ one
    __syncthreads();
    if (threadIdx.x == 0)
        *out = found;
}

//: correct one thread writes
//: grid 1 block 64
//: arg u32[1]:zeros
//: result 0 u32 5
extern "C" __global__ void one_writes(unsigned *out)
{
    __shared__ unsigned winner;
    if (threadIdx.x == 5)
        winner = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        *out = winner;
}

//: correct the writes are atomic
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[1]:zeros
//: result 1 u32 1
extern "C" __global__ void all_exchange(const unsigned *in, unsigned *out)
{
    __shared__ unsigned found;
    if (threadIdx.x == 0)
        found = 0;
    __syncthreads();
    if (in[threadIdx.x] > 3)
        atomicExch(&found, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        *out = found;
}

//: correct the block counts instead
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[1]:zeros
//: result 1 u32 1
extern "C" __global__ void barrier_with_or(const unsigned *in, unsigned *out)
{
    int found = __syncthreads_or(in[threadIdx.x] > 3);
    if (threadIdx.x == 0)
        *out = found != 0;
}

//: correct different threads, one after the other, with a barrier between
//: grid 1 block 64
//: arg u32[1]:zeros
//: result 0 u32 2
extern "C" __global__ void in_turns(unsigned *out)
{
    __shared__ unsigned value;
    if (threadIdx.x == 0)
        value = 1;
    __syncthreads();
    if (threadIdx.x == 63)
        value = 2;
    __syncthreads();
    if (threadIdx.x == 31)
        *out = value;
}
