// Shuffles, votes and matches in a warp.
#include "check.h"

__global__ void warp(int *out) {
    int lane = threadIdx.x;
    int sum = lane;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    unsigned odd = __ballot_sync(0xffffffff, lane & 1);
    int all = __all_sync(0xffffffff, lane < 32);
    int any = __any_sync(0xffffffff, lane == 33);
    int left = __shfl_up_sync(0xffffffff, lane * lane, 3);
    int mirrored = __shfl_xor_sync(0xffffffff, lane, 31);
    if (lane == 0) out[0] = sum, out[1] = __popc(odd), out[2] = all, out[3] = any;
    if (lane == 10) out[4] = left, out[5] = mirrored;
}

int main() {
    int *device, host[6];
    CHECK(cudaMalloc(&device, sizeof host));
    warp<<<1, 32>>>(device);
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    printf("sum %d, %d odd lanes, all %d, any %d, three to the left %d, mirrored %d\n", host[0], host[1], host[2],
           host[3], host[4], host[5]);
    CHECK(cudaFree(device));
}
