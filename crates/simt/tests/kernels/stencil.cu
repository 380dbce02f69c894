// Neighbour sums with a tile and its halo in shared memory.

extern "C" __global__ void stencil_3(const float *in, float *out, int n)
{
    __shared__ float tile[128 + 2];
    int i = blockIdx.x * 128 + threadIdx.x;
    tile[threadIdx.x + 1] = i < n ? in[i] : 0.0f;
    if (threadIdx.x == 0) tile[0] = i > 0 ? in[i - 1] : 0.0f;
    if (threadIdx.x == 127) tile[129] = i + 1 < n ? in[i + 1] : 0.0f;
    __syncthreads();
    if (i < n) out[i] = 0.25f * tile[threadIdx.x] + 0.5f * tile[threadIdx.x + 1] + 0.25f * tile[threadIdx.x + 2];
}

// Four neighbours and the middle; cells past the edge repeat the edge.
extern "C" __global__ void stencil_5(const int *in, int *out, int width, int height)
{
    __shared__ int tile[10][18];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    for (int ty = threadIdx.y; ty < 10; ty += 8)
        for (int tx = threadIdx.x; tx < 18; tx += 16) {
            int sx = (int)(blockIdx.x * 16) + tx - 1, sy = (int)(blockIdx.y * 8) + ty - 1;
            sx = min(max(sx, 0), width - 1);
            sy = min(max(sy, 0), height - 1);
            tile[ty][tx] = in[sy * width + sx];
        }
    __syncthreads();
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    if (x < width && y < height)
        out[y * width + x] = 4 * tile[ty][tx] - tile[ty][tx - 1] - tile[ty][tx + 1] - tile[ty - 1][tx] - tile[ty + 1][tx];
}
