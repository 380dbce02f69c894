// Global memory that nobody has written.

//: defect the input was never filled
//: grid 1 block 32
//: arg u32[32]:uninit
//: arg u32[32]:zeros
//: expect uninitialized error at read in global
//: correct the input was filled
//: grid 1 block 32
//: arg u32[32]:iota
//: arg u32[32]:uninit
//: result 1 u32 0..31
extern "C" __global__ void copy(const unsigned *in, unsigned *out)
{
    out[threadIdx.x] = in[threadIdx.x]; //@ read
}

//: defect added to an output that was never set
//: grid 1 block 32
//: arg u32[32]:uninit
//: expect uninitialized error at add in global
//: correct added to zeros
//: grid 1 block 32
//: arg u32[32]:zeros
//: result 0 u32 0..31
extern "C" __global__ void accumulate(unsigned *out)
{
    out[threadIdx.x] += threadIdx.x; //@ add
}

//: defect counted into bins that were never zeroed
//: grid 1 block 32
//: arg u32[4]:uninit
//: expect uninitialized error at count in global
//: correct counted into zeros
//: grid 1 block 32
//: arg u32[4]:zeros
//: result 0 u32 8*4
extern "C" __global__ void count(unsigned *bins)
{
    atomicAdd(&bins[threadIdx.x % 4], 1); //@ count
}

//: correct an output need not be written everywhere
//: grid 1 block 32
//: arg u32[32]:iota
//: arg u32[32]:uninit
extern "C" __global__ void part_of_the_output(const unsigned *in, unsigned *out)
{
    if (in[threadIdx.x] % 3 == 0)
        out[threadIdx.x] = in[threadIdx.x];
}

//: correct scratch memory that the kernel fills itself
//: grid 1 block 32
//: arg u32[32]:uninit
//: arg u32[32]:uninit
//: result 1 u32 31..0
extern "C" __global__ void scratch(unsigned *room, unsigned *out)
{
    room[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = room[31 - threadIdx.x];
}

//: defect scratch memory of which half is filled
//: grid 1 block 32
//: arg u32[32]:uninit
//: arg u32[32]:zeros
//: expect uninitialized error at read in global
extern "C" __global__ void half_of_the_scratch(unsigned *room, unsigned *out)
{
    if (threadIdx.x < 16)
        room[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = room[31 - threadIdx.x]; //@ read
}

//: defect three bytes of each word are written, four are read
//: grid 1 block 32
//: arg u8[128]:uninit
//: arg u32[32]:zeros
//: expect uninitialized error at read in global
extern "C" __global__ void three_of_four_bytes(unsigned char *room, unsigned *out)
{
    for (unsigned i = 0; i < 3; i++)
        room[4 * threadIdx.x + i] = i;
    __syncthreads();
    out[threadIdx.x] = ((const unsigned *)room)[31 - threadIdx.x]; //@ read
}

//: correct four bytes of each word are written
//: grid 1 block 32
//: arg u8[128]:uninit
//: arg u32[32]:zeros
//: result 1 u32 0x03020100*32
extern "C" __global__ void four_of_four_bytes(unsigned char *room, unsigned *out)
{
    for (unsigned i = 0; i < 4; i++)
        room[4 * threadIdx.x + i] = i;
    __syncthreads();
    out[threadIdx.x] = ((const unsigned *)room)[31 - threadIdx.x];
}

__device__ unsigned zeros[32];

//: correct variables of a module start as zeros
//: grid 1 block 32
//: arg u32[32]:uninit
//: result 0 u32 0*32
extern "C" __global__ void module_variable(unsigned *out)
{
    out[threadIdx.x] = zeros[threadIdx.x];
    zeros[threadIdx.x] = 1;
}
