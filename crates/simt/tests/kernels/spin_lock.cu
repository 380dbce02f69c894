// Lanes of one warp that take turns in a critical section.

// The naive form: ends only where lanes of a warp make progress on their own.
extern "C" __global__ void lock_naive(int *lock, volatile int *count)
{
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *count = *count + 1;
    __threadfence();
    atomicExch(lock, 0);
}

// The form with a flag: taking and releasing lie in one arm of the branch.
extern "C" __global__ void lock_flag(int *lock, volatile int *count)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *count = *count + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

// A lane waits for a value that another lane of its warp writes later in the program.
extern "C" __global__ void lane_waits(volatile int *box, int *out)
{
    if (threadIdx.x == 0) {
        while (box[0] == 0) {
        }
        out[0] = box[0];
    } else if (threadIdx.x == 31) {
        box[0] = 77;
    }
}
