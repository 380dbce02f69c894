// Each block leaves its sum; the block that is done last adds them up.

//: correct fence, ticket, fence
//: grid 4 block 64
//: arg u32[4]:uninit
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: result 1 u32 0
//: result 2 u32 10
extern "C" __global__ void fence_and_ticket(unsigned *parts, unsigned *tickets, unsigned *out)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        last = atomicAdd(tickets, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        unsigned sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            sum += parts[i];
        *out = sum;
        *tickets = 0;
    }
}

//: correct the sums are volatile: no fence after the ticket
//: grid 4 block 64
//: arg u32[4]:uninit
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: result 2 u32 10
extern "C" __global__ void volatile_sums(volatile unsigned *parts, unsigned *tickets, unsigned *out)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        last = atomicInc(tickets, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        unsigned sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            sum += parts[i];
        *out = sum;
    }
}

//: defect no fence between the sum and the ticket
//: grid 4 block 64
//: arg u32[4]:zeros
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: expect race error at write with read in global
extern "C" __global__ void no_fence(unsigned *parts, unsigned *tickets, unsigned *out)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = blockIdx.x + 1; //@ write
        last = atomicAdd(tickets, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        unsigned sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            sum += parts[i]; //@ read
        *out = sum;
    }
}

//: defect the ticket is an atomic of the block
//: grid 4 block 64
//: arg u32[4]:zeros
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: expect race error at ticket with ticket in global
//: allow race error at write with read in global
extern "C" __global__ void ticket_of_the_block(unsigned *parts, unsigned *tickets, unsigned *out)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = blockIdx.x + 1; //@ write
        __threadfence();
        last = atomicAdd_block(tickets, 1) == gridDim.x - 1; //@ ticket
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        unsigned sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            sum += parts[i]; //@ read
        *out = sum;
    }
}

//: correct all threads write, a barrier, then the ticket
//: grid 4 block 64
//: arg u32[256]:uninit
//: arg u32[1]:zeros
//: arg u32[64]:zeros
//: result 2 u32 6*64
extern "C" __global__ void all_threads_write(unsigned *parts, unsigned *tickets, unsigned *out)
{
    __shared__ bool last;
    unsigned t = threadIdx.x;
    parts[blockIdx.x * 64 + t] = blockIdx.x;
    __threadfence();
    __syncthreads();
    if (t == 0)
        last = atomicAdd(tickets, 1) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        __threadfence();
        unsigned sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            sum += parts[i * 64 + 63 - t];
        out[t] = sum;
    }
}

//: defect all threads write, and the ticket is taken without waiting for them
//: grid 4 block 64
//: arg u32[256]:zeros
//: arg u32[1]:zeros
//: arg u32[64]:zeros
//: expect race error at write with read in global
extern "C" __global__ void no_barrier_before_the_ticket(unsigned *parts, unsigned *tickets, unsigned *out)
{
    __shared__ bool last;
    unsigned t = threadIdx.x;
    parts[blockIdx.x * 64 + t] = blockIdx.x; //@ write
    __threadfence();
    if (t == 0)
        last = atomicAdd(tickets, 1) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        __threadfence();
        unsigned sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            sum += parts[i * 64 + 63 - t]; //@ read
        out[t] = sum;
    }
}
