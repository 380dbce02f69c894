// Finds: leak
// Options: --fail-on warning

#include <cuda_runtime.h>

int main(int argc, char **) {
    int *data;
    cudaMallocHost(&data, 4096);  // here
    data[0] = 1;
    if (argc > 1) cudaFreeHost(data);
}
