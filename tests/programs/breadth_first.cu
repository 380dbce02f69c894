// A walk through a graph until a flag says that nothing is new.
#include "check.h"

__global__ void visit(const int *first, const int *next, int *level, int depth, int n, int *changed) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    // Others may be writing it: also a read is atomic.
    if (v >= n || atomicOr(&level[v], 0) != depth) return;
    for (int e = first[v]; e < first[v + 1]; e++)
        if (atomicCAS(&level[next[e]], -1, depth + 1) == -1) atomicExch(changed, 1);
}

int main() {
    const int n = 1000;
    static int first[n + 1], next[3 * n], level[n];
    int edges = 0;
    for (int v = 0; v < n; v++) {
        first[v] = edges, level[v] = v ? -1 : 0;
        for (int w : {2 * v + 1, 2 * v + 2, v - 7})
            if (w >= 0 && w < n) next[edges++] = w;
    }
    first[n] = edges;
    int *df, *dn, *dl, *changed;
    CHECK(cudaMalloc(&df, sizeof first));
    CHECK(cudaMalloc(&dn, edges * sizeof(int)));
    CHECK(cudaMalloc(&dl, sizeof level));
    CHECK(cudaMallocManaged(&changed, sizeof(int)));
    CHECK(cudaMemcpy(df, first, sizeof first, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dn, next, edges * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dl, level, sizeof level, cudaMemcpyHostToDevice));
    int depth = 0;
    do {
        *changed = 0;
        visit<<<(n + 127) / 128, 128>>>(df, dn, dl, depth++, n, changed);
        CHECK(cudaDeviceSynchronize());
    } while (*changed);
    CHECK(cudaMemcpy(level, dl, sizeof level, cudaMemcpyDeviceToHost));
    int reached = 0, deepest = 0;
    for (int l : level) reached += l >= 0, deepest = l > deepest ? l : deepest;
    printf("%d reached, the deepest at %d, %d rounds\n", reached, deepest, depth);
    CHECK(cudaFree(df));
    CHECK(cudaFree(dn));
    CHECK(cudaFree(dl));
    CHECK(cudaFree(changed));
}
