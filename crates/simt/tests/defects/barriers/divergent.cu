// Barriers that not all threads come to.

//: defect half of each warp waits here, the other half goes on to the next barrier
//: grid 1 block 64
//: arg u32[64]:zeros
//: expect barrier_divergence|deadlock error at inner|outer
extern "C" __global__ void inside_if(unsigned *out)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    tile[t] = t;
    if (t % 2 == 0) {
        __syncthreads(); //@ inner
        tile[t] += 1;
    }
    __syncthreads(); //@ outer
    out[t] = tile[63 - t];
}

//: correct the condition is the same for all threads
//: grid 1 block 64
//: arg u32[64]:zeros
//: arg u32=1
//: result 0 u32 64..1
//: correct none of them waits
//: grid 1 block 64
//: arg u32[64]:zeros
//: arg u32=0
//: result 0 u32 63..0
extern "C" __global__ void inside_if_for_all(unsigned *out, unsigned add)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    tile[t] = t;
    if (add != 0) {
        __syncthreads();
        tile[t] += 1;
    }
    __syncthreads();
    out[t] = tile[63 - t];
}

//: defect two barriers on the two sides of a branch inside a warp
//: grid 1 block 32
//: arg u32[32]:zeros
//: expect barrier_divergence|deadlock error at left|right
extern "C" __global__ void both_sides(unsigned *out)
{
    unsigned t = threadIdx.x;
    if (t < 16) {
        out[t] = 1;
        __syncthreads(); //@ left
        out[t] += 1;
    } else {
        out[t] = 2;
        __syncthreads(); //@ right
        out[t] += 2;
    }
}

//: defect each thread goes round its own number of times
//: grid 1 block 32
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: expect barrier_divergence|deadlock error at inner|outer
//: correct all go round three times
//: grid 1 block 64
//: arg u32[64]:list:3*64
//: arg u32[64]:zeros
//: result 1 u32 3*64
extern "C" __global__ void in_a_loop(const unsigned *turns, unsigned *out)
{
    unsigned t = threadIdx.x, n = turns[t], sum = 0;
#pragma unroll 1
    for (unsigned i = 0; i < n; i++) {
        sum += 1;
        __syncthreads(); //@ inner
    }
    out[t] = sum;
    __syncthreads(); //@ outer
}

//: correct all threads go round as often as the one that needs most
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: result 1 u32 0..63
extern "C" __global__ void until_all_are_done(const unsigned *turns, unsigned *out)
{
    unsigned t = threadIdx.x, left = turns[t], sum = 0;
    while (__syncthreads_or(left > 0)) {
        if (left > 0) {
            left -= 1;
            sum += 1;
        }
    }
    out[t] = sum;
}

//: correct threads without work are gone before the barrier: they are not waited for
//: grid 1 block 64
//: arg u32[50]:iota
//: arg u32[50]:zeros
//: arg u32=50
//: result 1 u32 49..0
//: correct whole warps are gone
//: grid 1 block 128
//: arg u32[40]:iota
//: arg u32[40]:zeros
//: arg u32=40
//: result 1 u32 39..0
extern "C" __global__ void early_exit(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    if (t >= n)
        return;
    tile[t] = in[t];
    __syncthreads();
    out[t] = tile[n - 1 - t];
}

//: correct threads without work leave a zero behind before they go
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:list:7*64
//: arg u32=50
//: result 1 u32 49..0,0*14
extern "C" __global__ void early_exit_with_a_word(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    if (t >= n) {
        out[t] = 0;
        return;
    }
    tile[t] = in[t];
    __syncthreads();
    out[t] = tile[n - 1 - t];
}

//: correct threads leave in the last round of a loop, before its barrier
//: grid 1 block 64
//: arg u32[150]:iota
//: arg u32[150]:zeros
//: arg u32=150
//: result 1 u32 63..0,127..64,149..128
extern "C" __global__ void early_exit_in_a_loop(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
#pragma unroll 1
    for (unsigned base = 0; base < n; base += 64) {
        unsigned here = n - base < 64 ? n - base : 64;
        if (t >= here)
            return;
        tile[t] = in[base + t];
        __syncthreads();
        out[base + t] = tile[here - 1 - t];
        __syncthreads();
    }
}

//: defect threads without work go around the barrier, and that they end there is all that saves it
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: arg u32=50
//: expect barrier_divergence warning at inner with condition
//: defect whole warps go around it
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: arg u32=32
//: expect barrier_divergence warning at inner with condition
//: correct the condition holds for all
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: arg u32=64
//: result 1 u32 63..0
//: correct it holds for none
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: arg u32=0
//: result 1 u32 0*64
extern "C" __global__ void exit_around(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    if (t < n) { //@ condition
        tile[t] = in[t];
        __syncthreads(); //@ inner
        out[t] = tile[n - 1 - t];
    }
}

//: defect the barrier is in the other half of a condition (whose halves may end with one store)
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: arg u32=14
//: expect barrier_divergence warning|error at inner
extern "C" __global__ void exit_around_else(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    if (t < n) { //@ condition
        out[t] = 0;
    } else {
        tile[t] = in[t];
        __syncthreads(); //@ inner
        out[t] = tile[63 + n - t];
    }
}

//: defect threads leave the loop, and with it the kernel, one after the other
//: grid 1 block 32
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: expect barrier_divergence warning at inner with condition
//: correct all go round three times
//: grid 1 block 64
//: arg u32[64]:list:3*64
//: arg u32[64]:zeros
//: result 1 u32 3*64
extern "C" __global__ void exit_from_a_loop(const unsigned *turns, unsigned *out)
{
    unsigned t = threadIdx.x, n = turns[t];
#pragma unroll 1
    for (unsigned i = 0; i < n; i++) { //@ condition
        out[t] += 1;
        __syncthreads(); //@ inner
    }
}

__device__ __forceinline__ unsigned turned(unsigned *tile, unsigned value, unsigned n)
{
    tile[threadIdx.x] = value;
    __syncthreads(); //@ called
    return tile[n - 1 - threadIdx.x];
}

//: defect the barrier is in a function that some threads call
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: arg u32=50
//: expect barrier_divergence warning at called with condition
extern "C" __global__ void exit_around_a_call(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    if (t < n) //@ condition
        out[t] = turned(tile, in[t], n);
}

//: correct threads without work are gone before the function is called
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: arg u32=50
//: result 1 u32 49..0,0*14
extern "C" __global__ void early_exit_before_a_call(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    if (t >= n)
        return;
    out[t] = turned(tile, in[t], n);
}

//: correct the count of those for whom something holds
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: result 1 u32 11*64
extern "C" __global__ void count(const unsigned *in, unsigned *out)
{
    out[threadIdx.x] = __syncthreads_count(in[threadIdx.x] > 52);
}

__device__ __noinline__ unsigned swap(unsigned *tile, unsigned value)
{
    tile[threadIdx.x] = value;
    __syncthreads(); //@ swap
    unsigned other = tile[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    return other;
}

//: correct a barrier in a function, called from two places
//: grid 1 block 64
//: arg u32[64]:iota
//: result 0 u32 0..63
extern "C" __global__ void in_a_function(unsigned *data)
{
    __shared__ unsigned tile[64];
    unsigned value = swap(tile, data[threadIdx.x]);
    if (gridDim.x == 1)
        value = swap(tile, value);
    data[threadIdx.x] = value;
}

//: defect some threads call the function with the barrier, the others go on
//: grid 1 block 64
//: arg u32[64]:iota
//: expect barrier_divergence error at swap
//: allow uninitialized error in shared tile
//: correct all call it
//: grid 1 block 32
//: arg u32[32]:iota
//: result 0 u32 32..1
extern "C" __global__ void called_by_some(unsigned *data)
{
    __shared__ unsigned tile[64];
    unsigned value = data[threadIdx.x];
    if (threadIdx.x < 32)
        value = swap(tile, value);
    data[threadIdx.x] = value + 1;
}

__device__ __noinline__ void turn(unsigned *tile, unsigned *data, unsigned n)
{
    tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads(); //@ turn
    data[threadIdx.x] = tile[n - 1 - threadIdx.x];
}

//: defect some threads call the function with the barrier, the others leave the kernel
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32=50
//: expect barrier_divergence warning at turn with condition
//: correct all call it
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32=64
//: result 0 u32 63..0
extern "C" __global__ void called_by_some_at_the_end(unsigned *data, unsigned n)
{
    __shared__ unsigned tile[64];
    if (threadIdx.x < n) //@ condition
        turn(tile, data, n);
}

//: correct threads without work are gone before the call
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32=50
//: result 0 u32 49..0,50..63
extern "C" __global__ void called_after_an_early_exit(unsigned *data, unsigned n)
{
    __shared__ unsigned tile[64];
    if (threadIdx.x >= n)
        return;
    turn(tile, data, n);
}
