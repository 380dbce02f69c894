enum { TILE = 16 };

// C = A B for square matrices whose rows are a multiple of 16; blocks of 16 x 16, one thread for each element.
extern "C" __global__ void multiply(const float* a, const float* b, float* c, int n) {
    int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    left[threadIdx.y][threadIdx.x] = a[row * n + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[threadIdx.y * n + column];
    __syncthreads();
    for (int k = 0; k < TILE; k++) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    c[row * n + column] = sum;
}
