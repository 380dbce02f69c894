#include "objects.h"
static __device__ int own = 1;
__device__ int shared_counter = 5;
__device__ __noinline__ static int helper(int x) { return x * own + 1; }
__global__ void first(int *o) { o[threadIdx.x] = far(helper(threadIdx.x)) + table[1]; inl(3); printf("first %d\n", o[0]); }
