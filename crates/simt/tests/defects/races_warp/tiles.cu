// Tiles of a warp that wait at one instruction, each for its own lanes.

__device__ unsigned tile_of(unsigned lanes)
{
    return ((1u << lanes) - 1) << (threadIdx.x % 32 / lanes * lanes);
}

//: correct each tile of eight lanes exchanges within itself
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: result 1 u32 7..0,15..8,23..16,31..24,39..32,47..40,55..48,63..56
extern "C" __global__ void within_tiles(const unsigned *in, unsigned *out)
{
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncwarp(tile_of(8));
    out[t] = s[t ^ 7];
}

//: defect tiles of eight lanes, an exchange within sixteen
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: expect race error at write with read in shared s
extern "C" __global__ void across_tiles(const unsigned *in, unsigned *out)
{
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x;
    s[t] = in[t]; //@ write
    __syncwarp(tile_of(8));
    out[t] = s[t ^ 15]; //@ read
}

//: correct two steps, each with the tile that it takes
//: grid 1 block 32
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: result 1 u32 15..0,31..16
extern "C" __global__ void growing_tiles(const unsigned *in, unsigned *out)
{
    __shared__ unsigned s[32];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncwarp(tile_of(8));
    unsigned v = s[t ^ 7];
    __syncwarp(tile_of(8));
    s[t] = v;
    __syncwarp(tile_of(16));
    out[t] = s[t ^ 8];
}

//: defect the second step waits for the tile of the first
//: grid 1 block 32
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: expect race error at write with read in shared s
extern "C" __global__ void tile_too_small(const unsigned *in, unsigned *out)
{
    __shared__ unsigned s[32];
    unsigned t = threadIdx.x;
    s[t] = in[t]; //@ write
    __syncwarp(tile_of(8));
    unsigned v = s[t ^ 7];
    __syncwarp(tile_of(8));
    s[t] = v; //@ write
    __syncwarp(tile_of(8));
    out[t] = s[t ^ 8]; //@ read
}
