// An array that a kernel writes through a surface, and the host copies back.
#include "check.h"

__global__ void paint(cudaSurfaceObject_t surface, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) surf2Dwrite(make_uchar4(x, y, x ^ y, 255), surface, x * sizeof(uchar4), y);
}

__global__ void mirror(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width) {
    int x = threadIdx.x, y = blockIdx.x;
    uchar4 pixel;
    surf2Dread(&pixel, from, (width - 1 - x) * sizeof(uchar4), y);
    surf2Dwrite(pixel, to, x * sizeof(uchar4), y);
}

int main() {
    const int width = 24, height = 10;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
    cudaArray_t arrays[2];
    cudaSurfaceObject_t surfaces[2];
    for (int i = 0; i < 2; i++) {
        CHECK(cudaMallocArray(&arrays[i], &format, width, height, cudaArraySurfaceLoadStore));
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray, resource.res.array.array = arrays[i];
        CHECK(cudaCreateSurfaceObject(&surfaces[i], &resource));
    }
    paint<<<dim3(3, 2), dim3(8, 8)>>>(surfaces[0], width, height);
    mirror<<<height, width>>>(surfaces[0], surfaces[1], width);
    static uchar4 out[height][width];
    CHECK(cudaMemcpy2DFromArray(out, width * 4, arrays[1], 0, 0, width * 4, height, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int from = width - 1 - x;
            wrong += out[y][x].x != from || out[y][x].y != y || out[y][x].z != (from ^ y) || out[y][x].w != 255;
        }
    printf("%d pixels, %d wrong\n", width * height, wrong);
    for (int i = 0; i < 2; i++) {
        CHECK(cudaDestroySurfaceObject(surfaces[i]));
        CHECK(cudaFreeArray(arrays[i]));
    }
}
