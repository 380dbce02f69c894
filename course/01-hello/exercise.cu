// Every thread writes down who it is.
extern "C" __global__ void hello(int* block_of, int* thread_of) {
    // Here: the threads of all blocks need places of their own.
    int i = threadIdx.x;
    block_of[i] = blockIdx.x;
    thread_of[i] = threadIdx.x;
}
