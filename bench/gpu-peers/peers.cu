// CUB and cuBLAS behind the C ABI, for compare.py: each function makes a number of calls on data in device memory and
// writes the milliseconds of each, on the GPU's clock. Workspaces are allocated before the first call.
#include <cub/cub.cuh>
#include <cublas_v2.h>
#include <cuda/std/functional>
#include <cstdio>

// Which elements a selection keeps. Outside of the unnamed namespace, since CUB's kernels are instantiated with it.
struct Below {
    float limit;
    __host__ __device__ bool operator()(float x) const { return x < limit; }
};

namespace {

int failed(const char* what, int status) {
    fprintf(stderr, "%s failed with status %d\n", what, status);
    return 1;
}

// Times calls one by one.
template <typename Call>
int timed(size_t calls, double* milliseconds, Call call) {
    cudaEvent_t from, to;
    cudaEventCreate(&from);
    cudaEventCreate(&to);
    for (size_t i = 0; i < calls; ++i) {
        cudaEventRecord(from);
        int status = call();
        cudaEventRecord(to);
        cudaError_t done = cudaEventSynchronize(to);
        if (status != 0) return failed("a peer's call", status);
        if (done != cudaSuccess) return failed("a peer's kernel", done);
        float time = 0;
        cudaEventElapsedTime(&time, from, to);
        milliseconds[i] = time;
    }
    cudaEventDestroy(from);
    cudaEventDestroy(to);
    return 0;
}

// Times calls of CUB, which first says how much memory it needs.
template <typename Call>
int with_workspace(size_t calls, double* milliseconds, Call call) {
    size_t bytes = 0;
    cudaError_t status = call(nullptr, bytes);
    if (status != cudaSuccess) return failed("CUB", status);
    void* workspace = nullptr;
    status = cudaMalloc(&workspace, bytes);
    if (status != cudaSuccess) return failed("cudaMalloc", status);
    int rc = timed(calls, milliseconds, [&] { return static_cast<int>(call(workspace, bytes)); });
    cudaFree(workspace);
    return rc;
}

template <typename T>
int sum(const T* xs, T* out, size_t n, size_t calls, double* milliseconds) {
    return with_workspace(calls, milliseconds, [=](void* workspace, size_t& bytes) {
        return cub::DeviceReduce::Sum(workspace, bytes, xs, out, n);
    });
}

template <typename T>
int scan(const T* xs, T* out, size_t n, size_t calls, double* milliseconds) {
    return with_workspace(calls, milliseconds, [=](void* workspace, size_t& bytes) {
        return cub::DeviceScan::InclusiveSum(workspace, bytes, xs, out, n);
    });
}

template <typename K>
int sort(const K* keys, K* out, size_t n, size_t calls, double* milliseconds) {
    return with_workspace(calls, milliseconds, [=](void* workspace, size_t& bytes) {
        return cub::DeviceRadixSort::SortKeys(workspace, bytes, keys, out, n);
    });
}

// With counts of 32 bits CUB is faster; ours has 64.
template <typename Count>
int sums_by_key(
    const unsigned* keys, const float* values, unsigned* out_keys, float* out, int* runs, Count n, size_t calls,
    double* ms) {
    return with_workspace(calls, ms, [=](void* workspace, size_t& bytes) {
        return cub::DeviceReduce::ReduceByKey(
            workspace, bytes, keys, out_keys, values, out, runs, ::cuda::std::plus<>{}, n);
    });
}

// Row-major C = A B is column-major C' = B' A'.
template <class T, class Gemm>
int product(
    const T* a, const T* b, T* c, size_t rows, size_t columns, size_t terms, cublasMath_t mode, Gemm gemm, size_t calls,
    double* ms) {
    cublasHandle_t handle;
    int status = cublasCreate(&handle);
    if (status != 0) return failed("cublasCreate", status);
    cublasSetMathMode(handle, mode);
    const T one = 1, zero = 0;
    int m = static_cast<int>(rows), n = static_cast<int>(columns), k = static_cast<int>(terms);
    int rc = timed(calls, ms, [&] {
        return static_cast<int>(
            gemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &zero, c, n));
    });
    cublasDestroy(handle);
    return rc;
}

template <typename T, typename Offset>
int segmented_sums(const T* xs, const Offset* offsets, T* out, size_t segments, size_t calls, double* milliseconds) {
    return with_workspace(calls, milliseconds, [=](void* workspace, size_t& bytes) {
        return cub::DeviceSegmentedReduce::Sum(
            workspace, bytes, xs, out, static_cast<int>(segments), offsets, offsets + 1);
    });
}

}  // namespace

extern "C" {

int cub_sum_i32(const int* xs, int* out, size_t n, size_t calls, double* ms) { return sum(xs, out, n, calls, ms); }
int cub_sum_f32(const float* xs, float* out, size_t n, size_t calls, double* ms) { return sum(xs, out, n, calls, ms); }
int cub_sum_f64(const double* xs, double* out, size_t n, size_t calls, double* ms) { return sum(xs, out, n, calls, ms); }
int cub_scan_i32(const int* xs, int* out, size_t n, size_t calls, double* ms) { return scan(xs, out, n, calls, ms); }
int cub_scan_f32(const float* xs, float* out, size_t n, size_t calls, double* ms) { return scan(xs, out, n, calls, ms); }

int cub_sort_u32(const unsigned* xs, unsigned* out, size_t n, size_t calls, double* ms) { return sort(xs, out, n, calls, ms); }
int cub_sort_u64(const unsigned long long* xs, unsigned long long* out, size_t n, size_t calls, double* ms) {
    return sort(xs, out, n, calls, ms);
}
int cub_sort_pairs_u32(const unsigned* keys, const unsigned* values, unsigned* keys_out, unsigned* out, size_t n,
    size_t calls, double* ms) {
    return with_workspace(calls, ms, [=](void* workspace, size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(workspace, bytes, keys, keys_out, values, out, n);
    });
}

int cub_histogram_u8(const unsigned char* xs, int* out, size_t n, size_t calls, double* ms) {
    return with_workspace(calls, ms, [=](void* workspace, size_t& bytes) {
        return cub::DeviceHistogram::HistogramEven(workspace, bytes, xs, out, 257, 0, 256, static_cast<long long>(n));
    });
}

int cub_histogram_f32(const float* xs, int* out, size_t n, size_t bins, size_t calls, double* ms) {
    return with_workspace(calls, ms, [=](void* workspace, size_t& bytes) {
        return cub::DeviceHistogram::HistogramEven(
            workspace, bytes, xs, out, static_cast<int>(bins) + 1, 0.0f, 1.0f, static_cast<long long>(n));
    });
}

int cub_select_f32(const float* xs, float* out, int* count, size_t n, double limit, size_t calls, double* ms) {
    Below below{static_cast<float>(limit)};
    return with_workspace(calls, ms, [=](void* workspace, size_t& bytes) {
        return cub::DeviceSelect::If(workspace, bytes, xs, out, count, static_cast<int>(n), below);
    });
}

int cub_sums_by_key_f32(
    const unsigned* keys, const float* values, unsigned* out_keys, float* out, int* runs, size_t n, size_t calls,
    double* ms) {
    return sums_by_key(keys, values, out_keys, out, runs, n, calls, ms);
}
int cub_sums_by_key_32_f32(
    const unsigned* keys, const float* values, unsigned* out_keys, float* out, int* runs, size_t n, size_t calls,
    double* ms) {
    return sums_by_key(keys, values, out_keys, out, runs, static_cast<int>(n), calls, ms);
}
int cub_segmented_sums_f32(
    const float* xs, const unsigned long long* offsets, float* out, size_t segments, size_t calls, double* ms) {
    return segmented_sums(xs, offsets, out, segments, calls, ms);
}
int cub_segmented_sums_u32(
    const unsigned* xs, const int* offsets, unsigned* out, size_t segments, size_t calls, double* ms) {
    return segmented_sums(xs, offsets, out, segments, calls, ms);
}

// cuBLAS takes matrices in column-major order: ours has `columns` rows there, and the result has `rows`. The second matrix
// counts zero times; cuBLAS allows it to be the result.
int cublas_transpose_f32(const float* xs, float* out, size_t rows, size_t columns, size_t calls, double* ms) {
    cublasHandle_t handle;
    int status = cublasCreate(&handle);
    if (status != 0) return failed("cublasCreate", status);
    const float one = 1, zero = 0;
    int m = static_cast<int>(rows), n = static_cast<int>(columns);
    int rc = timed(calls, ms, [&] {
        return static_cast<int>(
            cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, xs, n, &zero, out, m, out, m));
    });
    cublasDestroy(handle);
    return rc;
}

int cublas_matmul_f32(
    const float* a, const float* b, float* c, size_t m, size_t n, size_t k, int tf32, size_t calls, double* ms) {
    auto mode = tf32 ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_PEDANTIC_MATH;
    return product(a, b, c, m, n, k, mode, cublasSgemm, calls, ms);
}
int cublas_matmul_f64(
    const double* a, const double* b, double* c, size_t m, size_t n, size_t k, size_t calls, double* ms) {
    return product(a, b, c, m, n, k, CUBLAS_DEFAULT_MATH, cublasDgemm, calls, ms);
}

}  // extern "C"
