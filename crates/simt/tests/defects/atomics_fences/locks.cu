// A counter behind a spin lock.

//: correct fences inside the lock
//: grid 4 block 32
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: result 1 u32 4
extern "C" __global__ void with_fences(unsigned *lock, unsigned *count)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
        *count += 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

//: defect no fences: the next owner may see the old count
//: grid 4 block 32
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: expect race error at count with count in global
extern "C" __global__ void without_fences(unsigned *lock, unsigned *count)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        *count += 1; //@ count
        atomicExch(lock, 0);
    }
}

//: defect no fence before the lock is given back
//: grid 4 block 32
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: expect race error at count with count in global
extern "C" __global__ void no_fence_before_release(unsigned *lock, unsigned *count)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
        *count += 1; //@ count
        atomicExch(lock, 0);
    }
}

//: correct the lock is given back by a volatile store
//: grid 4 block 32
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: result 1 u32 4
extern "C" __global__ void volatile_release(unsigned *lock, unsigned *count)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
        *count += 1;
        __threadfence();
        *(volatile unsigned *)lock = 0;
    }
}

//: correct lanes of one warp, each in its turn
//: grid 2 block 32
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: result 1 u32 64
extern "C" __global__ void every_lane(unsigned *lock, unsigned *count)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *count += 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

//: defect two locks for one counter
//: grid 4 block 32
//: arg u32[2]:zeros
//: arg u32[1]:zeros
//: expect race error at count with count in global
extern "C" __global__ void two_locks(unsigned *locks, unsigned *count)
{
    if (threadIdx.x == 0) {
        unsigned *lock = &locks[blockIdx.x % 2];
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
        *count += 1; //@ count
        __threadfence();
        atomicExch(lock, 0);
    }
}

//: defect the counter is read without the lock
//: grid 4 block 32
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: arg u32[4]:zeros
//: expect race error at peek with count in global
extern "C" __global__ void read_without_lock(unsigned *lock, unsigned *count, unsigned *out)
{
    if (threadIdx.x == 0) {
        out[blockIdx.x] = *count; //@ peek
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
        *count += 1; //@ count
        __threadfence();
        atomicExch(lock, 0);
    }
}

//: correct a lock in shared memory between the warps of a block, with fences of the block
//: grid 1 block 128
//: arg u32[1]:zeros
//: result 0 u32 4
extern "C" __global__ void shared_lock(unsigned *out)
{
    __shared__ unsigned lock, count;
    if (threadIdx.x == 0) {
        lock = 0;
        count = 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&lock, 0, 1) != 0)
            ;
        __threadfence_block();
        count += 1;
        __threadfence_block();
        atomicExch(&lock, 0);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        *out = count;
}

//: defect the same without the fences
//: grid 1 block 128
//: arg u32[1]:zeros
//: expect race error at count with count in shared count
extern "C" __global__ void shared_lock_without_fences(unsigned *out)
{
    __shared__ unsigned lock, count;
    if (threadIdx.x == 0) {
        lock = 0;
        count = 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&lock, 0, 1) != 0)
            ;
        count += 1; //@ count
        atomicExch(&lock, 0);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        *out = count;
}
