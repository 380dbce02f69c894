// Arrays of a thread.
//: defect more elements than the array has
//: grid 1 block 32
//: arg u32[16]:ones
//: arg u32[32]:zeros
//: arg u32=9
//: expect out_of_bounds error at write in local
//: allow out_of_bounds error at pick in local
//: correct as many as it has
//: grid 1 block 32
//: arg u32[16]:ones
//: arg u32[32]:zeros
//: arg u32=8
//: result 1 u32 1*32
extern "C" __global__ void too_many(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned values[8];
#pragma unroll 1
    for (unsigned i = 0; i < n; i++)
        values[i] = in[i]; //@ write
    out[threadIdx.x] = values[threadIdx.x % n]; //@ pick
}

//: defect an index that is data
//: grid 1 block 32
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: expect out_of_bounds error at read in local
//: correct an index that fits
//: grid 1 block 8
//: arg u32[8]:iota
//: arg u32[8]:zeros
//: result 1 u32 0..21/3
extern "C" __global__ void index_from_data(const unsigned *in, unsigned *out)
{
    unsigned values[8];
#pragma unroll
    for (unsigned i = 0; i < 8; i++)
        values[i] = 3 * i;
    unsigned value = values[in[threadIdx.x]]; //@ read
    out[threadIdx.x] = value;
}

__constant__ unsigned weights[4] = {1, 2, 3, 4};

//: defect a table in constant memory has four entries
//: grid 1 block 8
//: arg u32[8]:zeros
//: expect out_of_bounds error at read
//: correct and no more are read
//: grid 1 block 4
//: arg u32[4]:zeros
//: result 0 u32 1..4
extern "C" __global__ void constant_table(unsigned *out)
{
    unsigned weight = weights[threadIdx.x]; //@ read
    out[threadIdx.x] = weight;
}
