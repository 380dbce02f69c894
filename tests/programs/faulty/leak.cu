// Finds: leak
// Options: --fail-on warning

#include <cuda_runtime.h>

int main(int argc, char **) {
    int *data;
    cudaMalloc(&data, 4096);  // here
    cudaMemset(data, 0, 4096);
    if (argc > 1) cudaFree(data);
}
