// Thrust: keys with values that are sorted by a comparison, scanned and summed by key; pairs with gaps between their
// members; the least and the greatest; tuples. Merge sort reads one element too many and pairs are copied with their
// gaps: nothing of that is ever used, and nothing is found.
#include "check.h"
#include <map>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

struct Later {
    __host__ __device__ bool operator()(int a, int b) const { return a / 2 > b / 2; }
};

struct Weighed {
    short tag;
    double weight;
};

struct Lighter {
    __host__ __device__ bool operator()(const Weighed &a, const Weighed &b) const {
        return a.weight < b.weight || (a.weight == b.weight && a.tag < b.tag);
    }
};

typedef thrust::tuple<bool, long> Sum;

struct Square {
    __host__ __device__ Sum operator()(int i) const { return Sum(i % 3 == 0, (long)i * i); }
};

struct Join {
    __host__ __device__ Sum operator()(Sum a, Sum b) const {
        return Sum(thrust::get<0>(a) != thrust::get<0>(b), thrust::get<1>(a) + thrust::get<1>(b));
    }
};

int main() {
    const int n = 3000;
    thrust::host_vector<int> numbers(n);
    unsigned seed = 3;
    for (int i = 0; i < n; i++) seed = seed * 1664525 + 1013904223, numbers[i] = (seed >> 16) % 300;

    thrust::device_vector<int> keys = numbers, places(n);
    thrust::sequence(places.begin(), places.end());
    thrust::stable_sort_by_key(keys.begin(), keys.end(), places.begin(), Later());
    thrust::host_vector<int> key = keys, place = places;
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += numbers[place[i]] != key[i];
    for (int i = 1; i < n; i++)
        wrong += Later()(key[i], key[i - 1]) || (!Later()(key[i - 1], key[i]) && place[i - 1] > place[i]);
    printf("sorted by a comparison, %d wrong\n", wrong);

    thrust::sort_by_key(keys.begin(), keys.end(), places.begin());
    key = keys, place = places;
    thrust::device_vector<long> values(places.begin(), places.end()), sums(n);
    thrust::inclusive_scan_by_key(keys.begin(), keys.end(), values.begin(), sums.begin());
    thrust::host_vector<long> sum = sums;
    wrong = 0;
    long running = 0;
    for (int i = 0; i < n; i++) {
        running = i > 0 && key[i] == key[i - 1] ? running + place[i] : place[i];
        wrong += sum[i] != running;
    }
    printf("scanned by key, %d wrong\n", wrong);

    thrust::device_vector<int> heads(n);
    int groups = thrust::reduce_by_key(keys.begin(), keys.end(), values.begin(), heads.begin(), sums.begin()).first -
                 heads.begin();
    std::map<int, long> expected;
    for (int i = 0; i < n; i++) expected[key[i]] += place[i];
    thrust::host_vector<int> head = heads;
    sum = sums;
    wrong = groups != (int)expected.size();
    for (int i = 0; i < groups; i++) wrong += expected[head[i]] != sum[i];
    int different = thrust::unique_by_key_copy(keys.begin(), keys.end(), places.begin(), heads.begin(), values.begin())
                        .first -
                    heads.begin();
    printf("summed by key, %d wrong, %d missing\n", wrong, groups - different);

    thrust::host_vector<Weighed> weighed(n);
    for (int i = 0; i < n; i++) weighed[i].tag = i % 7, weighed[i].weight = numbers[i] * 37 % 101 / 4.0;
    thrust::device_vector<Weighed> pairs = weighed;
    thrust::sort(pairs.begin(), pairs.end(), Lighter());
    weighed = pairs;
    wrong = 0;
    for (int i = 1; i < n; i++) wrong += Lighter()(weighed[i], weighed[i - 1]);
    printf("pairs, %d wrong\n", wrong);

    thrust::device_vector<int> data = numbers;
    auto ends = thrust::minmax_element(data.begin(), data.end());
    printf("from %d to %d\n", (int)*ends.first, (int)*ends.second);
    thrust::counting_iterator<int> first(0);
    Sum total = thrust::transform_reduce(thrust::device, first, first + n, Square(), Sum(false, 0), Join());
    printf("tuples: %d %ld\n", (int)thrust::get<0>(total), thrust::get<1>(total));
    thrust::device_vector<Sum> tuples(n), running_tuples(n);
    thrust::transform(first, first + n, tuples.begin(), Square());
    thrust::inclusive_scan(tuples.begin(), tuples.end(), running_tuples.begin(), Join());
    Sum last = running_tuples[n - 1];
    printf("scanned: %d %ld\n", (int)thrust::get<0>(last), thrust::get<1>(last));

    auto zipped = thrust::make_zip_iterator(thrust::make_tuple(keys.begin(), places.begin()));
    thrust::sort(zipped, zipped + n, thrust::greater<thrust::tuple<int, int>>());
    key = keys, place = places;
    wrong = 0;
    for (int i = 1; i < n; i++) wrong += key[i - 1] < key[i] || (key[i - 1] == key[i] && place[i - 1] < place[i]);
    printf("zipped, %d wrong\n", wrong);
}
