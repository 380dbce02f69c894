// Filling memory, at once and in a stream, by bytes and in rows.
#include "check.h"

int main() {
    unsigned char *data, host[256];
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemset(data, 0x11, 256));
    CHECK(cudaMemset(data + 3, 0x1ff, 5));
    CHECK(cudaMemset(data, 7, 0));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemsetAsync(data + 100, 0, 10, stream));
    CHECK(cudaMemset2DAsync(data + 128, 32, 0x22, 8, 4, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    printf("%02x %02x %02x %02x\n", host[2], host[3], host[7], host[8]);
    printf("%02x %02x %02x\n", host[99], host[100], host[110]);
    printf("%02x %02x %02x %02x %02x\n", host[127], host[128], host[136], host[160], host[231]);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(data));
}
