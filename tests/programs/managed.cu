// Memory that host and device share, allocated and declared.
#include "check.h"

__managed__ int counter = 40;
__managed__ float table[4] = {1, 2, 3, 4};

struct Node {
    int value;
    Node *next;
};

__global__ void walk(Node *node, int *sum) {
    *sum = 0;
    for (; node; node = node->next) *sum += node->value, node->value *= 2;
    counter += 2;
    for (int i = 0; i < 4; i++) table[i] *= 10;
}

int main() {
    Node *nodes;
    int *sum;
    CHECK(cudaMallocManaged(&nodes, 5 * sizeof(Node)));
    CHECK(cudaMallocManaged(&sum, sizeof(int)));
    for (int i = 0; i < 5; i++) nodes[i] = {i + 1, i < 4 ? &nodes[i + 1] : nullptr};
    walk<<<1, 1>>>(nodes, sum);
    CHECK(cudaDeviceSynchronize());
    printf("sum %d, counter %d, table %.0f %.0f\n", *sum, counter, table[0], table[3]);
    counter = 0;
    walk<<<1, 1>>>(nodes, sum);
    CHECK(cudaDeviceSynchronize());
    printf("sum %d, counter %d\n", *sum, counter);
    CHECK(cudaFree(nodes));
    CHECK(cudaFree(sum));
}
