// Warps of a block wait for each other by way of a flag in shared memory.

//: correct warp 1 waits for warp 0, with fences
//: grid 1 block 64
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: result 1 u32 31..0
extern "C" __global__ void with_fences(const unsigned *in, unsigned *out)
{
    __shared__ unsigned values[32];
    __shared__ volatile unsigned flag;
    unsigned t = threadIdx.x, lane = t % 32;
    if (t == 0)
        flag = 0;
    __syncthreads();
    if (t < 32) {
        values[lane] = in[lane];
        __syncwarp();
        if (lane == 0) {
            __threadfence_block();
            flag = 1;
        }
    } else {
        if (lane == 0) {
            while (flag == 0)
                ;
            __threadfence_block();
        }
        __syncwarp();
        out[lane] = values[31 - lane];
    }
}

//: defect warp 1 waits for warp 0, without fences
//: grid 1 block 64
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: expect race error at write with read in shared values
//: allow uninitialized error at read in shared values
extern "C" __global__ void without_fences(const unsigned *in, unsigned *out)
{
    __shared__ unsigned values[32];
    __shared__ volatile unsigned flag;
    unsigned t = threadIdx.x, lane = t % 32;
    if (t == 0)
        flag = 0;
    __syncthreads();
    if (t < 32) {
        values[lane] = in[lane]; //@ write
        __syncwarp();
        if (lane == 0)
            flag = 1;
    } else {
        if (lane == 0)
            while (flag == 0)
                ;
        __syncwarp();
        out[lane] = values[31 - lane]; //@ read
    }
}

//: defect warp 1 does not wait at all
//: grid 1 block 64
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: expect race error at write with read in shared values
//: allow uninitialized error at read in shared values
extern "C" __global__ void without_waiting(const unsigned *in, unsigned *out)
{
    __shared__ unsigned values[32];
    unsigned t = threadIdx.x, lane = t % 32;
    if (t < 32) {
        values[lane] = in[lane]; //@ write
        __threadfence_block();
    } else {
        __threadfence_block();
        out[lane] = values[31 - lane]; //@ read
    }
}

//: correct the flag counts the warps that are done, by atomics
//: grid 1 block 128
//: arg u32[1]:zeros
//: result 0 u32 6
extern "C" __global__ void counted(unsigned *out)
{
    __shared__ unsigned values[4], done;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        done = 0;
    __syncthreads();
    if (lane == 0) {
        values[warp] = warp;
        __threadfence_block();
        unsigned before = atomicAdd(&done, 1);
        __threadfence_block();
        if (before == 3)
            *out = values[0] + values[1] + values[2] + values[3];
    }
}
