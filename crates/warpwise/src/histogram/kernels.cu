// How many of n elements fall into each of `bins` bins.
//
// The way from element to bin is an argument, `binning`, because the branch on it costs nothing beside the memory:
//   0 modulo   value mod bins, never negative
//   1 value    the value itself; values outside 0 .. bins - 1 are ignored
//   2 letter   a-d, e-h, ..., y-z: 7 bins; everything else is ignored
//   3 even     equal ranges of [low, high): floor((x - low) * scale) in f64, where the host computes scale =
//              bins / (high - low), and at most bins - 1; values outside and NaN are ignored
// Floats only know `even`; for them the argument is ignored. Types: u8 u32 i32 f32 f64.
//
// Counts are u64. Private counts in shared memory are u32, and are added to the u64 ones before they can overflow.
//
// Arguments of every counting kernel begin: in, n, counts, bins, binning, low, high, scale.
#include "../kernels.cuh"

enum : u32 { MODULO = 0, VALUE = 1, LETTER = 2, EVEN = 3 };
enum : u32 { NO_BIN = 0xffffffffu };

struct Binning {
    u32 bins, kind;
    f64 low, high, scale;

    template <class T> __device__ u32 even(T value) const {
        f64 x = f64(value);
        if (!(x >= low && x < high)) return NO_BIN;
        u32 bin = u32((x - low) * scale);
        return bin < bins ? bin : bins - 1;
    }
    __device__ u32 of(u32 x) const {
        if (kind == MODULO) return x % bins;
        if (kind == VALUE) return x < bins ? x : NO_BIN;
        if (kind == LETTER) return x - 'a' < 26 && (x - 'a') / 4 < bins ? (x - 'a') / 4 : NO_BIN;
        return even(x);
    }
    __device__ u32 of(i32 x) const {
        if (kind == EVEN) return even(x);
        if (x >= 0) return of(u32(x));
        // -1 is in the last bin, -bins in the first.
        return kind == MODULO ? bins - 1 - (~u32(x)) % bins : NO_BIN;
    }
    __device__ u32 of(u8 x) const { return of(u32(x)); }
    __device__ u32 of(f32 x) const { return even(x); }
    __device__ u32 of(f64 x) const { return even(x); }
};

// Rung gpu-1-partitioned: every thread goes through a section of its own, as one would divide work among CPU threads.
// The lanes of a warp are a section apart: every load touches 32 sectors.
// Launch: any grid and block, no shared memory, one launch. counts (u64, one a bin) are zero before it.
template <class T> __device__ void histogram_1_partitioned(const T* in, u64 n, u64* counts, Binning binning) {
    u64 section = (n + global_threads() - 1) / global_threads();
    u64 first = global_thread() * section;
    u64 end = first + section < n ? first + section : n;
#pragma unroll 1
    for (u64 i = first; i < end; i++) {
        u32 bin = binning.of(in[i]);
        if (bin != NO_BIN) atomicAdd(counts + bin, 1ull);
    }
}

// Rung gpu-2-interleaved: neighbouring threads take neighbouring elements. Loads are coalesced; what is left is the
// contention of atomics in global memory.
// Launch: as rung 1.
template <class T> __device__ void histogram_2_interleaved(const T* in, u64 n, u64* counts, Binning binning) {
#pragma unroll 1
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u32 bin = binning.of(in[i]);
        if (bin != NO_BIN) atomicAdd(counts + bin, 1ull);
    }
}

// The bins that one launch counts: where the bins don't fit into shared memory, the host launches once for each part.
struct Part {
    u32 first, size;
    // The place of a bin in this part; `size` or more if it is in another (or none).
    __device__ u32 place(u32 bin) const { return bin == NO_BIN ? NO_BIN : bin - first; }
};

__device__ inline void clear(u32* counts, u32 size) {
    for (u32 i = threadIdx.x; i < size; i += blockDim.x) counts[i] = 0;
}

// Rounds of a block after which it empties its u32 counts: with at most 1024 threads, and 16 elements a thread and
// round, that is before 2^31 elements.
enum : u64 { ROUNDS = 1ull << 17 };

// Rung gpu-3-shared: every block counts in shared memory and adds its counts to the global ones at the end.
// Launch: any grid (as many blocks as run at once) and block, dynamic shared 4 * part_size. More arguments: part_first,
//   part_size; with more bins than fit, one launch for each part of the bins. counts are zero before the first.
template <class T> __device__ void histogram_3_shared(const T* in, u64 n, u64* counts, Binning binning, Part part) {
    u32* mine = dynamic_shared<u32>();
    u64 i = global_thread();
    // All threads of a block make the same number of rounds, given by its first thread, so that barriers are safe.
    u64 block_first = u64(blockIdx.x) * blockDim.x;
#pragma unroll 1
    while (block_first < n) {
        clear(mine, part.size);
        __syncthreads();
#pragma unroll 1
        for (u64 round = 0; round < ROUNDS && i < n; round++, i += global_threads()) {
            u32 place = part.place(binning.of(in[i]));
            if (place < part.size) atomicAdd(mine + place, 1u);
        }
        __syncthreads();
        for (u32 b = threadIdx.x; b < part.size; b += blockDim.x) {
            if (mine[b] != 0) atomicAdd(counts + part.first + b, u64(mine[b]));
        }
        __syncthreads();
        block_first += ROUNDS * global_threads();
    }
}

// Rung gpu-4-tree: no global atomics. Every block stores its own histogram; launches of `histogram_4_tree_halve` then
// add the upper half of the histograms to the lower half, until one is left.
// Launches: `histogram_4_tree_count_<type>`, grid any number of blocks B, as rung 3, but `counts` is B * bins u64,
//   block after block, written completely (no need to clear; with parts, each launch writes its part).
//   Then, with L = B: while L > 1: `histogram_4_tree_halve`, grid ceil((L / 2 rounded down) * bins / block), any
//   block; arguments: counts, bins, L; and L = L / 2 rounded up. The result is the first `bins` of counts.
template <class T>
__device__ void histogram_4_tree_count(const T* in, u64 n, u64* counts, Binning binning, Part part) {
    u32* mine = dynamic_shared<u32>();
    u64* stored = counts + u64(blockIdx.x) * binning.bins + part.first;
    u64 i = global_thread();
    u64 block_first = u64(blockIdx.x) * blockDim.x;
    bool first_time = true;
#pragma unroll 1
    do {
        clear(mine, part.size);
        __syncthreads();
#pragma unroll 1
        for (u64 round = 0; round < ROUNDS && i < n; round++, i += global_threads()) {
            u32 place = part.place(binning.of(in[i]));
            if (place < part.size) atomicAdd(mine + place, 1u);
        }
        __syncthreads();
        for (u32 b = threadIdx.x; b < part.size; b += blockDim.x) {
            stored[b] = first_time ? u64(mine[b]) : stored[b] + mine[b];
        }
        __syncthreads();
        first_time = false;
        block_first += ROUNDS * global_threads();
    } while (block_first < n);
}

extern "C" __global__ void histogram_4_tree_halve(u64* counts, u32 bins, u32 live) {
    u32 kept = (live + 1) / 2;
    u64 i = global_thread();
    if (i < u64(live - kept) * bins) counts[i] += counts[i + u64(kept) * bins];
}

// Rung gpu-5-replicated: several copies of every bin in shared memory, side by side, and each lane uses its own. When
// all elements are equal, the lanes of a warp no longer queue for one word; with 32 copies they are in 32 banks.
// Loads are of 16 bytes, because once atomics are quick, a byte at a time is what is slow.
// Launch: as rung 3, dynamic shared 4 * part_size * copies. One more argument: copies, a power of two up to 32.
template <class T>
__device__ void histogram_5_replicated(const T* in, u64 n, u64* counts, Binning binning, Part part, u32 copies) {
    constexpr u32 SIZE = Vec16<T>::SIZE;
    u32* mine = dynamic_shared<u32>();
    u32 copy = threadIdx.x % copies;
    auto count = [&](T x) {
        u32 place = part.place(binning.of(x));
        if (place < part.size) atomicAdd(mine + place * copies + copy, 1u);
    };
    u64 head = elements_to_boundary(in);
    if (head > n) head = n;
    u64 vectors = (n - head) / SIZE;
    u64 tail = head + vectors * SIZE;
    u64 single = head + (n - tail);
    u64 v = global_thread();
    u64 block_first = u64(blockIdx.x) * blockDim.x;
    // Single elements are fewer than 32 and go with the first rounds.
    u64 work = vectors > single ? vectors : single;
#pragma unroll 1
    while (block_first < work) {
        clear(mine, part.size * copies);
        __syncthreads();
#pragma unroll 1
        for (u64 round = 0; round < ROUNDS && v < work; round++, v += global_threads()) {
            if (v < vectors) {
                Vec16<T> x = load16(in + head + v * SIZE);
#pragma unroll
                for (u32 e = 0; e < SIZE; e++) count(x.at[e]);
            }
            if (v < single) count(in[v < head ? v : v - head + tail]);
        }
        __syncthreads();
        for (u32 b = threadIdx.x; b < part.size; b += blockDim.x) {
            u64 sum = 0;
            // Each thread starts at another copy, or all would start in the same bank.
            for (u32 c = 0; c < copies; c++) sum += mine[b * copies + (c + b) % copies];
            if (sum != 0) atomicAdd(counts + part.first + b, sum);
        }
        __syncthreads();
        block_first += ROUNDS * global_threads();
    }
}

// ---- Rung 6 --------------------------------------------------------------------------------------------------------

// Loads of 16 bytes that are under way together.
enum : u32 { AHEAD = 4 };

__device__ inline u32 shared_address(const void* p) { return u32(__cvta_generic_to_shared(p)); }
__device__ inline void count_at(u32 address) {
    asm volatile("red.shared.add.u32 [%0], 1;" : : "r"(address) : "memory");
}

// Gives every element to `count` once: whole tiles of AHEAD vectors a thread, block after block, then the vectors that
// are left over, and what is left over of these singly.
template <class T, class F> __device__ void each_element(const T* in, u64 n, F count) {
    constexpr u32 SIZE = Vec16<T>::SIZE;
    u64 head = elements_to_boundary(in);
    if (head > n) head = n;
    const T* aligned = in + head;
    u64 tile = u64(blockDim.x) * AHEAD * SIZE;
    u64 tiles = (n - head) / tile;
#pragma unroll 1
    for (u64 t = blockIdx.x; t < tiles; t += gridDim.x) {
        const T* first = aligned + t * tile + threadIdx.x * SIZE;
        Vec16<T> loaded[AHEAD];
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) loaded[k] = load16(first + k * blockDim.x * SIZE);
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) count(loaded[k]);
    }
    u64 vectors = (n - head - tiles * tile) / SIZE;
#pragma unroll 1
    for (u64 v = global_thread(); v < vectors; v += global_threads()) {
        count(load16(aligned + tiles * tile + v * SIZE));
    }
    u64 rest = head + tiles * tile + vectors * SIZE;
#pragma unroll 1
    for (u64 i = global_thread(); i < head + (n - rest); i += global_threads()) {
        count(in[i < head ? i : i - head + rest]);
    }
}

// Whether this is the block that comes here last; then it sees what all others have written. All threads call it. The
// ticket is 0 before a launch and after it.
__device__ inline bool is_last_block(u32* ticket) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(ticket, 1) == gridDim.x - 1;
        if (last) atomicExch(ticket, 0);
        __threadfence();
    }
    __syncthreads();
    return last;
}

// Rung gpu-6-pipelined, bytes: a byte has 256 values, whatever the bins are, so values are counted, with 32 copies:
// every lane has counts of its own, in a bank of its own. Nothing is left to wait for but memory, and all data take the
// same time. The last block finds the bins of the 256 values.
// Launch: any grid (as many blocks as run at once) and block, dynamic shared 4 * 256 * 32.
// Arguments: in, n, counts, bins, binning, low, high, scale, values, ticket. `values` is 256 u64 and `ticket` a u32;
//   both are 0 before the first launch, and every launch leaves them so. counts are written completely.
extern "C" __global__ void __launch_bounds__(1024, 1) histogram_6_pipelined_u8(const u8* in, u64 n, u64* counts,
    u32 bins, u32 binning, f64 low, f64 high, f64 scale, u64* values, u32* ticket) {
    u32* mine = dynamic_shared<u32>();
    clear(mine, 256 * WARP);
    for (u64 b = global_thread(); b < bins; b += global_threads()) counts[b] = 0;
    __syncthreads();
    u32 lane = shared_address(mine + threadIdx.x % WARP);
    // A value's counts are 128 bytes apart, so that a byte of a word is brought to bit 7 and the rest cut off.
    struct Count {
        u32 lane;
        __device__ void operator()(u8 x) const { count_at(lane + x * 128u); }
        __device__ void operator()(const Vec16<u8>& x) const {
            const u32* words = reinterpret_cast<const u32*>(x.at);
#pragma unroll
            for (u32 w = 0; w < 4; w++) {
                count_at(lane + ((words[w] << 7) & 0x7f80));
                count_at(lane + ((words[w] >> 1) & 0x7f80));
                count_at(lane + ((words[w] >> 9) & 0x7f80));
                count_at(lane + ((words[w] >> 17) & 0x7f80));
            }
        }
    };
    each_element(in, n, Count{lane});
    __syncthreads();
    for (u32 v = threadIdx.x; v < 256; v += blockDim.x) {
        u64 sum = 0;
        for (u32 c = 0; c < WARP; c++) sum += mine[v * WARP + (c + v) % WARP];
        if (sum != 0) atomicAdd(values + v, sum);
    }
    if (!is_last_block(ticket)) return;
    Binning rule{bins, binning, low, high, scale};
    for (u32 v = threadIdx.x; v < 256; v += blockDim.x) {
        u64 sum = atomicExch(values + v, 0ull);
        u32 bin = rule.of(u8(v));
        if (sum != 0 && bin != NO_BIN) atomicAdd(counts + bin, sum);
    }
}

// Bins without a division: the quotient by way of a reciprocal is right or one too small.
struct QuickBinning {
    Binning rule;
    u32 reciprocal;
    __device__ explicit QuickBinning(Binning rule) : rule(rule) {
        reciprocal = rule.bins == 1 ? 0xffffffffu : u32((1ull << 32) / rule.bins);
    }
    __device__ u32 modulo(u32 x) const {
        u32 rest = x - __umulhi(x, reciprocal) * rule.bins;
        return rest < rule.bins ? rest : rest - rule.bins;
    }
    __device__ u32 of(u32 x) const { return rule.kind == MODULO ? modulo(x) : rule.of(x); }
    __device__ u32 of(i32 x) const {
        if (rule.kind != MODULO) return rule.of(x);
        return x >= 0 ? modulo(u32(x)) : rule.bins - 1 - modulo(~u32(x));
    }
    __device__ u32 of(f32 x) const { return rule.even(x); }
    __device__ u32 of(f64 x) const { return rule.even(x); }
};

// Rung gpu-6-pipelined, other types: four loads of 16 bytes are under way before the first is needed. One large block a
// multiprocessor has the bins in shared memory, where lanes that add 1 to the same word do so at once.
// Launch: any grid (as many blocks as run at once; so many that a block counts fewer than 2^32 elements) and block,
//   dynamic shared 4 * part_size.
// Arguments: in, n, counts, bins, binning, low, high, scale, part_first, part_size, sums, ticket. With more bins than
//   fit, one launch for each part of the bins, sums null, and counts zero before the first. Otherwise `sums` may be
//   `bins` u64 and `ticket` a u32 that are 0 before the first launch; every launch leaves them so, and writes counts.
template <class T>
__device__ void histogram_6_pipelined(
    const T* in, u64 n, u64* counts, Binning binning, Part part, u64* sums, u32* ticket) {
    u32* mine = dynamic_shared<u32>();
    clear(mine, part.size);
    __syncthreads();
    struct Count {
        QuickBinning binning;
        Part part;
        u32 first;
        __device__ void operator()(T x) const {
            // No bin is so large that it stays beyond every part.
            u32 place = binning.of(x) - part.first;
            if (place < part.size) count_at(first + place * 4);
        }
        __device__ void operator()(const Vec16<T>& x) const {
#pragma unroll
            for (u32 e = 0; e < Vec16<T>::SIZE; e++) operator()(x.at[e]);
        }
    };
    each_element(in, n, Count{QuickBinning(binning), part, shared_address(mine)});
    __syncthreads();
    u64* to = (sums ? sums : counts) + part.first;
    for (u32 b = threadIdx.x; b < part.size; b += blockDim.x) {
        if (mine[b] != 0) atomicAdd(to + b, u64(mine[b]));
    }
    if (!sums || !is_last_block(ticket)) return;
    for (u32 b = threadIdx.x; b < part.size; b += blockDim.x) counts[b] = atomicExch(sums + b, 0ull);
}

// Rung gpu-7-cached: more bins than shared memory holds. They are in global memory, and a cache in shared memory has
// the first of them that the block meets: a bin that comes often comes early, so that its elements don't queue for one
// word of global memory.
// Launch: any grid (so many that a block counts fewer than 2^32 elements) and block, dynamic shared 8 << slots_log.
// Arguments: in, n, counts, bins, binning, low, high, scale, slots_log (1 to 31). counts are zero before the launch.
template <class T> __device__ void histogram_7_cached(const T* in, u64 n, u64* counts, Binning binning, u32 slots_log) {
    u32* tags = dynamic_shared<u32>();
    u32* mine = tags + (1u << slots_log);
    for (u32 i = threadIdx.x; i < 1u << slots_log; i += blockDim.x) tags[i] = NO_BIN, mine[i] = 0;
    __syncthreads();
    struct Count {
        QuickBinning binning;
        u64* counts;
        u32* tags;
        u32* mine;
        u32 shift;
        __device__ void operator()(T x) const {
            u32 bin = binning.of(x);
            if (bin == NO_BIN) return;
            u32 slot = (bin * 2654435761u) >> shift;
            // A bin may be in either of two neighbouring slots.
#pragma unroll
            for (u32 k = 0; k < 2; k++, slot ^= 1) {
                u32 tag, at = shared_address(tags + slot);
                asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(tag) : "r"(at) : "memory");
                if (tag == NO_BIN) tag = atomicCAS(tags + slot, NO_BIN, bin);
                if (tag == NO_BIN || tag == bin) {
                    count_at(shared_address(mine + slot));
                    return;
                }
            }
            atomicAdd(counts + bin, 1ull);
        }
        __device__ void operator()(const Vec16<T>& x) const {
#pragma unroll
            for (u32 e = 0; e < Vec16<T>::SIZE; e++) operator()(x.at[e]);
        }
    };
    each_element(in, n, Count{QuickBinning(binning), counts, tags, mine, 32 - slots_log});
    __syncthreads();
    for (u32 i = threadIdx.x; i < 1u << slots_log; i += blockDim.x) {
        if (mine[i] != 0) atomicAdd(counts + tags[i], u64(mine[i]));
    }
}

// ---- Instances -----------------------------------------------------------------------------------------------------

#define COUNT(rung, t) \
    extern "C" __global__ void histogram_##rung##_##t( \
        const t* in, u64 n, u64* counts, u32 bins, u32 binning, f64 low, f64 high, f64 scale) { \
        histogram_##rung(in, n, counts, Binning{bins, binning, low, high, scale}); \
    }
#define COUNT_PART(rung, t) \
    extern "C" __global__ void histogram_##rung##_##t(const t* in, u64 n, u64* counts, u32 bins, u32 binning, f64 low, \
        f64 high, f64 scale, u32 part_first, u32 part_size) { \
        histogram_##rung(in, n, counts, Binning{bins, binning, low, high, scale}, Part{part_first, part_size}); \
    }
#define COUNT_COPIES(rung, t) \
    extern "C" __global__ void histogram_##rung##_##t(const t* in, u64 n, u64* counts, u32 bins, u32 binning, f64 low, \
        f64 high, f64 scale, u32 part_first, u32 part_size, u32 copies) { \
        Part part{part_first, part_size}; \
        histogram_##rung(in, n, counts, Binning{bins, binning, low, high, scale}, part, copies); \
    }
#define COUNT_PIPELINED(rung, t) \
    extern "C" __global__ void __launch_bounds__(1024, 1) histogram_##rung##_##t(const t* in, u64 n, u64* counts, \
        u32 bins, u32 binning, f64 low, f64 high, f64 scale, u32 part_first, u32 part_size, u64* sums, u32* ticket) { \
        Part part{part_first, part_size}; \
        histogram_##rung(in, n, counts, Binning{bins, binning, low, high, scale}, part, sums, ticket); \
    }
#define COUNT_CACHED(rung, t) \
    extern "C" __global__ void __launch_bounds__(1024, 1) histogram_##rung##_##t(const t* in, u64 n, u64* counts, \
        u32 bins, u32 binning, f64 low, f64 high, f64 scale, u32 slots_log) { \
        histogram_##rung(in, n, counts, Binning{bins, binning, low, high, scale}, slots_log); \
    }
#define WIDE_TYPES(MAKE, rung) MAKE(rung, u32) MAKE(rung, i32) MAKE(rung, f32) MAKE(rung, f64)
#define TYPES(MAKE, rung) MAKE(rung, u8) WIDE_TYPES(MAKE, rung)

TYPES(COUNT, 1_partitioned)
TYPES(COUNT, 2_interleaved)
TYPES(COUNT_PART, 3_shared)
TYPES(COUNT_PART, 4_tree_count)
TYPES(COUNT_COPIES, 5_replicated)
WIDE_TYPES(COUNT_PIPELINED, 6_pipelined)
WIDE_TYPES(COUNT_CACHED, 7_cached)
