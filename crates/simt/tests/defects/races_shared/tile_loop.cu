// Tiles that pass through shared memory one after the other.

//: defect one buffer and one barrier: the next tile overwrites what slower threads still read
//: grid 1 block 64
//: arg u32[256]:ones
//: arg u32[64]:zeros
//: expect race error at write with read in shared tile
extern "C" __global__ void one_buffer_one_barrier(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x, sum = 0;
    for (unsigned i = 0; i < 4; i++) {
        tile[t] = in[i * 64 + t]; //@ write
        __syncthreads();
        sum += tile[63 - t]; //@ read
    }
    out[t] = sum;
}

//: correct one buffer and two barriers
//: grid 1 block 64
//: arg u32[256]:ones
//: arg u32[64]:zeros
//: result 1 u32 4*64
extern "C" __global__ void one_buffer_two_barriers(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x, sum = 0;
    for (unsigned i = 0; i < 4; i++) {
        tile[t] = in[i * 64 + t];
        __syncthreads();
        sum += tile[63 - t];
        __syncthreads();
    }
    out[t] = sum;
}

//: correct two buffers in turn: one barrier a tile
//: grid 1 block 64
//: arg u32[320]:ones
//: arg u32[64]:zeros
//: arg u32=5
//: result 1 u32 5*64
extern "C" __global__ void two_buffers(const unsigned *in, unsigned *out, unsigned tiles)
{
    __shared__ unsigned tile[2][64];
    unsigned t = threadIdx.x, sum = 0;
    tile[0][t] = in[t];
    __syncthreads();
    for (unsigned i = 0; i < tiles; i++) {
        if (i + 1 < tiles)
            tile[(i + 1) % 2][t] = in[(i + 1) * 64 + t];
        sum += tile[i % 2][63 - t];
        __syncthreads();
    }
    out[t] = sum;
}

//: defect two buffers in turn, no barrier
//: grid 1 block 64
//: arg u32[320]:ones
//: arg u32[64]:zeros
//: arg u32=5
//: expect race error at write with read in shared tile
//: allow uninitialized error at read in shared tile
extern "C" __global__ void two_buffers_without_barrier(const unsigned *in, unsigned *out, unsigned tiles)
{
    __shared__ unsigned tile[2][64];
    unsigned t = threadIdx.x, sum = 0;
    tile[0][t] = in[t];
    __syncthreads();
    for (unsigned i = 0; i < tiles; i++) {
        if (i + 1 < tiles)
            tile[(i + 1) % 2][t] = in[(i + 1) * 64 + t]; //@ write
        sum += tile[i % 2][63 - t]; //@ read
    }
    out[t] = sum;
}

//: correct three buffers in turn, the barrier before the read
//: grid 1 block 64
//: arg u32[320]:ones
//: arg u32[64]:zeros
//: arg u32=5
//: result 1 u32 5*64
extern "C" __global__ void three_buffers(const unsigned *in, unsigned *out, unsigned tiles)
{
    __shared__ unsigned tile[3][64];
    unsigned t = threadIdx.x, sum = 0;
    for (unsigned i = 0; i < tiles; i++) {
        tile[i % 3][t] = in[i * 64 + t];
        __syncthreads();
        sum += tile[i % 3][63 - t];
    }
    out[t] = sum;
}

//: defect matrix product: the second barrier of the loop is missing
//: grid 2,2 block 8,8
//: arg f32[256]:ones
//: arg f32[256]:ones
//: arg f32[256]:zeros
//: expect race error at left with product in shared lhs
//: expect race error at right with product in shared rhs
extern "C" __global__ void matmul_one_barrier(const float *x, const float *y, float *z)
{
    __shared__ float lhs[8][8], rhs[8][8];
    unsigned col = threadIdx.x, row = threadIdx.y, i = blockIdx.y * 8 + row, j = blockIdx.x * 8 + col;
    float sum = 0;
    for (unsigned k = 0; k < 16; k += 8) {
        lhs[row][col] = x[i * 16 + k + col];   //@ left
        rhs[row][col] = y[(k + row) * 16 + j]; //@ right
        __syncthreads();
        for (unsigned m = 0; m < 8; m++)
            sum += lhs[row][m] * rhs[m][col]; //@ product
    }
    z[i * 16 + j] = sum;
}

//: correct matrix product
//: grid 2,2 block 8,8
//: arg f32[256]:ones
//: arg f32[256]:ones
//: arg f32[256]:zeros
//: result 2 f32 16*256
extern "C" __global__ void matmul_two_barriers(const float *x, const float *y, float *z)
{
    __shared__ float lhs[8][8], rhs[8][8];
    unsigned col = threadIdx.x, row = threadIdx.y, i = blockIdx.y * 8 + row, j = blockIdx.x * 8 + col;
    float sum = 0;
    for (unsigned k = 0; k < 16; k += 8) {
        lhs[row][col] = x[i * 16 + k + col];
        rhs[row][col] = y[(k + row) * 16 + j];
        __syncthreads();
        for (unsigned m = 0; m < 8; m++)
            sum += lhs[row][m] * rhs[m][col];
        __syncthreads();
    }
    z[i * 16 + j] = sum;
}
