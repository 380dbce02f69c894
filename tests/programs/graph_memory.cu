// A graph that allocates and frees what it works on.
#include "check.h"

__global__ void fill(int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = i;
}

__global__ void total(const int *data, int n, long long *out) {
    long long sum = 0;
    for (int i = 0; i < n; i++) sum += data[i];
    *out += sum;
}

int main() {
    int n = 1000;
    long long *out;
    CHECK(cudaMallocManaged(&out, sizeof *out));
    *out = 0;
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t allocate, first, second, release;
    cudaMemAllocNodeParams memory = {};
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location = {cudaMemLocationTypeDevice, 0};
    memory.bytesize = n * sizeof(int);
    CHECK(cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &memory));
    void *fill_arguments[] = {&memory.dptr, &n}, *total_arguments[] = {&memory.dptr, &n, &out};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)fill, kernel.gridDim = dim3(8), kernel.blockDim = dim3(128);
    kernel.kernelParams = fill_arguments;
    CHECK(cudaGraphAddKernelNode(&first, graph, &allocate, 1, &kernel));
    kernel.func = (void *)total, kernel.gridDim = dim3(1), kernel.blockDim = dim3(1);
    kernel.kernelParams = total_arguments;
    CHECK(cudaGraphAddKernelNode(&second, graph, &first, 1, &kernel));
    CHECK(cudaGraphAddMemFreeNode(&release, graph, &second, 1, memory.dptr));
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++) CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    printf("sum %lld\n", *out);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(out));
}
