// Barriers of part of a warp.

//: correct each half exchanges within itself and waits for itself
//: grid 1 block 32
//: arg u32[32]:iota
//: result 0 u32 15..0,31..16
extern "C" __global__ void within_halves(unsigned *data)
{
    __shared__ unsigned slots[32];
    unsigned t = threadIdx.x;
    slots[t] = data[t];
    if (t < 16)
        __syncwarp(0x0000ffff);
    else
        __syncwarp(0xffff0000);
    data[t] = slots[t ^ 15];
}

//: defect each half waits for itself, but reads what the other wrote
//: grid 1 block 32
//: arg u32[32]:iota
//: expect race error at write with read in shared slots
//: allow uninitialized error at read in shared slots
extern "C" __global__ void across_halves(unsigned *data)
{
    __shared__ unsigned slots[32];
    unsigned t = threadIdx.x;
    slots[t] = data[t]; //@ write
    if (t < 16)
        __syncwarp(0x0000ffff);
    else
        __syncwarp(0xffff0000);
    data[t] = slots[t ^ 16]; //@ read
}

//: correct the mask is worked out by each lane: pairs wait for each other
//: grid 1 block 32
//: arg u32[32]:iota
//: result 0 u32 1,0,3,2,5,4,7,6,9,8,11,10,13,12,15,14,17,16,19,18,21,20,23,22,25,24,27,26,29,28,31,30
extern "C" __global__ void pairs(unsigned *data)
{
    __shared__ unsigned slots[32];
    unsigned t = threadIdx.x;
    slots[t] = data[t];
    __syncwarp(3u << (t & ~1u));
    data[t] = slots[t ^ 1];
}

//: defect the chain of two barriers leaves out the lanes in the middle
//: grid 1 block 32
//: arg u32[1]:list:7
//: arg u32[32]:zeros
//: expect race error at write with read in shared slot
//: allow uninitialized error at read in shared slot
extern "C" __global__ void broken_chain(const unsigned *in, unsigned *out)
{
    __shared__ unsigned slot;
    unsigned t = threadIdx.x;
    if (t == 0)
        slot = *in; //@ write
    if (t < 8)
        __syncwarp(0x000000ff);
    if (t >= 16)
        __syncwarp(0xffff0000);
    if (t == 31)
        out[t] = slot; //@ read
}

//: correct a chain of two barriers that share a lane
//: grid 1 block 32
//: arg u32[1]:list:7
//: arg u32[32]:zeros
//: result 1 u32 0*31,7
extern "C" __global__ void chain(const unsigned *in, unsigned *out)
{
    __shared__ unsigned slot;
    unsigned t = threadIdx.x;
    if (t == 0)
        slot = *in;
    if (t < 8)
        __syncwarp(0x000000ff);
    if (t >= 7)
        __syncwarp(0xffffff80);
    if (t == 31)
        out[t] = slot;
}

//: correct lanes go round a loop each its own number of times, then wait for each other
//: grid 1 block 32
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: result 1 u32 31..0
extern "C" __global__ void after_a_loop(const unsigned *turns, unsigned *out)
{
    __shared__ unsigned slots[32];
    unsigned t = threadIdx.x, count = 0;
#pragma unroll 1
    for (unsigned i = 0; i < turns[t]; i++)
        count += turns[i] < turns[t];
    slots[t] = count;
    __syncwarp();
    out[t] = slots[31 - t];
}
