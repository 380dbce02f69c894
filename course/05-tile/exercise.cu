// out = in transposed, for a matrix whose rows and columns are multiples of 16; blocks of 16 x 16.
extern "C" __global__ void transpose(const float* in, float* out, int rows, int columns) {
    int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    out[column * rows + row] = in[row * columns + column];
}
