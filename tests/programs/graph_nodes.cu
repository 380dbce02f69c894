// A graph of a memset, a kernel, a copy and a host function, whose kernel is then changed.
#include "check.h"

__global__ void add(int *data, int n, int value) {
    int i = threadIdx.x;
    if (i < n) data[i] += value + i;
}

static void told(void *data) { printf("host: %d\n", ((int *)data)[3]); }

int main() {
    int n = 8, value = 10, host[8] = {};
    int *data;
    CHECK(cudaMalloc(&data, sizeof host));
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t fill, kernel, copy, tell;
    cudaMemsetParams memset = {};
    memset.dst = data, memset.value = 5, memset.elementSize = 4, memset.width = 8, memset.height = 1;
    CHECK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &memset));
    void *arguments[] = {&data, &n, &value};
    cudaKernelNodeParams launch = {};
    launch.func = (void *)add, launch.gridDim = dim3(1), launch.blockDim = dim3(32), launch.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &launch));
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, host, data, sizeof host, cudaMemcpyDeviceToHost));
    cudaHostNodeParams call = {told, host};
    CHECK(cudaGraphAddHostNode(&tell, graph, &copy, 1, &call));
    cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(copy, &type));
    size_t roots = 0;
    CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots));
    printf("copy is a copy: %d, %zu root\n", type == cudaGraphNodeTypeMemcpy, roots);
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    value = 100;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, kernel, &launch));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    printf("last: %d\n", host[7]);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(data));
}
