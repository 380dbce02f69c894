// One piece of source for several types and operators.

struct Sum {
    template <typename T> __device__ T operator()(T a, T b) const { return a + b; }
};
struct Larger {
    template <typename T> __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};

template <typename T, typename Operator, int WIDTH> __device__ void fold(const T *in, T *out, Operator combine)
{
    T value = in[threadIdx.x * WIDTH];
#pragma unroll
    for (int i = 1; i < WIDTH; i++) value = combine(value, in[threadIdx.x * WIDTH + i]);
    out[threadIdx.x] = value;
}

extern "C" __global__ void fold_sum_double(const double *in, double *out) { fold<double, Sum, 4>(in, out, Sum()); }
extern "C" __global__ void fold_max_byte(const signed char *in, signed char *out) { fold<signed char, Larger, 8>(in, out, Larger()); }
extern "C" __global__ void fold_sum_short(const unsigned short *in, unsigned short *out) { fold<unsigned short, Sum, 3>(in, out, Sum()); }

template <typename T> __global__ void fill(T *out, T value) { out[threadIdx.x] = value + (T)threadIdx.x; }
template __global__ void fill<float>(float *, float);
template __global__ void fill<unsigned long long>(unsigned long long *, unsigned long long);
