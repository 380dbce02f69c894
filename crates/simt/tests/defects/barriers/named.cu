// Barriers by number, for part of the threads.

__device__ void wait(unsigned barrier, unsigned threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

__device__ void arrive(unsigned barrier, unsigned threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

//: correct two groups of two warps, each with a barrier of its own
//: grid 1 block 128
//: arg u32[128]:iota
//: result 0 u32 63..0,127..64
extern "C" __global__ void a_barrier_a_group(unsigned *data)
{
    __shared__ unsigned tile[128];
    unsigned t = threadIdx.x, group = t / 64;
    tile[t] = data[t];
    wait(1 + group, 64);
    data[t] = tile[t ^ 63];
}

//: defect two groups, each with a barrier of its own, exchange with each other
//: grid 1 block 128
//: arg u32[128]:iota
//: expect race error at write with read in shared tile
//: allow uninitialized error at read in shared tile
extern "C" __global__ void across_groups(unsigned *data)
{
    __shared__ unsigned tile[128];
    unsigned t = threadIdx.x, group = t / 64;
    tile[t] = data[t]; //@ write
    wait(1 + group, 64);
    data[t] = tile[127 - t]; //@ read
}

//: defect one warp waits at barrier 1, the other at barrier 2: neither fills
//: grid 1 block 64
//: arg u32[64]:iota
//: expect barrier_divergence|deadlock error
extern "C" __global__ void two_numbers(unsigned *data)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    tile[t] = data[t];
    wait(1 + t / 32, 64);
    data[t] = tile[63 - t];
}

//: defect one warp says 64 threads, the other 96
//: grid 1 block 64
//: arg u32[64]:iota
//: expect barrier_divergence|deadlock error
//: allow race error at write with read in shared tile
extern "C" __global__ void two_counts(unsigned *data)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    tile[t] = data[t]; //@ write
    wait(1, t < 32 ? 64 : 96);
    data[t] = tile[63 - t]; //@ read
}

//: defect a barrier for more threads than ever come
//: grid 1 block 64
//: arg u32[64]:iota
//: expect barrier_divergence|deadlock error
extern "C" __global__ void too_large_a_count(unsigned *data)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    tile[t] = data[t];
    wait(1, 128);
    data[t] = tile[63 - t];
}

//: correct warp 0 produces and goes on, warp 1 waits
//: grid 1 block 64
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: result 1 u32 31..0
extern "C" __global__ void producer_arrives(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[32];
    unsigned t = threadIdx.x, lane = t % 32;
    if (t < 32) {
        tile[lane] = in[lane];
        arrive(1, 64);
    } else {
        wait(1, 64);
        out[lane] = tile[31 - lane];
    }
}

//: defect warp 0 arrives before it has produced
//: grid 1 block 64
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: expect race error at write with read in shared tile
//: allow uninitialized error at read in shared tile
extern "C" __global__ void producer_arrives_early(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[32];
    unsigned t = threadIdx.x, lane = t % 32;
    if (t < 32) {
        arrive(1, 64);
        tile[lane] = in[lane]; //@ write
    } else {
        wait(1, 64);
        out[lane] = tile[31 - lane]; //@ read
    }
}

//: defect the consumer waits for 96 threads, of which 64 come
//: grid 1 block 64
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: expect barrier_divergence|deadlock error
extern "C" __global__ void producer_wrong_count(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[32];
    unsigned t = threadIdx.x, lane = t % 32;
    if (t < 32) {
        tile[lane] = in[lane];
        arrive(1, 96);
    } else {
        wait(1, 96);
        out[lane] = tile[31 - lane];
    }
}

//: correct a pipe: barrier 1 says full, barrier 2 says empty
//: grid 1 block 64
//: arg u32[128]:iota
//: arg u32[128]:zeros
//: result 1 u32 31..0,63..32,95..64,127..96
extern "C" __global__ void pipe(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[32];
    unsigned t = threadIdx.x, lane = t % 32;
    if (t < 32) {
        for (unsigned i = 0; i < 4; i++) {
            if (i > 0)
                wait(2, 64);
            tile[lane] = in[32 * i + lane];
            arrive(1, 64);
        }
    } else {
        for (unsigned i = 0; i < 4; i++) {
            wait(1, 64);
            out[32 * i + lane] = tile[31 - lane];
            if (i < 3)
                arrive(2, 64);
        }
    }
}

//: defect a pipe without `empty`: the producer overwrites what is still read
//: grid 1 block 64
//: arg u32[128]:iota
//: arg u32[128]:zeros
//: expect race error at write with read in shared tile
//: allow barrier_divergence|deadlock error
extern "C" __global__ void pipe_without_empty(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[32];
    unsigned t = threadIdx.x, lane = t % 32;
    if (t < 32) {
        for (unsigned i = 0; i < 4; i++) {
            tile[lane] = in[32 * i + lane]; //@ write
            wait(1, 64);
        }
    } else {
        for (unsigned i = 0; i < 4; i++) {
            wait(1, 64);
            out[32 * i + lane] = tile[31 - lane]; //@ read
        }
    }
}

//: correct a pipe of two buffers: each has a barrier for full and one for empty
//: grid 1 block 64
//: arg u32[128]:iota
//: arg u32[128]:zeros
//: result 1 u32 31..0,63..32,95..64,127..96
extern "C" __global__ void pipe_of_two(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[2][32];
    unsigned t = threadIdx.x, lane = t % 32;
    if (t < 32) {
        for (unsigned i = 0; i < 4; i++) {
            if (i > 1)
                wait(3 + i % 2, 64);
            tile[i % 2][lane] = in[32 * i + lane];
            arrive(1 + i % 2, 64);
        }
    } else {
        for (unsigned i = 0; i < 4; i++) {
            wait(1 + i % 2, 64);
            out[32 * i + lane] = tile[i % 2][31 - lane];
            if (i < 2)
                arrive(3 + i % 2, 64);
        }
    }
}

//: correct a barrier of one warp is a barrier of that warp
//: grid 1 block 64
//: arg u32[64]:iota
//: result 0 u32 31..0,63..32
extern "C" __global__ void one_warp(unsigned *data)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    tile[t] = data[t];
    wait(1 + t / 32, 32);
    data[t] = tile[t ^ 31];
}

//: correct the barrier that is not aligned: lanes of a warp come to it from two places
//: grid 1 block 32
//: arg u32[32]:zeros
//: result 0 u32 32,0,32,0,32,0,32,0,32,0,32,0,32,0,32,0,32,0,32,0,32,0,32,0,32,0,32,0,32,0,32,0
extern "C" __global__ void from_two_places(unsigned *data)
{
    __shared__ unsigned tile[32];
    unsigned t = threadIdx.x;
    if (t % 2 == 0) {
        tile[t] = data[t];
        asm volatile("barrier.sync 1, 32;" ::: "memory");
    } else {
        tile[t] = data[t] + 32;
        asm volatile("barrier.sync 1, 32;" ::: "memory");
    }
    data[t] = tile[31 - t];
}
