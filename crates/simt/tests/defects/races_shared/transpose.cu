// A 16 x 16 tile, read by rows and written by columns through shared memory.

//: defect a thread reads the element of another without a barrier
//: grid 1 block 16,16
//: arg u32[256]:iota
//: arg u32[256]:zeros
//: expect race error at write with read in shared tile
//: allow uninitialized error at read in shared tile
extern "C" __global__ void without_barrier(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[16][16];
    unsigned x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * 16 + x]; //@ write
    out[y * 16 + x] = tile[x][y]; //@ read
}

//: correct with the barrier
//: grid 1 block 16,16
//: arg u32[256]:iota
//: arg u32[256]:uninit
//: result 1 u32 0..240/16,_*240
extern "C" __global__ void with_barrier(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[16][16];
    unsigned x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * 16 + x];
    __syncthreads();
    out[y * 16 + x] = tile[x][y];
}

//: correct a padded tile: the padding is never touched
//: grid 2,2 block 16,16
//: arg u32[1024]:iota
//: arg u32[1024]:uninit
//: result 1 u32 0..992/32,_*992
extern "C" __global__ void padded(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[16][17];
    unsigned x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[(blockIdx.y * 16 + y) * 32 + blockIdx.x * 16 + x];
    __syncthreads();
    out[(blockIdx.x * 16 + y) * 32 + blockIdx.y * 16 + x] = tile[x][y];
}
