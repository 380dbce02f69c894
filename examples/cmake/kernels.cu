__global__ void square(int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= data[i];
}

void squares(int *host, int n) {
    int *data;
    cudaMalloc(&data, n * sizeof(int));
    cudaMemcpy(data, host, n * sizeof(int), cudaMemcpyHostToDevice);
    square<<<(n + 127) / 128, 128>>>(data, n);
    cudaMemcpy(host, data, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(data);
}
