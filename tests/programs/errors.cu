// Mistakes that are reported at once, and are forgotten when asked about.
// finds: invalid_free
#include "check.h"

__global__ void nothing() {}

static void tell(const char *what, cudaError_t code) {
    printf("%s: %s (%s)\n", what, cudaGetErrorName(code), cudaGetErrorString(code));
}

int main() {
    void *p;
    nothing<<<1, 2000>>>();
    tell("block too large", cudaPeekAtLastError());
    tell("still", cudaGetLastError());
    tell("then", cudaGetLastError());
    nothing<<<0, 32>>>();
    tell("no blocks", cudaGetLastError());
    nothing<<<1, dim3(1, 1, 65)>>>();
    tell("block too deep", cudaGetLastError());
    tell("copy nowhere", cudaMemcpy(nullptr, &p, 4, cudaMemcpyHostToDevice));
    tell("last", cudaGetLastError());
    tell("direction", cudaMemcpy(&p, &p, 4, (cudaMemcpyKind)9));
    tell("device", cudaSetDevice(1000));
    tell("free", cudaFree((void *)&p));
    tell("too much", cudaMalloc(&p, (size_t)1 << 50));
    tell("nothing", cudaMalloc(&p, 0));
    tell("null", cudaFree(nullptr));
    cudaGetLastError();
    nothing<<<1, 1>>>();
    tell("good launch", cudaGetLastError());
    tell("end", cudaDeviceSynchronize());
}
