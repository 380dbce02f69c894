// Sums over the lanes of a mask, as one instruction.
//: arch compute_80

//: correct all lanes
//: grid 1 block 32
//: arg u32[32]:ones
//: result 0 u32 32*32
extern "C" __global__ void all_lanes(unsigned *data)
{
    data[threadIdx.x] = __reduce_add_sync(0xffffffff, data[threadIdx.x]);
}

//: correct half the lanes, by name
//: grid 1 block 32
//: arg u32[32]:ones
//: result 0 u32 16*16,1*16
extern "C" __global__ void half_a_warp(unsigned *data)
{
    unsigned t = threadIdx.x;
    if (t < 16)
        data[t] = __reduce_add_sync(0x0000ffff, data[t]);
}

//: defect half the lanes in the name of all
//: grid 1 block 32
//: arg u32[32]:ones
//: expect barrier_divergence|deadlock error at sum|barrier
extern "C" __global__ void lanes_elsewhere(unsigned *data)
{
    unsigned t = threadIdx.x, sum = 0;
    if (t < 16)
        sum = __reduce_add_sync(0xffffffff, data[t]); //@ sum
    __syncthreads(); //@ barrier
    data[t] = sum;
}

//: defect a lane that its mask leaves out
//: grid 1 block 32
//: arg u32[32]:ones
//: expect barrier_divergence|deadlock error at sum
extern "C" __global__ void not_in_its_own_mask(unsigned *data)
{
    data[threadIdx.x] = __reduce_max_sync(0x0000ffff, data[threadIdx.x]); //@ sum
}
