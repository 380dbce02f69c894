// The rung of sort that sweeps over the keys once a digit.
#include "ranking.cuh"

// Threads of a block that sweeps, blocks of a multiprocessor, and tiles whose posts a thread reads at once.
enum : u32 { SWEEP_BLOCK = 512, SWEEP_BLOCKS = 2, LOOKED_AT = 2 };

// ---- Counts --------------------------------------------------------------------------------------------------------

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

// How many keys have each value of each digit, all digits in one launch; the last block makes of them where the keys of
// each begin. Keys are read as vectors, and a thread has several on their way. A block has copies of its counts, which
// lie side by side: lanes take turns, so that fewer of them want the same bank. Posts are cleared for the sweeps.
// Launch: any grid, block a multiple of 32, dynamic shared 4 * 256 * digits * copies.
// Arguments: keys, begins (256 for each digit, written), posts (`posted` words, written), posted, totals (256 for each
//   digit, and a ticket; all 0 before a launch and after it), n, digits, width (bits of a digit), order, copies (a power
//   of two up to 32).
template <class K>
__device__ void count_digits(const K* in, u64* begins, u32* posts, u64 posted, u64* totals, u64 n, u32 digits, u32 width,
    u32 order, u32 copies) {
    enum : u32 { SIZE = Vec16<K>::SIZE, VECTORS = 4, MOST = sizeof(K) };
    u32* counts = dynamic_shared<u32>();
    u32 t = threadIdx.x, lane = t % WARP;
    for (u32 i = t; i < digits * DIGITS * copies; i += blockDim.x) counts[i] = 0;
    __syncthreads();
    u32 mask = (1u << width) - 1;
    u32* mine = counts + (lane & (copies - 1));
    auto count = [&](K x) {
        x = order == UNSIGNED ? x : ordered(x, order);
#pragma unroll
        for (u32 d = 0; d < MOST; d++) {
            if (d < digits) atomicAdd(mine + (d * DIGITS + (u32(x >> d * width) & mask)) * copies, 1u);
        }
    };
    u64 head = elements_to_boundary(in), first = global_thread(), step = global_threads();
#pragma unroll 1
    for (u64 i = first; i < posted; i += step) posts[i] = 0;
    if (head > n) head = n;
    u64 vectors = (n - head) / SIZE, rest = head + vectors * SIZE;
#pragma unroll 1
    for (u64 v = first; v < vectors; v += VECTORS * step) {
        Vec16<K> xs[VECTORS];
#pragma unroll
        for (u32 k = 0; k < VECTORS; k++) {
            if (v + k * step < vectors) xs[k] = load16(in + head + (v + k * step) * SIZE);
        }
#pragma unroll
        for (u32 k = 0; k < VECTORS; k++) {
            if (v + k * step < vectors) {
#pragma unroll
                for (u32 e = 0; e < SIZE; e++) count(xs[k].at[e]);
            }
        }
    }
#pragma unroll 1
    for (u64 i = first; i < head + (n - rest); i += step) count(in[i < head ? i : i - head + rest]);
    __syncthreads();
    for (u32 i = t; i < digits * DIGITS; i += blockDim.x) {
        u32 sum = 0;
        for (u32 c = 0; c < copies; c++) sum += counts[i * copies + ((c + i) & (copies - 1))];
        if (sum != 0) atomicAdd(totals + i, u64(sum));
    }
    if (!is_last_block(reinterpret_cast<u32*>(totals + digits * DIGITS))) return;
    // A warp for each digit: a lane sums eight values.
    for (u32 d = t / WARP; d < digits; d += blockDim.x / WARP) {
        u64 at = d * DIGITS + lane * (DIGITS / WARP);
        u64 own[DIGITS / WARP], sum = 0;
#pragma unroll
        for (u32 k = 0; k < DIGITS / WARP; k++) {
            own[k] = sum;
            sum += __ldcg(totals + at + k);
            totals[at + k] = 0;
        }
        u64 all = sum;
#pragma unroll
        for (u32 distance = 1; distance < WARP; distance *= 2) {
            u64 left = __shfl_up_sync(ALL_LANES, all, distance);
            if (lane >= distance) all += left;
        }
#pragma unroll
        for (u32 k = 0; k < DIGITS / WARP; k++) begins[at + k] = all - sum + own[k];
    }
}

// ---- A sweep -------------------------------------------------------------------------------------------------------

__device__ inline u32 load_relaxed(const u32* p) {
    u32 x;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(__cvta_generic_to_global(p)) : "memory");
    return x;
}
__device__ inline void store_relaxed(u32* p, u32 x) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" : : "l"(__cvta_generic_to_global(p)), "r"(x) : "memory");
}

// What tiles post for each digit: how many keys they have, and later how many they and all before them have. Two bits
// say which of the two it is, and of an even launch or an odd one; what the launch before has left is no post. So
// nothing has to be cleared, if every launch leaves posts of all tiles, and launches are even and odd in turn.
struct Sweep {
    enum : u32 { COUNT_BITS = 30, COUNT = (1u << COUNT_BITS) - 1 };
    u32* posts;
    // 2 in an even launch, 0 in an odd one.
    u32 turn;

    __device__ void post(u32 tile, u32 d, u32 count, bool all) const {
        store_relaxed(posts + u64(tile) * DIGITS + d, (turn | u32(all)) << COUNT_BITS | count);
    }
    // How many keys of a digit all tiles before this one have.
    template <u32 AT_ONCE> __device__ u32 before(u32 tile, u32 d) const {
        u32 sum = 0, next = tile;
        while (next > 0) {
            u32 seen[AT_ONCE];
#pragma unroll
            for (u32 k = 0; k < AT_ONCE; k++) {
                if (k < next) seen[k] = load_relaxed(posts + u64(next - 1 - k) * DIGITS + d);
            }
            u32 taken = 0;
#pragma unroll
            for (u32 k = 0; k < AT_ONCE; k++) {
                u32 word = seen[k] >> COUNT_BITS;
                if (taken == k && k < next && (word & 2) == turn) {
                    sum += seen[k] & COUNT;
                    taken = k + 1;
                    if (word & 1) return sum;
                }
            }
            next -= taken;
        }
        return sum;
    }
};

// Rung gpu-5-one-sweep: a launch for each digit, which reads and writes every key once. Where the keys of a tile go
// depends on all tiles before it: each posts how many keys it has, looks back until it finds a tile that has posted the
// sum of all before, and posts its own sum.
// Launch: ceil(n / tile) blocks of 512, tile = 512 * items, dynamic shared tile * the larger of the sizes of a key and a
//   value. Blocks wait only for those with lower numbers, which are started before them.
// Arguments: keys, keys_to (written), values (or null: numbers), values_to (written), begins (of this digit), posts (256
//   words a tile; see Sweep), next (if not null, where the keys of the next launch begin, written), base (the number of
//   the first key), n (up to 2^30), shift and mask (of the digit), turn (2, 0, 2 and so on), order, order_to.
template <class K, class V, u32 BLOCK, u32 ITEMS, u32 AT_ONCE>
__device__ void sort_5_one_sweep(const K* keys, K* keys_to, const V* values, V* values_to, const u64* begins, u32* posts,
    u64* next, u32 n, u64 base, Digit digit, u32 turn, u32 order, u32 order_to) {
    using T = Tile<K, BLOCK, ITEMS>;
    __shared__ typename T::Shared shared;
    K* room = dynamic_shared<K>();
    u32 tile = blockIdx.x, first = tile * T::SIZE, d = threadIdx.x;
    T keyed(shared, digit);
    keyed.load(keys + first, n - first, order);
    keyed.rank();
    Sweep sweep{posts, turn};
    u32 count = 0, begin = 0;
    keyed.arrange(count, begin, [&](u32 count) { sweep.post(tile, d, count, tile == 0); });
    keyed.exchange(room, keyed.keys);
    u32 valid = n - first < T::SIZE ? n - first : u32(T::SIZE);
    Carried<V, ITEMS> carried;
    carried.load(values, base + first, valid);
    if (d < DIGITS) {
        u32 before = sweep.template before<AT_ONCE>(tile, d);
        if (tile > 0) sweep.post(tile, d, before + count, true);
        u64 to = begins[d] + before;
        shared.to[d] = to - begin;
        if (next && tile == gridDim.x - 1) next[d] = to + count;
    }
    __syncthreads();
    keyed.store(keys_to, carried, values_to, valid, order_to, room);
}

// ---- Instances -----------------------------------------------------------------------------------------------------

#define COUNT(k) \
    extern "C" __global__ void __launch_bounds__(512) sort_5_one_sweep_count_##k(const k* keys, u64* begins, u32* posts, \
        u64 posted, u64* totals, u64 n, u32 digits, u32 width, u32 order, u32 copies) { \
        count_digits(keys, begins, posts, posted, totals, n, digits, width, order, copies); \
    }
#define SWEEP(k, suffix, v, items) \
    extern "C" __global__ void __launch_bounds__(SWEEP_BLOCK, SWEEP_BLOCKS) sort_5_one_sweep_##k##suffix(const k* keys, \
        k* keys_to, const v* values, v* values_to, const u64* begins, u32* posts, u64* next, u64 base, u32 n, u32 shift, \
        u32 mask, u32 turn, u32 order, u32 order_to) { \
        sort_5_one_sweep<k, v, SWEEP_BLOCK, items, LOOKED_AT>(keys, keys_to, values, values_to, begins, posts, next, n, \
            base, Digit{shift, mask}, turn, order, order_to); \
    }
COUNT(u32)
COUNT(u64)
SWEEP(u32, , None, 18)
SWEEP(u32, _b32, u32, 16)
SWEEP(u32, _b64, u64, 12)
SWEEP(u64, , None, 12)
SWEEP(u64, _b32, u32, 12)
SWEEP(u64, _b64, u64, 12)
