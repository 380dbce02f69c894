extern "C" __global__ void hello(int* block_of, int* thread_of) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    block_of[i] = blockDim.x;
    thread_of[i] = threadIdx.x;
}
