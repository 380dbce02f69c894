// Lanes of a warp hand values to each other through memory.

//: defect no barrier of the warp between writing and reading
//: grid 1 block 32
//: arg u32[32]:iota
//: expect race error at write with read in shared slots
//: allow uninitialized error at read in shared slots
extern "C" __global__ void without_barrier(unsigned *data)
{
    __shared__ unsigned slots[32];
    unsigned t = threadIdx.x;
    slots[t] = data[t];       //@ write
    data[t] = slots[31 - t];  //@ read
}

//: correct a barrier of the warp
//: grid 1 block 32
//: arg u32[32]:iota
//: result 0 u32 31..0
//: defect a barrier of the warp between two warps
//: grid 1 block 64
//: arg u32[64]:iota
//: expect race error at write with read in shared slots
//: allow uninitialized error at read in shared slots
extern "C" __global__ void with_warp_barrier(unsigned *data)
{
    __shared__ unsigned slots[64];
    unsigned t = threadIdx.x;
    slots[t] = data[t]; //@ write
    __syncwarp();
    data[t] = slots[blockDim.x - 1 - t]; //@ read
}

//: defect a shuffle brings values, it does not order memory
//: grid 1 block 32
//: arg u32[32]:iota
//: expect race error at write with read in shared slots
//: allow uninitialized error at read in shared slots
extern "C" __global__ void shuffle_between(unsigned *data)
{
    __shared__ unsigned slots[32];
    unsigned t = threadIdx.x;
    slots[t] = data[t]; //@ write
    unsigned from = __shfl_xor_sync(0xffffffff, t, 1);
    data[t] = slots[from]; //@ read
}

//: defect neither does a vote
//: grid 1 block 32
//: arg u32[32]:iota
//: expect race error at write with read in shared slots
//: allow uninitialized error at read in shared slots
extern "C" __global__ void vote_between(unsigned *data)
{
    __shared__ unsigned slots[32];
    unsigned t = threadIdx.x;
    slots[t] = data[t]; //@ write
    if (__all_sync(0xffffffff, data[t] < 100))
        data[t] = slots[31 - t]; //@ read
}

//: defect two sides of a branch: neither waits for the other
//: grid 1 block 32
//: arg u32[32]:iota
//: expect race error at write with read in shared slots
//: allow uninitialized error at read in shared slots
extern "C" __global__ void two_sides(unsigned *data)
{
    __shared__ unsigned slots[16];
    unsigned t = threadIdx.x;
    if (t < 16)
        slots[t] = data[t]; //@ write
    else
        data[t] = slots[t - 16]; //@ read
}

//: correct the sides meet at a barrier of the warp
//: grid 1 block 32
//: arg u32[32]:iota
//: result 0 u32 0..15,0..15
extern "C" __global__ void sides_that_meet(unsigned *data)
{
    __shared__ unsigned slots[16];
    unsigned t = threadIdx.x;
    if (t < 16)
        slots[t] = data[t];
    __syncwarp();
    if (t >= 16)
        data[t] = slots[t - 16];
}

//: defect all lanes store in one instruction, two to each word
//: grid 1 block 32
//: arg u32[16]:zeros
//: expect race error at write with write in shared slots
extern "C" __global__ void two_lanes_a_word(unsigned *out)
{
    __shared__ unsigned slots[16];
    unsigned t = threadIdx.x;
    slots[t / 2] = t; //@ write
    __syncthreads();
    if (t < 16)
        out[t] = slots[t];
}

//: correct the odd lanes store after the even ones
//: grid 1 block 32
//: arg u32[16]:zeros
//: result 0 u32 1..31/2
extern "C" __global__ void even_then_odd(unsigned *out)
{
    __shared__ unsigned slots[16];
    unsigned t = threadIdx.x;
    if (t % 2 == 0)
        slots[t / 2] = t;
    __syncwarp();
    if (t % 2 == 1)
        slots[t / 2] = t;
    __syncwarp();
    if (t < 16)
        out[t] = slots[t];
}

//: defect global memory between lanes, without a barrier
//: grid 1 block 32
//: arg u32[32]:zeros
//: arg u32[32]:zeros
//: expect race error at write with read in global
extern "C" __global__ void through_global(unsigned *room, unsigned *out)
{
    unsigned t = threadIdx.x;
    room[t] = t;            //@ write
    out[t] = room[31 - t];  //@ read
}

//: correct global memory between lanes, with a barrier of the warp
//: grid 1 block 32
//: arg u32[32]:uninit
//: arg u32[32]:zeros
//: result 1 u32 31..0
extern "C" __global__ void through_global_with_barrier(unsigned *room, unsigned *out)
{
    unsigned t = threadIdx.x;
    room[t] = t;
    __syncwarp();
    out[t] = room[31 - t];
}
