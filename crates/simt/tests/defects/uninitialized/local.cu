// Arrays of a thread that are read before they are written.

//: defect the first four of eight elements are written
//: grid 1 block 8
//: arg u32[8]:iota
//: arg u32[8]:zeros
//: arg u32=4
//: expect uninitialized error at read in local
//: correct all eight are written
//: grid 1 block 8
//: arg u32[8]:iota
//: arg u32[8]:zeros
//: arg u32=8
//: result 1 u32 7..0
extern "C" __global__ void first_elements(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned values[8];
#pragma unroll 1
    for (unsigned i = 0; i < n; i++)
        values[i] = in[i];
    unsigned value = values[7 - threadIdx.x]; //@ read
    out[threadIdx.x] = value;
}

//: defect a histogram of a thread, not zeroed
//: grid 1 block 4
//: arg u32[16]:iota
//: arg u32[16]:zeros
//: expect uninitialized error at count in local
//: allow uninitialized error at read in local
extern "C" __global__ void own_bins(const unsigned *in, unsigned *out)
{
    unsigned bins[16];
#pragma unroll 1
    for (unsigned i = 0; i < 16; i++)
        bins[in[i] ^ threadIdx.x] += i; //@ count
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < 16; i += 4)
        out[i] = bins[in[i]]; //@ read
}

//: correct a histogram of a thread, zeroed
//: grid 1 block 4
//: arg u32[16]:iota
//: arg u32[16]:zeros
//: result 1 u32 1*16
extern "C" __global__ void own_bins_zeroed(const unsigned *in, unsigned *out)
{
    unsigned bins[16] = {};
#pragma unroll 1
    for (unsigned i = 0; i < 16; i++)
        bins[in[i] ^ threadIdx.x] += 1;
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < 16; i += 4)
        out[i] = bins[in[i]];
}

__device__ __noinline__ unsigned pick(const unsigned *in, unsigned n, unsigned which)
{
    unsigned values[8];
#pragma unroll 1
    for (unsigned i = 0; i < n; i++)
        values[i] = in[i];
    return values[which]; //@ pick
}

//: defect the second call finds the stack of the first: still not written by this one
//: grid 1 block 4
//: arg u32[8]:iota
//: arg u32[4]:zeros
//: expect uninitialized error at pick in local
extern "C" __global__ void second_call(const unsigned *in, unsigned *out)
{
    unsigned t = threadIdx.x;
    out[t] = pick(in, 8, 4 + t) + pick(in, 2, 4 + t);
}

//: correct both calls fill what they read
//: grid 1 block 4
//: arg u32[8]:iota
//: arg u32[4]:zeros
//: result 1 u32 5..11/2
extern "C" __global__ void two_calls(const unsigned *in, unsigned *out)
{
    unsigned t = threadIdx.x;
    out[t] = pick(in, 8, 4 + t) + pick(in, 5, 1 + t);
}

__device__ __noinline__ void fill(unsigned *values, unsigned first, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        values[i] = first + i;
}

//: correct an array that another function fills, by its address
//: grid 1 block 4
//: arg u32[4]:zeros
//: arg u32=8
//: result 0 u32 7..10
//: defect that function fills half of it
//: grid 1 block 4
//: arg u32[4]:zeros
//: arg u32=4
//: expect uninitialized error at read in local
extern "C" __global__ void filled_elsewhere(unsigned *out, unsigned n)
{
    unsigned values[8];
    fill(values, threadIdx.x, n);
    out[threadIdx.x] = values[7]; //@ read
}

//: correct the arguments of printf pass through local memory
//: grid 1 block 1
//: arg u32[1]:list:5
extern "C" __global__ void print(const unsigned *in)
{
    printf("%u %s %f\n", *in, "and", 1.5);
}
