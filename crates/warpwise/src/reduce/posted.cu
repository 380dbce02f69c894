// The single-launch rungs of reduce: blocks post what they have for each other.
//
// `kernels.cu` has the rungs before them, and says what is reduced and how ties and NaN are settled. n >= 1.
#include "items.cuh"

// Takes AHEAD vectors, so far apart, all of which are there.
template <u32 AHEAD, class S> __device__ void take(S all, u64 first, u32 apart, typename S::Item& x) {
    using Vector = Vec16<typename S::Value>;
    Vector loaded[AHEAD];
#pragma unroll
    for (u32 k = 0; k < AHEAD; k++) loaded[k] = load16_once(all.in + first + k * apart);
#pragma unroll
    for (u32 k = 0; k < AHEAD; k++) {
#pragma unroll
        for (u32 e = 0; e < Vector::SIZE; e++) x = S::combine(x, all.item(loaded[k].at[e], first + k * apart + e));
    }
}

// The same from place `at` after `first` on, of which only those that begin before `end` are there.
template <u32 AHEAD, class S> __device__ void take(S all, u64 first, u32 at, u32 apart, u32 end, typename S::Item& x) {
    using Vector = Vec16<typename S::Value>;
    Vector loaded[AHEAD];
#pragma unroll
    for (u32 k = 0; k < AHEAD; k++) {
        if (at + k * apart < end) loaded[k] = load16(all.in + first + at + k * apart);
    }
#pragma unroll
    for (u32 k = 0; k < AHEAD; k++) {
#pragma unroll
        for (u32 e = 0; e < Vector::SIZE; e++) {
            if (at + k * apart < end) x = S::combine(x, all.item(loaded[k].at[e], first + at + k * apart + e));
        }
    }
}

// Rung gpu-10-posted: warps post their partials, and the last block of the grid waits for them. Against a ticket that
// saves two fences and an atomic, each a journey to the L2 cache. Up to 16 loads of a thread are under way.
// Launch: any grid up to 65535 (as many blocks as run at once), block a multiple of 32 up to 256. No dynamic shared
// memory. The last block waits for those before it, which were started before it.
// Arguments: in, state, out, n, launch; for argmin and argmax: values, state, out_value, out_index, n, launch. `state`
// is 8 * warps * words bytes, an item of so many words of 32 bits, and zero before the first launch of all; `launch` is
// a number that no other launch with it has had, and not 0. Launches that may overlap need their own.
template <class S> __device__ void reduce_10_posted(S all, u64* state, u64 n, u32 launch) {
    enum : u32 { SIZE = Vec16<typename S::Value>::SIZE, ASKED = 5 };
    __shared__ typename S::WarpItems warps;
    Posts<S> posts{state, launch};
    typename S::Item x = S::identity();
    u32 t = threadIdx.x;
    u64 head = elements_to_boundary(all.in);
    if (head > n) head = n;
    u64 end = n - (n - head) % SIZE;
    // Rounds in which every block has a whole tile; then all threads of the grid side by side, who are done with what
    // is left in one go; then what lies before the first and after the last vector.
    u32 block = blockDim.x * SIZE, grid = gridDim.x * block;
    u64 round = u64(S::AHEAD) * grid, done = head;
#pragma unroll 1
    for (; end - done >= round; done += round) {
        take<S::AHEAD>(all, done + u64(blockIdx.x) * (S::AHEAD * block) + t * SIZE, block, x);
    }
    take<S::AHEAD>(all, done, blockIdx.x * block + t * SIZE, grid, u32(end - done), x);
#pragma unroll 1
    for (u64 i = global_thread(); i < head + (n - end); i += global_threads()) {
        x = S::combine(x, all.load(i < head ? i : i - head + end));
    }
    u32 posted = blockIdx.x * (blockDim.x / WARP);
    if (blockIdx.x != gridDim.x - 1) {
        x = warp_fold<S>(x);
        if (t % WARP == 0) posts.post(posted + t / WARP, x);
        return;
    }
#pragma unroll 1
    for (u32 i = 0; i < posted; i += ASKED * blockDim.x) {
        typename Posts<S>::Seen seen[ASKED];
        posts.wait(seen, i + t, blockDim.x, posted);
#pragma unroll
        for (u32 k = 0; k < ASKED; k++) {
            if (i + t + k * blockDim.x < posted) x = S::combine(x, posts.item(seen[k]));
        }
    }
    x = block_fold<S>(warps, x);
    if (t == 0) all.store(0, x);
}

// The fixed tree: see `fixed.rs`, which does the same on the CPU. A tile is eight warps of eight rows of 512 bytes.
template <class T, class Op> struct FixedTree {
    enum : u32 { SIZE = 16 / sizeof(T), ROW = WARP * SIZE, ROWS = 8, WARPS = 8, TILE = ROW * ROWS * WARPS, ASKED = 4 };
    // A warp's columns.
    union Columns {
        Vec16<T> vectors[WARP];
        T items[ROW];
        __device__ Columns() {}
    };

    // Combines the rows of `load(row, column)` of this warp; lanes take neighbouring columns.
    template <class F> __device__ static void rows(Columns& to, F load) {
        u32 lane = threadIdx.x % WARP;
        T x[SIZE];
#pragma unroll
        for (u32 e = 0; e < SIZE; e++) x[e] = load(0, e * WARP + lane);
#pragma unroll
        for (u32 r = 1; r < ROWS; r++) {
#pragma unroll
            for (u32 e = 0; e < SIZE; e++) x[e] = Op::combine(x[e], load(r, e * WARP + lane));
        }
#pragma unroll
        for (u32 e = 0; e < SIZE; e++) to.items[e * WARP + lane] = x[e];
    }
    // The same of posts number base to base + count - 1, from the i-th of them on. Four rows are asked for at once.
    __device__ static void posted_rows(Columns& to, const Posts<Values<T, Op>>& posts, u64 base, u64 count, u64 i) {
        u32 lane = threadIdx.x % WARP;
        T x[SIZE];
#pragma unroll
        for (u32 e = 0; e < SIZE; e++) x[e] = Op::identity();
#pragma unroll 1
        for (u32 r = 0; r < ROWS && i + r * ROW < count; r += ASKED) {
            typename Posts<Values<T, Op>>::Seen seen[ASKED * SIZE];
            u64 first = i + r * ROW + lane;
            posts.wait(seen, base + first, u64(WARP), base + count);
#pragma unroll
            for (u32 k = 0; k < ASKED * SIZE; k++) {
                if (first + k * WARP < count) x[k % SIZE] = Op::combine(x[k % SIZE], posts.item(seen[k]));
            }
        }
#pragma unroll
        for (u32 e = 0; e < SIZE; e++) to.items[e * WARP + lane] = x[e];
    }
    // The same in two steps for rows that all are there, at a 16-byte boundary: lanes take the columns of a vector.
    struct Loaded {
        Vec16<T> rows[ROWS];
    };
    // A row may stay in the cache, or makes room first.
    __device__ static void load_rows(Loaded& x, const T* in, bool may_stay) {
        in += threadIdx.x % WARP * SIZE;
        if (may_stay) {
#pragma unroll
            for (u32 r = 0; r < ROWS; r++) x.rows[r] = load16(in + r * ROW);
        } else {
#pragma unroll
            for (u32 r = 0; r < ROWS; r++) x.rows[r] = load16_once(in + r * ROW);
        }
    }
    // The same where only so many elements are there.
    __device__ static void load_rows(Loaded& x, const T* in, u32 left) {
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            u32 i = r * ROW + threadIdx.x % WARP * SIZE;
            if (i + SIZE <= left) {
                x.rows[r] = load16(in + i);
            } else {
#pragma unroll
                for (u32 e = 0; e < SIZE; e++) x.rows[r].at[e] = i + e < left ? in[i + e] : Op::identity();
            }
        }
    }
    __device__ static void loaded_rows(Columns& to, Loaded& x) {
#pragma unroll
        for (u32 r = 1; r < ROWS; r++) {
#pragma unroll
            for (u32 e = 0; e < SIZE; e++) x.rows[0].at[e] = Op::combine(x.rows[0].at[e], x.rows[r].at[e]);
        }
        to.vectors[threadIdx.x % WARP] = x.rows[0];
    }
    // The columns of all warps; called by one warp.
    __device__ static T fold(Columns* warps) {
        u32 lane = threadIdx.x % WARP;
        Vec16<T> x[WARPS];
#pragma unroll
        for (u32 w = 0; w < WARPS; w++) x[w] = warps[w].vectors[lane];
#pragma unroll
        for (u32 distance = 1; distance < WARPS; distance *= 2) {
#pragma unroll
            for (u32 w = 0; w < WARPS; w += 2 * distance) {
#pragma unroll
                for (u32 e = 0; e < SIZE; e++) x[w].at[e] = Op::combine(x[w].at[e], x[w + distance].at[e]);
            }
        }
        return fold_lanes(x[0]);
    }
    // All columns, of which a lane has those of a vector.
    __device__ static T fold_lanes(Vec16<T> x) {
#pragma unroll
        for (u32 distance = 1; distance < SIZE; distance *= 2) {
#pragma unroll
            for (u32 e = 0; e < SIZE; e += 2 * distance) x.at[e] = Op::combine(x.at[e], x.at[e + distance]);
        }
        T y = x.at[0];
#pragma unroll
        for (u32 distance = WARP / 2; distance > 0; distance /= 2) {
            y = Op::combine(y, __shfl_xor_sync(ALL_LANES, y, distance));
        }
        return y;
    }
    // The same of so many posts, which are no more than a row; called by one warp.
    __device__ static T fold_posts(const Posts<Values<T, Op>>& posts, u32 count) {
        typename Posts<Values<T, Op>>::Seen seen[SIZE];
        Vec16<T> x;
        u32 first = threadIdx.x % WARP * SIZE;
        posts.wait(seen, first, 1u, count);
#pragma unroll
        for (u32 e = 0; e < SIZE; e++) x.at[e] = first + e < count ? posts.item(seen[e]) : Op::identity();
        return fold_lanes(x);
    }
};

// Rung gpu-11-fixed-tree, sums and products of floats: the order depends on the number of elements alone, so that the
// bits are the same with any grid and on any GPU, and on the CPU. Every tile's value is posted, and the posts are the
// elements of the next round.
// Launch: any grid (as many blocks as run at once, no more than tiles), block 256. No dynamic shared memory.
// Arguments: as rung 10. A tile is 32 KB, and `state` has room for tiles + the same of these, until one is left, items.
template <class T, class Op> __device__ void reduce_11_fixed_tree(const T* in, u64* state, T* out, u64 n, u32 launch) {
    using Tree = FixedTree<T, Op>;
    // Two sets, so that a tile can begin while the one before is being finished.
    __shared__ typename Tree::Columns columns[2][Tree::WARPS];
    u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, set = 0;
    Posts<Values<T, Op>> posts{state, launch};
    // Equal shares, the first of which are a tile larger where the tiles cannot be shared equally.
    u32 tiles = u32((n + Tree::TILE - 1) / Tree::TILE), share = tiles / gridDim.x, larger = tiles - share * gridDim.x;
    u32 begin = blockIdx.x * share + (blockIdx.x < larger ? blockIdx.x : larger);
    u32 tile = begin, end = begin + share + (blockIdx.x < larger);
    u64 part = warp * (Tree::ROWS * Tree::ROW);
    bool aligned = elements_to_boundary(in) == 0;
    auto is_whole = [&](u64 tile) { return aligned && (tile + 1) * Tree::TILE <= n; };
    // A part of a large input stays in the cache for whoever reads it next, as it does with rung 10.
    auto may_stay = [&](u32 tile) { return tile + 3 >= end; };
    // What is done with the value of a tile, the i-th post: the last of all is the result.
    auto leave = [&](u64 i, T x, bool result) {
        if (lane != 0) return;
        if (result) {
            *out = Op::combine(Op::identity(), x);
        } else {
            posts.post(i, x);
        }
    };
    auto finish = [&](u64 i, bool result) {
        __syncthreads();
        if (warp == 0) leave(i, Tree::fold(columns[set]), result);
    };
    typename Tree::Loaded loaded;
    if (is_whole(tile)) Tree::load_rows(loaded, in + u64(tile) * Tree::TILE + part, may_stay(tile));
#pragma unroll 1
    for (; tile < end; tile++, set ^= 1) {
        if (is_whole(tile)) {
            Tree::loaded_rows(columns[set][warp], loaded);
        } else {
            u64 first = u64(tile) * Tree::TILE + part;
            const T* p = in + first;
            u32 group = Tree::ROWS * Tree::ROW, left = first >= n ? 0 : n - first < group ? u32(n - first) : group;
            if (aligned) {
                Tree::load_rows(loaded, p, left);
                Tree::loaded_rows(columns[set][warp], loaded);
            } else if (left == group) {
                Tree::rows(columns[set][warp], [=](u32 row, u32 column) { return p[row * Tree::ROW + column]; });
            } else {
                Tree::rows(columns[set][warp], [=](u32 row, u32 column) {
                    return row * Tree::ROW + column < left ? p[row * Tree::ROW + column] : Op::identity();
                });
            }
        }
        // The next tile is under way while this one is finished.
        if (tile + 1 < end && is_whole(tile + 1)) {
            Tree::load_rows(loaded, in + (tile + u64(1)) * Tree::TILE + part, may_stay(tile + 1));
        }
        finish(tile, tiles == 1);
    }
    // The values of tiles are tiles again. Those that are one row are for one warp, without a barrier.
    if (tiles > 1 && tiles <= Tree::ROW) {
        if (blockIdx.x == gridDim.x - 1 && warp == 0) leave(0, Tree::fold_posts(posts, tiles), true);
        return;
    }
    // Else each is combined by the block that has posted the last of them, and has only blocks before it to wait for;
    // what comes out of that, by the last block, round after round.
    u64 base = 0;
#pragma unroll 1
    while (tiles > 1) {
        u32 next = (tiles + Tree::TILE - 1) / Tree::TILE;
#pragma unroll 1
        for (tile = begin / Tree::TILE; tile < next; tile++, set ^= 1) {
            if (end < tiles && end < (tile + 1) * Tree::TILE) break;
            Tree::posted_rows(columns[set][warp], posts, base, tiles, u64(tile) * Tree::TILE + part);
            finish(base + tiles + tile, next == 1);
        }
        if (blockIdx.x != gridDim.x - 1) return;
        base += tiles;
        tiles = end = next;
        begin = 0;
    }
}

// ---- Instances -----------------------------------------------------------------------------------------------------

#define VALUES_10(rung, op, Op, t) \
    extern "C" __global__ void __launch_bounds__(256, 2) reduce_##rung##_##op##_##t( \
        const t* in, u64* state, t* out, u64 n, u32 launch) { \
        reduce_##rung(Values<t, Op<t>>{in, out}, state, n, launch); \
    }
#define POSITIONS_10(rung, op, Op, t) \
    extern "C" __global__ void __launch_bounds__(256, 3) reduce_##rung##_##op##_##t( \
        const t* values, u64* state, t* out_value, u64* out_index, u64 n, u32 launch) { \
        reduce_##rung(Positions<t, Op<t>>{values, nullptr, out_value, out_index}, state, n, launch); \
    }
#define FIXED(op, Op, t) \
    extern "C" __global__ void __launch_bounds__(256, 2) reduce_11_fixed_tree_##op##_##t( \
        const t* in, u64* state, t* out, u64 n, u32 launch) { \
        reduce_11_fixed_tree<t, Op<t>>(in, state, out, n, launch); \
    }

OPERATORS(VALUES_10, POSITIONS_10, 10_posted)
FIXED(sum, Sum, f32)
FIXED(sum, Sum, f64)
FIXED(product, Product, f32)
FIXED(product, Product, f64)

// ---- Sums that do not wrap ------------------------------------------------------------------------------------------

// An integer of 128 bits: no sum of integers of 64 bits that memory holds is too large for it.
struct Long {
    u64 low;
    i64 high;
};

template <class W, class T> __device__ inline W widen(T x) { return W(x); }
template <> __device__ inline Long widen(i64 x) { return {u64(x), x >> 63}; }
template <> __device__ inline Long widen(u64 x) { return {x, 0}; }

__device__ inline Long add(Long a, Long b) {
    u64 low = a.low + b.low;
    return {low, i64(u64(a.high) + u64(b.high) + (low < a.low))};
}

template <class W> __device__ inline W from_lane(W x, u32 distance) { return __shfl_down_sync(ALL_LANES, x, distance); }
template <> __device__ inline Long from_lane(Long x, u32 distance) {
    return {from_lane(x.low, distance), from_lane(x.high, distance)};
}

// Sums of T in W, which has room for them: elements are widened as they are loaded.
template <class T, class W> struct Widened {
    using Value = T;
    using Item = W;
    const T* in;
    W* out;

    struct WarpItems {
        W items[WARP];
        __device__ W get(u32 i) const { return items[i]; }
        __device__ void set(u32 i, W x) { items[i] = x; }
    };

    __device__ W load(u64 i) const { return widen<W>(in[i]); }
    __device__ W item(T value, u64) const { return widen<W>(value); }
    __device__ void store(u64 block, W x) const { out[block] = x; }
    __device__ static W identity() { return W{}; }
    __device__ static W combine(W a, W b) { return add(a, b); }
    __device__ static W shuffle_down(W x, u32 distance) { return from_lane(x, distance); }

    enum : u32 { WORDS = sizeof(W) / 4, AHEAD = 16 };
    __device__ static void split(W x, u32* words) { *reinterpret_cast<W*>(words) = x; }
    __device__ static W join(const u32* words) { return *reinterpret_cast<const W*>(words); }
};

// As rung gpu-10-posted, with `out` in the wide type.
#define WIDE_SUM(t, W) \
    extern "C" __global__ void __launch_bounds__(256, 2) reduce_10_posted_wide_sum_##t( \
        const t* in, u64* state, W* out, u64 n, u32 launch) { \
        reduce_10_posted(Widened<t, W>{in, out}, state, n, launch); \
    }

WIDE_SUM(u8, u64)
WIDE_SUM(u32, u64)
WIDE_SUM(i32, i64)
WIDE_SUM(u64, Long)
WIDE_SUM(i64, Long)
WIDE_SUM(f32, f64)
