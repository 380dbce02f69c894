// C++ on the host: vectors, chrono, lambdas, streams, unified memory; templates, classes and namespaces on the device.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>
#include <opencv2/opencv.hpp>
#include <thrust/device_vector.h>
#include "parts/tile.cuh"

using namespace std;
using Clock = std::chrono::high_resolution_clock;

template <typename T>
class DeviceBuffer {
    T *data_ = nullptr;
    size_t size_ = 0;
    std::string name_;

  public:
    explicit DeviceBuffer(size_t n, std::string name) : size_(n), name_{std::move(name)} { cudaMalloc(&data_, n * sizeof(T)); }
    ~DeviceBuffer() { cudaFree(data_); }
    T *get() const { return data_; }
};

/// Used by a kernel by value, with a host method.
struct View {
    float *data;
    int width;
    View(float *d, int w) : data(d), width(w) {}
    void print() const { std::cout << "view of " << width << std::endl; }
    static View allocate(int w) {
        float *d;
        if (cudaMallocManaged(&d, w * sizeof(float)) != cudaSuccess) throw std::runtime_error("no memory");
        return View(d, w);
    }
    __host__ __device__ float &at(int x) { return data[x]; }
};

namespace ops {
struct Plus {
    template <typename T> __host__ __device__ T operator()(T a, T b) const { return a + b; }
};
template <typename T> inline T identity() { return T(0); }
__global__ void clear(View v) {
    int i = threadIdx.x;
    if (i < v.width) v.at(i) = identity<float>();
}
}

template <typename T, unsigned BLOCK, typename Op>
__global__ void reduce(const T *in, T *out, uint32_t n, Op op) {
    static_assert(std::is_arithmetic_v<T>, "numbers only");
    __shared__ T tile[BLOCK];
    T sum = 0;
    for (uint32_t i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) sum = op(sum, in[i]);
    tile[threadIdx.x] = std::max(sum, std::numeric_limits<T>::lowest());
    __syncthreads();
    for (unsigned s = BLOCK / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) tile[threadIdx.x] = op(tile[threadIdx.x], tile[threadIdx.x + s]);
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = min(tile[0], std::numeric_limits<T>::max());
}

static __global__ void local(float *a, double scale) { a[threadIdx.x] *= scale * M_PI; }

// A host function by the name of a kernel's variable.
double sum(const std::vector<double> &v) { return std::accumulate(v.begin(), v.end(), 0.0); }

template <typename F>
double time_ms(F &&f) {
    auto t0 = Clock::now();
    f();
    return std::chrono::duration<double, std::milli>(Clock::now() - t0).count();
}

std::ostream &operator<<(std::ostream &os, const View &v) { return os << v.width; }

int main(int argc, char **argv) {
    const std::string usage = R"(usage: modern [n] {not a brace)";
    std::vector<float> h(argc > 1 ? std::stoul(argv[1]) : 1000);
    std::mt19937 rng(42);
    std::generate(h.begin(), h.end(), [&] { return std::uniform_real_distribution<float>(0, 1)(rng); });
    DeviceBuffer<float> in(h.size(), "in"), out(64, "out");
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    double ms = time_ms([&] { reduce<float, 256, ops::Plus><<<64, 256, 0, stream>>>(in.get(), out.get(), h.size(), ops::Plus()); });
    std::cout << std::setprecision(3) << ms << " ms\n";
    return 0;
}
