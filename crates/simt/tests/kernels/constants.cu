// Tables in constant memory: given with the source, and filled in by the host.

__constant__ int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__constant__ float weights[4];
__device__ int offset = 1000;
__device__ const char letters[] = "warpwise";

extern "C" __global__ void constant_given(int *out)
{
    out[threadIdx.x] = primes[threadIdx.x % 8] + offset + letters[threadIdx.x % 8];
}

extern "C" __global__ void constant_filled(const float *in, float *out)
{
    float sum = 0.0f;
    for (int i = 0; i < 4; i++) sum += weights[i] * in[threadIdx.x + i];
    out[threadIdx.x] = sum;
}
