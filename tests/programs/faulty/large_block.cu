// Finds: unchecked_error

#include <cuda_runtime.h>

__global__ void nothing() {}

int main(int argc, char **) {
    nothing<<<1, argc > 1 ? 1024 : 2048>>>();  // here
    cudaDeviceSynchronize();
}
