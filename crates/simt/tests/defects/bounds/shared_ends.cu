// Arrays in shared memory and where they end.

//: defect past the end of all shared memory
//: grid 1 block 64
//: arg u32[64]:zeros
//: expect out_of_bounds error at write|read in shared
//: correct inside
//: grid 1 block 32
//: arg u32[32]:zeros
//: result 0 u32 31..0
extern "C" __global__ void past_the_end(unsigned *out)
{
    __shared__ unsigned tile[32];
    unsigned t = threadIdx.x;
    tile[t] = t; //@ write
    __syncthreads();
    out[t] = tile[blockDim.x - 1 - t]; //@ read
}

//: defect past the end of one array lies another; the address starts from the one that was meant
//: grid 1 block 33
//: arg u32[33]:zeros
//: expect out_of_bounds error at write in shared middle
//: correct all arrays inside
//: grid 1 block 32
//: arg u32[32]:zeros
//: result 0 u32 31..62
extern "C" __global__ void into_the_next(unsigned *out)
{
    __shared__ unsigned first[64], middle[32], last[64];
    unsigned t = threadIdx.x;
    first[t] = t;
    last[t] = t;
    middle[t] = t; //@ write
    __syncthreads();
    out[t] = first[t] + middle[31 - t % 32] + last[t];
}

//: defect dynamic shared memory is smaller than what is used of it
//: grid 1 block 64
//: shared 252
//: arg u32[64]:zeros
//: expect out_of_bounds error at write|read in shared
//: correct dynamic shared memory is large enough
//: grid 1 block 64
//: shared 256
//: arg u32[64]:zeros
//: result 0 u32 63..0
extern "C" __global__ void dynamic(unsigned *out)
{
    extern __shared__ unsigned tile[];
    unsigned t = threadIdx.x;
    tile[t] = t; //@ write
    __syncthreads();
    out[t] = tile[63 - t]; //@ read
}

//: defect no dynamic shared memory was asked for
//: grid 1 block 32
//: arg u32[32]:zeros
//: expect out_of_bounds error at write|read in shared
extern "C" __global__ void none_asked_for(unsigned *out)
{
    extern __shared__ unsigned tile[];
    unsigned t = threadIdx.x;
    tile[t] = t; //@ write
    __syncthreads();
    out[t] = tile[31 - t]; //@ read
}

//: defect left of the first element
//: grid 1 block 32
//: arg u32[32]:zeros
//: arg i32=1
//: expect out_of_bounds error at read in shared
//: correct not left of it
//: grid 1 block 32
//: arg u32[32]:zeros
//: arg i32=0
//: result 0 u32 0..31
extern "C" __global__ void left_of_the_first(unsigned *out, int shift)
{
    __shared__ unsigned tile[32];
    int t = threadIdx.x;
    tile[t] = t;
    __syncthreads();
    out[t] = tile[t - shift]; //@ read
}

//: correct two arrays carved out of one piece of dynamic shared memory
//: grid 1 block 32
//: shared 384
//: arg u32[32]:zeros
//: result 0 u32 31*32
extern "C" __global__ void carved(unsigned *out)
{
    extern __shared__ __align__(8) unsigned char room[];
    unsigned long long *wide = (unsigned long long *)room;
    unsigned *narrow = (unsigned *)(room + 256);
    unsigned t = threadIdx.x;
    wide[t] = t;
    narrow[t] = t;
    __syncthreads();
    out[t] = (unsigned)wide[t] + narrow[31 - t];
}

//: defect the second of the carved arrays needs more room
//: grid 1 block 32
//: shared 320
//: arg u32[32]:zeros
//: expect out_of_bounds error at write|read in shared
extern "C" __global__ void carved_too_small(unsigned *out)
{
    extern __shared__ __align__(8) unsigned char room[];
    unsigned long long *wide = (unsigned long long *)room;
    unsigned *narrow = (unsigned *)(room + 256);
    unsigned t = threadIdx.x;
    wide[t] = t;
    narrow[t] = t; //@ write
    __syncthreads();
    out[t] = (unsigned)wide[t] + narrow[31 - t]; //@ read
}

//: defect a generic pointer that leads out of shared memory
//: grid 1 block 32
//: arg u32[32]:zeros
//: arg u32=32
//: expect out_of_bounds error at read in shared
//: correct a generic pointer that stays inside
//: grid 1 block 32
//: arg u32[32]:zeros
//: arg u32=0
//: result 0 u32 0..31
extern "C" __global__ void generic(unsigned *out, unsigned shift)
{
    __shared__ unsigned tile[32];
    unsigned t = threadIdx.x;
    tile[t] = t;
    __syncthreads();
    const unsigned *from = tile;
    unsigned value;
    asm volatile("ld.u32 %0, [%1];" : "=r"(value) : "l"(from + t + shift) : "memory"); //@ read
    out[t] = value;
}
