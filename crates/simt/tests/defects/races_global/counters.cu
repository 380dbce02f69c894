// Many threads count in one word of global memory.

//: defect read, add, write: counts get lost
//: grid 1 block 64
//: arg u32[1]:zeros
//: expect race error at count with count in global
//: correct one thread has nobody to race with
//: grid 1 block 1
//: arg u32[1]:zeros
//: result 0 u32 1
extern "C" __global__ void plain(unsigned *count)
{
    *count += 1; //@ count
}

//: correct atomics
//: grid 4 block 64
//: arg u32[1]:zeros
//: result 0 u32 256
extern "C" __global__ void atomics(unsigned *count)
{
    atomicAdd(count, 1);
}

//: defect one side is volatile, the other is not
//: grid 1 block 64
//: arg u32[2]:zeros
//: expect race error at plain with volatile in global
extern "C" __global__ void volatile_and_plain(unsigned *count)
{
    if (threadIdx.x == 0)
        *(volatile unsigned *)count = 7; //@ volatile
    if (threadIdx.x == 32)
        count[1] = *count; //@ plain
}

//: defect some count by atomics, one reads without
//: grid 1 block 64
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: expect race error at count with read in global
extern "C" __global__ void plain_read(unsigned *count, unsigned *out)
{
    atomicAdd(count, 1); //@ count
    if (threadIdx.x == 40)
        *out = *count; //@ read
}

//: defect one sets the counter while the others count
//: grid 1 block 64
//: arg u32[1]:zeros
//: expect race error at set with count in global
extern "C" __global__ void plain_write(unsigned *count)
{
    if (threadIdx.x == 0)
        *count = 100; //@ set
    atomicAdd(count, 1); //@ count
}

//: correct set, count, read, with barriers between
//: grid 1 block 64
//: arg u32[1]:uninit
//: arg u32[1]:zeros
//: result 1 u32 164
extern "C" __global__ void in_turns(unsigned *count, unsigned *out)
{
    if (threadIdx.x == 0)
        *count = 100;
    __syncthreads();
    atomicAdd(count, 1);
    __syncthreads();
    if (threadIdx.x == 40)
        *out = *count;
}

//: defect all threads set a flag: the same value, still a race
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[1]:zeros
//: expect race warning at set with set in global
extern "C" __global__ void same_flag(const unsigned *in, unsigned *found)
{
    if (in[threadIdx.x] > 3)
        *found = 1; //@ set
}

//: correct the flag is set by atomics
//: grid 2 block 64
//: arg u32[128]:iota
//: arg u32[1]:zeros
//: result 1 u32 1
extern "C" __global__ void atomic_flag(const unsigned *in, unsigned *found)
{
    if (in[blockIdx.x * 64 + threadIdx.x] > 3)
        atomicOr(found, 1);
}

//: correct an addition of doubles by compare and swap; the first read is volatile
//: grid 2 block 32
//: arg f64[1]:zeros
//: result 0 f64 64
extern "C" __global__ void compare_and_swap(double *sum)
{
    unsigned long long *bits = (unsigned long long *)sum;
    unsigned long long seen = *(volatile unsigned long long *)bits, expected;
    do {
        expected = seen;
        seen = atomicCAS(bits, expected, __double_as_longlong(__longlong_as_double(expected) + 1.0));
    } while (seen != expected);
}

//: defect the same with a plain first read, which is only a guess
//: grid 2 block 32
//: arg f64[1]:zeros
//: expect race warning at guess with swap in global
//: result 0 f64 64
extern "C" __global__ void guess(double *sum)
{
    unsigned long long *bits = (unsigned long long *)sum;
    unsigned long long seen = *bits, expected; //@ guess
    do {
        expected = seen;
        seen = atomicCAS(bits, expected, __double_as_longlong(__longlong_as_double(expected) + 1.0)); //@ swap
    } while (seen != expected);
}

//: defect a swap that is tried once and then given up
//: grid 2 block 32
//: arg u32[1]:zeros
//: expect race error at read with swap in global
extern "C" __global__ void tried_once(unsigned *count)
{
    unsigned seen = *count; //@ read
    atomicCAS(count, seen, seen + 1); //@ swap
}
