// out = in transposed, for a square matrix whose rows are a multiple of 32; blocks of 32 x 8, four rows a thread.
extern "C" __global__ void transpose(const float* in, float* out, int n) {
    __shared__ float tile[32][32];
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * n + column];
    __syncthreads();
    column = blockIdx.y * 32 + threadIdx.x, row = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) out[(row + k) * n + column] = tile[threadIdx.x][threadIdx.y + k];
}
