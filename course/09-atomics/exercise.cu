// How often each value from 0 to 7 occurs; one thread for each element.
extern "C" __global__ void count(const int* values, int* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    bins[values[i]]++;
}
