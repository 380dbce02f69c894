// Textures in three dimensions and in layers.
#include "check.h"

__global__ void sample(cudaTextureObject_t volume, cudaTextureObject_t layers, float *out) {
    out[0] = tex3D<float>(volume, 0.5f, 1.5f, 2.5f);
    out[1] = tex3D<float>(volume, 1.0f, 0.5f, 0.5f);
    out[2] = tex2DLayered<float>(layers, 2.5f, 1.5f, 1);
    out[3] = tex2DLayered<float>(layers, 2.5f, 1.5f, 2);
}

static cudaTextureObject_t make(cudaArray_t *array, float *data, unsigned flags, cudaTextureFilterMode filter) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMalloc3DArray(array, &format, make_cudaExtent(4, 3, 3), flags));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(data, 4 * sizeof(float), 4, 3);
    copy.dstArray = *array, copy.extent = make_cudaExtent(4, 3, 3), copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray, resource.res.array.array = *array;
    cudaTextureDesc description = {};
    description.filterMode = filter;
    for (auto &mode : description.addressMode) mode = cudaAddressModeClamp;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    return texture;
}

int main() {
    float data[36], out[4], *device;
    for (int i = 0; i < 36; i++) data[i] = i;
    cudaArray_t a, b;
    cudaTextureObject_t volume = make(&a, data, 0, cudaFilterModeLinear);
    cudaTextureObject_t layers = make(&b, data, cudaArrayLayered, cudaFilterModePoint);
    CHECK(cudaMalloc(&device, sizeof out));
    sample<<<1, 1>>>(volume, layers, device);
    CHECK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    printf("%.2f %.2f %.2f %.2f\n", out[0], out[1], out[2], out[3]);
    CHECK(cudaDestroyTextureObject(volume));
    CHECK(cudaDestroyTextureObject(layers));
    CHECK(cudaFreeArray(a));
    CHECK(cudaFreeArray(b));
    CHECK(cudaFree(device));
}
