// Thrust: reductions, scans and transforms. Its min_element() copies what pads a pair, which nobody has written or
// uses.
#include "check.h"
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

struct Square {
    __host__ __device__ long operator()(long x) const { return x * x; }
};

struct IsOdd {
    __host__ __device__ bool operator()(int x) const { return x & 1; }
};

int main() {
    const int n = 2000;
    thrust::counting_iterator<int> first(1);
    printf("sum %d\n", thrust::reduce(thrust::device, first, first + n));
    long squares = thrust::transform_reduce(thrust::device, first, first + n, Square(), 0L, thrust::plus<long>());
    printf("squares %ld\n", squares);
    thrust::device_vector<int> data(first, first + n), scanned(n);
    thrust::inclusive_scan(data.begin(), data.end(), scanned.begin());
    printf("scanned %d %d\n", (int)scanned[9], (int)scanned[n - 1]);
    thrust::transform(data.begin(), data.end(), data.begin(), thrust::negate<int>());
    int least = *thrust::min_element(data.begin(), data.end());
    printf("least %d, odd %d\n", least, (int)thrust::count_if(data.begin(), data.end(), IsOdd()));
}
