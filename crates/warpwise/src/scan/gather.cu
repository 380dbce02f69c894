// The rung of scan that works without a chain from block to block.
//
// `kernels.cu` has the rungs before it, and says what is computed. n >= 1. in and out may be the same buffer.
#include "instances.cuh"

// A value as words of 32 bits.
template <class T> struct Value {
    using Item = T;
    enum : u32 { WORDS = sizeof(T) / 4 };
    __device__ static void split(T x, u32* words) { *reinterpret_cast<T*>(words) = x; }
    __device__ static T join(const u32* words) { return *reinterpret_cast<const T*>(words); }
};

// What a block knows of the tiles before its own: the combination of the first `groups` groups of 32.
template <class T, class Op> struct Past {
    T carry = Op::identity();
    u32 groups = 0;

    // All tiles before this one combined; called by one whole warp. Groups are combined within, then one after the
    // other: an order that does not depend on who is early and who is late.
    __device__ T before(const Posts<Value<T>>& posts, u32 tile) {
        constexpr u32 AT_ONCE = sizeof(T) == 4 ? 9 : 5;
        u32 lane = threadIdx.x % WARP, whole = tile / WARP;
        T so_far = carry;
#pragma unroll 1
        for (u32 g = groups; g * WARP < tile; g += AT_ONCE) {
            typename Posts<Value<T>>::Seen seen[AT_ONCE];
            posts.wait(seen, g * WARP + lane, u32(WARP), tile);
            T x[AT_ONCE];
#pragma unroll
            for (u32 k = 0; k < AT_ONCE; k++) {
                x[k] = (g + k) * WARP + lane < tile ? posts.item(seen[k]) : Op::identity();
            }
#pragma unroll
            for (u32 distance = WARP / 2; distance > 0; distance /= 2) {
#pragma unroll
                for (u32 k = 0; k < AT_ONCE; k++) {
                    x[k] = Op::combine(x[k], __shfl_xor_sync(ALL_LANES, x[k], distance));
                }
            }
#pragma unroll
            for (u32 k = 0; k < AT_ONCE; k++) {
                so_far = Op::combine(so_far, x[k]);
                if (g + k < whole) carry = so_far;
            }
        }
        groups = whole;
        return so_far;
    }
};

// Some rows of a warp, which are 512 bytes and have 16 in a lane, scanned in registers: what comes before them is
// given, and what comes before the next ones returned.
template <bool INCLUSIVE, u32 ROWS, class T, class Op> __device__ T scan_rows(Vec16<T> (&rows)[ROWS], T before) {
    constexpr u32 SIZE = Vec16<T>::SIZE;
    u32 lane = threadIdx.x % WARP;
    T sums[ROWS];
#pragma unroll
    for (u32 r = 0; r < ROWS; r++) {
#pragma unroll
        for (u32 e = 1; e < SIZE; e++) rows[r].at[e] = Op::combine(rows[r].at[e - 1], rows[r].at[e]);
        sums[r] = rows[r].at[SIZE - 1];
    }
    // All rows together, so that they don't wait for each other's shuffles.
#pragma unroll
    for (u32 distance = 1; distance < WARP; distance *= 2) {
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            T left = __shfl_up_sync(ALL_LANES, sums[r], distance);
            if (lane >= distance) sums[r] = Op::combine(left, sums[r]);
        }
    }
#pragma unroll
    for (u32 r = 0; r < ROWS; r++) {
        T left = __shfl_up_sync(ALL_LANES, sums[r], 1);
        T last = lane == 0 ? before : Op::combine(before, left);
        T first = last;
#pragma unroll
        for (u32 e = 0; e < SIZE; e++) {
            T next = Op::combine(first, rows[r].at[e]);
            rows[r].at[e] = INCLUSIVE ? next : last;
            last = next;
        }
        before = Op::combine(before, __shfl_sync(ALL_LANES, sums[r], WARP - 1));
    }
    return before;
}

// The most rows that a warp has of a tile, and how many of them are taken at a time; the most threads of a block.
enum : u32 { ROWS = 12, ROWS_AT_ONCE = 4, GATHER_BLOCK = 256 };

// Where the elements are: numbered from a 16-byte boundary of the input on, so that there are none before number `low`.
template <class T, class Op> struct Elements {
    enum : u32 { SIZE = Vec16<T>::SIZE, ROW = WARP * SIZE };
    const T* in;
    T* out;
    u64 low, high;

    __device__ Elements(const T* from, T* to, u64 n) {
        low = reinterpret_cast<u64>(from) % 16 / sizeof(T), high = low + n;
        in = from - low, out = to - low;
    }
    __device__ bool has(u64 i) const { return i >= low && i < high; }
    // So many rows that begin at number i for this lane; `whole` if all their elements are there.
    __device__ void load(Vec16<T> (&rows)[ROWS], u32 count, u64 i, bool whole) const {
#pragma unroll
        for (u32 c = 0; c < ROWS; c += ROWS_AT_ONCE) {
            if (c >= count) break;
#pragma unroll
            for (u32 r = c; r < c + ROWS_AT_ONCE; r++) {
                if (whole) {
                    rows[r] = load16(in + i + r * ROW);
                } else {
#pragma unroll
                    for (u32 e = 0; e < SIZE; e++) {
                        u64 j = i + r * ROW + e;
                        rows[r].at[e] = has(j) ? in[j] : Op::identity();
                    }
                }
            }
        }
    }
    // Stores a row that begins at number i for this lane. A whole one goes through `shared`, the warp's row, because
    // `out` has no 16-byte boundary there: neighbouring lanes store neighbouring elements.
    __device__ void store(const Vec16<T>& row, u64 i, bool whole, Vec16<T>* shared) const {
        u32 lane = threadIdx.x % WARP;
        if (!whole) {
#pragma unroll
            for (u32 e = 0; e < SIZE; e++) {
                if (has(i + e)) out[i + e] = row.at[e];
            }
        } else {
            // Nobody else reads the lane's own place before, and nobody writes to it before all have read.
            shared[lane] = row;
            __syncwarp();
            const T* items = shared->at;
#pragma unroll
            for (u32 e = 0; e < SIZE; e++) out[i - lane * SIZE + e * WARP + lane] = items[e * WARP + lane];
            __syncwarp();
        }
    }
};

// Rung gpu-8-gather: no chain from block to block. Blocks stay and take tile after tile; each posts its tile's total,
// and adds up the totals of all others for itself. It does so a tile later, when they have long been posted: while one
// tile is finished, the next is summed, and the one after that is on its way. Floats are combined in the same order in
// every run.
// Launch: any grid (as many blocks as run at once, no more than ceil((n + 3) / tile)), block a multiple of 32 up to
//   256, tile = block * rows * 16 / sizeof(T), one launch, dynamic shared block * rows * 32.
// Arguments: in, out, state, n, rows: 4, 8 or 12, for small inputs and large ones. `state` is
//   8 * (1 + tiles * sizeof(T) / 4) bytes, zero before the first launch. Every launch leaves it ready for the next, of
//   whatever length and type. Launches that may overlap need their own.
template <bool INCLUSIVE, class T, class Op>
__device__ void scan_8_gather(const T* from, T* to, u64* state, u64 n, u32 rows) {
    using E = Elements<T, Op>;
    // Two of each, for odd and even tiles, so that one barrier is enough between writers and readers.
    __shared__ T warps[2][WARP];
    __shared__ T before_tile[2];
    __shared__ u32 drawn[2];
    u32 t = threadIdx.x, lane = t % WARP, warp = t / WARP;
    E elements(from, to, n);
    u64 tile_size = u64(blockDim.x) * rows * E::SIZE;
    u32 tiles = u32((elements.high + tile_size - 1) / tile_size);
    auto place = [&](u32 tile) { return tile * tile_size + (u64(warp) * rows * WARP + lane) * E::SIZE; };
    auto is_whole = [&](u32 tile) { return elements.has(tile * tile_size) && (tile + 1) * tile_size <= elements.high; };
    u32 tile = blockIdx.x;
    if (tile >= tiles) return;
    // The first word of the state is the number of the launch and how many tiles were drawn. First tiles go by the
    // number of the block. After that one is drawn as late as can be: blocks wait for all numbers before their own, and
    // who draws early and is held up would hold up everybody, round after round.
    u32 draw = tile;
    Vec16<T> coming[ROWS];
    elements.load(coming, rows, place(tile), is_whole(tile));
    Posts<Value<T>> posts{state + 1, 0};
    if (warp == 0) posts.launch = __shfl_sync(ALL_LANES, u32(load_relaxed(state) >> 32), 0) + 1;
    Past<T, Op> past;
    T before_warp = Op::identity();
    u32 finished = tiles;
#pragma unroll 1
    for (u32 odd = 0; tile < tiles || finished < tiles; odd ^= 1) {
        // A thread reads what it has written itself.
        Vec16<T>* kept = dynamic_shared<Vec16<T>>() + (odd * blockDim.x + warp * WARP) * rows + lane;
        Vec16<T>* last_kept = dynamic_shared<Vec16<T>>() + ((odd ^ 1) * blockDim.x + warp * WARP) * rows + lane;
        T before = before_warp;
        u32 next = tiles;
        if (tile < tiles) {
            // While the tile is on its way.
            if (t == 0 && gridDim.x < tiles) draw = u32(atomicAdd(state, 1ull));
            T total = Op::identity();
#pragma unroll
            for (u32 c = 0; c < ROWS; c += ROWS_AT_ONCE) {
                if (c >= rows) break;
#pragma unroll
                for (u32 r = c; r < c + ROWS_AT_ONCE; r++) {
                    kept[r * WARP] = coming[r];
#pragma unroll
                    for (u32 e = 0; e < E::SIZE; e++) total = Op::combine(total, coming[r].at[e]);
                }
            }
#pragma unroll
            for (u32 distance = WARP / 2; distance > 0; distance /= 2) {
                total = Op::combine(total, __shfl_xor_sync(ALL_LANES, total, distance));
            }
            if (lane == 0) warps[odd][warp] = total;
            if (t == 0) drawn[odd] = draw + gridDim.x;
            __syncthreads();
            next = drawn[odd];
            T sums = lane < blockDim.x / WARP ? warps[odd][lane] : Op::identity();
#pragma unroll
            for (u32 distance = 1; distance < WARP; distance *= 2) {
                T left = __shfl_up_sync(ALL_LANES, sums, distance);
                if (lane >= distance) sums = Op::combine(left, sums);
            }
            before_warp = __shfl_sync(ALL_LANES, sums, warp == 0 ? 0 : warp - 1);
            if (t == WARP - 1) posts.post(tile, sums);
            if (next < tiles) elements.load(coming, rows, place(next), is_whole(next));
        }
        if (finished < tiles) {
            if (warp == 0) {
                T all = past.before(posts, finished);
                if (lane == 0) before_tile[odd] = all;
            }
            __syncthreads();
            before = warp == 0 ? before_tile[odd] : Op::combine(before_tile[odd], before);
            bool whole = is_whole(finished);
            T* to_here = elements.out + place(finished);
            if (whole && reinterpret_cast<u64>(to_here) % 16 == 0) {
#pragma unroll
                for (u32 c = 0; c < ROWS; c += ROWS_AT_ONCE) {
                    if (c >= rows) break;
                    Vec16<T> some[ROWS_AT_ONCE];
#pragma unroll
                    for (u32 r = 0; r < ROWS_AT_ONCE; r++) some[r] = last_kept[(c + r) * WARP];
                    before = scan_rows<INCLUSIVE, ROWS_AT_ONCE, T, Op>(some, before);
#pragma unroll
                    for (u32 r = 0; r < ROWS_AT_ONCE; r++) store16(to_here + (c + r) * E::ROW, some[r]);
                }
            } else {
#pragma unroll 1
                for (u32 c = 0; c < rows; c += ROWS_AT_ONCE) {
                    Vec16<T> some[ROWS_AT_ONCE];
#pragma unroll
                    for (u32 r = 0; r < ROWS_AT_ONCE; r++) some[r] = last_kept[(c + r) * WARP];
                    before = scan_rows<INCLUSIVE, ROWS_AT_ONCE, T, Op>(some, before);
                    u64 i = place(finished) + c * E::ROW;
                    Vec16<T>* shared = last_kept + c * WARP - lane;
#pragma unroll
                    for (u32 r = 0; r < ROWS_AT_ONCE; r++) {
                        elements.store(some[r], i + r * E::ROW, whole, shared + r * WARP);
                    }
                }
            }
        }
        finished = tile;
        tile = next;
    }
    // As many draws as tiles: the very last sets the state for the next launch.
    if (t == 0 && draw == tiles - 1) store_relaxed(state, u64(posts.launch) << 32);
}

// ---- Instances -----------------------------------------------------------------------------------------------------

#define KERNEL_GATHER(rung, kind, INCLUSIVE, op, Op, t) \
    extern "C" __global__ void __launch_bounds__(GATHER_BLOCK, 2) \
        scan_##rung##_##kind##_##op##_##t(const t* in, t* out, u64* state, u64 n, u32 rows) { \
        scan_##rung<INCLUSIVE, t, Op<t>>(in, out, state, n, rows); \
    }

KINDS(KERNEL_GATHER, 8_gather)
