// One thread writes, all threads read.

//: defect no barrier between the write and the reads
//: grid 1 block 64
//: arg u32[1]:list:7
//: arg u32[64]:zeros
//: expect race error at write with read in shared value
//: allow uninitialized error at read in shared value
extern "C" __global__ void without_barrier(const unsigned *in, unsigned *out)
{
    __shared__ unsigned value;
    if (threadIdx.x == 0)
        value = *in; //@ write
    out[threadIdx.x] = value; //@ read
}

//: correct with the barrier
//: grid 1 block 64
//: arg u32[1]:list:7
//: arg u32[64]:zeros
//: result 1 u32 7*64
extern "C" __global__ void with_barrier(const unsigned *in, unsigned *out)
{
    __shared__ unsigned value;
    if (threadIdx.x == 0)
        value = *in;
    __syncthreads();
    out[threadIdx.x] = value;
}

//: correct for one warp, a barrier of the warp is enough
//: grid 2 block 32
//: arg u32[1]:list:7
//: arg u32[64]:zeros
//: result 1 u32 7*64
//: defect for two warps it is not
//: grid 1 block 64
//: arg u32[1]:list:7
//: arg u32[64]:zeros
//: expect race error at write with read in shared value
//: allow uninitialized error at read in shared value
extern "C" __global__ void with_warp_barrier(const unsigned *in, unsigned *out)
{
    __shared__ unsigned value;
    if (threadIdx.x == 0)
        value = *in; //@ write
    __syncwarp();
    out[blockIdx.x * blockDim.x + threadIdx.x] = value; //@ read
}

//: defect the next write does not wait for the reads of the last
//: grid 1 block 64
//: arg u32[4]:iota
//: arg u32[64]:zeros
//: expect race error at write with read in shared value
extern "C" __global__ void loop_with_one_barrier(const unsigned *in, unsigned *out)
{
    __shared__ unsigned value;
    unsigned sum = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (threadIdx.x == 0)
            value = in[i]; //@ write
        __syncthreads();
        sum += value; //@ read
    }
    out[threadIdx.x] = sum;
}

//: correct two barriers a turn
//: grid 1 block 64
//: arg u32[4]:iota
//: arg u32[64]:zeros
//: result 1 u32 6*64
extern "C" __global__ void loop_with_two_barriers(const unsigned *in, unsigned *out)
{
    __shared__ unsigned value;
    unsigned sum = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (threadIdx.x == 0)
            value = in[i];
        __syncthreads();
        sum += value;
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

//: correct a value of its own for every turn needs one barrier a turn
//: grid 1 block 64
//: arg u32[4]:iota
//: arg u32[64]:zeros
//: result 1 u32 6*64
extern "C" __global__ void one_value_a_turn(const unsigned *in, unsigned *out)
{
    __shared__ unsigned values[4];
    unsigned sum = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (threadIdx.x == 0)
            values[i] = in[i];
        __syncthreads();
        sum += values[i];
    }
    out[threadIdx.x] = sum;
}
