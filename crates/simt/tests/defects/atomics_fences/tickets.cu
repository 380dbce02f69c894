// Work handed out by an atomic counter.

//: correct thread 0 takes a piece of work for its block, barriers on both sides of the exchange
//: grid 2 block 64
//: arg u32[1]:zeros
//: arg u32[320]:zeros
//: result 1 u32 1*320
extern "C" __global__ void two_barriers(unsigned *next, unsigned *out)
{
    __shared__ unsigned piece;
    while (true) {
        if (threadIdx.x == 0)
            piece = atomicAdd(next, 1);
        __syncthreads();
        unsigned mine = piece;
        __syncthreads();
        if (mine >= 5)
            return;
        out[mine * 64 + threadIdx.x] += 1;
    }
}

//: defect the next piece is written while slower threads still read the last
//: grid 2 block 64
//: arg u32[1]:zeros
//: arg u32[320]:zeros
//: expect race error at write with read in shared piece
//: allow race error at store with store
//: allow barrier_divergence|deadlock error
extern "C" __global__ void one_barrier(unsigned *next, unsigned *out)
{
    __shared__ unsigned piece;
    while (true) {
        if (threadIdx.x == 0)
            piece = atomicAdd(next, 1); //@ write
        __syncthreads();
        unsigned mine = piece; //@ read
        if (mine >= 5)
            return;
        out[mine * 64 + threadIdx.x] += 1; //@ store
    }
}

//: correct the lanes of a warp add up first: one atomic a warp
//: grid 2 block 64
//: arg u32[128]:iota
//: arg u32[1]:zeros
//: arg u32[128]:uninit
//: result 1 u32 64
extern "C" __global__ void warp_aggregated(const unsigned *in, unsigned *count, unsigned *out)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x, lane = threadIdx.x % 32;
    if (in[i] % 2 == 0) {
        unsigned active = __activemask();
        unsigned leader = __ffs(active) - 1, place = 0;
        if (lane == leader)
            place = atomicAdd(count, __popc(active));
        place = __shfl_sync(active, place, leader);
        out[place + __popc(active & ((1u << lane) - 1))] = in[i];
    }
}

//: correct lanes with the same key add up first
//: grid 2 block 64
//: arg u32[128]:iota
//: arg u32[4]:zeros
//: result 1 u32 32*4
extern "C" __global__ void by_key(const unsigned *in, unsigned *counts)
{
    unsigned key = in[blockIdx.x * 64 + threadIdx.x] % 4, lane = threadIdx.x % 32;
    unsigned same = __match_any_sync(0xffffffff, key);
    if (lane == __ffs(same) - 1)
        atomicAdd(&counts[key], __popc(same));
}

//: correct the result of an atomic is a place that nobody else gets
//: grid 2 block 64
//: arg u32[1]:zeros
//: arg u32[128]:uninit
//: result 0 u32 128
extern "C" __global__ void places(unsigned *next, unsigned *out)
{
    out[atomicAdd(next, 1)] = blockIdx.x * 64 + threadIdx.x;
}

//: defect the place is read, then moved: two threads get the same
//: grid 2 block 64
//: arg u32[1]:zeros
//: arg u32[128]:zeros
//: expect race error at move with look in global
//: allow race error at store with store in global
extern "C" __global__ void look_then_move(unsigned *next, unsigned *out)
{
    unsigned place = *next; //@ look
    atomicAdd(next, 1);     //@ move
    if (place < 128)
        out[place] = blockIdx.x * 64 + threadIdx.x; //@ store
}
