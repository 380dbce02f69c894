// Finds: unchecked_error

#include <cuda_runtime.h>

__global__ void fill() {
    extern __shared__ int tile[];
    tile[threadIdx.x] = 0;
}

int main(int argc, char **) {
    fill<<<1, 32, argc > 1 ? 4096 : 200000>>>();  // here
    cudaDeviceSynchronize();
}
