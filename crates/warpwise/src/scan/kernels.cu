// Prefix combinations: out[i] is in[0] .. in[i] combined (inclusive) or in[0] .. in[i - 1] (exclusive; out[0] is the
// operator's identity). Sum, product, min, max. n >= 1. in and out may be the same buffer.
//
// Rungs 1 to 4 scan with one block, to see the algorithms. Rungs 5 to 7 take any n, and so does rung 8
// in `gather.cu`.
#include "instances.cuh"

// What is left of an element: the exclusive result from the inclusive results of its neighbours.
template <bool INCLUSIVE, class T, class Op> __device__ T pick(const T* inclusive, u32 i) {
    if (INCLUSIVE) return inclusive[i];
    return i == 0 ? Op::identity() : inclusive[i - 1];
}

// Rung gpu-1-hillis-steele: in step d every element takes in the one 2^d to its left. In place, so a barrier has to
// part the reads of a step from its writes, and another the writes from the reads of the next: without the first, a
// thread may read what its neighbour has just written.
// Launch: grid 1, block >= n (so n <= 1024), dynamic shared block * sizeof(T). Arguments: in, out, n.
template <bool INCLUSIVE, class T, class Op> __device__ void scan_1_hillis_steele(const T* in, T* out, u64 n) {
    T* tile = dynamic_shared<T>();
    u32 t = threadIdx.x;
    T x = t < n ? in[t] : Op::identity();
    tile[t] = x;
    __syncthreads();
#pragma unroll 1
    for (u32 distance = 1; distance < blockDim.x; distance *= 2) {
        if (t >= distance) x = Op::combine(tile[t - distance], x);
        __syncthreads();
        tile[t] = x;
        __syncthreads();
    }
    if (t < n) out[t] = pick<INCLUSIVE, T, Op>(tile, t);
}

// Rung gpu-2-double-buffer: steps read one buffer and write the other, so that one barrier a step is enough.
// Launch: as rung 1, but dynamic shared 2 * block * sizeof(T).
template <bool INCLUSIVE, class T, class Op> __device__ void scan_2_double_buffer(const T* in, T* out, u64 n) {
    T* from = dynamic_shared<T>();
    T* to = from + blockDim.x;
    u32 t = threadIdx.x;
    from[t] = t < n ? in[t] : Op::identity();
    __syncthreads();
#pragma unroll 1
    for (u32 distance = 1; distance < blockDim.x; distance *= 2) {
        to[t] = t >= distance ? Op::combine(from[t - distance], from[t]) : from[t];
        __syncthreads();
        T* written = to;
        to = from;
        from = written;
    }
    if (t < n) out[t] = pick<INCLUSIVE, T, Op>(from, t);
}

// How the elements of a tile are laid out in shared memory.
struct Dense {
    __device__ static u32 place(u32 i) { return i; }
};
// One unused word after every 128 bytes: elements 2, 4, 8, ... apart are in different banks.
template <class T> struct Padded {
    __device__ static u32 place(u32 i) { return i + i / u32(128 / sizeof(T)); }
};

// Blelloch's scan of 2 * blockDim elements: up the tree with sums, down again with what is left of each node. It does
// about 2n operations where Hillis and Steele do n log n. Leaves the exclusive scan in the tile and returns the total
// in thread 0. The tile is complete when it is called, and when it returns.
template <class Layout, class T, class Op> __device__ T blelloch(T* tile) {
    u32 t = threadIdx.x, size = 2 * blockDim.x;
    T total = Op::identity();
    u32 distance = 1;
#pragma unroll 1
    for (u32 nodes = blockDim.x; nodes > 0; nodes /= 2, distance *= 2) {
        if (t < nodes) {
            u32 right = Layout::place(distance * (2 * t + 2) - 1), left = Layout::place(distance * (2 * t + 1) - 1);
            tile[right] = Op::combine(tile[left], tile[right]);
        }
        __syncthreads();
    }
    if (t == 0) {
        total = tile[Layout::place(size - 1)];
        tile[Layout::place(size - 1)] = Op::identity();
    }
    __syncthreads();
#pragma unroll 1
    for (u32 nodes = 1; nodes <= blockDim.x; nodes *= 2) {
        distance /= 2;
        if (t < nodes) {
            u32 right = Layout::place(distance * (2 * t + 2) - 1), left = Layout::place(distance * (2 * t + 1) - 1);
            T x = tile[left];
            tile[left] = tile[right];
            tile[right] = Op::combine(tile[right], x);
        }
        __syncthreads();
    }
    return total;
}

// Scans the 2 * blockDim elements from `first` on and returns their total in thread 0.
template <bool INCLUSIVE, class Layout, class T, class Op>
__device__ T blelloch_tile(const T* in, T* out, u64 first, u64 n) {
    T* tile = dynamic_shared<T>();
    u32 lower = threadIdx.x, upper = threadIdx.x + blockDim.x;
    T a = first + lower < n ? in[first + lower] : Op::identity();
    T b = first + upper < n ? in[first + upper] : Op::identity();
    tile[Layout::place(lower)] = a;
    tile[Layout::place(upper)] = b;
    __syncthreads();
    T total = blelloch<Layout, T, Op>(tile);
    T x = tile[Layout::place(lower)], y = tile[Layout::place(upper)];
    if (first + lower < n) out[first + lower] = INCLUSIVE ? Op::combine(x, a) : x;
    if (first + upper < n) out[first + upper] = INCLUSIVE ? Op::combine(y, b) : y;
    return total;
}

// Rung gpu-3-blelloch: work-efficient, two elements a thread. Bank conflicts grow with the distance.
// Launch: grid 1, block a power of two >= n / 2 (so n <= 2048), dynamic shared 2 * block * sizeof(T).
// Arguments: in, out, n.
template <bool INCLUSIVE, class T, class Op> __device__ void scan_3_blelloch(const T* in, T* out, u64 n) {
    blelloch_tile<INCLUSIVE, Dense, T, Op>(in, out, 0, n);
}

// Rung gpu-4-blelloch-padded: the same with a padded tile, against bank conflicts.
// Launch: as rung 3, but dynamic shared (2 * block + 2 * block * sizeof(T) / 128) * sizeof(T).
template <bool INCLUSIVE, class T, class Op> __device__ void scan_4_blelloch_padded(const T* in, T* out, u64 n) {
    blelloch_tile<INCLUSIVE, Padded<T>, T, Op>(in, out, 0, n);
}

// Rung gpu-5-three-phase: any n. (1) Every block scans a tile of 2 * block elements and writes its total. (2) The
// totals are scanned, exclusively: by the same kernels if they fit one tile, else by the same three phases. (3) Every
// element takes in the scanned total of the tiles before its own.
// Launches: `scan_5_three_phase_tiles_...`, grid ceil(n / (2 * block)), block a power of two, dynamic shared as rung 4;
//     arguments: in, out, totals (one value a block, or null if there is one block), n.
//   Phases 1 and 2 on the totals with the exclusive kernel, out = totals, and one more buffer of totals per level.
//   `scan_add_...`, grid ceil(n / block2), any block2; arguments: out (changed), scanned totals, n, elements of a tile.
template <bool INCLUSIVE, class T, class Op>
__device__ void scan_5_three_phase_tiles(const T* in, T* out, T* totals, u64 n) {
    u64 first = u64(blockIdx.x) * blockDim.x * 2;
    T total = blelloch_tile<INCLUSIVE, Padded<T>, T, Op>(in, out, first, n);
    if (totals != nullptr && threadIdx.x == 0) totals[blockIdx.x] = total;
}

// The third phase of rungs 5 and 6.
template <class T, class Op> __device__ void scan_add(T* out, const T* totals, u64 n, u64 tile) {
    u64 i = global_thread();
    if (i < n) out[i] = Op::combine(totals[i / tile], out[i]);
}

// The combination of the lanes up to this one.
template <class T, class Op> __device__ T warp_scan(T x) {
    u32 lane = threadIdx.x % WARP;
#pragma unroll
    for (u32 distance = 1; distance < WARP; distance *= 2) {
        T left = __shfl_up_sync(ALL_LANES, x, distance);
        if (lane >= distance) x = Op::combine(left, x);
    }
    return x;
}

// What a block knows of itself after a scan over its threads.
template <class T> struct BlockScan {
    T before;  // the threads before this one
    T total;   // all threads
};

// Scans one value a thread over a block of whole warps, with `warps` as scratch memory, which may be used again after
// the caller's next block barrier.
template <class T, class Op> __device__ BlockScan<T> block_scan(T x, T (&warps)[WARP]) {
    u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    T inclusive = warp_scan<T, Op>(x);
    if (lane == WARP - 1) warps[warp] = inclusive;
    __syncthreads();
    if (warp == 0) {
        T total = lane < blockDim.x / WARP ? warps[lane] : Op::identity();
        warps[lane] = warp_scan<T, Op>(total);
    }
    __syncthreads();
    T before = __shfl_up_sync(ALL_LANES, inclusive, 1);
    if (lane == 0) before = Op::identity();
    if (warp > 0) before = Op::combine(warps[warp - 1], before);
    return {before, warps[WARP - 1]};
}

// Rung gpu-6-warp-shuffle: the tiles of phase 1 are scanned by shuffles within each warp; shared memory only carries
// the totals of warps.
// Launches: as rung 5 with `scan_6_warp_shuffle_tiles_...`, grid ceil(n / block), block a multiple of 32, no dynamic
//   shared memory, a tile of `block` elements; and `scan_add_...`.
template <bool INCLUSIVE, class T, class Op>
__device__ void scan_6_warp_shuffle_tiles(const T* in, T* out, T* totals, u64 n) {
    __shared__ T warps[WARP];
    u64 i = global_thread();
    T x = i < n ? in[i] : Op::identity();
    BlockScan<T> scan = block_scan<T, Op>(x, warps);
    if (i < n) out[i] = INCLUSIVE ? Op::combine(scan.before, x) : scan.before;
    if (totals != nullptr && threadIdx.x == 0) totals[blockIdx.x] = scan.total;
}

// ---- Rung 7: what blocks tell each other ---------------------------------------------------------------------------
// A tile goes from EMPTY to TOTAL (its own elements combined) to PREFIX (all elements up to its end combined).
enum : u32 { EMPTY = 0, TOTAL = 1, PREFIX = 2 };

__device__ inline u64 load_acquire(const u64* p) {
    u64 x;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(__cvta_generic_to_global(p)) : "memory");
    return x;
}
__device__ inline void store_release(u64* p, u64 x) {
    asm volatile("st.release.gpu.global.u64 [%0], %1;" : : "l"(__cvta_generic_to_global(p)), "l"(x) : "memory");
}

template <class T> struct News {
    u32 status;
    T value;
};

template <class T> __device__ inline u32 bits(T x) { return *reinterpret_cast<u32*>(&x); }

// Types of 4 bytes: status and value are one 8-byte word, written and read at once.
template <class T, u32 BYTES = sizeof(T)> struct Board {
    u64* words;
    __device__ Board(u64* words, u64) : words(words) {}
    __device__ void publish(u64 tile, u32 status, T value) {
        store_relaxed(words + tile, u64(status) << 32 | bits(value));
    }
    __device__ News<T> read(u64 tile) const {
        u64 word = load_relaxed(words + tile);
        u32 low = u32(word);
        return {u32(word >> 32), *reinterpret_cast<T*>(&low)};
    }
};

// Types of 8 bytes: the value is written first and the status released after it. Total and prefix have places of their
// own, because a reader may still be at the total when the prefix comes.
template <class T> struct Board<T, 8> {
    u64* statuses;
    T* totals;
    T* prefixes;
    __device__ Board(u64* words, u64 tiles)
        : statuses(words), totals(reinterpret_cast<T*>(words + tiles)), prefixes(totals + tiles) {}
    __device__ void publish(u64 tile, u32 status, T value) {
        (status == PREFIX ? prefixes : totals)[tile] = value;
        store_release(statuses + tile, status);
    }
    __device__ News<T> read(u64 tile) const {
        u32 status = u32(load_acquire(statuses + tile));
        if (status == EMPTY) return {EMPTY, T()};
        return {status, (status == PREFIX ? prefixes : totals)[tile]};
    }
};

// All tiles before this one combined; called by one whole warp. 32 tiles are looked at together, from the nearest on:
// their totals are combined as far as the nearest one that already has its prefix. Ends, because tiles before this one
// were started before it and wait for nobody after them.
template <class T, class Op> __device__ T look_back(const Board<T>& board, u64 tile) {
    u32 lane = threadIdx.x % WARP;
    T before = Op::identity();
    for (u64 nearest = tile; nearest > 0; nearest -= WARP) {
        // Before the first tile there is nothing: a prefix that is the identity.
        News<T> news = {PREFIX, Op::identity()};
        if (lane < nearest) {
            do news = board.read(nearest - 1 - lane);
            while (news.status == EMPTY);
        }
        __syncwarp();
        u32 with_prefix = __ballot_sync(ALL_LANES, news.status == PREFIX);
        u32 last = with_prefix ? __ffs(with_prefix) - 1 : WARP - 1;
        T x = lane <= last ? news.value : Op::identity();
#pragma unroll
        for (u32 distance = WARP / 2; distance > 0; distance /= 2) {
            x = Op::combine(__shfl_xor_sync(ALL_LANES, x, distance), x);
        }
        before = Op::combine(x, before);
        if (with_prefix) break;
    }
    return before;
}

// Rung gpu-7-look-back: a single pass, so every element is read and written once. Blocks take tiles in the order in
// which they start, publish the total of their tile, and look back at what earlier tiles have published.
// The order in which floats are combined depends on timing: the last bits of a sum may differ between runs.
// Launch: grid = tiles = ceil(n / (block * ITEMS)), ITEMS = 64 / sizeof(T) (16 or 8), block a multiple of 32, one
//   launch, dynamic shared (block * ITEMS + block / 2) * sizeof(T).
// Arguments: in, out, state, n. `state` is 8 * (1 + tiles) bytes for types of 4 bytes, 8 * (1 + 3 * tiles) for types
//   of 8 bytes: the ticket, then the board. Its first 1 + tiles words are zero before every launch.
template <bool INCLUSIVE, class T, class Op>
__device__ void scan_7_look_back(const T* in, T* out, u64* state, u64 n) {
    constexpr u32 ITEMS = 64 / sizeof(T);
    __shared__ T warps[WARP];
    __shared__ T before_tile;
    __shared__ u32 ticket;
    T* tile_items = dynamic_shared<T>();
    u32 t = threadIdx.x;
    if (t == 0) ticket = atomicAdd(reinterpret_cast<u32*>(state), 1);
    __syncthreads();
    u64 tile = ticket;
    u64 first = tile * blockDim.x * ITEMS;
    Board<T> board(state + 1, gridDim.x);

    // Neighbouring lanes load neighbouring elements; through shared memory each gets ITEMS in a row. A warp keeps to
    // its own part of the tile, so that a warp barrier is enough, and all distances are constants: a row of 32 elements
    // is ROW places long.
    constexpr u32 ROW = WARP + WARP * sizeof(T) / 128;
    u32 lane = t % WARP, warp_start = (t - lane) * ITEMS;
    T* striped = tile_items + Padded<T>::place(warp_start + lane);
    T* own = tile_items + Padded<T>::place(t * ITEMS);
    u64 start = first + warp_start + lane;
    u64 left = start < n ? n - start : 0;
    // Whole tiles go without tests, so that all their loads are under way together.
    bool whole = first + u64(blockDim.x) * ITEMS <= n;
    T items[ITEMS];
    if (whole) {
#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) items[k] = in[start + k * WARP];
    } else {
#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) items[k] = k * WARP < left ? in[start + k * WARP] : Op::identity();
    }
#pragma unroll
    for (u32 k = 0; k < ITEMS; k++) striped[k * ROW] = items[k];
    __syncwarp();
    T sum = Op::identity();
#pragma unroll
    for (u32 k = 0; k < ITEMS; k++) {
        items[k] = own[k];
        sum = Op::combine(sum, items[k]);
    }
    BlockScan<T> scan = block_scan<T, Op>(sum, warps);

    if (t < WARP) {
        if (t == 0) board.publish(tile, tile == 0 ? PREFIX : TOTAL, scan.total);
        T before = look_back<T, Op>(board, tile);
        if (t == 0) {
            if (tile > 0) board.publish(tile, PREFIX, Op::combine(before, scan.total));
            before_tile = before;
        }
    }
    __syncthreads();

    T running = Op::combine(before_tile, scan.before);
#pragma unroll
    for (u32 k = 0; k < ITEMS; k++) {
        T next = Op::combine(running, items[k]);
        own[k] = INCLUSIVE ? next : running;
        running = next;
    }
    __syncwarp();
    if (whole) {
#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) out[start + k * WARP] = striped[k * ROW];
        return;
    }
#pragma unroll
    for (u32 k = 0; k < ITEMS; k++) {
        if (k * WARP < left) out[start + k * WARP] = striped[k * ROW];
    }
}

// ---- Instances -----------------------------------------------------------------------------------------------------

#define KERNEL(rung, kind, INCLUSIVE, op, Op, t) \
    extern "C" __global__ void scan_##rung##_##kind##_##op##_##t(const t* in, t* out, u64 n) { \
        scan_##rung<INCLUSIVE, t, Op<t>>(in, out, n); \
    }
#define KERNEL_TILES(rung, kind, INCLUSIVE, op, Op, t) \
    extern "C" __global__ void scan_##rung##_##kind##_##op##_##t(const t* in, t* out, t* totals, u64 n) { \
        scan_##rung<INCLUSIVE, t, Op<t>>(in, out, totals, n); \
    }
#define KERNEL_LOOK_BACK(rung, kind, INCLUSIVE, op, Op, t) \
    extern "C" __global__ void scan_##rung##_##kind##_##op##_##t(const t* in, t* out, u64* state, u64 n) { \
        scan_##rung<INCLUSIVE, t, Op<t>>(in, out, state, n); \
    }
#define KERNEL_ADD(op, Op, t) \
    extern "C" __global__ void scan_add_##op##_##t(t* out, const t* totals, u64 n, u64 tile) { \
        scan_add<t, Op<t>>(out, totals, n, tile); \
    }

KINDS(KERNEL, 1_hillis_steele)
KINDS(KERNEL, 2_double_buffer)
KINDS(KERNEL, 3_blelloch)
KINDS(KERNEL, 4_blelloch_padded)
KINDS(KERNEL_TILES, 5_three_phase_tiles)
KINDS(KERNEL_TILES, 6_warp_shuffle_tiles)
TYPES(KERNEL_ADD, sum, Sum)
TYPES(KERNEL_ADD, product, Product)
TYPES(KERNEL_ADD, min, Min)
TYPES(KERNEL_ADD, max, Max)
KINDS(KERNEL_LOOK_BACK, 7_look_back)
