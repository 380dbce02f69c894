// Buffers in global memory and where they end.

//: defect the last block has more threads than there are elements left
//: grid 2 block 64
//: arg u32[100]:iota
//: arg u32[128]:zeros
//: expect out_of_bounds error at read in global
//: correct the length is a multiple of the block
//: grid 2 block 64
//: arg u32[128]:iota
//: arg u32[128]:zeros
//: result 1 u32 0..127
extern "C" __global__ void no_test(const unsigned *in, unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = in[i]; //@ read
    out[i] = value;
}

//: defect the store of the last block is not tested
//: grid 2 block 64
//: arg u32[100]:zeros
//: expect out_of_bounds error at write in global
extern "C" __global__ void no_test_of_the_store(unsigned *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1; //@ write
}

//: correct with the test
//: grid 2 block 64
//: arg u32[100]:iota
//: arg u32[100]:uninit
//: arg u32=100
//: result 1 u32 0..99
//: defect the length passed is not that of the buffer
//: grid 2 block 64
//: arg u32[100]:iota
//: arg u32[100]:uninit
//: arg u32=101
//: expect out_of_bounds error at copy in global
extern "C" __global__ void with_test(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i]; //@ copy
}

//: defect less than or equal: one element too many
//: grid 1 block 32
//: arg u32[100]:iota
//: arg u32[32]:zeros
//: arg u32=100
//: expect out_of_bounds error at read in global
extern "C" __global__ void less_or_equal(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned sum = 0;
    for (unsigned i = threadIdx.x; i <= n; i += blockDim.x)
        sum += in[i]; //@ read
    out[threadIdx.x] = sum;
}

//: defect the left neighbour of the first element
//: grid 1 block 32
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: expect out_of_bounds error at read in global
extern "C" __global__ void left_of_the_first(const unsigned *in, unsigned *out)
{
    int i = threadIdx.x;
    unsigned left = in[i - 1]; //@ read
    out[i] = left;
}

//: correct the first element has no left neighbour
//: grid 1 block 32
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: result 1 u32 0,0..30
extern "C" __global__ void left_or_zero(const unsigned *in, unsigned *out)
{
    int i = threadIdx.x;
    out[i] = i > 0 ? in[i - 1] : 0;
}

//: correct an address past the end that nobody uses
//: grid 1 block 32
//: arg u32[32]:ones
//: arg u32[1]:zeros
//: result 1 u32 32
extern "C" __global__ void one_past_the_end(const unsigned *in, unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    unsigned sum = 0;
    for (const unsigned *at = in, *end = in + 32; at != end; at++)
        sum += *at;
    *out = sum;
}

//: defect the loop runs on into the next buffer
//: grid 1 block 32
//: arg u32[32]:zeros
//: arg u32[32]:zeros
//: arg u32=40
//: expect out_of_bounds error at write in global
extern "C" __global__ void into_the_next(unsigned *out, unsigned *next, unsigned n)
{
    if (threadIdx.x == 0)
        for (unsigned i = 0; i < n; i++)
            out[i] = next[0]; //@ write
}

//: defect a vector of four crosses the end
//: grid 1 block 32
//: arg f32[126]:ones
//: arg f32[32]:zeros
//: expect out_of_bounds error at read in global
//: correct a multiple of four
//: grid 1 block 32
//: arg f32[128]:ones
//: arg f32[32]:zeros
//: result 1 f32 4*32
extern "C" __global__ void vectors(const float *in, float *out)
{
    float4 four = ((const float4 *)in)[threadIdx.x]; //@ read
    out[threadIdx.x] = four.x + four.y + four.z + four.w;
}

//: defect rows and columns exchanged in a matrix that is not square
//: grid 1 block 8,4
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: expect out_of_bounds error at read in global
extern "C" __global__ void exchanged(const unsigned *in, unsigned *out)
{
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned value = in[x * 8 + y]; //@ read
    out[y * 8 + x] = value;
}

//: defect the index is data, and the data are wrong
//: grid 1 block 4
//: arg i32[4]:list:0,1,-1,2
//: arg u32[4]:zeros
//: expect out_of_bounds error at write in global
//: correct the data are right
//: grid 1 block 4
//: arg i32[4]:list:0,1,3,2
//: arg u32[4]:zeros
//: result 1 u32 0,1,3,2
extern "C" __global__ void index_from_data(const int *places, unsigned *out)
{
    out[places[threadIdx.x]] = threadIdx.x; //@ write
}

//: defect a null pointer
//: grid 1 block 32
//: arg u64=0
//: expect out_of_bounds error at write
extern "C" __global__ void null(unsigned *out)
{
    out[threadIdx.x] = 1; //@ write
}

//: correct a null pointer that is asked for first
//: grid 1 block 32
//: arg u64=0
//: arg u32[32]:zeros
//: result 1 u32 1*32
extern "C" __global__ void null_if_absent(const unsigned *in, unsigned *out)
{
    out[threadIdx.x] = in ? in[threadIdx.x] : 1;
}

//: defect an atomic past the end
//: grid 1 block 32
//: arg u32[32]:iota
//: arg u32[31]:zeros
//: expect out_of_bounds error at count in global
extern "C" __global__ void atomic_past_the_end(const unsigned *in, unsigned *bins)
{
    atomicAdd(&bins[in[threadIdx.x]], 1); //@ count
}

__device__ unsigned table[4];
__device__ unsigned other[64];

//: defect a variable of the module, and what lies behind it
//: grid 1 block 32
//: arg u32=4
//: expect out_of_bounds error at write in global table
//: correct inside of it
//: grid 1 block 4
//: arg u32=0
extern "C" __global__ void variable(unsigned shift)
{
    table[threadIdx.x + shift] = 1; //@ write
    other[threadIdx.x] = 1;
}
