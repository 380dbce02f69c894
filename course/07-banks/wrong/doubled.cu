extern "C" __global__ void transpose(const float* in, float* out, int n) {
    __shared__ float tile[32][64];
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * n + column];
    __syncthreads();
    column = blockIdx.y * 32 + threadIdx.x, row = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) out[(row + k) * n + column] = tile[threadIdx.x][threadIdx.y + k];
}
