extern "C" __global__ void steps(float* values, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    float x = values[t];
#pragma unroll 1
    for (int k = 0; k < 60; k++) x += 1;
    values[t] = x;
}
