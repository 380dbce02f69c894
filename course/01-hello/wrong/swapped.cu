extern "C" __global__ void hello(int* block_of, int* thread_of) {
    int i = threadIdx.x * blockDim.x + blockIdx.x;
    block_of[i] = blockIdx.x;
    thread_of[i] = threadIdx.x;
}
