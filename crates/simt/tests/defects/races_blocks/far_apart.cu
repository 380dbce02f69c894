// Blocks that are far from each other.

//: correct 300 blocks, each with its own word
//: grid 300 block 32
//: arg u32[300]:uninit
//: arg u32=300
//: result 0 u32 0..299
//: defect the last of 300 blocks takes the word of the first
//: grid 300 block 32
//: arg u32[300]:zeros
//: arg u32=299
//: expect race error at write with write in global
extern "C" __global__ void ring(unsigned *out, unsigned words)
{
    if (threadIdx.x == 0)
        out[blockIdx.x % words] = blockIdx.x; //@ write
}

//: defect the reader is the only block that does not wait
//: grid 40 block 32
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: arg u32[40]:zeros
//: expect race error at write with read in global
extern "C" __global__ void one_does_not_wait(unsigned *value, unsigned *flag, unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42; //@ write
        __threadfence();
        *(volatile unsigned *)flag = 1;
        return;
    }
    if (blockIdx.x != 17)
        while (*(volatile unsigned *)flag == 0)
            ;
    __threadfence();
    unsigned seen = *value; //@ read
    out[blockIdx.x] = seen;
}

//: correct all wait
//: grid 40 block 32
//: arg u32[1]:uninit
//: arg u32[1]:zeros
//: arg u32[40]:zeros
//: result 2 u32 0,42*39
extern "C" __global__ void all_wait(unsigned *value, unsigned *flag, unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42;
        __threadfence();
        *(volatile unsigned *)flag = 1;
        return;
    }
    while (*(volatile unsigned *)flag == 0)
        ;
    __threadfence();
    out[blockIdx.x] = *value;
}

//: defect a 64-bit atomic, and a plain write to half of its word
//: grid 2 block 32
//: arg u64[1]:zeros
//: expect race error at half with whole in global
extern "C" __global__ void half_of_an_atomic(unsigned long long *word)
{
    if (blockIdx.x == 0)
        atomicAdd(word, 1ull); //@ whole
    else if (threadIdx.x == 0)
        ((unsigned *)word)[1] = 7; //@ half
}

//: correct a 64-bit atomic, and a plain write to the word beside it
//: grid 2 block 32
//: arg u64[2]:zeros
//: result 0 u64 32,30064771072
extern "C" __global__ void beside_an_atomic(unsigned long long *words)
{
    if (blockIdx.x == 0)
        atomicAdd(words, 1ull);
    else if (threadIdx.x == 0)
        ((unsigned *)words)[3] = 7;
}
