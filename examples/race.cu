#include <cstdio>
__managed__ int data[256];
__global__ void sum() {
    for (int half = 128; half > 0; half /= 2)
        if (threadIdx.x < half) data[threadIdx.x] += data[threadIdx.x + half];
}
int main() {
    for (int &x : data) x = 1;
    sum<<<1, 256>>>();
    cudaDeviceSynchronize();
    printf("the sum is %d\n", data[0]);
}
