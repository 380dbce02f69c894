// Nodes of any kind through one call, and how they hang together.
#include "check.h"

__global__ void scale(int *data, int by) { data[threadIdx.x] *= by; }

static cudaError_t add_node(cudaGraphNode_t *node, cudaGraph_t graph, cudaGraphNode_t *after,
                            cudaGraphNodeParams *parameters) {
#if CUDART_VERSION >= 13000
    return cudaGraphAddNode(node, graph, after, nullptr, after ? 1 : 0, parameters);
#else
    return cudaGraphAddNode(node, graph, after, after ? 1 : 0, parameters);
#endif
}

int main() {
    int *data, host[4] = {1, 2, 3, 4}, by = 5;
    CHECK(cudaMalloc(&data, sizeof host));
    cudaGraph_t graph, clone;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t in, kernel, out;
    cudaGraphNodeParams parameters = {cudaGraphNodeTypeMemcpy};
    parameters.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(host, sizeof host, 4, 1);
    parameters.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(data, sizeof host, 4, 1);
    parameters.memcpy.copyParams.extent = make_cudaExtent(sizeof host, 1, 1);
    parameters.memcpy.copyParams.kind = cudaMemcpyHostToDevice;
    CHECK(add_node(&in, graph, nullptr, &parameters));
    parameters = {cudaGraphNodeTypeKernel};
    void *arguments[] = {&data, &by};
    parameters.kernel.func = (void *)scale, parameters.kernel.kernelParams = arguments;
    parameters.kernel.gridDim = dim3(1), parameters.kernel.blockDim = dim3(4);
    CHECK(add_node(&kernel, graph, &in, &parameters));
    CHECK(cudaGraphAddMemcpyNode1D(&out, graph, &kernel, 1, host, data, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphClone(&clone, graph));
    cudaKernelNodeParams found;
    CHECK(cudaGraphKernelNodeGetParams(kernel, &found));
    printf("block of %u, by %d\n", found.blockDim.x, *(int *)found.kernelParams[1]);
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, clone, 0));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    printf("%d %d\n", host[0], host[3]);
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    printf("%d %d\n", host[0], host[3]);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(clone));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(data));
}
