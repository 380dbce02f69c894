// Accesses that are far apart: in time, in the block, or behind other accesses.

//: correct a thousand barriers, and at each a value is handed on
//: grid 1 block 64
//: arg u32[64]:zeros
//: arg u32=1000
//: arg u32=1000
//: result 0 u32 1000*64
//: defect the last of a thousand barriers is missing
//: grid 1 block 64
//: arg u32[64]:zeros
//: arg u32=1000
//: arg u32=999
//: expect race error at write with read in shared values
extern "C" __global__ void many_barriers(unsigned *out, unsigned turns, unsigned barriers)
{
    __shared__ unsigned values[2][64];
    unsigned t = threadIdx.x;
    values[0][t] = 0;
    __syncthreads();
#pragma unroll 1
    for (unsigned i = 0; i < turns; i++) {
        values[(i + 1) % 2][t] = values[i % 2][(t + 33) % 64] + 1; //@ write
        if (i < barriers)
            __syncthreads();
    }
    out[t] = values[turns % 2][(t + 33) % 64]; //@ read
}

//: correct the first and the last of 1024 threads, with a barrier
//: grid 1 block 1024
//: arg u32[1]:list:7
//: arg u32[1]:zeros
//: result 1 u32 7
extern "C" __global__ void first_and_last(const unsigned *in, unsigned *out)
{
    __shared__ unsigned value;
    if (threadIdx.x == 0)
        value = *in;
    __syncthreads();
    if (threadIdx.x == 1023)
        *out = value;
}

//: defect the first and the last of 1024 threads, without
//: grid 1 block 1024
//: arg u32[1]:list:7
//: arg u32[1]:zeros
//: expect race error at write with read in shared value
//: allow uninitialized error at read in shared value
extern "C" __global__ void first_and_last_without_barrier(const unsigned *in, unsigned *out)
{
    __shared__ unsigned value;
    if (threadIdx.x == 0)
        value = *in; //@ write
    if (threadIdx.x == 1023)
        *out = value; //@ read
}

//: defect the writer has waited for the last reader, but not for all
//: grid 1 block 64
//: arg u32[1]:list:7
//: arg u32[64]:zeros
//: expect race error at early with write in shared value
extern "C" __global__ void one_of_two_readers(const unsigned *in, unsigned *out)
{
    __shared__ unsigned value;
    unsigned t = threadIdx.x;
    if (t == 0)
        value = *in;
    __syncthreads();
    if (t < 32)
        out[t] = value; //@ early
    __syncwarp();
    if (t >= 32)
        out[t] = value;
    __syncwarp();
    if (t == 32)
        value = *in + 1; //@ write
}

//: correct the writer has waited for all readers
//: grid 1 block 64
//: arg u32[1]:list:7
//: arg u32[64]:zeros
//: result 1 u32 7*64
extern "C" __global__ void all_readers(const unsigned *in, unsigned *out)
{
    __shared__ unsigned value;
    unsigned t = threadIdx.x;
    if (t == 0)
        value = *in;
    __syncthreads();
    out[t] = value;
    __syncthreads();
    if (t == 32)
        value = *in + 1;
}

//: correct blocks and threads in three dimensions
//: grid 2,2,2 block 4,4,4
//: arg u32[512]:uninit
//: result 0 u32 63..0,63..0,63..0,63..0,63..0,63..0,63..0,63..0
extern "C" __global__ void three_dimensions(unsigned *out)
{
    __shared__ unsigned tile[4][4][4];
    unsigned t = (threadIdx.z * 4 + threadIdx.y) * 4 + threadIdx.x;
    unsigned b = (blockIdx.z * 2 + blockIdx.y) * 2 + blockIdx.x;
    tile[threadIdx.z][threadIdx.y][threadIdx.x] = t;
    __syncthreads();
    out[b * 64 + t] = tile[3 - threadIdx.z][3 - threadIdx.y][3 - threadIdx.x];
}

//: defect threads in three dimensions: the layers are different warps
//: grid 2,2,2 block 4,4,4
//: arg u32[512]:zeros
//: expect race error at write with read in shared tile
//: allow uninitialized error at read in shared tile
extern "C" __global__ void three_dimensions_one_warp(unsigned *out)
{
    __shared__ unsigned tile[4][4][4];
    unsigned t = (threadIdx.z * 4 + threadIdx.y) * 4 + threadIdx.x;
    unsigned b = (blockIdx.z * 2 + blockIdx.y) * 2 + blockIdx.x;
    tile[threadIdx.z][threadIdx.y][threadIdx.x] = t; //@ write
    __syncwarp();
    out[b * 64 + t] = tile[3 - threadIdx.z][threadIdx.y][threadIdx.x]; //@ read
}

//: correct the same bytes as words, then as vectors, with a barrier between
//: grid 1 block 64
//: arg u32[64]:zeros
//: result 0 u32 63..0
extern "C" __global__ void words_then_vectors(unsigned *out)
{
    __shared__ __align__(16) unsigned words[64];
    unsigned t = threadIdx.x;
    words[t] = 63 - t;
    __syncthreads();
    if (t < 16)
        ((uint4 *)out)[t] = ((const uint4 *)words)[t];
    __syncthreads();
    ((unsigned short *)words)[t] = t;
}
