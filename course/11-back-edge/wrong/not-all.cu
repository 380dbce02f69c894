enum { BLOCK = 128 };

// Steps of smoothing on a ring of 128 values: each becomes the mean of its two neighbours.
extern "C" __global__ void smooth(float* values, int steps) {
    __shared__ float ring[BLOCK];
    int t = threadIdx.x, left = (t + BLOCK - 1) % BLOCK, right = (t + 1) % BLOCK;
    ring[t] = values[t];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        float mean = (ring[left] + ring[right]) / 2;
        __syncthreads();
        ring[t] = mean;
        if (t < BLOCK - 1) __syncthreads();
    }
    values[t] = ring[t];
}
