// Copies from global to shared memory that go on in the background.
//: arch compute_80

__device__ void copy_word(unsigned *to, const unsigned *from)
{
    unsigned address = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address), "l"(from) : "memory"); //@ copy
}

__device__ void commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int N> __device__ void wait_all_but()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

//: correct wait for the own copy, then for the block
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: result 1 u32 63..0
extern "C" __global__ void wait_and_barrier(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    copy_word(&tile[t], &in[t]);
    commit();
    wait_all_but<0>();
    __syncthreads();
    out[t] = tile[63 - t];
}

//: correct a thread that reads only what it copied needs no barrier
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: result 1 u32 0..63
extern "C" __global__ void wait_for_own(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    copy_word(&tile[t], &in[t]);
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[t] = tile[t];
}

//: defect the barrier does not wait for the copies
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: expect race|uninitialized error at read in shared tile
extern "C" __global__ void no_wait(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    copy_word(&tile[t], &in[t]);
    commit();
    __syncthreads();
    out[t] = tile[63 - t]; //@ read
}

//: defect a thread reads its own copy without waiting for it
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: expect race|uninitialized error at read in shared tile
extern "C" __global__ void no_wait_for_own(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    copy_word(&tile[t], &in[t]);
    commit();
    out[t] = tile[t]; //@ read
}

//: defect each thread waits for its own copy and reads that of another
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: expect race error at copy with read in shared tile
//: allow uninitialized error at read in shared tile
extern "C" __global__ void no_barrier(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    copy_word(&tile[t], &in[t]);
    commit();
    wait_all_but<0>();
    out[t] = tile[63 - t]; //@ read
}

//: correct two groups: the first is there when one may be missing
//: grid 1 block 64
//: arg u32[128]:iota
//: arg u32[64]:zeros
//: result 1 u32 63..0
extern "C" __global__ void first_of_two(const unsigned *in, unsigned *out)
{
    __shared__ unsigned first[64], second[64];
    unsigned t = threadIdx.x;
    copy_word(&first[t], &in[t]);
    commit();
    copy_word(&second[t], &in[64 + t]);
    commit();
    wait_all_but<1>();
    __syncthreads();
    out[t] = first[63 - t];
    wait_all_but<0>();
}

//: defect two groups: the second is not
//: grid 1 block 64
//: arg u32[128]:iota
//: arg u32[64]:zeros
//: expect race|uninitialized error at read in shared second
extern "C" __global__ void second_of_two(const unsigned *in, unsigned *out)
{
    __shared__ unsigned first[64], second[64];
    unsigned t = threadIdx.x;
    copy_word(&first[t], &in[t]);
    commit();
    copy_word(&second[t], &in[64 + t]);
    commit();
    wait_all_but<1>();
    __syncthreads();
    out[t] = first[63 - t] + second[63 - t]; //@ read
    wait_all_but<0>();
}

//: correct two buffers in turn, the next on its way while this one is read
//: grid 1 block 64
//: arg u32[256]:ones
//: arg u32[64]:zeros
//: result 1 u32 4*64
extern "C" __global__ void pipe(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[2][64];
    unsigned t = threadIdx.x, sum = 0;
    copy_word(&tile[0][t], &in[t]);
    commit();
    for (unsigned i = 0; i < 4; i++) {
        if (i < 3)
            copy_word(&tile[(i + 1) % 2][t], &in[(i + 1) * 64 + t]);
        commit();
        wait_all_but<1>();
        __syncthreads();
        sum += tile[i % 2][63 - t];
        __syncthreads();
    }
    out[t] = sum;
}

//: defect two buffers in turn, the next copied over what slower threads still read
//: grid 1 block 64
//: arg u32[256]:ones
//: arg u32[64]:zeros
//: expect race error at copy with read in shared tile
extern "C" __global__ void pipe_one_barrier(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[2][64];
    unsigned t = threadIdx.x, sum = 0;
    copy_word(&tile[0][t], &in[t]);
    commit();
    for (unsigned i = 0; i < 4; i++) {
        if (i < 3)
            copy_word(&tile[(i + 1) % 2][t], &in[(i + 1) * 64 + t]);
        commit();
        wait_all_but<1>();
        __syncthreads();
        sum += tile[i % 2][63 - t]; //@ read
    }
    out[t] = sum;
}

//: defect four words at once, to an address that is no multiple of sixteen
//: grid 1 block 8
//: arg u32[64]:iota
//: arg u32=1
//: expect misaligned error at copy
//: correct to one that is
//: grid 1 block 8
//: arg u32[64]:iota
//: arg u32=4
extern "C" __global__ void four_words(const unsigned *in, unsigned shift)
{
    __shared__ __align__(16) unsigned tile[64];
    unsigned address = (unsigned)__cvta_generic_to_shared(&tile[4 * threadIdx.x + shift]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(in + 4 * threadIdx.x)); //@ copy
    asm volatile("cp.async.wait_all;" ::: "memory");
}

//: defect the copy runs over the end of the tile
//: grid 1 block 64
//: arg u32[64]:iota
//: expect out_of_bounds error at copy
extern "C" __global__ void past_the_end(const unsigned *in)
{
    __shared__ unsigned tile[63];
    copy_word(&tile[threadIdx.x], &in[threadIdx.x]);
    asm volatile("cp.async.wait_all;" ::: "memory");
}
