enum { TILE = 16 };

// C = A B for square matrices whose rows are a multiple of 16; blocks of 16 x 16, one thread for each element.
extern "C" __global__ void multiply(const float* a, const float* b, float* c, int n) {
    int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
