// Structs by value, into kernels and functions and back.

struct Inner {
    short small;
    double real;
};
struct Record {
    char tag;
    int numbers[3];
    Inner inner;
    float *out;
};
struct Pair {
    long long first, second;
};

__device__ __noinline__ Pair ordered(Pair pair)
{
    if (pair.first <= pair.second) return pair;
    Pair swapped = {pair.second, pair.first};
    return swapped;
}

extern "C" __global__ void struct_parameter(Record record, int scale)
{
    float sum = record.tag;
    for (int i = 0; i < 3; i++) sum += record.numbers[i];
    record.out[threadIdx.x] = (sum + record.inner.small + (float)record.inner.real) * scale + threadIdx.x;
}

// Which member is read is known only at run time, so that the parameter is copied or addressed.
extern "C" __global__ void struct_indexed(Record record)
{
    record.out[threadIdx.x] = (float)record.numbers[threadIdx.x % 3];
}

extern "C" __global__ void struct_returned(const long long *in, long long *out)
{
    Pair pair = {in[2 * threadIdx.x], in[2 * threadIdx.x + 1]};
    pair = ordered(pair);
    out[2 * threadIdx.x] = pair.first;
    out[2 * threadIdx.x + 1] = pair.second;
}
