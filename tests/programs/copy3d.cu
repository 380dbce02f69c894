// Boxes copied between host, pitched memory and an array.
#include "check.h"

const int W = 10, H = 6, D = 4;

__global__ void increment(cudaPitchedPtr p) {
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    int *row = (int *)((char *)p.ptr + (z * p.ysize + y) * p.pitch);
    row[x] += 1;
}

int main() {
    static int host[D][H][W], back[D][H][W];
    for (int i = 0; i < D * H * W; i++) host[0][0][i] = i;
    cudaPitchedPtr box;
    CHECK(cudaMalloc3D(&box, make_cudaExtent(W * sizeof(int), H, D)));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(host, W * sizeof(int), W, H);
    copy.dstPtr = box, copy.extent = make_cudaExtent(W * sizeof(int), H, D), copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    increment<<<D, dim3(W, H)>>>(box);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(W, H, D)));
    cudaMemcpy3DParms into = {};
    into.srcPtr = box, into.dstArray = array, into.extent = make_cudaExtent(W, H, D);
    into.kind = cudaMemcpyDeviceToDevice;
    CHECK(cudaMemcpy3D(&into));
    cudaMemcpy3DParms out = {};
    out.srcArray = array, out.srcPos = make_cudaPos(2, 1, 1);
    out.dstPtr = make_cudaPitchedPtr(back, W * sizeof(int), W, H), out.dstPos = make_cudaPos(0, 1, 1);
    out.extent = make_cudaExtent(5, 3, 2), out.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&out));
    int wrong = 0, copied = 0;
    for (int z = 0; z < D; z++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                bool inside = x < 5 && y >= 1 && y < 4 && z >= 1 && z < 3;
                wrong += back[z][y][x] != (inside ? host[z][y][x + 2] + 1 : 0), copied += inside;
            }
    printf("%d copied, %d wrong\n", copied, wrong);
    CHECK(cudaMemset3D(box, 0, make_cudaExtent(W * sizeof(int), H, D)));
    copy = {};
    copy.srcPtr = box, copy.dstPtr = make_cudaPitchedPtr(back, W * sizeof(int), W, H);
    copy.extent = make_cudaExtent(W * sizeof(int), H, D), copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&copy));
    int left = 0;
    for (int i = 0; i < D * H * W; i++) left += back[0][0][i] != 0;
    printf("%d left\n", left);
    CHECK(cudaFree(box.ptr));
    CHECK(cudaFreeArray(array));
}
