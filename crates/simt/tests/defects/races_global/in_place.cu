// One block that works in place in global memory.

//: defect every thread takes the element of its neighbour, which is being overwritten
//: grid 1 block 64
//: arg u32[65]:iota
//: expect race error at read with write in global
extern "C" __global__ void shift(unsigned *data)
{
    unsigned right = data[threadIdx.x + 1]; //@ read
    data[threadIdx.x] = right;              //@ write
}

//: correct all have read before the first writes
//: grid 1 block 64
//: arg u32[65]:iota
//: result 0 u32 1..64,64
extern "C" __global__ void shift_with_barrier(unsigned *data)
{
    unsigned right = data[threadIdx.x + 1];
    __syncthreads();
    data[threadIdx.x] = right;
}

//: correct global memory takes the place of shared memory, with a barrier
//: grid 2 block 64
//: arg u32[128]:uninit
//: arg u32[128]:zeros
//: result 1 u32 63..0,127..64
extern "C" __global__ void room_of_a_block(unsigned *room, unsigned *out)
{
    unsigned t = threadIdx.x, base = blockIdx.x * 64;
    room[base + t] = base + t;
    __syncthreads();
    out[base + t] = room[base + 63 - t];
}

//: defect global memory takes the place of shared memory, without a barrier
//: grid 1 block 64
//: arg u32[64]:zeros
//: arg u32[64]:zeros
//: expect race error at write with read in global
extern "C" __global__ void room_without_barrier(unsigned *room, unsigned *out)
{
    unsigned t = threadIdx.x;
    room[t] = t; //@ write
    out[t] = room[63 - t]; //@ read
}

//: correct red and black points in turn, with a barrier
//: grid 1 block 64
//: arg u32[66]:ones
//: arg u32=3
//: result 0 u32 1*66
extern "C" __global__ void red_black(unsigned *data, unsigned turns)
{
    unsigned i = threadIdx.x + 1;
    for (unsigned turn = 0; turn < turns; turn++) {
        if (i % 2 == turn % 2)
            data[i] = (data[i - 1] + data[i + 1]) / 2;
        __syncthreads();
    }
}

//: defect red and black points in turn, without a barrier
//: grid 1 block 64
//: arg u32[66]:ones
//: arg u32=3
//: expect race error at relax with relax in global
extern "C" __global__ void red_black_without_barrier(unsigned *data, unsigned turns)
{
    unsigned i = threadIdx.x + 1;
    for (unsigned turn = 0; turn < turns; turn++)
        if (i % 2 == turn % 2)
            data[i] = (data[i - 1] + data[i + 1]) / 2; //@ relax
}

//: correct the first half swaps with the second
//: grid 1 block 32
//: arg u32[64]:iota
//: result 0 u32 63..0
//: defect every pair is swapped twice
//: grid 1 block 64
//: arg u32[64]:iota
//: expect race error at left|right with swap|other in global
//: allow race error|warning at swap with other in global
extern "C" __global__ void reverse(unsigned *data)
{
    unsigned t = threadIdx.x;
    unsigned left = data[t];       //@ left
    unsigned right = data[63 - t]; //@ right
    data[t] = right;               //@ swap
    data[63 - t] = left;           //@ other
}
