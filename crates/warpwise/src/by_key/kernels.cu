// Values of equal keys that follow each other, combined. Keys are read once, and become a bit for each element; values
// are then read once for reduce, and twice for scan.
//
// Keys are equal if their bits are; of floats also zeros of both signs, and all NaNs. Values of a run are combined in an
// order that depends on its place only. n >= 1.
#include "../kernels.cuh"

using u16 = unsigned short;

enum : u32 { BLOCK = 256, WARPS = BLOCK / WARP };

// Whether keys are equal: of floats where `floats` is not 0.
template <class K> __device__ inline bool same(K a, K b, u32 floats) {
    // Without the sign: zero, or above infinity.
    constexpr K INFINITY_BITS = sizeof(K) == 8 ? K(0x7ff0000000000000ull) : K(0x7f800000);
    constexpr K MAGNITUDE = K(~K(0)) >> 1;
    if (a == b) return true;
    if (!floats) return false;
    K x = a & MAGNITUDE, y = b & MAGNITUDE;
    return (x == 0 && y == 0) || (x > INFINITY_BITS && y > INFINITY_BITS);
}

// `count` elements of a thread from place i on, those before n; 16 bytes at a time where they begin at such a boundary.
template <u32 COUNT, class T> __device__ inline void load(T (&to)[COUNT], const T* from, u64 i, u64 n) {
    if (i + COUNT <= n && reinterpret_cast<u64>(from) % 16 == 0 && COUNT * sizeof(T) % 16 == 0) {
#pragma unroll
        for (u32 k = 0; k < COUNT; k += Vec16<T>::SIZE) {
            Vec16<T> vector = load16(from + i + k);
#pragma unroll
            for (u32 e = 0; e < Vec16<T>::SIZE; e++) {
                if (k + e < COUNT) to[k + e] = vector.at[e];
            }
        }
        return;
    }
#pragma unroll
    for (u32 k = 0; k < COUNT; k++) to[k] = i + k < n ? from[i + k] : T(0);
}

// The key of the lane before, and of the last one.
template <class K> __device__ inline K shuffle_up(K x) { return K(__shfl_up_sync(ALL_LANES, u32(x), 1)); }
template <class K> __device__ inline K shuffle_last(K x) { return K(__shfl_sync(ALL_LANES, u32(x), WARP - 1)); }
template <> __device__ inline u64 shuffle_up(u64 x) { return __shfl_up_sync(ALL_LANES, x, 1); }
template <> __device__ inline u64 shuffle_last(u64 x) { return __shfl_sync(ALL_LANES, x, WARP - 1); }

// A bit for each element: whether a run begins there. Bits of elements that are not there are zero.
// Launch: any grid of blocks of 256. Arguments: keys, bits (written, 4 bytes for every 32 elements that are begun), n,
//   floats (whether keys are).
template <class K> __device__ void by_key_heads(const K* keys, u32* bits, u64 n, u32 floats) {
    enum : u32 { ROWS = 16 };
    u32 lane = threadIdx.x % WARP;
    u64 words = (n + WARP - 1) / WARP;
#pragma unroll 1
    for (u64 word = global_thread() / WARP * ROWS; word < words; word += global_threads() / WARP * ROWS) {
        K row[ROWS];
        u64 first = word * WARP + lane;
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) row[r] = first + r * WARP < n ? keys[first + r * WARP] : K(0);
        K before = word > 0 && lane == 0 ? keys[first - 1] : K(0);
        u32 own = 0;
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            K left = shuffle_up(row[r]);
            if (lane == 0) left = before;
            before = shuffle_last(row[r]);
            u64 i = first + r * WARP;
            u32 heads = __ballot_sync(ALL_LANES, i < n && (i == 0 || !same(left, row[r], floats)));
            if (lane == r) own = heads;
        }
        if (lane < ROWS && word + lane < words) bits[word + lane] = own;
    }
}

// How many runs begin in each tile. Launch: any grid of blocks of 256, a warp for each tile. Arguments: bits (of
//   by_key_heads), counts (written), n, words (of a tile).
extern "C" __global__ void __launch_bounds__(BLOCK) by_key_counts(const u32* bits, u64* counts, u64 n, u32 words) {
    u64 all = (n + WARP - 1) / WARP;
#pragma unroll 1
    for (u64 tile = global_thread() / WARP; tile * words < all; tile += global_threads() / WARP) {
        u32 sum = 0;
#pragma unroll 1
        for (u64 w = tile * words + threadIdx.x % WARP; w < (tile + 1) * words && w < all; w += WARP) sum += __popc(bits[w]);
#pragma unroll
        for (u32 distance = WARP / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, distance);
        if (threadIdx.x % WARP == 0) counts[tile] = sum;
    }
}

__device__ inline u64 load_key(const void* from, u64 i, u32 width) {
    if (width == 4) return static_cast<const u32*>(from)[i];
    if (width == 8) return static_cast<const u64*>(from)[i];
    if (width == 2) return static_cast<const u16*>(from)[i];
    return static_cast<const u8*>(from)[i];
}

__device__ inline void store_key(void* to, u64 at, u64 key, u32 width) {
    if (width == 4) static_cast<u32*>(to)[at] = u32(key);
    else if (width == 8) static_cast<u64*>(to)[at] = key;
    else if (width == 2) static_cast<u16*>(to)[at] = u16(key);
    else static_cast<u8*>(to)[at] = u8(key);
}

// Where an item of a tile is in shared memory: with gaps, so that threads that write neighbouring items each do not all
// want the same bank.
__device__ inline u32 spread(u32 i) { return i + i / WARP; }

// Threads have some neighbouring elements each, a block a tile of them.
template <class T, class Op> struct Tile {
    enum : u32 { ITEMS = 64 / sizeof(T), SIZE = BLOCK * ITEMS, SPREAD = SIZE + SIZE / WARP };
    struct Shared {
        T tails[WARPS];
        u32 heads[WARPS];
    };
    T values[ITEMS];
    u32 heads, count;
    // What is combined before the first head and after the last one, of all if there is none.
    T lead, tail;
    // Of the threads before this one in the block: how many heads, whether there are any, and what comes after the last.
    u32 before;
    T open;
    bool any;

    __device__ void read(const u32* bits, const T* all, u64 i, u64 n) {
        fetch(bits, all, i, n);
        fold();
    }

    __device__ void fetch(const u32* bits, const T* all, u64 i, u64 n) {
        load(values, all, i, n);
        heads = i < n ? bits[i / WARP] >> i % WARP & ((1u << ITEMS) - 1) : 0;
        count = i >= n ? 0 : n - i < ITEMS ? u32(n - i) : u32(ITEMS);
    }

    __device__ void fold() {
        T x = count ? values[0] : Op::identity();
        lead = Op::identity();
        u32 first = __ffs(heads) - 1;
#pragma unroll
        for (u32 k = 1; k < ITEMS; k++) {
            bool head = heads >> k & 1;
            if (k == first) lead = x;
            if (k < count) x = head ? values[k] : Op::combine(x, values[k]);
        }
        tail = x;
        if (!heads) lead = x;
    }

    // Sees the threads before; returns how many heads the block has. `end` is what comes after the last of them, in the
    // last thread.
    __device__ u32 join(Shared& shared, T& end) {
        u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
        u32 with = __ballot_sync(ALL_LANES, heads != 0);
        u32 upto = with & ((2u << lane) - 1), below = with & ((1u << lane) - 1);
        // The lane from which on what comes after the last head is combined.
        u32 from = upto ? 31 - __clz(upto) : 0;
        T after = tail;
        u32 sums = __popc(heads);
        u32 own = sums;
#pragma unroll
        for (u32 distance = 1; distance < WARP; distance *= 2) {
            T left = __shfl_up_sync(ALL_LANES, after, distance);
            u32 fewer = __shfl_up_sync(ALL_LANES, sums, distance);
            if (lane >= distance + from) after = Op::combine(left, after);
            if (lane >= distance) sums += fewer;
        }
        if (lane == WARP - 1) shared.tails[warp] = after, shared.heads[warp] = sums;
        T left = __shfl_up_sync(ALL_LANES, after, 1);
        __syncthreads();
        T outside = Op::identity();
        u32 earlier = 0, total = 0;
#pragma unroll
        for (u32 w = 0; w < WARPS; w++) {
            u32 of_warp = shared.heads[w];
            if (w < warp) {
                outside = of_warp ? shared.tails[w] : Op::combine(outside, shared.tails[w]);
                earlier += of_warp;
            }
            total += of_warp;
        }
        before = earlier + sums - own;
        any = before != 0;
        open = lane == 0 ? outside : below ? left : Op::combine(outside, left);
        end = heads ? tail : Op::combine(open, tail);
        return total;
    }
};

// Reduce: every tile writes the keys of the runs that begin in it, and the values of those that end in it, too. What is
// before its first head and after its last one is left for by_key_edges.
// Launch: a block of 256 for each tile. Arguments: bits (of by_key_heads), values, keys, width (bytes of a key), out_keys
//   and out_values (written, room for all runs each), leads and tails (written, a value for each tile), ends (how many
//   runs begin up to the end of each tile), n.
template <class T, class Op>
__device__ void by_key_reduce(
    const u32* bits, const T* values, const void* keys, u32 width, void* out_keys, T* out_values, T* leads, T* tails,
    const u64* ends, u64 n) {
    using Part = Tile<T, Op>;
    __shared__ typename Part::Shared shared;
    // Values of runs that have ended, and where runs begin, in order.
    __shared__ T ended[Part::SPREAD];
    __shared__ u16 begun[Part::SPREAD];
    u32 t = threadIdx.x, tile = blockIdx.x;
    u64 first = u64(tile) * Part::SIZE, base = tile ? ends[tile - 1] : 0;
    Part part;
    u64 own = first + t * Part::ITEMS;
    part.fetch(bits, values, own, n);
    u32 heads = part.heads;
    // The first key is fetched with the values, which take as long.
    u64 key = heads ? load_key(keys, own + __ffs(heads) - 1, width) : 0;
    part.fold();
    T end;
    u32 total = part.join(shared, end), rank = part.before;
    if (heads && !rank) leads[tile] = heads & 1 ? part.open : Op::combine(part.open, part.lead);
    if (t == BLOCK - 1) {
        tails[tile] = end;
        if (total == 0) leads[tile] = end;
    }
    // Few runs: threads write what begins or ends in their elements, most of them once.
    if (total <= BLOCK) {
        if (!heads) return;
        if (rank) out_values[base + rank - 1] = heads & 1 ? part.open : Op::combine(part.open, part.lead);
        store_key(out_keys, base + rank, key, width);
        if (!(heads & (heads - 1))) return;
        T x = Op::identity();
#pragma unroll
        for (u32 k = 0; k < Part::ITEMS; k++) {
            bool head = heads >> k & 1;
            if (head && heads & ((1u << k) - 1)) {
                out_values[base + rank++] = x;
                store_key(out_keys, base + rank, load_key(keys, own + k, width), width);
            }
            x = head ? part.values[k] : Op::combine(x, part.values[k]);
        }
        return;
    }
    T x = part.open;
#pragma unroll
    for (u32 k = 0; k < Part::ITEMS; k++) {
        bool head = heads >> k & 1;
        if (head) {
            if (rank) ended[spread(rank - 1)] = x;
            begun[spread(rank)] = u16(t * Part::ITEMS + k);
            rank++;
        }
        if (k < part.count) x = head ? part.values[k] : Op::combine(x, part.values[k]);
    }
    __syncthreads();
#pragma unroll 1
    for (u32 i = t; i < total; i += BLOCK) {
        store_key(out_keys, base + i, load_key(keys, first + begun[spread(i)], width), width);
        if (i + 1 < total) out_values[base + i] = ended[spread(i)];
    }
}

// The runs that end in another tile than the one that they begin in: a warp for each tile in which one begins.
// Launch: any grid of blocks of 256. Arguments: leads, tails, ends (of by_key_reduce), out_values, tiles.
template <class T, class Op>
__device__ void by_key_edges(const T* leads, const T* tails, const u64* ends, T* out_values, u32 tiles) {
    enum : u32 { OWN = 8 };
    u32 lane = threadIdx.x % WARP;
#pragma unroll 1
    for (u64 tile = global_thread() / WARP; tile < tiles; tile += global_threads() / WARP) {
        u64 end = ends[tile];
        if (end == (tile ? ends[tile - 1] : 0)) continue;
        T all = tails[tile];
        u64 next = tile + 1;
        // Most runs end in the next tile.
        if (next < tiles && ends[next] != end) {
            if (lane == 0) out_values[end - 1] = Op::combine(all, leads[next]);
            continue;
        }
#pragma unroll 1
        for (u64 first = next; first < tiles; first += WARP * OWN) {
            // The next tile with a head is the last one whose lead belongs to the run. A lane looks at some tiles.
            T lead[OWN];
            bool has[OWN];
#pragma unroll
            for (u32 k = 0; k < OWN; k++) {
                u64 own = first + lane * OWN + k;
                lead[k] = own < tiles ? leads[own] : Op::identity();
                has[k] = own < tiles && ends[own] != end;
            }
            T x = Op::identity();
            bool stopped = false;
#pragma unroll
            for (u32 k = 0; k < OWN; k++) {
                if (!stopped) x = Op::combine(x, lead[k]);
                stopped |= has[k];
            }
            u32 with = __ballot_sync(ALL_LANES, stopped);
            u32 last = with ? __ffs(with) - 1 : WARP - 1;
            if (lane > last) x = Op::identity();
#pragma unroll
            for (u32 distance = 1; distance < WARP; distance *= 2) {
                T right = __shfl_down_sync(ALL_LANES, x, distance);
                if (lane + distance < WARP) x = Op::combine(x, right);
            }
            all = Op::combine(all, __shfl_sync(ALL_LANES, x, 0));
            if (with) break;
        }
        if (lane == 0) out_values[end - 1] = all;
    }
}

// Scan, first pass: what is after the last head of every tile, and whether it has one.
// Launch: ceil(n / tile) blocks of 256. Arguments: bits, values, tails and ends (written), n.
template <class T, class Op>
__device__ void by_key_totals(const u32* bits, const T* values, T* tails, u64* ends, u64 n) {
    using Part = Tile<T, Op>;
    __shared__ typename Part::Shared shared;
    Part part;
    part.read(bits, values, u64(blockIdx.x) * Part::SIZE + threadIdx.x * Part::ITEMS, n);
    T end;
    u32 total = part.join(shared, end);
    if (threadIdx.x == BLOCK - 1) tails[blockIdx.x] = end, ends[blockIdx.x] = total;
}

// Scan, in between: what comes into every tile, in place of what comes after its last head. Launch: one block of 256.
// Arguments: tails (changed), ends (whether each tile has a head), tiles.
template <class T, class Op> __device__ void by_key_carries(T* tails, const u64* ends, u32 tiles) {
    using Part = Tile<T, Op>;
    __shared__ typename Part::Shared shared[2];
    __shared__ T carry[2];
    u32 t = threadIdx.x, odd = 0;
    if (t == 0) carry[0] = Op::identity();
#pragma unroll 1
    for (u32 first = 0; first < tiles; first += BLOCK, odd ^= 1) {
        Part part;
        bool there = first + t < tiles;
        part.heads = there && ends[first + t] != 0;
        part.tail = there ? tails[first + t] : Op::identity();
        T end;
        part.join(shared[odd], end);
        // join has a barrier: the carry of the round before is there.
        T into = carry[odd];
        T open = part.any ? part.open : Op::combine(into, part.open);
        if (there) tails[first + t] = open;
        if (t == BLOCK - 1) carry[odd ^ 1] = part.heads ? end : part.any ? end : Op::combine(into, end);
        __syncthreads();
    }
}

// Scan, second pass. Launch: as for the first. Arguments: bits, values, carries, out (written), n, exclusive.
template <class T, class Op>
__device__ void by_key_scan(const u32* bits, const T* values, const T* carries, T* out, u64 n, u32 exclusive) {
    using Part = Tile<T, Op>;
    __shared__ typename Part::Shared shared;
    u64 first = u64(blockIdx.x) * Part::SIZE + threadIdx.x * Part::ITEMS;
    Part part;
    part.read(bits, values, first, n);
    T end;
    part.join(shared, end);
    T x = part.any ? part.open : Op::combine(carries[blockIdx.x], part.open);
#pragma unroll
    for (u32 k = 0; k < Part::ITEMS; k++) {
        bool head = part.heads >> k & 1;
        T before = head ? Op::identity() : x;
        x = head ? part.values[k] : Op::combine(x, part.values[k]);
        part.values[k] = exclusive ? before : x;
    }
    // Through shared memory, so that threads side by side write side by side.
    __shared__ T results[Part::SPREAD];
#pragma unroll
    for (u32 k = 0; k < Part::ITEMS; k++) results[spread(threadIdx.x * Part::ITEMS + k)] = part.values[k];
    __syncthreads();
    u64 tile = u64(blockIdx.x) * Part::SIZE;
#pragma unroll
    for (u32 k = 0; k < Part::ITEMS; k++) {
        u32 i = k * BLOCK + threadIdx.x;
        if (tile + i < n) out[tile + i] = results[spread(i)];
    }
}

#define HEADS(k) \
    extern "C" __global__ void __launch_bounds__(BLOCK) by_key_heads_##k(const k* keys, u32* bits, u64 n, u32 floats) { \
        by_key_heads(keys, bits, n, floats); \
    }
HEADS(u8)
HEADS(u16)
HEADS(u32)
HEADS(u64)

#define BY_KEY(name, Op, t) \
    extern "C" __global__ void __launch_bounds__(BLOCK) by_key_reduce_##name##_##t( \
        const u32* bits, const t* values, const void* keys, u32 width, void* out_keys, t* out_values, t* leads, t* tails, \
        const u64* ends, u64 n) { \
        by_key_reduce<t, Op<t>>(bits, values, keys, width, out_keys, out_values, leads, tails, ends, n); \
    } \
    extern "C" __global__ void __launch_bounds__(BLOCK) by_key_edges_##name##_##t( \
        const t* leads, const t* tails, const u64* ends, t* out_values, u32 tiles) { \
        by_key_edges<t, Op<t>>(leads, tails, ends, out_values, tiles); \
    } \
    extern "C" __global__ void __launch_bounds__(BLOCK) by_key_totals_##name##_##t( \
        const u32* bits, const t* values, t* tails, u64* ends, u64 n) { \
        by_key_totals<t, Op<t>>(bits, values, tails, ends, n); \
    } \
    extern "C" __global__ void __launch_bounds__(BLOCK) by_key_carries_##name##_##t( \
        t* tails, const u64* ends, u32 tiles) { \
        by_key_carries<t, Op<t>>(tails, ends, tiles); \
    } \
    extern "C" __global__ void __launch_bounds__(BLOCK) by_key_scan_##name##_##t( \
        const u32* bits, const t* values, const t* carries, t* out, u64 n, u32 exclusive) { \
        by_key_scan<t, Op<t>>(bits, values, carries, out, n, exclusive); \
    }
// Sums and products of integers wrap, so that those with a sign have the bits of those without.
#define BOTH(t) BY_KEY(sum, Sum, t) BY_KEY(product, Product, t)
#define ENDS(t) BY_KEY(min, Min, t) BY_KEY(max, Max, t)
BOTH(u32)
BOTH(u64)
BOTH(f32)
BOTH(f64)
ENDS(i32)
ENDS(u32)
ENDS(i64)
ENDS(u64)
ENDS(f32)
ENDS(f64)
