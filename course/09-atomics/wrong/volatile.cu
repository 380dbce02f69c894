extern "C" __global__ void count(const int* values, int* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    volatile int* bin = &bins[values[i]];
    *bin = *bin + 1;
}
