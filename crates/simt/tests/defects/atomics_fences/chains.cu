// Blocks that wait for earlier blocks, or for all.

//: correct decoupled look-back: flag and sum in one word, no fences
//: grid 6 block 32
//: arg u32[192]:ones
//: arg u64[6]:zeros
//: arg u32[192]:zeros
//: result 2 u32 1..192
extern "C" __global__ void look_back_one_word(const unsigned *in, unsigned long long *states, unsigned *out)
{
    const unsigned long long sum_known = 1ull << 32, prefix_known = 2ull << 32;
    unsigned t = threadIdx.x, b = blockIdx.x, i = b * 32 + t, sum = in[i];
    for (unsigned reach = 1; reach < 32; reach *= 2) {
        unsigned left = __shfl_up_sync(0xffffffff, sum, reach);
        if (t >= reach)
            sum += left;
    }
    unsigned total = __shfl_sync(0xffffffff, sum, 31), before = 0;
    if (t == 0) {
        volatile unsigned long long *shown = states;
        shown[b] = (b == 0 ? prefix_known : sum_known) | total;
        for (int back = (int)b - 1; back >= 0; back--) {
            unsigned long long state;
            while ((state = shown[back]) == 0)
                ;
            before += (unsigned)state;
            if (state & prefix_known)
                break;
        }
        shown[b] = prefix_known | (before + total);
    }
    out[i] = __shfl_sync(0xffffffff, before, 0) + sum;
}

//: correct decoupled look-back: flags and sums apart, with fences
//: grid 6 block 32
//: arg u32[6]:zeros
//: arg u32[6]:uninit
//: arg u32[6]:uninit
//: arg u32[6]:zeros
//: result 3 u32 0,1,3,6,10,15
extern "C" __global__ void look_back_with_fences(unsigned *flags, unsigned *sums, unsigned *prefixes, unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    volatile unsigned *shown = flags;
    unsigned b = blockIdx.x, before = 0;
    sums[b] = b;
    __threadfence();
    shown[b] = 1;
    for (int back = (int)b - 1; back >= 0; back--) {
        unsigned flag;
        while ((flag = shown[back]) == 0)
            ;
        __threadfence();
        if (flag == 2) {
            before += prefixes[back];
            break;
        }
        before += sums[back];
    }
    prefixes[b] = before + b;
    __threadfence();
    shown[b] = 2;
    out[b] = before + b;
}

//: defect look-back without fences
//: grid 6 block 32
//: arg u32[6]:zeros
//: arg u32[6]:zeros
//: arg u32[6]:zeros
//: expect race error at write with read in global
extern "C" __global__ void look_back_without_fences(unsigned *flags, unsigned *prefixes, unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    volatile unsigned *shown = flags;
    unsigned b = blockIdx.x, before = 0;
    if (b > 0) {
        while (shown[b - 1] == 0)
            ;
        before = prefixes[b - 1]; //@ read
    }
    prefixes[b] = before + b; //@ write
    shown[b] = 1;
    out[b] = before + b;
}

//: correct every block waits for the one before it and adds to the same word
//: grid 5 block 64
//: arg u32[5]:zeros
//: arg u32[64]:zeros
//: result 1 u32 5*64
extern "C" __global__ void in_line(unsigned *flags, unsigned *sums)
{
    unsigned b = blockIdx.x, t = threadIdx.x;
    if (t == 0 && b > 0) {
        while (atomicAdd(&flags[b - 1], 0) == 0)
            ;
        __threadfence();
    }
    __syncthreads();
    sums[(t + b) % 64] += 1;
    __syncthreads();
    if (t == 0) {
        __threadfence();
        atomicExch(&flags[b], 1);
    }
}

//: defect every block waits for the one before it, but raises its flag before its threads are done
//: grid 5 block 64
//: arg u32[5]:zeros
//: arg u32[64]:zeros
//: expect race error at add with add in global
extern "C" __global__ void in_line_too_early(unsigned *flags, unsigned *sums)
{
    unsigned b = blockIdx.x, t = threadIdx.x;
    if (t == 0 && b > 0) {
        while (atomicAdd(&flags[b - 1], 0) == 0)
            ;
        __threadfence();
    }
    __syncthreads();
    sums[(t + b) % 64] += 1; //@ add
    if (t == 0) {
        __threadfence();
        atomicExch(&flags[b], 1);
    }
}

//: correct a barrier of the grid: arrive by an atomic, wait by volatile reads, fences around
//: grid 4 block 64
//: arg u32[1]:zeros
//: arg u32[256]:uninit
//: arg u32[256]:zeros
//: result 2 u32 255..0
extern "C" __global__ void grid_barrier(unsigned *arrived, unsigned *room, unsigned *out)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    room[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived < gridDim.x)
            ;
        __threadfence();
    }
    __syncthreads();
    out[i] = room[255 - i];
}

//: defect a barrier of the grid without fences
//: grid 4 block 64
//: arg u32[1]:zeros
//: arg u32[256]:zeros
//: arg u32[256]:zeros
//: expect race error at write with read in global
extern "C" __global__ void grid_barrier_without_fences(unsigned *arrived, unsigned *room, unsigned *out)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    room[i] = i; //@ write
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived < gridDim.x)
            ;
    }
    __syncthreads();
    out[i] = room[255 - i]; //@ read
}
