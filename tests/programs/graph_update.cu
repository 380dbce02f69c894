// A child graph, events between streams in a capture, an update of all at once, and a node turned off.
#include "check.h"

__global__ void add(int *value, int by) { atomicAdd(value, by); }

static cudaGraph_t capture(int *value, int by) {
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
    CHECK(cudaEventRecord(fork, a));
    CHECK(cudaStreamWaitEvent(b, fork, 0));
    add<<<1, 1, 0, a>>>(value, by);
    add<<<1, 1, 0, b>>>(value, 10 * by);
    CHECK(cudaEventRecord(join, b));
    CHECK(cudaStreamWaitEvent(a, join, 0));
    add<<<1, 1, 0, a>>>(value, 100 * by);
    CHECK(cudaStreamEndCapture(a, &graph));
    CHECK(cudaEventDestroy(fork));
    CHECK(cudaEventDestroy(join));
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    return graph;
}

int main() {
    int *value;
    CHECK(cudaMallocManaged(&value, sizeof(int)));
    *value = 0;
    cudaGraph_t one = capture(value, 1), two = capture(value, 2), parent;
    size_t nodes = 0;
    CHECK(cudaGraphGetNodes(one, nullptr, &nodes));
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, one, 0));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    printf("%zu nodes, %d\n", nodes, *value);
    cudaGraphExecUpdateResultInfo result;
    CHECK(cudaGraphExecUpdate(exec, two, &result));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    printf("updated: %d, %d\n", result.result == cudaGraphExecUpdateSuccess, *value);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphCreate(&parent, 0));
    cudaGraphNode_t first, second, kernel;
    CHECK(cudaGraphAddChildGraphNode(&first, parent, nullptr, 0, one));
    CHECK(cudaGraphAddChildGraphNode(&second, parent, &first, 1, two));
    int by = 1000;
    void *arguments[] = {&value, &by};
    cudaKernelNodeParams launch = {};
    launch.func = (void *)add, launch.gridDim = dim3(1), launch.blockDim = dim3(1), launch.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&kernel, parent, &second, 1, &launch));
    CHECK(cudaGraphInstantiate(&exec, parent, 0));
    *value = 0;
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    printf("children: %d\n", *value);
    CHECK(cudaGraphNodeSetEnabled(exec, kernel, 0));
    *value = 0;
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    printf("without the kernel: %d\n", *value);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(parent));
    CHECK(cudaGraphDestroy(one));
    CHECK(cudaGraphDestroy(two));
    CHECK(cudaFree(value));
}
