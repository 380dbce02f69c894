// An inclusive scan of one block after Hillis and Steele: log2(n) steps over the whole array.

//: defect one barrier a step: a thread overwrites what its neighbour has yet to read
//: grid 1 block 64
//: arg u32[64]:ones
//: expect race error at read with write in shared sums
extern "C" __global__ void without_second_barrier(unsigned *data)
{
    __shared__ unsigned sums[64];
    unsigned t = threadIdx.x;
    sums[t] = data[t];
    __syncthreads();
    for (unsigned reach = 1; reach < blockDim.x; reach *= 2) {
        unsigned left = 0;
        if (t >= reach)
            left = sums[t - reach]; //@ read
        sums[t] += left;            //@ write
        __syncthreads();
    }
    data[t] = sums[t];
}

//: defect the barrier at the end of a step is missing: the next step reads too early
//: grid 1 block 64
//: arg u32[64]:ones
//: expect race error at read with write in shared sums
extern "C" __global__ void without_first_barrier(unsigned *data)
{
    __shared__ unsigned sums[64];
    unsigned t = threadIdx.x;
    sums[t] = data[t];
    __syncthreads();
    for (unsigned reach = 1; reach < blockDim.x; reach *= 2) {
        unsigned left = 0;
        if (t >= reach)
            left = sums[t - reach]; //@ read
        __syncthreads();
        sums[t] += left; //@ write
    }
    data[t] = sums[t];
}

//: correct a barrier between reading and writing, and one after
//: grid 1 block 64
//: arg u32[64]:ones
//: result 0 u32 1..64
extern "C" __global__ void two_barriers(unsigned *data)
{
    __shared__ unsigned sums[64];
    unsigned t = threadIdx.x;
    sums[t] = data[t];
    __syncthreads();
    for (unsigned reach = 1; reach < blockDim.x; reach *= 2) {
        unsigned left = 0;
        if (t >= reach)
            left = sums[t - reach];
        __syncthreads();
        sums[t] += left;
        __syncthreads();
    }
    data[t] = sums[t];
}

//: correct two arrays in turn need one barrier a step
//: grid 1 block 64
//: arg u32[64]:ones
//: result 0 u32 1..64
extern "C" __global__ void ping_pong(unsigned *data)
{
    __shared__ unsigned sums[2][64];
    unsigned t = threadIdx.x, from = 0;
    sums[0][t] = data[t];
    __syncthreads();
    for (unsigned reach = 1; reach < blockDim.x; reach *= 2) {
        unsigned value = sums[from][t];
        if (t >= reach)
            value += sums[from][t - reach];
        from ^= 1;
        sums[from][t] = value;
        __syncthreads();
    }
    data[t] = sums[from][t];
}

//: defect two arrays in turn do not do without that barrier
//: grid 1 block 64
//: arg u32[64]:ones
//: expect race error at read with write in shared sums
//: expect race error at read with fill in shared sums
//: allow uninitialized error at read in shared sums
extern "C" __global__ void ping_pong_without_barrier(unsigned *data)
{
    __shared__ unsigned sums[2][64];
    unsigned t = threadIdx.x, from = 0;
    sums[0][t] = data[t]; //@ fill
    for (unsigned reach = 1; reach < blockDim.x; reach *= 2) {
        unsigned value = sums[from][t];
        if (t >= reach)
            value += sums[from][t - reach]; //@ read
        from ^= 1;
        sums[from][t] = value; //@ write
    }
    data[t] = sums[from][t];
}
