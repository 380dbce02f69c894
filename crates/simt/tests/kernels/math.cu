// Functions that the compiler's library turns into long code: f64 and f32 mathematics, 64-bit division.

extern "C" __global__ void math_double(const double *in, double *out, int n)
{
    unsigned i = threadIdx.x;
    double x = in[i];
    out[0 * n + i] = sin(x);
    out[1 * n + i] = exp(x);
    out[2 * n + i] = pow(fabs(x), 1.7);
    out[3 * n + i] = log(fabs(x) + 0.5);
    out[4 * n + i] = sqrt(fabs(x));
    out[5 * n + i] = 1.0 / (x + 20.0);
    out[6 * n + i] = cos(x * 1000.0);
    out[7 * n + i] = atan2(x, 2.0);
    out[8 * n + i] = floor(x) + rint(x * 0.5) * 10.0;
    out[9 * n + i] = fmod(x, 0.7);
    out[10 * n + i] = rsqrt(fabs(x) + 1.0);
}

extern "C" __global__ void math_float(const float *in, float *out, int n)
{
    unsigned i = threadIdx.x;
    float x = in[i];
    out[0 * n + i] = sinf(x);
    out[1 * n + i] = expf(x);
    out[2 * n + i] = powf(fabsf(x), 1.7f);
    out[3 * n + i] = logf(fabsf(x) + 0.5f);
    out[4 * n + i] = sqrtf(fabsf(x));
    out[5 * n + i] = x / (x + 20.0f);
    out[6 * n + i] = tanhf(x);
    out[7 * n + i] = rsqrtf(fabsf(x) + 1.0f);
}

extern "C" __global__ void math_integer(const long long *a, const long long *b, long long *out, int n)
{
    unsigned i = threadIdx.x;
    out[0 * n + i] = a[i] / b[i];
    out[1 * n + i] = a[i] % b[i];
    out[2 * n + i] = (long long)((unsigned long long)a[i] / (unsigned long long)b[i]);
    out[3 * n + i] = __mul64hi(a[i], b[i]);
    out[4 * n + i] = __popcll(a[i]) + 100 * __clzll(a[i]) + 10000 * __ffsll(a[i]);
    out[5 * n + i] = (long long)__brevll((unsigned long long)a[i]);
    out[6 * n + i] = (int)a[i] / 7 + (unsigned)b[i] % 10u;
    out[7 * n + i] = __byte_perm((unsigned)a[i], (unsigned)b[i], 0x3517);
}
