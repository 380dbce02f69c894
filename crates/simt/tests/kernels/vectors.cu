// Vector loads and stores, byte and half-word accesses, a transposition through dynamic shared memory.

extern "C" __global__ void vector_add(const float4 *a, const float4 *b, float4 *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 x = a[i], y = b[i];
    out[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

extern "C" __global__ void vector_grey(const uchar4 *pixels, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar4 pixel = pixels[i];
    out[i] = (77 * pixel.x + 150 * pixel.y + 29 * pixel.z) >> 8;
}

extern "C" __global__ void transpose(const short *in, short *out, int width, int height)
{
    extern __shared__ short tile[];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y * 17 + threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    if (x < height && y < width) out[y * height + x] = tile[threadIdx.x * 17 + threadIdx.y];
}
