// The order of memory, spelled out.

__device__ void store_release(unsigned *word, unsigned value)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

__device__ void store_relaxed(unsigned *word, unsigned value)
{
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

__device__ unsigned load_acquire(unsigned *word)
{
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

__device__ unsigned load_relaxed(unsigned *word)
{
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

//: correct store with release, load with acquire
//: grid 2 block 32
//: arg u32[1]:uninit
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: result 2 u32 42
extern "C" __global__ void release_acquire(unsigned *value, unsigned *flag, unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42;
        store_release(flag, 1);
    } else {
        while (load_acquire(flag) == 0)
            ;
        *out = *value;
    }
}

//: defect store and load relaxed
//: grid 2 block 32
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: expect race error at write with read in global
extern "C" __global__ void relaxed(unsigned *value, unsigned *flag, unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42; //@ write
        store_relaxed(flag, 1);
    } else {
        while (load_relaxed(flag) == 0)
            ;
        *out = *value; //@ read
    }
}

//: defect release without acquire
//: grid 2 block 32
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: expect race error at write with read in global
extern "C" __global__ void release_relaxed(unsigned *value, unsigned *flag, unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42; //@ write
        store_release(flag, 1);
    } else {
        while (load_relaxed(flag) == 0)
            ;
        *out = *value; //@ read
    }
}

//: correct a fence makes the relaxed load an acquire
//: grid 2 block 32
//: arg u32[1]:uninit
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: result 2 u32 42
extern "C" __global__ void relaxed_with_fences(unsigned *value, unsigned *flag, unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42;
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
        store_relaxed(flag, 1);
    } else {
        while (load_relaxed(flag) == 0)
            ;
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
        *out = *value;
    }
}

//: defect release and acquire for the block only, between blocks
//: grid 2 block 32
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: expect race error at write with read in global
//: allow race error at raise with poll in global
extern "C" __global__ void scope_too_small(unsigned *value, unsigned *flag, unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42; //@ write
        asm volatile("st.release.cta.global.u32 [%0], 1;" ::"l"(flag) : "memory"); //@ raise
    } else {
        unsigned up;
        do {
            asm volatile("ld.acquire.cta.global.u32 %0, [%1];" : "=r"(up) : "l"(flag) : "memory"); //@ poll
        } while (up == 0);
        *out = *value; //@ read
    }
}

//: correct three blocks count up with release, the last waits for all with acquire
//: grid 4 block 64
//: arg u32[192]:uninit
//: arg u32[1]:zeros
//: arg u32[64]:zeros
//: result 2 u32 3*64
extern "C" __global__ void counted(unsigned *values, unsigned *count, unsigned *out)
{
    unsigned t = threadIdx.x;
    if (blockIdx.x < 3) {
        values[blockIdx.x * 64 + t] = blockIdx.x;
        __syncthreads();
        if (t == 0)
            asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(count) : "memory");
    } else {
        if (t == 0)
            while (load_acquire(count) != 3)
                ;
        __syncthreads();
        unsigned sum = 0;
        for (unsigned i = 0; i < 3; i++)
            sum += values[i * 64 + 63 - t];
        out[t] = sum;
    }
}

//: defect three blocks count up relaxed
//: grid 4 block 64
//: arg u32[192]:zeros
//: arg u32[1]:zeros
//: arg u32[64]:zeros
//: expect race error at write with read in global
extern "C" __global__ void counted_relaxed(unsigned *values, unsigned *count, unsigned *out)
{
    unsigned t = threadIdx.x;
    if (blockIdx.x < 3) {
        values[blockIdx.x * 64 + t] = blockIdx.x; //@ write
        __syncthreads();
        if (t == 0)
            asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(count) : "memory");
    } else {
        if (t == 0)
            while (load_acquire(count) != 3)
                ;
        __syncthreads();
        unsigned sum = 0;
        for (unsigned i = 0; i < 3; i++)
            sum += values[i * 64 + 63 - t]; //@ read
        out[t] = sum;
    }
}

//: correct a value passes through three blocks: each acquires from the last and releases to the next
//: grid 4 block 32
//: arg u32[1]:zeros
//: arg u32[4]:zeros
//: result 0 u32 4
extern "C" __global__ void passed_on(unsigned *value, unsigned *flags)
{
    if (threadIdx.x != 0)
        return;
    unsigned b = blockIdx.x;
    if (b > 0)
        while (load_acquire(&flags[b - 1]) == 0)
            ;
    *value += 1;
    store_release(&flags[b], 1);
}

//: correct the last to come has acquired from all that came before: an atomic with both orders
//: grid 4 block 32
//: arg u32[4]:uninit
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: result 2 u32 6
extern "C" __global__ void ticket_with_both(unsigned *values, unsigned *tickets, unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    values[blockIdx.x] = blockIdx.x;
    unsigned ticket;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(ticket) : "l"(tickets) : "memory");
    if (ticket == 3)
        *out = values[0] + values[1] + values[2] + values[3];
}

//: defect the ticket releases but does not acquire
//: grid 4 block 32
//: arg u32[4]:zeros
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: expect race error at write with read in global
extern "C" __global__ void ticket_with_release(unsigned *values, unsigned *tickets, unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    values[blockIdx.x] = blockIdx.x; //@ write
    unsigned ticket;
    asm volatile("atom.release.gpu.global.add.u32 %0, [%1], 1;" : "=r"(ticket) : "l"(tickets) : "memory");
    if (ticket == 3)
        *out = values[0] + values[1] + values[2] + values[3]; //@ read
}
