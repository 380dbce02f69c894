// Shared memory that nobody has written.

//: defect the tail of the tile is not filled
//: grid 1 block 32
//: arg u32[20]:ones
//: arg u32[1]:zeros
//: arg u32=20
//: expect uninitialized error at add in shared tile
//: correct there is no tail
//: grid 1 block 32
//: arg u32[32]:ones
//: arg u32[1]:zeros
//: arg u32=32
//: result 1 u32 32
extern "C" __global__ void tail(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned tile[32];
    unsigned t = threadIdx.x;
    if (t < n)
        tile[t] = in[t];
    for (unsigned half = 16; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            tile[t] += tile[t + half]; //@ add
    }
    if (t == 0)
        *out = tile[0];
}

//: correct the tail is filled with zeros
//: grid 1 block 32
//: arg u32[20]:ones
//: arg u32[1]:zeros
//: arg u32=20
//: result 1 u32 20
extern "C" __global__ void tail_of_zeros(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned tile[32];
    unsigned t = threadIdx.x;
    tile[t] = t < n ? in[t] : 0;
    for (unsigned half = 16; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            tile[t] += tile[t + half];
    }
    if (t == 0)
        *out = tile[0];
}

//: defect a total that starts as whatever was there
//: grid 1 block 64
//: arg u32[1]:zeros
//: expect uninitialized error at add|read in shared total
extern "C" __global__ void total_not_zeroed(unsigned *out)
{
    __shared__ unsigned total;
    atomicAdd(&total, 1); //@ add
    __syncthreads();
    if (threadIdx.x == 0)
        *out = total; //@ read
}

//: correct a total that starts as zero
//: grid 2 block 64
//: arg u32[2]:zeros
//: result 0 u32 64*2
extern "C" __global__ void total_zeroed(unsigned *out)
{
    __shared__ unsigned total;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    atomicAdd(&total, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = total;
}

//: defect shared memory does not keep what the block before left in it
//: grid 2 block 32
//: arg u32[64]:zeros
//: expect uninitialized error at read in shared kept
extern "C" __global__ void of_the_block_before(unsigned *out)
{
    __shared__ unsigned kept[32];
    unsigned t = threadIdx.x;
    if (blockIdx.x == 0)
        kept[t] = t;
    __syncthreads();
    out[blockIdx.x * 32 + t] = kept[31 - t]; //@ read
}

//: defect the halo to the right is never loaded
//: grid 1 block 32
//: shared 136
//: arg u32[32]:ones
//: arg u32[32]:zeros
//: expect uninitialized error at right in shared
extern "C" __global__ void no_halo(const unsigned *in, unsigned *out)
{
    extern __shared__ unsigned tile[];
    unsigned t = threadIdx.x;
    tile[t + 1] = in[t];
    if (t == 0)
        tile[0] = 0;
    __syncthreads();
    unsigned sum = tile[t] + tile[t + 1];
    sum += tile[t + 2]; //@ right
    out[t] = sum;
}

//: correct both halos
//: grid 1 block 32
//: shared 136
//: arg u32[32]:ones
//: arg u32[32]:zeros
//: result 1 u32 2,3*30,2
extern "C" __global__ void both_halos(const unsigned *in, unsigned *out)
{
    extern __shared__ unsigned tile[];
    unsigned t = threadIdx.x;
    tile[t + 1] = in[t];
    if (t < 2)
        tile[33 * t] = 0;
    __syncthreads();
    out[t] = tile[t] + tile[t + 1] + tile[t + 2];
}

struct Entry {
    unsigned char tag;
    unsigned value;
};

//: correct the gap between the members of an entry is neither written nor read
//: grid 1 block 32
//: arg u32[32]:zeros
//: result 0 u32 32..1
extern "C" __global__ void entries(unsigned *out)
{
    __shared__ Entry entries[32];
    unsigned t = threadIdx.x;
    entries[t].tag = 1;
    entries[t].value = t;
    __syncthreads();
    out[t] = entries[31 - t].tag + entries[31 - t].value;
}

//: defect the tag of an entry is never set
//: grid 1 block 32
//: arg u32[32]:zeros
//: expect uninitialized error at read in shared entries
extern "C" __global__ void entries_without_tag(unsigned *out)
{
    __shared__ Entry entries[32];
    unsigned t = threadIdx.x;
    if (t > 40)
        entries[t].tag = 1;
    entries[t].value = t;
    __syncthreads();
    out[t] = entries[31 - t].value + entries[31 - t].tag; //@ read
}

//: correct memory from the heap, filled by one thread and read by all
//: grid 1 block 32
//: arg u32[32]:zeros
//: result 0 u32 0..62/2
extern "C" __global__ void heap(unsigned *out)
{
    __shared__ unsigned *room;
    unsigned t = threadIdx.x;
    if (t == 0) {
        room = (unsigned *)malloc(32 * sizeof(unsigned));
        for (unsigned i = 0; i < 32; i++)
            room[i] = 2 * i;
    }
    __syncthreads();
    out[t] = room[t];
    __syncthreads();
    if (t == 0)
        free(room);
}
