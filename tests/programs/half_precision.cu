// Numbers of two bytes.
#include "check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void compute(const __half *in, __half *out, float *sums) {
    int i = threadIdx.x;
    out[i] = __hfma(in[i], __float2half(2.0f), __float2half(0.5f));
    __half2 pair = __halves2half2(in[i], out[i]);
    __half2 doubled = __hadd2(pair, pair);
    __nv_bfloat16 brain = __float2bfloat16(1.0f + i / 256.0f);
    sums[2 * i] = __low2float(doubled) + __high2float(doubled), sums[2 * i + 1] = __bfloat162float(brain);
}

int main() {
    __half host[4], *in, *out;
    float sums[8], *device;
    for (int i = 0; i < 4; i++) host[i] = __float2half(i + 0.25f);
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMalloc(&device, sizeof sums));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    compute<<<1, 4>>>(in, out, device);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(sums, device, sizeof sums, cudaMemcpyDeviceToHost));
    printf("%.2f %.2f %.2f %.2f\n", __half2float(host[0]), __half2float(host[1]), __half2float(host[2]),
           __half2float(host[3]));
    printf("%.2f %.2f, %.4f %.4f\n", sums[0], sums[6], sums[3], sums[5]);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(device));
}
