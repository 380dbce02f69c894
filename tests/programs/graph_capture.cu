// Work captured from a stream and launched three times.
#include "check.h"

__global__ void step(int *value, int by) { *value += by; }
__global__ void twice(int *value) { *value *= 2; }

int main() {
    int *value, host = 1;
    CHECK(cudaMalloc(&value, sizeof(int)));
    CHECK(cudaMemcpy(value, &host, sizeof(int), cudaMemcpyHostToDevice));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    step<<<1, 1, 0, stream>>>(value, 3);
    twice<<<1, 1, 0, stream>>>(value);
    CHECK(cudaStreamIsCapturing(stream, &status));
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(stream, &graph));
    size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    printf("capturing %d, %zu nodes\n", status == cudaStreamCaptureStatusActive, nodes);
    CHECK(cudaMemcpy(&host, value, sizeof(int), cudaMemcpyDeviceToHost));
    printf("before: %d\n", host);
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++) CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(&host, value, sizeof(int), cudaMemcpyDeviceToHost));
    printf("after: %d\n", host);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(value));
}
