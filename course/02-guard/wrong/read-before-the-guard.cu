extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = a[i] + b[i];
    if (i < n) c[i] = sum;
}
