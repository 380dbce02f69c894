// Variables of the device, by address and by copies.
#include "check.h"

__device__ int counter = 5;
__device__ int table[100];
static __device__ double hidden = 1.5;

__global__ void count() {
    atomicAdd(&counter, 1);
    table[threadIdx.x] = threadIdx.x * 3;
    if (threadIdx.x == 0) hidden *= 2;
}

int main() {
    count<<<1, 64>>>();
    int value, host[100];
    double number;
    CHECK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
    CHECK(cudaMemcpyFromSymbol(host, table, sizeof host));
    printf("counter %d, table %d %d %d\n", value, host[0], host[63], host[64]);
    void *address;
    size_t size;
    CHECK(cudaGetSymbolAddress(&address, table));
    CHECK(cudaGetSymbolSize(&size, table));
    printf("%zu bytes\n", size);
    CHECK(cudaMemset(address, 0, size));
    CHECK(cudaMemcpyFromSymbol(host, table, sizeof(int), 10 * sizeof(int)));
    CHECK(cudaMemcpyFromSymbol(&number, hidden, sizeof number));
    printf("cleared %d, hidden %.1f\n", host[0], number);
    value = 1000;
    CHECK(cudaMemcpyToSymbolAsync(counter, &value, sizeof value, 0, cudaMemcpyHostToDevice, 0));
    count<<<1, 1>>>();
    CHECK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
    printf("counter %d\n", value);
    int local;
    printf("not a symbol: %s\n", cudaGetErrorName(cudaGetSymbolSize(&size, (const void *)&local)));
}
