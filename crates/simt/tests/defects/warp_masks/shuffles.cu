// Shuffles and their masks.

//: correct a sum by shuffles only
//: grid 1 block 64
//: arg u32[64]:ones
//: arg u32[2]:zeros
//: result 1 u32 32*2
//: defect the second warp has 16 lanes: the sum takes from lanes that are not there
//: grid 1 block 48
//: arg u32[48]:ones
//: arg u32[2]:zeros
//: expect barrier_divergence|uninitialized error at shuffle
extern "C" __global__ void sum(const unsigned *in, unsigned *out)
{
    unsigned t = threadIdx.x, sum = in[t];
    for (unsigned reach = 16; reach > 0; reach /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, reach); //@ shuffle
    if (t % 32 == 0)
        out[t / 32] = sum;
}

//: defect 16 lanes shuffle in the name of 32; the others wait at the barrier of the block
//: grid 1 block 32
//: arg u32[32]:iota
//: expect barrier_divergence|deadlock error at shuffle|barrier
extern "C" __global__ void lanes_elsewhere(unsigned *data)
{
    unsigned t = threadIdx.x, value = data[t];
    if (t < 16)
        value = __shfl_xor_sync(0xffffffff, value, 1); //@ shuffle
    __syncthreads(); //@ barrier
    data[t] = value;
}

//: correct 16 lanes shuffle in the name of 16
//: grid 1 block 32
//: arg u32[32]:iota
//: result 0 u32 15..0,16..31
extern "C" __global__ void half_a_warp(unsigned *data)
{
    unsigned t = threadIdx.x, value = data[t];
    if (t < 16)
        value = __shfl_xor_sync(0x0000ffff, value, 15);
    __syncthreads();
    data[t] = value;
}

//: defect all lanes shuffle, but the mask names half of them
//: grid 1 block 32
//: arg u32[32]:iota
//: expect barrier_divergence|deadlock|uninitialized error at shuffle
extern "C" __global__ void not_in_its_own_mask(unsigned *data)
{
    unsigned t = threadIdx.x;
    data[t] = __shfl_xor_sync(0x0000ffff, data[t], 1); //@ shuffle
}

//: defect a lane takes from one that the mask does not name
//: grid 1 block 32
//: arg u32[32]:iota
//: expect barrier_divergence|uninitialized error at shuffle
extern "C" __global__ void source_not_in_mask(unsigned *data)
{
    unsigned t = threadIdx.x, value = data[t];
    if (t < 16)
        value = __shfl_sync(0x0000ffff, value, t + 16); //@ shuffle
    data[t] = value;
}

//: correct the width keeps the source inside the mask
//: grid 1 block 32
//: arg u32[32]:iota
//: result 0 u32 8..15,8..15,16..31
extern "C" __global__ void width(unsigned *data)
{
    unsigned t = threadIdx.x, value = data[t];
    if (t < 16)
        value = __shfl_down_sync(0x0000ffff, value, 8, 16);
    data[t] = value;
}

//: defect half the lanes have returned, and their values are taken
//: grid 1 block 32
//: arg u32[32]:iota
//: expect barrier_divergence|deadlock|uninitialized error at shuffle
extern "C" __global__ void from_lanes_that_left(unsigned *data)
{
    unsigned t = threadIdx.x;
    if (t >= 16)
        return;
    data[t] = __shfl_down_sync(0xffffffff, data[t], 16); //@ shuffle
}

//: correct half the lanes have returned, the rest keeps to itself
//: grid 1 block 32
//: arg u32[32]:iota
//: result 0 u32 15..0,16..31
extern "C" __global__ void lanes_that_stayed(unsigned *data)
{
    unsigned t = threadIdx.x;
    if (t >= 16)
        return;
    data[t] = __shfl_xor_sync(0x0000ffff, data[t], 15);
}

//: correct two halves, two masks, one instruction
//: grid 1 block 32
//: arg u32[32]:iota
//: result 0 u32 15..0,31..16
extern "C" __global__ void two_masks(unsigned *data)
{
    unsigned t = threadIdx.x;
    unsigned mask = t < 16 ? 0x0000ffff : 0xffff0000;
    data[t] = __shfl_xor_sync(mask, data[t], 15);
}

//: defect lanes of one shuffle name different sets that overlap
//: grid 1 block 32
//: arg u32[32]:iota
//: expect barrier_divergence|deadlock error at shuffle|barrier
extern "C" __global__ void masks_that_overlap(unsigned *data)
{
    unsigned t = threadIdx.x;
    unsigned mask = t < 16 ? 0x0000ffff : 0xffffffff;
    unsigned value = __shfl_xor_sync(mask, data[t], 15); //@ shuffle
    __syncthreads(); //@ barrier
    data[t] = value;
}

//: correct a scan by shuffles: lanes without a left neighbour keep their own
//: grid 1 block 32
//: arg u32[32]:ones
//: result 0 u32 1..32
extern "C" __global__ void scan(unsigned *data)
{
    unsigned t = threadIdx.x, sum = data[t];
    for (unsigned reach = 1; reach < 32; reach *= 2) {
        unsigned left = __shfl_up_sync(0xffffffff, sum, reach);
        if (t >= reach)
            sum += left;
    }
    data[t] = sum;
}
