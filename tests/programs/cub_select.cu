// CUB: radix sort, selection, run lengths and a histogram.
#include "check.h"
#include <cub/cub.cuh>

struct Even {
    __device__ bool operator()(int x) const { return x % 2 == 0; }
};

template <typename Call> static void with_storage(Call call) {
    void *storage = nullptr;
    size_t bytes = 0;
    CHECK(call(storage, bytes));
    CHECK(cudaMalloc(&storage, bytes));
    CHECK(call(storage, bytes));
    CHECK(cudaFree(storage));
}

int main() {
    const int n = 2000;
    int *in, *out, *more, *count;
    CHECK(cudaMallocManaged(&in, n * sizeof(int)));
    CHECK(cudaMallocManaged(&out, n * sizeof(int)));
    CHECK(cudaMallocManaged(&more, n * sizeof(int)));
    CHECK(cudaMallocManaged(&count, sizeof(int)));
    for (int i = 0; i < n; i++) in[i] = (i * 37) % 101 - 50;
    with_storage([&](void *s, size_t &b) { return cub::DeviceRadixSort::SortKeys(s, b, in, out, n); });
    CHECK(cudaDeviceSynchronize());
    int wrong = 0;
    for (int i = 1; i < n; i++) wrong += out[i - 1] > out[i];
    printf("sorted from %d to %d, %d wrong\n", out[0], out[n - 1], wrong);
    with_storage([&](void *s, size_t &b) { return cub::DeviceRunLengthEncode::Encode(s, b, out, in, more, count, n); });
    CHECK(cudaDeviceSynchronize());
    int all = 0;
    for (int i = 0; i < *count; i++) all += more[i];
    printf("%d runs of %d numbers\n", *count, all);
    with_storage([&](void *s, size_t &b) { return cub::DeviceSelect::If(s, b, out, more, count, n, Even()); });
    CHECK(cudaDeviceSynchronize());
    printf("%d even ones, the first is %d\n", *count, more[0]);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(more));
    CHECK(cudaFree(count));
}
