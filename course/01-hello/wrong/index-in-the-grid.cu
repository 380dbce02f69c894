extern "C" __global__ void hello(int* block_of, int* thread_of) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    block_of[i] = blockIdx.x;
    thread_of[i] = i;
}
