// A texture over an array, read between its elements.
#include "check.h"

__global__ void sample(cudaTextureObject_t texture, float *out) {
    int x = threadIdx.x, y = threadIdx.y;
    out[y * 4 + x] = tex2D<float>(texture, x + 0.5f, y + 0.5f);
    if (x == 0 && y == 0) {
        out[16] = tex2D<float>(texture, 1.0f, 0.5f);
        out[17] = tex2D<float>(texture, 1.0f, 1.0f);
        out[18] = tex2D<float>(texture, -3.0f, 0.5f);
        out[19] = tex2D<float>(texture, 9.0f, 3.5f);
    }
}

int main() {
    float data[16], out[20], *device;
    for (int i = 0; i < 16; i++) data[i] = i;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&array, &format, 4, 4));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, data, 16, 16, 4, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
    cudaTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    description.filterMode = cudaFilterModeLinear, description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    CHECK(cudaMalloc(&device, sizeof out));
    sample<<<1, dim3(4, 4)>>>(texture, device);
    CHECK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < 16; i++) wrong += out[i] != data[i];
    printf("%d wrong; between two %.2f, between four %.2f, beyond %.2f %.2f\n", wrong, out[16], out[17], out[18],
           out[19]);
    cudaExtent extent;
    cudaChannelFormatDesc found;
    unsigned flags;
    CHECK(cudaArrayGetInfo(&found, &extent, &flags, array));
    printf("%zu by %zu, %d bits\n", extent.width, extent.height, found.x);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(device));
}
