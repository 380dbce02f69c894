// 16-bit floats, alone and in pairs; before compute_53 they are only stored and converted.
#include <cuda_fp16.h>

#if __CUDA_ARCH__ >= 530
#define MULTIPLY_ADD(a, b, c) __hfma(a, b, c)
#define ADD_PAIR(a, b) __hadd2(a, b)
#define MULTIPLY_PAIR(a, b) __hmul2(a, b)
#define GREATER(a, b) __hgt(a, b)
#else
#define MULTIPLY_ADD(a, b, c) __float2half(__half2float(a) * __half2float(b) + __half2float(c))
#define ADD_PAIR(a, b) \
    __floats2half2_rn(__low2float(a) + __low2float(b), __high2float(a) + __high2float(b))
#define MULTIPLY_PAIR(a, b) \
    __floats2half2_rn(__low2float(a) * __low2float(b), __high2float(a) * __high2float(b))
#define GREATER(a, b) (__half2float(a) > __half2float(b))
#endif

extern "C" __global__ void half_axpy(const __half *x, const __half *y, __half *out, float factor)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = MULTIPLY_ADD(__float2half(factor), x[i], y[i]);
}

extern "C" __global__ void half_pairs(const __half2 *x, const __half2 *y, __half2 *sum, __half2 *product, __half2 *larger)
{
    unsigned i = threadIdx.x;
    sum[i] = ADD_PAIR(x[i], y[i]);
    product[i] = MULTIPLY_PAIR(x[i], y[i]);
    larger[i] = GREATER(__low2half(x[i]), __low2half(y[i])) ? x[i] : y[i];
}

extern "C" __global__ void half_convert(const float *in, unsigned short *bits, float *back, int *whole)
{
    unsigned i = threadIdx.x;
    __half value = __float2half_rn(in[i]);
    bits[i] = __half_as_ushort(value);
    back[i] = __half2float(value);
    whole[i] = __half2int_rz(value);
}
