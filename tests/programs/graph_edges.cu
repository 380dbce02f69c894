// What comes after what in a graph of copies, made by hand and captured; no kernels.
#include "check.h"

#if CUDART_VERSION >= 13000
#define EDGES nullptr,
#else
#define EDGES
#endif

int main() {
    unsigned char *data, host[64];
    CHECK(cudaMalloc(&data, sizeof host));
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t one, two, copy, empty, from[8], to[8];
    cudaMemsetParams fill = {};
    fill.dst = data, fill.value = 1, fill.elementSize = 1, fill.width = 32, fill.height = 1;
    CHECK(cudaGraphAddMemsetNode(&one, graph, nullptr, 0, &fill));
    fill.dst = data + 32, fill.value = 2;
    CHECK(cudaGraphAddMemsetNode(&two, graph, nullptr, 0, &fill));
    CHECK(cudaGraphAddEmptyNode(&empty, graph, nullptr, 0));
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &empty, 1, host, data, sizeof host, cudaMemcpyDeviceToHost));
    cudaGraphNode_t fills[] = {one, two}, both[] = {empty, empty};
    CHECK(cudaGraphAddDependencies(graph, fills, both, EDGES 2));
    size_t edges = 8, before = 8, after = 8;
    CHECK(cudaGraphGetEdges(graph, from, to, EDGES & edges));
    CHECK(cudaGraphNodeGetDependencies(empty, nullptr, EDGES & before));
    CHECK(cudaGraphNodeGetDependentNodes(empty, nullptr, EDGES & after));
    printf("%zu edges; %zu before and %zu after the empty node\n", edges, before, after);
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    printf("%d %d\n", host[0], host[63]);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphRemoveDependencies(graph, fills, both, EDGES 1));
    CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, EDGES & edges));
    printf("%zu edges\n", edges);
    printf("removed twice: %s\n", cudaGetErrorName(cudaGraphRemoveDependencies(graph, fills, both, EDGES 1)));
    CHECK(cudaGraphDestroy(graph));

    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(data, 7, sizeof host, stream));
    cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    const cudaGraphNode_t *last;
    size_t count;
#if CUDART_VERSION >= 13000
    CHECK(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &last, nullptr, &count));
#else
    CHECK(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &last, &count));
#endif
    cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(last[0], &type));
    printf("capturing %d, after %zu node, a memset: %d\n", status == cudaStreamCaptureStatusActive, count,
           type == cudaGraphNodeTypeMemset);
    CHECK(cudaMemcpyAsync(host, data, sizeof host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("%d %d\n", host[0], host[63]);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(data));
}
