// A moving sum of three over a tile with a halo.

//: correct all threads load, two of them load the halo as well
//: grid 2 block 64
//: arg u32[130]:ones
//: arg u32[128]:zeros
//: result 1 u32 3*128
extern "C" __global__ void with_barrier(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[66];
    unsigned t = threadIdx.x, base = blockIdx.x * 64;
    tile[t] = in[base + t];
    if (t < 2)
        tile[64 + t] = in[base + 64 + t];
    __syncthreads();
    out[base + t] = tile[t] + tile[t + 1] + tile[t + 2];
}

//: defect the halo is loaded after the barrier
//: grid 2 block 64
//: arg u32[130]:ones
//: arg u32[128]:zeros
//: expect race error at halo with sum in shared tile
//: allow uninitialized error at sum in shared tile
extern "C" __global__ void halo_after_the_barrier(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[66];
    unsigned t = threadIdx.x, base = blockIdx.x * 64;
    tile[t] = in[base + t];
    __syncthreads();
    if (t < 2)
        tile[64 + t] = in[base + 64 + t]; //@ halo
    out[base + t] = tile[t] + tile[t + 1] + tile[t + 2]; //@ sum
}

//: correct a quarter of the threads loads for all
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: result 1 u32 63..0
extern "C" __global__ void some_load(const unsigned *in, unsigned *out)
{
    __shared__ __align__(16) unsigned tile[64];
    unsigned t = threadIdx.x;
    if (t < 16)
        ((uint4 *)tile)[t] = ((const uint4 *)in)[t];
    __syncthreads();
    out[t] = tile[63 - t];
}

//: defect a quarter of the threads loads for all, without a barrier
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: expect race error at load with read in shared tile
//: allow uninitialized error at read in shared tile
extern "C" __global__ void some_load_without_barrier(const unsigned *in, unsigned *out)
{
    __shared__ __align__(16) unsigned tile[64];
    unsigned t = threadIdx.x;
    if (t < 16)
        ((uint4 *)tile)[t] = ((const uint4 *)in)[t]; //@ load
    out[t] = tile[63 - t]; //@ read
}

//: correct no barrier where every thread reads only what it wrote
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: arg u32=8
//: result 1 u32 0..504/8
extern "C" __global__ void own_elements(const unsigned *in, unsigned *out, unsigned turns)
{
    __shared__ unsigned tile[2][64];
    unsigned t = threadIdx.x;
    tile[0][t] = 0;
    tile[1][t] = 0;
    for (unsigned i = 0; i < turns; i++)
        tile[i % 2][t] += in[t];
    out[t] = tile[0][t] + tile[1][t];
}
