// Stores to places that are data.

//: correct a permutation: every place once
//: grid 2 block 4
//: arg u32[8]:list:3,1,0,2,7,6,5,4
//: arg u32[8]:uninit
//: result 1 u32 2,1,3,0,7,6,5,4
//: defect two threads of different blocks are sent to place 3
//: grid 2 block 4
//: arg u32[8]:list:3,1,0,2,7,3,5,4
//: arg u32[8]:zeros
//: expect race error at write with write in global
//: defect two threads of one block are sent to place 1
//: grid 2 block 4
//: arg u32[8]:list:3,1,1,2,7,6,5,4
//: arg u32[8]:zeros
//: expect race error at write with write in global
extern "C" __global__ void scatter(const unsigned *places, unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[places[i]] = i; //@ write
}

//: defect a histogram without atomics
//: grid 2 block 32
//: arg u32[64]:iota
//: arg u32[8]:zeros
//: expect race error at count with count in global
extern "C" __global__ void plain_histogram(const unsigned *in, unsigned *bins)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    bins[in[i] % 8] += 1; //@ count
}

//: correct a histogram with atomics
//: grid 2 block 32
//: arg u32[64]:iota
//: arg u32[8]:zeros
//: result 1 u32 8*8
extern "C" __global__ void atomic_histogram(const unsigned *in, unsigned *bins)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[in[i] % 8], 1);
}

//: correct places handed out by an atomic: every place once, in some order
//: grid 4 block 32
//: arg u32[128]:iota
//: arg u32[64]:uninit
//: arg u32[1]:zeros
//: result 2 u32 64
extern "C" __global__ void places_by_counter(const unsigned *in, unsigned *out, unsigned *count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] % 2 == 0)
        out[atomicAdd(count, 1)] = in[i];
}

//: correct the least of all, by atomics
//: grid 4 block 32
//: arg u32[128]:iota
//: arg u32[1]:list:1000
//: result 1 u32 5
extern "C" __global__ void least(const unsigned *in, unsigned *out)
{
    atomicMin(out, in[blockIdx.x * blockDim.x + threadIdx.x] + 5);
}

//: correct two kinds of atomics on one word: every access is atomic
//: grid 4 block 32
//: arg u32[1]:zeros
extern "C" __global__ void add_and_max(unsigned *word)
{
    atomicAdd(word, 1);
    atomicMax(word, 2);
}
