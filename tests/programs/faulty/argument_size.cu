// Finds: argument_size

#include <cuda.h>
#include <cuda_runtime.h>

__global__ void scale(double *data, double factor) { data[threadIdx.x] *= factor; }

int main(int argc, char **) {
    double *data;
    cudaMalloc(&data, 32 * sizeof(double));
    cudaMemset(data, 0, 32 * sizeof(double));
    cudaFunction_t kernel;
    cudaGetFuncBySymbol(&kernel, (const void *)scale);
    void *entry = nullptr;
    cudaGetDriverEntryPointByVersion("cuLaunchKernel", &entry, 12000, cudaEnableDefault);
    struct {
        double *data;
        float factor;
    } __attribute__((packed)) narrow = {data, 2};
    struct {
        double *data;
        double factor;
    } wide = {data, 2};
    size_t bytes = argc > 1 ? sizeof wide : sizeof narrow;
    void *buffer = argc > 1 ? (void *)&wide : (void *)&narrow;
    void *arguments[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                         CU_LAUNCH_PARAM_END};
    ((decltype(&cuLaunchKernel))entry)((CUfunction)kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, arguments);  // here
    cudaDeviceSynchronize();
    cudaFree(data);
}
