#include "objects.h"
static __device__ int own = 2;
__device__ int table[4] = {1, 2, 3, 4};
__constant__ float weights[8];
__device__ __noinline__ static int helper(int x) { return x * own + 2; }
__device__ int far(int x) { return helper(x) + shared_counter + (int)weights[0]; }
__global__ void second(int *o) { o[0] = inl(2); printf("second\n"); }
int main() { }
