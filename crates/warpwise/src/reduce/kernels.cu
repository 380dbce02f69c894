// One value from n: sum, product, min, max, argmin, argmax.
//
// Rungs 1 to 8 give one partial result a block. The host finishes: it launches again on the partials until one is
// left (into another buffer each time: blocks read what others would overwrite), recursively, or on the CPU. n >= 1.
//
// Arguments, values (sum, product, min, max):  in, out (one value a block), n.
//   Dynamic shared memory: block * sizeof(T), none for rungs 8 and 9.
// Arguments, positions (argmin, argmax):       values, indices, out_values, out_indices (one of each a block), n.
//   `indices` is null in the first launch, where an element's index is its position, and the partial indices (u64)
//   in the launches after it. Dynamic shared memory: block * (8 + sizeof(T)), none for rungs 8 and 9.
//
// Ties of argmin and argmax go to the smallest index. NaN wins over every number, as in NumPy: the first NaN's index is
// the result. Sums and products of floats depend on the order, which each rung fixes for a given grid and block.
#include "../kernels.cuh"

// ---- What is reduced -----------------------------------------------------------------------------------------------
// A rung is written once, for a stream S of items: `load(i)` an input item, `store(b, x)` the partial of a block,
// `identity`, `combine`, `shuffle_down`, and `Tile`, a shared array of items.

template <class T, class Op> struct Values {
    using Value = T;
    using Item = T;
    const T* in;
    T* out;

    struct Tile {
        T* items = dynamic_shared<T>();
        __device__ T get(u32 i) const { return items[i]; }
        __device__ void set(u32 i, T x) { items[i] = x; }
    };
    // Partials of warps: at most 1024 threads are 32 warps.
    struct WarpItems {
        T items[WARP];
        __device__ T get(u32 i) const { return items[i]; }
        __device__ void set(u32 i, T x) { items[i] = x; }
    };

    __device__ T load(u64 i) const { return in[i]; }
    __device__ T item(T value, u64) const { return value; }
    __device__ void store(u64 block, T x) const { out[block] = x; }
    __device__ static T identity() { return Op::identity(); }
    __device__ static T combine(T a, T b) { return Op::combine(a, b); }
    __device__ static T shuffle_down(T x, u32 distance) { return __shfl_down_sync(ALL_LANES, x, distance); }

    // An item as words of 32 bits, and the most vectors that a thread has under way.
    enum : u32 { WORDS = sizeof(T) / 4, AHEAD = 16 };
    __device__ static void split(T x, u32* words) { *reinterpret_cast<T*>(words) = x; }
    __device__ static T join(const u32* words) { return *reinterpret_cast<const T*>(words); }
};

template <class T> struct Ranked {
    T value;
    u64 index;
};

// Whether a comes before b in the order that the operator looks for.
template <class T> struct Argmin {
    __device__ static T last() { return Range<T>::highest(); }
    __device__ static bool before(T a, T b) { return a < b; }
};
template <class T> struct Argmax {
    __device__ static T last() { return Range<T>::lowest(); }
    __device__ static bool before(T a, T b) { return a > b; }
};

template <class T, class Op> struct Positions {
    using Value = T;
    using Item = Ranked<T>;
    const T* in;
    const u64* indices;
    T* out;
    u64* out_indices;

    // Indices and values apart, so that neighbouring threads use neighbouring banks.
    struct Tile {
        u64* indices = dynamic_shared<u64>();
        T* values = reinterpret_cast<T*>(indices + blockDim.x);
        __device__ Item get(u32 i) const { return {values[i], indices[i]}; }
        __device__ void set(u32 i, Item x) { values[i] = x.value, indices[i] = x.index; }
    };
    struct WarpItems {
        u64 indices[WARP];
        T values[WARP];
        __device__ Item get(u32 i) const { return {values[i], indices[i]}; }
        __device__ void set(u32 i, Item x) { values[i] = x.value, indices[i] = x.index; }
    };

    __device__ Item load(u64 i) const { return {in[i], indices ? indices[i] : i}; }
    __device__ Item item(T value, u64 i) const { return {value, i}; }
    __device__ void store(u64 block, Item x) const { out[block] = x.value, out_indices[block] = x.index; }
    // Loses against every element, because its index is beyond all.
    __device__ static Item identity() { return {Op::last(), ~0ull}; }
    __device__ static Item combine(Item a, Item b) {
        bool a_nan = is_nan(a.value), b_nan = is_nan(b.value);
        bool a_wins = a_nan != b_nan ? a_nan : Op::before(a.value, b.value);
        bool b_wins = a_nan != b_nan ? b_nan : Op::before(b.value, a.value);
        return a_wins || (!b_wins && a.index < b.index) ? a : b;
    }
    __device__ static Item shuffle_down(Item x, u32 distance) {
        return {__shfl_down_sync(ALL_LANES, x.value, distance), __shfl_down_sync(ALL_LANES, x.index, distance)};
    }

    enum : u32 { WORDS = 2 + sizeof(T) / 4, AHEAD = 8 };
    __device__ static void split(Item x, u32* words) {
        *reinterpret_cast<u64*>(words) = x.index;
        *reinterpret_cast<T*>(words + 2) = x.value;
    }
    __device__ static Item join(const u32* words) {
        return {*reinterpret_cast<const T*>(words + 2), *reinterpret_cast<const u64*>(words)};
    }
};

// The item of a position, or one that changes nothing past the end.
template <class S> __device__ typename S::Item load_or_identity(S s, u64 i, u64 n) {
    return i < n ? s.load(i) : S::identity();
}

// tile[i] = tile[i] combined with tile[i + distance].
template <class S> __device__ void fold(typename S::Tile& tile, u32 i, u32 distance) {
    tile.set(i, S::combine(tile.get(i), tile.get(i + distance)));
}

// Rung gpu-1-interleaved: a tree in shared memory, where the threads whose number divides by 2, 4, 8, ... go on. Within
// every warp some threads work and others don't: divergence.
// Launch: grid ceil(n / block), any block.
template <class S> __device__ void reduce_1_interleaved(S s, u64 n) {
    typename S::Tile tile;
    u32 t = threadIdx.x;
    tile.set(t, load_or_identity(s, global_thread(), n));
    __syncthreads();
#pragma unroll 1
    for (u32 distance = 1; distance < blockDim.x; distance *= 2) {
        if (t % (2 * distance) == 0 && t + distance < blockDim.x) fold<S>(tile, t, distance);
        __syncthreads();
    }
    if (t == 0) s.store(blockIdx.x, tile.get(0));
}

// Rung gpu-2-strided: the same tree, but the first threads do all the work, so whole warps go idle. Their elements are
// 2, 4, 8, ... apart: bank conflicts.
// Launch: grid ceil(n / block), any block.
template <class S> __device__ void reduce_2_strided(S s, u64 n) {
    typename S::Tile tile;
    u32 t = threadIdx.x;
    tile.set(t, load_or_identity(s, global_thread(), n));
    __syncthreads();
#pragma unroll 1
    for (u32 distance = 1; distance < blockDim.x; distance *= 2) {
        u32 i = 2 * distance * t;
        if (i + distance < blockDim.x) fold<S>(tile, i, distance);
        __syncthreads();
    }
    if (t == 0) s.store(blockIdx.x, tile.get(0));
}

// Half of the smallest power of two that is not less than the block: where a tree over any block size starts.
__device__ inline u32 half_block() { return blockDim.x == 1 ? 0 : 1u << (31 - __clz(blockDim.x - 1)); }

// Rung gpu-3-sequential: the upper half is added to the lower half, so that threads use consecutive banks.
// Launch: grid ceil(n / block), any block.
template <class S> __device__ void reduce_3_sequential(S s, u64 n) {
    typename S::Tile tile;
    u32 t = threadIdx.x;
    tile.set(t, load_or_identity(s, global_thread(), n));
    __syncthreads();
#pragma unroll 1
    for (u32 distance = half_block(); distance > 0; distance /= 2) {
        if (t < distance && t + distance < blockDim.x) fold<S>(tile, t, distance);
        __syncthreads();
    }
    if (t == 0) s.store(blockIdx.x, tile.get(0));
}

// The item of a block that takes two elements a thread.
template <class S> __device__ typename S::Item first_add(S s, u64 n) {
    u64 i = u64(blockIdx.x) * blockDim.x * 2 + threadIdx.x;
    return S::combine(load_or_identity(s, i, n), load_or_identity(s, i + blockDim.x, n));
}

// Rung gpu-4-first-add: every thread combines two elements while loading, so that no thread is idle in the first step.
// Launch: grid ceil(n / (2 * block)), any block.
template <class S> __device__ void reduce_4_first_add(S s, u64 n) {
    typename S::Tile tile;
    u32 t = threadIdx.x;
    tile.set(t, first_add(s, n));
    __syncthreads();
#pragma unroll 1
    for (u32 distance = half_block(); distance > 0; distance /= 2) {
        if (t < distance && t + distance < blockDim.x) fold<S>(tile, t, distance);
        __syncthreads();
    }
    if (t == 0) s.store(blockIdx.x, tile.get(0));
}

// The last six steps, within one warp: a warp barrier orders each step's reads before its writes, and those before the
// reads of the next. Lanes past the distance compute what nobody reads, which is cheaper than a test.
template <class S> __device__ void fold_last_warp(typename S::Tile& tile) {
    u32 t = threadIdx.x;
    if (t >= WARP) return;
    typename S::Item x = tile.get(t);
#pragma unroll
    for (u32 distance = WARP; distance > 0; distance /= 2) {
        x = S::combine(x, tile.get(t + distance));
        __syncwarp();
        tile.set(t, x);
        __syncwarp();
    }
}

// Rung gpu-5-unroll-last-warp: once a single warp is left, block barriers and the loop are not needed.
// Launch: grid ceil(n / (2 * block)), block a power of two from 64.
template <class S> __device__ void reduce_5_unroll_last_warp(S s, u64 n) {
    typename S::Tile tile;
    u32 t = threadIdx.x;
    tile.set(t, first_add(s, n));
    __syncthreads();
#pragma unroll 1
    for (u32 distance = blockDim.x / 2; distance > WARP; distance /= 2) {
        if (t < distance) fold<S>(tile, t, distance);
        __syncthreads();
    }
    fold_last_warp<S>(tile);
    if (t == 0) s.store(blockIdx.x, tile.get(0));
}

// Rung gpu-6-unrolled: the block size is a compile-time constant, so the whole tree is straight code.
// Launch: grid ceil(n / (2 * block)), block as in the kernel's name: 64, 128, 256, 512 or 1024.
template <u32 BLOCK, class S> __device__ void reduce_6_unrolled(S s, u64 n) {
    typename S::Tile tile;
    u32 t = threadIdx.x;
    tile.set(t, first_add(s, n));
    __syncthreads();
#pragma unroll
    for (u32 distance = BLOCK / 2; distance > WARP; distance /= 2) {
        if (t < distance) fold<S>(tile, t, distance);
        __syncthreads();
    }
    fold_last_warp<S>(tile);
    if (t == 0) s.store(blockIdx.x, tile.get(0));
}

// Rung gpu-7-multi-add: a grid-stride loop. A fixed number of blocks goes over all elements, and the tree is climbed
// once for many of them; so seldom that the block size can be a run-time number again.
// Launch: any grid (as many blocks as run at once, no more than ceil(n / (2 * block))), block a power of two from 64.
template <class S> __device__ void reduce_7_multi_add(S s, u64 n) {
    typename S::Tile tile;
    u32 t = threadIdx.x;
    typename S::Item x = S::identity();
#pragma unroll 1
    for (u64 i = u64(blockIdx.x) * blockDim.x * 2 + t; i < n; i += global_threads() * 2) {
        x = S::combine(x, S::combine(s.load(i), load_or_identity(s, i + blockDim.x, n)));
    }
    tile.set(t, x);
    __syncthreads();
#pragma unroll 1
    for (u32 distance = blockDim.x / 2; distance > WARP; distance /= 2) {
        if (t < distance) fold<S>(tile, t, distance);
        __syncthreads();
    }
    fold_last_warp<S>(tile);
    if (t == 0) s.store(blockIdx.x, tile.get(0));
}

// Lane 0 gets the combination of the whole warp.
template <class S> __device__ typename S::Item warp_fold(typename S::Item x) {
#pragma unroll
    for (u32 distance = WARP / 2; distance > 0; distance /= 2) x = S::combine(x, S::shuffle_down(x, distance));
    return x;
}

// Thread 0 gets the combination of the whole block, of any whole number of warps. `partials` may be used again after
// the caller's next block barrier.
template <class S> __device__ typename S::Item block_fold(typename S::WarpItems& partials, typename S::Item x) {
    u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    x = warp_fold<S>(x);
    if (lane == 0) partials.set(warp, x);
    __syncthreads();
    if (warp == 0) {
        x = lane < blockDim.x / WARP ? partials.get(lane) : S::identity();
        x = warp_fold<S>(x);
    }
    return x;
}

// Rung gpu-8-shuffle: lanes hand values to each other in registers; shared memory only carries one item a warp.
// Launch: any grid, as for rung 7; block a multiple of 32. No dynamic shared memory.
template <class S> __device__ void reduce_8_shuffle(S s, u64 n) {
    __shared__ typename S::WarpItems partials;
    typename S::Item x = S::identity();
#pragma unroll 1
    for (u64 i = u64(blockIdx.x) * blockDim.x * 2 + threadIdx.x; i < n; i += global_threads() * 2) {
        x = S::combine(x, S::combine(s.load(i), load_or_identity(s, i + blockDim.x, n)));
    }
    x = block_fold<S>(partials, x);
    if (threadIdx.x == 0) s.store(blockIdx.x, x);
}

// Rung gpu-9-single-pass: one launch does everything, with 16-byte loads. The block that draws the last ticket knows
// that all partials are written, and combines them.
// Launch: any grid (as many blocks as run at once), block a multiple of 32. No dynamic shared memory.
// Arguments: in, partials (one value a block), out (one value), ticket, n; for argmin and argmax: values,
// partial_values, partial_indices (one of each a block), out_value, out_index, ticket, n.
// `ticket` is a u32 that is 0 before the first launch; every launch leaves it at 0. Launches that may overlap need
// tickets and partials of their own.
template <class S> __device__ void reduce_9_single_pass(S all, S partial, u32* ticket, u64 n) {
    using Vector = Vec16<typename S::Value>;
    constexpr u32 SIZE = Vector::SIZE;
    __shared__ typename S::WarpItems warps;
    __shared__ bool last;
    typename S::Item x = S::identity();
    u64 head = elements_to_boundary(all.in);
    if (head > n) head = n;
    u64 vectors = (n - head) / SIZE;
    u64 step = global_threads();
    u64 v = global_thread();
    // Four loads are under way before the first is needed.
    constexpr u32 AHEAD = 4;
#pragma unroll 1
    for (; v + (AHEAD - 1) * step < vectors; v += AHEAD * step) {
        Vector loaded[AHEAD];
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) loaded[k] = load16(all.in + head + (v + k * step) * SIZE);
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) {
#pragma unroll
            for (u32 e = 0; e < SIZE; e++) {
                x = S::combine(x, all.item(loaded[k].at[e], head + (v + k * step) * SIZE + e));
            }
        }
    }
#pragma unroll 1
    for (; v < vectors; v += step) {
        Vector loaded = load16(all.in + head + v * SIZE);
#pragma unroll
        for (u32 e = 0; e < SIZE; e++) x = S::combine(x, all.item(loaded.at[e], head + v * SIZE + e));
    }
    // What lies before the first and after the last vector: fewer than eight elements in all.
    u64 tail = head + vectors * SIZE;
#pragma unroll 1
    for (u64 i = global_thread(); i < head + (n - tail); i += step) {
        x = S::combine(x, all.load(i < head ? i : i - head + tail));
    }

    x = block_fold<S>(warps, x);
    if (threadIdx.x == 0) {
        partial.store(blockIdx.x, x);
        // The partial is visible to the GPU before the ticket says so.
        __threadfence();
        last = atomicAdd(ticket, 1) == gridDim.x - 1;
        // And whoever sees all tickets drawn sees all partials.
        __threadfence();
    }
    __syncthreads();
    if (!last) return;

    x = S::identity();
#pragma unroll 1
    for (u32 b = threadIdx.x; b < gridDim.x; b += blockDim.x) x = S::combine(x, partial.load(b));
    x = block_fold<S>(warps, x);
    if (threadIdx.x == 0) {
        all.store(0, x);
        atomicExch(ticket, 0);
    }
}

// ---- Rungs 10 and 11 -----------------------------------------------------------------------------------------------

// Items that blocks post for others: every word of 32 bits goes with the number of the launch into 64 bits, which are
// written and read at once. No fence is needed, because whoever reads the number reads the word; and nothing has to be
// cleared, because the next launch has another number.
template <class S> struct Posts {
    u64* state;
    u32 launch;

    // `state` is the number of launches, then the posts.
    __device__ explicit Posts(u64* state) : state(state), launch(u32(read(state)) + 1) {}
    __device__ static u64 read(const u64* p) {
        u64 x;
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(__cvta_generic_to_global(p)) : "memory");
        return x;
    }
    __device__ static void write(u64* p, u64 x) {
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(__cvta_generic_to_global(p)), "l"(x) : "memory");
    }
    __device__ u64* place(u64 i) const { return state + 1 + i * S::WORDS; }
    __device__ void post(u64 i, typename S::Item x) const {
        alignas(8) u32 words[S::WORDS];
        S::split(x, words);
#pragma unroll
        for (u32 w = 0; w < S::WORDS; w++) write(place(i) + w, u64(launch) << 32 | words[w]);
    }

    struct Seen {
        u64 words[S::WORDS];
    };
    __device__ Seen look(u64 i) const {
        Seen seen;
#pragma unroll
        for (u32 w = 0; w < S::WORDS; w++) seen.words[w] = read(place(i) + w);
        return seen;
    }
    // What was seen, once it is there.
    __device__ typename S::Item wait(u64 i, Seen seen) const {
        alignas(8) u32 words[S::WORDS];
#pragma unroll
        for (u32 w = 0; w < S::WORDS; w++) {
            while (u32(seen.words[w] >> 32) != launch) seen.words[w] = read(place(i) + w);
            words[w] = u32(seen.words[w]);
        }
        return S::join(words);
    }
    // Everybody has posted or nobody will look: the next launch may begin.
    __device__ void end() const { write(state, launch); }
};

// Takes tiles from number `tile` to `end`, a grid apart: AHEAD vectors a thread, under way together.
template <u32 AHEAD, class S>
__device__ void take(S all, u64 head, u64 tile, u64 end, typename S::Item& x) {
    using Vector = Vec16<typename S::Value>;
#pragma unroll 1
    for (; tile < end; tile += gridDim.x) {
        u64 first = head + (tile * AHEAD * blockDim.x + threadIdx.x) * Vector::SIZE;
        Vector loaded[AHEAD];
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) loaded[k] = load16(all.in + first + k * blockDim.x * Vector::SIZE);
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) {
#pragma unroll
            for (u32 e = 0; e < Vector::SIZE; e++) {
                x = S::combine(x, all.item(loaded[k].at[e], first + k * blockDim.x * Vector::SIZE + e));
            }
        }
    }
}

// Rung gpu-10-posted: blocks post their partials, and the last block of the grid waits for them. Against a ticket that
// saves two fences and an atomic, each a journey to the L2 cache. Up to 16 loads of a thread are under way.
// Launch: any grid (as many blocks as run at once), block a multiple of 32 up to 256. No dynamic shared memory. The
// last block waits for those before it, which were started before it.
// Arguments: in, state, out, n; for argmin and argmax: values, state, out_value, out_index, n. `state` is
// 8 * (1 + grid * words) bytes, an item of so many words of 32 bits, and zero before the first launch of all. Launches
// that may overlap need their own.
template <class S> __device__ void reduce_10_posted(S all, u64* state, u64 n) {
    __shared__ typename S::WarpItems warps;
    Posts<S> posts(state);
    typename S::Item x = S::identity();
    u64 head = elements_to_boundary(all.in);
    if (head > n) head = n;
    u64 vectors = (n - head) / Vec16<typename S::Value>::SIZE;
    // Large tiles as long as there is one for every block, then small ones, then what is less than a small one.
    u64 small = vectors / (4 * blockDim.x);
    constexpr u32 TIMES = S::AHEAD / 4;
    u64 large = small / TIMES - small / TIMES % gridDim.x;
    take<S::AHEAD>(all, head, blockIdx.x, large, x);
    take<4>(all, head, TIMES * large + blockIdx.x, small, x);
    u64 rest = head + small * 4 * blockDim.x * Vec16<typename S::Value>::SIZE;
#pragma unroll 1
    for (u64 i = global_thread(); i < head + (n - rest); i += global_threads()) {
        x = S::combine(x, all.load(i < head ? i : i - head + rest));
    }
    bool last = blockIdx.x == gridDim.x - 1;
    if (last) {
#pragma unroll 1
        for (u32 b = threadIdx.x; b < blockIdx.x; b += blockDim.x) x = S::combine(x, posts.wait(b, posts.look(b)));
    }
    x = block_fold<S>(warps, x);
    if (threadIdx.x != 0) return;
    if (last) {
        all.store(0, x);
        posts.end();
    } else {
        posts.post(blockIdx.x, x);
    }
}

// The fixed tree: see `fixed.rs`, which does the same on the CPU. A tile is eight warps of eight rows of 512 bytes.
template <class T, class Op> struct FixedTree {
    enum : u32 { SIZE = 16 / sizeof(T), ROW = WARP * SIZE, ROWS = 8, WARPS = 8, TILE = ROW * ROWS * WARPS, ASKED = 2 };
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
    // The same of posts number base to base + count - 1, from the i-th of them on. Two rows are asked for at once.
    __device__ static void posted_rows(Columns& to, const Posts<Values<T, Op>>& posts, u64 base, u64 count, u64 i) {
        u32 lane = threadIdx.x % WARP;
        T x[SIZE];
#pragma unroll
        for (u32 e = 0; e < SIZE; e++) x[e] = Op::identity();
#pragma unroll 1
        for (u32 r = 0; r < ROWS && i + r * ROW < count; r += ASKED) {
            typename Posts<Values<T, Op>>::Seen seen[ASKED * SIZE];
#pragma unroll
            for (u32 k = 0; k < ASKED * SIZE; k++) {
                u64 at = i + r * ROW + k * WARP + lane;
                if (at < count) seen[k] = posts.look(base + at);
            }
#pragma unroll
            for (u32 k = 0; k < ASKED * SIZE; k++) {
                u64 at = i + r * ROW + k * WARP + lane;
                if (at < count) x[k % SIZE] = Op::combine(x[k % SIZE], posts.wait(base + at, seen[k]));
            }
        }
#pragma unroll
        for (u32 e = 0; e < SIZE; e++) to.items[e * WARP + lane] = x[e];
    }
    // The same in two steps for rows that all are there, at a 16-byte boundary: lanes take the columns of a vector.
    struct Loaded {
        Vec16<T> rows[ROWS];
    };
    __device__ static void load_rows(Loaded& x, const T* in) {
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) x.rows[r] = load16(in + r * ROW + threadIdx.x % WARP * SIZE);
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
#pragma unroll
        for (u32 distance = 1; distance < SIZE; distance *= 2) {
#pragma unroll
            for (u32 e = 0; e < SIZE; e += 2 * distance) {
                x[0].at[e] = Op::combine(x[0].at[e], x[0].at[e + distance]);
            }
        }
        T y = x[0].at[0];
#pragma unroll
        for (u32 distance = WARP / 2; distance > 0; distance /= 2) {
            y = Op::combine(y, __shfl_xor_sync(ALL_LANES, y, distance));
        }
        return y;
    }
};

__device__ inline u64 min_of(u64 a, u64 b) { return a < b ? a : b; }

// Rung gpu-11-fixed-tree, sums and products of floats: the order depends on the number of elements alone, so that the
// bits are the same with any grid and on any GPU, and on the CPU. Every tile's value is posted, and the posts are the
// elements of the next round.
// Launch: any grid (as many blocks as run at once, no more than tiles), block 256. No dynamic shared memory.
// Arguments: as rung 10. A tile is 32 KB, and `state` has room for 1 + (tiles + the same of these, until one is left)
// items.
template <class T, class Op> __device__ void reduce_11_fixed_tree(const T* in, u64* state, T* out, u64 n) {
    using Tree = FixedTree<T, Op>;
    // Two sets, so that a tile can begin while the one before is being finished.
    __shared__ typename Tree::Columns columns[2][Tree::WARPS];
    u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, set = 0;
    Posts<Values<T, Op>> posts(state);
    u64 tiles = (n + Tree::TILE - 1) / Tree::TILE;
    u64 tile = tiles * blockIdx.x / gridDim.x, end = tiles * (blockIdx.x + 1) / gridDim.x;
    u64 part = warp * (Tree::ROWS * Tree::ROW);
    bool aligned = elements_to_boundary(in) == 0;
    auto is_whole = [&](u64 tile) { return aligned && (tile + 1) * Tree::TILE <= n; };
    // What is done with the value of a tile, the i-th post: the last of all is the result.
    auto finish = [&](u64 i, bool result) {
        __syncthreads();
        if (warp != 0) return;
        T x = Tree::fold(columns[set]);
        if (lane != 0) return;
        if (result) {
            *out = Op::combine(Op::identity(), x);
            posts.end();
        } else {
            posts.post(i, x);
        }
    };
    typename Tree::Loaded loaded;
    if (is_whole(tile)) Tree::load_rows(loaded, in + tile * Tree::TILE + part);
#pragma unroll 1
    for (; tile < end; tile++, set ^= 1) {
        if (is_whole(tile)) {
            Tree::loaded_rows(columns[set][warp], loaded);
        } else {
            u64 first = tile * Tree::TILE + part;
            const T* p = in + first;
            if (first + Tree::ROWS * Tree::ROW <= n) {
                Tree::rows(columns[set][warp], [=](u32 row, u32 column) { return p[row * Tree::ROW + column]; });
            } else {
                u32 left = first < n ? u32(n - first) : 0;
                Tree::rows(columns[set][warp], [=](u32 row, u32 column) {
                    return row * Tree::ROW + column < left ? p[row * Tree::ROW + column] : Op::identity();
                });
            }
        }
        // The next tile is under way while this one is finished.
        if (tile + 1 < end && is_whole(tile + 1)) Tree::load_rows(loaded, in + (tile + 1) * Tree::TILE + part);
        finish(tile, tiles == 1);
    }
    // The values of tiles are tiles again. Each is combined by the block that has posted the last of them, and has only
    // blocks before it to wait for; what comes out of that, by the last block, round after round.
    u64 base = 0, begin = tiles * blockIdx.x / gridDim.x;
#pragma unroll 1
    while (tiles > 1) {
        u64 next = (tiles + Tree::TILE - 1) / Tree::TILE;
#pragma unroll 1
        for (tile = begin / Tree::TILE; tile < next; tile++, set ^= 1) {
            if (min_of((tile + 1) * Tree::TILE, tiles) > end) break;
            Tree::posted_rows(columns[set][warp], posts, base, tiles, tile * Tree::TILE + part);
            finish(base + tiles + tile, next == 1);
        }
        if (blockIdx.x != gridDim.x - 1) return;
        base += tiles;
        tiles = end = next;
        begin = 0;
    }
}

// ---- Instances -----------------------------------------------------------------------------------------------------

#define VALUES(rung, op, Op, t) \
    extern "C" __global__ void reduce_##rung##_##op##_##t(const t* in, t* out, u64 n) { \
        reduce_##rung(Values<t, Op<t>>{in, out}, n); \
    }
#define POSITIONS(rung, op, Op, t) \
    extern "C" __global__ void reduce_##rung##_##op##_##t( \
        const t* values, const u64* indices, t* out_values, u64* out_indices, u64 n) { \
        reduce_##rung(Positions<t, Op<t>>{values, indices, out_values, out_indices}, n); \
    }
#define VALUES_6(block, op, Op, t) \
    extern "C" __global__ void __launch_bounds__(block) \
        reduce_6_unrolled_##block##_##op##_##t(const t* in, t* out, u64 n) { \
        reduce_6_unrolled<block>(Values<t, Op<t>>{in, out}, n); \
    }
#define POSITIONS_6(block, op, Op, t) \
    extern "C" __global__ void __launch_bounds__(block) reduce_6_unrolled_##block##_##op##_##t( \
        const t* values, const u64* indices, t* out_values, u64* out_indices, u64 n) { \
        reduce_6_unrolled<block>(Positions<t, Op<t>>{values, indices, out_values, out_indices}, n); \
    }
#define VALUES_9(rung, op, Op, t) \
    extern "C" __global__ void reduce_##rung##_##op##_##t(const t* in, t* partials, t* out, u32* ticket, u64 n) { \
        using Stream = Values<t, Op<t>>; \
        reduce_##rung(Stream{in, out}, Stream{partials, partials}, ticket, n); \
    }
#define POSITIONS_9(rung, op, Op, t) \
    extern "C" __global__ void reduce_##rung##_##op##_##t( \
        const t* values, t* partial_values, u64* partial_indices, t* out_value, u64* out_index, u32* ticket, u64 n) { \
        using Stream = Positions<t, Op<t>>; \
        reduce_##rung(Stream{values, nullptr, out_value, out_index}, \
            Stream{partial_values, partial_indices, partial_values, partial_indices}, ticket, n); \
    }

#define VALUES_10(rung, op, Op, t) \
    extern "C" __global__ void __launch_bounds__(256, 3) reduce_##rung##_##op##_##t( \
        const t* in, u64* state, t* out, u64 n) { \
        reduce_##rung(Values<t, Op<t>>{in, out}, state, n); \
    }
#define POSITIONS_10(rung, op, Op, t) \
    extern "C" __global__ void __launch_bounds__(256, 3) reduce_##rung##_##op##_##t( \
        const t* values, u64* state, t* out_value, u64* out_index, u64 n) { \
        reduce_##rung(Positions<t, Op<t>>{values, nullptr, out_value, out_index}, state, n); \
    }
#define FIXED(op, Op, t) \
    extern "C" __global__ void __launch_bounds__(256, 4) reduce_11_fixed_tree_##op##_##t( \
        const t* in, u64* state, t* out, u64 n) { \
        reduce_11_fixed_tree<t, Op<t>>(in, state, out, n); \
    }

#define TYPES(MAKE, rung, op, Op) \
    MAKE(rung, op, Op, i32) MAKE(rung, op, Op, u32) MAKE(rung, op, Op, i64) \
    MAKE(rung, op, Op, u64) MAKE(rung, op, Op, f32) MAKE(rung, op, Op, f64)
#define OPERATORS(OF_VALUES, OF_POSITIONS, rung) \
    TYPES(OF_VALUES, rung, sum, Sum) TYPES(OF_VALUES, rung, product, Product) \
    TYPES(OF_VALUES, rung, min, Min) TYPES(OF_VALUES, rung, max, Max) \
    TYPES(OF_POSITIONS, rung, argmin, Argmin) TYPES(OF_POSITIONS, rung, argmax, Argmax)

OPERATORS(VALUES, POSITIONS, 1_interleaved)
OPERATORS(VALUES, POSITIONS, 2_strided)
OPERATORS(VALUES, POSITIONS, 3_sequential)
OPERATORS(VALUES, POSITIONS, 4_first_add)
OPERATORS(VALUES, POSITIONS, 5_unroll_last_warp)
OPERATORS(VALUES_6, POSITIONS_6, 64)
OPERATORS(VALUES_6, POSITIONS_6, 128)
OPERATORS(VALUES_6, POSITIONS_6, 256)
OPERATORS(VALUES_6, POSITIONS_6, 512)
OPERATORS(VALUES_6, POSITIONS_6, 1024)
OPERATORS(VALUES, POSITIONS, 7_multi_add)
OPERATORS(VALUES, POSITIONS, 8_shuffle)
OPERATORS(VALUES_9, POSITIONS_9, 9_single_pass)
OPERATORS(VALUES_10, POSITIONS_10, 10_posted)
FIXED(sum, Sum, f32)
FIXED(sum, Sum, f64)
FIXED(product, Product, f32)
FIXED(product, Product, f64)
