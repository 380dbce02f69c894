// A texture over plain memory, read by index.
#include "check.h"

__global__ void gather(cudaTextureObject_t texture, int *out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<int>(texture, n - 1 - i);
}

int main() {
    const int n = 16;
    int data[n], out[n], *in, *device;
    for (int i = 0; i < n; i++) data[i] = i * i;
    CHECK(cudaMalloc(&in, sizeof data));
    CHECK(cudaMalloc(&device, sizeof out));
    CHECK(cudaMemcpy(in, data, sizeof data, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = in, resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = sizeof data;
    cudaTextureDesc description = {};
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    gather<<<1, 32>>>(texture, device, n);
    CHECK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    printf("%d %d %d\n", out[0], out[1], out[n - 1]);
    cudaResourceDesc found;
    CHECK(cudaGetTextureObjectResourceDesc(&found, texture));
    printf("linear: %d, %zu bytes\n", found.resType == cudaResourceTypeLinear, found.res.linear.sizeInBytes);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(in));
    CHECK(cudaFree(device));
}
