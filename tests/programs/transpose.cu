// A matrix turned over by tiles in shared memory, with a column to spare against bank conflicts.
#include "check.h"

const int TILE = 32;

__global__ void transpose(const float *in, float *out, int width, int height) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main() {
    const int width = 100, height = 70;
    float in[width * height], out[width * height];
    for (int i = 0; i < width * height; i++) in[i] = i;
    float *a, *b;
    CHECK(cudaMalloc(&a, sizeof in));
    CHECK(cudaMalloc(&b, sizeof out));
    CHECK(cudaMemcpy(a, in, sizeof in, cudaMemcpyHostToDevice));
    transpose<<<dim3((width + 31) / 32, (height + 31) / 32), dim3(32, 8)>>>(a, b, width, height);
    CHECK(cudaMemcpy(out, b, sizeof out, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) wrong += out[x * height + y] != in[y * width + x];
    printf("%d by %d: %d wrong, out[1] = %.0f\n", width, height, wrong, out[1]);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
}
