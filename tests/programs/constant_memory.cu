// Constants set by the host, whole and in part.
#include "check.h"

__constant__ float weights[4] = {1, 2, 3, 4};
__constant__ int offset;
__constant__ struct {
    int a;
    double b;
} pair = {7, 0.5};

__global__ void apply(const float *in, float *out) {
    int i = threadIdx.x;
    out[i] = in[i] * weights[i % 4] + offset + pair.a * pair.b;
}

int main() {
    float host[8], out[8], *in, *device;
    for (int i = 0; i < 8; i++) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&device, sizeof out));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    int zero = 0;
    CHECK(cudaMemcpyToSymbol(offset, &zero, sizeof zero));
    apply<<<1, 8>>>(in, device);
    CHECK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    printf("%.1f %.1f\n", out[1], out[7]);
    int hundred = 100;
    float half[2] = {0.5f, 0.25f};
    CHECK(cudaMemcpyToSymbol(offset, &hundred, sizeof hundred));
    CHECK(cudaMemcpyToSymbol(weights, half, sizeof half, 2 * sizeof(float)));
    apply<<<1, 8>>>(in, device);
    CHECK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    printf("%.1f %.2f\n", out[1], out[7]);
    float back[4];
    CHECK(cudaMemcpyFromSymbol(back, weights, sizeof back));
    printf("%.2f %.2f %.2f %.2f\n", back[0], back[1], back[2], back[3]);
    printf("past the end: %s\n", cudaGetErrorName(cudaMemcpyToSymbol(weights, back, sizeof back, 4)));
    CHECK(cudaFree(in));
    CHECK(cudaFree(device));
}
