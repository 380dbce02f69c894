// Sort: the rungs that come before single sweeps.
//
// Keys are sorted as the unsigned integers that stand for them, of 32 or 64 bits: `sort_prepare` makes them and
// `sort_finish` makes keys of them again. order: see `order.cuh`. n >= 1 everywhere.
#include "ranking.cuh"

// ---- Before and after ----------------------------------------------------------------------------------------------

// What stands for keys. Launch: any grid, any block. Arguments: keys, words (written), n, order.
template <class K, class W> __device__ void sort_prepare(const K* keys, W* words, u64 n, u32 order) {
#pragma unroll 1
    for (u64 i = global_thread(); i < n; i += global_threads()) words[i] = ordered(keys[i], order);
}

// The keys again. Launch: any grid, any block. Arguments: words, keys (written), n, order.
template <class K, class W> __device__ void sort_finish(const W* words, K* keys, u64 n, u32 order) {
#pragma unroll 1
    for (u64 i = global_thread(); i < n; i += global_threads()) keys[i] = restored(K(words[i]), order);
}

// Elements in the order of their numbers; the numbers themselves where there are none.
// Launch: any grid, any block. Arguments: values, numbers, out (written), n.
template <class V> __device__ void sort_gather(const V* values, const u64* numbers, V* out, u64 n) {
#pragma unroll 1
    for (u64 i = global_thread(); i < n; i += global_threads()) out[i] = value_at(values, numbers[i]);
}

// Launch: any grid, any block. Arguments: numbers (written), n.
extern "C" __global__ void sort_number(u64* numbers, u64 n) {
#pragma unroll 1
    for (u64 i = global_thread(); i < n; i += global_threads()) numbers[i] = i;
}

// ---- Bitonic sorting -----------------------------------------------------------------------------------------------

// The pair that thread t compares in a step. Sorted runs of size / 2 are merged to runs of `size`: in the first step,
// where the distance is half of that, the second run is taken backwards, so that all pairs are put in the same order,
// and what is missing behind the last key does not matter.
struct Pair {
    u64 low, high;
    __device__ Pair(u64 t, u64 size, u64 distance) {
        low = t / distance * (2 * distance) + t % distance;
        high = 2 * distance == size ? low ^ (size - 1) : low + distance;
    }
};

// Exchanges two keys that are not in order. Equal keys have numbers that say which comes first, or are the same anyway.
template <bool NUMBERED, class W> __device__ inline void put_in_order(W* words, u64* numbers, u64 low, u64 high) {
    W a = words[low], b = words[high];
    if constexpr (NUMBERED) {
        u64 i = numbers[low], j = numbers[high];
        if (a < b || (a == b && i < j)) return;
        numbers[low] = j, numbers[high] = i;
    } else if (a <= b) {
        return;
    }
    words[low] = b, words[high] = a;
}

// Rung gpu-1-bitonic: a network of comparisons that is the same for all data: a launch for each step, a thread for each
// pair. It needs no memory beside the keys, and n * log2(n)^2 / 4 comparisons.
// Launch: ceil(p / 2 / block) blocks for p = n rounded up to a power of two, any block; for size = 2, 4, .. p and
//   distance = size / 2, size / 4, .. 1.
// Arguments: words, numbers (or null), n, size, distance.
template <bool NUMBERED, class W>
__device__ void sort_1_bitonic(W* words, u64* numbers, u64 n, u64 size, u64 distance) {
    Pair pair(global_thread(), size, distance);
    if (pair.high < n) put_in_order<NUMBERED>(words, numbers, pair.low, pair.high);
}

enum : u32 { SHARED_TILE = 2048 };

// Rung gpu-2-bitonic-shared: steps of short distances stay in a tile of 2048 keys, which a block keeps in shared memory:
// one launch for all of them instead of one each.
// Launch: ceil(n / 2048) blocks of 1024; once with first = 2 and last = 2048, then for every larger size once the steps
//   of rung 1 down to a distance of 2048, and this with first = last = that size.
// Arguments: words, numbers (or null), n, first, last: sizes.
template <bool NUMBERED, class W>
__device__ void sort_2_bitonic_shared(W* words, u64* numbers, u64 n, u64 first, u64 last) {
    __shared__ W tile[SHARED_TILE];
    __shared__ u64 tile_numbers[NUMBERED ? u32(SHARED_TILE) : 1];
    u64 base = u64(blockIdx.x) * SHARED_TILE;
    u32 t = threadIdx.x, here = n - base < SHARED_TILE ? u32(n - base) : u32(SHARED_TILE);
    for (u32 i = t; i < here; i += blockDim.x) {
        tile[i] = words[base + i];
        if constexpr (NUMBERED) tile_numbers[i] = numbers[base + i];
    }
    __syncthreads();
#pragma unroll 1
    for (u64 size = first; size <= last; size *= 2) {
#pragma unroll 1
        for (u64 distance = size / 2 < SHARED_TILE / 2 ? size / 2 : u64(SHARED_TILE / 2); distance > 0; distance /= 2) {
            Pair pair(t, size, distance);
            if (pair.high < here) put_in_order<NUMBERED>(tile, tile_numbers, pair.low, pair.high);
            __syncthreads();
        }
    }
    for (u32 i = t; i < here; i += blockDim.x) {
        words[base + i] = tile[i];
        if constexpr (NUMBERED) numbers[base + i] = tile_numbers[i];
    }
}

// ---- Radix sorting -------------------------------------------------------------------------------------------------

// Keys a tile of rung 3: threads, and what each has, one after the other.
enum : u32 { SCAN_BLOCK = 256, SCAN_ITEMS = 4, SCAN_TILE = SCAN_BLOCK * SCAN_ITEMS, SCAN_DIGITS = 16 };

// Rung gpu-3-radix-scan, first part: how many keys of each digit of four bits each tile has.
// Launch: ceil(n / 1024) blocks of 256. Arguments: words, counts (16 x tiles, written), n, shift.
template <class W> __device__ void sort_3_radix_scan_count(const W* words, u64* counts, u64 n, u32 shift) {
    __shared__ u32 tile[SCAN_DIGITS];
    u32 t = threadIdx.x;
    if (t < SCAN_DIGITS) tile[t] = 0;
    __syncthreads();
#pragma unroll 1
    for (u32 i = 0; i < SCAN_ITEMS; i++) {
        u64 at = u64(blockIdx.x) * SCAN_TILE + i * SCAN_BLOCK + t;
        if (at < n) atomicAdd(tile + (u32(words[at] >> shift) & 15), 1u);
    }
    __syncthreads();
    if (t < SCAN_DIGITS) counts[u64(t) * gridDim.x + blockIdx.x] = tile[t];
}

// Rung gpu-3-radix-scan: where a key goes is how many have a lower digit, or the same and come before it: the sums of
// all counts, digit by digit and tile by tile, say it for tiles, and the same sums in a tile say it for threads.
// Launch: as above. Arguments: words, words_to (written), values (or null: numbers), values_to (written), sums (of all
//   counts before each), n, shift.
template <class W, class V>
__device__ void sort_3_radix_scan(const W* words, W* words_to, const V* values, V* values_to, const u64* sums, u64 n,
    u32 shift) {
    __shared__ u32 counts[SCAN_DIGITS * SCAN_BLOCK];
    __shared__ u32 partial[SCAN_BLOCK];
    u32 t = threadIdx.x;
    u64 first = u64(blockIdx.x) * SCAN_TILE + t * SCAN_ITEMS;
#pragma unroll 1
    for (u32 d = 0; d < SCAN_DIGITS; d++) counts[d * SCAN_BLOCK + t] = 0;
    u32 before[SCAN_ITEMS];
#pragma unroll
    for (u32 i = 0; i < SCAN_ITEMS; i++) {
        if (first + i < n) before[i] = counts[(u32(words[first + i] >> shift) & 15) * SCAN_BLOCK + t]++;
    }
    __syncthreads();
    u32 sum = 0;
#pragma unroll 1
    for (u32 i = 0; i < SCAN_DIGITS; i++) sum += counts[t * SCAN_DIGITS + i];
    partial[t] = sum;
    __syncthreads();
#pragma unroll 1
    for (u32 distance = 1; distance < SCAN_BLOCK; distance *= 2) {
        u32 left = t >= distance ? partial[t - distance] : 0;
        __syncthreads();
        partial[t] += left;
        __syncthreads();
    }
    u32 next = partial[t] - sum;
#pragma unroll 1
    for (u32 i = 0; i < SCAN_DIGITS; i++) {
        u32 own = counts[t * SCAN_DIGITS + i];
        counts[t * SCAN_DIGITS + i] = next;
        next += own;
    }
    __syncthreads();
#pragma unroll
    for (u32 i = 0; i < SCAN_ITEMS; i++) {
        if (first + i >= n) break;
        W word = words[first + i];
        u32 d = u32(word >> shift) & 15;
        u64 to = sums[u64(d) * gridDim.x + blockIdx.x] + counts[d * SCAN_BLOCK + t] - counts[d * SCAN_BLOCK] + before[i];
        words_to[to] = word;
        if constexpr (Moved<V>::YES) values_to[to] = value_at(values, first + i);
    }
}

enum : u32 { RANKED_BLOCK = 256, RANKED_ITEMS = 8, RANKED_TILE = RANKED_BLOCK * RANKED_ITEMS };

// Rung gpu-4-radix-ranked, first part: how many keys of each digit of eight bits each tile has.
// Launch: ceil(n / 2048) blocks of 256. Arguments: words, counts (256 x tiles, written), n, shift.
template <class W> __device__ void sort_4_radix_ranked_count(const W* words, u64* counts, u64 n, u32 shift) {
    __shared__ u32 tile[DIGITS];
    u32 t = threadIdx.x;
    tile[t] = 0;
    __syncthreads();
#pragma unroll 1
    for (u32 i = 0; i < RANKED_ITEMS; i++) {
        u64 at = u64(blockIdx.x) * RANKED_TILE + i * RANKED_BLOCK + t;
        if (at < n) atomicAdd(tile + (u32(words[at] >> shift) & 255), 1u);
    }
    __syncthreads();
    counts[u64(t) * gridDim.x + blockIdx.x] = tile[t];
}

// Rung gpu-4-radix-ranked: digits of eight bits, half as many passes. Lanes of a warp see which others have
// the same digit and rank their keys without a scan; a tile is put in order in shared memory first, so that keys of a
// digit are stored side by side.
// Launch: as above, dynamic shared 2048 * the larger of the sizes of a word and a value. Arguments: as of rung 3.
template <class W, class V>
__device__ void sort_4_radix_ranked(const W* words, W* words_to, const V* values, V* values_to, const u64* sums, u64 n,
    u32 shift) {
    using T = Tile<W, RANKED_BLOCK, RANKED_ITEMS>;
    __shared__ typename T::Shared shared;
    W* room = dynamic_shared<W>();
    u64 first = u64(blockIdx.x) * T::SIZE;
    u32 here = n - first < T::SIZE ? u32(n - first) : u32(T::SIZE);
    T tile(shared, Digit{shift, 255});
    tile.load(words + first, here, UNSIGNED);
    tile.rank();
    u32 count = 0, begin = 0;
    tile.arrange(count, begin, [](u32) {});
    tile.exchange(room, tile.keys);
    Carried<V, RANKED_ITEMS> carried;
    carried.load(values, first, here);
    shared.to[threadIdx.x] = sums[u64(threadIdx.x) * gridDim.x + blockIdx.x] - begin;
    __syncthreads();
    tile.store(words_to, carried, values_to, here, UNSIGNED, room);
}

// ---- Instances -----------------------------------------------------------------------------------------------------

#define PREPARE(k, w) \
    extern "C" __global__ void sort_prepare_##k(const k* keys, w* words, u64 n, u32 order) { \
        sort_prepare(keys, words, n, order); \
    } \
    extern "C" __global__ void sort_finish_##k(const w* words, k* keys, u64 n, u32 order) { \
        sort_finish(words, keys, n, order); \
    }
PREPARE(u8, u32)
PREPARE(u16, u32)
PREPARE(u32, u32)
PREPARE(u64, u64)

#define GATHER(suffix, v) \
    extern "C" __global__ void sort_gather_##suffix(const v* values, const u64* numbers, v* out, u64 n) { \
        sort_gather(values, numbers, out, n); \
    }
GATHER(b32, u32)
GATHER(b64, u64)

#define BITONIC(w, suffix, numbered) \
    extern "C" __global__ void sort_1_bitonic_##w##suffix(w* words, u64* numbers, u64 n, u64 size, u64 distance) { \
        sort_1_bitonic<numbered>(words, numbers, n, size, distance); \
    } \
    extern "C" __global__ void __launch_bounds__(SHARED_TILE / 2) \
        sort_2_bitonic_shared_##w##suffix(w* words, u64* numbers, u64 n, u64 first, u64 last) { \
        sort_2_bitonic_shared<numbered>(words, numbers, n, first, last); \
    }
BITONIC(u32, , false)
BITONIC(u32, _numbered, true)
BITONIC(u64, , false)
BITONIC(u64, _numbered, true)

#define COUNT(rung, w) \
    extern "C" __global__ void sort_##rung##_count_##w(const w* words, u64* counts, u64 n, u32 shift) { \
        sort_##rung##_count(words, counts, n, shift); \
    }
#define RADIX(rung, w, suffix, v) \
    extern "C" __global__ void __launch_bounds__(256) sort_##rung##_##w##suffix( \
        const w* words, w* words_to, const v* values, v* values_to, const u64* sums, u64 n, u32 shift) { \
        sort_##rung(words, words_to, values, values_to, sums, n, shift); \
    }
#define WIDTH(w) \
    COUNT(3_radix_scan, w) COUNT(4_radix_ranked, w) \
    RADIX(3_radix_scan, w, , None) RADIX(3_radix_scan, w, _b32, u32) RADIX(3_radix_scan, w, _b64, u64) \
    RADIX(4_radix_ranked, w, , None) RADIX(4_radix_ranked, w, _b32, u32) RADIX(4_radix_ranked, w, _b64, u64)
WIDTH(u32)
WIDTH(u64)
