// Thrust: sorting keys, and keys with values. Its unique() reads what other blocks write over: they tell each other how
// far they are with relaxed stores, which order nothing (CUB's own selections use acquire and release for this). That
// is a warning, because it lies in the library.
#include "check.h"
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

int main() {
    const int n = 3000;
    thrust::host_vector<int> host(n);
    unsigned seed = 7;
    for (int i = 0; i < n; i++) seed = seed * 1664525 + 1013904223, host[i] = (seed >> 16) % 1000;
    thrust::device_vector<int> keys = host, values(n);
    thrust::sequence(values.begin(), values.end());
    thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin());
    thrust::host_vector<int> sorted = keys, order = values;
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += host[order[i]] != sorted[i];
    for (int i = 1; i < n; i++)
        wrong += sorted[i - 1] > sorted[i] || (sorted[i - 1] == sorted[i] && order[i - 1] > order[i]);
    printf("%d keys, %d wrong\n", n, wrong);
    int different = thrust::unique(keys.begin(), keys.end()) - keys.begin(), expected = 1;
    for (int i = 1; i < n; i++) expected += sorted[i] != sorted[i - 1];
    printf("different keys as expected: %d\n", different == expected);
    thrust::device_vector<float> numbers(4);
    numbers[0] = 2.5f, numbers[1] = -1.0f, numbers[2] = 8.0f, numbers[3] = 0.0f;
    thrust::sort(numbers.begin(), numbers.end(), thrust::greater<float>());
    for (int i = 0; i < 4; i++) printf("%.1f%c", (float)numbers[i], i < 3 ? ' ' : '\n');
}
