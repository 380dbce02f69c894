// Rows with room at their ends: allocation, copies and memsets in two dimensions.
#include "check.h"

__global__ void scale(float *data, size_t pitch, int width, int height) {
    int x = threadIdx.x, y = blockIdx.x;
    if (x < width && y < height) ((float *)((char *)data + y * pitch))[x] *= 2;
}

int main() {
    const int width = 37, height = 11;
    float host[height][width], back[height][width];
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) host[y][x] = y * 100 + x;
    float *data;
    size_t pitch;
    CHECK(cudaMallocPitch(&data, &pitch, width * sizeof(float), height));
    printf("rows have room: %d, and start aligned: %d\n", pitch >= width * sizeof(float), pitch % 256 == 0);
    CHECK(cudaMemcpy2D(data, pitch, host, sizeof host[0], sizeof host[0], height, cudaMemcpyHostToDevice));
    scale<<<height, 64>>>(data, pitch, width, height);
    CHECK(cudaMemset2D((char *)data + 4 * pitch + 8, pitch, 0, 16, 3));
    CHECK(cudaMemcpy2D(back, sizeof back[0], data, pitch, sizeof back[0], height, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            bool cleared = y >= 4 && y < 7 && x >= 2 && x < 6;
            wrong += back[y][x] != (cleared ? 0 : 2 * host[y][x]);
        }
    printf("%d wrong\n", wrong);
    cudaError_t code = cudaMemcpy2D(data, 16, host, sizeof host[0], sizeof host[0], height, cudaMemcpyHostToDevice);
    printf("rows too short: %s\n", cudaGetErrorName(code));
    CHECK(cudaFree(data));
}
