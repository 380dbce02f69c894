extern "C" __global__ void count(const int* values, int* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __syncthreads();
    if (i < n) bins[values[i]]++;
    __syncthreads();
}
