// out = in transposed, for a matrix whose rows and columns are multiples of 16; blocks of 16 x 16.
extern "C" __global__ void transpose(const float* in, float* out, int rows, int columns) {
    __shared__ float tile[16][16];
    int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[row * columns + column];
    __syncthreads();
    // The place of the tile in the result, where rows are columns.
    column = blockIdx.y * 16 + threadIdx.x, row = blockIdx.x * 16 + threadIdx.y;
    out[row * rows + column] = tile[threadIdx.x][threadIdx.y];
}
