// The rung of sort for what fits on chip: all digits in one launch.
#include "ranking.cuh"

// Threads of a block, and keys that each has.
enum : u32 { TOGETHER_BLOCK = 512, TOGETHER_ITEMS = 8 };

__device__ inline u64 load_acquire(const u64* p) {
    u64 x;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(__cvta_generic_to_global(p)) : "memory");
    return x;
}
__device__ inline void store_release(u64* p, u64 x) {
    asm volatile("st.release.gpu.global.u64 [%0], %1;" : : "l"(__cvta_generic_to_global(p)), "l"(x) : "memory");
}

// Rung gpu-6-together: every block has one tile, and all blocks run at once. For each digit blocks post how many keys
// they have of each value, read what all others have posted, and so know where theirs go, with no launch in between.
// Launch: ceil(n / tile) blocks of 512, all at once (a cooperative launch); tile = 512 * 8, dynamic shared tile * the
//   larger of the sizes of a key and a value.
// Arguments: keys, keys_to (written), spare_keys (as many), values (or null: numbers), values_to, spare_values, state (257
//   words a block, with no word of this number), n, digits, width (bits of a digit), order, number (of the launch).
template <class K, class V, u32 BLOCK, u32 ITEMS>
__device__ void sort_6_together(const K* keys, K* keys_to, K* spare_keys, const V* values, V* values_to, V* spare_values,
    u64* state, u32 n, u32 digits, u32 width, u32 order, u32 number) {
    using T = Tile<K, BLOCK, ITEMS>;
    enum : u32 { AT_ONCE = 8, COUNT_BITS = 24, COUNT = (1u << COUNT_BITS) - 1 };
    __shared__ typename T::Shared shared;
    K* room = dynamic_shared<K>();
    u32 tile = blockIdx.x, tiles = gridDim.x, first = tile * T::SIZE, t = threadIdx.x, lane = t % WARP;
    u32 valid = n - first < T::SIZE ? n - first : u32(T::SIZE);
    // A word for each tile, which says that its keys are where they belong, and then the posts.
    u64 *done = state, *posts = state + tiles;
#pragma unroll 1
    for (u32 pass = 0; pass < digits; pass++) {
        bool last = pass + 1 == digits, to_spare = (digits - pass) % 2 == 0;
        const K* from = pass == 0 ? keys : to_spare ? keys_to : spare_keys;
        const V* values_from = pass == 0 ? values : to_spare ? values_to : spare_values;
        // The number of the launch and of the pass go with every count.
        u64 stamp = u64(number) << 32 | pass << COUNT_BITS;
        T keyed(shared, Digit{pass * width, (1u << width) - 1});
        keyed.load(from + first, valid, pass == 0 ? order : u32(UNSIGNED));
        keyed.rank();
        u32 count = 0, begin = 0;
        keyed.arrange(count, begin, [&](u32 count) { store_relaxed(posts + tile * DIGITS + t, stamp | count); });
        keyed.exchange(room, keyed.keys);
        Carried<V, ITEMS> carried;
        carried.load(values_from, first, valid);
        u32 before = 0, all = 0, sum = 0;
        if (t < DIGITS) {
#pragma unroll 1
            for (u32 i = 0; i < tiles; i += AT_ONCE) {
                u64 seen[AT_ONCE];
#pragma unroll
                for (u32 k = 0; k < AT_ONCE; k++) {
                    if (i + k < tiles) seen[k] = load_relaxed(posts + (i + k) * DIGITS + t);
                }
#pragma unroll
                for (u32 k = 0; k < AT_ONCE; k++) {
                    if (i + k >= tiles) break;
                    while ((seen[k] ^ stamp) >> COUNT_BITS) seen[k] = load_relaxed(posts + (i + k) * DIGITS + t);
                    u32 other = u32(seen[k]) & COUNT;
                    if (i + k < tile) before += other;
                    all += other;
                }
            }
            __syncwarp();
            sum = all;
#pragma unroll
            for (u32 distance = 1; distance < WARP; distance *= 2) {
                u32 left = __shfl_up_sync(ALL_LANES, sum, distance);
                if (lane >= distance) sum += left;
            }
            if (lane == WARP - 1) shared.sums[t / WARP] = sum;
        }
        __syncthreads();
        if (t < DIGITS) {
            u32 to = sum - all;
#pragma unroll
            for (u32 w = 0; w < DIGITS / WARP; w++) to += w < t / WARP ? shared.sums[w] : 0;
            shared.to[t] = u64(to) + before - begin;
        }
        __syncthreads();
        keyed.store(to_spare ? spare_keys : keys_to, carried, to_spare ? spare_values : values_to, valid,
            last ? order : u32(UNSIGNED), room);
        if (last) break;
        // Everybody waits until all keys are where they belong.
        __syncthreads();
        if (t == 0) {
            __threadfence();
            store_release(done + tile, stamp);
        }
        for (u32 i = t; i < tiles; i += BLOCK) {
            while (load_acquire(done + i) != stamp) {}
        }
        __syncthreads();
    }
}

// ---- Instances -----------------------------------------------------------------------------------------------------

#define TOGETHER(k, suffix, v) \
    extern "C" __global__ void __launch_bounds__(TOGETHER_BLOCK) sort_6_together_##k##suffix(const k* keys, k* keys_to, \
        k* spare_keys, const v* values, v* values_to, v* spare_values, u64* state, u32 n, u32 digits, u32 width, \
        u32 order, u32 number) { \
        sort_6_together<k, v, TOGETHER_BLOCK, TOGETHER_ITEMS>(keys, keys_to, spare_keys, values, values_to, \
            spare_values, state, n, digits, width, order, number); \
    }
TOGETHER(u32, , None)
TOGETHER(u32, _b32, u32)
TOGETHER(u32, _b64, u64)
TOGETHER(u64, , None)
TOGETHER(u64, _b32, u32)
TOGETHER(u64, _b64, u64)
