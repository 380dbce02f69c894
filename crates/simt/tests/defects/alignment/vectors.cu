// Accesses at addresses that are no multiple of their size.

//: defect four floats at once, from the second on
//: grid 1 block 8
//: arg f32[40]:ones
//: arg f32[8]:zeros
//: arg u32=1
//: expect misaligned error at read in global
//: correct four floats at once, from the fifth on
//: grid 1 block 8
//: arg f32[40]:ones
//: arg f32[8]:zeros
//: arg u32=4
//: result 1 f32 4*8
extern "C" __global__ void float4_from(const float *in, float *out, unsigned shift)
{
    float4 four = ((const float4 *)(in + shift))[threadIdx.x]; //@ read
    out[threadIdx.x] = four.x + four.y + four.z + four.w;
}

//: defect a word at an odd byte
//: grid 1 block 8
//: arg u8[64]:zeros
//: arg u32=1
//: expect misaligned error at write in global
//: correct a word at a multiple of four
//: grid 1 block 8
//: arg u8[64]:zeros
//: arg u32=8
extern "C" __global__ void word_at(unsigned char *out, unsigned shift)
{
    *(unsigned *)(out + shift + 4 * threadIdx.x) = 7; //@ write
}

//: correct bytes may lie anywhere
//: grid 1 block 8
//: arg u8[33]:ones
//: arg u32[8]:zeros
//: result 1 u32 0x01010101*8
extern "C" __global__ void byte_by_byte(const unsigned char *in, unsigned *out)
{
    unsigned value = 0;
    for (unsigned i = 0; i < 4; i++)
        value |= (unsigned)in[1 + 4 * threadIdx.x + i] << 8 * i;
    out[threadIdx.x] = value;
}

//: defect two floats at once from shared memory, at an odd word
//: grid 1 block 16
//: arg f32[16]:zeros
//: arg u32=1
//: expect misaligned error at read in shared
//: correct at an even word
//: grid 1 block 16
//: arg f32[16]:zeros
//: arg u32=2
//: result 0 f32 2*16
extern "C" __global__ void shared_float2(float *out, unsigned shift)
{
    __shared__ __align__(8) float tile[48];
    unsigned t = threadIdx.x;
    tile[t] = tile[t + 16] = tile[t + 32] = 1;
    __syncthreads();
    float2 two = *(const float2 *)&tile[2 * t + shift]; //@ read
    out[t] = two.x + two.y;
}

//: defect a 64-bit atomic at an odd word
//: grid 1 block 8
//: arg u32[8]:zeros
//: arg u32=1
//: expect misaligned error at count in global
//: correct at an even word
//: grid 1 block 8
//: arg u32[8]:zeros
//: arg u32=2
//: result 0 u32 0,0,8,0*5
extern "C" __global__ void atomic_at(unsigned *words, unsigned shift)
{
    atomicAdd((unsigned long long *)(words + shift), 1ull); //@ count
}

struct __attribute__((packed)) Record {
    unsigned char tag;
    unsigned value;
};

//: correct a packed record is read byte by byte
//: grid 1 block 4
//: arg u8[20]:ones
//: arg u32[4]:zeros
//: result 1 u32 0x01010101*4
extern "C" __global__ void packed(const Record *in, unsigned *out)
{
    out[threadIdx.x] = in[threadIdx.x].value;
}

//: defect carved out of dynamic shared memory at a multiple of four, used as 64-bit words
//: grid 1 block 8
//: shared 128
//: arg u32[8]:zeros
//: arg u32=9
//: expect misaligned error at write|read in shared
//: correct at a multiple of eight
//: grid 1 block 8
//: shared 128
//: arg u32[8]:zeros
//: arg u32=8
//: result 0 u32 0..7
extern "C" __global__ void carved(unsigned *out, unsigned words)
{
    extern __shared__ __align__(16) unsigned room[];
    unsigned long long *wide = (unsigned long long *)(room + words);
    wide[threadIdx.x] = threadIdx.x; //@ write
    out[threadIdx.x] = *(volatile unsigned long long *)&wide[threadIdx.x]; //@ read
}
