// Sorting and packing inside one block.

//: correct bitonic sort: the partners of all steps but the first are in the same warp
//: grid 1 block 64
//: arg u32[64]:list:63,62,61,60,59,58,57,56,55,54,53,52,51,50,49,48,47,46,45,44,43,42,41,40,39,38,37,36,35,34,33,32,31,
//:   30,29,28,27,26,25,24,23,22,21,20,19,18,17,16,15,14,13,12,11,10,9,8,7,6,5,4,3,2,1,0
//: result 0 u32 0..63
extern "C" __global__ void bitonic(unsigned *data)
{
    __shared__ unsigned keys[64];
    unsigned t = threadIdx.x;
    keys[t] = data[t];
    __syncthreads();
    for (unsigned size = 2; size <= 64; size *= 2) {
        for (unsigned reach = size / 2; reach > 0; reach /= 2) {
            unsigned mate = t ^ reach;
            unsigned mine = keys[t], theirs = keys[mate];
            bool up = (t & size) == 0, low = t < mate;
            __syncthreads();
            keys[t] = (up == low) == (mine < theirs) ? mine : theirs;
            if (reach == 1)
                __syncthreads();
            else
                __syncwarp();
        }
    }
    data[t] = keys[t];
}

//: defect near partners, between reaches of 32 and 16, are taken for granted
//: grid 1 block 64
//: arg u32[64]:iota
//: expect race error at read with write in shared keys
extern "C" __global__ void bitonic_lock_step(unsigned *data)
{
    __shared__ unsigned keys[64];
    unsigned t = threadIdx.x;
    keys[t] = data[t];
    __syncthreads();
    for (unsigned size = 2; size <= 64; size *= 2) {
        for (unsigned reach = size / 2; reach > 0; reach /= 2) {
            unsigned mine = keys[t];
            unsigned theirs = keys[t ^ reach]; //@ read
            bool up = (t & size) == 0, low = t < (t ^ reach);
            if (reach >= 32)
                __syncthreads();
            keys[t] = (up == low) == (mine < theirs) ? mine : theirs; //@ write
            if (reach >= 32)
                __syncthreads();
        }
    }
    data[t] = keys[t];
}

//: correct the even numbers come first: offsets of the warps by way of shared memory
//: grid 1 block 128
//: arg u32[128]:iota
//: arg u32[64]:uninit
//: arg u32[1]:zeros
//: result 1 u32 0..126/2
//: result 2 u32 64
extern "C" __global__ void compact(const unsigned *in, unsigned *out, unsigned *count)
{
    __shared__ unsigned offsets[4];
    unsigned t = threadIdx.x, warp = t / 32, lane = t % 32;
    bool keep = in[t] % 2 == 0;
    unsigned kept = __ballot_sync(0xffffffff, keep);
    if (lane == 0)
        offsets[warp] = __popc(kept);
    __syncthreads();
    unsigned before = 0;
    for (unsigned w = 0; w < warp; w++)
        before += offsets[w];
    if (keep)
        out[before + __popc(kept & ((1u << lane) - 1))] = in[t];
    if (t == 127)
        *count = before + __popc(kept);
}

//: defect the offsets are read without a barrier
//: grid 1 block 128
//: arg u32[128]:iota
//: arg u32[128]:zeros
//: expect race error at write with read in shared offsets
//: allow uninitialized error at read in shared offsets
//: allow race error|warning at store with store
extern "C" __global__ void compact_without_barrier(const unsigned *in, unsigned *out)
{
    __shared__ unsigned offsets[4];
    unsigned t = threadIdx.x, warp = t / 32, lane = t % 32;
    bool keep = in[t] % 2 == 0;
    unsigned kept = __ballot_sync(0xffffffff, keep);
    if (lane == 0)
        offsets[warp] = __popc(kept); //@ write
    unsigned before = 0;
    for (unsigned w = 0; w < warp; w++)
        before += offsets[w] % 32; //@ read
    if (keep)
        out[before + __popc(kept & ((1u << lane) - 1))] = in[t]; //@ store
}

//: correct one bit of a radix sort: zeros to the front, ones behind, in the order they came
//: grid 1 block 64
//: arg u32[64]:iota
//: result 0 u32 0..62/2,1..63/2
extern "C" __global__ void radix_split(unsigned *data)
{
    __shared__ unsigned sums[64], keys[64];
    unsigned t = threadIdx.x, key = data[t], zero = (key & 1) == 0;
    sums[t] = zero;
    __syncthreads();
    for (unsigned reach = 1; reach < 64; reach *= 2) {
        unsigned left = t >= reach ? sums[t - reach] : 0;
        __syncthreads();
        sums[t] += left;
        __syncthreads();
    }
    unsigned zeros = sums[63], before = sums[t] - zero;
    keys[zero ? before : zeros + t - before] = key;
    __syncthreads();
    data[t] = keys[t];
}
