// Bulk copies, which complete on a barrier in shared memory.
//: arch compute_90

__device__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ void make(unsigned long long *barrier, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

__device__ void arrive(unsigned long long *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

__device__ void announce(unsigned long long *barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

__device__ void wait(unsigned long long *barrier, unsigned parity)
{
    unsigned over = 0;
    while (!over)
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(over)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
}

__device__ void copy(void *tile, const void *from, unsigned bytes, unsigned long long *barrier)
{
    unsigned to = shared_address(tile), on = shared_address(barrier);
#define COPY "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
    asm volatile(COPY ::"r"(to), "l"(from), "r"(bytes), "r"(on) : "memory"); //@ copy
}

//: correct everybody waits for the bytes
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: result 1 u32 63..0
extern "C" __global__ void wait_for_bytes(const unsigned *in, unsigned *out)
{
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long full;
    unsigned t = threadIdx.x;
    if (t == 0)
        make(&full, 1);
    __syncthreads();
    if (t == 0) {
        announce(&full, sizeof tile);
        copy(tile, in, sizeof tile, &full);
    }
    wait(&full, 0);
    out[t] = tile[63 - t];
}

//: correct the second copy waits until all have read the first
//: grid 1 block 64
//: arg u32[128]:iota
//: arg u32[128]:zeros
//: result 1 u32 0..127
extern "C" __global__ void full_and_empty(const unsigned *in, unsigned *out)
{
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long full, empty;
    unsigned t = threadIdx.x;
    if (t == 0) {
        make(&full, 1);
        make(&empty, 64);
    }
    __syncthreads();
    for (unsigned i = 0; i < 2; i++) {
        if (t == 0) {
            wait(&empty, i ^ 1);
            announce(&full, sizeof tile);
            copy(tile, in + i * 64, sizeof tile, &full);
        }
        wait(&full, i);
        out[i * 64 + t] = tile[t];
        arrive(&empty);
    }
}

//: defect a barrier of the block is no wait for the bytes
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: expect race|uninitialized error at read in shared tile
extern "C" __global__ void no_wait(const unsigned *in, unsigned *out)
{
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long full;
    unsigned t = threadIdx.x;
    if (t == 0)
        make(&full, 1);
    __syncthreads();
    if (t == 0) {
        announce(&full, sizeof tile);
        copy(tile, in, sizeof tile, &full);
    }
    out[t] = tile[63 - t]; //@ read
}

//: defect the second copy does not wait for those who still read the first
//: grid 1 block 64
//: arg u32[128]:iota
//: arg u32[128]:zeros
//: expect race error at copy with read in shared tile
extern "C" __global__ void never_empty(const unsigned *in, unsigned *out)
{
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long full[2];
    unsigned t = threadIdx.x;
    if (t == 0) {
        make(&full[0], 1);
        make(&full[1], 1);
    }
    __syncthreads();
    for (unsigned i = 0; i < 2; i++) {
        if (t == 0) {
            announce(&full[i], sizeof tile);
            copy(tile, in + i * 64, sizeof tile, &full[i]);
        }
        wait(&full[i], 0);
        out[i * 64 + t] = tile[t]; //@ read
    }
}
