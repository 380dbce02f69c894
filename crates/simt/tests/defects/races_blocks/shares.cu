// How blocks share an array.

//: correct a grid-stride loop
//: grid 3 block 32
//: arg u32[200]:iota
//: arg u32[200]:uninit
//: arg u32=200
//: result 1 u32 0..398/2
extern "C" __global__ void grid_stride(const unsigned *in, unsigned *out, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = 2 * in[i];
}

//: defect the step of the loop forgets the other blocks: all write the same values
//: grid 3 block 32
//: arg u32[200]:iota
//: arg u32[200]:zeros
//: arg u32=200
//: expect race warning at write with write in global
//: correct one block
//: grid 1 block 32
//: arg u32[200]:iota
//: arg u32[200]:zeros
//: arg u32=200
//: result 1 u32 0..398/2
extern "C" __global__ void block_stride(const unsigned *in, unsigned *out, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)
        out[i] = 2 * in[i]; //@ write
}

//: defect the step of the loop forgets the other blocks: elements are doubled more than once
//: grid 2 block 32
//: arg u32[128]:iota
//: arg u32=128
//: expect race error at double with double in global
extern "C" __global__ void block_stride_in_place(unsigned *data, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)
        data[i] *= 2; //@ double
}

//: correct one word for every block
//: grid 4 block 32
//: arg u32[4]:uninit
//: result 0 u32 496,1520,2544,3568
extern "C" __global__ void one_word_a_block(unsigned *out)
{
    unsigned sum = blockIdx.x * 32 + threadIdx.x;
    for (unsigned half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

//: defect one word for all blocks
//: grid 4 block 32
//: arg u32[1]:zeros
//: expect race error at write with write in global
extern "C" __global__ void one_word_for_all(unsigned *out)
{
    unsigned sum = blockIdx.x * 32 + threadIdx.x;
    for (unsigned half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    if (threadIdx.x == 0)
        *out = sum; //@ write
}

//: defect the last block adds up what the others write, and nothing says that they are done
//: grid 4 block 32
//: arg u32[4]:zeros
//: arg u32[1]:zeros
//: expect race error at write with read in global
extern "C" __global__ void last_block_by_number(unsigned *parts, unsigned *out)
{
    if (threadIdx.x == 0)
        parts[blockIdx.x] = blockIdx.x + 1; //@ write
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) {
        unsigned sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            sum += parts[i]; //@ read
        *out = sum;
    }
}

//: correct neighbouring bytes of two blocks
//: grid 4 block 33
//: arg u8[132]:uninit
//: result 0 u8 0..131
extern "C" __global__ void bytes(unsigned char *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i;
}

//: defect the last vector of a block is the first of the next
//: grid 2 block 16
//: arg u32[66]:zeros
//: expect race error at write with write in global
extern "C" __global__ void overlapping_vectors(unsigned *out)
{
    unsigned i = blockIdx.x * 15 + threadIdx.x;
    ((uint2 *)out)[i] = make_uint2(blockIdx.x, threadIdx.x); //@ write
}
