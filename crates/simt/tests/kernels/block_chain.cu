// Blocks that wait for each other.

// Block b waits for block b - 1 and passes a running sum on.
extern "C" __global__ void chain_flags(volatile int *flags, volatile int *sums)
{
    if (threadIdx.x != 0) return;
    int before = 0;
    if (blockIdx.x > 0) {
        while (flags[blockIdx.x - 1] == 0) {
        }
        __threadfence();
        before = sums[blockIdx.x - 1];
    }
    sums[blockIdx.x] = before + blockIdx.x + 1;
    __threadfence();
    flags[blockIdx.x] = 1;
}

// All blocks meet at a counter, twice; each then reads what its neighbour wrote.
extern "C" __global__ void chain_grid_barrier(unsigned *counter, volatile int *values, int *out)
{
    int value = blockIdx.x;
    for (unsigned round = 1; round <= 2; round++) {
        if (threadIdx.x == 0) {
            values[blockIdx.x] = value;
            __threadfence();
            atomicAdd(counter, 1u);
            while (*(volatile unsigned *)counter < (2 * round - 1) * gridDim.x) {
            }
            __threadfence();
            value = values[(blockIdx.x + 1) % gridDim.x] + 100;
            __threadfence();
            atomicAdd(counter, 1u);
            while (*(volatile unsigned *)counter < 2 * round * gridDim.x) {
            }
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = value;
}

// A scan in one pass: blocks take tickets, publish their sum, and look back over what is published.
// A status is 0 (nothing), 1 (own sum) or 2 (sum of all up to here), in the upper half of a word.
extern "C" __global__ void chain_look_back(const int *in, int *out, unsigned *ticket,
                                           volatile unsigned long long *status)
{
    __shared__ unsigned place;
    __shared__ int before;
    __shared__ int tile[64];
    if (threadIdx.x == 0) place = atomicAdd(ticket, 1u);
    __syncthreads();
    unsigned t = threadIdx.x, block = place;
    tile[t] = in[block * 64 + t];
    __syncthreads();
    for (unsigned offset = 1; offset < 64; offset *= 2) {
        int left = t >= offset ? tile[t - offset] : 0;
        __syncthreads();
        tile[t] += left;
        __syncthreads();
    }
    if (t == 0) {
        unsigned sum = tile[63], prefix = 0;
        status[block] = (block == 0 ? 2ull : 1ull) << 32 | sum;
        for (int back = (int)block - 1; back >= 0; back--) {
            unsigned long long seen;
            do seen = status[back];
            while (seen >> 32 == 0);
            prefix += (unsigned)seen;
            if (seen >> 32 == 2) break;
        }
        if (block > 0) status[block] = 2ull << 32 | (prefix + sum);
        before = prefix;
    }
    __syncthreads();
    out[block * 64 + t] = before + tile[t];
}
