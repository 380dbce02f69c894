// Kernels made from templates, for types and operations.
#include "check.h"

struct Add {
    template <typename T> __device__ T operator()(T a, T b) const { return a + b; }
};

struct Most {
    template <typename T> __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};

template <typename T, typename Operation, int UNROLL> __global__ void fold(const T *in, int n, T *out, Operation op) {
    T value = in[0];
#pragma unroll UNROLL
    for (int i = 1; i < n; i++) value = op(value, in[i]);
    *out = value;
}

template <typename T, typename Operation> T run(const T *host, int n) {
    T *in, *out, result;
    CHECK(cudaMalloc(&in, n * sizeof(T)));
    CHECK(cudaMalloc(&out, sizeof(T)));
    CHECK(cudaMemcpy(in, host, n * sizeof(T), cudaMemcpyHostToDevice));
    fold<T, Operation, 4><<<1, 1>>>(in, n, out, Operation());
    CHECK(cudaMemcpy(&result, out, sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return result;
}

int main() {
    int ints[] = {3, 1, 4, 1, 5, 9, 2, 6};
    double doubles[] = {0.5, 0.25, 2.0};
    unsigned char bytes[] = {200, 100, 7};
    printf("%d %d\n", run<int, Add>(ints, 8), run<int, Most>(ints, 8));
    printf("%.2f %.2f\n", run<double, Add>(doubles, 3), run<double, Most>(doubles, 3));
    printf("%d %d\n", run<unsigned char, Add>(bytes, 3), run<unsigned char, Most>(bytes, 3));
}
