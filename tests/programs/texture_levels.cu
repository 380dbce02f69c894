// An image in several sizes, each made from the one before by a kernel, and read between two of them.
#include "check.h"
#include <vector>
__global__ void halve(cudaTextureObject_t from, cudaSurfaceObject_t to, int side) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    // In the middle between four texels: their mean.
    float mean = tex2D<float>(from, (x + 0.5f) / side, (y + 0.5f) / side);
    surf2Dwrite(mean, to, x * 4, y);
}
__global__ void sample(cudaTextureObject_t image, const float *levels, float *out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = tex2DLod<float>(image, 0.37f, 0.61f, levels[i]);
}
__global__ void sample_slopes(cudaTextureObject_t image, float *out) {
    float slope = (1 << threadIdx.x) / 32.0f;
    out[threadIdx.x] = tex2DGrad<float>(image, 0.5f, 0.5f, make_float2(slope, 0), make_float2(0, slope / 4));
}
int main() {
    const int side = 32, count = 6;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t mipmaps;
    CHECK(cudaMallocMipmappedArray(&mipmaps, &format, make_cudaExtent(side, side, 0), count,
                                   cudaArraySurfaceLoadStore));
    std::vector<float> texels(side * side);
    for (int i = 0; i < side * side; i++) texels[i] = float((i * 37 + i / 5) % 256);
    cudaArray_t first;
    CHECK(cudaGetMipmappedArrayLevel(&first, mipmaps, 0));
    CHECK(cudaMemcpy2DToArray(first, 0, 0, texels.data(), side * 4, side * 4, side, cudaMemcpyHostToDevice));
    for (int level = 1; level < count; level++) {
        cudaArray_t from, to;
        CHECK(cudaGetMipmappedArrayLevel(&from, mipmaps, level - 1));
        CHECK(cudaGetMipmappedArrayLevel(&to, mipmaps, level));
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = from;
        cudaTextureDesc texture = {};
        texture.normalizedCoords = 1;
        texture.filterMode = cudaFilterModeLinear;
        texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
        cudaTextureObject_t larger;
        cudaSurfaceObject_t smaller;
        CHECK(cudaCreateTextureObject(&larger, &resource, &texture, nullptr));
        resource.res.array.array = to;
        CHECK(cudaCreateSurfaceObject(&smaller, &resource));
        halve<<<dim3(2, 2), dim3(8, 8)>>>(larger, smaller, side >> level);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaDestroyTextureObject(larger));
        CHECK(cudaDestroySurfaceObject(smaller));
    }
    double mean = 0;
    for (float texel : texels) mean += texel / texels.size();
    cudaArray_t last;
    float one;
    CHECK(cudaGetMipmappedArrayLevel(&last, mipmaps, count - 1));
    CHECK(cudaMemcpy2DFromArray(&one, 4, last, 0, 0, 4, 1, cudaMemcpyDeviceToHost));
    printf("the last level is the mean: %d\n", one > mean - 0.01 && one < mean + 0.01);
    const float levels[] = {-1, 0, 0.0038f, 0.004f, 0.25f, 0.4999f, 0.5f, 0.999f, 1, 1.7f, 2.5f, 3.3f, 4.9f, 5, 9};
    const int n = sizeof levels / sizeof *levels;
    float *at, *out, seen[n];
    CHECK(cudaMalloc(&at, sizeof levels));
    CHECK(cudaMalloc(&out, sizeof seen));
    CHECK(cudaMemcpy(at, levels, sizeof levels, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmaps;
    const char *names[] = {"between levels", "nearest level", "limited", "nearest texel"};
    for (int mode = 0; mode < 4; mode++) {
        cudaTextureDesc texture = {};
        texture.normalizedCoords = 1;
        texture.filterMode = mode == 3 ? cudaFilterModePoint : cudaFilterModeLinear;
        texture.mipmapFilterMode = mode == 1 ? cudaFilterModePoint : cudaFilterModeLinear;
        texture.mipmapLevelBias = mode == 2 ? 0.3f : 0;
        texture.minMipmapLevelClamp = mode == 2 ? 0.7f : 0;
        texture.maxMipmapLevelClamp = mode == 2 ? 2.3f : 10;
        texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeWrap;
        cudaTextureObject_t image;
        CHECK(cudaCreateTextureObject(&image, &resource, &texture, nullptr));
        sample<<<1, 32>>>(image, at, out, n);
        CHECK(cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost));
        printf("%s:", names[mode]);
        for (float value : seen) printf(" %.5g", value);
        printf("\n");
        if (mode == 0) {
            sample_slopes<<<1, 6>>>(image, out);
            CHECK(cudaMemcpy(seen, out, 24, cudaMemcpyDeviceToHost));
            printf("slopes:");
            for (int i = 0; i < 6; i++) printf(" %.5g", seen[i]);
            printf("\n");
        }
        CHECK(cudaDestroyTextureObject(image));
    }
    CHECK(cudaFreeMipmappedArray(mipmaps));
    CHECK(cudaFree(at));
    CHECK(cudaFree(out));
}
