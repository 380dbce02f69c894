// Accesses smaller and larger than a word.

//: correct neighbouring bytes are different places
//: grid 1 block 64
//: arg u8[64]:iota
//: arg u8[64]:zeros
//: result 1 u8 63..0
extern "C" __global__ void neighbouring_bytes(const unsigned char *in, unsigned char *out)
{
    __shared__ unsigned char bytes[64];
    bytes[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = bytes[63 - threadIdx.x];
}

//: correct one thread writes the low half of a word, another the high half
//: grid 1 block 64
//: arg u32[32]:zeros
//: result 0 u32 0x00010000*32
extern "C" __global__ void halves(unsigned *out)
{
    __shared__ unsigned short shorts[64];
    unsigned t = threadIdx.x;
    shorts[2 * (t % 32) + t / 32] = t / 32;
    __syncthreads();
    if (t < 32)
        out[t] = ((const unsigned *)shorts)[t];
}

//: defect one thread writes a word, another a byte of it
//: grid 1 block 64
//: arg u32[8]:zeros
//: expect race error at word with byte in shared words
extern "C" __global__ void byte_of_a_word(unsigned *out)
{
    __shared__ unsigned words[8];
    unsigned t = threadIdx.x;
    if (t < 8)
        words[t] = 0x04030201; //@ word
    if (t == 32)
        ((unsigned char *)words)[6] = 9; //@ byte
    __syncthreads();
    if (t < 8)
        out[t] = words[t];
}

//: correct the same with a barrier between
//: grid 1 block 64
//: arg u32[8]:zeros
//: result 0 u32 0x04030201,0x04090201,0x04030201*6
extern "C" __global__ void byte_after_the_word(unsigned *out)
{
    __shared__ unsigned words[8];
    unsigned t = threadIdx.x;
    if (t < 8)
        words[t] = 0x04030201;
    __syncthreads();
    if (t == 32)
        ((unsigned char *)words)[6] = 9;
    __syncthreads();
    if (t < 8)
        out[t] = words[t];
}

//: defect a vector of four reaches into the words of others
//: grid 1 block 64
//: arg u32[64]:zeros
//: expect race error at vector with scalar in shared words
extern "C" __global__ void vector_over_scalars(unsigned *out)
{
    __shared__ __align__(16) unsigned words[64];
    unsigned t = threadIdx.x;
    if (t >= 32)
        words[t] = t; //@ scalar
    if (t <= 8)
        ((uint4 *)words)[t] = make_uint4(1, 2, 3, 4); //@ vector
    __syncthreads();
    out[t] = words[t];
}

//: correct vectors and scalars side by side
//: grid 1 block 64
//: arg u32[64]:zeros
//: result 0 u32 7*32,32..63
extern "C" __global__ void vectors_beside_scalars(unsigned *out)
{
    __shared__ __align__(16) unsigned words[64];
    unsigned t = threadIdx.x;
    if (t >= 32)
        words[t] = t;
    if (t < 8)
        ((uint4 *)words)[t] = make_uint4(7, 7, 7, 7);
    __syncthreads();
    out[t] = words[t];
}

//: defect bits of one word, set by reading and writing the word
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[1]:zeros
//: expect race error at or with or in shared bits
extern "C" __global__ void bits_by_assignment(const unsigned *in, unsigned *out)
{
    __shared__ unsigned bits;
    if (threadIdx.x == 0)
        bits = 0;
    __syncthreads();
    bits |= 1u << in[threadIdx.x] % 32; //@ or
    __syncthreads();
    if (threadIdx.x == 0)
        *out = bits;
}

//: correct bits of one word, set by atomics
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[1]:zeros
//: result 1 u32 0xffffffff
extern "C" __global__ void bits_by_atomics(const unsigned *in, unsigned *out)
{
    __shared__ unsigned bits;
    if (threadIdx.x == 0)
        bits = 0;
    __syncthreads();
    atomicOr(&bits, 1u << in[threadIdx.x] % 32);
    __syncthreads();
    if (threadIdx.x == 0)
        *out = bits;
}
