// Memory that kernels allocate, one launch and free in another.
#include "check.h"

struct List {
    int value;
    List *next;
};

__device__ List *head;

__global__ void build(int n) {
    for (int i = 0; i < n; i++) {
        List *item = (List *)malloc(sizeof(List));
        item->value = i, item->next = head, head = item;
    }
}

__global__ void drop(int *sum) {
    *sum = 0;
    while (head) {
        List *next = head->next;
        *sum += head->value;
        free(head);
        head = next;
    }
}

int main() {
    size_t bytes;
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    CHECK(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize));
    printf("heap is large enough: %d\n", bytes >= 16 << 20);
    int *sum, host;
    CHECK(cudaMalloc(&sum, sizeof(int)));
    for (int round = 0; round < 3; round++) {
        build<<<1, 1>>>(100);
        drop<<<1, 1>>>(sum);
        CHECK(cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost));
        printf("sum %d\n", host);
    }
    CHECK(cudaFree(sum));
}
