// Block 0 publishes a value and raises a flag, block 1 waits for the flag and takes the value.

//: correct fences on both sides, a volatile flag
//: grid 2 block 32
//: arg u32[1]:uninit
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: result 2 u32 42
extern "C" __global__ void volatile_flag(unsigned *value, unsigned *flag, unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42;
        __threadfence();
        *(volatile unsigned *)flag = 1;
    } else {
        while (*(volatile unsigned *)flag == 0)
            ;
        __threadfence();
        *out = *value;
    }
}

//: correct fences on both sides, a flag of atomics
//: grid 2 block 32
//: arg u32[1]:uninit
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: result 2 u32 42
extern "C" __global__ void atomic_flag(unsigned *value, unsigned *flag, unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42;
        __threadfence();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0)
            ;
        __threadfence();
        *out = *value;
    }
}

//: correct raised by an atomic, polled by volatile reads
//: grid 2 block 32
//: arg u32[1]:uninit
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: result 2 u32 42
extern "C" __global__ void atomic_and_volatile_flag(unsigned *value, unsigned *flag, unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42;
        __threadfence();
        atomicOr(flag, 1);
    } else {
        while (*(volatile unsigned *)flag == 0)
            ;
        __threadfence();
        *out = *value;
    }
}

//: correct value and flag in one 64-bit word need no fence
//: grid 2 block 32
//: arg u64[1]:zeros
//: arg u32[1]:zeros
//: result 1 u32 42
extern "C" __global__ void flag_and_value_in_one(unsigned long long *word, unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *(volatile unsigned long long *)word = 42ull << 32 | 1;
    } else {
        unsigned long long seen;
        while (((seen = *(volatile unsigned long long *)word) & 1) == 0)
            ;
        *out = seen >> 32;
    }
}

//: defect the writer has no fence: the flag may be seen before the value
//: grid 2 block 32
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: expect race error at write with read in global
extern "C" __global__ void no_fence_of_the_writer(unsigned *value, unsigned *flag, unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42; //@ write
        *(volatile unsigned *)flag = 1;
    } else {
        while (*(volatile unsigned *)flag == 0)
            ;
        __threadfence();
        *out = *value; //@ read
    }
}

//: defect the reader has no fence: the value may be taken before the flag
//: grid 2 block 32
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: expect race error at write with read in global
extern "C" __global__ void no_fence_of_the_reader(unsigned *value, unsigned *flag, unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42; //@ write
        __threadfence();
        *(volatile unsigned *)flag = 1;
    } else {
        while (*(volatile unsigned *)flag == 0)
            ;
        *out = *value; //@ read
    }
}

//: defect atomics without fences order nothing but themselves
//: grid 2 block 32
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: expect race error at write with read in global
extern "C" __global__ void atomics_without_fences(unsigned *value, unsigned *flag, unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42; //@ write
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0)
            ;
        *out = *value; //@ read
    }
}

//: defect the flag is raised by a plain store
//: grid 2 block 32
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: expect race error at raise with poll in global
//: allow race error at write with read in global
extern "C" __global__ void plain_flag(unsigned *value, unsigned *flag, unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42; //@ write
        __threadfence();
        *flag = 1; //@ raise
    } else {
        while (*(volatile unsigned *)flag == 0) //@ poll
            ;
        __threadfence();
        *out = *value; //@ read
    }
}

//: defect fences of a block, between blocks
//: grid 2 block 32
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: expect race error at write with read in global
extern "C" __global__ void fences_of_a_block(unsigned *value, unsigned *flag, unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42; //@ write
        __threadfence_block();
        *(volatile unsigned *)flag = 1;
    } else {
        while (*(volatile unsigned *)flag == 0)
            ;
        __threadfence_block();
        *out = *value; //@ read
    }
}

//: defect the flag is raised before the value is written
//: grid 2 block 32
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: expect race error at write with read in global
extern "C" __global__ void flag_first(unsigned *value, unsigned *flag, unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *(volatile unsigned *)flag = 1;
        __threadfence();
        *value = 42; //@ write
    } else {
        while (*(volatile unsigned *)flag == 0)
            ;
        __threadfence();
        *out = *value; //@ read
    }
}

//: correct the whole block writes, a barrier, then one thread fences and raises the flag; and the other way round
//: grid 2 block 64
//: arg u32[64]:uninit
//: arg u32[1]:zeros
//: arg u32[64]:zeros
//: result 2 u32 63..0
extern "C" __global__ void blocks(unsigned *values, unsigned *flag, unsigned *out)
{
    unsigned t = threadIdx.x;
    if (blockIdx.x == 0) {
        values[t] = t;
        __syncthreads();
        if (t == 0) {
            __threadfence();
            *(volatile unsigned *)flag = 1;
        }
    } else {
        if (t == 0) {
            while (*(volatile unsigned *)flag == 0)
                ;
            __threadfence();
        }
        __syncthreads();
        out[t] = values[63 - t];
    }
}

//: defect every thread has its fence, but thread 0 raises the flag without waiting for the others
//: grid 2 block 64
//: arg u32[64]:zeros
//: arg u32[1]:zeros
//: arg u32[64]:zeros
//: expect race error at write with read in global
extern "C" __global__ void no_barrier_before_the_flag(unsigned *values, unsigned *flag, unsigned *out)
{
    unsigned t = threadIdx.x;
    if (blockIdx.x == 0) {
        values[t] = t; //@ write
        __threadfence();
        if (t == 0)
            *(volatile unsigned *)flag = 1;
    } else {
        if (t == 0)
            while (*(volatile unsigned *)flag == 0)
                ;
        __threadfence();
        __syncthreads();
        out[t] = values[63 - t]; //@ read
    }
}

//: correct the reader takes the flag down by a plain store: it has seen it up
//: grid 2 block 32
//: arg u32[1]:uninit
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: result 1 u32 0
//: result 2 u32 42
extern "C" __global__ void flag_down(unsigned *value, unsigned *flag, unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42;
        __threadfence();
        *(volatile unsigned *)flag = 1;
    } else {
        while (*(volatile unsigned *)flag == 0)
            ;
        __threadfence();
        *out = *value;
        *flag = 0;
    }
}

//: defect nobody raises the flag
//: grid 2 block 32
//: arg u32[1]:zeros
//: arg u32[2]:zeros
//: expect timeout|deadlock error
extern "C" __global__ void nobody_raises(unsigned *flag, unsigned *out)
{
    if (blockIdx.x == 1 && threadIdx.x == 0)
        while (*(volatile unsigned *)flag == 0)
            ;
    if (threadIdx.x == 0)
        out[blockIdx.x] = *flag;
}
