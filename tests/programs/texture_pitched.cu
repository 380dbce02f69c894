// A texture over pitched memory of bytes, read as fractions, with coordinates from 0 to 1.
#include "check.h"

__global__ void sample(cudaTextureObject_t texture, float *out) {
    int x = threadIdx.x;
    out[x] = tex2D<float>(texture, (x + 0.5f) / 8, 0.75f);
    if (x == 0) out[8] = tex2D<float>(texture, 1.0f + 2.5f / 8, 0.25f);
}

int main() {
    unsigned char data[2][8];
    for (int i = 0; i < 8; i++) data[0][i] = i, data[1][i] = i * 30;
    void *memory;
    size_t pitch;
    CHECK(cudaMallocPitch(&memory, &pitch, 8, 2));
    CHECK(cudaMemcpy2D(memory, pitch, data, 8, 8, 2, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = memory, resource.res.pitch2D.desc = cudaCreateChannelDesc<unsigned char>();
    resource.res.pitch2D.width = 8, resource.res.pitch2D.height = 2, resource.res.pitch2D.pitchInBytes = pitch;
    cudaTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeWrap;
    description.readMode = cudaReadModeNormalizedFloat, description.normalizedCoords = 1;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    float out[9], *device;
    CHECK(cudaMalloc(&device, sizeof out));
    sample<<<1, 8>>>(texture, device);
    CHECK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 9; i++) printf("%.0f%c", out[i] * 255, i < 8 ? ' ' : '\n');
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(memory));
    CHECK(cudaFree(device));
}
