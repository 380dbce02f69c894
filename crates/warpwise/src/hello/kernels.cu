// Rung gpu-hello: every thread prints its block and thread number.
//
// Launch: any grid and block, one launch, no arguments, no shared memory. The lines of a real GPU come in any order.
extern "C" __global__ void hello() {
    printf("Hello from block %u, thread %u\n", blockIdx.x, threadIdx.x);
}
