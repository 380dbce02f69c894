// A graph that repeats a part of itself until a kernel says that it is enough.
// nvcc: -arch=compute_90 -rdc=true -lcudadevrt
#include "check.h"

__global__ void halve(int *value, cudaGraphConditionalHandle handle) {
    *value /= 2;
    value[1] += 1;
    cudaGraphSetConditional(handle, *value > 1);
}

static cudaError_t add_node(cudaGraphNode_t *node, cudaGraph_t graph, cudaGraphNodeParams *parameters) {
#if CUDART_VERSION >= 13000
    return cudaGraphAddNode(node, graph, nullptr, nullptr, 0, parameters);
#else
    return cudaGraphAddNode(node, graph, nullptr, 0, parameters);
#endif
}

int main() {
    int *value;
    CHECK(cudaMallocManaged(&value, 2 * sizeof(int)));
    value[0] = 1000, value[1] = 0;
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams parameters = {cudaGraphNodeTypeConditional};
    parameters.conditional.handle = handle, parameters.conditional.type = cudaGraphCondTypeWhile;
    parameters.conditional.size = 1;
    cudaGraphNode_t loop, kernel;
    CHECK(add_node(&loop, graph, &parameters));
    cudaGraph_t body = parameters.conditional.phGraph_out[0];
    void *arguments[] = {&value, &handle};
    cudaKernelNodeParams launch = {};
    launch.func = (void *)halve, launch.gridDim = dim3(1), launch.blockDim = dim3(1), launch.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&kernel, body, nullptr, 0, &launch));
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    printf("%d after %d rounds\n", value[0], value[1]);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(value));
}
