// Barriers that not all threads come to.

//: defect half of each warp waits here, the other half goes on to the next barrier
//: grid 1 block 64
//: arg u32[64]:zeros
//: expect barrier_divergence|deadlock error at inner|outer
extern "C" __global__ void inside_if(unsigned *out)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    tile[t] = t;
    if (t % 2 == 0) {
        __syncthreads(); //@ inner
        tile[t] += 1;
    }
    __syncthreads(); //@ outer
    out[t] = tile[63 - t];
}

//: correct the condition is the same for all threads
//: grid 1 block 64
//: arg u32[64]:zeros
//: arg u32=1
//: result 0 u32 64..1
//: correct none of them waits
//: grid 1 block 64
//: arg u32[64]:zeros
//: arg u32=0
//: result 0 u32 63..0
extern "C" __global__ void inside_if_for_all(unsigned *out, unsigned add)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    tile[t] = t;
    if (add != 0) {
        __syncthreads();
        tile[t] += 1;
    }
    __syncthreads();
    out[t] = tile[63 - t];
}

//: defect two barriers on the two sides of a branch inside a warp
//: grid 1 block 32
//: arg u32[32]:zeros
//: expect barrier_divergence|deadlock error at left|right
extern "C" __global__ void both_sides(unsigned *out)
{
    unsigned t = threadIdx.x;
    if (t < 16) {
        out[t] = 1;
        __syncthreads(); //@ left
        out[t] += 1;
    } else {
        out[t] = 2;
        __syncthreads(); //@ right
        out[t] += 2;
    }
}

//: defect each thread goes round its own number of times
//: grid 1 block 32
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: expect barrier_divergence|deadlock error at inner|outer
//: correct all go round three times
//: grid 1 block 64
//: arg u32[64]:list:3*64
//: arg u32[64]:zeros
//: result 1 u32 3*64
extern "C" __global__ void in_a_loop(const unsigned *turns, unsigned *out)
{
    unsigned t = threadIdx.x, n = turns[t], sum = 0;
#pragma unroll 1
    for (unsigned i = 0; i < n; i++) {
        sum += 1;
        __syncthreads(); //@ inner
    }
    out[t] = sum;
    __syncthreads(); //@ outer
}

//: correct all threads go round as often as the one that needs most
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: result 1 u32 0..63
extern "C" __global__ void until_all_are_done(const unsigned *turns, unsigned *out)
{
    unsigned t = threadIdx.x, left = turns[t], sum = 0;
    while (__syncthreads_or(left > 0)) {
        if (left > 0) {
            left -= 1;
            sum += 1;
        }
    }
    out[t] = sum;
}

//: correct threads without work are gone before the barrier: they are not waited for
//: grid 1 block 64
//: arg u32[50]:iota
//: arg u32[50]:zeros
//: arg u32=50
//: result 1 u32 49..0
//: correct whole warps are gone
//: grid 1 block 128
//: arg u32[40]:iota
//: arg u32[40]:zeros
//: arg u32=40
//: result 1 u32 39..0
extern "C" __global__ void early_exit(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    if (t >= n)
        return;
    tile[t] = in[t];
    __syncthreads();
    out[t] = tile[n - 1 - t];
}

//: correct the count of those for whom something holds
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: result 1 u32 11*64
extern "C" __global__ void count(const unsigned *in, unsigned *out)
{
    out[threadIdx.x] = __syncthreads_count(in[threadIdx.x] > 52);
}

__device__ __noinline__ unsigned swap(unsigned *tile, unsigned value)
{
    tile[threadIdx.x] = value;
    __syncthreads();
    unsigned other = tile[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    return other;
}

//: correct a barrier in a function, called from two places
//: grid 1 block 64
//: arg u32[64]:iota
//: result 0 u32 0..63
extern "C" __global__ void in_a_function(unsigned *data)
{
    __shared__ unsigned tile[64];
    unsigned value = swap(tile, data[threadIdx.x]);
    if (gridDim.x == 1)
        value = swap(tile, value);
    data[threadIdx.x] = value;
}
